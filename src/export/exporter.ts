/**
 * The interface of the exports for the HTTP layer.
 * Invariant: a method's changes are durable when it returns. An export of another tenant is
 * reported as missing.
 */
import type { Plan } from "../access/plans.ts";
import type { ChangeKind } from "../changes/kinds.ts";
import type { NamedPin } from "../lists/listbinding.ts";
import type { Segment } from "../search/segment.ts";
import type { OutputField } from "../spec/fields.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { FileRequest, FinishedFile, OpenedFile } from "./files/exportfiles.ts";
import type { CsvText, ExportRecord, ReadFile } from "./record.ts";

interface NewChanges {
  /** The older snapshot. Like the newer one, it is kept as long as the export needs it. */
  readonly older: Segment;
  readonly kinds: readonly ChangeKind[];
  readonly watch: readonly OutputField[];
}

/** An uploaded file to enrich, from its first bytes until the export is accepted. */
export interface SentFile {
  /** Adds a chunk. The caller may reuse its memory afterwards. */
  add(chunk: Uint8Array): void;
  /** Ends the file. Rejects with `storage_full` if it could not be written. */
  end(): Promise<ReceivedFile>;
  /** Removes the file unless an export owns it. May be called repeatedly. */
  drop(): void;
}

/** An uploaded file that is complete and durable. */
export interface ReceivedFile {
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** A file that was sent before. */
export interface SentAgain extends Omit<NewEnrichment, "file" | "text" | "read"> {
  readonly file: SentFile;
}

/** Members of an enrichment. Its spec holds the output. */
interface NewEnrichment {
  readonly file: ReceivedFile;
  readonly column: string | undefined;
  readonly sheet?: string | undefined;
  readonly fillZeros: boolean;
  /** Encoding and header of the new file, if it is CSV. */
  readonly text: CsvText;
  readonly read: ReadFile;
}

/** A checked and normalized export request. */
export interface NewExport {
  readonly tenantId: string;
  /** Key that sends the request. */
  readonly keyId: string;
  readonly plan: Plan;
  /** 1-255 visible ASCII characters. */
  readonly idempotencyKey: string;
  /** SHA-256 of the body as sent, in hex. */
  readonly bodyHash: string;
  /** Spec, normalized in the mode `export`. Its limit is the max number of rows of this export. */
  readonly spec: AccountQuerySpec;
  readonly segment: Segment;
  /** Inputs of an export of changes, or null for other exports. */
  readonly changes?: NewChanges | null;
  /** Inputs of an enrichment; else missing. */
  readonly enrichment?: NewEnrichment;
  /** Lists in the spec, each with the revision that the export uses even if the list changes. */
  readonly lists?: readonly NamedPin[];
  /** Number of rows of the export. They are charged only if the plan has a quota. */
  readonly rows: number;
}

/** An accepted export with the spec it was created with. */
export interface AcceptedExport {
  readonly record: ExportRecord;
  readonly spec: AccountQuerySpec;
  /** True if an earlier request with the same key and body created it. */
  readonly replayed: boolean;
}

/** A page of a tenant's exports. */
export interface ExportPage {
  readonly records: readonly ExportRecord[];
  readonly more: boolean;
}

/** How an export was created. */
export interface ExportOrigin {
  /** Accepted spec, normalized on the export's snapshot. */
  readonly spec: AccountQuerySpec;
  /** The creating key, `user:<id>` for a console user, or null for exports of old versions. */
  readonly keyId: string | null;
}

/** The exports of an installation. */
export interface Exporter {
  /**
   * Returns the export that the same body and idempotency key created earlier, or null. Compares
   * the body's hash only, because the catalog of the snapshot may have changed since. Throws
   * `idempotency_key_reused` if that export was deleted.
   */
  replay(tenantId: string, idempotencyKey: string, bodyHash: string): AcceptedExport | null;
  /**
   * Queues an export durably. Throws `AppError` `idempotency_key_reused`, `rate_limited` (the queue
   * is full, with Retry-After), `quota_exceeded`, `plan_not_allowed`, or `overloaded` if the state
   * cannot be written.
   */
  create(wanted: NewExport): AcceptedExport;
  /** Begins to receive a file to enrich. Throws `storage_full` if the disk has no space. */
  receive(): SentFile;
  /**
   * Returns an export's uploaded file with its options, to enrich it again. Rejects like `read`,
   * and with `export_expired` if the file is gone.
   */
  sentAgain(tenantId: string, id: string): Promise<SentAgain>;
  /**
   * Call this with the file of an accepted enrichment, even if the request is a repetition. Stores
   * the file if the earlier copy was lost. Resolves once other servers can read the file, or after
   * some seconds. Never rejects.
   */
  share(id: string, file: ReceivedFile): Promise<void>;
  /**
   * Charges a tenant for rows that it got without an export. The charge is durable when this
   * returns. Throws `quota_exceeded` if today's quota is too small, or `overloaded`.
   */
  charge(sender: Pick<NewExport, "tenantId" | "keyId" | "plan">, rows: number): void;
  /** Returns an export, even if expired. Throws `export_not_found` for deleted and foreign ones. */
  read(tenantId: string, id: string): ExportRecord;
  /**
   * Lists exports whose sequence is below `before`, newest first. If `before` is null, starts with
   * the newest export.
   */
  list(
    tenantId: string,
    page: { readonly limit: number; readonly before: number | null },
  ): ExportPage;
  /** Returns the request that created an export. Throws the errors of `read`. */
  origin(tenantId: string, id: string): ExportOrigin;
  /** Cancels or deletes an export, durably. Throws `export_not_found`. */
  remove(tenantId: string, id: string): void;
  /** Resolves when the export is done or failed, or after `waitMs`. Rejects like `read`. */
  settled(tenantId: string, id: string, waitMs: number): Promise<ExportRecord>;
  /** Finds an export of any tenant, for signed links. Undefined if unknown or deleted. */
  find(id: string): ExportRecord | undefined;
  /** Opens the file of a finished export; rejects as `ExportFiles.open` does. */
  openFile(file: FinishedFile, wanted: FileRequest): Promise<OpenedFile>;
  /**
   * Called when a client reads an export's file. If a notice made the file, its accounts are then
   * added to the tenant's list `exported`. Never throws.
   */
  claim(record: Pick<ExportRecord, "id" | "tenantId">): void;
}
