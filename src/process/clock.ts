/**
 * What comes in: nothing.
 * What goes out: the two clocks that the rest of the program may read.
 * Invariant: no other file calls Date.now() to decide something, so that a test can hold, set and
 * move the time; durations are always differences of `monotonicMs`, which never jumps.
 */
import { performance } from "node:perf_hooks";

/** A source of time that is handed to whoever needs one. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970-01-01T00:00:00Z; may jump. */
  nowMs(): number;
  /** Milliseconds since some fixed moment, with fractions; never goes back. */
  monotonicMs(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

/** The UTC day of a wall-clock time, in days since 1970-01-01. */
export function utcDay(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** A UTC day as `YYYY-MM-DD`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** A clock that stands still until it is told to move; for tests. */
export interface ManualClock extends Clock {
  /** Moves both times forward; a negative step is a programmer error. */
  advance(byMs: number): void;
}

/** Makes a clock that shows `startMs` (milliseconds since 1970) and moves only by `advance`. */
export function manualClock(startMs = 0): ManualClock {
  let passedMs = 0;
  return {
    nowMs: () => startMs + passedMs,
    monotonicMs: () => passedMs,
    advance(byMs) {
      if (!(byMs >= 0)) throw new RangeError(`a clock cannot move by ${byMs} ms`);
      passedMs += byMs;
    },
  };
}
