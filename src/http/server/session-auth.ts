/**
 * Who may come in to the console. What comes in: requests below /v1/console. What goes out: the
 * session of whoever sent one, or the refusal.
 * Invariant: a session comes from the cookie alone, and counts only where that cookie is there
 * once and under the name that belongs to the address; nothing is changed for a request that
 * another site sent, or that does not have the token of its session.
 */
import { timingSafeEqual } from "node:crypto";
import { CONSOLE_LIMIT, type Limited } from "../../access/limits.ts";
import type { OpenSession } from "../../access/sessions.ts";
import { AppError } from "../../errors.ts";
import { headerMistake } from "./query.ts";
import type { ReadHeader } from "./transport/transport.ts";

/** Looks sessions up. */
interface SessionKeeper {
  /** The open session of a cookie's token, which counts as used now; null where there is none. */
  find(token: string): OpenSession | null;
}

/** Reads headers of a request. */
interface Asking {
  header(name: ReadHeader): string | undefined;
}

/** What the sessions of a console are checked with. */
interface SessionAuthParts {
  readonly sessions: SessionKeeper;
  /** Whether people may sign in over plain HTTP from other machines. */
  readonly insecureHttp: boolean;
  /** How often a user may ask. */
  readonly limit?: Limited;
}

/** A cookie as it is set. */
export interface CookieKind {
  readonly name: string;
  readonly secure: boolean;
}

/** Where nothing but this machine can listen, and browsers trust plain HTTP. */
const PLAIN: CookieKind = { name: "peneira_session", secure: false };
/** Everywhere else: no other host, and no plain HTTP, can set a cookie of this name. */
const SECURE: CookieKind = { name: "__Host-peneira_session", secure: true };

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
/** What a browser says of requests of the page itself, and of those that a person began. */
const OWN_SITES = ["same-origin", "none"];

/** Tells who is signed in to a console. */
export class SessionAuth {
  readonly limit: Limited;
  readonly #sessions: SessionKeeper;
  readonly #insecureHttp: boolean;

  constructor({ sessions, insecureHttp, limit = CONSOLE_LIMIT }: SessionAuthParts) {
    this.limit = limit;
    this.#sessions = sessions;
    this.#insecureHttp = insecureHttp;
  }

  /** The session of a request, or null. */
  find(asking: Asking): OpenSession | null {
    const found = this.#found(asking);
    return found === null ? null : this.#sessions.find(found.token);
  }

  /** The session of a request; throws `session_required`. */
  enter(asking: Asking): OpenSession {
    const session = this.find(asking);
    if (session !== null) return session;
    throw new AppError(
      "session_required",
      "Sign in at /app. Paths of the console take its cookie only; API keys are for the others.",
      { headers: { "WWW-Authenticate": 'Session realm="console"' } },
    );
  }

  /**
   * The cookie that a sign-in sets; throws `invalid_request` where it could be read on the
   * way.
   */
  cookieFor(asking: Asking): CookieKind {
    const host = asking.header("host") ?? "";
    const origin = asking.header("origin");
    if (LOOPBACK.test(hostOf(origin) ?? host)) return PLAIN;
    // Browsers name the origin with every POST; a program that does not has to keep the secret.
    if (origin === undefined || /^https:/i.test(origin)) return SECURE;
    if (this.#insecureHttp) return PLAIN;
    const detail =
      "Passwords are not taken over plain HTTP, where anybody on the way can read them. Use " +
      "HTTPS, or set console.insecure_http to true in a network that you trust.";
    throw new AppError("invalid_request", detail, {
      errors: [headerMistake("origin", "insecure_http", detail)],
    });
  }

  /** The cookie that a request with a session came with. */
  cookieOf(asking: Asking): CookieKind {
    return this.#found(asking)?.kind ?? PLAIN;
  }

  /** Whether the pages at the address of a request may ask browsers to use HTTPS from now on. */
  wantsHttps(asking: Asking): boolean {
    return !this.#insecureHttp && !LOOPBACK.test(asking.header("host") ?? "");
  }

  /** The cookie of a request that may have a session, with its token; null where there is none. */
  #found(asking: Asking): { readonly kind: CookieKind; readonly token: string } | null {
    const sent = asking.header("cookie");
    if (sent === undefined) return null;
    const plain = this.#insecureHttp || LOOPBACK.test(asking.header("host") ?? "");
    for (const kind of plain ? [SECURE, PLAIN] : [SECURE]) {
      const [token, ...others] = valuesOf(sent, kind.name);
      if (token !== undefined) return others.length === 0 ? { kind, token } : null;
    }
    return null;
  }
}

/** Throws `csrf_invalid` for what a page of another site sent. */
export function refuseForeign(asking: Asking): void {
  const site = asking.header("sec-fetch-site");
  const origin = asking.header("origin");
  const own =
    site === undefined
      ? origin === undefined || hostOf(origin) === asking.header("host")?.toLowerCase()
      : OWN_SITES.includes(site);
  if (own) return;
  throw new AppError(
    "csrf_invalid",
    "Another site sent this request. The console answers only what its own pages send.",
  );
}

/** Throws `csrf_invalid` where the token of the session is missing or another one. */
export function refuseWithoutToken(asking: Asking, { csrfToken }: OpenSession): void {
  const sent = Buffer.from(asking.header("x-csrf-token") ?? "");
  const wanted = Buffer.from(csrfToken);
  if (sent.length === wanted.length && timingSafeEqual(sent, wanted)) return;
  throw new AppError(
    "csrf_invalid",
    "Send the csrf_token of GET /v1/console/session in the header X-CSRF-Token. A page that was " +
      "opened before the last sign-in must be loaded again.",
  );
}

/** Host and port of an origin in lower case; null where it has none. */
function hostOf(origin: string | undefined): string | null {
  return /^https?:\/\/([^/?#@\s]+)$/i.exec(origin ?? "")?.[1]?.toLowerCase() ?? null;
}

/** All values of a cookie of a name. */
function valuesOf(cookies: string, name: string): string[] {
  return cookies
    .split(";")
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));
}
