/**
 * Unions of lists, and the only importer of `roaring`. What comes in: the rows that a segment has
 * of several lists. What goes out: the rows that one or more of them hold, for the kernel.
 * Invariant: threads of the package read and write bitmaps. The caller copies their bytes, which
 * are up to an eighth of a byte for each row, makes the union, and has the addon check the result.
 * The package trusts its input, so it gets only bytes that the addon has checked.
 */
import { type NativeRowList, openRowList, rowListBytes } from "../../native-index/napi/engine.ts";
import type { Segment } from "../search/segment.ts";

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
