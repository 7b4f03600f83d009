/**
 * What a request is answered if the server's disk refuses to be written.
 * Invariant: a full disk, a failing disk and a busy database have codes of their own; each passes
 * without a restart, so the answer says when to retry.
 */
import { AppError } from "../errors.ts";
import { storageCause, storageProblem } from "../files/storage.ts";
import { isStateClosed } from "./sqlite.ts";

/** When to try again, in seconds. */
const RETRY_AFTER = { "Retry-After": "10" };

/** Returns the refusal for an error of the disk or of a stop; null for every other error. */
export function storageRefusal(cause: unknown): AppError | null {
  if (isStateClosed(cause)) {
    const detail = "The server has stopped, and nothing was changed. Send the request again.";
    return new AppError("overloaded", detail, { cause, headers: RETRY_AFTER });
  }
  const problem = storageProblem(storageCause(cause));
  if (problem === null) return null;
  const details = { cause, headers: RETRY_AFTER };
  if (problem.full) {
    const detail =
      "The server's disk is full, so nothing was changed. Try again later, or ask the operator " +
      "for space.";
    return new AppError("storage_full", detail, details);
  }
  const detail =
    "The server cannot use its disk at the moment, so nothing was changed. Try again later, or " +
    "tell the operator.";
  return new AppError("storage_unavailable", detail, details);
}

/** Returns the refusal for a failure of the database: of the disk, or of a long write. */
export function stateUnwritable(cause: unknown): AppError {
  const detail = "The server cannot write its state at the moment. Try again later.";
  const busy = () => new AppError("overloaded", detail, { cause, headers: RETRY_AFTER });
  return storageRefusal(cause) ?? busy();
}
