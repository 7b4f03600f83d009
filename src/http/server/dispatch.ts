/**
 * Processes a request from its arrival to its answer. Input: an exchange (one request and its
 * answer). Output: exactly one answer. The steps: route, authenticate by key or session, read the
 * body, handle, respond.
 * Invariant: nothing is thrown. Every failure becomes a problem document here and nowhere else. A
 * failure after an answer has begun, or while a problem is reported, ends in a bare 500 or a closed
 * connection, never in a second answer. If the body has arrived and the handler does not wait, all
 * steps are synchronous, so answers leave in request order.
 */
import { strict as assert } from "node:assert";
import { ANSWER_MS } from "../../access/fleet/exchange.ts";
import { SETTLED_WITHIN_MS } from "../../access/fleet/signals.ts";
import type { Identity } from "../../access/keyring.ts";
import { LeaseAwaited } from "../../access/limits.ts";
import type { Plan } from "../../access/plans.ts";
import { networkOf } from "../../access/signins.ts";
import { AppError } from "../../errors.ts";
import { describeError } from "../../process/log.ts";
import { isStateDamage, stateDamaged, storageRefusal } from "../../store/failures.ts";
import { bodyCost } from "./admission.ts";
import {
  type BodyRefusal,
  type BodyRequest,
  type BodyTaker,
  bodyError,
  isOfType,
  refuseOtherFiles,
  refuseOtherThanJson,
} from "./body.ts";
import { allowed, optionsAnswer } from "./cors.ts";
import { notFoundPage } from "./notfoundpage.ts";
import { readQuery } from "./query.ts";
import { type HttpAnswer, headersOf, problem } from "./respond.ts";
import {
  type Destination,
  type Found,
  foundWithoutQuery,
  isShared,
  type Reply,
  RequestCall,
  type RequestOrigin,
  type RouteTable,
  type Sender,
} from "./routetable.ts";
import type { Service } from "./service.ts";
import { refuseForeign, refuseWithoutToken } from "./session-auth.ts";
import type { AccessLine } from "./telemetry.ts";
import { type Forward, OwnerRequired } from "./threads/forwarding.ts";
import { isStreamed, pull } from "./transport/answer-body.ts";
import {
  type AwaitsEnd,
  type Exchange,
  type ExchangeHandler,
  HeaderBlock,
  type HeaderList,
  requestIdOf,
} from "./transport/transport.ts";

/** Units charged for every request of a key before any other check. */
const PAID_UNITS = 1;
/** Maximum body of unauthenticated clients: an e-mail address and a password. */
const OPEN_BODY_BYTES_MAX = 8_192;
const NO_BODY = new Uint8Array(0);
/**
 * Longest time that a request waits until the fleet has leased units of its rate limit to this
 * server, in milliseconds. It is twice the time after which a silent database counts as
 * unreachable. By then, the server spends its own share of the rate limit, so that searches
 * continue. Time in which the thread was blocked does not count, because no lease could reach the
 * request then.
 */
const LEASE_WAIT_MS = 2 * ANSWER_MS;
/**
 * Max part of the time between two checks for a lease that counts as waiting, in milliseconds. If
 * more time has passed, the thread was blocked.
 */
const WAIT_COUNTED_MS = 5 * SETTLED_WITHIN_MS;

/** Returns the handler of a transport. `forward` passes requests on to the main thread. */
export function dispatcher(
  service: Service,
  table: RouteTable,
  forward: Forward | null = null,
): ExchangeHandler {
  return (exchange) => new Dispatch(service, table, exchange, forward).run();
}

/** The awaited body of a request. */
class AwaitedBody implements BodyRequest {
  readonly found: Found;
  readonly limitBytes: number;
  readonly sender: string;
  taker: BodyTaker | undefined = undefined;
  readonly #dispatch: Dispatch;

  constructor(dispatch: Dispatch, found: Found, limitBytes: number, sender: string) {
    this.#dispatch = dispatch;
    this.found = found;
    this.limitBytes = limitBytes;
    this.sender = sender;
  }

  read(body: Uint8Array | BodyRefusal): void {
    this.#dispatch.handOver(this, body);
  }
}

