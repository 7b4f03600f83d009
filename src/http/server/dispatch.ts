/**
 * The way of a request through the server. What comes in: an exchange. What goes out: its one
 * answer: route, authenticate by key or session, read the body, handle, respond.
 * Invariant: never throws; every failure becomes a problem document here and nowhere else. What
 * goes wrong once an answer has begun, or while a problem is told, ends in a bare 500 or in the end
 * of the connection, never in a second answer. It is synchronous wherever the body has arrived and
 * the handler does not wait, so that answers leave in the order of the requests.
 */
import { strict as assert } from "node:assert";
import type { Identity } from "../../access/keyring.ts";
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
  refuseOtherThanJson,
} from "./body.ts";
import { allowed, optionsAnswer } from "./cors.ts";
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
import { type HandOn, OnlyOwnerKnows } from "./threads/handing-on.ts";
import { isPulled, pull } from "./transport/answer-body.ts";
import {
  type AwaitsEnd,
  type Exchange,
  type ExchangeHandler,
  HeaderBlock,
  type HeaderList,
  requestIdOf,
} from "./transport/transport.ts";

/** What every request of a key is charged before anything else of it is looked at. */
const PAID_UNITS = 1;
/** Largest body of whoever nothing is known of: an e-mail address and a password. */
const OPEN_BODY_BYTES_MAX = 8_192;
const NO_BODY = new Uint8Array(0);

/**
 * Makes the handler that a transport calls. With `handOn` it answers the routes that any thread may
 * answer, and hands all others on to the owner of the state.
 */
export function dispatcher(
  service: Service,
  table: RouteTable,
  handOn: HandOn | null = null,
): ExchangeHandler {
  return (exchange) => new Dispatch(service, table, exchange, handOn).run();
}

/** The body that a request waits for. */
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

/** One request on its way. */
class Dispatch implements RequestOrigin, AccessLine {
  readonly service: Service;
  readonly #table: RouteTable;
  readonly exchange: Exchange;
  readonly requestId: string;
  readonly #handOn: HandOn | null;
  readonly #startMs: number;
  /** Who asks and where to, as soon as that is known; the log line and the limits need it. */
  sender: Sender | null = null;
  route = "unknown";
  /** What it was answered, and after how long, once that is so. */
  status = 0;
  tookMs = 0;
  /** Units that it was charged and that count for what it will cost. */
  #paid = PAID_UNITS;
  /** All units that it was charged. */
  #charged = 0;
  /** The request among those of its key that are under way. */
  #begun: AwaitsEnd | null = null;
  /** Its body, where the owner may have to read it again. */
  #body: Uint8Array | null = null;
  /** Where one of the console comes from; no other handler may know it. */
  address = "";
  /** True if pages of other origins may read its answer. */
  #shared = false;
  /** How far the answer is: it must not begin twice, and one that is out must not be cut. */
  #state: "none" | "begun" | "out" = "none";

  constructor(service: Service, table: RouteTable, exchange: Exchange, handOn: HandOn | null) {
    this.service = service;
    this.#table = table;
    this.exchange = exchange;
    this.#handOn = handOn;
    this.#startMs = service.clock.monotonicMs();
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
    // For the log and the metrics only: whoever is refused here learns nothing of what there is.
    this.route = destination?.path ?? "unknown";
    if (framing !== null) throw framing;
    if (this.#handOn !== null && !isAnsweredAnywhere(destination, this.exchange.method)) {
      this.service.telemetry.handedOn();
      this.#handOn(this.exchange, this.requestId, null);
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
    if (sheds !== undefined) this.service.pressure.refuse(sheds);
    if (found.route.method === "POST" || found.route.method === "PATCH") this.#readBody(found);
    else this.#settle(this.#handle(found, NO_BODY));
  }

  /** Answers OPTIONS at a known path, which needs no key: the document of the API is public. */
  #answerOptions(destination: Destination | undefined): boolean {
    const { exchange } = this;
    const methods = exchange.path === "*" ? this.#table.methods : destination?.methods;
    if (methods === undefined) return false;
    const asked = exchange.header("access-control-request-method") !== undefined;
    const cors = asked && this.#shared ? this.service.cors : null;
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

  /** Charges a request whose sender is known, and counts it until it is over. */
  #charge({ identity, limited }: Sender): void {
    const { rateLimits } = this.service;
    rateLimits.spend(identity.keyId, limited, PAID_UNITS);
    this.#charged = PAID_UNITS;
    this.#begun = rateLimits.begin(identity.keyId, limited);
    this.exchange.whenOver(this.#begun);
  }

  /** The address that wrong keys and passwords are counted by. */
  #address(): string {
    const { proxies } = this.service;
    const { address } = this.exchange;
    return proxies === null
      ? address
      : proxies.clientOf(address, this.exchange.header("x-forwarded-for"));
  }

