/**
 * The body of a request: its bytes on their way in, its JSON, and where it is read. Input: chunks
 * from a transport, and the head of the request. Output: the whole body once, or its refusal; a
 * JSON object with known members and the mistakes found so far; a request, read in the call or in
 * a compute thread.
 * Invariant: while more bytes are to come they count against the limit of this body, of all bodies
 * and of its sender's share; they are given back when the body is whole, refused, or its client
 * gone. Large bodies leave a part to small ones, so that a search is always read. A body is never
 * guessed at, and nothing in it is ignored: an unknown member is a mistake, and mistakes in the
 * body and in its spec are reported together. Reading is the same function in the call and in a
 * thread.
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

/** Why a body is not read: it has more bytes than it may, or its sender's or all bodies have. */
export type BodyRefusal = "too_large" | Shortage;

/** Bytes up to which a body is small. */
const SMALL_BYTES = 64 * 1024;
/** Part of the bytes of all bodies that is kept for small ones. */
const SMALL_PART = 0.25;

/** What a body may be, and who gets it. */
export interface BodyRequest {
  readonly limitBytes: number;
  /** Who sends it: bytes on their way are shared among senders. */
  readonly sender: string;
  /** Takes each chunk as it comes, in place of the whole; the body is then an empty one. */
  readonly taker?: BodyTaker | undefined;
  /** Gets the body, or why there is none. */
  read(body: Uint8Array | BodyRefusal): void;
}

/** Takes a body chunk by chunk; what it keeps of them it bounds itself. */
export interface BodyTaker {
  /** The chunk's memory is somebody else's again when it returns. */
  add(chunk: Uint8Array): void;
  /** Nobody wants the body any more; may be called again, and after it was used. */
  drop?(): void;
}

/** Gathers one body. */
export class IncomingBody {
  readonly #wanted: BodyRequest;
  /** Bytes of all bodies that are on their way. */
  readonly #budget: Budget;
  /** What has come of it; null before the first chunk. */
  #chunks: Uint8Array[] | null = null;
  #counted = 0;
  #taken = 0;
  #over = false;

  constructor(wanted: BodyRequest, budget: Budget) {
    this.#wanted = wanted;
    this.#budget = budget;
  }

  /** True while chunks are waited for. */
  get waiting(): boolean {
    return !this.#over;
  }

  /** Whether chunks may change after they were taken. */
  get handsOn(): boolean {
    return this.#wanted.taker !== undefined;
  }

