/**
 * Whether a client takes its answer fast enough. What comes in: when bytes wait for it, how many it
 * has taken, and the time. What goes out: whether it is too late.
 * Invariant: time counts only while bytes wait that the client could take, never while the server
 * makes the next ones or is busy elsewhere; whoever takes the least pace is never late.
 * How: a client has credit for the write timeout. Time in which it could take bytes uses it up, and
 * bytes that it takes give it back, as much as they may take at the least pace. So who takes
 * nothing is late after the write timeout, and who takes less than the pace some time after it; the
 * credit is never more than that, so that nobody takes much at first in order to stop then.
 */

/** What a client has to keep to. */
export interface PaceLimits {
  /** Time after which a client that takes nothing is late, in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Bytes a second that a client has to take, averaged over that time. */
  readonly writePaceBytes: number;
}

/** What whoever watches a client keeps to. */
export interface PaceWatch extends PaceLimits {
  /** Called when a client is cut off because it is late. */
  readonly tooSlow: () => void;
}

/**
 * How often a client that owes something is looked at, in milliseconds. uWebSockets.js closes a
 * socket about 10 s after the last write that failed, so this has to be clearly less.
 */
const LOOK_MS = 2_000;

/** The credit of one client. */
export class Pace {
  /** How often to look, in milliseconds. */
  readonly lookMs: number;
  readonly #mostMs: number;
  readonly #bytesPerMs: number;
  #creditMs: number;
  /** Until when time was counted; null while nothing waits for the client. */
  #countedMs: number | null = null;

  constructor({ writeTimeoutMs, writePaceBytes }: PaceLimits) {
    this.lookMs = Math.min(LOOK_MS, writeTimeoutMs / 4);
    this.#mostMs = writeTimeoutMs;
    this.#bytesPerMs = writePaceBytes / 1_000;
    this.#creditMs = writeTimeoutMs;
  }

  /** From now on bytes wait for the client, if they did not before. */
  offered(nowMs: number): void {
    this.#countedMs ??= nowMs;
  }

  /** Nothing waits any more. */
  drained(nowMs: number): void {
    this.#count(nowMs);
    this.#countedMs = null;
  }

  /** The client took bytes. */
  took(bytes: number, nowMs: number): void {
    this.#count(nowMs);
    this.#creditMs = Math.min(this.#mostMs, this.#creditMs + bytes / this.#bytesPerMs);
  }

  /** Whether the client has used up its credit. */
  late(nowMs: number): boolean {
    this.#count(nowMs);
    return this.#creditMs <= 0;
  }

  /** Counts what went by; more than the time between two looks was not the client's doing. */
  #count(nowMs: number): void {
    if (this.#countedMs === null) return;
    this.#creditMs -= Math.min(nowMs - this.#countedMs, this.lookMs);
    this.#countedMs = nowMs;
  }
}
