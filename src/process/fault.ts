/**
 * Named points at which a test may kill this process. Input: the variable FAULT as `point:n`.
 * Output: SIGKILL to this process when a thread reaches that point for the n-th time.
 * Invariant: without FAULT nothing happens. The shipped bundle contains none of this code, because
 * build.mjs sets BUILD_FAULTS to false; only the bundle of the crash tests has it.
 */
import { strict as assert } from "node:assert";

declare const BUILD_FAULTS: boolean | undefined;

/** All points that an export passes, in that order. */
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

/** All points that a notice passes, in that order. */
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

/**
 * How often this thread has reached the point in FAULT. Threads count separately, which suffices
 * because each file is rendered by one thread.
 */
let reached = 0;

/** Marks a point at which tests may kill the process. Kills it if FAULT names this point. */
export function faultPoint(point: FaultPoint): void {
  // Keep all code inside this condition. esbuild drops calls of this function only if it is empty
  // in the shipped bundle.
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
