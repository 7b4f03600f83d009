/**
 * Counts, over the whole registry, how many companies share each e-mail or phone. Input: the
 * e-mails and phones (values) of each joined row, its company, and its position. Output:
 * corrections, spilled by range of the rank order. A correction says how many companies share one
 * value of a row. A row without a correction keeps the count 1.
 * Invariant: a company counts once per value, even if several of its rows or phones have it. Equal
 * values share a bucket, so memory is bounded by the size of a bucket.
 * A correction has four u32: the partition, the row's offset, the position of the count in the row,
 * and the count.
 */
import { countShared } from "../../native-index/napi/engine.ts";
import { bucketBytes, prefetchBucket, readBucket, type SpillFile, spillFileOf } from "./spill.ts";

/** Bytes of a correction. */
export const CORRECTION_BYTES = 16;

/** Position of a row among the joined rows of its partition. */
export interface RowPlace {
  readonly range: number;
  /** Offset in bytes from the first row of the range. */
  readonly offset: number;
}

/** A bucket of values to count, read from the spill files of all partitions. */
export interface CountTask {
  readonly bucket: number;
  /** Number of threads. Each prefetches the bucket `bucket + ahead`, probably its next one. */
  readonly ahead: number;
  /** One spill file of values for each partition, in order. */
  readonly values: readonly SpillFile[];
  readonly path: string;
  readonly ranges: number;
  readonly slotBytes: number;
}

/** Result of a bucket. */
export interface CountResult {
  readonly corrections: SpillFile;
  /** The different numbers of companies that share a value of this bucket, ascending. */
  readonly counts: Uint32Array;
}

/** Counts a bucket in the addon. */
export function countNatively(task: CountTask): CountResult {
  const { bucket, ahead, values, path, ranges, slotBytes } = task;
  const entries = values.map((spill) => bucketOf(spill, bucket));
  for (const spill of values) prefetchBucket(spill, bucket + ahead);
  const { extents, counts } = countShared({ path, ranges, slotBytes, entries });
  return { corrections: spillFileOf(path, ranges, extents), counts };
}

/** Writes the corrected counts into rows. `starts` has the offset of each partition in `rows`. */
export function correctRows(
  rows: DataView,
  corrections: DataView,
  starts: readonly number[],
): void {
  for (let at = 0; at < corrections.byteLength; at += CORRECTION_BYTES) {
    const start = starts[corrections.getUint32(at, true)] as number;
    const place = start + corrections.getUint32(at + 4, true) + corrections.getUint32(at + 8, true);
    rows.setUint32(place, corrections.getUint32(at + 12, true), true);
  }
}

function bucketOf(spill: SpillFile, bucket: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(bucketBytes(spill, bucket));
  readBucket(spill, bucket, bytes, 0);
  return bytes;
}
