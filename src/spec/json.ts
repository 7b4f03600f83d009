/**
 * What comes in: the bytes of a request body or a spec file. What goes out: the JSON value.
 * Invariant: well-formed UTF-8, with a byte-order mark or without, JSON of RFC 8259 and nothing
 * else, at most 32 levels deep, at most 1,000 members in an object, 30,000 members and 120,000
 * values in all, no name twice in its object, none called `__proto__` in any spelling. What bounds
 * the work is checked before JSON.parse sees the text; the names by counting members in text and
 * value. Only where the counts differ, an object has too many, or nothing parses, a slower scanner
 * looks for the place.
 */
import { isUtf8 } from "node:buffer";
import { AppError } from "../errors.ts";
import {
  isBlank,
  JSON_DEPTH_MAX,
  JSON_MEMBERS_MAX,
  JsonFault,
  JsonScanner,
  placeIn,
} from "../text/json-scanner.ts";
import { pointerToken } from "./reader.ts";

/** Members of all objects of a body that are accepted; notes of a translator are the most. */
export const JSON_ALL_MEMBERS_MAX = 30_000;

/**
 * Values of a body that are accepted, those in objects and arrays counted as well: ten lists of a
 * spec may be full, and some more. That bounds what parsing costs, and refusing.
 */
export const JSON_VALUES_MAX = 120_000;

/**
 * Parses a JSON document.
 * @throws AppError `invalid_request` that says what is wrong and at which line and column.
 */
export function parseJson(sent: Uint8Array): unknown {
  const bytes = withoutMark(sent);
  if (!isUtf8(bytes)) {
    const detail = "The body is not well-formed UTF-8.";
    const errors = [{ pointer: "", code: "wrong_encoding", detail }];
    throw new AppError("invalid_request", detail, { errors });
  }
  const written = countMembers(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (written !== null) {
    try {
      const value: unknown = JSON.parse(text);
      // A repeated name is written twice and kept once.
      if (written === 0 || countKept(value) === written) return value;
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

/** RFC 8259 lets parsers ignore a byte-order mark, which editors of Windows write. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function refusal({ message, within }: JsonFault): AppError {
  const code = "invalid_request";
  const detail = `The body is not acceptable JSON: ${message}.`;
  const pointer = within.map((name) => `/${pointerToken(name)}`).join("");
  return new AppError(code, detail, { errors: [{ pointer, code, detail }] });
}

/** Members so far of the object that is open at each depth. */
const NAMES = new Uint16Array(JSON_DEPTH_MAX + 1);

/**
 * Members that a JSON text writes: its colons outside strings. Null where the scanner has to say
 * what is wrong; what is too much in all is refused here, before anybody reads all of it.
 */
function countMembers(bytes: Uint8Array): number | null {
  let members = 0;
  let depth = 0;
  // A comma begins one, and so does what a bracket opens, unless it is closed at once.
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) {
      for (at++; at < bytes.length && bytes[at] !== 0x22; at++) if (bytes[at] === 0x5c) at++;
    } else if (byte === 0x2c) {
      if (++values > JSON_VALUES_MAX) throw tooMuch(VALUES, bytes, at);
    } else if (byte === 0x3a) {
      if (++members > JSON_ALL_MEMBERS_MAX) throw tooMuch(MEMBERS, bytes, at);
      NAMES[depth] = (NAMES[depth] as number) + 1;
      if ((NAMES[depth] as number) > JSON_MEMBERS_MAX) return null;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > JSON_DEPTH_MAX) return null;
      if (!closesAfter(bytes, at) && ++values > JSON_VALUES_MAX) throw tooMuch(VALUES, bytes, at);
      NAMES[depth] = 0;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
  return members;
}

const VALUES = `a document may hold ${JSON_VALUES_MAX} values, those in lists included`;
const MEMBERS = `a document may hold ${JSON_ALL_MEMBERS_MAX} members in all`;

/** The refusal of a text for what begins at a byte. */
function tooMuch(problem: string, bytes: Uint8Array, at: number): AppError {
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, at).toString("utf8");
  return refusal(new JsonFault(problem, placeIn(before, before.length), []));
}

/** Whether nothing but blanks stands between an opening bracket and a closing one. */
function closesAfter(bytes: Uint8Array, opener: number): boolean {
  let at = opener + 1;
  while (isBlank(bytes[at])) at++;
  return bytes[at] === 0x7d || bytes[at] === 0x5d;
}

/** Members that a parsed value holds, itself and below; NaN if one is called `__proto__`. */
function countKept(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let kept = 0;
  if (Array.isArray(value)) {
    for (const element of value) kept += countKept(element);
    return kept;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(members)) {
    kept += name === "__proto__" ? Number.NaN : 1 + countKept(members[name]);
  }
  return kept;
}
