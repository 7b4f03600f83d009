/**
 * Converts a CSV file to an enriched workbook. Input: the file, its layout, and the requested
 * fields. Output: a package with one sheet. Rows retain their numbers, with a status and the fields
 * appended.
 * Invariant: CNPJs are text. A column holds numbers only if all of its filled cells below the
 * header are numbers of one kind (`NumberColumn`). All other cells are text as written: leading
 * zeros, dates, and formulas stay texts. The bytes depend only on the file, the snapshot, and the
 * options. Memory is bounded by the rows of a sheet.
 */
import { decodeText } from "../../dump/registrytext.ts";
import { ColumnRefusal, lettersOf } from "../../lists/column.ts";
import { cellsOf } from "../../lists/csvcolumn.ts";
import {
  PLAIN_STYLES,
  plainPartsOf,
  plainSheetStart,
  ROWS_PATH,
  textCell,
  widthOf,
} from "../formats/xlsx/workbook.ts";
import { ZipPackage } from "../formats/xlsx/zippackage.ts";
import { CsvRecords, readCsvBytes } from "./csvbytes.ts";
import { newHeadings } from "./csvenriched.ts";
import type { CsvLayout } from "./csvlayout.ts";
import { type EnrichmentWork, OutcomeTally } from "./outcomes.ts";
import { COLUMNS_MAX } from "./sheetlayout.ts";
import { LookupRows, NewCells, PartPacker, ROWS_MAX } from "./xlsxenriched.ts";

const SHEETS = { pt: "Planilha1", en: "Sheet1" } as const;
const STATUS_WIDTH = 36;

/** Throws if a sheet cannot hold the file with `further` columns. */
export function refuseBeyondSheet(layout: CsvLayout, further: number): void {
  const { rows, header, width, longCell } = layout;
  const count = (value: number) => value.toLocaleString("en");
  if (rows + header + 1 > ROWS_MAX) {
    throw new ColumnRefusal(
      `A sheet holds up to ${count(ROWS_MAX)} rows, and the file has more. Choose CSV.`,
    );
  }
  if (width + further > COLUMNS_MAX) {
    throw new ColumnRefusal(
      `A sheet holds up to ${count(COLUMNS_MAX)} columns. The file has ${count(width)}, and ` +
        `${further} are added. Choose CSV or fewer fields, or delete columns.`,
    );
  }
  if (longCell > 0) {
    throw new ColumnRefusal(
      `Row ${count(longCell)} has a cell with more than 32,767 characters, the most that a cell ` +
        "of a sheet holds. Choose CSV.",
    );
  }
}

/** Writes the enriched file as a workbook. Returns the outcomes of its CNPJs. */
export async function enrichCsvAsXlsx(
  work: EnrichmentWork,
  layout: CsvLayout,
): Promise<OutcomeTally> {
  const { labels, fields } = work.options;
  refuseBeyondSheet(layout, fields.length + 1);
  const looked = new LookupRows(work);
  const columns = new Columns(layout);
  for await (const { number, cells } of rowsOf(work, layout)) {
    columns.add(number, cells);
    const text = cells[layout.column] ?? "";
    if (number <= layout.header + 1 || text.trim() === "") continue;
    looked.add({ text, isDate: false, row: number }, layout.takesRoots);
  }
  looked.end();
  const zip = new ZipPackage(work.write);
  const about = { labels: labels ?? undefined, date: work.segment.snapshotDate };
  for (const { path, xml } of plainPartsOf({ ...about, sheet: SHEETS[labels ?? "en"] })) {
    zip.part(path, Buffer.from(xml));
  }
  const tally = new OutcomeTally();
  const extent = { header: layout.header + 1, width: layout.width, rows: layout.rows };
  const ours = new NewCells(work, extent, { looked, tally, styles: { of: Number } });
  zip.begin(ROWS_PATH);
  const packer = new PartPacker(zip);
  packer.add(latin1(plainSheetStart(extent.header, [...columns.widths(), ...widthsOf(work)])));
  for await (const { number, cells } of rowsOf(work, layout)) {
    packer.add(rowXml(number, columns.cells(number, cells), ours));
  }
  packer.add("</sheetData></worksheet>");
  packer.end();
  zip.end();
  return tally;
}

function rowXml(number: number, cells: string, ours: NewCells): string {
  const lastCell = cells.slice(cells.lastIndexOf("<c "));
  const added = ours.of({ number, isFilled: cells !== "", lastCell });
  if (cells === "" && added === "") return "";
  return `<row r="${number}">${latin1(cells)}${added}</row>`;
}

/** Returns the UTF-8 bytes of a text as a string with one character per byte. */
function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function widthsOf({ options }: EnrichmentWork): number[] {
  const headings = newHeadings(options).slice(1);
  return [
    STATUS_WIDTH,
    ...options.fields.map((field, at) => widthOf(field, headings[at] ?? field)),
  ];
}

interface CsvRow {
  /** Counted from 1. */
  readonly number: number;
  readonly cells: readonly string[];
}