/** One request in flight. */
class Dispatch implements RequestOrigin, AccessLine {
  readonly service: Service;
  readonly #table: RouteTable;
  readonly exchange: Exchange;
  readonly requestId: string;
  readonly #forward: Forward | null;
  readonly #startMs: number;
  /** The client and the route, as soon as they are known; for the log line and the limits. */
  sender: Sender | null = null;
  route = "unknown";
  /** Status and duration of the answer. 0 until it is made. */
  status = 0;
  tookMs = 0;
  /** Units charged in advance. They count toward the request's cost. */
  #paid = PAID_UNITS;
  /** Units charged so far, in total. */
  #charged = 0;
  /** Milliseconds waited for a lease so far, and when the last wait began. */
  #leaseWaitedMs = 0;
  #leaseAwaitedMs: number;
  /** Entry of the request among the key's requests in flight. */
  #begun: AwaitsEnd | null = null;
  /**
   * The body. It is retained if the state owner must read it again, or if the request waits for
   * units that the fleet leases to this server.
   */
  #body: Uint8Array | null = null;
  /** True if the body was processed while it arrived. It then cannot be read again. */
  #isGathered = false;
  /** Client address; only console handlers see it. */
  address = "";
  /** True if pages of other origins may read its answer. */
  #shared = false;
  /** Progress of the answer, which must begin only once, and must not be cut off once sent. */
  #state: "none" | "begun" | "out" = "none";

  constructor(service: Service, table: RouteTable, exchange: Exchange, forward: Forward | null) {
    this.service = service;
    this.#table = table;
    this.exchange = exchange;
    this.#forward = forward;
    this.#startMs = service.clock.monotonicMs();
    this.#leaseAwaitedMs = this.#startMs;
    this.requestId = requestIdOf(exchange.header("x-request-id"));
  }

  get method(): string {
    return this.exchange.method;
  }

  run(): void {
    try {
      this.#begin();
    } catch (error) {
      this.#fail(error);
    }
  }

  #begin(): void {
    const { framing, path } = this.exchange;
    const destination = this.#table.at(path);
    // The route is only for log and metrics: a refused client must not learn which paths exist.
    this.route = destination?.path ?? "unknown";
    if (framing !== null) throw framing;
    if (this.#forward !== null && !isAnsweredAnywhere(destination, this.exchange.method)) {
      this.service.telemetry.forwarded();
      this.#forward(this.exchange, this.requestId, null);
      return;
    }
    const needs = this.#table.needs(path);
    this.#shared = isShared(path, needs);
    const opens = this.exchange.method === "OPTIONS" && needs !== "session";
    if (opens && this.#answerOptions(destination)) return;
    if (needs === "key") this.#authenticate();
    else if (needs === "session") this.#enter(destination);
    const found = this.#find(destination);
    const { sheds } = found.route;
    if (sheds !== undefined) this.service.overload.refuse(sheds);
    const hasBody = mayHaveBody(found.route.method);
    if (hasBody && this.#body === null) this.#readBody(found);
    else if (hasBody) this.#settle(this.#handle(found, this.#body ?? NO_BODY));
    else this.#settle(this.#handle(found, NO_BODY));
  }

  /** Answers OPTIONS at a known path without a key: the API document is public. */
  #answerOptions(destination: Destination | undefined): boolean {
    const { exchange } = this;
    const methods = exchange.path === "*" ? this.#table.methods : destination?.methods;
    if (methods === undefined) return false;
    const isPreflight = exchange.header("access-control-request-method") !== undefined;
    const cors = isPreflight && this.#shared ? this.service.cors : null;
    this.#answer(optionsAnswer(methods, cors?.allows(exchange.header("origin")) === true));
    return true;
  }

  #authenticate(): void {
    const { keyring, plans, rateLimits } = this.service;
    try {
      const identity = keyring.authenticate(this.exchange.header("authorization"));
      this.sender = keySender(identity, plans[identity.plan]);
    } catch (error) {
      const guessed = error instanceof AppError && error.code === "authentication_invalid";
      if (guessed) rateLimits.noteGuess(this.#address());
      throw error;
    }
    this.#charge(this.sender);
  }

