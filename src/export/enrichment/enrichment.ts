/**
 * Appends columns of the registry to a client's file. Input: a CSV or XLSX file with a column of
 * CNPJs, a snapshot, and the requested fields. Output: the same file with a status and the fields
 * after its own columns, and the number of CNPJs per outcome.
 * Invariant: rows and their order are unchanged, and so is the format unless another one is
 * requested. The same file, snapshot, and options give the same bytes. A file that is invalid, or
 * does not fit the other format, is refused with a message before anything is written.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { isZip } from "../../lists/otherfiles.ts";
import { SAVE_LESS, UnknownSheet, XlsxPackage, XlsxRefusal } from "../../lists/xlsx/package.ts";
import type { SeenNumber } from "../../lists/xlsx/sheet.ts";
import type { SheetReason } from "../../lists/xlsx/workbook.ts";
import type { CsvText } from "../record.ts";
import { type CsvBytes, readCsvBytes } from "./csvbytes.ts";
import { enrichCsv } from "./csvenriched.ts";
import { type CsvLayout, readCsvLayout } from "./csvlayout.ts";
import { enrichCsvAsXlsx, refuseBeyondSheet } from "./csvtoworkbook.ts";
import { KnownRows } from "./knownrows.ts";
import type { EnrichmentOptions, EnrichmentWork, OutcomeCounts, OutcomeTally } from "./outcomes.ts";
import {
  readSheetLayout,
  refuseOtherKinds,
  refuseTooWide,
  type SheetLayout,
} from "./sheetlayout.ts";
import { sheetAsCsv, sheetPieces } from "./sheettocsv.ts";
import { enrichXlsx } from "./xlsxenriched.ts";

/** Formats of files that can be enriched. */
export const SHEET_FORMATS = ["csv", "xlsx"] as const;

/** Format of a file that can be enriched. */
export type SheetFormat = (typeof SHEET_FORMATS)[number];

/** The sheet of a file. */
interface FileSource {
  /** Name of the sheet, and why it was chosen; null for CSV. */
  readonly sheet: string | null;
  readonly reason: SheetReason | null;
  /** Numbers of visible and of hidden sheets that are not read; 0 for CSV. */
  readonly others: number;
  readonly hidden: number;
}

const NO_SHEET: FileSource = { sheet: null, reason: null, others: 0, hidden: 0 };

interface FileLayout {
  readonly format: SheetFormat;
  /** Rows below the header. */
  readonly rows: number;
  /** The column of CNPJs: its header, number, or letters. */
  readonly column: string;
  /** Names of other columns with as many CNPJs in the first rows. */
  readonly equals: readonly string[];
  readonly source: FileSource;
  /** Encoding and header of the enriched file, if it is CSV. */
  readonly text: CsvText;
}

/** Result of an enrichment. */
export interface EnrichmentSummary extends FileLayout {
  /** Rows by outcome. */
  readonly outcomes: OutcomeCounts;
  /** Rows that have an account. */
  readonly found: number;
}

/** Max bytes of a workbook, which is read whole because its directory is at the end. */
const XLSX_BYTES_MAX = 32 * 1024 * 1024;

/** Reads a file's layout. Throws `ColumnRefusal` or `XlsxRefusal` for an unusable file. */
export async function readLayout(
  path: string,
  { column, sheet, fields }: Pick<EnrichmentOptions, "column" | "sheet" | "fields">,
  wanted?: SheetFormat,
): Promise<FileLayout> {
  const further = fields.length + 1;
  if (isWorkbook(path)) {
    const isWhole = wanted === "csv";
    const file = await openWorkbook(path);
    if (!isWhole) await refuseOtherKinds(file);
    const layout = await readSheetLayout(file, { column, sheet, isWhole }, () => {});
    if (!isWhole) refuseTooWide(layout, further);
    return sheetLayout(layout);
  }
  refuseSheet(sheet);
  const layout = await readCsvLayout(path, column);
  if (wanted === "xlsx") refuseBeyondSheet(layout, further);
  return csvLayout(layout);
}

