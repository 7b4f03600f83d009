/**
 * The worker thread of an import. Input: tasks of passes 1 and 2; the context of the join, in
 * shared memory. Output: their results as plain values.
 * Invariant: each task writes only the spill file that belongs to it.
 */
import { deserialize } from "node:v8";
import { specificReason } from "../dump/archive.ts";
import { CommandError } from "../errors.ts";
import { worker } from "../process/tasks.ts";
import {
  type JoinContext,
  type JoinResult,
  type JoinTask,
  joinNatively,
  sampleNatively,
} from "./join.ts";
import type { RankKeys } from "./rank.ts";
import { type ScanResult, type ScanTask, scanNatively } from "./scan/scan.ts";
import { type CountResult, type CountTask, countNatively } from "./shared-values.ts";

/**
 * An answer of a thread. Refusals are sent as text, because an error loses its class in transfer
 * and only a `CommandError` may be shown without a stack. System errors are sent as fields, because
 * they would lose code and path.
 */
export type IngestAnswer<Value> =
  | { readonly value: Value }
  | { readonly refusal: string }
  | { readonly system: SystemRefusal };

/** Fields of a system error. */
export type SystemRefusal = Pick<
  NodeJS.ErrnoException,
  "message" | "code" | "errno" | "syscall" | "path"
>;

/** Functions of the worker. */
export interface IngestWork {
  readonly scan: readonly [ScanTask, IngestAnswer<ScanResult>];
  readonly join: readonly [JoinTask & WithContext, IngestAnswer<JoinResult>];
  readonly count: readonly [CountTaskShared, IngestAnswer<CountResult>];
  readonly sample: readonly [SampleTask, IngestAnswer<RankKeys>];
}

/** Entry point for the thread pool. */
export const run = worker<IngestWork>({ scan, join, count, sample });

function scan(task: ScanTask): Promise<IngestAnswer<ScanResult>> {
  return answer(async () => {
    try {
      return await scanNatively(task);
    } catch (error) {
      throw await specificReason(task.member, error);
    }
  });
}

/** Joins one partition. */
function join(task: JoinTask & WithContext): Promise<IngestAnswer<JoinResult>> {
  return answer(() => joinNatively(contextOf(task), task));
}

/** Counts how many companies have each e-mail or phone in a bucket. */
function count(task: CountTaskShared): Promise<IngestAnswer<CountResult>> {
  return answer(() => countNatively({ ...task, values: valuesOf(task) }));
}

/** Gathers sort keys of one partition. */
function sample(task: SampleTask): Promise<IngestAnswer<RankKeys>> {
  return answer(() => sampleNatively(contextOf(task), task.partition, task.stride));
}

/** The context of the join: the output of `serialize` for a JoinContext, in shared memory. */
interface WithContext {
  readonly context: SharedArrayBuffer;
}

interface SampleTask extends WithContext {
  readonly partition: number;
  readonly stride: number;
}

/** A task whose list of spill files is in shared memory, as the output of `serialize`. */
interface CountTaskShared extends Omit<CountTask, "values"> {
  readonly values: SharedArrayBuffer;
}

async function answer<Value>(work: () => Value | Promise<Value>): Promise<IngestAnswer<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof CommandError) return { refusal: error.message };
    if (!(error instanceof Error) || !("errno" in error)) throw error;
    const { message, code, errno, syscall, path } = error as NodeJS.ErrnoException;
    return { system: { message, code, errno, syscall, path } as SystemRefusal };
  }
}

let values: CountTask["values"] | null = null;

/** Returns the spill files of all partitions; deserializes them once. */
function valuesOf(task: CountTaskShared): CountTask["values"] {
  values ??= deserialize(Buffer.from(Buffer.from(task.values))) as CountTask["values"];
  return values;
}

let context: JoinContext | null = null;

/** Returns the context; deserializes it once, because a pool of threads serves one import. */
function contextOf(task: WithContext): JoinContext {
  // Copied because `deserialize` does not accept shared memory.
  context ??= deserialize(Buffer.from(Buffer.from(task.context))) as JoinContext;
  return context;
}
