/**
 * What comes in: JSON values of unknown shape with their RFC 6901 pointers. What goes out: values
 * of the shape asked for, and a log of every mistake found on the way.
 * Invariant: a reading method never throws and never repairs; a value that is wrong leaves a
 * mistake behind and a harmless stand-in, and `refuse` throws if any mistake was logged.
 */
import { AppError, type ErrorCode, type Mistake } from "../errors.ts";
import { SPEC_LIMITS } from "./limits.ts";

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
