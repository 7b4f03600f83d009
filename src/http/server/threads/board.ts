/**
 * Numbers that the threads of a server share. Input: numbers of the owner, and of each thread.
 * Output: the same numbers on every thread.
 * Invariant: each number changes in one step, so all threads serve the same snapshot from one
 * moment on. A snapshot is named by a serial number that is never used again.
 */

const CURRENT = 0;
const STOPPING = 1;
const USED = 2;
/** Snapshots whose use is noted; more are never open at once. */
const SNAPSHOTS_MAX = 64;

/** Shared numbers; the constructor of another thread gets the memory of the first. */
export class Board {
  readonly memory: Int32Array;

  constructor(memory?: Int32Array) {
    this.memory = memory ?? new Int32Array(new SharedArrayBuffer(4 * (USED + SNAPSHOTS_MAX)));
  }

  /** Serial number of the snapshot that is served; 0 if there is none. */
  get current(): number {
    return Atomics.load(this.memory, CURRENT);
  }

  set current(serial: number) {
    Atomics.store(this.memory, CURRENT, serial);
  }

  /** True once the server is to stop. */
  get stopping(): boolean {
    return Atomics.load(this.memory, STOPPING) !== 0;
  }

  /** Notes that the server is to stop. */
  stop(): void {
    Atomics.store(this.memory, STOPPING, 1);
  }

  /** Notes that a replaced snapshot is used now. */
  use(serial: number): void {
    Atomics.store(this.memory, USED + (serial % SNAPSHOTS_MAX), seconds());
  }

  /** Returns the time since a snapshot was used, in milliseconds, exact to a second. */
  unusedMs(serial: number): number {
    return (seconds() - Atomics.load(this.memory, USED + (serial % SNAPSHOTS_MAX))) * 1_000;
  }
}

/** Returns seconds of a clock that all threads share. */
function seconds(): number {
  return process.hrtime()[0];
}
