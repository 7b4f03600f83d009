/**
 * Converts a sheet to CSV, for a workbook to be enriched as CSV. Input: a package and the layout of
 * its sheet. Output: chunks of CSV for csvenriched.ts, and their layout.
 * Invariant: lines have the same numbers as the sheet's rows, so blank rows are blank lines. Texts
 * stay whole. Whole numbers have all digits, decimals up to 15, with a decimal comma in Portuguese.
 * Dates are formatted by language, or as ISO 8601 without one. A text that a spreadsheet would run
 * as a formula gets a leading apostrophe, as in other exports. Memory is bounded by a chunk.
 */
import { PartReader, type XlsxPackage, XlsxRefusal } from "../../lists/xlsx/package.ts";
import { type RowTaker, type SeenNumber, SheetReader } from "../../lists/xlsx/sheet.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { CsvBytes } from "./csvbytes.ts";
import type { CsvLayout } from "./csvlayout.ts";
import type { SheetLayout } from "./sheetlayout.ts";

/** Bytes of a piece. */
const PIECE_BYTES = 262_144;
const MARK = Buffer.from("\ufeff");
const NOTHING = new Uint8Array(0);

/** Returns the layout of the CSV, with the delimiter that Excel expects in the language. */
export function sheetAsCsv(layout: SheetLayout, labels: LabelLanguage | null): CsvLayout {
  const { column, name, takesRoots, equals, header, width, rows } = layout;
  return {
    encoding: "utf-8",
    delimiter: labels === "pt" ? ";" : ",",
    ...{ column, name, takesRoots, equals, header: header - 1, width, rows },
    ...{ longCell: 0, bytes: 0 },
  };
}

/**
 * Yields a sheet as chunks of CSV. `onCell` receives the records whose cell must be read instead of
 * their text: a date, a formula without a result, or a merged cell that begins in an earlier row.
 */
export async function* sheetPieces(
  file: XlsxPackage,
  { sheet, path, column, header, parts, shared }: SheetLayout,
  { labels, onCell }: PiecesOptions,
): AsyncGenerator<CsvBytes> {
  const mark = labels === null ? NOTHING : MARK;
  const frame = { mark, tail: NOTHING, head: NOTHING, wide: null, used: 0 };
  const lines = new SheetLines(sheet, labels, (row, cells) => {
    const cell = cells.get(column);
    if (cell === undefined || row <= header) return 0;
    if (cell.isDate || cell.kind === "formula") onCell(row - 1, cell);
    const further = shared.get(row) ?? [];
    for (const number of further) onCell(number - 1, cell);
    return further.at(-1) ?? 0;
  });
  const xml = new PartReader(`Sheet “${sheet}”`, new SheetReader(sheet, parts, lines, true));
  for await (const piece of file.pieces(path)) {
    xml.add(piece);
    if (lines.length >= PIECE_BYTES) yield { ...frame, bytes: lines.take(), isLast: false };
  }
  xml.end();
  lines.end();
  yield { ...frame, bytes: lines.take(), isLast: true };
}

interface PiecesOptions {
  readonly labels: LabelLanguage | null;
  readonly onCell: (record: number, cell: SeenNumber) => void;
}

/**
 * Called with the number and the cells of a written row. Returns the number of a later row that
 * must have a line, even if it has no cells. 0 if there is none.
 */
type OnRow = (row: number, cells: ReadonlyMap<number, SeenNumber>) => number;

class SheetLines implements RowTaker {
  readonly #sheet: string;
  readonly #texts: CellTexts;
  readonly #onRow: OnRow;
  #text = "";
  #row = 0;
  #lastRow = 0;

  constructor(sheet: string, labels: LabelLanguage | null, onRow: OnRow) {
    this.#sheet = sheet;
    this.#texts = new CellTexts(labels);
    this.#onRow = onRow;
  }

  /** Characters that wait. */
  get length(): number {
    return this.#text.length;
  }

  /** Returns the lines so far, and forgets them. */
  take(): Buffer {
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    return bytes;
  }

  wants(): boolean {
    return true;
  }

  row(number: number, cells: ReadonlyMap<number, SeenNumber>): void {
    if (number <= this.#row) {
      throw new XlsxRefusal(`Sheet “${this.#sheet}”`, `row ${number} is there twice or too late`);
    }
    this.#text += "\r\n".repeat(number - this.#row - 1);
    this.#row = number;
    const texts: string[] = new Array(Math.max(...cells.keys()) + 1).fill("");
    for (const [column, cell] of cells) texts[column] = this.#texts.of(cell);
    this.#text += `${texts.join(this.#texts.delimiter)}\r\n`;
    this.#lastRow = Math.max(this.#lastRow, this.#onRow(number, cells));
  }

  /** Adds blank lines for the last rows of a merged cell. */
  end(): void {
    this.#text += "\r\n".repeat(Math.max(0, this.#lastRow - this.#row));
  }
}

/** Characters that spreadsheets skip before a formula; those of native-index/render/rows_csv.cc. */
const SKIPPED =
  "\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5" +
  "\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164" +
  "\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb" +
  "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";
/**
 * Matches texts that a spreadsheet would run as formulas, also in full-width form, except numbers
 * and telephones.
 */
const FORMULA = new RegExp(
  `^(?:[\\t\\r]|[${SKIPPED}]*(?:[=@\\uff1d\\uff20]|[+\\uff0b\\uff0d-](?![\\d\\s().,/-]*$)))`,
  "u",
);
const BOOLEANS = { TRUE: "VERDADEIRO", FALSE: "FALSO" } as const;

/** Formats cells as CSV texts. */
class CellTexts {
  readonly delimiter: string;
  readonly #labels: LabelLanguage | null;
  readonly #quoted: RegExp;

  constructor(labels: LabelLanguage | null) {
    this.#labels = labels;
    this.delimiter = labels === "pt" ? ";" : ",";
    this.#quoted = labels === "pt" ? /[;"\r\n]/ : /[,"\r\n]/;
  }

  of(cell: SeenNumber): string {
    const text = this.#text(cell);
    return this.#quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  #text({ text, isDate, kind }: SeenNumber): string {
    if (isDate) {
      const isIso = this.#labels === null;
      return isIso ? text : text.replace(/^(\d{4})-(\d\d)-(\d\d)/, "$3/$2/$1");
    }
    if (kind === "number") return this.#labels === "pt" ? text.replace(".", ",") : text;
    if (kind === "boolean") {
      return this.#labels === "pt" ? BOOLEANS[text as keyof typeof BOOLEANS] : text;
    }
    return FORMULA.test(text) ? `'${text}` : text;
  }
}
