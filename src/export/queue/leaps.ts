/**
 * Leaps of the wall clock. What comes in: both clocks, looked at now and then. What goes out:
 * whether what time takes away is to be kept for a while.
 * Invariant: a step of the wall clock against the monotonic one that nobody makes on purpose holds
 * everything, in either direction, long enough for an operator to set the clock right.
 */
import type { Clock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";

/** Smallest step that is a leap, and how long it holds what would go away, in milliseconds. */
const LEAP_MS = 600_000;

/** Watches the clocks of one process. */
export class Leaps {
  readonly #clock: Clock;
  readonly #log: Log;
  #offsetMs: number;
  #heldUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#offsetMs = this.#offset();
  }

  /** True for a while after the wall clock has leapt: nothing may expire or be forgotten. */
  hold(): boolean {
    const offsetMs = this.#offset();
    const leapMs = offsetMs - this.#offsetMs;
    if (Math.abs(leapMs) > LEAP_MS) {
      this.#heldUntilMs = this.#clock.monotonicMs() + LEAP_MS;
      this.#offsetMs = offsetMs;
      const words = "the clock has leapt: expired files and idempotency keys are kept for a while";
      this.#log.warn({ leap_s: Math.round(leapMs / 1_000) }, words);
    }
    return this.#clock.monotonicMs() < this.#heldUntilMs;
  }

  #offset(): number {
    return this.#clock.nowMs() - this.#clock.monotonicMs();
  }
}
