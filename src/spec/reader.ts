/**
 * Reads JSON. Input: the bytes of a body or a spec file; values of unknown shape with their RFC
 * 6901 pointers. Output: the JSON value; values of the requested shape, and a log of all mistakes.
 * Invariant: a document is well-formed UTF-8, with or without a byte-order mark, and JSON (RFC
 * 8259). It has up to 32 levels, 1,000 members in an object, and 30,000 members and 120,000 values
 * in total. No object has a repeated name, or a member `__proto__` in any spelling. The bounds are
 * checked before JSON.parse reads the text. To detect repeated names, members are counted in the
 * text and in the value. A slower scanner finds the place only if the counts differ, an object has
 * too many members, or the text does not parse. Reading methods never throw or repair: for a wrong
 * value, they log a mistake and return a harmless default. `refuse` throws if a mistake was logged.
 */

import { isUtf8 } from "node:buffer";
import { AppError, type ErrorCode, type Mistake } from "../errors.ts";
import {
  JSON_DEPTH_MAX,
  JSON_MEMBERS_MAX,
  JsonFault,
  JsonScanner,
  lineAndColumn,
} from "../text/json-scanner.ts";
import { SPEC_LIMITS } from "./limits.ts";

/** Maximum number of members in all objects of a body. The notes of a translator need the most. */
export const JSON_ALL_MEMBERS_MAX = 30_000;

/**
 * Maximum number of values in a body, including nested ones. It allows more than ten full lists of
 * a spec, and bounds the cost of parsing and of refusing.
 */
export const JSON_VALUES_MAX = 120_000;

/**
 * Parses a JSON document.
 * @throws AppError `invalid_request` with the problem, its line, and its column.
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
      // JSON.parse keeps only the last of several members with the same name.
      if (written === 0 || countElements(value) === written) return value;
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

/** Removes a byte-order mark, which Windows editors write and RFC 8259 lets parsers ignore. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function refusal({ message, within }: JsonFault): AppError {
  const code = "invalid_request";
  const detail = `The body is not acceptable JSON: ${message}.`;
  const pointer = within.map((name) => `/${pointerToken(name)}`).join("");
  return new AppError(code, detail, { errors: [{ pointer, code, detail }] });
}

/** For each depth, the number of members of the object that is open there. */
const NAMES = new Uint16Array(JSON_DEPTH_MAX + 1);

/**
 * Returns the number of members of a JSON text, counted by its colons outside strings. Returns null
 * if the slower scanner must find a problem. Throws if there are too many members or values.
 */
function countMembers(bytes: Uint8Array): number | null {
  let members = 0;
  let depth = 0;
  // Every comma begins a value, and so does every bracket that is not empty.
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

/** Returns the error for too many members or values. The first excess one begins at byte `at`. */
function tooMuch(problem: string, bytes: Uint8Array, at: number): AppError {
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, at).toString("utf8");
  return refusal(new JsonFault(problem, lineAndColumn(before, before.length), []));
}

/** The highest code of the JSON white space characters. */
const BLANK = 0x20;

/** True if nothing but blanks stands between an opening bracket and a closing one. */
function closesAfter(bytes: Uint8Array, opener: number): boolean {
  let at = opener + 1;
  // Other control characters also continue the loop, but JSON does not allow them, so the document
  // is refused later.
  while ((bytes[at] as number) <= BLANK) at++;
  return bytes[at] === 0x7d || bytes[at] === 0x5d;
}

/** Counts the members of a parsed value, also nested ones. NaN if one is named `__proto__`. */
function countElements(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += countElements(element);
    return count;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(members)) {
    count += name === "__proto__" ? Number.NaN : 1 + countElements(members[name]);
  }
  return count;
}

/** Maximum number of mistakes that are shown. Further mistakes are only counted. */
const MISTAKES_SHOWN_MAX = 50;

