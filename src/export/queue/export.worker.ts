/**
 * The threads' side of exports. What comes in: orders of the queue, one at a time. What goes out:
 * the finished file, what becomes of the tenant's list, and outcomes as plain values.
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
import type { ChangeEntry } from "../../changes/query.ts";
import { AppError, CommandError } from "../../errors.ts";
import { type HeldRows, HoldingEnded, markRows, noRows, stageHeld } from "../../lists/holding.ts";
import { giveEntries } from "../../lists/listed.ts";
import { faultPoint } from "../../process/fault.ts";
import { stepBack, worker } from "../../process/tasks.ts";
import { openSegment, type Segment } from "../../search/segment.ts";
import { openBeside } from "../../store/database.ts";
import { openDataDir } from "../../store/datadir.ts";
import { ExportedStore } from "../../store/exportedstore.ts";
import { RenderCancelled, type RenderJob, renderEnrichment, renderExport } from "../render.ts";
import {
  endOf,
  type RenderFunctions,
  type RenderOutcome,
  type RenderTask,
  type StageOutcome,
  type StageTask,
  spareProcessor,
  UNPINNED,
} from "./rendertask.ts";

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

/** Entry point for the thread pool. */
export const run = worker<RenderFunctions>({ render, stage });

/** Renders one export. Never rejects. */
function render(order: RenderTask): Promise<RenderOutcome> {
  return settled(() => renderOrder(order));
}

/** Writes what a tenant's list of exported accounts will have. Never rejects. */
function stage(order: StageTask): Promise<StageOutcome> {
  return settled(async () => ({ kind: "staged", staged: await stageOrder(order) }));
}

type Failed = Exclude<RenderOutcome, { readonly kind: "file" }>;

async function settled<Outcome>(work: () => Promise<Outcome>): Promise<Outcome | Failed> {
  rendering = true;
  try {
    return await work();
  } catch (error) {
    if (error instanceof RenderCancelled || error instanceof HoldingEnded) {
      return { kind: "cancelled" };
    }
    return endOf(error);
  } finally {
    rendering = false;
    letGo(({ stale, segment }) => stale || segment.native.poisoned());
  }
}

async function renderOrder(order: RenderTask): Promise<RenderOutcome> {
  const { changes, places, snapshotId } = order;
  const wanted = [snapshotId, changes?.snapshotId];
  letGo(({ segment }) => !wanted.includes(segment.snapshotId));
  const segment = await segmentOf(order);
  await giveLists(order, segment);
  const bits = noRows(segment);
  const own = { places, snapshotId, bits };
  if (changes === undefined) {
    const held = (rows: Uint32Array) => markRows(bits, rows);
    if (order.enrichment !== undefined) {
      const job = { segment, held, ...jobOf(order), ...order.enrichment };
      return { kind: "file", file: await renderEnrichment(job), held: [own] };
    }
    return {
      kind: "file",
      file: await renderExport({ segment, held, ...jobOf(order) }),
      held: [own],
    };
  }
  const older = await segmentOf(changes);
  await giveLists(order, older);
  const ended = () => Atomics.load(order.flag, 0) === 1;
  const list = await listOf(changes.listPath, { older, newer: segment }, ended);
  const olderBits = noRows(older);
  const heldChanges = (entries: readonly ChangeEntry[]) => {
    for (const { rowNewer, rowOlder } of entries) {
      if (rowNewer >= 0) markRows(bits, [rowNewer]);
      else markRows(olderBits, [rowOlder]);
    }
  };
  try {
    const { kinds, watch } = changes;
    const work = { list, kinds, watch };
    const file = await renderExport({ segment, changes: work, heldChanges, ...jobOf(order) });
    const { places: olderPlaces, snapshotId: olderId } = changes;
    const gone = { places: olderPlaces, snapshotId: olderId, bits: olderBits };
    return { kind: "file", file, held: [own, gone] };
  } finally {
    list.close();
  }
}

async function giveLists({ spec, lists, dataDir }: RenderTask, segment: Segment): Promise<void> {
  if (lists.size === 0) return;
  await withState(dataDir, (store) => giveEntries(spec, segment, lists, store));
}

function stageOrder({ dataDir, tenantId, held: wanted, flag }: StageTask) {
  return withState(dataDir, async (store) => {
    letGo(({ segment }) => !wanted.some(({ snapshotId }) => snapshotId === segment.snapshotId));
    const rows: HeldRows[] = [];
    for (const one of wanted) rows.push({ segment: await segmentOf(one), bits: one.bits });
    faultPoint("stage.begin");
    const staged = stageHeld(store, tenantId, rows, () => Atomics.load(flag, 0) === 1);
    faultPoint("stage.after_write");
    return staged;
  });
}

/** Runs something over a connection of this thread. */
async function withState<Result>(
  dataDir: string,
  run: (store: ExportedStore) => Promise<Result>,
): Promise<Result> {
  const database = openBeside(dataDir);
  try {
    return await run(new ExportedStore(database));
  } finally {
    database.close();
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
