/**
 * The task of a render thread: its message, built from an export's row, and its outcomes.
 * Invariant: everything here can be sent between threads. An error loses its class on the way, so
 * outcomes are plain values. An export uses the revisions of lists that were current when it was
 * accepted, even if the lists have newer ones. If an error would recur in every attempt, the export
 * fails immediately, which frees its disk space. Other errors cause a few retries. During an outage
 * of the database, retries continue.
 */
import { availableParallelism } from "node:os";
import type { MessagePort } from "node:worker_threads";
import type { ChangeKind } from "../../changes/kinds.ts";
import { AppError, CommandError } from "../../errors.ts";
import { ColumnRefusal } from "../../lists/column.ts";
import { boundSpec, pinName } from "../../lists/listbinding.ts";
import { XlsxRefusal } from "../../lists/xlsx/package.ts";
import { describeError } from "../../process/log.ts";
import type { OutputField } from "../../spec/fields.ts";
import { EXPORTED } from "../../spec/listids.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { ListPin } from "../../store/blocktable.ts";
import type { StagedEntries } from "../../store/exportedstore.ts";
import type { ExportRow, ExportStore } from "../../store/exportstore.ts";
import { isStateDamage } from "../../store/failures.ts";
import { StateUnreachable } from "../../store/statedatabase.ts";
import type { OutcomeCounts } from "../enrichment/outcomes.ts";
import { FilesUnavailable, SentFileMissing } from "../files/exportfiles.ts";
import type { ExportFolder } from "../files/folder.ts";
import { type CsvText, type ExportFailure, namesIn, type ReadFile } from "../record.ts";
import type { RenderedFile } from "../render.ts";
import type { Pins } from "./pins.ts";

interface ChangesTask {
  /** Paths where the older snapshot may be, the likeliest first. */
  readonly places: readonly string[];
  readonly snapshotId: string;
  /** Path of the change list. If the list is missing, it is built there. */
  readonly listPath: string;
  readonly kinds: readonly ChangeKind[];
  readonly watch: readonly OutputField[];
}

/** Request to enrich a sent file, as stored in the state. */
export interface SentFileTask {
  readonly sha256: string;
  readonly column: string | null;
  /** Sheet that the client named; missing if it named none. */
  readonly sheet?: string;
  readonly fillZeros: boolean;
  /** Encoding and header of the new file, if it is CSV. Missing in older exports. */
  readonly text?: CsvText;
  /** Column and sheet of the file, and outcomes of a finished export. Missing in older exports. */
  readonly read?: ReadFile;
  readonly outcomes?: OutcomeCounts;
  /** True once the store has a copy of the file, so that every server can render the export. */
  readonly stored?: boolean;
}

/** Additional members of an order that enriches a sent file. */
interface EnrichmentTask extends SentFileTask {
  readonly sentPath: string;
}

/** An order to render one export. */
export interface RenderTask {
  /** Paths where the snapshot may be, the likeliest first. */
  readonly places: readonly string[];
  /** Identity that the opened snapshot must have. */
  readonly snapshotId: string;
  /** The spec, bound to the revisions of its lists. */
  readonly spec: AccountQuerySpec;
  /**
   * Maps each list name in the spec to the list's entries. The name `exported` is mapped to the
   * list's id and revision instead, with which the thread finds the entries in the database.
   */
  readonly lists: ReadonlyMap<string, Uint8Array | ListPin>;
  /** The data directory, with the database of lists. */
  readonly dataDir: string;
  readonly changes?: ChangesTask;
  /** Set only if a sent file is enriched. */
  readonly enrichment?: EnrichmentTask;
  /** Path of the finished file. */
  readonly path: string;
  readonly bytesMax: number;
  /** Receives `[rowsWritten, rowCount]` at intervals. */
  readonly port: MessagePort;
  /** Shared memory of one element; 1 stops the thread. */
  readonly flag: Int32Array;
  /** Shared memory of one element, which every search increments. */
  readonly searches: Int32Array;
}

/** Outcome of a render. `error` holds the kind of an error, never its text. */
export type RenderOutcome =
  | { readonly kind: "file"; readonly file: RenderedFile; readonly held: readonly RowBits[] }
  | { readonly kind: "cancelled" }
  /** The database of the state went away, which says nothing about the export. */
  | { readonly kind: "interrupted"; readonly error: ErrorKind }
  /** No other attempt can succeed. */
  | { readonly kind: "failed"; readonly failure: ExportFailure; readonly error: ErrorKind }
  /** The render threw an error. Another attempt may succeed. */
  | { readonly kind: "threw"; readonly error: ErrorKind }
  /** The thread of the render died. */
  | { readonly kind: "crashed"; readonly error: ErrorKind };

/** The rows of a snapshot that are in a file. */
export interface RowBits extends Pick<RenderTask, "places" | "snapshotId"> {
  /** In shared memory; row r is bit r % 8 of byte r / 8. */
  readonly bits: Uint8Array;
}

/**
 * A task that stages rows for a tenant's list of exported accounts: it writes new blocks, to which
 * the list does not refer yet.
 */
export interface StageTask {
  readonly dataDir: string;
  /** Member that the blocks are staged for. */
  readonly owner: string;
  readonly tenantId: string;
  readonly held: readonly RowBits[];
  /** Path of a file to which the rows' entries are written, instead of to the list's blocks. */
  readonly writeTo?: string;
  /** Path of a file whose entries are written to the list's blocks, instead of rows. */
  readonly readFrom?: string;
  /** Shared memory of one element; 1 stops the thread. */
  readonly flag: Int32Array;
}

