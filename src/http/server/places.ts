/**
 * Places among the answers that are being sent piece by piece. What comes in: whose answer it is.
 * What goes out: a place and the way to give it back, or why there is none.
 * Invariant: a place is given back once, however often that is asked for; a tenant that has its
 * share is told apart from a server that is full.
 */
import { AppError } from "../../errors.ts";
import type { Budget } from "./budget.ts";
import { overloaded } from "./pressure.ts";

/** Seconds after which it is worth while to ask again. */
const RETRY_AFTER_SECONDS = 1;

/** Throws where a tenant gets no place at the moment. */
export function refuseWithoutPlace(streams: Budget, tenantId: string): void {
  const shortage = streams.shortage(1, tenantId);
  if (shortage === "all") throw overloaded();
  if (shortage === "share") throw shareUsed();
}

/** Takes a place; gives the way to give it back. Throws where there is none. */
export function takePlace(streams: Budget, tenantId: string): () => void {
  refuseWithoutPlace(streams, tenantId);
  streams.take(1, tenantId);
  let taken = true;
  return () => {
    if (taken) streams.giveBack(1, tenantId);
    taken = false;
  };
}

function shareUsed(): AppError {
  return new AppError(
    "rate_limited",
    "As many large pages and files are being sent to your tenant as it may have at a time. Read " +
      "them to their end, or ask for smaller pages.",
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
  );
}
