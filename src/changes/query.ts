/**
 * Finds the accounts of a spec that changed between two snapshots. Input: an opened change list, a
 * normalized spec, the kinds of change, and the watched fields. Output: exact totals, pages of
 * entries from any position of the list, and all entries in batches.
 * Invariant: an account that matches the spec only in the newer snapshot has entered. One that
 * matches only in the older snapshot has left. One that matches in both has changed if a watched
 * field differs. Each such account is one entry, in ascending order of CNPJ. The work is
 * proportional to the list, never to the registry.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clause } from "../../native-index/napi/engine.ts";
import { clausesOf } from "../search/clauses.ts";
import { guarded, type Segment } from "../search/segment.ts";
import {
  type AbsenceMark,
  absenceMark,
  type Catalog,
  type CatalogMunicipality,
  OPTIONAL_DATA,
} from "../spec/catalog.ts";
import { fieldRow, OUTPUT_FIELD_NAMES, OUTPUT_FIELDS, type OutputField } from "../spec/fields.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { CHANGE_KINDS, type ChangeKind, WATCHABLE_FIELDS } from "./kinds.ts";
import { bothHave, type ChangeList, columnBit, columnNumber, sharesBit } from "./list.ts";

/** A query about a pair of snapshots. */
export interface ChangeQuery {
  readonly list: ChangeList;
  /** Spec, normalized with `changeCatalog`. Only its filters are used. */
  readonly spec: AccountQuerySpec;
  /** Requested kinds; totals count all kinds. */
  readonly kinds: readonly ChangeKind[];
  /** Fields whose changes count; a subset of `watchableFields`. */
  readonly watch: readonly OutputField[];
}

/** A changed account in an answer. */
export interface ChangeEntry {
  /** Position in the list. */
  readonly index: number;
  readonly kind: ChangeKind;
  /** Row in the older snapshot, or -1 if it lacks the account. */
  readonly rowOlder: number;
  /** Row in the newer snapshot, or -1 if it lacks the account. */
  readonly rowNewer: number;
  /** Watched fields that differ, in field order. Empty if only one snapshot has the account. */
  readonly changed: readonly OutputField[];
}

interface ChangePageRequest {
  /** Position of the list to begin at: 0, or `next` of the previous page. */
  readonly from: number;
  readonly limit: number;
}

/** Part of an answer. */
export interface ChangePage {
  readonly entries: readonly ChangeEntry[];
  /** Position where the next page begins. */
  readonly next: number;
  /** True if another entry follows. */
  readonly more: boolean;
}

/** Exact number of accounts of each kind. */
export type ChangeTotals = Readonly<Record<ChangeKind, number>>;

/** List entries per native call: a few milliseconds, so that a server stays responsive. */
const SLICE_ENTRIES = 1 << 17;
/** Entries of a batch. */
const BATCH_ENTRIES = 4_096;
/**
 * Number of integers per entry in a native answer: index, two rows, bits of the differing columns,
 * bits of the differing days, and kind.
 */
const NUMBERS = 6;
const NO_ROW = 0xffff_ffff;
/** Max cached totals per list. */
const TOTALS_MAX = 64;

/**
 * Returns the fields that can be watched between two snapshots, in field order. A field must be
 * allowed and watchable, and both snapshots must have its data.
 */
export function watchableFields(
  older: Segment,
  newer: Segment,
  allowed: readonly string[],
): OutputField[] {
  return OUTPUT_FIELD_NAMES.filter((name) => {
    if (!WATCHABLE_FIELDS.includes(name) || !allowed.includes(name)) return false;
    return bothHave(fieldRow(name).stored.column, older, newer);
  });
}

/** Returns the fields that cannot be watched between two snapshots, each with the reason. */
export function unwatchable(
  older: Segment,
  newer: Segment,
  names: readonly string[],
): { readonly name: string; readonly why: string }[] {
  const watchable: readonly string[] = watchableFields(older, newer, OUTPUT_FIELD_NAMES);
  return names
    .filter((name) => !watchable.includes(name))
    .map((name) => ({ name, why: whyUnwatchable(name) }));
}

/** Returns the reason why a field cannot be watched, as text that follows a colon. */
export function whyUnwatchable(name: string): string {
  const unwatched = OUTPUT_FIELDS.find((row) => row.name === name)?.unwatched;
  if (unwatched !== undefined) {
    return WHY_UNWATCHED[unwatched];
  }
  if (name === "sanctioned") return "one of the snapshots was made without the list of sanctions";
  if (!WATCHABLE_FIELDS.some((field) => field === name)) return "there is no such field";
  return "one of the snapshots was imported by an earlier version, without the days of exclusion";
}

const WHY_UNWATCHED = {
  identity: "it never changes",
  derived: "it follows from other fields, the date or the table",
  listed: "it is of a list that is published apart from the registry",
} as const;

