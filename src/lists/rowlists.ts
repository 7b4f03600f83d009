/**
 * The rows that a segment has of lists: of a list `exported`, and of unions of several lists.
 * Input: lists at a revision, and the rows of an earlier one if they are known. Output: the rows as
 * the kernel takes them.
 * Invariant: the rows of `exported` are exact, because such a list only grows; memory is bounded by
 * the rows of the snapshot, not by the list. This is the only importer of `roaring`. Threads of
 * that package read and write bitmaps: the caller copies their bytes, which are up to an eighth of
 * a byte for each row, makes the union, and has the addon check the result. The package trusts its
 * input, so it gets only bytes that the addon has checked.
 */
import { type NativeRowList, openRowList, rowListBytes } from "../../native-index/napi/engine.ts";
import type { Segment } from "../search/segment.ts";
import type { ListPin } from "../store/blocktable.ts";
import type { ExportedStore } from "../store/exportedstore.ts";

/** Unions that are kept for a segment; one takes up to an eighth of a byte for each row. */
const KEPT_MAX = 16;

/** The rows that one or more of the lists hold; the package is loaded by the first that asks. */
export async function unionOf(lists: readonly NativeRowList[]): Promise<NativeRowList> {
  const { default: roaring } = await import("roaring");
  const { RoaringBitmap32 } = roaring;
  const read = lists.map((list) =>
    RoaringBitmap32.deserializeAsync(rowListBytes(list), "portable"),
  );
  const union = RoaringBitmap32.orMany(await Promise.all(read));
  return openRowList(await union.serializeAsync("portable"));
}

/** Unions by segment and by the names of their lists at their revisions. */
export class Unions {
  readonly #kept = new WeakMap<Segment, Map<string, NativeRowList | Promise<NativeRowList>>>();

  /** The union of lists; at once where it was made before. Rejects where the rows of one do. */
  of(
    segment: Segment,
    names: readonly string[],
    rows: readonly (NativeRowList | Promise<NativeRowList>)[],
  ): NativeRowList | Promise<NativeRowList> {
    const kept =
      this.#kept.get(segment) ?? new Map<string, NativeRowList | Promise<NativeRowList>>();
    this.#kept.set(segment, kept);
    const key = [...names].sort().join(" ");
    const known = kept.get(key) ?? this.#make(kept, key, rows);
    // The youngest stands last.
    kept.delete(key);
    kept.set(key, known);
    if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value as string);
    return known;
  }

  /** Begins to make one; all who ask meanwhile wait for the same. */
  async #make(
    kept: Map<string, NativeRowList | Promise<NativeRowList>>,
    key: string,
    rows: readonly (NativeRowList | Promise<NativeRowList>)[],
  ): Promise<NativeRowList> {
    try {
      const union = await unionOf(await Promise.all(rows));
      if (kept.has(key)) kept.set(key, union);
      return union;
    } catch (error) {
      kept.delete(key);
      throw error;
    }
  }
}

/** Blocks that are read at a time: a few megabytes. */
const BLOCKS_AT_ONCE = 512;

/** What is known of an earlier revision of the same list. */
export interface KnownRows {
  readonly revision: number;
  readonly rows: NativeRowList;
}

/** Makes the rows; the list is read as it is when this is called. */
export function exportedRows(
  segment: Segment,
  store: ExportedStore,
  pin: ListPin,
  known: KnownRows | null = null,
): Promise<NativeRowList> {
  return store.atOnce(async (reader) => {
    const ids = reader.idsSince(pin, known?.revision ?? 0);
    let rows = known?.rows ?? null;
    for (let from = 0; from < ids.length || rows === null; from += BLOCKS_AT_ONCE) {
      const some = ids.slice(from, from + BLOCKS_AT_ONCE);
      const blocks = Buffer.concat(some.map((id) => reader.entriesOf(id)));
      const { roaring } = await segment.native.blockRowsAside(blocks, rows);
      rows = openRowList(roaring);
    }
    return rows;
  });
}
