/**
 * Numbers shared by a server's threads. The main thread or another thread sets each number, and all
 * threads read it.
 * Invariant: each number changes atomically, so all threads switch to a new snapshot at the same
 * moment. Serial numbers of snapshots are never reused.
 */

const CURRENT = 0;
const STOPPING = 1;
const DEGRADED = 2;
const BEHIND = 3;
const USED = 4;
/** Maximum number of snapshots that are tracked. Fewer are ever open at the same time. */
const SNAPSHOTS_MAX = 64;

/** The shared numbers, in memory that the first thread allocates and passes to the others. */
export class SharedState {
  readonly memory: Int32Array;

  constructor(memory?: Int32Array) {
    this.memory = memory ?? new Int32Array(new SharedArrayBuffer(4 * (USED + SNAPSHOTS_MAX)));
  }

  /** Serial number of the served snapshot. 0 if there is none. */
  get current(): number {
    return Atomics.load(this.memory, CURRENT);
  }

  set current(serial: number) {
    Atomics.store(this.memory, CURRENT, serial);
  }

  get stopping(): boolean {
    return Atomics.load(this.memory, STOPPING) !== 0;
  }

  /** Marks the server as stopping. */
  stop(): void {
    Atomics.store(this.memory, STOPPING, 1);
  }

  /** True while the object store does not answer. */
  get degraded(): boolean {
    return Atomics.load(this.memory, DEGRADED) !== 0;
  }

  set degraded(is: boolean) {
    Atomics.store(this.memory, DEGRADED, is ? 1 : 0);
  }

  /** True while the other servers serve a snapshot that this one lacks. */
  get behind(): boolean {
    return Atomics.load(this.memory, BEHIND) !== 0;
  }

  set behind(is: boolean) {
    Atomics.store(this.memory, BEHIND, is ? 1 : 0);
  }

  /** Records a use of a snapshot now, because unused replaced snapshots are closed. */
  use(serial: number): void {
    Atomics.store(this.memory, USED + (serial % SNAPSHOTS_MAX), seconds());
  }

  /** Returns the milliseconds since a snapshot's last use, rounded to whole seconds. */
  unusedMs(serial: number): number {
    return (seconds() - Atomics.load(this.memory, USED + (serial % SNAPSHOTS_MAX))) * 1_000;
  }
}

/** Returns the seconds of a clock that all threads share. */
function seconds(): number {
  return process.hrtime()[0];
}
