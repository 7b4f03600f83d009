/**
 * Signals between the threads that spend leased units and the thread that leases them.
 * Input: shared memory. Output: a woken thread.
 * Invariant: no thread blocks. A missed signal costs `LOOK_MS`, never an endless wait.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** Positions of the words in the shared memory. */
const WORD = { requested: 0, settled: 1, impatient: 2 } as const;

/** Interval at which a thread looks for the answer, in milliseconds. */
const TICK_MS = 1;
/** Longest time for which `untilSettled` looks for the answer, in milliseconds. */
export const LOOK_MS = 20;

/** One server's signals; other threads construct them from the memory of the first. */
export class LeaseSignals {
  readonly memory: Int32Array;
  #next: Promise<void> | null = null;

  constructor(memory?: Int32Array) {
    this.memory = memory ?? new Int32Array(new SharedArrayBuffer(4 * Object.keys(WORD).length));
  }

  /** Wakes the thread that leases. */
  request(): void {
    Atomics.add(this.memory, WORD.requested, 1);
    Atomics.notify(this.memory, WORD.requested);
  }

  /** Number of calls of `request`; it wraps. */
  get requested(): number {
    return Atomics.load(this.memory, WORD.requested);
  }

  /** Resolves when `requested` differs from `seen`, or after `ms` milliseconds. */
  async untilRequested(seen: number, ms: number): Promise<void> {
    await Atomics.waitAsync(this.memory, WORD.requested, seen, ms).value;
  }

  /** Reports that the database has answered. */
  settle(): void {
    Atomics.add(this.memory, WORD.settled, 1);
  }

  /** Resolves after the next answer of the database, or after `LOOK_MS` without an answer. */
  untilSettled(): Promise<void> {
    this.#next ??= this.#settled().finally(() => {
      this.#next = null;
    });
    return this.#next;
  }

  async #settled(): Promise<void> {
    const seen = Atomics.load(this.memory, WORD.settled);
    for (let passedMs = 0; passedMs < LOOK_MS; passedMs += TICK_MS) {
      await sleep(TICK_MS);
      if (Atomics.load(this.memory, WORD.settled) !== seen) return;
    }
  }

  /** Counts a request that was refused because no lease came in time. */
  noteImpatient(): void {
    Atomics.add(this.memory, WORD.impatient, 1);
  }

  /** Number of calls of `noteImpatient`. */
  get impatient(): number {
    return Atomics.load(this.memory, WORD.impatient);
  }
}
