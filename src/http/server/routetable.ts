/**
 * Tables of routes, and the call that the handler of a route gets. Input: lists of routes; method,
 * raw path, head, body and sender of each request. Output: the route, or the methods of the path,
 * with the values of its variable segments; the call.
 * Invariant: a route that is not in the table does not exist; every path under /v1/, and /mcp,
 * needs an API key or, below /v1/console, a session, known or not, so that strangers cannot learn
 * which paths exist. A call is one small object without functions of its own, because each request
 * leaves one to the garbage collector. Its members are those of its class, so a spread copies
 * almost none of them: `calledWith` makes the same call with other values.
 */

import type { Limited } from "../../access/limits.ts";
import type { Shedding } from "./admission.ts";
import type { BodyTaker } from "./body.ts";
import type { HttpAnswer } from "./respond.ts";
import type { Call, KeyCall, Service, ServicePart, SessionCall } from "./service.ts";
import type { SessionAuth } from "./session-auth.ts";
import type { Exchange, ReadHeader } from "./transport/transport.ts";

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
  /** Begins a body of a sender. Throws for a wrong query, or where there is no room for it. */
  readonly begin: (
    query: ReadonlyMap<string, string>,
    sender: string,
    service: Pick<Service, "exporter">,
  ) => BodyTaker;
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
const NO_PARAMS: Destination["params"] = {};
/** Where the paths of single accounts begin. */
const ACCOUNT = "/v1/accounts/";
/** Where the paths of the console begin. */
const CONSOLE = "/v1/console";
/** Where agents send their messages. */
const AGENTS = "/mcp";
/** Paths of the console's pages; its interface is below /v1/console. */
const CONSOLE_PAGES = /^\/app(\/|$)/;

/** The credential that a path requires. */
type Needs = "key" | "session" | "nothing";

/** Returns true for paths that pages of other origins may be shown. */
export function isShared(path: string, needs: Needs): boolean {
  return needs !== "session" && !CONSOLE_PAGES.test(path);
}

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
  needs(rawPath: string): Needs {
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

/** Who asks, for routes that need to know. */
export interface Sender extends Pick<KeyCall, "identity" | "plan"> {
  /** How often it may ask. */
  readonly limited: Limited;
  /** The session that it has instead of a key, or null. */
  readonly session: SessionCall["session"] | null;
}

/** A route that was found, with what its address says. */
export interface Found {
  readonly route: Route;
  readonly params: Destination["params"];
  readonly query: ReadonlyMap<string, string>;
}

const NO_QUERY: ReadonlyMap<string, string> = new Map();
/** Caches one `Found` for each route without path parameters. */
const plainlyFound = new WeakMap<Route, Found>();

/** Returns what was found of a request without a query. */
export function foundWithoutQuery(route: Route, params: Found["params"]): Found {
  const known = plainlyFound.get(route);
  if (known?.params === params) return known;
  const found = { route, params, query: NO_QUERY };
  if (params === NO_PARAMS) plainlyFound.set(route, found);
  return found;
}

/** The request on its way, as far as its call tells of it. */
export interface RequestOrigin {
  readonly service: Service;
  readonly exchange: Exchange;
  readonly requestId: string;
  readonly sender: Sender | null;
  /** Empty where no handler may know it. */
  readonly address: string;
  /** Charges whoever sent it; throws `rate_limited`. */
  spend(cost: number): void;
}

/**
 * The call of a handler. What is said of a sender is there where there is one, and a session where
 * it has one; routes see to it that no other handler asks for them.
 */
export class RequestCall implements SessionCall<ServicePart> {
  readonly body: Uint8Array;
  readonly gathered: BodyTaker | undefined;
  // Not `#`, which a call that has this one as its prototype could not read.
  private readonly origin: RequestOrigin;
  private readonly found: Found;

  constructor(
    origin: RequestOrigin,
    found: Found,
    body: Uint8Array,
    gathered: BodyTaker | undefined,
  ) {
    this.origin = origin;
    this.found = found;
    this.body = body;
    this.gathered = gathered;
  }

  get service(): Service {
    return this.origin.service;
  }

  get requestId(): string {
    return this.origin.requestId;
  }

  get address(): string {
    return this.origin.address;
  }

  get method(): string {
    return this.origin.exchange.method;
  }

  get path(): string {
    return this.origin.exchange.path;
  }

  get rawQuery(): string {
    return this.origin.exchange.query;
  }

  get params(): Found["params"] {
    return this.found.params;
  }

  get query(): Found["query"] {
    return this.found.query;
  }

  get identity(): Sender["identity"] {
    return this.origin.sender?.identity as Sender["identity"];
  }

  get plan(): Sender["plan"] {
    return this.origin.sender?.plan as Sender["plan"];
  }

  get session(): SessionCall["session"] {
    return this.origin.sender?.session as SessionCall["session"];
  }

  header(name: ReadHeader): string | undefined {
    return this.origin.exchange.header(name);
  }

  gone(): boolean {
    return this.origin.exchange.aborted;
  }

  finished(): boolean {
    return this.origin.exchange.finished;
  }

  spend(cost: number): void {
    this.origin.spend(cost);
  }
}

/** The same call with other values of some members; it charges as one with the first. */
export function calledWith<Asked extends object, Members extends object>(
  call: Asked,
  members: Members,
): Asked & Members {
  return Object.create(call, Object.getOwnPropertyDescriptors(members)) as Asked & Members;
}
