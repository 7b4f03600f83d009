/**
 * The signed-in user, as signals that the shell and the views read; set by api.ts and signing.ts.
 * Invariant: a session that ends during work does not clear the user. `ended` requests the password
 * over the view, which keeps its content.
 */
import { signal } from "@preact/signals";
import type { SessionAnswer, SignedInUser } from "./answers.ts";

/** The last session answer; null until the first answer. */
export const session = signal<SessionAnswer | null>(null);

/** True if the session ended and the user has not yet signed in again. */
export const ended = signal(false);

/** Returns the user, also after the session ended; null if none. */
export function user(): SignedInUser | null {
  return session.value?.user ?? null;
}
