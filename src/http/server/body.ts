/**
 * The body of a request: receives its bytes, parses its JSON, and chooses where that runs. Input:
 * chunks from a transport, and the head of the request. Output: the whole body once, or a refusal;
 * a JSON object with known members and the mistakes found so far; a request, parsed inline or in a
 * thread.
 * Invariant: incoming bytes count against the limits of this body, of all bodies, and of the
 * sender. They are released when the body is complete or refused, or its client is gone. Large
 * bodies leave a reserve for small ones, so a search can always be received. Nothing in a body is
 * guessed or ignored: unknown members are mistakes, reported together with those in the spec.
 * Inline and in a thread, the same function parses.
 */

import type { Plan } from "../../access/plans.ts";
import { AppError, type ErrorCode, type Mistake } from "../../errors.ts";
import type { Shortage } from "../../process/ledger.ts";
import type { Segment } from "../../search/segment.ts";
import {
  isJsonObject,
  type JsonObject,
  parseJson,
  pointerToken,
  shown,
} from "../../spec/reader.ts";
import { type Budget, overloaded } from "./admission.ts";

/** Why a body is refused: it is too large, or exceeds a limit of its sender or of all bodies. */
export type BodyRefusal = "too_large" | Shortage;

const SMALL_BYTES = 64 * 1024;
/** Fraction of all body bytes reserved for small ones. */
const SMALL_PART = 0.25;

/** Limits and receiver of a body. */
export interface BodyRequest {
  readonly limitBytes: number;
  /** Sender of the body; senders share the budget. */
  readonly sender: string;
  /** Receives each chunk. If it is set, `read` gets an empty body. */
  readonly taker?: BodyTaker | undefined;
  /** Receives the body, or the refusal. */
  read(body: Uint8Array | BodyRefusal): void;
}

/** Receives a body chunk by chunk. It must itself bound the bytes that it retains. */
export interface BodyTaker {
  /** The chunk is valid only during the call. */
  add(chunk: Uint8Array): void;
  /** Discards the body; idempotent, also after use. */
  drop?(): void;
}

/** Collects one body. */
export class IncomingBody {
  readonly #wanted: BodyRequest;
  /** Budget of all incoming bodies. */
  readonly #budget: Budget;
  /** Received chunks; null before the first. */
  #chunks: Uint8Array[] | null = null;
  #counted = 0;
  #taken = 0;
  #over = false;

  constructor(wanted: BodyRequest, budget: Budget) {
    this.#wanted = wanted;
    this.#budget = budget;
  }

  /** True while further chunks are expected. */
  get waiting(): boolean {
    return !this.#over;
  }

  /** True if a taker receives the chunks; their memory may then be reused after `add`. */
  get handsOn(): boolean {
    return this.#wanted.taker !== undefined;
  }

