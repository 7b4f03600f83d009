/**
 * What the numbers of a workbook look like. What comes in: its part of styles, and numbers as they
 * are stored. What goes out: texts as a person sees them in the sheet, and which are dates.
 * Invariant: a number is told by all of its digits, however the sheet shows them, with zeros in
 * front exactly where its format shows them; a date is never taken for a number.
 */

import type { XmlAttributes } from "../../text/xmlreader.ts";
import {
  attributeOf,
  PartReader,
  type PartTaker,
  textOf,
  type XlsxPackage,
  XlsxRefusal,
} from "./package.ts";

/** How the numbers of a style look: as dates, or with as many digits at least. */
type Format = "date" | number;

/** Formats that have a number and no text: dates and times of every country. */
const DATES: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
const STYLES_MAX = 65_536;
/** Days from which on a number is no date of a spreadsheet: 31 December 9999 is the last. */
const DAYS_MAX = 2_958_466;
/** Days from the first date of a spreadsheet, and of the older kind, to 1970. */
const DAYS_BEFORE = { 1900: 25_569, 1904: 24_107 } as const;
const DAY_MS = 86_400_000;

/** A value as it is seen. */
export interface SeenNumber {
  readonly text: string;
  readonly isDate: boolean;
}

/** The formats of a workbook by the number of a style. */
export class Formats {
  readonly #styles: readonly Format[];
  readonly #daysBefore: number;

  /** `since1904` is how a workbook says that it counts days as old ones of the Macintosh did. */
  constructor(styles: readonly Format[], since1904: boolean) {
    this.#styles = styles;
    this.#daysBefore = DAYS_BEFORE[since1904 ? 1904 : 1900];
  }

  /** What a stored number looks like in a style; what is no number is told as it is. */
  seen(stored: string, style: number): SeenNumber {
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(stored)) {
      return { text: stored, isDate: false };
    }
    const value = Number(stored);
    // Larger than any number there is; its word would be read as letters.
    if (!Number.isFinite(value)) return { text: stored, isDate: false };
    const format = this.#styles[style] ?? 0;
    if (format === "date" && value >= 0 && value < DAYS_MAX) {
      return { text: this.#date(value), isDate: true };
    }
    const digits = format === "date" ? 0 : format;
    return { text: String(value).padStart(value < 0 ? 0 : digits, "0"), isDate: false };
  }

  #date(days: number): string {
    // Spreadsheets count a 29 February 1900, which was none.
    const shift = this.#daysBefore === DAYS_BEFORE[1900] && days < 60 ? 1 : 0;
    const at = new Date(Math.round((days + shift - this.#daysBefore) * DAY_MS)).toISOString();
    return days < 1 ? at.slice(11, 16) : at.slice(0, 10);
  }
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
  /** Numbers of formats by that of a style. */
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
    // Styles have none.
  }
}

/** What numbers of a format look like; `code` is null where the format has a number only. */
function formatOf(id: number, code: string | undefined): Format {
  if (code === undefined) {
    return DATES.some(([first, last]) => id >= first && id <= last) ? "date" : 0;
  }
  const [signs = ""] = code.replace(/\\.|_.|\*.|"[^"]*"|\[[^\]]*\]/gs, "").split(";");
  if (/[dmyhs]/i.test(signs) && !/^general$/i.test(signs)) return "date";
  const zeros = signs.replace(/[\s/()-]/g, "");
  return /^0{2,14}$/.test(zeros) ? zeros.length : 0;
}
