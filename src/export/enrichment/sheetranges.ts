/**
 * The ranges of a sheet that matter to new columns: merged cells and the AutoFilter. Input: the
 * sheet's XML, which is passed on to the reader of its cells. Output: the column after all merged
 * cells, the rows that share a merged cell of a column, and the range of the filter, also with the
 * new columns.
 * Invariant: merged cells of one row cost no memory but the end of that row. Vertical ones are
 * bounded. A program may write the corners of a range in any order.
 */
import { columnOfLetters, lettersOf } from "../../lists/column.ts";
import { attributeOf, type PartTaker, XlsxRefusal } from "../../lists/xlsx/package.ts";
import type { SheetReader } from "../../lists/xlsx/sheet.ts";
import type { XmlAttributes } from "../../text/xmlreader.ts";

/** Rows of a sheet, and thus the most rows that merged cells of a column have together. */
const ROWS_MAX = 1_048_576;
/** Merged cells over several rows that are read. */
const VERTICAL_MAX = ROWS_MAX;

/** Further rows of each merged cell, by its first row. Only rows that the sheet has. */
export type SharedRows = ReadonlyMap<number, readonly number[]>;

/** A set of row numbers, one bit each. */
export class RowSet {
  /** How often a row was added. */
  count = 0;
  readonly #bits = new Uint8Array(ROWS_MAX / 8 + 1);

  add(row: number): void {
    this.count++;
    this.#bits[row >> 3] = (this.#bits[row >> 3] as number) | (1 << (row & 7));
  }

  has(row: number): boolean {
    return ((this.#bits[row >> 3] as number) & (1 << (row & 7))) !== 0;
  }
}

/** Merged cells over several rows: column, first row, and last row. */
interface VerticalCell {
  readonly column: number;
  readonly first: number;
  readonly last: number;
}

/** Passes a sheet on to its reader, and notes its ranges. */
export class SheetRanges implements PartTaker {
  /** Range of the AutoFilter; null if there is none. */
  filter: string | null = null;
  readonly #name: string;
  readonly #reader: SheetReader;
  /** Number of columns up to the last one of merged cells, by their last row. */
  readonly #ends = new Map<number, number>();
  readonly #vertical: VerticalCell[] = [];
  /** Rows that the sheet has. */
  readonly #present = new RowSet();
  #row = 0;

  constructor(name: string, reader: SheetReader) {
    this.#name = name;
    this.#reader = reader;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "mergeCell") this.#note(attributeOf(attributes, "ref") ?? "");
    else if (name === "autoFilter") this.filter ??= attributeOf(attributes, "ref") ?? null;
    else this.#reader.open(name, attributes);
    if (name !== "row") return;
    // The reader has refused a number that is no row.
    this.#row = Number(attributeOf(attributes, "r") ?? this.#row + 1);
    this.#present.add(this.#row);
  }

  close(name: string): void {
    this.#reader.close(name);
  }

  text(text: string): void {
    this.#reader.text(text);
  }

  reached(): string {
    return this.#reader.reached();
  }

  /** Returns the number of columns of the merged cells that reach row `from` or a later one. */
  end(from: number): number {
    let end = 0;
    for (const [row, columns] of this.#ends) if (row >= from && columns > end) end = columns;
    return end;
  }

  /** Returns the rows that share a merged cell of a column, below the row `header`. */
  shared(column: number, header: number): SharedRows {
    const shared = new Map<number, readonly number[]>();
    let rows = 0;
    for (const { column: at, first, last } of this.#vertical) {
      if (at !== column || first <= header) continue;
      rows += last - first;
      if (rows > ROWS_MAX) this.#refuse();
      const further: number[] = [];
      for (let row = first + 1; row <= last; row++) if (this.#present.has(row)) further.push(row);
      shared.set(first, further);
    }
    return shared;
  }

  #note(ref: string): void {
    const corners = [...ref.matchAll(/\$?\b([A-Z]{1,3})\$?(\d{1,7})\b/gi)];
    const columns = corners.map(([, letters = ""]) => columnOfLetters(letters.toUpperCase()) ?? -1);
    const rows = corners.map(([, , number]) => Number(number));
    const column = Math.max(-1, ...columns);
    const row = Math.max(0, ...rows);
    const known = this.#ends.get(row) ?? 0;
    if (column >= known) this.#ends.set(row, column + 1);
    const first = Math.min(...rows);
    if (first >= row || row > ROWS_MAX) return;
    if (this.#vertical.length >= VERTICAL_MAX) this.#refuse();
    this.#vertical.push({ column: Math.min(...columns), first, last: row });
  }

  #refuse(): never {
    throw new XlsxRefusal(`Sheet “${this.#name}”`, "it has too many merged cells");
  }
}

/** The columns of an enriched sheet. */
export interface WidenedColumns {
  /** Column of CNPJs and last new column, counted from 0, and the row of the header. */
  readonly cnpjs: number;
  readonly last: number;
  readonly header: number;
}

/** Matches a range, and captures all but the letters of its last column. */
const RANGE = /^(\s*\$?([A-Z]{1,3})\$?\d+:\$?)([A-Z]{1,3})(\$?(\d+)\s*)$/i;

/**
 * Returns the range of a filter up to the last new column, so that sorting keeps rows together. A
 * range without the column of CNPJs, or above its rows, stays as it is.
 */
export function widenedRange(ref: string, { cnpjs, last, header }: WidenedColumns): string {
  const [, begin, from = "", to = "", end, row] = RANGE.exec(ref) ?? [];
  if (begin === undefined) return ref;
  const [first, second] = [placeOf(from), placeOf(to)];
  const holds = first <= cnpjs && cnpjs <= second && Number(row) >= header;
  return holds && second < last ? `${begin}${lettersOf(last)}${end}` : ref;
}

function placeOf(letters: string): number {
  return columnOfLetters(letters.toUpperCase()) ?? Number.NaN;
}

const DEFINED = /(<(?:\w+:)?definedName\b([^>]*)>)([^<]*)(?=<\/)/g;

/**
 * Returns the XML of the workbook in which the hidden name of a sheet's filter has the new range.
 * `sheet` is the position of the sheet, counted from 0.
 */
export function widenedNames(xml: string, sheet: number, columns: WidenedColumns): string {
  return xml.replace(DEFINED, (whole, tag: string, attributes: string, content: string) => {
    const isFilter = /\sname\s*=\s*["']_xlnm\._FilterDatabase["']/.test(attributes);
    const place = /\slocalSheetId\s*=\s*["']\s*(\d+)/.exec(attributes)?.[1];
    if (!isFilter || place === undefined || Number(place) !== sheet) return whole;
    const at = content.lastIndexOf("!") + 1;
    return tag + content.slice(0, at) + widenedRange(content.slice(at), columns);
  });
}
