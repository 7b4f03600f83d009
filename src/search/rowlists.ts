/**
 * Caches row lists. A row list contains the accounts that have a phone or an e-mail, or that were
 * found by another key (districts.ts). Input: values in the normal form of a spec, or a key and a
 * function that finds its rows. Output: the rows. Also has the ranges of mobile and landline
 * numbers (E.164 digits).
 * Invariant: as long as the rows of a key are cached, they are the same object, by which the addon
 * caches answers. At most 32 MiB are cached for each snapshot, unless one list is larger. Contacts
 * match exactly: one of the account's phones, or its e-mail in lower case, is among the values. No
 * number is both a mobile and a landline. The ranges must match those of
 * native-index/format/column_value.h. The rows of a user's lists must be attached to a spec before
 * its clauses are made. A list without attached rows is an error and is never treated as empty.
 */
import { strict as assert } from "node:assert";
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Segment } from "./segment.ts";

/** Returns the rows of accounts that have at least one of these phones, such as +5511987654321. */
export function phoneRows(segment: Segment, phones: readonly string[]): NativeRowList {
  return cachedRows(segment, `phones ${phones.join()}`, () =>
    segment.native.phoneRows(Float64Array.from(phones, (phone) => Number(phone.slice(1)))),
  );
}

/** Returns the rows of accounts that have one of these e-mails. */
export function emailRows(segment: Segment, emails: readonly string[]): NativeRowList {
  return cachedRows(segment, `emails ${emails.join(" ")}`, () => segment.native.emailRows(emails));
}

type Ranges = readonly (readonly [low: number, high: number])[];

/** Prefixes of Brazilian phone numbers: the country code 55 and an area code from 11 to 99. */
const AREAS = Array.from({ length: 89 }, (_, area) => 5511 + area);

/**
 * Ranges of mobile numbers. They have nine digits after the area code, and the first digit is 9.
 */
export const MOBILES: Ranges = AREAS.map((area) => [area * 1e9 + 9e8, area * 1e9 + 999_999_999]);

/** Ranges of landline numbers. They have seven or eight digits after the area code. */
export const LANDLINES: Ranges = [1e7, 1e8].map((scale) => [5511 * scale, 5600 * scale - 1]);

/** Maximum bytes of the row lists cached for a snapshot. A larger list is cached alone. */
const CACHED_BYTES_MAX = 32 * 2 ** 20;
/** Maximum number of cached lists. It bounds the number of small lists. */
const CACHED_LISTS_MAX = 1_000;
/** Returns an upper bound: two bytes per row of a list, or one bit per row of the snapshot. */
const bytesOf = ({ size, end }: NativeRowList) => Math.min(2 * size, end / 8 + 8_192);

const cache = new WeakMap<Segment, Map<string, NativeRowList>>();

/** Returns the rows of a key. Calls `find` if the rows are not cached. */
export function cachedRows(
  segment: Segment,
  key: string,
  find: () => NativeRowList,
): NativeRowList {
  const lists = cache.get(segment) ?? new Map<string, NativeRowList>();
  cache.set(segment, lists);
  const list = lists.get(key) ?? find();
  // Moves the key to the end of the map, so that the map is ordered by last use.
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

/** Removes all cached rows of a segment. This is called when its file may have changed. */
export function forgetRows(segment: Segment): void {
  cache.delete(segment);
}

/** The `lists` filter of a spec. */
export type SpecLists = NonNullable<AccountQuerySpec["filters"]["lists"]>;

type ListedRows = Readonly<Record<keyof SpecLists, readonly NativeRowList[]>>;

const known = new WeakMap<SpecLists, WeakMap<Segment, ListedRows>>();

/** Attaches the rows that lists of a spec have in a segment. `listRowsOf` returns them. */
export function attachListRows(lists: SpecLists, segment: Segment, rows: ListedRows): void {
  const bySegment = known.get(lists) ?? new WeakMap<Segment, ListedRows>();
  bySegment.set(segment, rows);
  known.set(lists, bySegment);
}

/** Attaches the rows of `all` lists of a spec to `some` of them. */
export function shareListRows(some: SpecLists, all: SpecLists): void {
  const bySegment = known.get(all);
  if (bySegment !== undefined) known.set(some, bySegment);
}

/** Returns the rows that were attached to the lists of a spec for a segment. */
export function listRowsOf(lists: SpecLists, segment: Segment): ListedRows {
  const rows = known.get(lists)?.get(segment);
  assert(rows !== undefined, "lists become rows before a spec that names them is asked");
  return rows;
}