/** Outcome of staging. */
export type StageOutcome =
  /** Null if the list already contains all rows. */
  | { readonly kind: "staged"; readonly staged: StagedEntries | null }
  | Exclude<RenderOutcome, { readonly kind: "file" }>;

type ErrorKind = Readonly<Record<string, unknown>>;

/** Functions of the worker. */
export interface RenderFunctions {
  readonly render: readonly [RenderTask, RenderOutcome];
  readonly stage: readonly [StageTask, StageOutcome];
}

/** Name of the channel that announces snapshots that exports no longer need. */
export const UNPINNED = "peneira.unpinned";

/** Sources of the paths of snapshots and change lists. */
export interface OrderParts {
  readonly pins: Pins;
  /** Returns the path of the change list of two snapshots, which may not exist yet. */
  readonly listPath: (olderId: string, newerId: string) => string;
}

/** Returns an export's spec, with the revisions of its lists, and the entries of these lists. */
export function listedSpec(store: ExportStore, id: string): Pick<RenderTask, "spec" | "lists"> {
  const spec = JSON.parse(store.specOf(id) as string) as AccountQuerySpec;
  const pins = store.lists.pinsOf(id);
  const lists = pins.map((pin): [string, Uint8Array | ListPin] => {
    if (pin.id === EXPORTED) return [pinName(pin), pin];
    const blocks = Array.from(store.lists.blocks(pin), ({ entries }) => entries);
    return [pinName(pin), Buffer.concat(blocks)];
  });
  return { spec: boundSpec(spec, pins), lists: new Map(lists) };
}

/** Returns the additional fields of an order for changes. */
export function changesOf(
  row: ExportRow,
  { pins, listPath }: OrderParts,
): Pick<RenderTask, "changes"> {
  const { sinceId, sincePath, snapshotId } = row;
  if (sinceId === null) return {};
  const changes = {
    places: pins.places(sinceId, sincePath ?? ""),
    snapshotId: sinceId,
    listPath: listPath(sinceId, snapshotId),
    kinds: namesIn(row.kinds) as readonly ChangeKind[],
    watch: namesIn(row.watch) as readonly OutputField[],
  };
  return { changes };
}

/** Additional members of an order that enriches a sent file. */
export function enrichmentOf(
  { id, sent }: ExportRow,
  folder: ExportFolder,
): Pick<RenderTask, "enrichment"> {
  if (sent === null) return {};
  const task = JSON.parse(sent) as SentFileTask;
  return { enrichment: { ...task, sentPath: folder.sentPathOf(id) } };
}

/** No space on the disk, in the quota, or in the file (max size). */
const DISK_FULL = ["ENOSPC", "EDQUOT", "EFBIG"];

/** The file cannot be written here, regardless of retries. */
const WRITE_FAILED = [
  ...["EIO", "EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR", "ELOOP"],
  ...["EISDIR", "ENXIO", "ENODEV", "ENAMETOOLONG"],
];

/** Converts the error of a run to its outcome: permanent or retryable. */
export function endOf(
  error: unknown,
): Extract<RenderOutcome, { readonly kind: "threw" | "failed" | "interrupted" }> {
  const described = describeError(error);
  if (error instanceof StateUnreachable) return { kind: "interrupted", error: described };
  const failure = failureOf(error);
  return failure === null
    ? { kind: "threw", error: described }
    : { kind: "failed", failure, error: described };
}

/** Returns the reason why an export failed permanently, or null. */
export function failureOf(error: unknown): ExportFailure | null {
  if (isStateDamage(error)) return "state_damaged";
  if (error instanceof FilesUnavailable) return "files_unavailable";
  if (
    error instanceof ColumnRefusal ||
    error instanceof XlsxRefusal ||
    error instanceof SentFileMissing
  ) {
    return "sent_file_unreadable";
  }
  // Every attempt would refuse the spec, so the failure is permanent.
  if (error instanceof AppError) {
    const { code } = error;
    const isNamed = code === "snapshot_unavailable" || code === "quota_exceeded";
    return isNamed ? code : "render_failed";
  }
  // Opening a damaged or foreign file throws a CommandError.
  if (error instanceof CommandError) return "snapshot_unavailable";
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === undefined) return null;
  if (code === "SNAPSHOT_DAMAGED") return "snapshot_unavailable";
  if (DISK_FULL.includes(code)) return "disk_full";
  return WRITE_FAILED.includes(code) ? "write_failed" : null;
}

/** Makes the shared counter of searches. */
export function searchCounter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** Time without a search after which a processor counts as spare, in milliseconds. */
const QUIET_MS = 1_000;

/** Returns a function that is true if no search has run recently, so a processor is idle. */
export function spareProcessor(
  searches: Int32Array,
  nowMs: () => number = () => performance.now(),
  processors: number = availableParallelism(),
): () => boolean {
  let seen = Atomics.load(searches, 0);
  let seenMs = nowMs();
  return () => {
    const count = Atomics.load(searches, 0);
    if (count !== seen) [seen, seenMs] = [count, nowMs()];
    return processors > 1 && nowMs() - seenMs >= QUIET_MS;
  };
}
