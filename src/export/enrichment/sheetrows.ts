/**
 * Appends cells to the rows of a sheet's XML. Input: the sheet's part in chunks, one character per
 * byte; the cells to append to each row. Output: the same XML with these cells.
 * Invariant: all other bytes are unchanged: cells, their types and styles, formulas, and the XML
 * before and after the rows. Only the sheet's dimensions and filter grow, and columns that would
 * hide the new cells are shown. The XML is well-formed, because it was parsed before. Memory is
 * bounded by the longest tag.
 */
import { lettersOf } from "../../lists/column.ts";
import { type WidenedColumns, widenedRange } from "./sheetranges.ts";

/** A row that ends. */
export interface EndedRow {
  /** Number of the row, counted from 1. */
  readonly number: number;
  /** True if a cell of the row is not empty. */
  readonly isFilled: boolean;
  /** Tag of its last cell; "" if it has none. */
  readonly lastCell: string;
}

/** Matches a tag, including quoted text, or another piece of markup. */
const MARKUP =
  /<(?:!--[\s\S]*?-->|!\[CDATA\[[\s\S]*?\]\]>|\?[\s\S]*?\?>|(?![!?])(?:[^"'>]|"[^"]*"|'[^']*')*>)/y;
const TAG = /^<(\/?)((?:[^\s/>:]+:)?)([^\s/>]+)/;
/** Matches tags of the elements that this class handles. */
const COUNTED = /^<\/?(?:[^\s/>:]+:)?(?:row|c|v|is|dimension|col|autoFilter|sortState)[\s/>]/;

/** Columns of the appended cells, counted from 0. */
interface NewColumns extends WidenedColumns {
  readonly first: number;
}

/** Appends cells to rows. */
export class SheetRows {
  readonly #cellsOf: (row: EndedRow) => string;
  readonly #columns: NewColumns;
  #rest = "";
  #row = 0;
  #isFilled = false;
  #lastCell = "";

  constructor(columns: NewColumns, cellsOf: (row: EndedRow) => string) {
    this.#columns = columns;
    this.#cellsOf = cellsOf;
  }

  /** Adds a chunk. Returns the XML that can be written. */
  add(chunk: string): string {
    const text = this.#rest + chunk;
    let out = "";
    let from = 0;
    let at = text.indexOf("<");
    while (at >= 0) {
      MARKUP.lastIndex = at;
      const markup = MARKUP.exec(text)?.[0];
      // The tag continues in the next chunk.
      if (markup === undefined) break;
      if (COUNTED.test(markup)) {
        out += text.slice(from, at) + this.#tag(markup);
        from = at + markup.length;
      }
      at = text.indexOf("<", at + markup.length);
    }
    const cut = at < 0 ? text.length : at;
    out += text.slice(from, cut);
    this.#rest = text.slice(cut);
    return out;
  }

  /** Ends the sheet. Returns the remaining XML. */
  end(): string {
    const rest = this.#rest;
    this.#rest = "";
    return rest;
  }

  #tag(markup: string): string {
    const [, closes = "", prefix = "", name = ""] = TAG.exec(markup) ?? [];
    if (name === "v" || name === "is") this.#isFilled = true;
    else if (name === "c" && closes === "") this.#lastCell = markup;
    if (name === "dimension") return widened(markup, lettersOf(this.#columns.last));
    if (name === "col" && closes === "") return shownColumns(markup, this.#columns);
    if (name === "autoFilter" || name === "sortState") return filtered(markup, this.#columns);
    if (name !== "row") return markup;
    if (closes === "/") return this.#cells(prefix) + markup;
    const position = /\sr\s*=\s*["']\s*(\d+)/.exec(markup)?.[1];
    this.#row = position === undefined ? this.#row + 1 : Number(position);
    this.#isFilled = false;
    this.#lastCell = "";
    const opened = markup.replace(/\s+spans\s*=\s*(?:"[^"]*"|'[^']*')/, "");
    if (!/\/\s*>$/.test(opened)) return opened;
    const cells = this.#cells(prefix);
    if (cells === "") return markup;
    return `${opened.replace(/\/\s*>$/, ">")}${cells}</${prefix}row>`;
  }

  #cells(prefix: string): string {
    const row = { number: this.#row, isFilled: this.#isFilled, lastCell: this.#lastCell };
    const cells = this.#cellsOf(row);
    return prefix === "" ? cells : cells.replace(/<(\/?)(c|v|f|is|t)(?=[ >])/g, `<$1${prefix}$2`);
  }
}

/** Matches attributes that hide a column, or that group it with hidden ones. */
const HIDING = /\s(?:hidden|collapsed|outlineLevel)\s*=\s*(?:"[^"]*"|'[^']*')/g;
const NO_WIDTH = /\s(?:width|customWidth)\s*=\s*(?:"[^"]*"|'[^']*')/g;

/**
 * Returns the element of a range of columns, split if it hides new ones, so that these are shown.
 * People hide all columns to the right of a table.
 */
function shownColumns(markup: string, columns: NewColumns): string {
  const [min, max] = [Number(attribute(markup, "min")), Number(attribute(markup, "max"))];
  const [from, to] = [Math.max(min, columns.first + 1), Math.min(max, columns.last + 1)];
  const isNarrow = Number(attribute(markup, "width") ?? 1) === 0;
  const isHidden = /^\s*(?:1|true)\s*$/.test(attribute(markup, "hidden") ?? "");
  if (!(from <= to) || !(isHidden || isNarrow)) return markup;
  const part = (first: number, last: number, tag = markup) =>
    tag
      .replace(/(\smin\s*=\s*["'])[^"']*/, `$1${first}`)
      .replace(/(\smax\s*=\s*["'])[^"']*/, `$1${last}`);
  const shown = markup.replace(HIDING, "");
  const parts = [
    ...(min < from ? [part(min, from - 1)] : []),
    part(from, to, isNarrow ? shown.replace(NO_WIDTH, "") : shown),
    ...(to < max ? [part(to + 1, max)] : []),
  ];
  // Only the last part keeps a closing tag, if the element has one.
  return parts.map((tag, at) => (at < parts.length - 1 ? closed(tag) : tag)).join("");
}

function closed(tag: string): string {
  return tag.replace(/\s*\/?>$/, "/>");
}

function attribute(markup: string, name: string): string | undefined {
  return new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)`).exec(markup)?.[1];
}

/** Returns the element of a filter, or of its sorting, over the new columns too. */
function filtered(markup: string, columns: NewColumns): string {
  return markup.replace(
    /(\sref\s*=\s*["'])([^"']*)/,
    (_, begin: string, ref: string) => begin + widenedRange(ref, columns),
  );
}

/** Returns the element with the sheet's dimensions, extended by the new columns. */
function widened(markup: string, last: string): string {
  return markup.replace(/(ref\s*=\s*["'][A-Z]+\d+:)[A-Z]+(\d+)/, `$1${last}$2`);
}
