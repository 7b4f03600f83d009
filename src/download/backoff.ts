/**
 * Retries a step that may fail, and gives up with a message after many failures.
 * Invariant: pauses grow and are random, so that clients do not retry simultaneously. Progress
 * resets the failure count. So a slow download completes, but a dead share is not retried
 * indefinitely.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { wordFor } from "../text/amounts.ts";
import { DownloadError, ShareFault } from "./downloaderror.ts";
import { waitText } from "./words.ts";

/** Limits of retries. */
export interface RetryLimits {
  /** Max consecutive failures without progress. */
  readonly attempts: number;
  readonly firstPauseMs: number;
  readonly pauseMaxMs: number;
}

interface RetriedStep<T> {
  /** Name in messages. */
  readonly name: string;
  readonly retryLimits: RetryLimits;
  readonly signal: AbortSignal;
  readonly report: (text: string) => void;
  readonly step: () => Promise<T>;
  /** Returns the progress so far. A call counts as progress if it returns a new maximum. */
  readonly reached?: () => number;
  /** True for errors that the caller handles. They are rethrown, not retried. */
  readonly leave?: (trouble: DownloadError) => boolean;
  /** Returns advice after the last failure, or null if only a later retry can help. */
  readonly advice?: (trouble: DownloadError) => string | null;
}

/** Derives pauses from the stall time: the first is up to a second, later ones up to a minute. */
export function retryLimitsOf(stallMs: number, attempts: number): RetryLimits {
  return {
    attempts,
    firstPauseMs: Math.min(1_000, stallMs / 2),
    pauseMaxMs: Math.min(60_000, stallMs * 2),
  };
}

/**
 * Runs the step until it succeeds. @throws DownloadError if it is `replaced` or `leave` accepts it,
 * ShareFault after too many failures, and all other errors of the step
 */
export async function withRetries<T>(trying: RetriedStep<T>): Promise<T> {
  const { name, retryLimits, signal, report, step } = trying;
  const { reached = () => 0, leave = () => false } = trying;
  const { advice = () => null } = trying;
  let best = reached();
  for (let failures = 0; ; ) {
    try {
      return await step();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DownloadError) || error.kind === "replaced" || leave(error))
        throw error;
      const now = reached();
      failures = now > best ? 1 : failures + 1;
      best = Math.max(best, now);
      if (failures >= retryLimits.attempts) throw givenUp(name, failures, error, advice(error));
      const pauseMs = Math.max(pauseOf(failures, retryLimits), error.waitMs);
      report(`${name}: ${error.message}; trying again in ${waitText(pauseMs)}`);
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

const COME_BACK = "Run the command again later; it goes on with what is there.";

function givenUp(
  name: string,
  failures: number,
  error: DownloadError,
  advice: string | null,
): ShareFault {
  return new ShareFault(
    `${name}: ${error.message}, ${failures} ${wordFor(failures, "time")} in a row. ` +
      (advice ?? COME_BACK),
    1,
    error,
  );
}

/** Returns a pause that doubles with each failure. Half of the pause is random. */
function pauseOf(failures: number, { firstPauseMs, pauseMaxMs }: RetryLimits): number {
  const full = Math.min(pauseMaxMs, firstPauseMs * 2 ** (failures - 1));
  return full * (0.5 + Math.random() / 2);
}
