/**
 * Signals between the threads that spend leased units and the thread that leases these units.
 * Input: shared memory. Output: a woken thread.
 * Invariant: no thread blocks. If a signal is missed, the waiting request continues after
 * `SETTLED_WITHIN_MS`.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** Positions of the 32-bit counters in the shared memory. */
const WORD = { requested: 0, settled: 1, impatient: 2 } as const;

/** Interval at which a waiting thread checks whether the database has answered, in milliseconds. */
const TICK_MS = 1;
/** Max time for which `untilSettled` waits for the database's answer, in milliseconds. */
export const SETTLED_WITHIN_MS = 20;

/**
 * The signals of one server. The first thread allocates the memory, and other threads pass this
 * memory to the constructor.
 */
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

  /** Resolves after the next answer of the database, or after `SETTLED_WITHIN_MS`. */
  untilSettled(): Promise<void> {
    this.#next ??= this.#settled().finally(() => {
      this.#next = null;
    });
    return this.#next;
  }

  async #settled(): Promise<void> {
    const seen = Atomics.load(this.memory, WORD.settled);
    for (let passedMs = 0; passedMs < SETTLED_WITHIN_MS; passedMs += TICK_MS) {
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
