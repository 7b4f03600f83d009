/**
 * A request as handlers get it. What comes in: what its head said, its body, and who asks. What
 * goes out: the call that handlers work with.
 * Invariant: one small object without functions of its own, for every request leaves one to the
 * collector of garbage. Its members are its class's, so that a spread copies next to none of them:
 * `calledWith` makes the same call with other values.
 */

import type { Limited } from "../../access/limits.ts";
import { type Destination, NO_PARAMS, type Route } from "./routetable.ts";
import type { KeyCall, Service, ServicePart, SessionCall } from "./service.ts";
import type { BodyTaker } from "./transport/incoming.ts";
import type { Exchange, ReadHeader } from "./transport/transport.ts";

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
