/**
 * The signed-in user, as signals that the shell and the views read; set by api.ts and signing.ts.
 * Invariant: a session that ends during work does not clear the user. `ended` shows the sign-in
 * form over the view, whose content stays.
 */
import { signal } from "@preact/signals";
import type { SessionAnswer, SignedInUser } from "./answers.ts";

/** The last session answer; null until the first answer. */
export const session = signal<SessionAnswer | null>(null);

/** True if the session ended and the user has not yet signed in again. */
export const ended = signal(false);

/** Returns the user, even after the session has ended; null if there is none. */
export function user(): SignedInUser | null {
  return session.value?.user ?? null;
}
