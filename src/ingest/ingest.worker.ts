/**
 * The threads' side of an import.
 * What comes in: tasks of pass 1 and pass 2; the join's context once per thread, as worker data.
 * What goes out: their results as plain values.
 * Invariant: a task touches only its own spill file.
 */
import { workerData } from "node:worker_threads";
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
export type Answer<Value> = { readonly value: Value } | { readonly refusal: string };

/** Runs one scan of pass 1. */
export function scan(task: ScanTask): Promise<Answer<ScanResult>> {
  return answer(() => scanMember(task));
}

/** Joins one partition. */
export function join(task: JoinTask): Promise<Answer<JoinResult>> {
  return answer(() => joinPartition(context(), task));
}

/** Gathers sort keys of one partition. */
export function sample(task: SampleTask): Promise<Answer<RankKeys>> {
  return answer(() => samplePartition(context(), task.partition, task.stride));
}

/** Which rows of which partition are sampled. */
export interface SampleTask {
  readonly partition: number;
  readonly stride: number;
}

async function answer<Value>(work: () => Value | Promise<Value>): Promise<Answer<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof CommandError) return { refusal: error.message };
    throw error;
  }
}

function context(): JoinContext {
  return workerData as JoinContext;
}