  /** Adds a chunk. The caller must not change it afterwards, unless a taker receives it. */
  add(chunk: Uint8Array): void {
    if (this.#over) return;
    const { taker } = this.#wanted;
    if (taker !== undefined) {
      this.#forward(chunk, taker);
      return;
    }
    const refusal = this.#take(chunk.byteLength);
    if (refusal !== null) {
      this.#end(refusal);
      return;
    }
    this.#counted += chunk.byteLength;
    this.#chunks ??= [];
    this.#chunks.push(chunk);
  }

  /** Adds the last chunk. A single-chunk body takes no budget. */
  addLast(chunk: Uint8Array): void {
    if (this.#over) return;
    if (this.#chunks === null && this.#wanted.taker === undefined) {
      this.#end(this.#refusal(chunk.byteLength) ?? chunk);
      return;
    }
    this.add(chunk);
    this.finish();
  }

  /** Ends the body: no more chunks follow. */
  finish(): void {
    if (this.#over) return;
    const first = this.#chunks?.[0];
    this.#end(first !== undefined && this.#chunks?.length === 1 ? first : this.#joined());
  }

  /** Drops the body, because its client is gone or the body is no longer needed. Idempotent. */
  drop(): void {
    if (!this.#over) this.#wanted.taker?.drop?.();
    this.#forget();
  }

  #forget(): void {
    this.#over = true;
    this.#chunks = null;
    if (this.#counted > 0) this.#budget.giveBack(this.#counted, this.#wanted.sender);
    this.#counted = 0;
  }

  #refusal(bytes: number): BodyRefusal | null {
    const { limitBytes, sender } = this.#wanted;
    if (this.#counted + bytes > limitBytes) return "too_large";
    return this.#budget.shortage(bytes, sender, this.#reserve(bytes));
  }

  /** Acquires budget for bytes, or returns the refusal. */
  #take(bytes: number): BodyRefusal | null {
    const { limitBytes, sender } = this.#wanted;
    if (this.#counted + bytes > limitBytes) return "too_large";
    return this.#budget.takeUnless(bytes, sender, this.#reserve(bytes));
  }

  /** Returns the bytes to reserve for small bodies if this body grows to `bytes`. */
  #reserve(bytes: number): number {
    return this.#counted + bytes > SMALL_BYTES ? this.#budget.most * SMALL_PART : 0;
  }

  #forward(chunk: Uint8Array, taker: BodyTaker): void {
    this.#taken += chunk.byteLength;
    if (this.#taken > this.#wanted.limitBytes) this.#end("too_large");
    else taker.add(chunk);
  }

  #joined(): Uint8Array {
    return Buffer.concat(this.#chunks ?? [], this.#counted);
  }

  #end(body: Uint8Array | BodyRefusal): void {
    if (typeof body === "string") this.drop();
    else this.#forget();
    this.#wanted.read(body);
  }
}

/** Returns the error for a refused body with a limit of `limitBytes`. */
export function bodyError(refusal: BodyRefusal, limitBytes: number): AppError {
  if (refusal === "all") return overloaded();
  if (refusal === "too_large") {
    return new AppError("payload_too_large", `Send at most ${limitBytes} bytes.`);
  }
  return new AppError(
    "rate_limited",
    "Your tenant, or this address, has reached its limit of request bytes that are being sent. " +
      "Wait until some bodies are complete.",
    { headers: { "Retry-After": "1" } },
  );
}

/** Maximum length of an unknown member's name in a pointer. */
const NAME_SHOWN_MAX = 256;

/** A parsed body and its own mistakes. */
export interface BodyObject {
  readonly members: JsonObject;
  readonly mistakes: Mistake[];
}

/** Parses a body that must be an object. Throws `invalid_request` otherwise. */
export function readBody(bytes: Uint8Array, known: readonly string[]): BodyObject {
  return checkMembers(readMembers(bytes), known);
}

/** Like `readBody` for a PATCH, which must have a member, because an empty one changes nothing. */
export function readPatch(bytes: Uint8Array, known: readonly string[]): BodyObject {
  const body = readBody(bytes, known);
  if (Object.keys(body.members).length > 0) return body;
  const detail = `Say what is to change: ${known.join(", ")}.`;
  body.mistakes.push({ pointer: "", code: "missing", detail });
  return body;
}

/** Like `readBody`, but the caller checks for unknown members. */
export function readMembers(bytes: Uint8Array): JsonObject {
  const members = parseJson(bytes);
  if (!isJsonObject(members)) {
    const detail = `The body must be a JSON object, not ${shown(members)}.`;
    const mistake = { pointer: "", code: "wrong_type", detail };
    throw new AppError("invalid_request", detail, { errors: [mistake] });
  }
  return members;
}

/** Longer bodies are not searched for words. They are treated as if they contained the word. */
const SEARCHED_BYTES_MAX = 16 * 1024;

/** Returns false only if the word is certainly absent, in any case and with any JSON escapes. */
export function mayContainWord(bytes: Uint8Array, word: string): boolean {
  if (bytes.byteLength > SEARCHED_BYTES_MAX) return true;
  const { buffer, byteOffset, byteLength } = bytes;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("latin1").toLowerCase();
  return text.includes(word) || text.includes("\\u");
}

/** Notes unknown members of a body. */
export function checkMembers(members: JsonObject, known: readonly string[]): BodyObject {
  const unknown = Object.keys(members).filter((name) => !known.includes(name));
  const mistakes = unknown.map((name) => ({
    pointer: `/${pointerToken(name.slice(0, NAME_SHOWN_MAX))}`,
    code: "unknown_member",
    detail: `There is no member ${shown(name)} here; known are ${known.join(", ")}.`,
  }));
  return { members, mistakes };
}

/**
 * Normalizes the spec in a body and throws one error with the mistakes of both. The code is
 * `invalid_request` if any mistake is outside the spec.
 */
export function withBodyMistakes<Value>(body: BodyObject, normalize: () => Value): Value {
  let failure: AppError | null = null;
  try {
    const value = normalize();
    if (body.mistakes.length === 0) return value;
  } catch (error) {
    failure = mistakesOf(error);
  }
  throw refusal(body, failure);
}

/** Like `withBodyMistakes`, for asynchronous normalization. */
export async function withBodyMistakesAsync<Value>(
  body: BodyObject,
  normalize: () => Value | Promise<Value>,
): Promise<Value> {
  let failure: AppError | null = null;
  try {
    const value = await normalize();
    if (body.mistakes.length === 0) return value;
  } catch (error) {
    failure = mistakesOf(error);
  }
  throw refusal(body, failure);
}

/** Returns a validation error; rethrows other errors. */
function mistakesOf(error: unknown): AppError {
  if (error instanceof AppError && error.status === 422) return error;
  throw error;
}

function refusal(body: BodyObject, failure: AppError | null): AppError {
  const code = codeOf(body.mistakes, failure);
  if (failure !== null && body.mistakes.length === 0 && code === failure.code) return failure;
  const errors = [...body.mistakes, ...(failure?.errors ?? [])];
  const rest = errors.length > 1 ? ` There are ${errors.length} mistakes; see errors.` : "";
  const [first] = errors;
  return new AppError(code, `At ${first?.pointer || "the root"}: ${first?.detail}${rest}`, {
    errors,
  });
}

/** If all mistakes of a body have one of these codes in common, the error has this code. */
const CODES_OF_THEIR_OWN: readonly ErrorCode[] = [
  "invalid_cursor",
  "cursor_expired",
  "cursor_mismatch",
  "field_not_allowed",
  "since_not_available",
];

/** Returns the code of the error; mistakes outside the spec take precedence. */
function codeOf(mistakes: readonly Mistake[], failure: AppError | null): ErrorCode {
  if (mistakes.length === 0 && failure !== null) {
    return failure.code !== "invalid_spec" || failure.errors.every(isInSpec)
      ? failure.code
      : "invalid_request";
  }
  const only = CODES_OF_THEIR_OWN.find((own) => mistakes.every(({ code }) => code === own));
  const alone = failure === null || failure.code === only;
  return only !== undefined && alone ? only : "invalid_request";
}

/** True for a mistake in the spec. A missing spec is a mistake in the body. */
function isInSpec({ pointer, code }: Mistake): boolean {
  return pointer.startsWith("/spec/") || (pointer === "/spec" && code !== "missing");
}

interface BodyHead {
  header(name: "content-type" | "content-encoding"): string | undefined;
}

/** True if a body has a type, with any parameters, and is not compressed. */
export function isOfType(exchange: BodyHead, wanted: string): boolean {
  const [type = ""] = (exchange.header("content-type") ?? "").split(";");
  return type.trim().toLowerCase() === wanted && exchange.header("content-encoding") === undefined;
}

/** Refuses types other than JSON in UTF-8 (RFC 8259) and `others`, which the route accepts. */
export function refuseOtherThanJson(
  exchange: BodyHead,
  others: readonly { readonly type: string }[] = [],
): void {
  const sent = exchange.header("content-type") ?? "";
  if (sent === "application/json" && exchange.header("content-encoding") === undefined) return;
  const [type = "", ...parameters] = sent.split(";");
  const foreign = parameters.some((parameter) => {
    const [name = "", value = ""] = parameter.split("=");
    return name.trim().toLowerCase() === "charset" && !/^\s*"?utf-8"?\s*$/i.test(value);
  });
  if (type.trim().toLowerCase() !== "application/json" || foreign) {
    refuseEncoded(exchange, others);
    const otherTypes = others.map(({ type }) => `, or with Content-Type: ${type}`).join("");
    const detail = `Send the body as UTF-8 JSON with Content-Type: application/json${otherTypes}.`;
    throw new AppError("unsupported_media_type", detail);
  }
  if ((exchange.header("content-encoding") ?? "identity").trim().toLowerCase() !== "identity") {
    throw encoded();
  }
}

/** Refuses a compressed body whose type is accepted. */
function refuseEncoded(exchange: BodyHead, accepted: readonly { readonly type: string }[]): void {
  const [type = ""] = (exchange.header("content-type") ?? "").split(";");
  const isAccepted = accepted.some((one) => one.type === type.trim().toLowerCase());
  if (isAccepted && exchange.header("content-encoding") !== undefined) throw encoded();
}

function encoded(): AppError {
  const detail = "Send the body as it is, uncompressed, and without a Content-Encoding.";
  return new AppError("unsupported_media_type", detail);
}

/** Refuses a body of another type than those accepted; for routes that do not take JSON. */
export function refuseOtherFiles(
  exchange: BodyHead,
  accepted: readonly { readonly type: string }[] = [],
): never {
  refuseEncoded(exchange, accepted);
  const types = accepted.map(({ type }) => `Content-Type: ${type}`).join(", or with ");
  throw new AppError("unsupported_media_type", `Send the file itself with ${types}.`);
}

/** Max bytes of a body parsed inline: the slowest body of this size takes about 1 ms. */
const SMALL_BYTES_MAX = 8 * 1024;

/** Returns true if a body is small enough to parse inline and to cache. */
export function isSmall(body: Uint8Array): boolean {
  return body.byteLength <= SMALL_BYTES_MAX;
}

/** Charges a request; throws `rate_limited`. */
interface Payer {
  spend(cost: number): void;
}

/**
 * A pure function that may run in a worker: task and value must survive a structured clone. A large
 * value is in shared memory (`shareBytes`), because a copy would block the thread that receives it.
 */
export interface Computation<Task, Value> {
  readonly name: string;
  /** `others` are further snapshots, such as the base of a change query. */
  run(
    task: Task,
    segment: Segment,
    payer: Payer,
    others?: readonly Segment[],
  ): Value | Promise<Value>;
}

/** Context of a computation besides its task. */
export interface ComputationContext {
  readonly segment: Segment;
  readonly others?: readonly Segment[] | undefined;
  readonly payer: Payer;
  /** The tenant, for fair scheduling among tenants. */
  readonly tenantId: string;
  /** Size of the work in bytes, for scheduling. */
  readonly size: number;
  /** Memory of the task that is moved to a worker, not copied. The caller must not use it again. */
  readonly moved?: readonly ArrayBuffer[] | undefined;
}

/** Runs computations. */
export interface Compute {
  /**
   * Throws if this thread cannot run computations. Callers check this before other work, because
   * another thread would repeat that work.
   */
  ensureHere(): void;
  /** Runs a computation inline or in a worker. Throws or rejects if the computation does. */
  run<Task, Value>(
    work: Computation<Task, Value>,
    task: Task,
    context: ComputationContext,
  ): Value | Promise<Value>;
}

/** Runs everything inline; for a process with one client. */
export const IN_CALL: Compute = {
  ensureHere: () => {},
  run: (work, task, { segment, payer, others }) => work.run(task, segment, payer, others),
};

/** Inputs of parsing a request. */
export interface ReadTask {
  readonly body: Uint8Array;
  readonly plan: Plan;
  /** True if the tenant may have lists that a spec can name. */
  readonly listsKnown: boolean;
  /** True if the server allows `secondary_cnae_mode: full`. */
  readonly secondaryCnaeFull: boolean;
}

interface ComputingCall extends Payer {
  readonly service: { readonly compute: Compute };
  readonly identity: { readonly tenantId: string };
  readonly body: Uint8Array;
}

/** Request data that decides how a body is parsed. */
interface ReadCall {
  readonly service: { readonly listed: object | null; readonly secondaryCnaeFull: boolean };
  readonly plan: Plan;
  readonly body: Uint8Array;
}

/** Parts of the service that parsing a request needs. */
export type ReadPart = "compute" | "listed" | "secondaryCnaeFull";

/** Parses a request: a small body inline, a larger one via `compute`. */
export function readRequest<Value>(
  call: ComputingCall & ReadCall,
  segment: Segment,
  work: Computation<ReadTask, Value>,
): Value | Promise<Value> {
  if (isSmall(call.body)) return work.run(readTask(call, call.body), segment, call);
  return computed(call, work, readTask(call), { segment });
}

/** Runs a computation via `compute`, on behalf of a request's tenant. */
export function computed<Task, Value>(
  call: ComputingCall,
  work: Computation<Task, Value>,
  task: Task,
  { segment, others }: Pick<ComputationContext, "segment" | "others">,
): Value | Promise<Value> {
  const tenantId = call.identity.tenantId;
  const size = call.body.byteLength;
  return call.service.compute.run(work, task, { segment, others, payer: call, tenantId, size });
}

/** Returns the inputs of parsing. The body is copied, because the transport reuses its buffer. */
export function readTask(
  { service, plan, body: sent }: ReadCall,
  body: Uint8Array = new Uint8Array(sent),
): ReadTask {
  const { listed, secondaryCnaeFull } = service;
  return { body, plan, listsKnown: listed !== null, secondaryCnaeFull };
}

/** Calls `act` with a value; synchronously if the value is ready, so answers leave in order. */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  act: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(act) : act(value);
}
