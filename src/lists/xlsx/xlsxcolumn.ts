/**
 * The column of CNPJs of a workbook. What comes in: an XLSX file. What goes out: the texts of one
 * column of its first sheet that has any, with their cells, and which sheet that was.
 * Invariant: as for CSV (csvcolumn.ts): the first rows say which column it is; what is read besides
 * is the table of texts, within bounds, and the numbers' formats.
 */
import { findColumn, lettersOf, SAMPLE_BYTES, SAMPLE_ROWS } from "../column.ts";
import { Formats, readStyles, type SeenNumber } from "./formats.ts";
import type { XlsxPackage } from "./package.ts";
import { PartReader } from "./part.ts";
import { XlsxRefusal } from "./refusal.ts";
import { type RowTaker, type SheetParts, SheetReader } from "./sheet.ts";
import { readTexts, TextTable } from "./texts.ts";
import { readWorkbook } from "./workbook.ts";

/** A cell of the column. */
interface XlsxCell extends SeenNumber {
  /** Its row, counted from 1, and its name, as B7. */
  readonly row: number;
  readonly name: string;
  /** Whether eight characters of its column are a company. */
  readonly takesRoots: boolean;
}

/** Which sheet was read. */
export interface ReadSheet {
  readonly name: string;
  /** Sheets that a person sees and that were not read. */
  readonly others: number;
  /** The column's header, or its letters where it has none. */
  readonly column: string;
}

/**
 * Reads a workbook; `wanted` is the header, the number or the letters of the column. Throws
 * `XlsxRefusal`, or `ColumnRefusal` where the column is not there.
 */
export async function readXlsxColumn(
  file: XlsxPackage,
  wanted: string | undefined,
  take: (cell: XlsxCell) => void,
): Promise<ReadSheet> {
  const { sheets, texts, styles, since1904 } = await readWorkbook(file);
  const parts: SheetParts = {
    texts: texts === null ? new TextTable() : await readTexts(file, texts),
    formats: new Formats(styles === null ? [] : await readStyles(file, styles), since1904),
  };
  for (const { name, path } of sheets) {
    const column = new WantedColumn(wanted, take);
    const reader = new SheetReader(name, parts, column);
    const xml = new PartReader(`Sheet “${name}”`, reader);
    for await (const piece of file.pieces(path)) xml.add(piece);
    xml.end();
    column.end();
    if (reader.filled) return { name, others: sheets.length - 1, column: column.name };
  }
  throw new XlsxRefusal("The workbook", "no sheet of it has anything", "Fill one, or send CSV.");
}

interface SampleRow {
  readonly number: number;
  readonly cells: ReadonlyMap<number, SeenNumber>;
}

/** Finds the column in the first rows, and hands on its cells. */
class WantedColumn implements RowTaker {
  readonly #wanted: string | undefined;
  readonly #take: (cell: XlsxCell) => void;
  #sample: SampleRow[] | null = [];
  #sampled = 0;
  #column = -1;
  #letters = "";
  #takesRoots = false;
  /** Its header, or its letters. */
  name = "";

  constructor(wanted: string | undefined, take: (cell: XlsxCell) => void) {
    this.#wanted = wanted;
    this.#take = take;
  }

  wants(column: number): boolean {
    return this.#sample !== null || column === this.#column;
  }

  row(number: number, cells: SampleRow["cells"]): void {
    if (this.#sample === null) {
      this.#give({ number, cells });
      return;
    }
    this.#sample.push({ number, cells });
    for (const { text } of cells.values()) this.#sampled += text.length;
    if (this.#sample.length >= SAMPLE_ROWS || this.#sampled > SAMPLE_BYTES) this.#decide();
  }

  /** There are no more rows. */
  end(): void {
    if (this.#sample !== null && this.#sample.length > 0) this.#decide();
  }

  #decide(): void {
    const rows = this.#sample ?? [];
    this.#sample = null;
    const { column, hasHeader, header, takesRoots } = findColumn(
      rows.map(({ cells }) => textsOf(cells)),
      this.#wanted,
      true,
    );
    this.#column = column;
    this.#takesRoots = takesRoots;
    this.#letters = lettersOf(column);
    this.name = header ?? this.#letters;
    for (const row of hasHeader ? rows.slice(1) : rows) this.#give(row);
  }

  #give({ number, cells }: SampleRow): void {
    const cell = cells.get(this.#column);
    if (cell === undefined) return;
    const { text, isDate } = cell;
    const name = this.#letters + number;
    this.#take({ text, isDate, row: number, name, takesRoots: this.#takesRoots });
  }
}

/** The texts of a row from the first column on. */
function textsOf(cells: SampleRow["cells"]): string[] {
  const texts: string[] = new Array(Math.max(...cells.keys()) + 1).fill("");
  for (const [column, { text }] of cells) texts[column] = text;
  return texts;
}
