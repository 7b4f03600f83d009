/**
 * Binds specs to the saved lists that they name, and finds the rows of lists. Input: a normalized
 * spec of a tenant, and a segment. Output: the spec with each list at a fixed revision, called a
 * bound spec, and the rows of the lists in the segment.
 * Invariant: the meaning of a bound spec never changes, so its hash identifies its result. Clients
 * send and see specs with plain ids, never bound specs. Rows are computed off the event loop, once
 * per revision and segment. Rows of `exported`, which only grows, extend those of an earlier
 * revision. Memory is bounded by the rows of the snapshot, not by the list.
 * This is the only importer of `roaring`, whose threads read and write bitmaps. The caller copies
 * the bytes of bitmaps (up to an eighth of a byte per row), makes the union, and has the addon
 * check the result. The package trusts its input, so it receives only bytes that the addon has
 * checked.
 */

import {
  type NativeRowList,
  openRowList,
  rowListBytes,
  sortEntriesAsync,
} from "../../native-index/napi/engine.ts";
import { packageOf } from "../process/latepackage.ts";
import { attachListRows, type SpecLists } from "../search/rowlists.ts";
import type { Segment } from "../search/segment.ts";
import { EXPORTED } from "../spec/listids.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { ListPin } from "../store/blocktable.ts";
import type { ExportedStore } from "../store/exportedstore.ts";
import { type Lists, listNotFound } from "./lists.ts";

/** Max cached sets of rows per segment. A set takes up to an eighth of a byte per row. */
const CACHED_MAX = 64;

/** The name of a file's entries in a bound spec. No saved list can have this name. */
const FILE = "file";

/** Members of a spec that name lists, in the order of their rows. */
const MEMBERS = ["any_of", "exclude"] as const satisfies readonly (keyof SpecLists)[];

/** Rows of the lists that a member of a spec names: one set, or none if it is absent. */
type MemberRows = readonly NativeRowList[];

/** A list at a revision, with the id by which a spec names it. */
export interface NamedPin extends ListPin {
  readonly id: string;
}

interface CachedRows {
  readonly pin: NamedPin;
  rows: NativeRowList | Promise<NativeRowList>;
  /** Maps a spec that names only this list to its bound spec, to which the rows are attached. */
  readonly bound: WeakMap<AccountQuerySpec, AccountQuerySpec>;
}

/** Binds specs to lists. */
export class ListBinder {
  readonly #lists: Lists;
  readonly #rows = new WeakMap<Segment, Map<string, CachedRows>>();
  readonly #unions = new Unions();

  constructor(lists: Lists) {
    this.#lists = lists;
  }

  /** A tenant's lists with their names, except `exported`. */
  names(tenantId: string): { readonly id: string; readonly name: string }[] {
    return this.#lists.names(tenantId);
  }

  /** Returns the spec's lists at their current revisions. Throws `list_not_found`. */
  pins(tenantId: string, { filters: { lists = {} } }: AccountQuerySpec): NamedPin[] {
    const pins = new Map<string, NamedPin>();
    for (const [member, ids] of Object.entries(lists)) {
      ids.forEach((id, at) => {
        const row = this.#lists.seen(tenantId, id);
        if (row === undefined) throw listNotFound(`/spec/filters/lists/${member}/${at}`);
        pins.set(id, { id, list: row.sequence, revision: row.revision });
      });
    }
    return [...pins.values()];
  }

  /** Binds a spec to its lists' current revisions. A promise only if rows are not cached. */
  bind(
    tenantId: string,
    segment: Segment,
    spec: AccountQuerySpec,
  ): AccountQuerySpec | Promise<AccountQuerySpec> {
    if (spec.filters.lists === undefined) return spec;
    const now = this.boundNow(tenantId, segment, spec);
    if (now !== null) return now;
    // The revisions and the blocks of the lists are read in one transaction. Otherwise a revision's
    // blocks might be replaced in between.
    return this.#lists.atOneMoment(() => this.bindTo(this.pins(tenantId, spec), segment, spec));
  }

