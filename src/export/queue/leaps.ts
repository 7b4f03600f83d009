/**
 * Jumps of the wall clock. Input: both clocks, read at intervals. Output: whether expiry is
 * suspended.
 * Invariant: if the wall clock jumps against the monotonic one, in either direction, nothing
 * expires until an operator has had time to correct it.
 */
import type { Clock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";

/** Min step that counts as a jump, and how long it suspends expiry, in milliseconds. */
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

  /** True for a while after the wall clock has jumped: nothing may expire or be deleted. */
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
