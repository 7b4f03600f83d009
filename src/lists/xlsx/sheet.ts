/**
 * Reads the cells of a sheet. Input: its part in chunks, and the workbook's styles. Output: rows
 * with the wanted cells as users see them, each with a flag that is true for dates.
 * Invariant: memory does not grow with the sheet. If a cell cannot be read, the error names it, and
 * it is never read as something else. Formulas are read as their last result, and marked if no
 * result is saved. All digits of a number are read, even those that its format hides. Leading zeros
 * are read only if the format shows them. A date is never read as a number.
 */
import type { XmlAttributes } from "../../text/xmlreader.ts";
import { CELL_MAX, columnOfLetters, lettersOf } from "../column.ts";
import {
  attributeOf,
  PartReader,
  type PartTaker,
  textOf,
  type XlsxPackage,
  XlsxRefusal,
} from "./package.ts";
import { TextCollector, type TextTable } from "./workbook.ts";

/** Max rows of a sheet. */
const ROWS_MAX = 1_048_576;
/** Fix for a sheet with too many rows. */
const NO_ROWS = "Delete the empty rows below the data, or copy the data to a new workbook.";

/** Parts of the workbook that are needed to read cells. */
export interface SheetParts {
  readonly texts: TextTable;
  readonly formats: Formats;
}

/** Receives the rows that have wanted cells. */
export interface RowTaker {
  /** True if a column is wanted. */
  wants(column: number): boolean;
  /** Called with the number of a row (from 1), and with its cells by column (from 0). */
  row(number: number, cells: ReadonlyMap<number, SeenNumber>): void;
}

interface OpenCell {
  readonly column: number;
  readonly kind: string;
  readonly style: number;
}

/** Reads one sheet. */
export class SheetReader implements PartTaker {
  /** True if any wanted cell had a value. */
  filled = false;
  readonly #name: string;
  readonly #parts: SheetParts;
  readonly #taker: RowTaker;
  readonly #isWhole: boolean;
  readonly #value: TextCollector;
  #row = 0;
  #rows = 0;
  #inRow = false;
  #column = -1;
  #cells = new Map<number, SeenNumber>();
  #cell: OpenCell | null = null;
  /** True if the open cell has a formula, and a result, which may be an empty text. */
  #hasFormula = false;
  #hasResult = false;
  #reads = false;
  #spoken = 0;

  /** If `isWhole` is true, texts are not shortened or trimmed, and dates include their time. */
  constructor(name: string, parts: SheetParts, taker: RowTaker, isWhole = false) {
    this.#name = name;
    this.#parts = parts;
    this.#taker = taker;
    this.#isWhole = isWhole;
    this.#value = new TextCollector(isWhole);
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "c") this.#openCell(attributes);
    else if (name === "row") this.#openRow(attributes);
    else if (this.#cell === null) return;
    else if (name === "rPh") this.#spoken++;
    else if (name === "f") this.#hasFormula = true;
    else if (name === "v" || name === "t") {
      this.#reads = this.#spoken === 0;
      this.#hasResult ||= name === "v" && this.#cell.kind === "str";
    }
  }