  /**
   * Synchronously binds a spec to its only list at the current revision. Returns null if the rows
   * are not cached, or if the spec names several lists, which might change between two reads.
   * Repeated calls with the same spec return the same bound spec.
   */
  boundNow(tenantId: string, segment: Segment, spec: AccountQuerySpec): AccountQuerySpec | null {
    const id = onlyListOf(spec);
    const row = id === null ? undefined : this.#lists.seen(tenantId, id);
    if (id === null || row === undefined) return null;
    const pin = { id, list: row.sequence, revision: row.revision };
    const known = this.#known(segment, pin);
    if (known === undefined || known.rows instanceof Promise) return null;
    let bound = known.bound.get(spec);
    if (bound === undefined) {
      const rows = [known.rows];
      const has = (member: keyof SpecLists) => pinsOf(spec, member, [pin]).length > 0;
      bound = boundSpec(spec, [pin]);
      attachRows(
        bound,
        segment,
        MEMBERS.map((member) => (has(member) ? rows : [])),
      );
      known.bound.set(spec, bound);
    }
    return bound;
  }

  /** Binds a spec to lists at given revisions. */
  bindTo(
    pins: readonly NamedPin[],
    segment: Segment,
    spec: AccountQuerySpec,
  ): AccountQuerySpec | Promise<AccountQuerySpec> {
    if (spec.filters.lists === undefined) return spec;
    const bound = boundSpec(spec, pins);
    const rows = MEMBERS.map((member) => this.#memberRows(segment, pinsOf(spec, member, pins)));
    const give = (made: readonly MemberRows[]) => attachRows(bound, segment, made);
    return rows.some((one) => one instanceof Promise)
      ? Promise.all(rows).then(give)
      : give(rows as MemberRows[]);
  }

  /** Like `bindTo`, with rows in several segments. */
  async bindToAll(
    pins: readonly NamedPin[],
    segments: readonly Segment[],
    spec: AccountQuerySpec,
  ): Promise<AccountQuerySpec> {
    if (spec.filters.lists === undefined) return spec;
    const bound = boundSpec(spec, pins);
    for (const segment of segments) {
      const rows = MEMBERS.map((member) => this.#memberRows(segment, pinsOf(spec, member, pins)));
      attachRows(bound, segment, await Promise.all(rows));
    }
    return bound;
  }

  /** Returns the rows of a member's lists; for several lists, their union. */
  #memberRows(segment: Segment, pins: readonly NamedPin[]): MemberRows | Promise<MemberRows> {
    const rows = pins.map((pin) => this.#rowsOf(segment, pin));
    const [only] = rows;
    if (only === undefined) return [];
    const one = rows.length === 1 ? only : this.#unions.of(segment, pins.map(pinName), rows);
    return one instanceof Promise ? one.then((made) => [made]) : [one];
  }

  #rowsOf(segment: Segment, pin: NamedPin): NativeRowList | Promise<NativeRowList> {
    const known = this.#known(segment, pin);
    if (known !== undefined) return known.rows;
    const cached = this.#rows.get(segment) ?? new Map<string, CachedRows>();
    this.#rows.set(segment, cached);
    const rows = this.#make(segment, pin, cached);
    cached.set(pinName(pin), { pin, rows, bound: new WeakMap() });
    if (cached.size > CACHED_MAX) cached.delete(cached.keys().next().value as string);
    return rows;
  }

  /** Returns cached rows of a list, and marks them as most recently used. */
  #known(segment: Segment, pin: NamedPin): CachedRows | undefined {
    const cached = this.#rows.get(segment);
    const key = pinName(pin);
    const known = cached?.get(key);
    if (cached === undefined || known === undefined) return undefined;
    cached.delete(key);
    cached.set(key, known);
    return known;
  }

