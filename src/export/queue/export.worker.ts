/**
 * The threads' side of exports. What comes in: orders of the queue, one at a time. What goes out:
 * the finished file, and an outcome as a plain value.
 * Invariant: a thread renders below the priority of the requests; it keeps the last snapshot open
 * for the next order, and closes it as soon as it hears that no export needs it.
 */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { BroadcastChannel } from "node:worker_threads";
import {
  type ChangeList,
  ChangeListError,
  makeChangeList,
  openChangeList,
} from "../../changes/list.ts";
import { AppError, CommandError } from "../../errors.ts";
import { giveEntries } from "../../lists/listed.ts";
import { describeError } from "../../log.ts";
import { stepBack } from "../../priority.ts";
import { openSegment, type Segment } from "../../search/segment.ts";
import { openDataDir } from "../../store/datadir.ts";
import { RenderCancelled, type RenderJob, renderExport } from "../render.ts";
import { failureOf } from "./failure.ts";
import { type RenderOutcome, type RenderTask, UNPINNED } from "./rendertask.ts";
import { spareProcessor } from "./searchcount.ts";

/** Shortest time between two reports of progress, in milliseconds. */
const PROGRESS_MS = 100;

/** Codes of a system that is out of files, memory or threads for the moment. */
const SHORTAGES = ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"];

/** A snapshot of the last order; `stale` once no other export needs it. */
interface Held {
  readonly segment: Segment;
  stale: boolean;
}

/** One, or two where the last order was about changes. */
let held: readonly Held[] = [];
let rendering = false;

stepBack();

const unpinned = new BroadcastChannel(UNPINNED);
unpinned.onmessage = (event) => {
  const id: unknown = (event as MessageEvent).data;
  for (const one of held) if (one.segment.snapshotId === id) one.stale = true;
  if (!rendering) letGo(({ stale }) => stale);
};

/** Renders one export. Never rejects. */
export async function render(order: RenderTask): Promise<RenderOutcome> {
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
    letGo(({ stale, segment }) => stale || segment.native.poisoned());
  }
}

async function renderOrder(order: RenderTask) {
  const { changes } = order;
  const wanted = [order.snapshotId, changes?.snapshotId];
  letGo(({ segment }) => !wanted.includes(segment.snapshotId));
  const segment = await segmentOf(order);
  await giveEntries(order.spec, segment, order.lists);
  if (changes === undefined) return renderExport({ segment, ...jobOf(order) });
  const older = await segmentOf(changes);
  const ended = () => Atomics.load(order.flag, 0) === 1;
  const list = await listOf(changes.listPath, { older, newer: segment }, ended);
  try {
    const { kinds, watch } = changes;
    return await renderExport({ segment, changes: { list, kinds, watch }, ...jobOf(order) });
  } finally {
    list.close();
  }
}

function jobOf(order: RenderTask): Omit<RenderJob, "segment"> {
  const { port, flag, spec, path, bytesMax, searches } = order;
  let reported = Number.NEGATIVE_INFINITY;
  return {
    spec,
    path,
    bytesMax,
    onProgress: (rowsWritten, rowCount) => {
      const nowMs = performance.now();
      if (nowMs - reported < PROGRESS_MS) return;
      reported = nowMs;
      port.postMessage([rowsWritten, rowCount]);
    },
    cancelled: () => Atomics.load(flag, 0) === 1,
    spare: spareProcessor(searches),
  };
}

/** The pinned snapshot: the one that is open, or the first place where it is found. */
async function segmentOf(wanted: Pick<RenderTask, "places" | "snapshotId">): Promise<Segment> {
  // A good file may have come to the place of one that was spoilt.
  letGo(({ segment }) => segment.snapshotId === wanted.snapshotId && isReplaced(segment, wanted));
  const known = held.find(({ segment }) => segment.snapshotId === wanted.snapshotId);
  if (known !== undefined) return known.segment;
  let cause: unknown;
  for (const place of wanted.places) {
    try {
      const segment = await openSegment(place);
      if (segment.snapshotId === wanted.snapshotId) {
        held = [...held, { segment, stale: false }];
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

/** Whether another file than the open one, or less of it, is where the snapshot is to be read. */
function isReplaced({ native }: Segment, { places }: Pick<RenderTask, "places">): boolean {
  for (const place of places) {
    const found = statSync(place, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) continue;
    return found.ino !== native.opened.inode || found.size !== BigInt(native.opened.size);
  }
  return native.poisoned();
}

/** False where the file may be whole and only this process is short of something. */
function isRefusal(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return error instanceof CommandError || (code !== "" && !SHORTAGES.includes(code));
}

/** Closes the snapshots of which something is true. */
function letGo(isOver: (one: Held) => boolean): void {
  const over = held.filter(isOver);
  held = held.filter((one) => !over.includes(one));
  for (const { segment } of over) segment.close();
}

/**
 * Opens the list of two snapshots, or makes it where it is missing or damaged: the folder is
 * bounded and the disk not ours alone, so one that was there when an export was accepted may be
 * gone. The same pair gives the same list. `ended` asks for an end, which throws
 * `RenderCancelled`.
 */
async function listOf(
  path: string,
  { older, newer }: { readonly older: Segment; readonly newer: Segment },
  ended: () => boolean,
): Promise<ChangeList> {
  try {
    return openChangeList(path, older, newer);
  } catch (error) {
    if (!(error instanceof ChangeListError)) throw error;
  }
  openDataDir(dirname(path));
  const aborted = new AbortController();
  const onProgress = () => {
    if (ended()) aborted.abort();
  };
  try {
    await makeChangeList(older, newer, path, { signal: aborted.signal, onProgress });
  } catch (error) {
    throw aborted.signal.aborted ? new RenderCancelled() : error;
  }
  return openChangeList(path, older, newer);
}
