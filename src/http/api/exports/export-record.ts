/**
 * How an export looks to its tenant. What comes in: a record. What goes out: the JSON value of the
 * contract, or the error that stands for it where only a finished file will do.
 * Invariant: row count, size, hash and link are shown when the file is there and not before; no
 * internal name, path, tenant or sequence is ever shown.
 */
import { strict as assert } from "node:assert";
import { AppError } from "../../../errors.ts";
import { type ExportRecord, failureText } from "../../../export/record.ts";
import type { Shape } from "../answershape.ts";

/** Seconds after which asking again is worth while; small exports take less than one. */
const RETRY_AFTER_SECONDS = 2;

/** What stands in the way of an export or its file. */
export const EXPORT_STATE_ERRORS = [
  "export_not_found",
  "EXPORT_NOT_READY",
  "EXPORT_FAILED",
  "export_expired",
  "overloaded",
] as const;

/** A record in JSON: the members that its schema has. */
type RecordJson = Shape<"ExportRecord">;

/** Path of an export. */
export function exportPath({ id }: ExportRecord): string {
  return `/v1/exports/${id}`;
}

/** The record as reads and lists answer it. */
export function recordJson(record: ExportRecord): RecordJson {
  return { ...headJson(record), ...fileJson(record), ...progressJson(record) };
}

/** The record as its creation answers it, with the one member more that the contract has there. */
export function createdJson(record: ExportRecord): RecordJson & { readonly object_key: null } {
  const { row_count, size_bytes, ...rest } = fileJson(record);
  const file = { row_count, size_bytes, object_key: null, ...rest };
  return { ...headJson(record), ...file, ...progressJson(record) };
}

function headJson(record: ExportRecord) {
  const { id, state, format, compression, snapshot, snapshotDate, since, isEnrichment } = record;
  return {
    ...{ export_id: id, status: state, format },
    ...(isEnrichment ? { kind: "enrichment" as const } : {}),
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

/** Throws `export_expired` for an export whose time is over. */
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
