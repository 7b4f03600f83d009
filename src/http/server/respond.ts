/**
 * Builds responses. Input: a status with a value, finished bytes, or an error; for the entity tag,
 * the data that the answer depends on. Output: an answer with all its headers and its tag, or 304
 * if the client has it (RFC 9110, sections 8.8.3 and 13.1.2).
 * Invariant: every error is an RFC 9457 problem document with a stable code and the request id.
 * Every answer has the security headers. Details of unknown errors are never shown. Two answers
 * with the same tag hold the same data. Tags are weak, because they do not cover request id and
 * time.
 */
import { AppError, ERROR_CODES, type Mistake } from "../../errors.ts";
import { SHA256_BYTES, sha256Into } from "../../sha256.ts";
import type { AnswerBody } from "./transport/answer-body.ts";
import {
  HEADER_VALUE,
  HeaderBlock,
  type HeaderLine,
  type HeaderList,
} from "./transport/transport.ts";

/** Result of a handler; `headersOf` adds the request id and the security headers. */
export interface HttpAnswer {
  readonly status: number;
  /** Content type. Empty if there is no content. */
  readonly type: string;
  readonly body: AnswerBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** Accounts in the body, if any; counted as the client's usage. */
  readonly accounts?: number;
}

declare const SHAPE: unique symbol;

/** Compile-time type of an answer whose JSON has the shape of a named schema. */
export interface ShapedAnswer<Name extends string> extends HttpAnswer {
  readonly [SHAPE]: Name;
}

/** An answer without a body; fits every schema. */
export type EmptyAnswer = ShapedAnswer<never>;

/** Marks an answer whose JSON is already bytes, which the compiler cannot check. */
export function written<Name extends string>(_name: Name, made: HttpAnswer): ShapedAnswer<Name> {
  return made as ShapedAnswer<Name>;
}

/** Builds an answer without a body. */
export function emptyAnswer(answer: Omit<HttpAnswer, "type" | "body">): EmptyAnswer {
  return { ...answer, type: "", body: "" } as EmptyAnswer;
}

/** The type of a handler's value, deeply read-only. Parts of the type `Made` may be any object. */
export type DeepReadonly<Value, Made = never> = Value extends Made
  ? object
  : Value extends readonly (infer Element)[]
    ? readonly DeepReadonly<Element, Made>[]
    : Value extends object
      ? { readonly [Member in keyof Value]: DeepReadonly<Value[Member], Made> }
      : Value;

/** Content type of JSON answers. */
export const JSON_TYPE = "application/json; charset=utf-8";
const PROBLEM_TYPE = "application/problem+json";

/** Statuses of temporary errors, which always have Retry-After. Its default is below. */
const WAITING_STATUSES = [429, 503];
const RETRY_AFTER_SECONDS = "5";

/** Headers of every answer: answers are data, never pages, and must not be cached. */
const SECURITY_HEADERS = new HeaderBlock([
  ["X-Content-Type-Options", "nosniff"],
  ["Cache-Control", "no-store"],
  ["Referrer-Policy", "no-referrer"],
  ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
]);

const SECURITY_NAMES = new Set(SECURITY_HEADERS.lines.map(([name]) => name));

const JSON_LINE: HeaderLine = ["Content-Type", JSON_TYPE];

function typeLine(type: string): HeaderLine {
  return type === JSON_TYPE ? JSON_LINE : ["Content-Type", type];
}

/** Builds a JSON answer. */
export function json(value: unknown, status = 200): HttpAnswer {
  return { status, type: JSON_TYPE, body: JSON.stringify(value) };
}

/** Builds a JSON answer of the schema `_name`. */
export function jsonWith(
  _name: string,
  value: unknown,
  { status = 200, ...more }: Partial<Pick<HttpAnswer, "status" | "headers" | "accounts">> = {},
): HttpAnswer {
  return { ...json(value, status), ...more };
}

/** Builds an answer without content. */
export function noContent(): EmptyAnswer {
  return emptyAnswer({ status: 204 });
}

/** Returns a handler that redirects within this server. */
export function redirectTo(location: string, status: 302 | 308): () => EmptyAnswer {
  return () => emptyAnswer({ status, headers: { Location: location } });
}

/** Returns the answer to a failure. Any non-AppError becomes `internal_error`. */
export function problem(failure: unknown, requestId: string): HttpAnswer {
  const error =
    failure instanceof AppError
      ? failure
      : new AppError("internal_error", "The server failed. Report the request_id to its operator.");
  const { status } = error;
  const errors = status === 422 ? mistakesOf(error) : error.errors;
  const body = {
    type: `/docs/errors#${error.code}`,
    title: ERROR_CODES[error.code].title,
    status,
    code: error.code,
    detail: error.message,
    request_id: requestId,
    ...error.members,
    ...(errors.length > 0 ? { errors } : {}),
  };
  const waits = WAITING_STATUSES.includes(status) ? { "Retry-After": RETRY_AFTER_SECONDS } : {};
  const headers = { ...waits, ...error.headers };
  return { status, type: PROBLEM_TYPE, body: JSON.stringify(body), headers };
}

