/**
 * Pass 3 of the import: rows in rank order into record batches.
 * What comes in: row records spilled by range of the rank order.
 * What goes out: full record batches, handed to the snapshot writer.
 * Invariant: one range is in memory at a time; every batch but the last has BATCH_ROWS rows. Apart
 * because each pass of the import has a file.
 */
import { BATCH_ROWS } from "../../native-index/format/columns.ts";
import type { SnapshotWriter } from "../../native-index/format/snapshot.ts";
import { createBatch, rankRecords } from "../../native-index/napi/engine.ts";
import { correctRows } from "./shared-values.ts";
import { bucketBytes, readBucket, type SpillFile } from "./spill.ts";

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
  { files, corrections, numbers }: RankedRows,
  onRows: (rows: number) => void,
): Promise<void> {
  const ranges = (files[0]?.starts.length ?? 1) - 1;
  const sizes = Array.from({ length: ranges }, (_, range) =>
    files.reduce((sum, file) => sum + bucketBytes(file, range), 0),
  );
  const records = Buffer.alloc(Math.max(0, ...sizes));
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  const batch = createBatch(numbers);
  let written = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    const rows = batch.rowCount;
    // At most one batch is on its way to the disk while the next one is filled.
    await writing;
    writing = writer.writeBatch(rows, batch.finish());
    writing.catch(() => undefined);
    written += rows;
    onRows(written);
  };
  for (let range = 0; range < ranges; range++) {
    let end = 0;
    const starts: number[] = [];
    for (const file of files) {
      starts.push(end);
      end = readBucket(file, range, records, end);
    }
    for (const file of corrections) correctRows(view, correctionsOf(file, range), starts);
    const order = rankRecords(records, end);
    let next = 0;
    while (next < order.length) {
      const take = Math.min(order.length - next, BATCH_ROWS - batch.rowCount);
      batch.append(records, order.subarray(next, next + take));
      next += take;
      if (batch.rowCount === BATCH_ROWS) await flush();
      else onRows(written + batch.rowCount);
    }
    await new Promise(setImmediate);
  }
  if (batch.rowCount > 0) await flush();
  await writing;
}

function correctionsOf(file: SpillFile, range: number): DataView {
  const bytes = Buffer.allocUnsafeSlow(bucketBytes(file, range));
  readBucket(file, range, bytes, 0);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
