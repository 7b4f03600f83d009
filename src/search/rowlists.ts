/**
 * Cache of row lists: accounts with a phone or an e-mail, or found by another key (districts.ts).
 * Input: values in the normal form of a spec; a key, and a function that finds its rows. Output:
 * the rows; the ranges of numbers (E.164 digits) for mobiles and for landlines.
 * Invariant: while cached, the rows of a key are one object, so that the kernel finds its own
 * cached answer for them. A few megabytes are cached for each snapshot. Contacts match exactly: one
 * of the phones, or the e-mail in lower case, is among the values. No number is both a mobile and a
 * landline; the ranges must match those of native-index/format/column_value.h. The rows of lists in
 * a spec are attached before clauses are made. Lists without attached rows are an error, never
 * empty.
 */
import { strict as assert } from "node:assert";
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Segment } from "./segment.ts";

/** Returns the rows with any of these phones, such as +5511987654321. */
export function phoneRows(segment: Segment, phones: readonly string[]): NativeRowList {
  return cachedRows(segment, `phones ${phones.join()}`, () =>
    segment.native.phoneRows(Float64Array.from(phones, (phone) => Number(phone.slice(1)))),
  );
}

/** Returns the rows with any of these e-mails. */
export function emailRows(segment: Segment, emails: readonly string[]): NativeRowList {
  return cachedRows(segment, `emails ${emails.join(" ")}`, () => segment.native.emailRows(emails));
}

type Ranges = readonly (readonly [low: number, high: number])[];

/** Country code 55 with each area code, 11 to 99. */
const AREAS = Array.from({ length: 89 }, (_, area) => 5511 + area);

/** Nine digits after the area code; the first is 9. */
export const MOBILES: Ranges = AREAS.map((area) => [area * 1e9 + 9e8, area * 1e9 + 999_999_999]);

/** Seven or eight digits after the area code. */
export const LANDLINES: Ranges = [1e7, 1e8].map((scale) => [5511 * scale, 5600 * scale - 1]);

/** Max bytes of cached row lists per snapshot; a list that is larger is cached alone. */
const CACHED_BYTES_MAX = 32 * 2 ** 20;
/** Max cached lists; bounds the number of small ones. */
const CACHED_LISTS_MAX = 1_000;
/** Upper bound for the bytes of a list: two per row of it, or one bit per row of the snapshot. */
const bytesOf = ({ size, end }: NativeRowList) => Math.min(2 * size, end / 8 + 8_192);

const cache = new WeakMap<Segment, Map<string, NativeRowList>>();

/** Returns the rows of a key; finds them if they are not cached. */
export function cachedRows(
  segment: Segment,
  key: string,
  find: () => NativeRowList,
): NativeRowList {
  const lists = cache.get(segment) ?? new Map<string, NativeRowList>();
  cache.set(segment, lists);
  const list = lists.get(key) ?? find();
  // The most recently used key goes last (LRU).
  lists.delete(key);
  lists.set(key, list);
  let bytes = 0;
  for (const one of lists.values()) bytes += bytesOf(one);
  for (const [oldest, one] of lists) {
    if ((bytes <= CACHED_BYTES_MAX && lists.size <= CACHED_LISTS_MAX) || oldest === key) break;
    lists.delete(oldest);
    bytes -= bytesOf(one);
  }
  return list;
}

/** Evicts the rows of a segment, because its file may have changed. */
export function forgetRows(segment: Segment): void {
  cache.delete(segment);
}

/** The lists of a spec. */
export type SpecLists = NonNullable<AccountQuerySpec["filters"]["lists"]>;

/** Row lists by member of the `lists` filter. */
type ListedRows = Readonly<Record<keyof SpecLists, readonly NativeRowList[]>>;

const known = new WeakMap<SpecLists, WeakMap<Segment, ListedRows>>();

/** Attaches rows of a segment to the lists of a spec. */
export function attachListRows(lists: SpecLists, segment: Segment, rows: ListedRows): void {
  const bySegment = known.get(lists) ?? new WeakMap<Segment, ListedRows>();
  bySegment.set(segment, rows);
  known.set(lists, bySegment);
}

/** Lets `some`, a part of a spec's lists, use the rows that were attached to `all` of them. */
export function shareListRows(some: SpecLists, all: SpecLists): void {
  const bySegment = known.get(all);
  if (bySegment !== undefined) known.set(some, bySegment);
}

/** Returns the rows of a spec's lists in a segment. */
export function listRowsOf(lists: SpecLists, segment: Segment): ListedRows {
  const rows = known.get(lists)?.get(segment);
  assert(rows !== undefined, "lists become rows before a spec that names them is asked");
  return rows;
}