/** Codes that become the error code of a request if all its mistakes have this code. */
const CODES_OF_THEIR_OWN: readonly ErrorCode[] = [
  "field_not_allowed",
  "secondary_cnae_mode_not_allowed",
];

/** A JSON object whose members have not been checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Escapes a member name for use in a pointer (RFC 6901 section 3). */
export function pointerToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns a value as short text for a message: quoted strings, never whole structures. */
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

/** True for a JSON object. False for null and arrays. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads values of unknown form and logs the mistakes in them. */
export class SpecReader {
  readonly #mistakes: Mistake[] = [];
  /** Distinct codes of the mistakes. */
  readonly #codes: string[] = [];
  #count = 0;

  /** Logs a mistake. From the 51st, mistakes are only counted, so no sentence is built. */
  mistake(pointer: string, code: string, detail: string | (() => string)): void {
    this.#count++;
    if (!this.#codes.includes(code)) this.#codes.push(code);
    if (this.#mistakes.length === MISTAKES_SHOWN_MAX) return;
    const text = typeof detail === "string" ? detail : detail();
    this.#mistakes.push({ pointer, code, detail: text });
  }

  wrongType(pointer: string, value: unknown, wanted: string): void {
    this.mistake(pointer, "wrong_type", () => `Must be ${wanted}, not ${shown(value)}.`);
  }

  /** Throws an AppError that lists every mistake, if any. */
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

  /** Reads an optional object. Members that are not known are mistakes. */
  object(value: unknown, pointer: string, known: readonly string[]): JsonObject {
    if (value === undefined) return {};
    if (!isJsonObject(value)) {
      this.wrongType(pointer, value, "an object");
      return {};
    }
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      if (this.#mistakes.length === MISTAKES_SHOWN_MAX) {
        // No sentence is built here, because a body may contain a great many unknown members.
        this.mistake(pointer, "unknown_member", "");
        continue;
      }
      const place = `${pointer}/${pointerToken(name.slice(0, SPEC_LIMITS.stringLengthMax))}`;
      const detail = `There is no member ${shown(name)} here; known are ${known.join(", ")}.`;
      this.mistake(place, "unknown_member", detail);
    }
    return value;
  }

  /** Reads an optional boolean (default false). */
  boolean(value: unknown, pointer: string): boolean {
    if (value === undefined) return false;
    if (typeof value === "boolean") return value;
    this.wrongType(pointer, value, "true or false");
    return false;
  }

  /** Reads true, false, or null. A missing value is read as null. */
  booleanOrNull(value: unknown, pointer: string): boolean | null {
    if (value === undefined || value === null || typeof value === "boolean") return value ?? null;
    this.wrongType(pointer, value, "true, false or null");
    return null;
  }

  /** Reads an integer within inclusive bounds. Returns the lower bound for a wrong value. */
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

  /** Reads a string that must be one of a closed list. */
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

  /** Reads an optional array. Returns an empty array if the value is wrong or too long. */
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

  /** Reads a string of at most the usual maximum length. Returns undefined if it is wrong. */
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

  /** Passes each element of an optional array to `read`. */
  each(value: unknown, pointer: string, read: (element: unknown, pointer: string) => void): void {
    const elements = this.array(value, pointer, SPEC_LIMITS.arrayLengthMax);
    for (let position = 0; position < elements.length; position++) {
      read(elements[position], `${pointer}/${position}`);
    }
  }

  /**
   * Reads an array of strings and maps each through `read`, which logs its mistakes and returns an
   * empty array for a wrong element. The result is ascending, without duplicates. Each distinct
   * string is read only once, so that their number bounds the cost.
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

/** Sorts by UTF-16 code units, independent of locale, and removes repeats. */
function ascending(values: string[]): string[] {
  // Most lists are already sorted, because clients send normalized specs for every page.
  const ordered = values.every((value, at) => at === 0 || (values[at - 1] as string) < value);
  return ordered ? values : [...new Set(values)].sort();
}
