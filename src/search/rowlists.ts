/**
 * Cache of row lists: accounts with a phone or an e-mail, or found by another key (districts.ts).
 * Input: values in the normal form of a spec; a key, and a function that finds its rows. Output:
 * the rows; the numbers (E.164 digits) that are mobiles and those that are landlines.
 * Invariant: the rows of a key are one object while they are cached, so that the kernel finds its
 * own cached answer for them; a few megabytes of them are cached for each snapshot. Contacts are
 * exact: one of the phones, or the e-mail in lower case, is among the values. No number is of both
 * kinds; the kinds are the counterpart of native-index/format/column_value.h and change with it.
 * The rows of the lists that a spec names are attached before clauses are made. Lists without
 * attached rows are an error, never empty lists.
 */
import { strict as assert } from "node:assert";
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Segment } from "./segment.ts";

/** Returns the rows one of whose phones is among these, such as +5511987654321. */
export function phoneRows(segment: Segment, phones: readonly string[]): NativeRowList {
  return cachedRows(segment, `phones ${phones.join()}`, () =>
    segment.native.phoneRows(Float64Array.from(phones, (phone) => Number(phone.slice(1)))),
  );
}

/** Returns the rows whose e-mail is among these. */
export function emailRows(segment: Segment, emails: readonly string[]): NativeRowList {
  return cachedRows(segment, `emails ${emails.join(" ")}`, () => segment.native.emailRows(emails));
}

type Ranges = readonly (readonly [low: number, high: number])[];

/** 55 followed by each area code, 11 to 99. */
const AREAS = Array.from({ length: 89 }, (_, area) => 5511 + area);

/** Nine digits after the area code; the first is 9. */
export const MOBILES: Ranges = AREAS.map((area) => [area * 1e9 + 9e8, area * 1e9 + 999_999_999]);

/** Seven or eight digits after the area code. */
export const LANDLINES: Ranges = [1e7, 1e8].map((scale) => [5511 * scale, 5600 * scale - 1]);

/** Max bytes of cached row lists per snapshot; a larger list is cached alone. */
const CACHED_BYTES_MAX = 32 * 2 ** 20;
/** Max cached lists, to bound many small ones. */
const CACHED_LISTS_MAX = 1_000;
/** Max bytes of a list: two per row, and at most one bit per row of the snapshot. */
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

/** Rows by the member of the filters. */
type ListedRows = Readonly<Record<keyof SpecLists, readonly NativeRowList[]>>;

const known = new WeakMap<SpecLists, WeakMap<Segment, ListedRows>>();

/** Attaches rows of a segment to the lists of a spec. */
export function attachListRows(lists: SpecLists, segment: Segment, rows: ListedRows): void {
  const bySegment = known.get(lists) ?? new WeakMap<Segment, ListedRows>();
  bySegment.set(segment, rows);
  known.set(lists, bySegment);
}

/** Attaches to some of the lists of a spec the rows that they have in the whole spec. */
export function shareListRows(some: SpecLists, all: SpecLists): void {
  const bySegment = known.get(all);
  if (bySegment !== undefined) known.set(some, bySegment);
}

/** Returns the rows that a segment has for the lists of a spec. */
export function listRowsOf(lists: SpecLists, segment: Segment): ListedRows {
  const rows = known.get(lists)?.get(segment);
  assert(rows !== undefined, "lists become rows before a spec that names them is asked");
  return rows;
}
