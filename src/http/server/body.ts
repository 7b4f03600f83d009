/**
 * What comes in: the head of a request, and the bytes of its body. What goes out: a JSON object
 * with known members, and the mistakes found so far; or the refusal of a type that the route does
 * not read.
 * Invariant: a body is never guessed at, and nothing in it is ignored: an unknown member is a
 * mistake; mistakes about the body and mistakes about the spec in it are reported together.
 */
import { AppError, type ErrorCode, type Mistake } from "../../errors.ts";
import { parseJson } from "../../spec/json.ts";
import { isJsonObject, type JsonObject, pointerToken, shown } from "../../spec/reader.ts";
import type { Exchange } from "./transport/transport.ts";

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

/** Whether a body is of a type, not compressed, whatever its parameters say. */
export function isOfType(exchange: Exchange, wanted: string): boolean {
  const [type = ""] = (exchange.header("content-type") ?? "").split(";");
  return type.trim().toLowerCase() === wanted && exchange.header("content-encoding") === undefined;
}

/**
 * JSON text is UTF-8 by definition (RFC 8259), so another charset is a misunderstanding. `others`
 * are the types that the route takes beside it.
 */
export function refuseOtherThanJson(
  exchange: Exchange,
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
