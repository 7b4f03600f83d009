/**
 * Signing in and out. What comes in: e-mail and password, or the cookie of a session. What goes
 * out: who is signed in, and the cookie.
 * Invariant: every sign-in and every new password has a new session, and the one before it ends;
 * the token of a session is in the cookie and nowhere else; passwords are never repeated.
 */
import { PASSWORD_UNITS } from "../access/rate-limits.ts";
import type { NewSession, OpenSession } from "../access/sessions.ts";
import { type Answer, json, noContent } from "../http/server/respond.ts";
import type { Call, SessionCall } from "../http/server/service.ts";
import type { CookieKind, Door } from "../http/server/session-auth.ts";
import { readText, refuseMistakes, wishOf } from "./wish.ts";

/** Longer texts are nobody's e-mail and nobody's password. */
const TEXT_MAX = 4_096;

/** The handlers of sessions behind a door. */
export class SessionRoutes {
  readonly #door: Door;

  constructor(door: Door) {
    this.#door = door;
  }

  /** `GET /session`: who is signed in, or null. */
  read = (call: Call): Answer => {
    const session = this.#door.find(call);
    return json({ request_id: call.requestId, ...(session === null ? NOBODY : shown(session)) });
  };

  /** `POST /session` with `{email, password}`. */
  signIn = async (call: Call<"sessions">): Promise<Answer> => {
    const body = wishOf(call, ["email", "password"]);
    const email = readText(body, "email", TEXT_MAX);
    const password = readText(body, "password", TEXT_MAX);
    refuseMistakes(body);
    const kind = this.#door.cookieFor(call);
    const { sessions } = call.service;
    const opened = await sessions.signIn(email, password, call.address);
    return this.#begun(call, opened, kind);
  };

  /** `POST /session/link` with `{token}`: signs in by a link that works once. */
  signInByLink = (call: Call<"sessions">): Answer => {
    const body = wishOf(call, ["token"]);
    const token = readText(body, "token", TEXT_MAX);
    refuseMistakes(body);
    // Before the link is used up.
    const kind = this.#door.cookieFor(call);
    return this.#begun(call, call.service.sessions.signInByLink(token, call.address), kind);
  };

  /** `DELETE /session`: signs out here. */
  signOut = (call: SessionCall<"sessions">): Answer => {
    call.service.sessions.end(call.session);
    return this.#ended(call);
  };

  /** `DELETE /sessions`: signs out everywhere. */
  signOutEverywhere = (call: SessionCall<"sessions">): Answer => {
    call.service.sessions.endAll(call.session.user.id);
    return this.#ended(call);
  };

  /** `POST /password` with `{current_password, new_password}`; ends all sessions but a new one. */
  changePassword = async (call: SessionCall<"sessions">): Promise<Answer> => {
    const body = wishOf(call, ["current_password", "new_password"]);
    const current = readText(body, "current_password", TEXT_MAX);
    const next = readText(body, "new_password", TEXT_MAX);
    refuseMistakes(body);
    call.spend(PASSWORD_UNITS);
    const { sessions } = call.service;
    const opened = await sessions.changePassword(call.session, { current, next }, call.address);
    return begun(call, opened, this.#door.cookieOf(call));
  };

  /** A session of one browser follows another, which then ends. */
  #begun(call: Call<"sessions">, opened: NewSession, kind: CookieKind): Answer {
    const before = this.#door.find(call);
    if (before !== null) call.service.sessions.end(before);
    return begun(call, opened, kind);
  }

  #ended(call: SessionCall): Answer {
    const { name, flags } = partsOf(this.#door.cookieOf(call));
    return { ...noContent(), headers: { "Set-Cookie": `${name}=; ${flags}; Max-Age=0` } };
  }
}

const NOBODY = { user: null };

/** `GET /sessions`: where the user is signed in, newest first. */
export function listSessions({ service, requestId, session }: SessionCall<"sessions">): Answer {
  const sessions = service.sessions.list(session.user.id).map(({ id, createdAt, seenAt }) => ({
    id,
    created_at: new Date(createdAt).toISOString(),
    seen_at: new Date(seenAt).toISOString(),
    current: id === session.id,
  }));
  return json({ request_id: requestId, sessions });
}

/** The answer that a session begins with. */
function begun(call: Call, { token, session }: NewSession, kind: CookieKind): Answer {
  const { name, flags } = partsOf(kind);
  const answer = json({ request_id: call.requestId, ...shown(session) });
  return { ...answer, headers: { "Set-Cookie": `${name}=${token}; ${flags}` } };
}

/** Without an age the browser forgets the cookie when it ends; the server ends the session. */
function partsOf({ name, secure }: CookieKind): { readonly name: string; readonly flags: string } {
  return { name, flags: `Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}` };
}

function shown({ user, csrfToken, idleSeconds, expiresAt }: OpenSession) {
  const { id, email, role, tenant, plan } = user;
  return {
    user: { id, email, role, tenant, plan },
    csrf_token: csrfToken,
    idle_seconds: idleSeconds,
    expires_at: new Date(expiresAt).toISOString(),
  };
}
