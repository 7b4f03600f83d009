/**
 * Reading JSON. Input: the bytes of a body or a spec file; values of unknown shape with their
 * RFC 6901 pointers. Output: the JSON value; values of the requested shape, and a log of every
 * mistake found on the way.
 * Invariant: a document is well-formed UTF-8, with or without a byte-order mark, and JSON of
 * RFC 8259: at most 32 levels deep, at most 1,000 members in an object, 30,000 members and 120,000
 * values in all, no name twice in its object, none called `__proto__` in any spelling. The bounds
 * are checked before JSON.parse sees the text; repeated names by counting members in text and
 * value. Only if the counts differ, an object has too many, or nothing parses, a slower scanner
 * finds the place. A reading method never throws and never repairs: a wrong value leaves a mistake
 * and a harmless stand-in, and `refuse` throws if any mistake was logged.
 */

import { isUtf8 } from "node:buffer";
import { AppError, type ErrorCode, type Mistake } from "../errors.ts";
import {
  JSON_DEPTH_MAX,
  JSON_MEMBERS_MAX,
  JsonFault,
  JsonScanner,
  placeIn,
} from "../text/json-scanner.ts";
import { SPEC_LIMITS } from "./limits.ts";

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

/** The highest of the blanks of JSON. */
const BLANK = 0x20;

