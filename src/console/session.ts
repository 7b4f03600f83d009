/**
 * Sessions in the console: signing in and out, passwords, invitations.
 * Invariant: every sign-in and every new password opens a new session and ends the previous one. A
 * session's token is only in its cookie. Answers never repeat passwords.
 */
import { PASSWORD_UNITS } from "../access/limits.ts";
import type { NewSession, OpenSession } from "../access/sessions.ts";
import type { BodyObject } from "../http/server/body.ts";
import { type HttpAnswer, noContent } from "../http/server/respond.ts";
import type { Call, SessionCall } from "../http/server/service.ts";
import type { CookieKind, SessionAuth } from "../http/server/session-auth.ts";
import { membersOf, readText, refuse, refuseMistakes } from "./bodymembers.ts";
import { typedAnswer } from "./typedanswer.ts";
import type { SessionAnswer, SessionList } from "./web/app/answers.ts";
import type { InvitationAnswer } from "./web/app/memberanswers.ts";

/** Max characters of an e-mail or a password. A longer text cannot be either of them. */
const TEXT_MAX = 4_096;

/** The handlers of sessions. */
export class SessionRoutes {
  readonly #sessionAuth: SessionAuth;

  constructor(sessionAuth: SessionAuth) {
    this.#sessionAuth = sessionAuth;
  }

  /** `GET /session`: its user, or null. */
  read = (call: Call<"sessions" | "consoleContact">): HttpAnswer => {
    const session = this.#sessionAuth.find(call);
    const found = session === null ? NOBODY : shown(session);
    const { sessions, consoleContact: contact } = call.service;
    const page = { keep_seconds: sessions.keptSeconds, contact };
    return typedAnswer<SessionAnswer>({ request_id: call.requestId, ...found, ...page });
  };

  /** `POST /session` with `{email, password}` and, to stay signed in, `keep: true`. */
  signIn = async (call: Call<"sessions">): Promise<HttpAnswer> => {
    const body = membersOf(call, ["email", "password", "keep"]);
    const email = readText(body, "email", TEXT_MAX);
    const password = readText(body, "password", TEXT_MAX);
    const { sessions } = call.service;
    const keep = readKeep(body, sessions.keptSeconds);
    refuseMistakes(body);
    const kind = this.#sessionAuth.cookieFor(call);
    const opened = await sessions.signIn(email, password, call.address, keep);
    return this.#begun(call, opened, kind);
  };

  /** `POST /session/link` with `{token}`: signs in by a link that works once. */
  signInByLink = (call: Call<"sessions">): HttpAnswer => {
    const body = membersOf(call, ["token"]);
    const token = readText(body, "token", TEXT_MAX);
    refuseMistakes(body);
    // Over plain HTTP, this call may refuse the request. It comes first, so that a refused request
    // does not use up the link.
    const kind = this.#sessionAuth.cookieFor(call);
    return this.#begun(call, call.service.sessions.signInByLink(token, call.address), kind);
  };

  /** `POST /invitation` with `{token}`: returns the invited user. */
  readInvitation = (call: Call<"sessions">): HttpAnswer => {
    const body = membersOf(call, ["token"]);
    const token = readText(body, "token", TEXT_MAX);
    refuseMistakes(body);
    const { user } = call.service.sessions.invited(token, call.address);
    const { email, tenant, invitedUntil } = user;
    const expiresAt = new Date(invitedUntil ?? 0).toISOString();
    const answer = { request_id: call.requestId, email, tenant, expires_at: expiresAt };
    return typedAnswer<InvitationAnswer>(answer);
  };

  /** `POST /invitation/accept` with `{token, password, keep?}`: sets the password and signs in. */
  acceptInvitation = async (call: Call<"sessions">): Promise<HttpAnswer> => {
    const body = membersOf(call, ["token", "password", "keep"]);
    const token = readText(body, "token", TEXT_MAX);
    const password = readText(body, "password", TEXT_MAX);
    const { sessions } = call.service;
    const kept = readKeep(body, sessions.keptSeconds);
    refuseMistakes(body);
    const kind = this.#sessionAuth.cookieFor(call);
    const opened = await sessions.join(token, { password, kept }, call.address);
    return this.#begun(call, opened, kind);
  };

  /** `DELETE /session`: signs out here. */
  signOut = (call: SessionCall<"sessions">): HttpAnswer => {
    call.service.sessions.end(call.session);
    return this.#ended(call);
  };

  /** `DELETE /sessions`: signs out everywhere. */
  signOutEverywhere = (call: SessionCall<"sessions">): HttpAnswer => {
    call.service.sessions.endAll(call.session.user.id);
    return this.#ended(call);
  };

  /** `POST /password` with `{current_password, new_password}`; replaces all sessions by one. */
  changePassword = async (call: SessionCall<"sessions">): Promise<HttpAnswer> => {
    const body = membersOf(call, ["current_password", "new_password"]);
    const current = readText(body, "current_password", TEXT_MAX);
    const next = readText(body, "new_password", TEXT_MAX);
    refuseMistakes(body);
    call.spend(PASSWORD_UNITS);
    const { sessions } = call.service;
    const opened = await sessions.changePassword(call.session, { current, next }, call.address);
    return begun(call, opened, this.#sessionAuth.cookieOf(call));
  };

  /** Answers with a new session, and ends the previous session of the same browser. */
  #begun(call: Call<"sessions">, opened: NewSession, kind: CookieKind): HttpAnswer {
    const before = this.#sessionAuth.find(call);
    if (before !== null) call.service.sessions.end(before);
    return begun(call, opened, kind);
  }

  #ended(call: SessionCall): HttpAnswer {
    const { name, flags } = partsOf(this.#sessionAuth.cookieOf(call));
    return { ...noContent(), headers: { "Set-Cookie": `${name}=; ${flags}; Max-Age=0` } };
  }
}

const NOBODY = { user: null };

function readKeep(body: BodyObject, keptSeconds: number): boolean {
  const { keep } = body.members;
  if (keep === undefined || keep === false) return false;
  if (keep !== true) refuse(body, "keep", "keep must be true or false.");
  else if (keptSeconds === 0) {
    refuse(
      body,
      "keep",
      "This server has no long sessions: console.session_kept is 0. Leave the member out.",
    );
  }
  return keep === true;
}

/** `GET /sessions`: the user's sessions, newest first. */
export function listSessions({ service, requestId, session }: SessionCall<"sessions">): HttpAnswer {
  const sessions = service.sessions.list(session.user.id).map(({ id, createdAt, seenAt }) => ({
    id,
    created_at: new Date(createdAt).toISOString(),
    seen_at: new Date(seenAt).toISOString(),
    current: id === session.id,
  }));
  return typedAnswer<SessionList>({ request_id: requestId, sessions });
}

/** Answers with a new session. */
function begun(call: Call, { token, session }: NewSession, kind: CookieKind): HttpAnswer {
  const { name, flags } = partsOf(kind);
  const answer = typedAnswer<SessionAnswer>({ request_id: call.requestId, ...shown(session) });
  const age = session.kept ? `; Max-Age=${session.idleSeconds}` : "";
  return { ...answer, headers: { "Set-Cookie": `${name}=${token}; ${flags}${age}` } };
}

/**
 * Returns the name and the flags of a session cookie. The flags have no max age, so browsers drop
 * the cookie when they close. The server ends the session independently of the cookie.
 */
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