  /** Computes rows; concurrent callers share the promise. */
  #make(segment: Segment, pin: NamedPin, cached: Map<string, CachedRows>): Promise<NativeRowList> {
    const made =
      pin.id === EXPORTED
        ? exportedRows(segment, this.#lists.exported, pin, newestOf(cached, pin))
        : this.#ownRows(segment, pin);
    return made.then(
      (rows) => {
        const entry = cached.get(pinName(pin));
        if (entry !== undefined) entry.rows = rows;
        return rows;
      },
      (error: unknown) => {
        cached.delete(pinName(pin));
        throw error;
      },
    );
  }

  async #ownRows(segment: Segment, pin: NamedPin): Promise<NativeRowList> {
    const { roaring } = await segment.native.entryRowsAsync(this.#lists.allEntries(pin));
    return openRowList(roaring);
  }
}

/** Returns the id of the only list that a spec names, or null if it names several. */
function onlyListOf({ filters: { lists = {} } }: AccountQuerySpec): string | null {
  const { any_of: included = [], exclude = [] } = lists;
  return included.length + exclude.length === 1 ? ((included[0] ?? exclude[0]) as string) : null;
}

/** Returns the rows of the newest cached revision that is not newer than the wanted one. */
function newestOf(cached: ReadonlyMap<string, CachedRows>, wanted: NamedPin): KnownRows | null {
  let newest: KnownRows | null = null;
  for (const { pin, rows } of cached.values()) {
    if (rows instanceof Promise || pin.list !== wanted.list) continue;
    if (pin.revision > wanted.revision || pin.revision < (newest?.revision ?? 0)) continue;
    newest = { revision: pin.revision, rows };
  }
  return newest;
}

/** Returns a list's name in a bound spec, which is unique across tenants. */
export function pinName({ id, list, revision }: NamedPin): string {
  return `${id === EXPORTED ? `${id}.${-list}` : id}@${revision}`;
}

/** Returns the spec with the revision of each list added to its name. */
export function boundSpec(spec: AccountQuerySpec, pins: readonly NamedPin[]): AccountQuerySpec {
  const { lists } = spec.filters;
  if (lists === undefined) return spec;
  const names = new Map(pins.map((pin) => [pin.id, pinName(pin)]));
  const named = Object.entries(lists).map(([member, ids]) => {
    return [member, ids.map((id) => names.get(id) as string)];
  });
  return { ...spec, filters: { ...spec.filters, lists: Object.fromEntries(named) as SpecLists } };
}

/** Binds a spec to the entries of a file instead of saved lists, in several segments. */
export async function bindToFile(
  spec: AccountQuerySpec,
  segments: readonly Segment[],
  entries: Uint8Array,
): Promise<AccountQuerySpec> {
  const lists: SpecLists = { any_of: [FILE] };
  const bound = { ...spec, filters: { ...spec.filters, lists } };
  const sorted = await sortEntriesAsync(entries);
  for (const segment of segments) {
    const { roaring } = await segment.native.entryRowsAsync(sorted);
    attachRows(bound, segment, [[openRowList(roaring)], []]);
  }
  return bound;
}

/**
 * Attaches rows to a bound spec, by the names of its lists. The message to this thread contains the
 * entries of saved lists. Those of `exported` are too many for a message and are read from the
 * database.
 */
export async function readEntriesInto(
  bound: AccountQuerySpec,
  segment: Segment,
  entries: ReadonlyMap<string, Uint8Array | ListPin>,
  exported: ExportedStore,
): Promise<void> {
  const { lists } = bound.filters;
  if (lists === undefined) return;
  const rows = new Map<string, NativeRowList>();
  for (const [name, own] of entries) {
    if (own instanceof Uint8Array) {
      const { roaring } = await segment.native.entryRowsAsync(own);
      rows.set(name, openRowList(roaring));
    } else rows.set(name, await exportedRows(segment, exported, own));
  }
  const made = MEMBERS.map(async (member): Promise<MemberRows> => {
    const own = (lists[member] ?? []).map((name) => rows.get(name) as NativeRowList);
    return own.length > 1 ? [await unionOf(own)] : own;
  });
  attachRows(bound, segment, await Promise.all(made));
}

