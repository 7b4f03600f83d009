/**
 * Session authentication for the console. Input: requests below /v1/console. Output: session or
 * refusal.
 * Invariant: a session comes only from the cookie, which must occur once and have the right name
 * for the address. A request from another site, or without the session's token, changes nothing.
 */
import { timingSafeEqual } from "node:crypto";
import { CONSOLE_LIMIT, type Limited } from "../../access/limits.ts";
import type { OpenSession } from "../../access/sessions.ts";
import { AppError } from "../../errors.ts";
import { headerMistake } from "./query.ts";
import type { ReadHeader } from "./transport/transport.ts";

interface SessionKeeper {
  /** Returns the open session of a cookie's token, or null. Records the session's use. */
  find(token: string): OpenSession | null;
}

interface Asking {
  header(name: ReadHeader): string | undefined;
}

interface SessionAuthParts {
  readonly sessions: SessionKeeper;
  /** True if sign-in over plain HTTP is allowed from other machines. */
  readonly insecureHttp: boolean;
  /** Rate limit of a user. */
  readonly limit?: Limited;
}

/** Attributes of a session cookie. */
export interface CookieKind {
  readonly name: string;
  readonly secure: boolean;
}

/** Cookie for loopback, where browsers trust plain HTTP. */
const PLAIN: CookieKind = { name: "peneira_session", secure: false };
/** Cookie over HTTPS: only this host can set a cookie with this prefix, and only over HTTPS. */
const SECURE: CookieKind = { name: "__Host-peneira_session", secure: true };

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
/** Values of Sec-Fetch-Site for requests by the console's own page, or by a person (bookmark). */
const OWN_SITES = ["same-origin", "none"];

/** Identifies the signed-in user of a console. */
export class SessionAuth {
  readonly limit: Limited;
  readonly #sessions: SessionKeeper;
  readonly #insecureHttp: boolean;

  constructor({ sessions, insecureHttp, limit = CONSOLE_LIMIT }: SessionAuthParts) {
    this.limit = limit;
    this.#sessions = sessions;
    this.#insecureHttp = insecureHttp;
  }

  /** Returns the session of a request, or null. */
  find(asking: Asking): OpenSession | null {
    const found = this.#found(asking);
    return found === null ? null : this.#sessions.find(found.token);
  }

  /** Returns the session of a request. Throws `session_required` if there is none. */
  enter(asking: Asking): OpenSession {
    const session = this.find(asking);
    if (session !== null) return session;
    throw new AppError(
      "session_required",
      "Sign in at /app. Paths of the console take its cookie only; API keys are for the others.",
      { headers: { "WWW-Authenticate": 'Session realm="console"' } },
    );
  }

  /** Returns the cookie to set at sign-in. Throws `invalid_request` over unsafe plain HTTP. */
  cookieFor(asking: Asking): CookieKind {
    const host = asking.header("host") ?? "";
    const origin = asking.header("origin");
    if (LOOPBACK.test(hostOf(origin) ?? host)) return PLAIN;
    // Browsers send Origin with every POST. Other clients must protect the secret themselves.
    if (origin === undefined || /^https:/i.test(origin)) return SECURE;
    if (this.#insecureHttp) return PLAIN;
    const detail =
      "Passwords are not taken over plain HTTP, where anybody on the way can read them. Use " +
      "HTTPS, or set console.insecure_http to true in a network that you trust.";
    throw new AppError("invalid_request", detail, {
      errors: [headerMistake("origin", "insecure_http", detail)],
    });
  }

  /** Returns the kind of session cookie that a request carries, or `PLAIN` if it carries none. */
  cookieOf(asking: Asking): CookieKind {
    return this.#found(asking)?.kind ?? PLAIN;
  }

  /** True if browsers may be instructed to require HTTPS for the request's host from now on. */
  wantsHttps(asking: Asking): boolean {
    return !this.#insecureHttp && !LOOPBACK.test(asking.header("host") ?? "");
  }

  /** Returns the kind and the token of the session cookie in a request, or null. */
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

/** Throws `csrf_invalid` for requests from other sites. */
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

/** Throws `csrf_invalid` if the session's token is missing or wrong. */
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

/** Returns host and port of an origin in lower case, or null. */
function hostOf(origin: string | undefined): string | null {
  return /^https?:\/\/([^/?#@\s]+)$/i.exec(origin ?? "")?.[1]?.toLowerCase() ?? null;
}

function valuesOf(cookies: string, name: string): string[] {
  return cookies
    .split(";")
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));
}