/** Yields the rows of a file. A line that only declares the delimiter counts as blank. */
async function* rowsOf(work: EnrichmentWork, layout: CsvLayout): AsyncGenerator<CsvRow> {
  const { delimiter, encoding, column } = layout;
  const scanner = new CsvRecords({ delimiter, column });
  let number = 0;
  for await (const piece of readCsvBytes(work.path, { bytes: layout.bytes })) {
    work.checkCancelled();
    const { bytes, isLast } = piece;
    let at = 0;
    for (;;) {
      const count = scanner.scan(bytes, at, isLast);
      if (count === 0) break;
      for (let record = 0; record < count; record++) {
        const sub = bytes.subarray(...scanner.bounds(record));
        const text =
          encoding === "windows-1252"
            ? decodeText(sub, "windows-1252")
            : Buffer.from(sub.buffer, sub.byteOffset, sub.byteLength).toString("utf8");
        number++;
        const isMark = number === 1 && /^"?sep=."?$/i.test(text);
        yield { number, cells: isMark ? [] : cellsOf(text, delimiter) };
      }
      at = scanner.next;
    }
    piece.used = at;
  }
}

/** Bounds of a column's width, in characters, and its margin. */
const [WIDTH_MIN, WIDTH_MAX, WIDTH_MARGIN] = [8, 60, 2];

/** The columns of the file: their widths, and which hold numbers. */
class Columns {
  readonly #layout: CsvLayout;
  readonly #widths: number[];
  readonly #numbers: NumberColumn[];

  constructor(layout: CsvLayout) {
    this.#layout = layout;
    this.#widths = new Array(layout.width).fill(WIDTH_MIN);
    this.#numbers = Array.from({ length: layout.width }, () => new NumberColumn());
  }

  add(number: number, cells: readonly string[]): void {
    const { header } = this.#layout;
    cells.forEach((cell, at) => {
      if (number > header && cell.length + WIDTH_MARGIN > (this.#widths[at] ?? WIDTH_MAX)) {
        this.#widths[at] = Math.min(WIDTH_MAX, cell.length + WIDTH_MARGIN);
      }
      if (number > header + 1) this.#numbers[at]?.add(cell);
    });
  }

  widths(): readonly number[] {
    return this.#widths;
  }

  /** Returns the XML of a row's cells. */
  cells(number: number, cells: readonly string[]): string {
    const { header, column } = this.#layout;
    let xml = "";
    cells.forEach((cell, at) => {
      if (cell === "") return;
      const place = lettersOf(at) + number;
      const numbers = this.#numbers[at];
      if (number > header + 1 && at !== column && numbers?.isNumeric === true) {
        xml += numbers.cell(place, cell);
      } else xml += textCell(place, cell, number === header + 1 ? PLAIN_STYLES.heading : 0);
    });
    return xml;
  }
}

/** Matches whole numbers of up to 9 digits. Longer ones are identifiers, such as telephones. */
const INTEGER = /^-?(?:0|[1-9]\d{0,8})$/;
const DECIMAL = /^-?(?:0|[1-9]\d{0,11})([.,])(\d{1,2}|\d{4,6})$/;
/** Matches numbers with thousands separators, but not "1.234", which could be a decimal. */
const GROUPED =
  /^-?[1-9]\d{0,2}(?:\.\d{3}){1,3}(,)(\d{1,6})$|^-?[1-9]\d{0,2}(?:,\d{3}){1,3}(\.)(\d{1,6})$/;

/** Decides if a column holds numbers: all filled cells are numbers with one decimal sign. */
class NumberColumn {
  #isNumeric = true;
  #filled = 0;
  #sign = "";
  #hasCents = true;

  /** True if the column holds numbers. Valid once all cells were added. */
  get isNumeric(): boolean {
    return this.#isNumeric && this.#filled > 0;
  }

  add(cell: string): void {
    const text = cell.trim();
    if (text === "" || !this.#isNumeric) return;
    this.#filled++;
    if (INTEGER.test(text)) {
      this.#hasCents = false;
      return;
    }
    const found = DECIMAL.exec(text) ?? GROUPED.exec(text);
    const sign = found?.[1] ?? found?.[3] ?? "";
    const digits = found?.[2] ?? found?.[4] ?? "";
    if (sign === "" || (this.#sign !== "" && this.#sign !== sign)) this.#isNumeric = false;
    this.#sign = sign;
    if (digits.length !== 2) this.#hasCents = false;
  }

  /** Returns the XML of a cell. Blanks are written as text, even in a column of numbers. */
  cell(place: string, cell: string): string {
    const text = cell.trim();
    if (text === "") return textCell(place, cell);
    const plain = this.#sign === "," ? text.replaceAll(".", "").replace(",", ".") : text;
    const style = this.#hasCents ? ` s="${PLAIN_STYLES.cents}"` : "";
    return `<c r="${place}"${style}><v>${Number(plain.replaceAll(",", ""))}</v></c>`;
  }
}
