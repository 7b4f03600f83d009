/**
 * Writes a grid of texts and numbers. Input: headings and lines. Output: a CSV file or a workbook.
 * Invariant: the same grid gives the same bytes. With Portuguese labels, numbers have a comma and
 * semicolons delimit cells. Texts are never formulas. A grid that does not fit a sheet is refused.
 */
import { deflate } from "../../../native-index/napi/engine.ts";
import { crc32 } from "../../dump/crc32.ts";
import { AppError } from "../../errors.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { AboutRow } from "./source.ts";
import {
  columnName,
  partsOf,
  ROWS_PATH,
  sheetEnd,
  sheetStart,
  textCell,
  type Workbook,
} from "./xlsx/workbook.ts";
import { ZipPackage } from "./xlsx/zippackage.ts";

/** A text or a number of a grid. */
export type GridCell = string | number;

/** Headings and lines of a file. */
export interface Grid {
  readonly headings: readonly string[];
  readonly lines: readonly (readonly GridCell[])[];
}

interface SheetOptions {
  readonly labels: LabelLanguage | null;
  /** Name of the first sheet. */
  readonly sheet: string;
  /** Date of the snapshot. */
  readonly date: string;
  /** The second sheet. */
  readonly about: readonly AboutRow[];
}

/**
 * Makes a CSV file in UTF-8. Semicolons delimit the cells of a Portuguese file. A file with labels
 * begins with a byte-order mark, without which spreadsheets misread accents.
 */
export function gridCsv({ headings, lines }: Grid, labels: LabelLanguage | null): Buffer {
  const isPt = labels === "pt";
  const delimiter = isPt ? ";" : ",";
  const textOf = (cell: GridCell) => {
    if (typeof cell === "string") return quoted(cell);
    return isPt ? String(cell).replace(".", ",") : String(cell);
  };
  const rowOf = (line: readonly GridCell[]) => `${line.map(textOf).join(delimiter)}\r\n`;
  const start = `${labels === null ? "" : "\ufeff"}${rowOf(headings)}`;
  return Buffer.concat([Buffer.from(start), ...pieces(lines, rowOf)]);
}

/** Characters of the pieces in which rows are encoded: V8 limits the length of a string. */
const PIECE_CHARS = 2 ** 22;

/** Yields the texts of lines, joined to pieces. */
function* pieces(
  lines: Grid["lines"],
  rowOf: (line: readonly GridCell[], at: number) => string,
): Generator<Buffer> {
  let text = "";
  for (const [at, line] of lines.entries()) {
    text += rowOf(line, at);
    if (text.length < PIECE_CHARS) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

function quoted(text: string): string {
  return /[",;\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Maximum number of rows of a sheet, with the header. */
const SHEET_ROWS_MAX = 1_048_576;

/** Makes a workbook with the grid on its first sheet. Throws if it has more rows than a sheet. */
export function gridXlsx(grid: Grid, { labels, sheet, date, about }: SheetOptions): Buffer {
  const { headings, lines } = grid;
  if (lines.length >= SHEET_ROWS_MAX) {
    const detail = `A sheet has at most ${SHEET_ROWS_MAX} rows, and this file needs more. Use CSV.`;
    throw new AppError("invalid_request", detail);
  }
  const workbook: Workbook = {
    ...{ columns: headings, headings, labels: labels ?? undefined, rowCount: lines.length },
    ...{ date, sheet, about },
  };
  const parts: Buffer[] = [];
  const zip = new ZipPackage((bytes) => parts.push(Buffer.from(bytes)));
  for (const { path, xml } of partsOf(workbook)) zip.part(path, Buffer.from(xml));
  const add = (bytes: Buffer, isLast: boolean) => {
    zip.piece({ packed: deflate(bytes, isLast), bytes: bytes.length, crc: crc32(bytes) });
  };
  zip.begin(ROWS_PATH);
  add(Buffer.from(sheetStart(workbook)), false);
  for (const bytes of pieces(lines, (line, at) => sheetRow(line, at + 2))) add(bytes, false);
  add(Buffer.from(sheetEnd(workbook)), true);
  zip.endPart();
  zip.end();
  return Buffer.concat(parts);
}

function sheetRow(line: readonly GridCell[], number: number): string {
  const cells = line.map((cell, at) => {
    const place = `${columnName(at)}${number}`;
    if (cell === "") return "";
    return typeof cell === "string" ? textCell(place, cell) : `<c r="${place}"><v>${cell}</v></c>`;
  });
  return `<row r="${number}">${cells.join("")}</row>`;
}
