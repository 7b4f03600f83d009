/**
 * Accounts with a phone or an e-mail, and the kinds of phone numbers. Input: values in the normal
 * form of a spec. Output: their rows; the numbers (E.164 digits) that are mobiles and those that
 * are landlines.
 * Invariant: exact: the rows are those whose phones or e-mail, in lower case, are among the values.
 * No number is of both kinds; the kinds are the counterpart of native-index/format/column_value.h
 * and change with it.
 */
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import { keptRows } from "./keptrows.ts";
import type { Segment } from "./segment.ts";

/** Returns the rows one of whose phones is among these, such as +5511987654321. */
export function phoneRows(segment: Segment, phones: readonly string[]): NativeRowList {
  return keptRows(segment, `phones ${phones.join()}`, () =>
    segment.native.phoneRows(Float64Array.from(phones, (phone) => Number(phone.slice(1)))),
  );
}

/** Returns the rows whose e-mail is among these. */
export function emailRows(segment: Segment, emails: readonly string[]): NativeRowList {
  return keptRows(segment, `emails ${emails.join(" ")}`, () => segment.native.emailRows(emails));
}

type Ranges = readonly (readonly [low: number, high: number])[];

/** 55 and each area code, 11 to 99. */
const AREAS = Array.from({ length: 89 }, (_, area) => 5511 + area);

/** Nine digits behind the area code, of which the first is 9. */
export const MOBILES: Ranges = AREAS.map((area) => [area * 1e9 + 9e8, area * 1e9 + 999_999_999]);

/** Seven digits behind the area code, or eight. */
export const LANDLINES: Ranges = [1e7, 1e8].map((scale) => [5511 * scale, 5600 * scale - 1]);
