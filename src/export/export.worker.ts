/**
 * The threads' side of exports. What comes in: orders of the queue, one at a time. What goes out:
 * the finished file, and an outcome as a plain value.
 * Invariant: a thread renders below the priority of the requests; it keeps the last snapshot open
 * for the next order, and closes it as soon as it hears that no export needs it.
 */
import { constants, setPriority } from "node:os";
import { BroadcastChannel } from "node:worker_threads";
import { AppError, CommandError } from "../errors.ts";
import { describeError } from "../log.ts";
import { openSegment, type Segment } from "../search/segment.ts";
import { failureOf } from "./failure.ts";
import { type RenderOrder, type RenderOutcome, UNPINNED } from "./order.ts";
import { RenderCancelled, renderExport } from "./render.ts";

/** Shortest time between two reports of progress, in milliseconds. */
const PROGRESS_MS = 100;

/** Codes of a system that is out of files, memory or threads for the moment. */
const SHORTAGES = ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"];

/** The snapshot of the last order; `stale` once no other export needs it. */
let held: { readonly segment: Segment; stale: boolean } | null = null;
let rendering = false;

// On Linux 0 means the calling thread alone; elsewhere it would slow down the requests as well.
if (process.platform === "linux") setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

const unpinned = new BroadcastChannel(UNPINNED);
unpinned.onmessage = (event) => {
  if (held === null || held.segment.snapshotId !== (event as MessageEvent).data) return;
  held.stale = true;
  if (!rendering) letGo();
};

/** Renders one export. Never rejects. */
export async function render(order: RenderOrder): Promise<RenderOutcome> {
  rendering = true;
  try {
    return { kind: "file", file: await renderOrder(order) };
  } catch (error) {
    if (error instanceof RenderCancelled) return { kind: "cancelled" };
    const failure = failureOf(error);
    const kind = describeError(error);
    return failure === null
      ? { kind: "threw", error: kind }
      : { kind: "failed", failure, error: kind };
  } finally {
    rendering = false;
    if (held?.stale || held?.segment.native.poisoned()) letGo();
  }
}

async function renderOrder({ port, flag, spec, path, ...wanted }: RenderOrder) {
  const segment = await segmentOf(wanted);
  let reported = Number.NEGATIVE_INFINITY;
  return renderExport({
    segment,
    spec,
    path,
    onProgress: (rowsWritten, rowCount) => {
      const nowMs = performance.now();
      if (nowMs - reported < PROGRESS_MS) return;
      reported = nowMs;
      port.postMessage([rowsWritten, rowCount]);
    },
    cancelled: () => Atomics.load(flag, 0) === 1,
  });
}

/** The pinned snapshot: the one that is open, or the first place where it is found. */
async function segmentOf(wanted: Pick<RenderOrder, "places" | "snapshotId">): Promise<Segment> {
  if (held?.segment.snapshotId === wanted.snapshotId) return held.segment;
  letGo();
  let cause: unknown;
  for (const place of wanted.places) {
    try {
      const segment = await openSegment(place);
      if (segment.snapshotId === wanted.snapshotId) {
        held = { segment, stale: false };
        return segment;
      }
      segment.close();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      cause ??= error;
    }
  }
  throw new AppError("snapshot_unavailable", "The pinned snapshot is gone.", { cause });
}

/** False where the file may be whole and only this process is short of something. */
function isRefusal(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return error instanceof CommandError || (code !== "" && !SHORTAGES.includes(code));
}

function letGo(): void {
  held?.segment.close();
  held = null;
}
