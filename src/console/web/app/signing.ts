/**
 * Begins, renews, and ends sessions; sets the session signal.
 * Invariant: a password is sent and not stored. Signing in as another user reloads the page, so
 * that nothing of the first user stays on screen. A session is renewed only while its user is
 * active.
 */
import { signal } from "@preact/signals";
import type { SessionAnswer } from "./answers.ts";
import { get, lastAnswer, post, remove } from "./api.ts";
import { ended, session, user } from "./session.ts";

/**
 * Loads the session. If the session has ended, the view stays and the user must enter the password.
 */
export async function loadSession(): Promise<void> {
  const answer = await get<SessionAnswer>("/session");
  keepSeconds.value = answer.keep_seconds ?? 0;
  contact.value = answer.contact ?? null;
  if (answer.user === null && user() !== null) ended.value = true;
  else session.value = answer;
}

/** How many seconds users can choose to stay signed in; 0 if they cannot. */
export const keepSeconds = signal(0);

/** Contact for users who cannot sign in, or null. */
export const contact = signal<string | null>(null);

/** Signs in. With `keep`, the session lasts until the cookie expires. Throws ApiError. */
export async function signIn(email: string, password: string, keep: boolean): Promise<void> {
  const before = user();
  const option = keep ? { keep } : {};
  const answer = await post<SessionAnswer>("/session", { email, password, ...option });
  if (before !== null && before.id !== answer.user?.id) location.assign("/app");
  session.value = answer;
  ended.value = false;
}

/** True if the page was opened by a sign-in link that failed. */
export const linkFailed = signal(false);

/** Matches a sign-in link after its `#`. Browsers send this part to no server, and so to no log. */
const LINK = /^#signin=([\w-]{43})$/;

/**
 * Signs in if a sign-in link opened the page. A link works once, so it is first removed from the
 * address and the history. Fetching the page, as link previews do, does not use it up.
 */
export async function signInByLink(): Promise<void> {
  const token = LINK.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, "", location.pathname);
  try {
    await post<SessionAnswer>("/session/link", { token });
  } catch {
    linkFailed.value = true;
  }
}

/** Signs out here or everywhere; reloads the page, so nothing stays in memory. */
export async function signOut(everywhere = false): Promise<void> {
  await remove(everywhere ? "/sessions" : "/session");
  location.assign("/app");
}

/** Renews the session while the user is active; called once. */
export function renewWhileActive(): void {
  let activeAt = Date.now();
  for (const name of ["pointerdown", "keydown", "wheel", "focus"]) {
    addEventListener(name, () => {
      activeAt = Date.now();
    });
  }
  setInterval(() => {
    const idleMs = (session.value?.idle_seconds ?? 0) * 1000;
    if (user() === null || ended.value || idleMs === 0) return;
    const due = Date.now() - lastAnswer.at > idleMs / 3;
    if (due && activeAt > lastAnswer.at) void loadSession().catch(() => {});
  }, 20_000);
}