  /** Charges an authenticated request and counts it until it ends. */
  #charge({ identity, limited }: Sender): void {
    const { rateLimits } = this.service;
    rateLimits.spend(identity.keyId, limited, PAID_UNITS);
    this.#charged = PAID_UNITS;
    this.#begun = rateLimits.begin(identity.keyId, limited);
    this.exchange.whenOver(this.#begun);
  }

  /** Returns the address for counting wrong keys and passwords. */
  #address(): string {
    const { proxies } = this.service;
    const { address } = this.exchange;
    return proxies === null
      ? address
      : proxies.clientOf(address, this.exchange.header("x-forwarded-for"));
  }

  /** Admits clients with a session, or to console routes that need none. */
  #enter(destination: Destination | undefined): void {
    const { sessionAuth } = this.#table;
    const { method } = this.exchange;
    const writes = method !== "GET" && method !== "HEAD";
    this.address = this.#address();
    if (sessionAuth === null || destination?.methods.get(method)?.access === "open") {
      if (writes) refuseForeign(this.exchange);
      return;
    }
    const session = sessionAuth.enter(this.exchange);
    const { id, tenantId, plan } = session.user;
    const { limit: limited } = sessionAuth;
    const identity = { keyId: `user:${id}`, tenantId, plan };
    this.sender = { identity, plan: this.service.plans[plan], limited, session };
    this.#charge(this.sender);
    if (!writes) return;
    refuseForeign(this.exchange);
    refuseWithoutToken(this.exchange, session);
  }

  #find(destination: Destination | undefined): Found {
    const { method, query } = this.exchange;
    if (destination === undefined) {
      throw new AppError("not_found", "Check the path and its spelling.");
    }
    const route = destination.methods.get(method);
    if (route !== undefined) {
      this.#refuseRole(route);
      const known = route.query ?? [];
      const { params } = destination;
      if (known === "any" || query === "") return foundWithoutQuery(route, params);
      return { route, params, query: readQuery(query, known) };
    }
    const hasOptions = this.#table.needs(this.exchange.path) !== "session";
    const allow = allowed(destination.methods, hasOptions);
    throw new AppError("method_not_allowed", `Use one of these methods: ${allow}.`, {
      headers: { Allow: allow },
    });
  }

  #refuseRole(route: Found["route"]): void {
    if (route.access !== "session" || route.role === undefined) return;
    if (this.sender?.session?.user.role === route.role) return;
    throw new AppError("role_not_allowed", "Only owners may do this. Ask one of them.");
  }

  #readBody(found: Found): void {
    const { bodyBytesMax } = this.service;
    const open = found.route.access === "open";
    const limit = open ? Math.min(OPEN_BODY_BYTES_MAX, bodyBytesMax) : bodyBytesMax;
    const sender = this.sender?.identity.tenantId ?? networkOf(this.#address());
    const { pieces, filesOnly } = found.route;
    const chunkedType = pieces?.find(({ type }) => isOfType(this.exchange, type));
    const limitBytes = chunkedType?.bytesMax ?? limit;
    if (Number(this.exchange.header("content-length") ?? 0) > limitBytes) {
      throw bodyError("too_large", limitBytes);
    }
    const { bodyless } = found.route;
    const isTyped = bodyless !== true || this.exchange.header("content-type") !== undefined;
    if (chunkedType === undefined && filesOnly) refuseOtherFiles(this.exchange, pieces);
    if (chunkedType === undefined && isTyped) refuseOtherThanJson(this.exchange, pieces);
    const awaited = new AwaitedBody(this, found, limitBytes, sender);
    awaited.taker = chunkedType?.begin(found.query, sender, this.service);
    this.exchange.body(awaited);
  }

  /** Receives the body or its refusal. */
  handOver({ found, limitBytes, taker }: AwaitedBody, body: Uint8Array | BodyRefusal): void {
    try {
      if (typeof body === "string") throw bodyError(body, limitBytes);
      if (this.#forward !== null) this.#body = body;
      // The body is copied, because the transport reuses its buffer before the lease arrives.
      if (this.service.rateLimits.leases !== null) this.#body = Uint8Array.from(body);
      this.#isGathered = taker !== undefined;
      this.#settle(this.#handle(found, body, taker));
    } catch (error) {
      taker?.drop?.();
      this.#fail(error);
    }
  }

  #handle(found: Found, body: Uint8Array, gathered?: BodyTaker): Reply {
    const { route } = found;
    const sender = this.sender;
    if (route.access === "open") return route.handle(new RequestCall(this, found, body, gathered));
    // All other routes need a credential. Otherwise the table is wrong.
    if (sender === null) throw new Error(`route ${route.path} is not behind a check`);
    const forBody = PAID_UNITS + bodyCost(body.byteLength);
    this.spend(forBody);
    this.#paid = forBody;
    const call = new RequestCall(this, found, body, gathered);
    if (route.access === "key" && sender.session === null) return route.handle(call);
    if (route.access === "session" && sender.session !== null) return route.handle(call);
    throw new Error(`route ${route.path} is not behind its own check`);
  }

  /** Charges the cost of a query without its body; units paid before count toward it. */
  spend(cost: number): void {
    if (this.sender === null || cost <= PAID_UNITS) return;
    const { identity, limited } = this.sender;
    const paid = this.#paid;
    // A body may hold several queries, each of which is charged at least one unit. Only the first
    // also pays for the body.
    this.#paid = PAID_UNITS;
    this.service.rateLimits.spend(identity.keyId, limited, paid - PAID_UNITS + cost, paid);
    this.#charged += cost - PAID_UNITS;
  }

  /** Sends the answer now, or when the handler's promise settles. */
  #settle(reply: Reply): void {
    if (reply instanceof Promise) {
      reply.then((answer) => this.#answer(answer)).catch((error: unknown) => this.#fail(error));
    } else {
      this.#answer(reply);
    }
  }

  #fail(error: unknown): void {
    try {
      if (error instanceof OwnerRequired && this.#state === "none") {
        this.#startOver();
        return;
      }
      if (error instanceof LeaseAwaited && this.#awaitsLease(error)) return;
      // An answer that has begun cannot report an error.
      if (this.#state !== "none") throw error;
      const damaged = isStateDamage(error);
      const failure = damaged ? stateDamaged(error) : refusalOf(error);
      const page = notFoundPage(this.exchange, failure, this.#table.sessionAuth !== null);
      const answer = page ?? problem(failure, this.requestId);
      if (damaged) this.#noteDamage(error);
      else if (isUnexpected(error)) this.#note(error, "request failed");
      this.#answer(answer);
    } catch (last) {
      this.#giveUp(last);
    }
  }

  /** Reverts charges and counters. Handlers charge before they do anything else. */
  #undo(charged: number): void {
    this.#begun?.over();
    if (this.sender !== null) {
      const { identity, limited } = this.sender;
      this.service.rateLimits.spend(identity.keyId, limited, 0, charged);
    }
    this.service.responses.takeBackMiss(this.#body);
  }

  /**
   * Restarts the request once the fleet has decided about more units of the rate limit. Returns
   * false if the request must be refused, because it has waited too long, or because its body
   * cannot be read again.
   */
  #awaitsLease({ paid }: LeaseAwaited): boolean {
    const { clock, rateLimits } = this.service;
    const nowMs = clock.monotonicMs();
    this.#leaseWaitedMs += Math.min(nowMs - this.#leaseAwaitedMs, WAIT_COUNTED_MS);
    this.#leaseAwaitedMs = nowMs;
    const isLate =
      this.#leaseWaitedMs > LEASE_WAIT_MS || this.#isGathered || this.#state !== "none";
    if (isLate || rateLimits.leases === null) {
      rateLimits.leases?.noteImpatient();
      return false;
    }
    // The transport drops a body that is not read in this turn.
    if (this.#body === null && mayHaveBody(this.method)) this.exchange.keepBody();
    this.#undo(Math.max(0, this.#charged - paid));
    this.#charged = 0;
    this.#paid = PAID_UNITS;
    this.#begun = null;
    void rateLimits.leases.untilSettled().then(() => {
      if (!this.exchange.aborted) this.run();
    });
    return true;
  }

  /** Reverts a request's charges and forwards it to the state owner, which charges it again. */
  #startOver(): void {
    assert(this.#forward !== null, "only a thread without the state hands on");
    this.#undo(this.#charged);
    this.service.telemetry.forwarded();
    this.#forward(this.exchange, this.requestId, this.#body);
  }

  /** Ends a request whose answer failed: a bare 500 if nothing was sent, else a closed socket. */
  #giveUp(error: unknown): void {
    this.#note(error, "answer failed");
    const untouched = this.#state === "none";
    if (this.#state === "out") return;
    this.#state = "out";
    try {
      if (untouched) this.exchange.send(500, [["X-Request-Id", this.requestId]], "");
      else this.exchange.cut();
    } catch {
      this.exchange.cut();
    }
  }

  #noteDamage(error: unknown): void {
    const details = { request_id: this.requestId, route: this.route };
    try {
      this.service.telemetry.stateDamaged({ ...details, ...describeError(error) });
    } catch {
      // Logging failed; nothing can be reported.
    }
  }

  /** Logs a failure. A failing log must not cause another failure. */
  #note(error: unknown, message: string): void {
    const { method } = this.exchange;
    const details = { request_id: this.requestId, method, route: this.route };
    try {
      this.service.log.error({ ...details, ...describeError(error) }, message);
    } catch {
      // Logging failed; nothing can be reported.
    }
  }

  #answer(answer: HttpAnswer): void {
    let headers: HeaderList;
    try {
      assert(this.#state === "none", "a request is answered once");
      headers = this.#headersOf(answer);
    } catch (error) {
      if (isStreamed(answer.body)) pull(answer.body).end();
      throw error;
    }
    this.#state = "begun";
    this.exchange.send(answer.status, headers, answer.body);
    this.#state = "out";
    try {
      this.#count(answer);
    } catch (error) {
      this.#note(error, "answered, but not counted");
    }
  }

  #count(answer: HttpAnswer): void {
    const { clock, telemetry, usage } = this.service;
    if (this.sender !== null) usage.count(this.sender.identity, answer.accounts ?? 0);
    this.status = answer.status;
    this.tookMs = clock.monotonicMs() - this.#startMs;
    telemetry.answered(this);
  }

  /** Adds what is left of the rate limit to every answer to a known client. */
  #headersOf(plain: HttpAnswer): HeaderList {
    const cors = this.#shared ? this.service.cors : null;
    const answer = cors?.shown(plain, this.exchange.header("origin")) ?? plain;
    if (this.sender === null) return headersOf(answer, this.requestId);
    const { identity, limited } = this.sender;
    const fields = this.service.rateLimits.fields(identity.keyId, limited);
    return headersOf(answer, this.requestId, blockOf(fields));
  }
}