  /** Lets in who has a session, or asks for a route of the console that needs none. */
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
    const { pieces } = found.route;
    const inPieces = pieces?.find(({ type }) => isOfType(this.exchange, type));
    const limitBytes = inPieces?.bytesMax ?? limit;
    if (Number(this.exchange.header("content-length") ?? 0) > limitBytes) {
      throw bodyError("too_large", limitBytes);
    }
    if (inPieces === undefined) refuseOtherThanJson(this.exchange, pieces);
    const awaited = new AwaitedBody(this, found, limitBytes, sender);
    awaited.taker = inPieces?.begin(found.query, sender, this.service);
    this.exchange.body(awaited);
  }

  /** The body is there, or why there is none. */
  handOver({ found, limitBytes, taker }: AwaitedBody, body: Uint8Array | BodyRefusal): void {
    try {
      if (typeof body === "string") throw bodyError(body, limitBytes);
      if (this.#handOn !== null) this.#body = body;
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
    // Every other route lies where a key is needed; anything else is a mistake in the table.
    if (sender === null) throw new Error(`route ${route.path} is not behind a check`);
    const forBody = PAID_UNITS + bodyCost(body.byteLength);
    this.spend(forBody);
    this.#paid = forBody;
    const call = new RequestCall(this, found, body, gathered);
    if (route.access === "key" && sender.session === null) return route.handle(call);
    if (route.access === "session" && sender.session !== null) return route.handle(call);
    throw new Error(`route ${route.path} is not behind its own check`);
  }

  /** Charges what a question costs, its body aside; what it has paid already is part of it. */
  spend(cost: number): void {
    if (this.sender === null || cost <= PAID_UNITS) return;
    const { identity, limited } = this.sender;
    const paid = this.#paid;
    // Of several questions in one body each has a unit of its own, and the first has the body's.
    this.#paid = PAID_UNITS;
    this.service.rateLimits.spend(identity.keyId, limited, paid - PAID_UNITS + cost, paid);
    this.#charged += cost - PAID_UNITS;
  }

  /** Answers now, or when the handler has its answer. */
  #settle(reply: Reply): void {
    if (reply instanceof Promise) {
      reply.then((answer) => this.#answer(answer)).catch((error: unknown) => this.#fail(error));
    } else {
      this.#answer(reply);
    }
  }

  #fail(error: unknown): void {
    try {
      if (error instanceof OnlyOwnerKnows && this.#state === "none") {
        this.#startOver();
        return;
      }
      // The error of an answer that has begun cannot be told any more.
      if (this.#state !== "none") throw error;
      const damaged = isStateDamage(error);
      const answer = problem(damaged ? stateDamaged(error) : refusalOf(error), this.requestId);
      if (damaged) this.#noteDamage(error);
      else if (isUnexpected(error)) this.#note(error, "request failed");
      this.#answer(answer);
    } catch (last) {
      this.#giveUp(last);
    }
  }

  /** Hands on what turned out to need the owner, who charges and counts it from the beginning. */
  #startOver(): void {
    assert(this.#handOn !== null, "only a thread without the state hands on");
    this.#begun?.over();
    if (this.sender !== null) {
      const { identity, limited } = this.sender;
      this.service.rateLimits.spend(identity.keyId, limited, 0, this.#charged);
    }
    this.service.responses.takeBackMiss(this.#body);
    this.service.telemetry.handedOn();
    this.#handOn(this.exchange, this.requestId, this.#body);
  }

  /**
   * The end of a request whose answer, or whose problem document, went wrong: a bare 500 where
   * nothing was sent yet, else the end of the connection.
   */
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
      // As in #note.
    }
  }

  /** Writes a failure to the log; a log that fails must not become the next failure. */
  #note(error: unknown, message: string): void {
    const { method } = this.exchange;
    const details = { request_id: this.requestId, method, route: this.route };
    try {
      this.service.log.error({ ...details, ...describeError(error) }, message);
    } catch {
      // There is nobody left to tell.
    }
  }

  #answer(answer: HttpAnswer): void {
    let headers: HeaderList;
    try {
      assert(this.#state === "none", "a request is answered once");
      headers = this.#headersOf(answer);
    } catch (error) {
      if (isPulled(answer.body)) pull(answer.body).end();
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

  /** Every answer to a known sender says what is left of the limit. */
  #headersOf(plain: HttpAnswer): HeaderList {
    const cors = this.#shared ? this.service.cors : null;
    const answer = cors?.shown(plain, this.exchange.header("origin")) ?? plain;
    if (this.sender === null) return headersOf(answer, this.requestId);
    const { identity, limited } = this.sender;
    const fields = this.service.rateLimits.fields(identity.keyId, limited);
    return headersOf(answer, this.requestId, blockOf(fields));
  }
}

function isAnsweredAnywhere(destination: Destination | undefined, method: string): boolean {
  return destination?.methods.get(method)?.anywhere === true;
}

/** Senders with keys: one for each of the keyring's identities. */
const keySenders = new WeakMap<Identity, Sender>();

function keySender(identity: Identity, plan: Plan): Sender {
  let sender = keySenders.get(identity);
  if (sender?.plan !== plan) {
    sender = { identity, plan, limited: plan, session: null };
    keySenders.set(identity, sender);
  }
  return sender;
}

/** The fields that were sent last, and their lines: mostly the next ones are the same. */
let lastLines: { readonly fields: object; readonly block: HeaderBlock | null } | null = null;

function blockOf(fields: Readonly<Record<string, string>>): HeaderBlock | null {
  if (lastLines?.fields === fields) return lastLines.block;
  const lines = Object.entries(fields);
  const block = lines.length === 0 ? null : new HeaderBlock(lines);
  lastLines = { fields, block };
  return block;
}

/** Whether somebody should look into a failure; that a server is full or stops is no such one. */
/** A failure of the disk that no part has put into words is answered as such. */
function refusalOf(error: unknown): unknown {
  return error instanceof AppError ? error : (storageRefusal(error) ?? error);
}

function isUnexpected(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code === "internal_error") return true;
  return error.status >= 500 && error.cause !== undefined;
}
