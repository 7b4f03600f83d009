/**
 * CORS: requests by pages of other origins, and `OPTIONS`.
 * Invariant: without `http.cors_origins`, no answer has a CORS header. With it, only the configured
 * origins get CORS headers, which never allow cookies. The console gets none. Why: API keys travel
 * in a header that the page itself sets, so cookies are never needed.
 */
import type { HttpAnswer } from "./respond.ts";

/** Request headers that pages may send. */
const ALLOWED =
  "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, MCP-Protocol-Version, " +
  "Range, X-Request-Id";
/** Response headers that pages may read. */
const EXPOSED =
  "Accept-Ranges, Content-Disposition, Content-Range, ETag, Idempotent-Replayed, Link, Location, " +
  "RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id";
/** Seconds that a browser may cache a permission. */
const MAX_AGE = "600";

/** The methods that a path supports. Only the keys of the map are used. */
type Methods = ReadonlyMap<string, unknown>;

/** The allowed origins. */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Reads the setting. Returns null if no origin is set. */
  static read(setting: string | readonly string[] | null): Cors | null {
    return setting === null ? null : new Cors([setting].flat());
  }

  /** Returns true for an origin whose pages may read answers. */
  allows(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  /** Adds the headers that a browser needs to let a page of the origin read an answer. */
  shown(answer: HttpAnswer, origin: string | undefined): HttpAnswer {
    const { Vary: vary, ...others } = answer.headers ?? {};
    const varies = { ...others, Vary: vary === undefined ? "Origin" : `${vary}, Origin` };
    if (origin === undefined || !this.allows(origin)) return { ...answer, headers: varies };
    const permission = {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Expose-Headers": EXPOSED,
    };
    return { ...answer, headers: { ...varies, ...permission } };
  }
}

/** Returns the answer to OPTIONS: the methods, and the preflight headers if `permitted`. */
export function optionsAnswer(methods: Methods, permitted: boolean): HttpAnswer {
  const allow = allowed(methods);
  const permission = {
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers": ALLOWED,
    "Access-Control-Max-Age": MAX_AGE,
  };
  const headers = { Allow: allow, ...(permitted ? permission : {}) };
  return { status: 204, type: "", body: "", headers };
}

/** Lists methods for the Allow header; `hasOptions` adds OPTIONS. */
export function allowed(methods: Methods, hasOptions = true): string {
  return [...methods.keys(), ...(hasOptions ? ["OPTIONS"] : [])].join(", ");
}
