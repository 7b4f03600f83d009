/**
 * The rows that a snapshot has of a list `exported`. What comes in: the list at a revision, and the
 * rows of an earlier one where they are known. What goes out: the rows as the kernel takes them.
 * Invariant: exact, because such a list only grows; memory is bounded by the rows of the snapshot,
 * not by the list; what is dear is done off the event loop. Apart because lists of a tenant's own
 * are read whole.
 */
import { type NativeRowList, openRowList } from "../../native-index/napi/engine.ts";
import type { Segment } from "../search/segment.ts";
import type { ExportedStore } from "../store/exportedstore.ts";
import type { ListPin } from "../store/listpins.ts";

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