function pinsOf(
  { filters: { lists } }: AccountQuerySpec,
  member: keyof SpecLists,
  pins: readonly NamedPin[],
): NamedPin[] {
  return (lists?.[member] ?? []).flatMap((id) => pins.find((pin) => pin.id === id) ?? []);
}

function attachRows(
  bound: AccountQuerySpec,
  segment: Segment,
  [anyOf = [], exclude = []]: readonly MemberRows[],
): AccountQuerySpec {
  const rows = { any_of: anyOf, exclude };
  attachListRows(bound.filters.lists as SpecLists, segment, rows);
  return bound;
}

/** Max cached unions per segment; one takes up to an eighth of a byte per row. */
const UNIONS_MAX = 16;

/** Returns the rows in at least one of the lists. The first call loads `roaring`. */
export async function unionOf(lists: readonly NativeRowList[]): Promise<NativeRowList> {
  const { RoaringBitmap32 } = packageOf(await import("roaring"));
  const read = lists.map((list) =>
    RoaringBitmap32.deserializeAsync(rowListBytes(list), "portable"),
  );
  const union = RoaringBitmap32.orMany(await Promise.all(read));
  return openRowList(await union.serializeAsync("portable"));
}

/** Caches unions of rows, by segment and by the names and revisions of their lists. */
export class Unions {
  readonly #cache = new WeakMap<Segment, Map<string, NativeRowList | Promise<NativeRowList>>>();

  /** Returns the union of lists, synchronously if cached. Rejects like the rows of a list. */
  of(
    segment: Segment,
    names: readonly string[],
    rows: readonly (NativeRowList | Promise<NativeRowList>)[],
  ): NativeRowList | Promise<NativeRowList> {
    const cached =
      this.#cache.get(segment) ?? new Map<string, NativeRowList | Promise<NativeRowList>>();
    this.#cache.set(segment, cached);
    const key = [...names].sort().join(" ");
    const known = cached.get(key) ?? this.#make(cached, key, rows);
    // The most recently used entry is last.
    cached.delete(key);
    cached.set(key, known);
    if (cached.size > UNIONS_MAX) cached.delete(cached.keys().next().value as string);
    return known;
  }

  /** Computes a union; concurrent callers share the promise. */
  async #make(
    cached: Map<string, NativeRowList | Promise<NativeRowList>>,
    key: string,
    rows: readonly (NativeRowList | Promise<NativeRowList>)[],
  ): Promise<NativeRowList> {
    try {
      const union = await unionOf(await Promise.all(rows));
      if (cached.has(key)) cached.set(key, union);
      return union;
    } catch (error) {
      cached.delete(key);
      throw error;
    }
  }
}

/** Blocks per read: a few megabytes. */
const BLOCKS_PER_TRANSACTION = 512;

/** Rows of a cached earlier revision of the same list. */
interface KnownRows {
  readonly revision: number;
  readonly rows: NativeRowList;
}

/** Computes the rows of `exported`; reads the list when called. */
function exportedRows(
  segment: Segment,
  store: ExportedStore,
  pin: ListPin,
  known: KnownRows | null = null,
): Promise<NativeRowList> {
  return store.atOnce(async (reader) => {
    const ids = reader.idsSince(pin, known?.revision ?? 0);
    let rows = known?.rows ?? null;
    for (let from = 0; from < ids.length || rows === null; from += BLOCKS_PER_TRANSACTION) {
      const some = ids.slice(from, from + BLOCKS_PER_TRANSACTION);
      const blocks = Buffer.concat(some.map((id) => reader.entriesOf(id)));
      const { roaring } = await segment.native.blockRowsAsync(blocks, rows);
      rows = openRowList(roaring);
    }
    return rows;
  });
}