/** Returns a catalog with the codes of both snapshots, to normalize specs about the pair. */
export function changeCatalog(older: Segment, newer: Segment): Catalog {
  const union = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])].sort();
  const places = new Map<string, CatalogMunicipality>();
  for (const { catalog } of [older, newer]) {
    for (const place of catalog.municipalities) places.set(place.tom, place);
  }
  return {
    cnaeCodes: union(older.catalog.cnaeCodes, newer.catalog.cnaeCodes),
    legalNatures: union(older.catalog.legalNatures, newer.catalog.legalNatures),
    municipalities: [...places.values()],
    statusReasons: union(older.catalog.statusReasons ?? [], newer.catalog.statusReasons ?? []),
    ...lacksOf(older, newer),
    comparesMonths: true,
  };
}

/** Returns the catalog members for data that either snapshot lacks. No filter can use it. */
function lacksOf(older: Segment, newer: Segment): Partial<Record<AbsenceMark, true>> {
  const marks = OPTIONAL_DATA.map(absenceMark);
  const lacked = marks.filter((mark) => older.catalog[mark] || newer.catalog[mark]);
  return Object.fromEntries(lacked.map((mark) => [mark, true]));
}

/** Returns warnings about members of a sent spec that have no effect on changes. */
export function changeWarnings(input: unknown): string[] {
  const { sort, limit, scoring, output } = (input ?? {}) as Json;
  const { strategy = "balanced", random_seed: seed = null } = (scoring ?? {}) as Json;
  const warnings: string[] = [];
  const ignored = (name: string) => {
    warnings.push(`${name} of the spec is ignored: changes are listed by CNPJ, all of them.`);
  };
  if (Array.isArray(sort) && sort.length > 0) ignored("sort");
  if (limit !== undefined && limit !== null) ignored("limit");
  if (strategy !== "balanced" || seed !== null) ignored("scoring");
  if ((output as Json | undefined)?.include_explain === true) ignored("include_explain");
  return warnings;
}

type Json = Readonly<Record<string, unknown>>;

/** The entries from a position on. @throws `AppError` `snapshot_unavailable` */
export async function changePage(
  query: ChangeQuery,
  { from, limit }: ChangePageRequest,
): Promise<ChangePage> {
  const walk = walkOf(query);
  const found: ChangeEntry[] = [];
  // Reads one entry more than requested, which shows if more follow.
  for (let at = from; at < query.list.entries && found.length <= limit; ) {
    if (at > from) await nextTurn();
    const slice = walk.slice(at, limit + 1 - found.length);
    found.push(...slice.entries);
    at = slice.next;
  }
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  const more = found.length > limit;
  const next = more && last !== undefined ? last.index + 1 : query.list.entries;
  return { entries, next: more && limit === 0 ? from : next, more };
}

/** Returns all entries from a position on, in batches of up to a few thousand. */
export async function* changeBatches(
  query: ChangeQuery,
  from = 0,
): AsyncGenerator<readonly ChangeEntry[], void> {
  const walk = walkOf(query);
  for (let at = from; at < query.list.entries; await nextTurn()) {
    const { entries, next } = walk.slice(at, BATCH_ENTRIES);
    at = next;
    if (entries.length > 0) yield entries;
  }
}

/** Returns the exact totals of all kinds, requested or not. They are cached with the list. */
export async function changeTotals(query: ChangeQuery): Promise<ChangeTotals> {
  const known = totalsOf(query.list);
  const key = JSON.stringify([query.spec.filters, [...query.watch].sort()]);
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const walk = walkOf({ ...query, kinds: CHANGE_KINDS });
  const counts = [0, 0, 0];
  for (let at = 0; at < query.list.entries; await nextTurn()) {
    const slice = walk.slice(at, 0);
    slice.counts.forEach((count, kind) => {
      counts[kind] = (counts[kind] as number) + count;
    });
    at = slice.next;
  }
  const [entered, left, changed] = counts as [number, number, number];
  const totals = { entered, left, changed };
  if (known.size >= TOTALS_MAX) known.delete(known.keys().next().value as string);
  known.set(key, totals);
  return totals;
}

/** Totals with the details that a notice shows. */
export interface ChangeTally extends ChangeTotals {
  /** Accounts by changed field, in field order. An account counts in each changed field. */
  readonly fields: Readonly<Partial<Record<OutputField, number>>>;
  /** The first entries: those that entered, then changed, then left. */
  readonly first: readonly ChangeEntry[];
}

