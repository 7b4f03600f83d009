/**
 * The record of one export, its states, and the reasons for which it can fail.
 * Invariant: states only move forward (queued, running, done or failed). Only a stop or a crash
 * moves `running` back to `queued`. An expired export stays expired.
 */
import type { ChangeKind } from "../changes/kinds.ts";
import { AppError } from "../errors.ts";
import type { SheetReason } from "../lists/xlsx/workbook.ts";
import type { Compression, EXPORT_FORMATS, OutputField } from "../spec/fields.ts";
import type { OutcomeCounts } from "./enrichment/outcomes.ts";

/** Format of an exported file. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Encoding of a CSV file, and if it has a header. An enrichment keeps those of the sent file. */
export interface CsvText {
  readonly encoding: string;
  readonly hasHeader: boolean;
}

/** The part of a file that an enrichment reads. */
export interface ReadFile {
  /** The column of CNPJs: its header, number, or letters. */
  readonly column: string;
  /** Names of other columns with as many CNPJs in the first rows. */
  readonly equals: readonly string[];
  /** The sheet, and why this one of several; null if there is no other one. */
  readonly sheet: string | null;
  readonly reason: SheetReason | null;
}

/** States of an export, in order. */
export const EXPORT_STATES = ["queued", "running", "done", "failed"] as const;

type ExportState = (typeof EXPORT_STATES)[number];

/** Reasons for a failure, each with the sentence for users. */
export const EXPORT_FAILURES = {
  disk_full: "The server's disk is full. Ask its operator for space, then export again.",
  write_failed: "The file could not be written. Ask the operator to look at the log.",
  files_unavailable: "The store of files did not answer. Export again when it is back.",
  quota_exceeded: "The file became larger than what the plan's export_bytes left.",
  sent_file_unreadable: "The sent file is gone or cannot be read. Send it again.",
  snapshot_unavailable: "The snapshot of this export is gone or damaged. Export again.",
  state_damaged: "The server's state is damaged. Tell the operator, who has to restore a backup.",
  too_many_attempts: "Rendering was tried several times and never came to its end.",
  render_failed: "The server failed while rendering. Report the export_id to its operator.",
} as const;

/** Code of a failure. */
export type ExportFailure = keyof typeof EXPORT_FAILURES;

/** Max bytes of a tenant's files, and the bytes of its files now. */
export interface StorageQuota {
  readonly most: number;
  readonly retained: number;
}

/** Returns the sentence for a failure. `quota` is set if the tenant's quota was too small. */
export function failureText(failure: ExportFailure, quota: StorageQuota | null): string {
  const text = EXPORT_FAILURES[failure];
  if (quota === null) return text;
  const { most, retained } = quota;
  const fewer = "xport fewer rows or fields";
  const remedy = retained > 0 ? `Delete exports first, or e${fewer}.` : `E${fewer}.`;
  return `${text} The plan keeps up to ${most} bytes; ${retained} are kept now. ${remedy}`;
}

/** Max attempts to render an export. */
export const ATTEMPTS_MAX = 3;

/**
 * Number of renders ended by a crash or stop of their server after which an export fails. An
 * export that crashes its servers must not do so indefinitely.
 */
export const TAKEOVERS_MAX = 8;

/** Shape of an export's id: a recognizable prefix, then 128 random bits in hex. */
export const EXPORT_ID = /^exp_[0-9a-f]{32}$/;

/** Record fields that only a change export has. */
interface SinceRecord {
  /** Label and date of the older snapshot. */
  readonly snapshot: string;
  readonly snapshotDate: string;
  readonly kinds: readonly ChangeKind[];
  readonly watch: readonly OutputField[];
}

/** An export as its tenant sees it. Times are milliseconds since 1970. */
export interface ExportRecord {
  readonly id: string;
  /** A number that increases with every export of this installation. Lists are ordered by it. */
  readonly sequence: number;
  readonly tenantId: string;
  readonly state: ExportState;
  readonly format: ExportFormat;
  /** Null if the file is not compressed. */
  readonly compression: Compression | null;
  /** Label `YYYY-MM` and date of the pinned snapshot. */
  readonly snapshot: string;
  readonly snapshotDate: string;
  /** Set for a change export, else null. */
  readonly since: SinceRecord | null;
  /** True for an enrichment: a file that the tenant has sent, with columns appended. */
  readonly isEnrichment: boolean;
  /** Column and sheet of an enrichment. Null for other exports and those of old versions. */
  readonly read: ReadFile | null;
  /** Rows of a finished enrichment by outcome, else null. */
  readonly outcomes: OutcomeCounts | null;
  /** Encoding and header of an enrichment's CSV, as far as known, or null for all other files. */
  readonly csvText: Partial<CsvText> | null;
  /** Slug of the content for the file's name, in letters, digits, and hyphens. */
  readonly slug: string;
  /** Title as typed, which names the file. Null if missing, or for exports of old versions. */
  readonly title: string | null;
  readonly createdAtMs: number;
  /** Time at which the file is removed; set when the export is done. */
  readonly expiresAtMs: number | null;
  /** True once `expiresAtMs` has passed. */
  readonly expired: boolean;
  /** Rendered share of the rows, 0-1; 1 when done. */
  readonly progress: number;
  readonly rowsWritten: number;
  readonly rowCount: number | null;
  readonly sizeBytes: number | null;
  /** SHA-256 of the file in hex, when done. */
  readonly sha256: string | null;
  readonly failure: ExportFailure | null;
  /** Set if the export failed because the tenant's quota was too small. */
  readonly room: StorageQuota | null;
}

/** Returns the error for any export that the tenant does not have. */
export function exportNotFound(): AppError {
  return new AppError("export_not_found", "Check the export_id. A deleted export is gone.");
}

/** Splits a comma-separated column. */
export function namesIn(column: string | null): string[] {
  return column === null || column === "" ? [] : column.split(",");
}