/** Returns the mistakes. A mistake without a place belongs to the whole request. */
function mistakesOf({ errors, code, message }: AppError): readonly Mistake[] {
  return errors.length > 0 ? errors : [{ pointer: "", code, detail: message }];
}

/**
 * Returns all headers of an answer as a new list. The `further` header comes last. Headers of the
 * answer replace security headers of the same name. Throws if a value is not printable ASCII,
 * because a line break would inject headers.
 */
export function headersOf(
  { headers = NO_HEADERS, type }: HttpAnswer,
  requestId: string,
  further: HeaderBlock | null = null,
): HeaderList {
  let own = 0;
  let replaces = false;
  for (const name in headers) {
    own++;
    replaces ||= SECURITY_NAMES.has(name);
  }
  const block = replaces ? securityLinesExcept(headers) : SECURITY_BLOCK;
  const start = type === "" ? 0 : 1;
  // The length is computed first. A growing list would leave two shorter copies as garbage.
  const length = start + 2 + block.length + 2 * own + (further === null ? 0 : 1);
  const list = new Array<HeaderList[number]>(length);
  if (start > 0) list[0] = typeLine(type);
  list[start] = "X-Request-Id";
  list[start + 1] = requestId;
  let at = start + 2;
  for (let i = 0; i < block.length; i++) list[at++] = block[i] as HeaderLine;
  for (const name in headers) {
    const value = headers[name] as string;
    if (!HEADER_VALUE.test(value)) throw new RangeError(`header ${name} is not printable ASCII`);
    list[at++] = name;
    list[at++] = value;
  }
  if (further !== null) list[at] = further;
  return list;
}

const SECURITY_BLOCK: readonly (HeaderLine | HeaderBlock)[] = [SECURITY_HEADERS];
const NO_HEADERS = {};

function securityLinesExcept(headers: Readonly<Record<string, string>>): readonly HeaderLine[] {
  return SECURITY_HEADERS.lines.filter(([name]) => headers[name] === undefined);
}

/** Bytes of the hash in a tag: enough to make collisions negligible. */
const TAG_BYTES = 18;

/** Maximum bytes of a length and its delimiter. */
const LENGTH_BYTES_MAX = 17;

/** Buffer for the latest hash. */
const hash = Buffer.alloc(SHA256_BYTES);
/** Buffer for joining parts. Larger inputs get their own. */
const buffer = Buffer.allocUnsafeSlow(16 * 1024);

/** Returns the tag of an answer from all data that it depends on. */
export function weakTag(parts: readonly (string | Uint8Array)[]): string {
  sha256Into(joined(parts), hash);
  const opaque = hash.toString("base64url", 0, TAG_BYTES);
  // The tag is built from bytes, not by concatenation. V8 represents a concatenated string as a
  // tree, which each reader would flatten again.
  return Buffer.from(`W/"${opaque}"`, "latin1").toString("latin1");
}

/** Joins parts with length prefixes, so different lists never have the same text. */
function joined(parts: readonly (string | Uint8Array)[]): Uint8Array {
  let most = 0;
  // A character takes at most three bytes.
  for (const part of parts) most += LENGTH_BYTES_MAX + 3 * part.length;
  const bytes = most > buffer.byteLength ? Buffer.allocUnsafe(most) : buffer;
  let at = 0;
  for (const part of parts) {
    const length = typeof part === "string" ? Buffer.byteLength(part) : part.byteLength;
    at += bytes.write(`${length}:`, at, "latin1");
    if (typeof part === "string") bytes.write(part, at);
    else bytes.set(part, at);
    at += length;
  }
  return bytes.subarray(0, at);
}

interface Conditional {
  header(name: "if-none-match"): string | undefined;
}

/** Returns 304 for a client that has this tag, or null. */
export function unchanged(call: Conditional, tag: string): EmptyAnswer | null {
  const sent = call.header("if-none-match");
  if (sent === undefined || !hasTag(sent, tag)) return null;
  return emptyAnswer({ status: 304, headers: { ETag: tag } });
}

/** True if a list of tags contains this tag or is `*`, by weak comparison. */
export function hasTag(list: string, tag: string): boolean {
  const opaque = tag.replace(/^W\//, "");
  const tags: readonly string[] = list.match(/"[^"]*"/g) ?? [];
  return list.trim() === "*" || tags.includes(opaque);
}
