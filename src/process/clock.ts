/**
 * The two clocks of the program.
 * Invariant: only this file reads Date.now() for decisions, so tests can control the time.
 * Durations are differences of `monotonicMs`, which never jumps.
 */
import { performance } from "node:perf_hooks";

/** An injectable source of time. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970-01-01T00:00:00Z; may jump. */
  nowMs(): number;
  /** Milliseconds since an arbitrary moment, with fractions; never decreases. */
  monotonicMs(): number;
}

/** The system clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Milliseconds per day. */
export const DAY_MS = 86_400_000;

/** Returns the UTC day of a time, in days since 1970-01-01. */
export function utcDay(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** Formats a UTC day as `YYYY-MM-DD`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** A clock that moves only by `advance`; for tests. */
export interface ManualClock extends Clock {
  /** Advances both clocks; a negative step is a programming error. */
  advance(byMs: number): void;
}

/** Returns a clock that starts at `startMs` (since the epoch) and moves only by `advance`. */
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
