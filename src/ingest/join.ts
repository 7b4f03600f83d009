/**
 * Pass 2 of the import: joins one partition of establishments with its companies, and scores the
 * rows. Input: the spill files of pass 1, and the tables from provisional numbers to dictionary
 * codes. Output: finished row records, spilled by range of the rank order; or a sample of sort
 * keys, from which the ranges are chosen.
 * Invariant: files are read in the order of their part numbers. If several rows have the same CNPJ,
 * the first one is used. If a company has several rows, the first one with a name is used. The C++
 * addon does the work, with one copy of a partition's spill records in memory. Its output is byte
 * for byte that of the reference implementation, test/support/ingest/join.ts.
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

/** A spill file of pass 1, and the tables that map its provisional numbers to dictionary codes. */
export interface JoinFile {
  readonly spill: SpillFile;
  readonly remaps: AllRemaps;
}

/** Input of the join that is the same for all partitions. It is sent to each thread once. */
export interface JoinContext {
  /** Null if rows already include their company's data (imports from columns). */
  readonly companies: readonly JoinFile[] | null;
  readonly simples: readonly SpillFile[];
  readonly establishments: readonly JoinFile[];
  /**
   * Maps `uf * tomCount + tom` to an IBGE code. State, TOM code, and IBGE code are positions in
   * their dictionaries. The null value of a u16 means that there is no municipality.
   */
  readonly ibge: Uint16Array;
  readonly tomCount: number;
  /** Ordinal of the TOM code that means "abroad" and has no municipality; -1 if absent. */
  readonly tomAbroad: number;
  /** Ordinal of the state `EX` (abroad). */
  readonly ufAbroad: number;
  /** Dictionary ordinal of the activity "not informed"; -1 if absent. */
  readonly cnaeNotInformed: number;
  /** The CNPJs on each public list; null if it was not imported. `sanctioned` is the CEIS. */
  readonly sanctioned: ReadonlySet<string> | null;
  readonly cnep: ReadonlySet<string> | null;
  readonly cepim: ReadonlySet<string> | null;
  /** Federal debts by company root (`debts.ts`); null if they were not imported. */
  readonly debts: SpillFile | null;
  readonly snapshotDay: number;
  readonly slotBytes: number;
  /** Domains of public mail providers. */
  readonly providers: ReadonlySet<string>;
}

/** A partition to join. */
export interface JoinTask {
  readonly partition: number;
  /**
   * Number of threads. Each prefetches the partition `partition + ahead`, probably its next one.
   */
  readonly ahead: number;
  readonly spillPath: string;
  /** Path of the spill file for e-mails and phones, and the number of its buckets. */
  readonly valuesPath: string;
  readonly valueBuckets: number;
  readonly splits: RankKeys;
  /** Shared counter: KiB of establishments joined so far. */
  readonly progress: Int32Array;
}

/** Result of one partition. */
export interface JoinResult {
  readonly spill: SpillFile;
  readonly values: SpillFile;
  /** The different numbers of active establishments that the companies have, ascending. */
  readonly establishments: Uint32Array;
  readonly rows: number;
  readonly companies: number;
  readonly tally: TallyResult;
}

/** Joins one partition, spills its rows, and frees its disk space in the spill files of pass 1. */
export function joinNatively(context: JoinContext, task: JoinTask): JoinResult {
  const { splits, spillPath, valuesPath, valueBuckets } = task;
  const input = inputOf(context, task.partition, takeBucket);
  // Prefetches the next partition while this thread joins the current one. Otherwise the join would
  // wait for the disk at each part of the spill file.
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

/** The spill files of all inputs. */
export function spillsOf({ companies, simples, establishments, debts }: JoinContext): SpillFile[] {
  const files = [...(companies ?? []), ...establishments].map(({ spill }) => spill);
  return [...files, ...simples, ...(debts === null ? [] : [debts])];
}

/** Returns the sort keys of every `stride`-th row of a partition. Frees no disk space. */
export function sampleNatively(context: JoinContext, partition: number, stride: number): RankKeys {
  const { scores, roots, rests } = samplePartition(inputOf(context, partition, readBucket), stride);
  return { scores: Uint16Array.from(scores), roots, rests };
}

/** Reads one partition of a spill file into a large enough buffer. */
type ReadBucket = (spill: SpillFile, partition: number, bytes: Buffer, at: number) => unknown;

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
    sanctioned: cnpjListOf(context.sanctioned),
    cnep: cnpjListOf(context.cnep),
    cepim: cnpjListOf(context.cepim),
    debts: context.debts === null ? null : [records(context.debts)],
    providers: providersOf(context),
  };
}

function tablesOf(remaps: AllRemaps): Record<(typeof CODE_KINDS)[number], Uint8Array> {
  const entries = CODE_KINDS.map((kind) => [kind, bytesOf(remaps[kind])]);
  return Object.fromEntries(entries) as ReturnType<typeof tablesOf>;
}

/** The bytes of an array, without a copy. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Caches each list in the format that the addon reads. */
const cnpjLists = new WeakMap<ReadonlySet<string>, Uint8Array>();

function cnpjListOf(listed: ReadonlySet<string> | null): Uint8Array | null {
  if (listed === null) return null;
  const known = cnpjLists.get(listed);
  if (known !== undefined) return known;
  const cnpjs = [...listed].filter((cnpj) => cnpj.length === CNPJ_LENGTH);
  const list = Buffer.from(cnpjs.sort().join(""), "latin1");
  cnpjLists.set(listed, list);
  return list;
}

/** Caches the domains of mail providers in the format that the addon reads, by context. */
const providers = new WeakMap<JoinContext, Uint8Array>();

function providersOf(context: JoinContext): Uint8Array {
  const known = providers.get(context);
  if (known !== undefined) return known;
  const lines = Buffer.from([...context.providers].map((domain) => `${domain}\n`).join(""));
  providers.set(context, lines);
  return lines;
}

const CNPJ_LENGTH = 14;
