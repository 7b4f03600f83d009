/**
 * The threads' side of an import.
 * What comes in: tasks of pass 1 and pass 2; the join's context once per thread, as worker data.
 * What goes out: their results as plain values.
 * Invariant: a task touches only its own spill file.
 */
import { workerData } from "node:worker_threads";
import { type JoinContext, type JoinResult, type JoinTask, joinPartition, samplePartition } from "./join.ts";
import type { RankKeys } from "./ranges.ts";
import { type ScanResult, type ScanTask, scanMember } from "./scan.ts";

/** Runs one scan of pass 1. */
export function scan(task: ScanTask): Promise<ScanResult> {
  return scanMember(task);
}

/** Joins one partition. */
export function join(task: JoinTask): JoinResult {
  return joinPartition(context(), task);
}

/** Gathers sort keys of one partition. */
export function sample(task: { partition: number; stride: number }): RankKeys {
  return samplePartition(context(), task.partition, task.stride);
}

function context(): JoinContext {
  return workerData as JoinContext;
}
