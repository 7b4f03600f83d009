/**
 * Pass 3 of the import: rows in rank order into record batches.
 * What comes in: row records spilled by range of the rank order.
 * What goes out: full record batches, handed to the snapshot writer.
 * Invariant: two ranges are in memory at a time, one that is read and ordered while the other one
 * is put into columns; every batch but the last has BATCH_ROWS rows. Apart because each pass of the
 * import has a file.
 */
import { BATCH_ROWS } from "../../native-index/format/columns.ts";
import type { SnapshotWriter } from "../../native-index/format/snapshot/snapshot.ts";
import { createBatch, createRange } from "../../native-index/napi/engine.ts";
import type { NativeRange } from "../../native-index/napi/import-handles.ts";
import { extentsOf, type SpillFile } from "./spill.ts";

/** What is ranked. */
interface RankedRows {
  /** Rows of every partition, in their order. */
  readonly files: readonly SpillFile[];
  /** Counts that rows lack; `shared-values.ts`. */
  readonly corrections: readonly SpillFile[];
  /** The numbers that rows name, ascending. */
  readonly numbers: Uint32Array;
}

/** Ranks and writes all ranges; `onRows` is told how many rows are written. */
export async function writeRanked(
  writer: SnapshotWriter,
  rows: RankedRows,
  onRows: (rows: number) => void,
): Promise<void> {
  const batch = createBatch(rows.numbers);
  let written = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    written += batch.rowCount;
    // At most one batch is on its way to the disk while the next one is filled.
    await writing;
    writing = writer.writeCollected(batch);
    writing.catch(() => undefined);
    onRows(written);
  };
  try {
    for await (const { range, count } of loadedRanges(rows)) {
      let next = 0;
      while (next < count) {
        const take = Math.min(count - next, BATCH_ROWS - batch.rowCount);
        batch.appendRange(range, next, take);
        next += take;
        if (batch.rowCount === BATCH_ROWS) await flush();
        else onRows(written + batch.rowCount);
      }
    }
    if (batch.rowCount > 0) await flush();
    await writing;
  } finally {
    // Whatever went wrong, nothing may be on its way to a file that is about to be removed.
    await writing.catch(() => undefined);
    batch.close();
  }
}

/** All ranges, one after another, while the next one is made ready. */
async function* loadedRanges(
  rows: RankedRows,
): AsyncGenerator<{ readonly range: NativeRange; readonly count: number }> {
  const ranges = (rows.files[0]?.starts.length ?? 1) - 1;
  const held = [createRange(), createRange()] as const;
  const load = (number: number): Promise<number> => {
    const extents = (files: readonly SpillFile[]) => files.map((file) => extentsOf(file, number));
    const loading =
      number < ranges
        ? held[(number % 2) as 0 | 1].load(extents(rows.files), extents(rows.corrections))
        : Promise.resolve(0);
    // Whoever waits for it hears of a failure; nobody may, once another one came first.
    loading.catch(() => undefined);
    return loading;
  };
  let ahead = load(0);
  try {
    for (let number = 0; number < ranges; number++) {
      const count = await ahead;
      ahead = load(number + 1);
      yield { range: held[(number % 2) as 0 | 1], count };
    }
  } finally {
    for (const range of held) range.close();
  }
}
