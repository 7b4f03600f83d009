/**
 * Route tables, and the call object for handlers. Input: lists of routes; method, raw path, head,
 * body, and sender of each request. Output: the route with path parameters, or the methods of the
 * path; the call.
 * Invariant: a route outside the table does not exist. Every path under /v1/, and /mcp, known or
 * not, needs an API key (below /v1/console: a session), so strangers cannot learn which paths
 * exist. To limit garbage, a call is one small object without own functions. Its members belong to
 * its class, so a spread copies almost none of them: use `calledWith` to replace some.
 */

import type { Limited } from "../../access/limits.ts";
import type { Shedding } from "./admission.ts";
import type { BodyTaker } from "./body.ts";
import type { HttpAnswer } from "./respond.ts";
import type { Call, KeyCall, Service, ServicePart, SessionCall } from "./service.ts";
import type { SessionAuth } from "./session-auth.ts";
import type { Exchange, ReadHeader } from "./transport/transport.ts";

/** Result of a handler. Most are synchronous, so that answers leave in request order. */
export type Reply<Answer extends HttpAnswer = HttpAnswer> = Answer | Promise<Answer>;

interface RouteLine {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path. A segment `{name}` matches any non-empty segment. */
  readonly path: string;
  /** Accepted query parameters, or none if undefined. With `any`, handlers may use `rawQuery`. */
  readonly query?: readonly string[] | "any";
  /** True if any thread can answer the route, not only the main thread with the open state. */
  readonly anywhere?: true;
  /** Load-shedding class; undefined means never shed. */
  readonly sheds?: Shedding;
  /** True if a request with neither a body nor a content type is accepted. */
  readonly bodyless?: true;
  /** Body types other than JSON, received in chunks. Undefined means none. */
  readonly pieces?: readonly ChunkedBodyType[];
  /** True if the body must be of one of these types, and never JSON. */
  readonly filesOnly?: true;
}

/** A body type that is processed as it arrives. */
export interface ChunkedBodyType {
  readonly type: string;
  readonly bytesMax: number;
  /** Begins to receive a body. Throws if the query is wrong or the body does not fit. */
  readonly begin: (
    query: ReadonlyMap<string, string>,
    sender: string,
    service: Pick<Service, "exporter">,
  ) => BodyTaker;
}

/** A route of the table. */
export type Route = RouteLine &
  (
    | { readonly access: "key"; readonly handle: (call: KeyCall<ServicePart>) => Reply }
    | {
        readonly access: "session";
        /** Required role. Undefined means any signed-in user. */
        readonly role?: "owner";
        readonly handle: (call: SessionCall<ServicePart>) => Reply;
      }
    | { readonly access: "open"; readonly handle: (call: Call<ServicePart>) => Reply }
  );

/** A route without a session, such as all public ones. */
export type PublicRoute = Exclude<Route, { readonly access: "session" }>;

/** A path of the table with its routes. */
interface Place {
  readonly path: string;
  readonly segments: readonly string[];
  readonly methods: Map<string, Route>;
}

/** Match of a requested path. */
export interface Destination {
  /** Path template, safe to log. */
  readonly path: string;
  readonly methods: ReadonlyMap<string, Route>;
  /** Percent-decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
}

const NO_PARAMS: Destination["params"] = {};
/** Path prefix of single accounts. */
const ACCOUNT = "/v1/accounts/";
const CONSOLE = "/v1/console";
/** Path of agents' messages. */
const AGENTS = "/mcp";
/** Paths of the console's pages. Its API is below /v1/console. */
const CONSOLE_PAGES = /^\/app(\/|$)/;

type Needs = "key" | "session" | "nothing";

/** Returns true for paths that other origins' pages may read. */
export function isShared(path: string, needs: Needs): boolean {
  return needs !== "session" && !CONSOLE_PAGES.test(path);
}

/** Routes by path, with the session check that some need. */
export class RouteTable {
  /** Null if there is no console. Its paths are then unknown. */
  readonly sessionAuth: SessionAuth | null;
  /** All routes in the given order. */
  readonly routes: readonly Route[];
  /** Every method that any path has. */
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

  /** Returns the match of a path, or undefined if it is unknown. */
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

  /** Returns the credential that a path requires. */
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

/** Returns path parameters, or null if the path does not match. */
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

/** Decodes an encoded slash in an account's CNPJ. In other paths, it is not a separator. */
function withBranch(rawPath: string): string {
  if (
    !rawPath.includes("%") ||
    !rawPath.startsWith(ACCOUNT) ||
    rawPath.includes("/", ACCOUNT.length)
  )
    return rawPath;
  return rawPath.replace(/%2f/i, "/");
}

/** Percent-decodes a path. Returns null if that would change its segments. */
function decoded(rawPath: string): string | null {
  if (!rawPath.includes("%")) return rawPath;
  if (/%(2f|5c|00)/i.test(rawPath)) return null;
  try {
    return decodeURIComponent(rawPath);
  } catch {
    return null;
  }
}

/** The authenticated client. */
export interface Sender extends Pick<KeyCall, "identity" | "plan"> {
  /** Rate limit of the sender. */
  readonly limited: Limited;
  /** Session of a console user; null for a key. */
  readonly session: SessionCall["session"] | null;
}

/** A matched route with its parameters. */
export interface Found {
  readonly route: Route;
  readonly params: Destination["params"];
  readonly query: ReadonlyMap<string, string>;
}

const NO_QUERY: ReadonlyMap<string, string> = new Map();
/** Caches one `Found` for each route without path parameters. */
const plainlyFound = new WeakMap<Route, Found>();

/** Returns the match of a request without a query. */
export function foundWithoutQuery(route: Route, params: Found["params"]): Found {
  const known = plainlyFound.get(route);
  if (known?.params === params) return known;
  const found = { route, params, query: NO_QUERY };
  if (params === NO_PARAMS) plainlyFound.set(route, found);
  return found;
}

/** The request in flight, as the handler's call object sees it. */
export interface RequestOrigin {
  readonly service: Service;
  readonly exchange: Exchange;
  readonly requestId: string;
  readonly sender: Sender | null;
  /** Client address. Empty unless a handler may see it. */
  readonly address: string;
  /** Charges the sender; throws `rate_limited`. */
  spend(cost: number): void;
}

/**
 * The call of a handler. Members about sender and session exist only if the request has them. The
 * access type of its route ensures that a handler reads no others.
 */
export class RequestCall implements SessionCall<ServicePart> {
  readonly body: Uint8Array;
  readonly gathered: BodyTaker | undefined;
  // Not a private field `#origin`, which objects with this call as prototype could not read.
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

/** Returns the call with some members replaced; charges are shared with the original. */
export function calledWith<Requested extends object, Members extends object>(
  call: Requested,
  members: Members,
): Requested & Members {
  return Object.create(call, Object.getOwnPropertyDescriptors(members)) as Requested & Members;
}
