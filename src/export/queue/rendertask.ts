/**
 * What the queue and the threads that render say to each other. What comes in: nothing. What goes
 * out: the order for one export, and what can become of it.
 * Invariant: everything here survives the way between threads; an error does not keep its class
 * there, so outcomes are values.
 */
import type { MessagePort } from "node:worker_threads";
import type { ChangeKind } from "../../changes/kinds.ts";
import type { OutputField } from "../../spec/fields.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { StagedEntries } from "../../store/exportedstore.ts";
import type { ListPin } from "../../store/listpins.ts";
import type { ExportFailure } from "../record.ts";
import type { RenderedFile } from "../render.ts";

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
