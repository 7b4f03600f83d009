/**
 * Pass 2 of the import: one partition of establishments meets its companies and is scored.
 * What comes in: the spill files of pass 1 and the tables that turn provisional numbers into
 * dictionary codes.
 * What goes out: finished row records, spilled by range of the rank order; or the keys of some,
 * from which the ranges are chosen.
 * Invariant: files are read in part order, so of two equal CNPJs the first row by (part, line)
 * stays, and of two equal companies the first that has a name. The addon does the work; the spill
 * records of one partition are in memory, once. Bytes, extents, counts, examples and keys are those
 * of the twin, test/support/ingest/join.ts.
 */
import { joinPartition, samplePartition } from "../../native-index/napi/engine.ts";
import { type AllRemaps, CODE_KINDS } from "./dictionaries.ts";
import type { RankKeys } from "./rank.ts";
import {
  bucketBytes,
  prefetchBucket,
  readBucket,
  type SpillFile,
  spillFileOf,
  takeBucket,
} from "./spill.ts";
import { type TallyResult, tallyOf } from "./tally.ts";

/** A spill file of pass 1 with the dictionary codes of its provisional numbers. */
export interface JoinFile {
  readonly spill: SpillFile;
  readonly remaps: AllRemaps;
}

/** What is the same for all partitions; given to every thread once. */
export interface JoinContext {
  /** Null when the rows already hold what their company gives them (columns as source). */
  readonly companies: readonly JoinFile[] | null;
  readonly simples: readonly SpillFile[];
  readonly establishments: readonly JoinFile[];
  /** IBGE ordinal by `uf * tomCount + tom`, both ordinals; null (u16) where there is none. */
  readonly ibge: Uint16Array;
  readonly tomCount: number;
  /** TOM ordinal of "abroad", which has no municipality; -1 for none. */
  readonly tomAbroad: number;
  /** State ordinal of `EX`. */
  readonly ufAbroad: number;
  /** Dictionary ordinal of the activity "not informed"; -1 for none. */
  readonly cnaeNotInformed: number;
  /** Sanctioned CNPJs; null when no list was imported. */
  readonly sanctioned: ReadonlySet<string> | null;
  readonly snapshotDay: number;
  readonly slotBytes: number;
  /** Domains of public mail providers. */
  readonly providers: ReadonlySet<string>;
}

/** One partition. With `stride` only the keys of every so-manieth row are gathered. */
export interface JoinTask {
  readonly partition: number;
  /** The thread will probably join `partition + ahead` next: the number of threads. */
  readonly ahead: number;
  readonly spillPath: string;
  /** The file of its e-mails and phones, and in how many buckets these are spilled. */
  readonly valuesPath: string;
  readonly valueBuckets: number;
  readonly splits: RankKeys;
  /** Shared counter: KiB of establishments joined so far. */
  readonly progress: Int32Array;
}

/** What one partition gave. */
export interface JoinResult {
  readonly spill: SpillFile;
  readonly values: SpillFile;
  /** Numbers of active establishments that its companies have, ascending. */
  readonly establishments: Uint32Array;
  readonly rows: number;
  readonly companies: number;
  readonly tally: TallyResult;
}

/** Joins one partition and spills its rows; the spill files of pass 1 lose theirs. */
export function joinNatively(context: JoinContext, task: JoinTask): JoinResult {
  const { splits, spillPath, valuesPath, valueBuckets } = task;
  const input = inputOf(context, task.partition, takeBucket);
  // The disk reads them while this thread joins; otherwise it waits for extent after extent.
  for (const spill of spillsOf(context)) prefetchBucket(spill, task.partition + task.ahead);
  const found = joinPartition({
    ...input,
    ...{ path: spillPath, slotBytes: context.slotBytes, valuesPath, valueBuckets },
    splits: { ...splits, scores: bytesOf(splits.scores) },
  });
  const read = input.establishments.reduce((sum, { records }) => sum + records.length, 0);
  Atomics.add(task.progress, 0, read >> 10);
  const { rows, companies } = found;
  const spill = spillFileOf(spillPath, splits.scores.length + 1, found.extents);
  const values = spillFileOf(valuesPath, valueBuckets, found.values);
  const { establishments: met } = found;
  const counted = { values, establishments: Uint32Array.from(met) };
  return { spill, ...counted, rows, companies, tally: tallyOf("", found) };
}

/** The files that partitions are read from. */
export function spillsOf({ companies, simples, establishments }: JoinContext): SpillFile[] {
  return [...[...(companies ?? []), ...establishments].map(({ spill }) => spill), ...simples];
}

/** Sort keys of every `stride`-th row of a partition; nothing is taken from the spill files. */
export function sampleNatively(context: JoinContext, partition: number, stride: number): RankKeys {
  const { scores, roots, rests } = samplePartition(inputOf(context, partition, readBucket), stride);
  return { scores: Uint16Array.from(scores), roots, rests };
}

/** Reads one partition of a spill file into bytes that have room for it. */
type ReadBucket = (spill: SpillFile, partition: number, bytes: Buffer, at: number) => unknown;

/** A partition as the addon reads it. */
function inputOf(context: JoinContext, partition: number, read: ReadBucket) {
  const records = (spill: SpillFile): Uint8Array => {
    const bytes = Buffer.allocUnsafeSlow(bucketBytes(spill, partition));
    read(spill, partition, bytes, 0);
    return bytes;
  };
  const { tomCount, tomAbroad, ufAbroad, cnaeNotInformed, snapshotDay } = context;
  const companies = context.companies?.map(({ spill, remaps }) => ({
    records: records(spill),
    nature: bytesOf(remaps.nature),
  }));
  return {
    companies: companies ?? null,
    simples: context.simples.map(records),
    establishments: context.establishments.map(({ spill, remaps }) => ({
      records: records(spill),
      ...tablesOf(remaps),
    })),
    ...{ tomCount, tomAbroad, ufAbroad, cnaeNotInformed, snapshotDay },
    ibge: bytesOf(context.ibge),
    sanctioned: sanctionedOf(context),
    providers: providersOf(context),
  };
}

function tablesOf(remaps: AllRemaps): Record<(typeof CODE_KINDS)[number], Uint8Array> {
  const entries = CODE_KINDS.map((kind) => [kind, bytesOf(remaps[kind])]);
  return Object.fromEntries(entries) as ReturnType<typeof tablesOf>;
}

/** The bytes of numbers, in place. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Lists of sanctions as the addon reads them, by the context that they belong to. */
const sanctions = new WeakMap<JoinContext, Uint8Array>();

function sanctionedOf(context: JoinContext): Uint8Array | null {
  if (context.sanctioned === null) return null;
  const known = sanctions.get(context);
  if (known !== undefined) return known;
  const cnpjs = [...context.sanctioned].filter((cnpj) => cnpj.length === CNPJ_LENGTH);
  const list = Buffer.from(cnpjs.sort().join(""), "latin1");
  sanctions.set(context, list);
  return list;
}

/** Domains of mail providers as the addon reads them, by the context that they belong to. */
const providers = new WeakMap<JoinContext, Uint8Array>();

function providersOf(context: JoinContext): Uint8Array {
  const known = providers.get(context);
  if (known !== undefined) return known;
  const lines = Buffer.from([...context.providers].map((domain) => `${domain}\n`).join(""));
  providers.set(context, lines);
  return lines;
}

const CNPJ_LENGTH = 14;