function mayHaveBody(method: string): boolean {
  return method === "POST" || method === "PATCH";
}

function isAnsweredAnywhere(destination: Destination | undefined, method: string): boolean {
  return destination?.methods.get(method)?.anywhere === true;
}

/** Senders with keys, one per identity of the keyring. */
const keySenders = new WeakMap<Identity, Sender>();

function keySender(identity: Identity, plan: Plan): Sender {
  let sender = keySenders.get(identity);
  if (sender?.plan !== plan) {
    sender = { identity, plan, limited: plan, session: null };
    keySenders.set(identity, sender);
  }
  return sender;
}

/** Latest header fields with their encoded block, cached because most answers repeat them. */
let lastLines: { readonly fields: object; readonly block: HeaderBlock | null } | null = null;

function blockOf(fields: Readonly<Record<string, string>>): HeaderBlock | null {
  if (lastLines?.fields === fields) return lastLines.block;
  const lines = Object.entries(fields);
  const block = lines.length === 0 ? null : new HeaderBlock(lines);
  lastLines = { fields, block };
  return block;
}

/** Returns the refusal for a disk error that no module has handled, or else the error itself. */
function refusalOf(error: unknown): unknown {
  return error instanceof AppError ? error : (storageRefusal(error) ?? error);
}

/** Overload and shutdown errors are expected and not logged. */
function isUnexpected(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code === "internal_error") return true;
  return error.status >= 500 && error.cause !== undefined;
}