  close(name: string): void {
    if (name === "v" || name === "t") this.#reads = false;
    else if (name === "c") this.#closeCell();
    else if (name === "row") this.#closeRow();
    else if (name === "rPh" && this.#cell !== null) this.#spoken--;
  }

  text(text: string): void {
    if (this.#reads) this.#value.add(text);
  }

  reached(): string {
    return `row ${this.#row}`;
  }

  #openRow(attributes: XmlAttributes): void {
    if (this.#inRow) this.#refuse(`Row ${this.#row} of sheet “${this.#name}”`, "it has no end");
    const number = Number(attributeOf(attributes, "r") ?? this.#row + 1);
    // Rows are counted too, because rows with one number would make the work of a sheet endless.
    if (++this.#rows > ROWS_MAX) {
      const wrong = `it has more than ${ROWS_MAX.toLocaleString("en")} rows, empty ones included`;
      throw new XlsxRefusal(`Sheet “${this.#name}”`, wrong, NO_ROWS);
    }
    if (!Number.isInteger(number) || number < 1 || number > ROWS_MAX) {
      this.#refuse(
        `Sheet “${this.#name}”, behind row ${this.#row}`,
        "it has a row without a number",
      );
    }
    this.#row = number;
    this.#inRow = true;
    this.#column = -1;
  }

  #closeRow(): void {
    this.#inRow = false;
    if (this.#cells.size === 0) return;
    this.#taker.row(this.#row, this.#cells);
    this.#cells = new Map();
  }

  #openCell(attributes: XmlAttributes): void {
    if (!this.#inRow || this.#cell !== null) {
      this.#refuse(`Sheet “${this.#name}”, behind row ${this.#row}`, "a cell is in no row");
    }
    this.#column = this.#columnOf(attributeOf(attributes, "r"));
    this.#cell = NOT_WANTED;
    if (!this.#taker.wants(this.#column)) return;
    const kind = attributeOf(attributes, "t") ?? "n";
    this.#cell = { column: this.#column, kind, style: Number(attributeOf(attributes, "s") ?? 0) };
  }

  /** Returns the column of a cell by its name, or else after the preceding cell. */
  #columnOf(reference: string | undefined): number {
    const quick = reference === undefined ? null : placeOf(reference);
    if (quick !== null) return quick;
    const [, letters = ""] = /^([A-Z]{1,3})[0-9]+$/i.exec(reference ?? "") ?? [];
    const next = reference === undefined ? lettersOf(this.#column + 1) : letters.toUpperCase();
    const column = columnOfLetters(next);
    if (column !== null) return column;
    return this.#refuse(`Sheet “${this.#name}”, row ${this.#row}`, "a cell has no place");
  }

  #closeCell(): void {
    const cell = this.#cell;
    const bytes = this.#value.take();
    const isUnsaved = bytes === "" && this.#hasFormula && !this.#hasResult;
    this.#cell = null;
    this.#hasFormula = false;
    this.#hasResult = false;
    this.#spoken = 0;
    if (cell === null || cell === NOT_WANTED || (bytes === "" && !isUnsaved)) return;
    const seen = isUnsaved ? UNSAVED : this.#seen(cell, bytes);
    const trimmed = seen.text.trim();
    if (trimmed === "" && !isUnsaved) return;
    this.filled = true;
    if (this.#cells.has(cell.column)) this.#refuse(this.#placeOf(cell), "it is there twice");
    const { isDate } = seen;
    const isAsSeen = this.#isWhole || isUnsaved;
    const read = isAsSeen ? seen : { text: trimmed.slice(0, CELL_MAX), isDate };
    this.#cells.set(cell.column, read);
  }

  #seen(cell: OpenCell, bytes: string): SeenNumber {
    const { kind, style } = cell;
    if (kind === "n") return this.#parts.formats.seen(bytes.trim(), style, this.#isWhole);
    if (kind === "d") {
      const text = textOf(bytes);
      return { text: this.#isWhole ? isoDate(text) : text, isDate: true };
    }
    if (kind === "b") {
      return { text: bytes.trim() === "1" ? "TRUE" : "FALSE", isDate: false, kind: "boolean" };
    }
    if (kind === "str" || kind === "inlineStr" || kind === "e") {
      return { text: textOf(bytes), isDate: false };
    }
    if (kind !== "s") this.#refuse(this.#placeOf(cell), "it is of a kind that no cell has");
    const text = /^\s*\d{1,9}\s*$/.test(bytes) ? this.#parts.texts.at(Number(bytes)) : undefined;
    if (text !== undefined) return { text, isDate: false };
    return this.#refuse(this.#placeOf(cell), "its text is not in the workbook's table of texts");
  }

  #placeOf({ column }: OpenCell): string {
    return `Cell ${lettersOf(column)}${this.#row} of sheet “${this.#name}”`;
  }

  #refuse(place: string, wrong: string): never {
    throw new XlsxRefusal(place, wrong);
  }
}

/** A formula whose result the program that made the file has not saved. */
const UNSAVED: SeenNumber = { text: "", isDate: false, kind: "formula" };

/** A cell of an unwanted column. */
const NOT_WANTED: OpenCell = { column: -1, kind: "", style: 0 };

/** Returns the column of an ordinary name such as B7; else null. */
function placeOf(name: string): number | null {
  let column = 0;
  let at = 0;
  for (; at < 3; at++) {
    const sign = name.charCodeAt(at);
    if (sign < 0x41 || sign > 0x5a) break;
    column = column * 26 + sign - 64;
  }
  const sign = name.charCodeAt(at);
  const fits = at > 0 && sign >= 0x30 && sign <= 0x39 && column <= 16_384;
  return fits ? column - 1 : null;
}

/** How a style displays numbers: as dates, or with a minimum number of digits. */
type Format = "date" | number;

/** Numbers of the built-in formats for dates and times. Such a format has no text. */
const DATES: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
const STYLES_MAX = 65_536;
/** Days from a spreadsheet's day 0 to 1970-01-01, by date system: 1900, or the older 1904. */
const DAYS_BEFORE = { 1900: 25_569, 1904: 24_107 } as const;
/** Days from 1970-01-01 to 10000-01-01. Spreadsheets have no dates from that day on. */
const DAYS_AFTER = 2_932_897;
const DAY_MS = 86_400_000;

/** A value as displayed. */
export interface SeenNumber {
  readonly text: string;
  readonly isDate: boolean;
  /** Kind of the value; absent if the cell is text. "formula": it has no saved result. */
  readonly kind?: "number" | "boolean" | "formula";
}

/** The formats of a workbook, by style number. */
export class Formats {
  readonly #styles: readonly Format[];
  readonly #daysBefore: number;

