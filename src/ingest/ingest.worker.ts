/**
 * The threads' side of an import.
 * What comes in: tasks of pass 1 and pass 2; the join's context in shared memory.
 * What goes out: their results as plain values.
 * Invariant: a task touches only its own spill file.
 */
import { deserialize } from "node:v8";
import { CommandError } from "../errors.ts";
import {
  type JoinContext,
  type JoinResult,
  type JoinTask,
  joinPartition,
  samplePartition,
} from "./join.ts";
import type { RankKeys } from "./ranges.ts";
import { type ScanResult, type ScanTask, scanMember } from "./scan.ts";

/**
 * An answer of a thread. A refusal travels as text, because an error loses its class on the way
 * and only a `CommandError` may be shown to people without a stack.
 */
export type IngestAnswer<Value> = { readonly value: Value } | { readonly refusal: string };

/** Runs one scan of pass 1. */
export function scan(task: ScanTask): Promise<IngestAnswer<ScanResult>> {
  return answer(() => scanMember(task));
}

/** Joins one partition. */
export function join(task: JoinTask & WithContext): Promise<IngestAnswer<JoinResult>> {
  return answer(() => joinPartition(contextOf(task), task));
}

/** Gathers sort keys of one partition. */
export function sample(task: SampleTask): Promise<IngestAnswer<RankKeys>> {
  return answer(() => samplePartition(contextOf(task), task.partition, task.stride));
}

/** The context of the join: `serialize` of a JoinContext, in shared memory. */
export interface WithContext {
  readonly context: SharedArrayBuffer;
}

/** Which rows of which partition are sampled. */
export interface SampleTask extends WithContext {
  readonly partition: number;
  readonly stride: number;
}

async function answer<Value>(work: () => Value | Promise<Value>): Promise<IngestAnswer<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof CommandError) return { refusal: error.message };
    throw error;
  }
}

let context: JoinContext | null = null;

/** The context, read once: a pool of threads serves one import. */
function contextOf(task: WithContext): JoinContext {
  // The copy is needed because nothing may be deserialized from shared memory.
  context ??= deserialize(Buffer.from(Buffer.from(task.context))) as JoinContext;
  return context;
}
