/**
 * Tables of routes. What comes in: lists of routes, and a method and a raw path of each request.
 * What goes out: the route, or the methods that the path has, and the values of the path's
 * variable segments.
 * Invariant: what is not in the table does not exist; every path under /v1/, and /mcp, needs an API
 * key or, below /v1/console, a session, known or not, so that nobody without one learns what is
 * there.
 */

import type { Shedding } from "./admission.ts";
import type { HttpAnswer } from "./respond.ts";
import type { Call, KeyCall, ServicePart, SessionCall } from "./service.ts";
import type { SessionAuth } from "./session-auth.ts";
import type { BodyTaker } from "./transport/incoming.ts";

/**
 * What a handler gives back. Most answer at once, and so in the order of the requests; one that
 * has to wait gives a promise.
 */
export type Reply<Answer extends HttpAnswer = HttpAnswer> = Answer | Promise<Answer>;

/** What every line of the table says. */
interface RouteLine {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path; a segment `{name}` stands for any one segment that is not empty. */
  readonly path: string;
  /**
   * Query parameters that the route knows, none where it is missing. With `any` the query is not
   * looked at here: the handler reads `rawQuery` or does not care.
   */
  readonly query?: readonly string[] | "any";
  /** True if any thread answers it; otherwise the thread that owns the state does. */
  readonly anywhere?: true;
  /** When it is refused while the server has too much to do; never where this is missing. */
  readonly sheds?: Shedding;
  /** How bodies of other types than JSON are taken, piece by piece; none where it is missing. */
  readonly pieces?: readonly BodyPieces[];
}

/** A type of body that is taken while it comes. */
export interface BodyPieces {
  readonly type: string;
  readonly bytesMax: number;
  /** Begins a body of a sender. Throws for a wrong query. */
  readonly begin: (query: ReadonlyMap<string, string>, sender: string) => BodyTaker;
}

/** One line of the table. */
export type Route = RouteLine &
  (
    | { readonly access: "key"; readonly handle: (call: KeyCall<ServicePart>) => Reply }
    | {
        readonly access: "session";
        /** Who of those who are signed in may; everybody where it is missing. */
        readonly role?: "owner";
        readonly handle: (call: SessionCall<ServicePart>) => Reply;
      }
    | { readonly access: "open"; readonly handle: (call: Call<ServicePart>) => Reply }
  );

/** A line that needs no session, as all of the public interface. */
export type PublicRoute = Exclude<Route, { readonly access: "session" }>;

/** A path of the table with its routes. */
interface Place {
  readonly path: string;
  readonly segments: readonly string[];
  readonly methods: Map<string, Route>;
}

/** What a requested path leads to. */
export interface Destination {
  /** The path as the table has it, safe to log. */
  readonly path: string;
  /** The routes by method. */
  readonly methods: ReadonlyMap<string, Route>;
  /** Percent-decoded values of the variable segments by name. */
  readonly params: Readonly<Record<string, string>>;
}

/** What a path says that has no variable segments. */
export const NO_PARAMS: Destination["params"] = {};
/** Where the paths of single accounts begin. */
const ACCOUNT = "/v1/accounts/";
/** Where the paths of the console begin. */
const CONSOLE = "/v1/console";
/** Where agents send their messages. */
const AGENTS = "/mcp";

/** Routes by path, with what lets people in where routes need a session. */
export class RouteTable {
  /** Null where there is no console: its paths are then as unknown as others outside /v1. */
  readonly sessionAuth: SessionAuth | null;
  /** All of them, in the order in which they were given. */
  readonly routes: readonly Route[];
  /** Every method that some path has. */
  readonly methods: ReadonlyMap<string, Route>;
  readonly #fixed = new Map<string, Destination>();
  readonly #variable: Place[] = [];

  constructor(routes: readonly Route[], sessionAuth: SessionAuth | null = null) {
    this.sessionAuth = sessionAuth;
    this.routes = routes;
    const places = new Map<string, Place>();
    for (const route of routes) {
      const { path, method } = route;
      const place = places.get(path) ?? { path, segments: path.split("/"), methods: new Map() };
      place.methods.set(method, route);
      if (method === "GET") place.methods.set("HEAD", route);
      places.set(path, place);
    }
    this.methods = new Map([...places.values()].flatMap(({ methods }) => [...methods]));
    for (const place of places.values()) {
      if (place.path.includes("{")) this.#variable.push(place);
      else this.#fixed.set(place.path, destinationOf(place, NO_PARAMS));
    }
  }

  /** What a path leads to; undefined for an unknown path. */
  at(rawPath: string): Destination | undefined {
    const path = decoded(withBranch(rawPath));
    if (path === null) return undefined;
    const fixed = this.#fixed.get(path);
    if (fixed !== undefined) return fixed;
    const segments = path.split("/");
    for (const place of this.#variable) {
      const params = paramsOf(place.segments, segments);
      if (params !== null) return destinationOf(place, params);
    }
    return undefined;
  }

  /** What a request at a path needs before anything of it is looked at. */
  needs(rawPath: string): "key" | "session" | "nothing" {
    const path = decoded(rawPath) ?? rawPath;
    const belowConsole = path.startsWith(`${CONSOLE}/`);
    if (belowConsole || path === CONSOLE) {
      if (this.sessionAuth !== null) return "session";
      return belowConsole ? "nothing" : "key";
    }
    const keyed = path === AGENTS || path === "/v1" || path.startsWith("/v1/");
    return keyed ? "key" : "nothing";
  }
}

function destinationOf({ path, methods }: Place, params: Destination["params"]): Destination {
  return { path, methods, params };
}

/** The values of the variable segments, or null where the path is another one. */
function paramsOf(
  wanted: readonly string[],
  sent: readonly string[],
): Record<string, string> | null {
  if (wanted.length !== sent.length) return null;
  const params: Record<string, string> = {};
  for (const [at, segment] of wanted.entries()) {
    const value = sent[at] as string;
    if (segment.startsWith("{") && value !== "") params[segment.slice(1, -1)] = value;
    else if (segment !== value) return null;
  }
  return params;
}

/**
 * The path of one account with the slash of its CNPJ as itself: programs that write a CNPJ into an
 * address encode it. Everywhere else an encoded slash is no slash.
 */
function withBranch(rawPath: string): string {
  if (
    !rawPath.includes("%") ||
    !rawPath.startsWith(ACCOUNT) ||
    rawPath.includes("/", ACCOUNT.length)
  )
    return rawPath;
  return rawPath.replace(/%2f/i, "/");
}

/** Percent-decodes a path; null when that is not possible without changing its segments. */
function decoded(rawPath: string): string | null {
  if (!rawPath.includes("%")) return rawPath;
  if (/%(2f|5c|00)/i.test(rawPath)) return null;
  try {
    return decodeURIComponent(rawPath);
  } catch {
    return null;
  }
}