  /** If `since1904` is true, dates count from 1904, as on the old Macintosh. */
  constructor(styles: readonly Format[], since1904: boolean) {
    this.#styles = styles;
    this.#daysBefore = DAYS_BEFORE[since1904 ? 1904 : 1900];
  }

  /** Formats a number in a style, dates with time if `isWhole`. Other text stays. */
  seen(stored: string, style: number, isWhole = false): SeenNumber {
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(stored)) {
      return { text: stored, isDate: false };
    }
    const value = Number(stored);
    // The number is too large for a double. Its text "Infinity" would be read as letters.
    if (!Number.isFinite(value)) return { text: stored, isDate: false };
    const format = this.#styles[style] ?? 0;
    if (format === "date" && value >= 0 && value < this.#daysBefore + DAYS_AFTER) {
      return { text: this.#date(value, isWhole), isDate: true };
    }
    const digits = format === "date" ? 0 : format;
    const shown =
      exactInteger(stored) ??
      (isWhole && !Number.isInteger(value) ? rounded(value) : String(value));
    const text = shown.padStart(value < 0 ? 0 : digits, "0");
    return { text, isDate: false, ...(isWhole ? NUMBER : {}) };
  }

  #date(days: number, isWhole: boolean): string {
    // Spreadsheets count 29 February 1900, which did not exist.
    const shift = this.#daysBefore === DAYS_BEFORE[1900] && days < 60 ? 1 : 0;
    const at = new Date(Math.round((days + shift - this.#daysBefore) * DAY_MS)).toISOString();
    if (isWhole) return wholeDate(days, at);
    return days < 1 ? at.slice(11, 16) : at.slice(0, 10);
  }
}

/** Formats a date, with its time if it has one. */
function wholeDate(days: number, at: string): string {
  const time = at.slice(11, 19).replace(/(?<=..:..):00$/, "");
  if (days < 1) return time;
  return time === "00:00" ? at.slice(0, 10) : `${at.slice(0, 10)} ${time}`;
}

/**
 * Returns an ISO 8601 cell, which programs other than Excel write, in the format of `wholeDate`.
 */
function isoDate(text: string): string {
  const [, day, time] =
    /^\s*(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)(?:\.\d+)?Z?\s*$/.exec(text) ?? [];
  if (day === undefined || time === undefined) return text;
  return wholeDate(1, `${day}T${time.padEnd(8, ":00")}`);
}

/** Returns the digits of an integer that a double cannot hold exactly; null for other texts. */
function exactInteger(stored: string): string | null {
  if (Number.isSafeInteger(Number(stored))) return null;
  const [, sign = "", digits] = /^(?:\+|(-))?0*(\d+)$/.exec(stored) ?? [];
  return digits === undefined ? null : sign + digits;
}

const NUMBER = { kind: "number" } as const;

/** Number of digits that spreadsheets show. */
const PRECISION = 15;

function rounded(value: number): string {
  return String(Number(value.toPrecision(PRECISION)));
}

/** Reads the part of styles. Throws `XlsxRefusal`. */
export async function readStyles(workbook: XlsxPackage, path: string): Promise<Format[]> {
  const taker = new StylesTaker(path);
  const reader = new PartReader(path, taker);
  for await (const piece of workbook.pieces(path)) reader.add(piece);
  reader.end();
  return taker.cells.map((id) => formatOf(id, taker.codes.get(id)));
}

class StylesTaker implements PartTaker {
  readonly codes = new Map<number, string>();
  /** The number of the format, by style number. */
  readonly cells: number[] = [];
  readonly #place: string;
  #inCells = false;

  constructor(place: string) {
    this.#place = place;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "cellXfs") this.#inCells = true;
    else if (name === "numFmt") {
      const code = textOf(attributeOf(attributes, "formatCode") ?? "");
      this.codes.set(Number(attributeOf(attributes, "numFmtId") ?? Number.NaN), code);
    } else if (name === "xf" && this.#inCells) {
      this.cells.push(Number(attributeOf(attributes, "numFmtId") ?? 0));
    }
    if (this.codes.size > STYLES_MAX || this.cells.length > STYLES_MAX) {
      throw new XlsxRefusal(this.#place, "it has too many styles");
    }
  }

  close(name: string): void {
    if (name === "cellXfs") this.#inCells = false;
  }

  text(): void {
    // Styles contain no text.
  }
}

/** Returns how a format displays numbers; `code` is undefined for a built-in format. */
function formatOf(id: number, code: string | undefined): Format {
  if (code === undefined) {
    return DATES.some(([first, last]) => id >= first && id <= last) ? "date" : 0;
  }
  const [signs = ""] = code.replace(/\\.|_.|\*.|"[^"]*"|\[[^\]]*\]/gs, "").split(";");
  if (/[dmyhs]/i.test(signs) && !/^general$/i.test(signs)) return "date";
  const zeros = signs.replace(/[\s/()-]/g, "");
  return /^0{2,14}$/.test(zeros) ? zeros.length : 0;
}
