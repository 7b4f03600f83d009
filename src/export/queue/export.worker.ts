/**
 * The worker thread of exports. Input: tasks from the queue, one at a time. Output: the finished
 * file, the blocks to be added to the tenant's list, and outcomes as plain values.
 * Invariant: a thread renders at a lower priority than requests. The last snapshot stays open for
 * the next task, and is closed when no export needs it.
 */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { BroadcastChannel } from "node:worker_threads";
import {
  buildChangeList,
  type ChangeList,
  ChangeListError,
  openChangeList,
} from "../../changes/list.ts";
import type { ChangeEntry } from "../../changes/query.ts";
import { AppError, CommandError } from "../../errors.ts";
import {
  entriesOf,
  markRows,
  noRows,
  StagingAborted,
  stageEntries,
  type WrittenRows,
} from "../../lists/exportedrows.ts";
import { readEntriesInto } from "../../lists/listbinding.ts";
import { faultPoint } from "../../process/fault.ts";
import { lowerPriority, worker } from "../../process/tasks.ts";
import { openSegment, type Segment } from "../../search/segment.ts";
import { openDataDir } from "../../store/datadir.ts";
import { ExportedStore } from "../../store/exportedstore.ts";
import { isStateClosed } from "../../store/sqlite.ts";
import { isSqlite, openStateOfWorker } from "../../store/state.ts";
import type { StateDatabase } from "../../store/statedatabase.ts";
import { RenderCancelled, type RenderJob, renderEnrichment, renderExport } from "../render.ts";
import { readEntryFile, writeEntryFile } from "./entryfile.ts";
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

/** Min interval between two progress reports, in milliseconds. */
const PROGRESS_MS = 100;

/** Codes for a temporary lack of files, memory, or threads. */
const SHORTAGES = ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"];

/** A snapshot that stays open for the next task. `stale` is true once no other export needs it. */
interface Held {
  readonly segment: Segment;
  stale: boolean;
}

/** The open snapshots: one, or two if the last task was about changes. */
let held: readonly Held[] = [];
let rendering = false;

lowerPriority();

const unpinned = new BroadcastChannel(UNPINNED);
unpinned.onmessage = (event) => {
  const id: unknown = (event as MessageEvent).data;
  for (const one of held) if (one.segment.snapshotId === id) one.stale = true;
  if (!rendering) letGo(({ stale }) => stale);
};

/** Entry point for the thread pool. */
export const run = worker<RenderFunctions>({ render, stage });

/** Renders an export. Never rejects. */
function render(order: RenderTask): Promise<RenderOutcome> {
  return settled(() => renderOrder(order));
}

/**
 * Writes blocks with an export's rows for its tenant's list (staging). The list does not refer to
 * the blocks yet. Never rejects.
 */
function stage(order: StageTask): Promise<StageOutcome> {
  return settled(async () => ({ kind: "staged", staged: await stageOrder(order) }));
}

type Failed = Exclude<RenderOutcome, { readonly kind: "file" }>;

async function settled<Outcome>(work: () => Promise<Outcome>): Promise<Outcome | Failed> {
  rendering = true;
  try {
    return await work();
  } catch (error) {
    if (error instanceof RenderCancelled || error instanceof StagingAborted) {
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
  await withState({ dataDir }, (store) => readEntriesInto(spec, segment, lists, store));
}

function stageOrder({ held: wanted, flag, writeTo, readFrom, tenantId, ...state }: StageTask) {
  const ended = () => Atomics.load(flag, 0) === 1;
  return withState(state, async (store) => {
    letGo(({ segment }) => !wanted.some(({ snapshotId }) => snapshotId === segment.snapshotId));
    const rows: WrittenRows[] = [];
    for (const one of wanted) rows.push({ segment: await segmentOf(one), bits: one.bits });
    faultPoint("stage.begin");
    if (writeTo !== undefined) {
      writeEntryFile(writeTo, entriesOf(rows));
      return null;
    }
    const entries = readFrom === undefined ? entriesOf(rows) : readEntryFile(readFrom);
    const staged = stageEntries(store, tenantId, entries, ended);
    faultPoint("stage.after_write");
    return staged;
  });
}

/**
 * The open state, if it is on a database server, or null for SQLite. It stays open between tasks,
 * because each connection has a thread. Starting that thread takes longer than the work, and on a
 * busy machine longer than the time limit of a statement.
 */
let state: { readonly dataDir: string; readonly database: StateDatabase } | null = null;

function stateOf(dataDir: string): StateDatabase {
  if (state?.dataDir === dataDir) return state.database;
  state?.database.close();
  const database = openStateOfWorker(dataDir);
  state = isSqlite(database) ? null : { dataDir, database };
  return database;
}

/** Runs work with a database connection of this thread. */
async function withState<Result>(
  { dataDir, owner }: { readonly dataDir: string; readonly owner?: string },
  run: (store: ExportedStore) => Promise<Result>,
): Promise<Result> {
  const database = stateOf(dataDir);
  try {
    return await run(new ExportedStore(database, owner));
  } catch (error) {
    if (isStateClosed(error)) state = null;
    throw error;
  } finally {
    if (isSqlite(database)) database.close();
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

/** Returns an export's snapshot. Opens it, if necessary, by the first path that leads to it. */
async function segmentOf(wanted: Pick<RenderTask, "places" | "snapshotId">): Promise<Segment> {
  // If the file was corrupt, a correct one may have replaced it.
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

/** True if the snapshot's path now leads to another file, or if the file was truncated. */
function isReplaced({ native }: Segment, { places }: Pick<RenderTask, "places">): boolean {
  for (const place of places) {
    const found = statSync(place, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) continue;
    return found.ino !== native.opened.inode || found.size !== BigInt(native.opened.size);
  }
  return native.poisoned();
}

/** True if the file was refused; false if this process may only lack a resource. */
function isRefusal(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return error instanceof CommandError || (code !== "" && !SHORTAGES.includes(code));
}

/** Closes the snapshots for which `isOver` returns true. */
function letGo(isOver: (one: Held) => boolean): void {
  const over = held.filter(isOver);
  held = held.filter((one) => !over.includes(one));
  for (const { segment } of over) segment.close();
}

/**
 * Opens the change list of two snapshots, or makes it if it is missing or damaged. The folder of
 * lists is bounded, so the list may have been evicted since the export was accepted. A new list of
 * the same snapshots is equal. Throws `RenderCancelled` if `ended` returns true.
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
    await buildChangeList(older, newer, path, { signal: aborted.signal, onProgress });
  } catch (error) {
    throw aborted.signal.aborted ? new RenderCancelled() : error;
  }
  return openChangeList(path, older, newer);
}
