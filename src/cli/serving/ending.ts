/**
 * Decides why and when a server stops. Input: signals, and uncaught failures. Output: a promise of
 * the reason.
 * Invariant: no client can end the process. An uncaught failure is a bug that leaves an unknown
 * state. The failure is logged. Then the server finishes open requests, as after a signal, and
 * exits with 1, so that its supervisor restarts it. A second failure or signal ends the process
 * immediately. Separate because everything that ends a process must be readable in one place.
 */
import { constants } from "node:os";
import { describeError, type Log } from "../../process/log.ts";

/** Reason for the end of a server. */
export type Ending = "signal" | "failure";

/**
 * Resolves with the first reason to end. A second signal exits with the code that shells use (128 +
 * signal). A second failure exits with 1.
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

/** A failing log must not keep the process from ending. */
function note(log: Log, error: unknown): void {
  try {
    log.fatal(describeError(error), "a failure that nothing caught: the server stops");
  } catch {
    // Nothing is left to report to.
  }
}
