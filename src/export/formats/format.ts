/**
 * Defines the formats and compressions of exports: file extension, media type, and max rows.
 * Invariant: every public format has a row in the table. Limits are checked before an export is
 * accepted. Rows of the export are never cut off. A compressed file has a special ending and media
 * type, but no Content-Encoding. With that header, a client would decode the file. The stored bytes
 * would not match the record's size and hash, and downloads would resume at wrong offsets.
 */
import { AppError } from "../../errors.ts";
import type { Compression } from "../../spec/fields.ts";
import type { CsvText, ExportFormat } from "../record.ts";

interface FormatRow {
  readonly extension: string;
  readonly contentType: string;
  /** Max rows, or null if only the plan limits them. */
  readonly rowsMax: number | null;
}

/** Max rows of an HTML page that a browser opens within seconds. */
const HTML_ROWS_MAX = 100_000;
/** Max rows of a sheet (2^20) without the header. */
const XLSX_ROWS_MAX = 1_048_575;

/** Every format. */
export const FORMATS: Readonly<Record<ExportFormat, FormatRow>> = {
  csv: { extension: "csv", contentType: "text/csv; charset=utf-8; header=present", rowsMax: null },
  html: { extension: "html", contentType: "text/html; charset=utf-8", rowsMax: HTML_ROWS_MAX },
  xlsx: {
    extension: "xlsx",
    contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    rowsMax: XLSX_ROWS_MAX,
  },
  parquet: {
    extension: "parquet",
    contentType: "application/vnd.apache.parquet",
    rowsMax: null,
  },
  jsonl: { extension: "jsonl", contentType: "application/jsonl; charset=utf-8", rowsMax: null },
};

/** Ending and media type of each compression. The ending follows the format's extension. */
export const COMPRESSED: Readonly<
  Record<Compression, Pick<FormatRow, "extension" | "contentType">>
> = {
  gzip: { extension: "gz", contentType: "application/gzip" },
  zstd: { extension: "zst", contentType: "application/zstd" },
};

/** The format and the compression of a file, which determine its extension and media type. */
export interface ExportKind {
  readonly format: ExportFormat;
  /** Compression of the file, or null. */
  readonly compression: Compression | null;
}

/** Returns the extension of a file without the first dot: `csv`, or `csv.gz`. */
export function extensionOf({ format, compression }: ExportKind): string {
  const { extension } = FORMATS[format];
  return compression === null ? extension : `${extension}.${COMPRESSED[compression].extension}`;
}

interface TypedFile extends ExportKind {
  /** Set for CSV of an uploaded file; may be incomplete for an old record. */
  readonly csvText: Partial<CsvText> | null;
}

/** Returns the media type of a file. */
export function contentTypeOf({ format, compression, csvText }: TypedFile): string {
  if (compression !== null) return COMPRESSED[compression].contentType;
  if (format !== "csv" || csvText === null) return FORMATS[format].contentType;
  const { encoding, hasHeader } = csvText;
  return [
    "text/csv",
    ...(encoding === undefined ? [] : [`charset=${encoding}`]),
    ...(hasHeader === undefined ? [] : [`header=${hasHeader ? "present" : "absent"}`]),
  ].join("; ");
}

/** Throws `invalid_spec` if an export would have more rows than its format can hold. */
export function refuseTooManyRows(format: ExportFormat, rowCount: number): void {
  const { rowsMax } = FORMATS[format];
  if (rowsMax === null || rowCount <= rowsMax) return;
  const detail =
    `${format} holds at most ${rowsMax} rows and this export would have ${rowCount}. ` +
    "Take csv, or set a lower limit.";
  throw new AppError("invalid_spec", detail, {
    errors: [{ pointer: "/output/format", code: "too_many_rows", detail }],
  });
}
