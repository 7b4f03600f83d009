/**
 * Trying again.
 * What comes in: a step that may fail. What goes out: its result, or words after many failures.
 * Invariant: waits grow and are never in step with other clients; a step that got further than
 * ever before starts the count anew, so a slow share is followed to the end and a dead one is not.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { wordFor } from "../text/amounts.ts";
import { DownloadError, ShareFault } from "./downloaderror.ts";
import { waitText } from "./words.ts";

/** How long and how often. */
export interface Patience {
  /** Failures in a row, without progress between them, after which it is over. */
  readonly attempts: number;
  readonly firstPauseMs: number;
  readonly pauseMaxMs: number;
}

/** What is tried. */
interface Trying<T> {
  /** How the thing is called in messages. */
  readonly name: string;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly step: () => Promise<T>;
  /** How far the work has come; more than ever is progress. */
  readonly reached?: () => number;
  /** Troubles that somebody else deals with. */
  readonly leave?: (trouble: DownloadError) => boolean;
  /** What helps when all was in vain; null where nothing better is known than to come back. */
  readonly advice?: (trouble: DownloadError) => string | null;
}

/** Pauses that follow from the time of a stall: up to a second at first, then up to a minute. */
export function patienceOf(stallMs: number, attempts: number): Patience {
  return {
    attempts,
    firstPauseMs: Math.min(1_000, stallMs / 2),
    pauseMaxMs: Math.min(60_000, stallMs * 2),
  };
}

/** Runs the step until it succeeds. @throws Trouble (`replaced`, or left), CommandError. */
export async function patiently<T>(trying: Trying<T>): Promise<T> {
  const { name, patience, signal, say, step, reached = () => 0, leave = () => false } = trying;
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
      if (failures >= patience.attempts) throw givenUp(name, failures, error, advice(error));
      const pauseMs = Math.max(pauseOf(failures, patience), error.waitMs);
      say(`${name}: ${error.message}; trying again in ${waitText(pauseMs)}`);
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

/** Doubles each time; half of it is chance. */
function pauseOf(failures: number, { firstPauseMs, pauseMaxMs }: Patience): number {
  const full = Math.min(pauseMaxMs, firstPauseMs * 2 ** (failures - 1));
  return full * (0.5 + Math.random() / 2);
}