  /** Takes a chunk, which must not change afterwards, but where it is handed on. */
  add(chunk: Uint8Array): void {
    if (this.#over) return;
    const { taker } = this.#wanted;
    if (taker !== undefined) {
      this.#handOn(chunk, taker);
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

  /** Takes the last chunk. One that is the whole body needs room for no time at all. */
  addLast(chunk: Uint8Array): void {
    if (this.#over) return;
    if (this.#chunks === null && this.#wanted.taker === undefined) {
      this.#end(this.#refusal(chunk.byteLength) ?? chunk);
      return;
    }
    this.add(chunk);
    this.finish();
  }

  /** There are no more chunks. */
  finish(): void {
    if (this.#over) return;
    const first = this.#chunks?.[0];
    this.#end(first !== undefined && this.#chunks?.length === 1 ? first : this.#joined());
  }

  /** The client is gone, or is not waited for any longer. May be called again. */
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

  /** Counts bytes, or returns the refusal because of which they are not. */
  #take(bytes: number): BodyRefusal | null {
    const { limitBytes, sender } = this.#wanted;
    if (this.#counted + bytes > limitBytes) return "too_large";
    return this.#budget.takeUnless(bytes, sender, this.#reserve(bytes));
  }

  /** Bytes that must be left for small bodies if this one has so many more. */
  #reserve(bytes: number): number {
    return this.#counted + bytes > SMALL_BYTES ? this.#budget.most * SMALL_PART : 0;
  }

  #handOn(chunk: Uint8Array, taker: BodyTaker): void {
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

/** What is said of a body of at most `limitBytes` bytes that is not read. */
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

/** Longest part of an unknown member's name that a pointer repeats. */
const NAME_SHOWN_MAX = 256;

/** A body and what is wrong with its own members. */
export interface BodyObject {
  readonly members: JsonObject;
  readonly mistakes: Mistake[];
}

/** Parses a body that must be an object; throws `invalid_request` when it is not one. */
export function readBody(bytes: Uint8Array, known: readonly string[]): BodyObject {
  return checkMembers(readMembers(bytes), known);
}

/** As `readBody`, of a body whose members say which ones are known. */
export function readMembers(bytes: Uint8Array): JsonObject {
  const members = parseJson(bytes);
  if (!isJsonObject(members)) {
    const detail = `The body must be a JSON object, not ${shown(members)}.`;
    const mistake = { pointer: "", code: "wrong_type", detail };
    throw new AppError("invalid_request", detail, { errors: [mistake] });
  }
  return members;
}

/** Text that is longer is not searched for words. */
const SEARCHED_BYTES_MAX = 16 * 1024;

/** Returns true unless the text of a body lacks a word, in any case and however it is escaped. */
export function mayHold(bytes: Uint8Array, word: string): boolean {
  if (bytes.byteLength > SEARCHED_BYTES_MAX) return true;
  const { buffer, byteOffset, byteLength } = bytes;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("latin1").toLowerCase();
  return text.includes(word) || text.includes("\\u");
}

/** Notes the members of a body that are not known. */
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
 * Runs the normalization of the spec in a body, and throws one error with the mistakes of both.
 * The code is `invalid_request` as soon as one mistake lies outside the spec.
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

/** As `withBodyMistakes`, for a normalization that another thread may do. */
export async function withBodyMistakesLater<Value>(
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

/** The mistakes that were thrown; throws on what is none. */
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

/** Codes that name the whole failure when no other kind is among the mistakes of a body. */
const CODES_OF_THEIR_OWN: readonly ErrorCode[] = [
  "invalid_cursor",
  "cursor_expired",
  "cursor_mismatch",
  "field_not_allowed",
  "since_not_available",
];

/** A mistake outside the spec makes the request wrong, whatever is wrong with the spec. */
function codeOf(mistakes: readonly Mistake[], failure: AppError | null): ErrorCode {
  if (mistakes.length === 0 && failure !== null) {
    return failure.code !== "invalid_spec" || failure.errors.every(liesInSpec)
      ? failure.code
      : "invalid_request";
  }
  const only = CODES_OF_THEIR_OWN.find((own) => mistakes.every(({ code }) => code === own));
  const alone = failure === null || failure.code === only;
  return only !== undefined && alone ? only : "invalid_request";
}

/** A missing spec is a mistake of the body. */
function liesInSpec({ pointer, code }: Mistake): boolean {
  return pointer.startsWith("/spec/") || (pointer === "/spec" && code !== "missing");
}

/** The head of a request as far as it describes its body. */
interface BodyHead {
  header(name: "content-type" | "content-encoding"): string | undefined;
}

/** Whether a body is of a type, not compressed, whatever its parameters say. */
export function isOfType(exchange: BodyHead, wanted: string): boolean {
  const [type = ""] = (exchange.header("content-type") ?? "").split(";");
  return type.trim().toLowerCase() === wanted && exchange.header("content-encoding") === undefined;
}

/**
 * JSON text is UTF-8 by definition (RFC 8259), so another charset is a misunderstanding. `others`
 * are the types that the route takes beside it.
 */
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
    const beside = others.map(({ type }) => `, or with Content-Type: ${type}`).join("");
    const detail = `Send the body as UTF-8 JSON with Content-Type: application/json${beside}.`;
    throw new AppError("unsupported_media_type", detail);
  }
  if ((exchange.header("content-encoding") ?? "identity").trim().toLowerCase() !== "identity") {
    throw new AppError("unsupported_media_type", "Send the body without a Content-Encoding.");
  }
}

/** Largest body that is read in the call, in bytes: about 1 ms for the slowest one of this size. */
const SMALL_BYTES_MAX = 8 * 1024;

/** Returns true if a body is small enough to be read in the call and to be cached. */
export function isSmall(body: Uint8Array): boolean {
  return body.byteLength <= SMALL_BYTES_MAX;
}

/** Is charged for a request; throws `rate_limited`. */
interface Payer {
  spend(cost: number): void;
}

/** A pure function that may run in a thread: task and value must survive a structured clone. */
export interface Computation<Task, Value> {
  readonly name: string;
  /** `older` is the snapshot that a question about changes compares with. */
  run(task: Task, segment: Segment, payer: Payer, older?: Segment): Value | Promise<Value>;
}

/** What a computation runs with, beside its task. */
export interface ComputationContext {
  readonly segment: Segment;
  readonly older?: Segment | undefined;
  readonly payer: Payer;
  /** The tenant; tenants take turns. */
  readonly asker: string;
  /** How much there is to do, for the turns: bytes. */
  readonly size: number;
}

/** Runs computations. */
export interface Compute {
  /** Runs a computation, in the call or in a thread. Throws or rejects as it does. */
  run<Task, Value>(
    work: Computation<Task, Value>,
    task: Task,
    context: ComputationContext,
  ): Value | Promise<Value>;
}

/** Runs everything in the call; for a process that answers one client. */
export const IN_CALL: Compute = {
  run: (work, task, { segment, payer, older }) => work.run(task, segment, payer, older),
};

/** The part of a request that reading it depends on. */
export interface ReadTask {
  readonly body: Uint8Array;
  readonly plan: Plan;
  /** True if the sender may have lists that a spec can name. */
  readonly listsKnown: boolean;
  /** True if the server allows `secondary_cnae_mode: full`. */
  readonly secondaryCnaeFull: boolean;
}

/** A request for which computations are run. */
interface ComputingCall extends Payer {
  readonly service: { readonly compute: Compute };
  readonly identity: { readonly tenantId: string };
  readonly body: Uint8Array;
}

/** A request as far as it decides how a body is read. */
interface ReadCall {
  readonly service: { readonly listed: object | null; readonly secondaryCnaeFull: boolean };
  readonly plan: Plan;
  readonly body: Uint8Array;
}

/** The parts of the service that reading a request needs. */
export type ReadPart = "compute" | "listed" | "secondaryCnaeFull";

/** Reads a request: a small body in the call, a larger one where `compute` runs it. */
export function readRequest<Value>(
  call: ComputingCall & ReadCall,
  segment: Segment,
  work: Computation<ReadTask, Value>,
): Value | Promise<Value> {
  if (isSmall(call.body)) return work.run(readTask(call, call.body), segment, call);
  return computed(call, work, readTask(call), { segment });
}

/** Runs a computation where `compute` runs it, for the sender of a request. */
export function computed<Task, Value>(
  call: ComputingCall,
  work: Computation<Task, Value>,
  task: Task,
  { segment, older }: Pick<ComputationContext, "segment" | "older">,
): Value | Promise<Value> {
  const asker = call.identity.tenantId;
  const size = call.body.byteLength;
  return call.service.compute.run(work, task, { segment, older, payer: call, asker, size });
}

/** Returns what reading a request depends on, with a copy of the body, which the call may reuse. */
export function readTask(
  { service, plan, body: sent }: ReadCall,
  body: Uint8Array = new Uint8Array(sent),
): ReadTask {
  const { listed, secondaryCnaeFull } = service;
  return { body, plan, listsKnown: listed !== null, secondaryCnaeFull };
}

/**
 * Calls `act` with a value and returns its result. A value that is there is handed on in the same
 * turn, so that answers leave in the order of their requests.
 */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  act: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(act) : act(value);
}
