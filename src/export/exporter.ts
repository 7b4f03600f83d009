/**
 * The exports of an installation as the HTTP layer sees them.
 * Invariant: the result of a method survives a crash; another tenant's export does not exist.
 */
import type { Plan } from "../access/plans.ts";
import type { ChangeKind } from "../changes/kinds.ts";
import type { NamedPin } from "../lists/listed.ts";
import type { Segment } from "../search/segment.ts";
import type { OutputField } from "../spec/fields.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { ExportRecord } from "./record.ts";

interface NewChanges {
  /** The older snapshot, which the export is pinned to as well. */
  readonly older: Segment;
  readonly kinds: readonly ChangeKind[];
  readonly watch: readonly OutputField[];
}

/** A file that a client sends to be enriched, while it comes and until it is accepted. */
export interface SentFile {
  /** Takes a chunk, whose memory the caller may use again. */
  add(chunk: Uint8Array): void;
  /** The file has come. Throws `storage_full` if it could not be written. */
  end(): Promise<ReceivedFile>;
  /** Removes the file unless an export owns it; may be called again. */
  drop(): void;
}

/** A file that has come as a whole, and is durable. */
export interface ReceivedFile {
  readonly path: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** A file that was sent before. */
export interface SentAgain extends Omit<NewEnrichment, "file"> {
  readonly file: SentFile;
}

/** Members of an enrichment; its spec holds the output. */
interface NewEnrichment {
  readonly file: ReceivedFile;
  readonly column: string | undefined;
  readonly fillZeros: boolean;
}

/** A checked and normalized request for an export. */
export interface NewExport {
  readonly tenantId: string;
  /** Key that sends the request. */
  readonly keyId: string;
  readonly plan: Plan;
  /** 1-255 visible ASCII characters. */
  readonly idempotencyKey: string;
  /** SHA-256 of the body as sent, in hex. */
  readonly bodyHash: string;
  /** Normalized in the mode `export`; its limit is the effective one. */
  readonly spec: AccountQuerySpec;
  readonly segment: Segment;
  /** Set for an export of changes; else null. */
  readonly changes?: NewChanges | null;
  /** Set for an enrichment of a sent file; else missing. */
  readonly enrichment?: NewEnrichment;
  /** The lists that its spec names, at the revisions that it is pinned to. */
  readonly lists?: readonly NamedPin[];
  /** Rows that it will have; only a plan with a quota is charged for them. */
  readonly rows: number;
}

/** An accepted export with the spec it was created with. */
export interface AcceptedExport {
  readonly record: ExportRecord;
  readonly spec: AccountQuerySpec;
  /** True if an earlier request with the same key and body created it. */
  readonly replayed: boolean;
}

/** One page of a tenant's exports. */
export interface ExportPage {
  readonly records: readonly ExportRecord[];
  readonly more: boolean;
}

/** How an export was created. */
export interface ExportOrigin {
  /** As accepted: normalized on the snapshot of the export. */
  readonly spec: AccountQuerySpec;
  /** Key that created it, `user:<id>` for a console user; null for exports of old versions. */
  readonly keyId: string | null;
}

/** The exports of an installation. */
export interface Exporter {
  /**
   * Returns the export that the same body and key created before, or null. Needs no snapshot,
   * because the catalog may have changed since. Throws `idempotency_key_reused` if that export was
   * deleted.
   */
  replay(tenantId: string, idempotencyKey: string, bodyHash: string): AcceptedExport | null;
  /**
   * Queues an export; durable when it returns. Throws `AppError` `idempotency_key_reused`,
   * `rate_limited` (the queue is full, with Retry-After), `quota_exceeded`, `plan_not_allowed`, or
   * `overloaded` if the state cannot be written.
   */
  create(wanted: NewExport): AcceptedExport;
  /** Begins to receive a file to enrich. Throws `storage_full` where the disk has no room. */
  receive(): SentFile;
  /**
   * Returns the file that was sent for an export, to be sent again, with its options. Throws as
   * `read` does, and `export_expired` if the file is gone.
   */
  sentAgain(tenantId: string, id: string): SentAgain;
  /**
   * Charges rows that are answered without an export; durable when it returns. Throws
   * `quota_exceeded` if the day's quota has fewer left, or `overloaded`.
   */
  charge(sender: Pick<NewExport, "tenantId" | "keyId" | "plan">, rows: number): void;
  /** One export, expired or not. Throws `export_not_found` for others' and deleted ones too. */
  read(tenantId: string, id: string): ExportRecord;
  /** Lists the newest first, with a sequence below `before` (null: from the newest). */
  list(
    tenantId: string,
    page: { readonly limit: number; readonly before: number | null },
  ): ExportPage;
  /** Returns the request that created an export. Throws as `read` does. */
  origin(tenantId: string, id: string): ExportOrigin;
  /** Cancels or deletes; durable when it returns. Throws `export_not_found`. */
  remove(tenantId: string, id: string): void;
  /** Resolves when the export is done or failed, or after `waitMs`. Throws as `read` does. */
  settled(tenantId: string, id: string, waitMs: number): Promise<ExportRecord>;
  /** Finds an export by its id alone, for signed links; undefined if unknown or deleted. */
  find(id: string): ExportRecord | undefined;
  /** Absolute path of the file of a done export. */
  filePath(record: ExportRecord): string;
}
