/**
 * Appends columns of the registry to a client's file. Input: a CSV or XLSX file with a column of
 * CNPJs, a snapshot, and the wanted fields. Output: the same file with a status and the fields
 * after its own columns, and the number of CNPJs by outcome.
 * Invariant: the file keeps its kind, its rows, and their order; the same file, snapshot, and
 * options give the same bytes; a file that cannot be read is refused with the reason before
 * anything is written.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { isZip } from "../../lists/otherfiles.ts";
import { SAVE_LESS, XlsxPackage, XlsxRefusal } from "../../lists/xlsx/package.ts";
import { enrichCsv } from "./csvenriched.ts";
import { type CsvLayout, readCsvLayout } from "./csvlayout.ts";
import {
  type CnpjOutcome,
  type EnrichmentOptions,
  type EnrichmentWork,
  OUTCOMES,
  type OutcomeTally,
} from "./outcomes.ts";
import { readSheetLayout, type SheetLayout } from "./sheetlayout.ts";
import { enrichXlsx } from "./xlsxenriched.ts";

/** Layout of a file that can be enriched. */
interface FileLayout {
  readonly format: "csv" | "xlsx";
  /** Rows below the header. */
  readonly rows: number;
  /** The column of CNPJs: its header, or its number or letters. */
  readonly column: string;
  /** Name of the sheet; null for CSV. */
  readonly sheet: string | null;
}

/** Result of enriching a file. */
export interface EnrichmentSummary extends FileLayout {
  /** CNPJs by their outcome. */
  readonly outcomes: Readonly<Record<CnpjOutcome, number>>;
  /** Rows that have an account. */
  readonly found: number;
}

/** Bytes of a workbook; its directory is at its end, so it is read as a whole. */
const XLSX_BYTES_MAX = 32 * 1024 * 1024;

/** Reads the layout of a file. Throws `ColumnRefusal` or `XlsxRefusal` if it cannot be read. */
export async function readLayout(
  path: string,
  { column }: Pick<EnrichmentOptions, "column">,
): Promise<FileLayout> {
  if (!isWorkbook(path)) return csvLayout(await readCsvLayout(path, column));
  const file = await openWorkbook(path);
  return sheetLayout(await readSheetLayout(file, column, () => {}));
}

/** Enriches a file. Throws the errors of `readLayout` and of `checkCancelled`. */
export async function enrichFile(work: EnrichmentWork): Promise<EnrichmentSummary> {
  if (isWorkbook(work.path)) {
    const { layout, tally } = await enrichXlsx(work, await openWorkbook(work.path));
    return { ...sheetLayout(layout), ...summed(tally) };
  }
  const layout = await readCsvLayout(work.path, work.wish.column);
  return { ...csvLayout(layout), ...summed(await enrichCsv(work, layout)) };
}

function csvLayout({ rows, name }: CsvLayout): FileLayout {
  return { format: "csv", rows, column: name, sheet: null };
}

function sheetLayout({ rows, name, sheet }: SheetLayout): FileLayout {
  return { format: "xlsx", rows, column: name, sheet };
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
  const counts = OUTCOMES.map((outcome) => [outcome, tally.of(outcome)] as const);
  return {
    outcomes: Object.fromEntries(counts) as Record<CnpjOutcome, number>,
    found: tally.found,
  };
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
