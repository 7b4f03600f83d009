/**
 * Beginning, renewing and ending a session. What comes in: what the user typed, and signs that
 * somebody is at the screen. What goes out: the session signal.
 * Invariant: a password is sent and forgotten; after signing in as somebody else the page is
 * loaded anew, so that nothing of the first user stays on screen. A session is renewed only
 * while somebody is there.
 */
import { signal } from "@preact/signals";
import type { SessionAnswer } from "./answers.ts";
import { get, lastAnswer, post, remove } from "./api.ts";
import { ended, session, user } from "./session.ts";

/** Asks who is signed in; whoever was until now keeps the view and is asked for the password. */
export async function loadSession(): Promise<void> {
  const answer = await get<SessionAnswer>("/session");
  keepSeconds.value = answer.keep_seconds ?? 0;
  contact.value = answer.contact ?? null;
  if (answer.user === null && user() !== null) ended.value = true;
  else session.value = answer;
}

/** Seconds that somebody may stay signed in who wishes to; 0 where nobody can. */
export const keepSeconds = signal(0);

/** Whom to ask who cannot sign in; null where nobody is named. */
export const contact = signal<string | null>(null);

/** Signs in, with `keep` until the browser's cookie is that old; throws ApiError. */
export async function signIn(email: string, password: string, keep: boolean): Promise<void> {
  const before = user();
  const wish = keep ? { keep } : {};
  const answer = await post<SessionAnswer>("/session", { email, password, ...wish });
  if (before !== null && before.id !== answer.user?.id) location.assign("/app");
  session.value = answer;
  ended.value = false;
}

/** Whether the page was opened with a link to sign in that did not work. */
export const linkFailed = signal(false);

/** What a link to sign in has behind the `#`, where no server and no log sees it. */
const LINK = /^#signin=([\w-]{43})$/;

/**
 * Signs in by the link that opened the page, if one did. It works once, so it is taken out of the
 * address and the history first. A page that is only fetched, as for a preview, uses up nothing.
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

/** Signs out here, or everywhere; the page then begins anew, so nothing stays in memory. */
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