/** Whether nothing but blanks stands between an opening bracket and a closing one. */
function closesAfter(bytes: Uint8Array, opener: number): boolean {
  let at = opener + 1;
  // Control characters that are no blanks end the reading in any case.
  while ((bytes[at] as number) <= BLANK) at++;
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

/** Mistakes that are shown; further ones are only counted. */
const MISTAKES_SHOWN_MAX = 50;

/** Codes of mistakes that name the whole failure when no other kind is among them. */
const CODES_OF_THEIR_OWN: readonly ErrorCode[] = [
  "field_not_allowed",
  "secondary_cnae_mode_not_allowed",
];

/** An object of JSON, before its members are known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Escapes a member name for use in a pointer (RFC 6901 section 3). */
export function pointerToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Shows a value in a message: short, quoted, never a whole structure. */
export function shown(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  }
  if (value === null || typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  if (value === undefined) return "missing";
  return Array.isArray(value) ? "an array" : "an object";
}

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads values of unknown shape and keeps count of what is wrong with them. */
export class SpecReader {
  readonly #mistakes: Mistake[] = [];
  /** Their codes, each once. */
  readonly #codes: string[] = [];
  #count = 0;

  /** Logs a mistake; the 51st and later ones are only counted, so no sentence is made for them. */
  mistake(pointer: string, code: string, detail: string | (() => string)): void {
    this.#count++;
    if (!this.#codes.includes(code)) this.#codes.push(code);
    if (this.#mistakes.length === MISTAKES_SHOWN_MAX) return;
    const said = typeof detail === "string" ? detail : detail();
    this.#mistakes.push({ pointer, code, detail: said });
  }

  /** Logs that a value has the wrong type. */
  wrongType(pointer: string, value: unknown, wanted: string): void {
    this.mistake(pointer, "wrong_type", () => `Must be ${wanted}, not ${shown(value)}.`);
  }

  /** Throws an AppError that lists every mistake, if there is one. */
  refuse(): void {
    if (this.#count === 0) return;
    const [first] = this.#mistakes;
    const only = this.#codes.length === 1 ? this.#codes[0] : undefined;
    const code = CODES_OF_THEIR_OWN.find((own) => own === only) ?? "invalid_spec";
    const rest = this.#count > 1 ? ` There are ${this.#count} mistakes; see errors.` : "";
    throw new AppError(code, `At ${first?.pointer || "the root"}: ${first?.detail}${rest}`, {
      errors: this.#mistakes,
    });
  }

  /** Reads an object that may be missing and has no members but the known ones. */
  object(value: unknown, pointer: string, known: readonly string[]): JsonObject {
    if (value === undefined) return {};
    if (!isJsonObject(value)) {
      this.wrongType(pointer, value, "an object");
      return {};
    }
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      if (this.#mistakes.length === MISTAKES_SHOWN_MAX) {
        // A body of unknown members would otherwise cost one long sentence each.
        this.mistake(pointer, "unknown_member", "");
        continue;
      }
      const place = `${pointer}/${pointerToken(name.slice(0, SPEC_LIMITS.stringLengthMax))}`;
      const detail = `There is no member ${shown(name)} here; known are ${known.join(", ")}.`;
      this.mistake(place, "unknown_member", detail);
    }
    return value;
  }

  /** Reads a boolean that may be missing (false). */
  boolean(value: unknown, pointer: string): boolean {
    if (value === undefined) return false;
    if (typeof value === "boolean") return value;
    this.wrongType(pointer, value, "true or false");
    return false;
  }

  /** Reads true, false or null; missing is null. */
  booleanOrNull(value: unknown, pointer: string): boolean | null {
    if (value === undefined || value === null || typeof value === "boolean") return value ?? null;
    this.wrongType(pointer, value, "true, false or null");
    return null;
  }

  /** Reads an integer within bounds, both included; a wrong one gives the lower bound. */
  integer(value: unknown, pointer: string, bounds: readonly [number, number]): number {
    const [min, max] = bounds;
    if (typeof value !== "number" || !Number.isInteger(value)) {
      this.wrongType(pointer, value, `an integer from ${min} to ${max}`);
    } else if (value < min || value > max) {
      this.mistake(pointer, "out_of_range", `Must be from ${min} to ${max}, not ${value}.`);
    } else {
      return value === 0 ? 0 : value;
    }
    return min;
  }

  /** Reads one of a closed list of strings. */
  oneOf<const Value extends string>(
    value: unknown,
    pointer: string,
    values: readonly [Value, ...Value[]],
  ): Value {
    const found = values.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    const wanted = values.length === 1 ? shown(values[0]) : `one of ${values.join(", ")}`;
    this.mistake(pointer, "unknown_value", `Must be ${wanted}, not ${shown(value)}.`);
    return values[0];
  }

  /** Reads an array that may be missing; a wrong or too long one gives no elements. */
  array(value: unknown, pointer: string, lengthMax: number): readonly unknown[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.wrongType(pointer, value, "an array");
      return [];
    }
    if (value.length > lengthMax) {
      const detail = `May hold ${lengthMax} elements, not ${value.length}.`;
      this.mistake(pointer, "too_many", detail);
      return [];
    }
    return value;
  }

  /** Reads a string of ordinary length; undefined when it is none. */
  string(value: unknown, pointer: string): string | undefined {
    if (typeof value !== "string") {
      this.wrongType(pointer, value, "a string");
    } else if (value.length > SPEC_LIMITS.stringLengthMax) {
      const detail = `May be ${SPEC_LIMITS.stringLengthMax} characters long, not ${value.length}.`;
      this.mistake(pointer, "too_long", detail);
    } else {
      return value;
    }
    return undefined;
  }

  /** Passes each element of an array that may be missing to `read`. */
  each(value: unknown, pointer: string, read: (element: unknown, pointer: string) => void): void {
    const elements = this.array(value, pointer, SPEC_LIMITS.arrayLengthMax);
    for (let position = 0; position < elements.length; position++) {
      read(elements[position], `${pointer}/${position}`);
    }
  }

  /**
   * Reads an array of strings and maps each through `read`, which logs its own mistakes and gives
   * nothing for a wrong element. The result is ascending and without repeats. Equal spellings are
   * read once, so the cost is bounded by the distinct ones.
   */
  strings(
    value: unknown,
    pointer: string,
    read: (element: string, pointer: string) => readonly string[],
  ): string[] {
    const seen = Array.isArray(value) && value.length > 1 ? new Set<string>() : null;
    const result: string[] = [];
    this.each(value, pointer, (element, place) => {
      const text = this.string(element, place);
      if (text === undefined || seen?.has(text) === true) return;
      seen?.add(text);
      for (const normal of read(text, place)) result.push(normal);
    });
    return ascending(result);
  }
}

/** Sorts by UTF-16 code units, independent of any locale, and takes repeats out. */
function ascending(values: string[]): string[] {
  // Normalized specs come back page after page: most lists are in order already.
  const ordered = values.every((value, at) => at === 0 || (values[at - 1] as string) < value);
  return ordered ? values : [...new Set(values)].sort();
}
