/**
 * Ranks rows (pass 3 of the import): divides the rank order into ranges, sorts each range, and
 * writes record batches. Input: the sort keys of a representative sample; row records spilled by
 * range. Output: split points, and the range of a given key; full record batches for the snapshot
 * writer.
 * Invariant: every row of a range precedes every row of the next range in rank order (score
 * descending, CNPJ ascending). Ranges only bound memory and do not affect the result. Two ranges
 * are in memory: one is read and sorted while the other is converted to columns. Every batch but
 * the last has BATCH_ROWS rows.
 */
import { BATCH_ROWS } from "../../native-index/format/columns.ts";
import type { SnapshotWriter } from "../../native-index/format/snapshot/snapshot.ts";
import { createBatch, createRange } from "../../native-index/napi/engine.ts";
import type { NativeRange } from "../../native-index/napi/import-handles.ts";
import { extentsOf, type SpillFile } from "./spill.ts";

/** The keys by which rows are ranked, as parallel arrays: score, root, and the rest of the CNPJ. */
export interface RankKeys {
  readonly scores: Uint16Array;
  readonly roots: Float64Array;
  readonly rests: Uint32Array;
}

/** Returns keys that split the rows into at most `ranges` ranges of about equal size. */
export function chooseSplits(sample: RankKeys, ranges: number): RankKeys {
  const count = sample.scores.length;
  const order = Array.from({ length: count }, (_, i) => i);
  const score = (i: number): number => sample.scores[i] as number;
  const root = (i: number): number => sample.roots[i] as number;
  const rest = (i: number): number => sample.rests[i] as number;
  order.sort((a, b) => score(b) - score(a) || root(a) - root(b) || rest(a) - rest(b));
  const picked: number[] = [];
  for (let range = 1; range < ranges && count > 0; range++) {
    const row = order[Math.floor((range * count) / ranges)] as number;
    if (picked.at(-1) !== row) picked.push(row);
  }
  return {
    scores: Uint16Array.from(picked, score),
    roots: Float64Array.from(picked, root),
    rests: Uint32Array.from(picked, rest),
  };
}

/**
 * Returns the number of the range that a key belongs to, from 0. It equals the number of split
 * points at or before the key.
 */
export function rangeOf(splits: RankKeys, score: number, root: number, rest: number): number {
  let low = 0;
  let high = splits.scores.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comesBefore(splits, middle, score, root, rest)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function comesBefore(
  splits: RankKeys,
  split: number,
  ...[score, root, rest]: [number, number, number]
): boolean {
  const splitScore = splits.scores[split] as number;
  if (score !== splitScore) return score > splitScore;
  const splitRoot = splits.roots[split] as number;
  if (root !== splitRoot) return root < splitRoot;
  return rest < (splits.rests[split] as number);
}

/** Inputs of `writeRanked`. */
interface RankedRows {
  /** The rows: one spill file for each partition, in order of the partitions. */
  readonly files: readonly SpillFile[];
  /**
   * Counts of companies with the same e-mail or phone (`shared-values.ts`). They replace the
   * provisional count 1 in rows.
   */
  readonly corrections: readonly SpillFile[];
  /** The distinct counts in rows, ascending. */
  readonly numbers: Uint32Array;
}

/** Ranks and writes all ranges; calls `onRows` with the number of rows written. */
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
    // Waits for the previous write, so that at most one batch is written while another is filled.
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
    // Waits for the pending write even after an error, because the file is removed next.
    await writing.catch(() => undefined);
    batch.close();
  }
}

/** Yields all ranges in order. The next one loads while the consumer processes the current one. */
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
    // A failure is reported when the loop below awaits the promise. If an earlier error ends that
    // loop, the promise is not awaited, and an unhandled rejection would end the process.
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
