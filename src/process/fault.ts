/**
 * Named points at which a test may kill this process. Input: the variable FAULT as `point:n`.
 * Output: SIGKILL to this process when a thread reaches that point for the n-th time.
 * Invariant: without FAULT nothing happens. The shipped bundle contains none of this code, because
 * build.mjs sets BUILD_FAULTS to false; only the bundle of the crash tests has it.
 */
import { strict as assert } from "node:assert";

declare const BUILD_FAULTS: boolean | undefined;

/** All points, in the order in which an export reaches them. */
export const FAULT_POINTS = [
  "receive.after_write",
  "create.before_pin",
  "create.before_commit",
  "create.after_commit",
  "create.before_reply",
  "claim.before_commit",
  "claim.after_commit",
  "render.begin",
  "render.after_write",
  "render.before_fsync",
  "render.before_rename",
  "render.after_rename",
  "render.after_dirsync",
  "stage.begin",
  "stage.after_write",
  "finish.before_commit",
  "finish.after_commit",
  "requeue.before_commit",
  "requeue.after_commit",
  "expire.before_commit",
  "expire.before_unlink",
  "expire.after_unlink",
  "remove.before_commit",
  "remove.before_unlink",
  "remove.after_unlink",
  "recover.begin",
  "recover.before_commit",
  "recover.before_cleanup",
  "recover.after_cleanup",
  "unpin.before_unlink",
  "unpin.after_unlink",
] as const;

/** All points, in the order in which a notice reaches them. */
export const NOTICE_FAULT_POINTS = [
  "note.before_commit",
  "note.after_commit",
  "count.before_export",
  "count.after_export",
  "count.before_commit",
  "count.after_commit",
  "deliver.before_commit",
  "deliver.after_commit",
] as const;

/** Name of a point. */
export type FaultPoint = (typeof FAULT_POINTS | typeof NOTICE_FAULT_POINTS)[number];

/** Number of times that this thread reached the FAULT point; one thread renders each file. */
let reached = 0;

/** Marks a point; kills the process if FAULT names it. */
export function faultPoint(point: FaultPoint): void {
  // Keep all code inside this condition: esbuild drops the calls of an empty function.
  if (typeof BUILD_FAULTS === "undefined" || BUILD_FAULTS) reach(point);
}

function reach(point: FaultPoint): void {
  const [wanted, nth] = (process.env.FAULT ?? "").split(":");
  if (!wanted) return;
  assert(
    [...FAULT_POINTS, ...NOTICE_FAULT_POINTS].some((known) => known === wanted),
    `there is no fault point ${wanted}`,
  );
  if (point !== wanted) return;
  reached++;
  if (reached === Number(nth ?? 1)) process.kill(process.pid, "SIGKILL");
}
