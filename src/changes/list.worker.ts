/**
 * The thread that makes change lists for a server, one list at a time.
 * Invariant: the thread has a lower priority than requests, and maps the snapshots itself. A
 * snapshot other than the intended one is refused. If a list fails, no files remain.
 */
import type { MessagePort } from "node:worker_threads";
import { AppError, CommandError } from "../errors.ts";
import { describeError } from "../process/log.ts";
import { lowerPriority, worker } from "../process/tasks.ts";
import { openSegment, type Segment } from "../search/segment.ts";
import { buildChangeList } from "./list.ts";

/** A source snapshot of a list. */
export interface ListSource {
  readonly path: string;
  readonly snapshotId: string;
}

/** An order to make one list. */
export interface ListOrder {
  readonly older: ListSource;
  readonly newer: ListSource;
  /** Path of the finished list. */
  readonly path: string;
  /** Receives progress, 0-1, at intervals. */
  readonly port: MessagePort;
  /** Shared memory of one element; 1 cancels the list. */
  readonly flag: Int32Array;
}

/** Result of making a list. `error` holds the kind of an error, never its text. */
export type ListOutcome =
  | { readonly kind: "made"; readonly entries: number; readonly bytes: number }
  | { readonly kind: "cancelled" }
  | {
      /** `snapshot`: a snapshot is missing or damaged. `disk`: there is no space. */
      readonly kind: "failed";
      readonly why: "snapshot" | "disk" | "other";
      readonly error: Readonly<Record<string, unknown>>;
    };

/** Functions of the worker. */
export interface ListWork {
  readonly make: readonly [ListOrder, ListOutcome];
}

/** Minimum time between progress reports, in milliseconds. */
const PROGRESS_MS = 100;
/** Codes of errors that mean that there is no space on the disk, in a quota, or in a file. */
const DISK_FULL = ["ENOSPC", "EDQUOT", "EFBIG"];

lowerPriority();

/** Entry point for the thread pool. */
export const run = worker<ListWork>({ make });

/** Makes one list. Never rejects. */
async function make(order: ListOrder): Promise<ListOutcome> {
  const opened: Segment[] = [];
  const aborted = new AbortController();
  try {
    for (const source of [order.older, order.newer]) opened.push(await openSource(source));
    const [older, newer] = opened as [Segment, Segment];
    const { entries, bytes } = await buildChangeList(older, newer, order.path, {
      signal: aborted.signal,
      onProgress: progressReporter(order, aborted),
    });
    return { kind: "made", entries, bytes };
  } catch (error) {
    if (aborted.signal.aborted) return { kind: "cancelled" };
    return { kind: "failed", why: reasonOf(error), error: describeError(error) };
  } finally {
    for (const segment of opened) segment.close();
  }
}

/** Returns a callback that reports progress and aborts a canceled list. */
function progressReporter({ port, flag }: ListOrder, aborted: AbortController) {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (done: number, total: number): void => {
    if (Atomics.load(flag, 0) === 1) aborted.abort();
    const nowMs = performance.now();
    if (nowMs - reportedMs < PROGRESS_MS) return;
    reportedMs = nowMs;
    port.postMessage(total === 0 ? 1 : done / total);
  };
}

async function openSource({ path, snapshotId }: ListSource): Promise<Segment> {
  const segment = await openSegment(path);
  if (segment.snapshotId === snapshotId) return segment;
  segment.close();
  throw new CommandError("Another snapshot lies in the place of the one that was meant.");
}

function reasonOf(error: unknown): "snapshot" | "disk" | "other" {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (DISK_FULL.includes(code)) return "disk";
  if (error instanceof CommandError || code === "SNAPSHOT_DAMAGED" || code === "ENOENT") {
    return "snapshot";
  }
  return error instanceof AppError && error.code === "snapshot_unavailable" ? "snapshot" : "other";
}
