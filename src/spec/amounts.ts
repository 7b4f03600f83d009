/**
 * Reads dates and amounts of filters into their full form.
 * Invariant: invalid input never throws; it adds a mistake to the `SpecReader`.
 */
import { completeDate } from "./dates.ts";
import { SPEC_LIMITS } from "./limits.ts";
import { type SpecReader, shown } from "./reader.ts";

/** Matches the form of a full date. The day may not exist. */
const FULL_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a date as YYYY-MM-DD. Returns null if it is absent or invalid. */
export function readDate(reader: SpecReader, value: unknown, pointer: string): string | null {
  if (value === undefined || value === null) return null;
  const date = typeof value === "string" ? completeDate(value) : null;
  if (date === null) {
    const detail =
      typeof value === "string" && FULL_DATE.test(value)
        ? `Must be a day of the calendar, not ${shown(value)}.`
        : `Must be a date as YYYY-MM-DD, YYYY-MM or YYYY, not ${shown(value)}.`;
    reader.mistake(pointer, "wrong_date", detail);
  }
  return date;
}

/**
 * Reads an amount in reais with at most two decimals. Returns undefined if it is absent or invalid.
 */
export function readCapital(
  reader: SpecReader,
  value: unknown,
  pointer: string,
): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    reader.wrongType(pointer, value, "a number of reais, or null");
  } else if (value < 0 || value > SPEC_LIMITS.shareCapitalMax) {
    const detail = `Must be from 0 to ${SPEC_LIMITS.shareCapitalMax}, not ${value}.`;
    reader.mistake(pointer, "out_of_range", detail);
  } else if (Math.round(value * 100) / 100 !== value) {
    const detail = `May have two decimals at most, not ${value}.`;
    reader.mistake(pointer, "wrong_format", detail);
  } else {
    // Minus zero equals zero, and must be serialized as 0.
    return value === 0 ? 0 : value;
  }
  return undefined;
}
