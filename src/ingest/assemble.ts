/**
 * The second half of every import: joins, ranks, and indexes the rows. Input: spilled rows, and the
 * snapshot's metadata without the number of accounts. Output: the snapshot at its path, and the
 * counts of the join.
 * Invariant: the result does not depend on the number of threads, partitions, or ranges.
 *
 * Memory in MB for the 72 million rows of a full base on 2 threads. Pass 1: 115 for the write
 * buffers (2 threads with 875 buckets of 64 KiB), and about 30 per thread. Pass 2: 110 in all. Each
 * thread has a partition (20 for establishments, 10 for companies, 10 for tables) and 195 write
 * buffers of 64 KiB, which take 13. The tables of byte ranges in the spill files take 4. Pass 3:
 * one range of rows takes 96 to 120, and its keys 10. A record batch of 2^20 rows takes 240, twice
 * during the transfer. All stays under 1 GB. `native-index` describes the memory for building the
 * index.
 */
import { rmSync } from "node:fs";
import {
  createSnapshotWriter,
  type SnapshotMeta,
} from "../../native-index/format/snapshot/snapshot.ts";
import { CommandError } from "../errors.ts";
import { type JoinContext, type JoinResult, spillsOf } from "./join.ts";
import { chooseSplits, writeRanked } from "./rank.ts";
import type { CountResult } from "./shared-values.ts";
import { bucketBytes } from "./spill.ts";
import { mergeTallies, type TallyResult } from "./tally.ts";
import { shareValue, type Threads } from "./threads.ts";
import type { Workspace } from "./workspace.ts";

/** Bytes of row records that are ranked together, as one range. */
const RANGE_BYTES = 96 * 2 ** 20;

/** Rows sampled to choose the ranges. */
const SAMPLE_ROWS = 20_000;

/** Typical bytes of a spilled establishment. */
const ROW_BYTES = 200;

/**
 * Max number of different counts, because rows store a count as a 16-bit code. An example of a
 * count is "establishments of the company".
 */
const NUMBERS_MAX = 0xffff;

/** Milliseconds between updates of progress. */
const PROGRESS_MS = 100;

/** A display of progress, which `src/cli/support/progress.ts` implements. */
interface StageDisplay {
  update(done: number): void;
  done(): void;
}

/** Starts the display of a stage; `total` counts `unit`s. */
export type StartStage = (label: string, total: number, unit: string) => StageDisplay;

/** Seconds that each pass took. */
export interface PassTime {
  readonly pass: string;
  readonly seconds: number;
}

/** Inputs of `assemble`. */
interface Assembly {
  readonly out: string;
  readonly workspace: Workspace;
  readonly threads: Threads;
  readonly partitions: number;
  readonly context: JoinContext;
  /**
   * The section OWNERS of the snapshot (native-index/format/snapshot/owners.ts); null without
   * `--corporate-partners`.
   */
  readonly owners?: Uint8Array | null;
  /**
   * Returns the metadata of a snapshot with this many accounts. Rows store counts as codes;
   * `numbers` has the count of each code, ascending.
   */
  readonly metaOf: (accounts: number, numbers: Uint32Array) => SnapshotMeta;
  /** Throws if a snapshot with this many accounts must not be written. */
  readonly approve: (accounts: number) => void;
  readonly startStage: StartStage;
}

/** Result of `assemble`. */
export interface Assembled {
  readonly meta: SnapshotMeta;
  readonly accounts: number;
  readonly companies: number;
  readonly tally: TallyResult;
  readonly times: readonly PassTime[];
}

/** Joins, ranks, and writes the rows, then builds the index. */
export async function assemble(assembly: Assembly): Promise<Assembled> {
  const times: PassTime[] = [];
  const joined = await timed(times, "join", () => joinAll(assembly));
  const accounts = joined.reduce((sum, { rows }) => sum + rows, 0);
  assembly.approve(accounts);
  const counted = await timed(times, "count", () => countAll(assembly, joined));
  const numbers = numbersOf(joined, counted);
  const meta = assembly.metaOf(accounts, numbers);
  const writer = createSnapshotWriter(assembly.out, meta);
  try {
    await timed(times, "rank", async () => {
      const stage = assembly.startStage("rank", accounts, "rows");
      const files = joined.map(({ spill }) => spill);
      const corrections = counted.map((one) => one.corrections);
      await writeRanked(writer, { files, corrections, numbers }, (rows) => stage.update(rows));
      for (const { path } of [...files, ...corrections]) rmSync(path, { force: true });
      stage.done();
    });
    await timed(times, "index", async () => {
      const stage = assembly.startStage("index", accounts, "rows");
      const progress = new Uint32Array(new SharedArrayBuffer(4));
      const step = (): void => stage.update(((progress[0] as number) * accounts) / 1000);
      const { size: threads } = assembly.threads;
      const { owners = null } = assembly;
      await watched(step, () => writer.finish({ threads, progress, owners }));
      stage.done();
    });
  } catch (error) {
    writer.abandon();
    throw error;
  }
  const companies = joined.reduce((sum, partition) => sum + partition.companies, 0);
  return {
    meta,
    accounts,
    companies,
    tally: mergeTallies(joined.map(({ tally }) => tally)),
    times,
  };
}

