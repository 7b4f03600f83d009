/**
 * Pass 2 of the import in the addon: one partition, joined and scored.
 * What comes in: the context of the join and the task, as `join.ts` draws them.
 * What goes out: the result of the join.
 * Invariant: bytes, extents, counts and examples are those of the join in TypeScript, its twin,
 * which also takes the sample that gives the ranges. The spill records of one partition are in
 * memory, once.
 */
import { joinPartition } from "../../native-index/napi/engine.ts";
import { type AllRemaps, CODE_KINDS } from "./codes.ts";
import type { JoinContext, JoinResult, JoinTask } from "./join.ts";
import { bucketBytes, type SpillFile, spillFileOf, takeBucket } from "./spill.ts";
import { tallyOf } from "./tally.ts";

/** Joins one partition and spills its rows. */
export function joinNatively(context: JoinContext, task: JoinTask): JoinResult {
  const { partition, splits } = task;
  const records = (spill: SpillFile): Uint8Array => bucketOf(spill, partition);
  const establishments = context.establishments.map(({ spill, remaps }) => ({
    records: records(spill),
    ...tablesOf(remaps),
  }));
  const { ibge, tomCount, tomAbroad, ufAbroad, cnaeNotInformed, snapshotDay, slotBytes } = context;
  const found = joinPartition({
    ...{ path: task.spillPath, slotBytes, establishments },
    ...{ valuesPath: task.valuesPath, valueBuckets: task.valueBuckets },
    providers: providersOf(context),
    ...{ tomCount, tomAbroad, ufAbroad, cnaeNotInformed, snapshotDay },
    companies:
      context.companies?.map(({ spill, remaps }) => ({
        records: records(spill),
        nature: bytesOf(remaps.nature),
      })) ?? null,
    simples: context.simples.map(records),
    splits: { ...splits, scores: bytesOf(splits.scores) },
    ibge: bytesOf(ibge),
    sanctioned: sanctionedOf(context),
  });
  const read = establishments.reduce((sum, file) => sum + file.records.length, 0);
  Atomics.add(task.progress, 0, read >> 10);
  const { rows, companies } = found;
  const spill = spillFileOf(task.spillPath, splits.scores.length + 1, found.extents);
  const values = spillFileOf(task.valuesPath, task.valueBuckets, found.values);
  const { establishments: met } = found;
  const counted = { values, establishments: Uint32Array.from(met) };
  return { spill, ...counted, rows, companies, tally: tallyOf("", found) };
}

/** The records of one partition in a file, which has them no longer. */
function bucketOf(spill: SpillFile, partition: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(bucketBytes(spill, partition));
  takeBucket(spill, partition, bytes, 0);
  return bytes;
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
