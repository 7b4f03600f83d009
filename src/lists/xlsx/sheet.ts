/**
 * The cells of a sheet. What comes in: its part, piece by piece. What goes out: rows, each with the
 * cells that are wanted, as a person sees them.
 * Invariant: memory does not grow with the sheet; a cell that cannot be read is refused by its name
 * and nothing is read as something else; a formula counts for its last result.
 */
import type { XmlAttributes } from "../../text/xmlreader.ts";
import { CELL_MAX, columnOfLetters, lettersOf } from "../column.ts";
import type { Formats, SeenNumber } from "./formats.ts";
import { attributeOf, type PartTaker, textOf, XlsxRefusal } from "./package.ts";
import { TextGathered, type TextTable } from "./texts.ts";

/** Rows of a sheet. */
const ROWS_MAX = 1_048_576;

/** What the cells of a sheet need to be read. */
export interface SheetParts {
  readonly texts: TextTable;
  readonly formats: Formats;
}

/** Takes the rows that have a cell of those that are wanted. */
export interface RowTaker {
  /** Whether a column is wanted. */
  wants(column: number): boolean;
  /** Takes a row; its cells by their columns, which are counted from 0, as rows are from 1. */
  row(number: number, cells: ReadonlyMap<number, SeenNumber>): void;
}

/** The cell that is being read. */
interface OpenCell {
  readonly column: number;
  readonly kind: string;
  readonly style: number;
}

/** Reads one sheet. */
export class SheetReader implements PartTaker {
  /** Whether any cell that was wanted has had anything. */
  filled = false;
  readonly #name: string;
  readonly #parts: SheetParts;
  readonly #taker: RowTaker;
  readonly #value = new TextGathered();
  #row = 0;
  #inRow = false;
  #column = -1;
  #cells = new Map<number, SeenNumber>();
  #cell: OpenCell | null = null;
  #reads = false;
  #spoken = 0;

  /** `name` is that of the sheet. */
  constructor(name: string, parts: SheetParts, taker: RowTaker) {
    this.#name = name;
    this.#parts = parts;
    this.#taker = taker;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "c") this.#openCell(attributes);
    else if (name === "row") this.#openRow(attributes);
    else if (this.#cell === null) return;
    else if (name === "rPh") this.#spoken++;
    else if (name === "v" || name === "t") this.#reads = this.#spoken === 0;
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

  #openRow(attributes: XmlAttributes): void {
    if (this.#inRow) this.#refuse(`Row ${this.#row} of sheet “${this.#name}”`, "it has no end");
    const number = Number(attributeOf(attributes, "r") ?? this.#row + 1);
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

  /** The column of a cell by its name; without one it follows the cell before. */
  #columnOf(told: string | undefined): number {
    const quick = told === undefined ? null : placeOf(told);
    if (quick !== null) return quick;
    const [, letters = ""] = /^([A-Z]{1,3})[0-9]+$/i.exec(told ?? "") ?? [];
    const next = told === undefined ? lettersOf(this.#column + 1) : letters.toUpperCase();
    const column = columnOfLetters(next);
    if (column !== null) return column;
    return this.#refuse(`Sheet “${this.#name}”, row ${this.#row}`, "a cell has no place");
  }

  #closeCell(): void {
    const cell = this.#cell;
    const bytes = this.#value.take();
    this.#cell = null;
    this.#spoken = 0;
    if (cell === null || cell === NOT_WANTED || bytes === "") return;
    const seen = this.#seen(cell, bytes);
    const text = seen.text.trim().slice(0, CELL_MAX);
    if (text === "") return;
    this.filled = true;
    if (this.#cells.has(cell.column)) this.#refuse(this.#placeOf(cell), "it is there twice");
    this.#cells.set(cell.column, { text, isDate: seen.isDate });
  }

  #seen(cell: OpenCell, bytes: string): SeenNumber {
    const { kind, style } = cell;
    if (kind === "n") return this.#parts.formats.seen(bytes.trim(), style);
    if (kind === "d") return { text: textOf(bytes), isDate: true };
    if (kind === "b") return { text: bytes.trim() === "1" ? "TRUE" : "FALSE", isDate: false };
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

/** A cell of a column that nobody asks for. */
const NOT_WANTED: OpenCell = { column: -1, kind: "", style: 0 };

/** The column of a name that is written as nearly all are, as B7; else null. */
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