async function joinAll(assembly: Assembly): Promise<JoinResult[]> {
  const { context, partitions, workspace } = assembly;
  const spills = context.establishments.map(({ spill }) => spill);
  const sizes = Array.from({ length: partitions }, (_, partition) =>
    spills.reduce((sum, spill) => sum + bucketBytes(spill, partition), 0),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const stage = assembly.startStage("join", Math.round(bytes / 2 ** 20), "MB");
  const progress = new Int32Array(new SharedArrayBuffer(4));
  const shared = shareValue(context);
  // Rows are distributed by a hash, so one partition is a fair sample of all.
  const stride = Math.max(1, Math.floor((sizes[0] as number) / ROW_BYTES / SAMPLE_ROWS));
  const sample = { partition: 0, stride, context: shared };
  const [keys] = await assembly.threads.run("sample", [sample]);
  if (keys === undefined) throw new Error("no sample was taken");
  const splits = chooseSplits(keys, Math.ceil((bytes * 1.25) / RANGE_BYTES));
  const tasks = sizes.map((_, partition) => ({
    partition,
    ahead: assembly.threads.size,
    spillPath: workspace.file(`rows-${partition}`),
    valuesPath: workspace.file(`values-${partition}`),
    valueBuckets: partitions,
    splits,
    progress,
    context: shared,
  }));
  const step = (): void => stage.update(Atomics.load(progress, 0) / 1024);
  const results = await watched(step, () => {
    const running = assembly.threads.run("join", tasks);
    // Calculates the metadata while the threads join, because only the number of accounts is still
    // missing.
    assembly.metaOf(0, new Uint32Array());
    return running;
  });
  stage.done();
  for (const { path } of spillsOf(context)) rmSync(path, { force: true });
  return results;
}

/** Counts how many companies use each e-mail and phone. Each partition has one bucket. */
async function countAll(
  { context, partitions, threads, workspace, startStage }: Assembly,
  joined: readonly JoinResult[],
): Promise<CountResult[]> {
  const values = shareValue(joined.map((partition) => partition.values));
  const ranges = (joined[0]?.spill.starts.length ?? 2) - 1;
  const stage = startStage("count", partitions, "buckets");
  let done = 0;
  const tasks = Array.from({ length: partitions }, (_, bucket) => ({
    ...{ bucket, ahead: threads.size, values, ranges, slotBytes: context.slotBytes },
    path: workspace.file(`shared-${bucket}`),
  }));
  const results = await threads.run("count", tasks, () => stage.update(++done));
  stage.done();
  for (const { values: spill } of joined) rmSync(spill.path, { force: true });
  return results;
}

/** Returns the different counts in rows, ascending. @throws CommandError for too many. */
function numbersOf(joined: readonly JoinResult[], counted: readonly CountResult[]): Uint32Array {
  const numbers = new Set([1]);
  for (const { establishments } of joined) for (const one of establishments) numbers.add(one);
  for (const { counts } of counted) for (const one of counts) numbers.add(one);
  // Never thrown in practice: a count of k needs k rows, so 65,536 different counts need 2^31 rows.
  if (numbers.size <= NUMBERS_MAX) return Uint32Array.from(numbers).sort();
  throw new CommandError(`${numbers.size} different counts; ${NUMBERS_MAX} fit`);
}

/** Measures a pass. */
export async function timed<Value>(
  times: PassTime[],
  pass: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const started = performance.now();
  const value = await work();
  times.push({ pass, seconds: (performance.now() - started) / 1000 });
  return value;
}

/** Calls `step` at intervals while `work` runs. */
export async function watched<Value>(step: () => void, work: () => Promise<Value>): Promise<Value> {
  const timer = setInterval(step, PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
