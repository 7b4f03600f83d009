/**
 * Why and when a server stops. What comes in: signals of the operator, and failures that nobody
 * caught. What goes out: one promise, and how it ended.
 * Invariant: no client can end the process: what escapes every handler is a mistake of the program
 * that leaves it in a state nobody knows, so it is logged, the server drains as for a signal and
 * ends with 1, for whoever watches over it to start it anew. It never serves on, and a second
 * failure or signal does not wait for anything. Apart because what ends a process is to be read in
 * one piece.
 */
import { constants } from "node:os";
import { describeError, type Log } from "../../process/log.ts";

/** What began the end of a server. */
export type Ending = "signal" | "failure";

/**
 * Resolves with the first reason to end. A second signal is shown by the exit code as a shell tells
 * it; a second failure by 1.
 */
export function endingOf(log: Log): Promise<Ending> {
  return new Promise((resolve) => {
    let reasons = 0;
    const onSignal = (signal: "SIGTERM" | "SIGINT") => {
      reasons++;
      if (reasons > 1) process.exit(128 + constants.signals[signal]);
      resolve("signal");
    };
    const onFailure = (error: unknown) => {
      reasons++;
      note(log, error);
      if (reasons > 1) process.exit(1);
      resolve("failure");
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
    process.on("uncaughtException", onFailure);
    process.on("unhandledRejection", onFailure);
  });
}

/** A log that fails must not keep the process from ending. */
function note(log: Log, error: unknown): void {
  try {
    log.fatal(describeError(error), "a failure that nothing caught: the server stops");
  } catch {
    // There is nobody left to tell.
  }
}
