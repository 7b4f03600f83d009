/**
 * Who is signed in. What comes in: the server's answers, put here by api.ts and signing.ts. What
 * goes out: signals that the shell and the views read.
 * Invariant: a session that ends while somebody works does not clear the user: `ended` asks for
 * the password over the view, which keeps what was on screen.
 */
import { signal } from "@preact/signals";
import type { SessionAnswer, SignedInUser } from "./answers.ts";

/** The last answer about the session; null until the first one. */
export const session = signal<SessionAnswer | null>(null);

/** Whether the session ended under a user who has not signed in again yet. */
export const ended = signal(false);

/** Who is signed in, or was until the session ended; null for nobody. */
export function user(): SignedInUser | null {
  return session.value?.user ?? null;
}
