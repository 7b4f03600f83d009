/**
 * The task of a render thread: what it is sent, made of an export's row, and how it can end.
 * Invariant: everything here survives the way between threads; an error does not keep its class
 * there, so outcomes are values. The revisions of lists are those of the pins, even if the lists
 * have newer ones. An error that no attempt can avoid fails the export immediately, so that its
 * disk space is freed; an unknown one is tried again.
 */
import { availableParallelism } from "node:os";
import type { MessagePort } from "node:worker_threads";
import type { ChangeKind } from "../../changes/kinds.ts";
import { AppError, CommandError } from "../../errors.ts";
import { ColumnRefusal } from "../../lists/column.ts";
import { boundSpec, pinName } from "../../lists/listed.ts";
import { XlsxRefusal } from "../../lists/xlsx/package.ts";
import { describeError } from "../../process/log.ts";
import type { OutputField } from "../../spec/fields.ts";
import { EXPORTED } from "../../spec/listids.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { ListPin } from "../../store/blocktable.ts";
import type { StagedEntries } from "../../store/exportedstore.ts";
import type { ExportRow, ExportStore } from "../../store/exportstore.ts";
import { isStateDamage } from "../../store/failures.ts";
import type { ExportFolder } from "../files/folder.ts";
import { type ExportFailure, namesIn } from "../record.ts";
import type { RenderedFile } from "../render.ts";
import type { Pins } from "./pins.ts";

/** What an order says more where changes are exported. */
interface ChangesTask {
  /** Where the older snapshot may be, the likeliest place first, and its identity. */
  readonly places: readonly string[];
  readonly snapshotId: string;
  /** Where the list of changes is; it is made there where it is missing. */
  readonly listPath: string;
  readonly kinds: readonly ChangeKind[];
  readonly watch: readonly OutputField[];
}

/** What is wanted of a sent file, as the state has it. */
export interface SentWish {
  readonly sha256: string;
  readonly column: string | null;
  readonly fillZeros: boolean;
}

/** What an order says more where a sent file is enriched. */
interface EnrichmentTask extends SentWish {
  readonly sentPath: string;
}

/** An order to render one export. */
export interface RenderTask {
  /** Where the snapshot may be, the likeliest place first. */
  readonly places: readonly string[];
  /** Identity that the opened snapshot must have. */
  readonly snapshotId: string;
  /** Bound to the revisions of the lists that it names. */
  readonly spec: AccountQuerySpec;
  /** Their entries, by the names that they have in it; of `exported` where they are to be read. */
  readonly lists: ReadonlyMap<string, Uint8Array | ListPin>;
  /** The data directory, whose database has them. */
  readonly dataDir: string;
  /** Only where changes are exported. */
  readonly changes?: ChangesTask;
  /** Only where a sent file is enriched. */
  readonly enrichment?: EnrichmentTask;
  /** Path of the finished file. */
  readonly path: string;
  /** Bytes that the file may have. */
  readonly bytesMax: number;
  /** Takes `[rowsWritten, rowCount]`, now and then. */
  readonly port: MessagePort;
  /** One element in shared memory; 1 asks the thread to stop. */
  readonly flag: Int32Array;
  /** One element in shared memory that grows with every search. */
  readonly searches: Int32Array;
}

/** How a render ended. `error` says the kind of an error, never its text. */
export type RenderOutcome =
  | { readonly kind: "file"; readonly file: RenderedFile; readonly held: readonly HeldBits[] }
  | { readonly kind: "cancelled" }
  /** No other attempt can succeed. */
  | { readonly kind: "failed"; readonly failure: ExportFailure; readonly error: ErrorKind }
  /** It threw; another attempt may succeed. */
  | { readonly kind: "threw"; readonly error: ErrorKind }
  /** Its thread died. */
  | { readonly kind: "crashed"; readonly error: ErrorKind };

/** The rows of a snapshot that a file holds. */
export interface HeldBits extends Pick<RenderTask, "places" | "snapshotId"> {
  /** In memory that threads share; row r is bit r % 8 of byte r / 8. */
  readonly bits: Uint8Array;
}

/** An order to write what a tenant's list of exported accounts will have. */
export interface StageTask {
  readonly dataDir: string;
  readonly tenantId: string;
  readonly held: readonly HeldBits[];
  /** As that of a render. */
  readonly flag: Int32Array;
}

/** How staging ended. */
export type StageOutcome =
  /** Null where the list has all of it. */
  | { readonly kind: "staged"; readonly staged: StagedEntries | null }
  | Exclude<RenderOutcome, { readonly kind: "file" }>;

/** What the log may say about an error. */
type ErrorKind = Readonly<Record<string, unknown>>;

/** Functions of the worker. */
export interface RenderFunctions {
  readonly render: readonly [RenderTask, RenderOutcome];
  readonly stage: readonly [StageTask, StageOutcome];
}

/** Name of the channel on which threads hear of snapshots that no export needs any more. */
export const UNPINNED = "peneira.unpinned";

/** What places of snapshots and lists of changes are asked of. */
export interface OrderParts {
  readonly pins: Pins;
  /** Where the list of changes between two snapshots is, or will be. */
  readonly listPath: (olderId: string, newerId: string) => string;
}

/** The spec of an export, bound to the lists that it is pinned to, and what these hold. */
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

/** What an order says more where changes are exported. */
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

/** What an order says more where a sent file is enriched. */
export function enrichmentOf(
  { id, sent }: ExportRow,
  folder: ExportFolder,
): Pick<RenderTask, "enrichment"> {
  if (sent === null) return {};
  const wish = JSON.parse(sent) as SentWish;
  return { enrichment: { ...wish, sentPath: folder.sentPathOf(id) } };
}

/** No space: of the disk, of a quota, or of what a file may hold. */
const DISK_FULL = ["ENOSPC", "EDQUOT", "EFBIG"];

/** The file cannot be written here, however often it is tried. */
const WRITE_FAILED = [
  ...["EIO", "EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR", "ELOOP"],
  ...["EISDIR", "ENXIO", "ENODEV", "ENAMETOOLONG"],
];

/** Returns how a run ended that threw: for good, or so that another attempt may succeed. */
export function endOf(
  error: unknown,
): Extract<RenderOutcome, { readonly kind: "threw" | "failed" }> {
  const failure = failureOf(error);
  const described = describeError(error);
  return failure === null
    ? { kind: "threw", error: described }
    : { kind: "failed", failure, error: described };
}

/** The reason for which an export has failed for good, or null. */
export function failureOf(error: unknown): ExportFailure | null {
  if (isStateDamage(error)) return "state_damaged";
  if (error instanceof ColumnRefusal || error instanceof XlsxRefusal) return "sent_file_unreadable";
  // A refusal of the spec is the same at every attempt.
  if (error instanceof AppError) {
    const { code } = error;
    const told = code === "snapshot_unavailable" || code === "quota_exceeded";
    return told ? code : "render_failed";
  }
  // Opening a snapshot refuses a damaged or foreign file with a CommandError.
  if (error instanceof CommandError) return "snapshot_unavailable";
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === undefined) return null;
  if (code === "SNAPSHOT_DAMAGED") return "snapshot_unavailable";
  if (DISK_FULL.includes(code)) return "disk_full";
  return WRITE_FAILED.includes(code) ? "write_failed" : null;
}

/** Returns the number that grows with every search, for all threads. */
export function searchCounter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** So long there must have been no search, in milliseconds. */
const QUIET_MS = 1_000;

/**
 * Returns a function that is true while a processor is free that no search needs, so that a render
 * may use it: if there was none for a while.
 */
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
