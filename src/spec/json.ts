/**
 * What comes in: the bytes of a request body or a spec file. What goes out: the JSON value.
 * Invariant: well-formed UTF-8, JSON of RFC 8259 and nothing else, at most 32 levels deep, at most
 * 1,000 members in an object, none of them twice, none called `__proto__` in any spelling. The
 * depth is checked before JSON.parse sees the text; the rest by counting members in text and value.
 * Only where the counts differ, or nothing parses, a slower scanner looks for the place.
 */
import { isUtf8 } from "node:buffer";
import { AppError } from "../errors.ts";
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX, JsonFault, JsonScanner } from "../json-scanner.ts";
import { pointerToken } from "./reader.ts";

/** Members in a whole text from which on it is scanned before it is parsed. */
const MEMBERS_UNSCANNED_MAX = JSON_MEMBERS_MAX;

/**
 * Parses a JSON document.
 * @throws AppError `invalid_request` that says what is wrong and at which line and column.
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) {
    const detail = "The body is not well-formed UTF-8.";
    const errors = [{ pointer: "", code: "wrong_encoding", detail }];
    throw new AppError("invalid_request", detail, { errors });
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const written = countMembers(bytes);
  if (written <= MEMBERS_UNSCANNED_MAX) {
    try {
      const value: unknown = JSON.parse(text);
      // A repeated name is written twice and kept once.
      if (countKept(value) === written) return value;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  try {
    new JsonScanner(text).scan();
  } catch (error) {
    throw error instanceof JsonFault ? refusal(error) : error;
  }
  return JSON.parse(text);
}

function refusal({ message, within }: JsonFault): AppError {
  const code = "invalid_request";
  const detail = `The body is not acceptable JSON: ${message}.`;
  const pointer = within.map((name) => `/${pointerToken(name)}`).join("");
  return new AppError(code, detail, { errors: [{ pointer, code, detail }] });
}

/** Members that a JSON text writes: its colons outside strings. Infinity if nested too deep. */
function countMembers(bytes: Uint8Array): number {
  let members = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) {
      for (at++; at < bytes.length && bytes[at] !== 0x22; at++) if (bytes[at] === 0x5c) at++;
    } else if (byte === 0x3a) {
      members++;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth++;
      if (depth > JSON_DEPTH_MAX) return Number.POSITIVE_INFINITY;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
  return members;
}

/** Members that a parsed value holds, itself and below; NaN if one is called `__proto__`. */
function countKept(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let kept = 0;
  if (Array.isArray(value)) {
    for (const element of value) kept += countKept(element);
    return kept;
  }
  for (const [name, member] of Object.entries(value)) {
    kept += name === "__proto__" ? Number.NaN : 1 + countKept(member);
  }
  return kept;
}