/** Counts in one pass all kinds and the fields that differ. Retains the first entries. */
export async function changeTally(query: ChangeQuery, most: number): Promise<ChangeTally> {
  const walk = walkOf({ ...query, kinds: CHANGE_KINDS });
  const fields = new Map<OutputField, number>();
  const bits = watchedBits(query.watch);
  const counts = [0, 0, 0];
  const firsts: ChangeEntry[][] = [[], [], []];
  for (let at = 0; at < query.list.entries; await nextTurn()) {
    const { found, next } = walk.found(at, SLICE_ENTRIES);
    for (let place = 0; place < found.length; place += NUMBERS) {
      const kind = found[place + NUMBERS - 1] as number;
      counts[kind] = (counts[kind] as number) + 1;
      if (CHANGE_KINDS[kind] === "changed") {
        for (const name of differing(bits, found, place)) {
          fields.set(name, (fields.get(name) ?? 0) + 1);
        }
      }
      const first = firsts[kind] as ChangeEntry[];
      if (first.length < most) first.push(walk.entry(found, place));
    }
    at = next;
  }
  const [entered = 0, left = 0, changed = 0] = counts;
  const [came = [], went = [], differ = []] = firsts;
  const first = [...came, ...differ, ...went].slice(0, most);
  const counted = OUTPUT_FIELD_NAMES.flatMap((name) => {
    const count = fields.get(name);
    return count === undefined ? [] : [[name, count] as const];
  });
  return { entered, left, changed, fields: Object.fromEntries(counted), first };
}

const totalsOfLists = new WeakMap<ChangeList, Map<string, ChangeTotals>>();

function totalsOf(list: ChangeList): Map<string, ChangeTotals> {
  let totals = totalsOfLists.get(list);
  if (totals === undefined) {
    totals = new Map();
    totalsOfLists.set(list, totals);
  }
  return totals;
}

/** The bit that shows whether a watched field differs: bit `bit` of the entry's integer `at`. */
interface WatchedBit {
  readonly name: OutputField;
  /** Index of the integer: 3 has the columns that differ, and 4 the days that differ. */
  readonly at: 3 | 4;
  readonly bit: number;
}

/**
 * Returns the bits of watched fields, in field order. Fields that share one bit of the columns have
 * separate bits in the integer for days.
 */
function watchedBits(watch: readonly OutputField[]): WatchedBit[] {
  const days = watchedDays(watch);
  return OUTPUT_FIELD_NAMES.filter((name) => watch.includes(name)).map((name) => {
    const day = days.indexOf(name);
    if (day >= 0) return { name, at: 4, bit: 1 << day };
    return { name, at: 3, bit: columnBit(fieldRow(name).stored.column) };
  });
}

function watchedDays(watch: readonly OutputField[]): OutputField[] {
  return OUTPUT_FIELD_NAMES.filter((name) => {
    return watch.includes(name) && sharesBit(fieldRow(name).stored.column);
  });
}

/** Returns the watched fields that differ in the entry whose numbers start at `place`. */
function differing(
  bits: readonly WatchedBit[],
  found: Uint32Array,
  place: number,
): readonly OutputField[] {
  return bits
    .filter(({ at, bit }) => ((found[place + at] as number) & bit) !== 0)
    .map(({ name }) => name);
}

interface Slice {
  readonly entries: ChangeEntry[];
  readonly counts: Uint32Array;
  readonly next: number;
}

/** Reads a list in slices. If `most` is 0, a slice only counts entries. */
interface Walk {
  slice(from: number, most: number): Slice;
  /** Like `slice`, but returns the entries as numbers. */
  found(from: number, most: number): Pick<Slice, "counts" | "next"> & { found: Uint32Array };
  /** Returns the entry whose numbers begin at a place. */
  entry(found: Uint32Array, place: number): ChangeEntry;
}

/** Returns a reader of the list for a query. */
function walkOf({ list, spec, kinds, watch }: ChangeQuery): Walk {
  const clauses = (segment: Segment): Clause[] => clausesOf(segment, spec.filters);
  const bits = watchedBits(watch);
  const request = {
    older: list.older.native,
    newer: list.newer.native,
    olderClauses: clauses(list.older),
    newerClauses: clauses(list.newer),
    watch: bits.reduce((mask, { at, bit }) => (at === 3 ? (mask | bit) >>> 0 : mask), 0),
    watchDays: Uint32Array.from(watchedDays(watch), (name) => {
      return columnNumber(fieldRow(name).stored.column);
    }),
    kinds: CHANGE_KINDS.reduce((sum, kind, i) => sum + (kinds.includes(kind) ? 1 << i : 0), 0),
  };
  const walk: Walk = {
    found(from, most) {
      const to = Math.min(list.entries, from + SLICE_ENTRIES);
      return guarded(() => list.native.walk({ ...request, from, to, limit: most }));
    },
    entry(found, place) {
      const [index, older, newer] = found.subarray(place, place + NUMBERS);
      const kind = found[place + NUMBERS - 1];
      return {
        index: index as number,
        kind: CHANGE_KINDS[kind as number] as ChangeKind,
        rowOlder: older === NO_ROW ? -1 : (older as number),
        rowNewer: newer === NO_ROW ? -1 : (newer as number),
        changed: differing(bits, found, place),
      };
    },
    slice(from, most) {
      const { found, counts, next } = walk.found(from, most);
      const entries: ChangeEntry[] = [];
      for (let at = 0; at < found.length; at += NUMBERS) entries.push(walk.entry(found, at));
      return { entries, counts, next };
    },
  };
  return walk;
}
