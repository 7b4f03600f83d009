/**
 * Public form of an export record: the contract's JSON value, or the error if a file is required.
 * Invariant: row count, size, hash, and link are shown only once the file exists. No internal name,
 * path, tenant, or sequence is shown.
 */
import { strict as assert } from "node:assert";
import { AppError } from "../../../errors.ts";
import { statusCounts } from "../../../export/enrichment/outcomes.ts";
import { type ExportRecord, failureText } from "../../../export/record.ts";
import type { Shape } from "../typed-answer.ts";

/** Retry-After in seconds. Small exports take less than one second. */
const RETRY_AFTER_SECONDS = 2;

/** Errors if an export or its file is not available. */
export const EXPORT_STATE_ERRORS = [
  "export_not_found",
  "EXPORT_NOT_READY",
  "EXPORT_FAILED",
  "export_expired",
  "overloaded",
] as const;

type RecordJson = Shape<"ExportRecord">;

/** Returns an export's path. */
export function exportPath({ id }: ExportRecord): string {
  return `/v1/exports/${id}`;
}

/** Returns the record as responses to read and list requests contain it. */
export function recordJson(record: ExportRecord): RecordJson {
  return { ...headJson(record), ...fileJson(record), ...progressJson(record) };
}

/** Returns the record for the answer to a creation, which has one more member. */
export function createdJson(record: ExportRecord): RecordJson & { readonly object_key: null } {
  const { row_count, size_bytes, ...rest } = fileJson(record);
  const file = { row_count, size_bytes, object_key: null, ...rest };
  return { ...headJson(record), ...file, ...progressJson(record) };
}

function headJson(record: ExportRecord) {
  const { id, state, format, compression, snapshot, snapshotDate, since, isEnrichment } = record;
  return {
    ...{ export_id: id, status: state, format },
    ...(isEnrichment ? { kind: "enrichment" as const, ...enrichmentJson(record) } : {}),
    ...(compression === null ? {} : { compression }),
    ...{ snapshot, snapshot_date: snapshotDate },
    ...(since === null
      ? {}
      : {
          ...{ since: since.snapshot, since_date: since.snapshotDate },
          ...{ kinds: since.kinds, watch: since.watch },
        }),
  };
}

/** Returns what was read of a sent file, and its rows by outcome once it is finished. */
function enrichmentJson({ read, outcomes }: ExportRecord) {
  if (read === null) return {};
  const { column, equals, sheet, reason } = read;
  const rows = outcomes === null ? {} : { rows_by_status: statusCounts(outcomes) };
  return {
    enrichment: {
      ...{ column, sheet },
      ...(equals.length === 0 ? {} : { equal_columns: equals }),
      ...(reason === null ? {} : { sheet_reason: reason }),
      ...rows,
    },
  };
}

function fileJson(record: ExportRecord) {
  const { rowCount, sizeBytes, expiresAtMs, expired } = record;
  const done = record.state === "done";
  return {
    row_count: done ? rowCount : null,
    size_bytes: done ? sizeBytes : null,
    expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    download_url: done && !expired ? `${exportPath(record)}/download` : null,
  };
}

function progressJson({ state, progress, rowsWritten, sha256, failure, room }: ExportRecord) {
  return {
    ...(state === "running" ? { progress, rows_written: rowsWritten } : {}),
    ...(state === "done" && sha256 !== null ? { sha256 } : {}),
    ...(failure === null ? {} : { error: { code: failure, detail: failureText(failure, room) } }),
  };
}

/** Throws `export_expired` for an expired export. */
export function refuseExpired({ expired }: ExportRecord): void {
  if (!expired) return;
  const detail = "The time to download this export is over and its file is gone. Export again.";
  throw new AppError("export_expired", detail);
}

/** Throws `EXPORT_NOT_READY` or `EXPORT_FAILED` unless the export is done. */
export function refuseUnfinished({ state, failure, room }: ExportRecord): void {
  if (state === "done") return;
  if (state === "failed") {
    assert(failure !== null, "a failed export has a reason");
    const members = { reason: failure };
    throw new AppError("EXPORT_FAILED", failureText(failure, room), { members });
  }
  const detail =
    `The export is ${state}. Try again after ${RETRY_AFTER_SECONDS} s, or read the export with ` +
    "?wait=60, which answers as soon as it is finished.";
  const headers = { "Retry-After": String(RETRY_AFTER_SECONDS) };
  throw new AppError("EXPORT_NOT_READY", detail, { headers });
}