/** Enriches a file. Throws the errors of `readLayout` and of `checkCancelled`. */
export async function enrichFile(work: EnrichmentWork): Promise<EnrichmentSummary> {
  if (isWorkbook(work.path)) {
    const file = await openWorkbook(work.path);
    const enrich = work.format === "csv" ? enrichXlsxAsCsv : enrichXlsx;
    const { layout, tally } = await enrich(work, file);
    return { ...sheetLayout(layout), ...summed(tally) };
  }
  refuseSheet(work.options.sheet);
  if (work.format === "xlsx") {
    const layout = await readCsvLayout(work.path, work.options.column);
    return { ...csvLayout(layout), ...summed(await enrichCsvAsXlsx(work, layout)) };
  }
  const known = new KnownRows(work.segment, work.spare);
  const layout = await readCsvLayout(work.path, work.options.column, (cnpjs) => {
    work.checkCancelled();
    known.add(cnpjs);
  });
  await known.end();
  return { ...csvLayout(layout), ...summed(await enrichCsv(work, layout, { known })) };
}

/** Opens a CSV or XLSX file as records, for callers that only show the file. */
export async function openRecords(
  path: string,
  { column, sheet, labels }: Pick<EnrichmentOptions, "column" | "sheet" | "labels">,
): Promise<OpenRecords> {
  const cells = new Map<number, SeenNumber>();
  if (!isWorkbook(path)) {
    refuseSheet(sheet);
    const layout = await readCsvLayout(path, column);
    const csv = { format: "csv", source: NO_SHEET } as const;
    return { ...csv, layout, pieces: readCsvBytes(path, { bytes: layout.bytes }), cells };
  }
  const file = await openWorkbook(path);
  const layout = await readSheetLayout(file, { column, sheet }, () => {});
  const onCell = (record: number, cell: SeenNumber) => cells.set(record, cell);
  const pieces = sheetPieces(file, layout, { labels, onCell });
  const xlsx = { format: "xlsx", source: sourceOf(layout) } as const;
  return { ...xlsx, layout: sheetAsCsv(layout, labels), pieces, cells };
}

/** A file whose records can be read. */
interface OpenRecords {
  readonly format: SheetFormat;
  readonly source: FileSource;
  /** The layout of the file, or of its sheet as CSV. */
  readonly layout: CsvLayout;
  readonly pieces: AsyncIterable<CsvBytes>;
  /** Cells to read instead of the text of their records, by record; filled during reading. */
  readonly cells: ReadonlyMap<number, SeenNumber>;
}

async function enrichXlsxAsCsv(work: EnrichmentWork, file: XlsxPackage) {
  const { column, sheet, labels } = work.options;
  const layout = await readSheetLayout(file, { column, sheet, isWhole: true }, () => {});
  const cells = new Map<number, SeenNumber>();
  const onCell = (record: number, cell: SeenNumber) => cells.set(record, cell);
  const pieces = sheetPieces(file, layout, { labels, onCell });
  return { layout, tally: await enrichCsv(work, sheetAsCsv(layout, labels), { pieces, cells }) };
}

/** Throws if a sheet is named of a file that has none. */
function refuseSheet(sheet: string | undefined): void {
  if (sheet === undefined) return;
  throw new UnknownSheet("The file", "it is CSV, which has no sheets", "Leave out the sheet.");
}

function csvLayout({ rows, name, equals, encoding, header }: CsvLayout): FileLayout {
  const text = { encoding, hasHeader: header >= 0 };
  return { format: "csv", rows, column: name, equals, source: NO_SHEET, text };
}

function sheetLayout(layout: SheetLayout): FileLayout {
  const { rows, name, equals, header } = layout;
  const text = { encoding: "utf-8", hasHeader: header > 0 };
  return { format: "xlsx", rows, column: name, equals, source: sourceOf(layout), text };
}

function sourceOf({ sheet, reason, others, hidden }: SheetLayout): FileSource {
  return { sheet, reason, others, hidden };
}

function openWorkbook(path: string): Promise<XlsxPackage> {
  const { size } = statSync(path);
  if (size <= XLSX_BYTES_MAX) return XlsxPackage.open(readFileSync(path));
  throw new XlsxRefusal(
    "The file",
    `it has more than ${XLSX_BYTES_MAX / 1024 ** 2} MiB`,
    SAVE_LESS,
  );
}

function summed(tally: OutcomeTally): Pick<EnrichmentSummary, "outcomes" | "found"> {
  return { outcomes: tally.counts(), found: tally.found };
}

/** True if a file is a zip, as workbooks are. */
function isWorkbook(path: string): boolean {
  const fd = openSync(path, "r");
  try {
    const head = Buffer.alloc(4);
    return readSync(fd, head, 0, head.length, 0) === head.length && isZip(head);
  } finally {
    closeSync(fd);
  }
}
