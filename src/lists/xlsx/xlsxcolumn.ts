/**
 * The column of CNPJs of a workbook. What comes in: an XLSX file. What goes out: the texts of one
 * column of its first sheet that has one of CNPJs, with their cells, and which sheet that was.
 * Invariant: as for CSV (csvcolumn.ts): the first rows say which column it is; what is read besides
 * is the table of texts, within bounds, and the numbers' formats. A sheet that shows no CNPJs, such
 * as a cover, is passed over, unless no other sheet has anything; where several have and none
 * shows any, each is named with what was wrong.
 */
import {
  ColumnRefusal,
  type FoundColumn,
  findColumn,
  lettersOf,
  SAMPLE_BYTES,
  SAMPLE_ROWS,
  showsCnpjs,
} from "../column.ts";
import { Formats, readStyles, type SeenNumber } from "./formats.ts";
import type { XlsxPackage } from "./package.ts";
import { PartReader } from "./part.ts";
import { XlsxRefusal } from "./refusal.ts";
import { type RowTaker, type SheetParts, SheetReader } from "./sheet.ts";
import { readTexts, TextTable } from "./texts.ts";
import { readWorkbook, type SheetPart } from "./workbook.ts";

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
  const others = sheets.length - 1;
  const passed: PassedSheet[] = [];
  const read = async (sheet: SheetPart, isOnly: boolean): Promise<ReadSheet | null> => {
    const { name, path } = sheet;
    const column = new WantedColumn(wanted, take, isOnly);
    const reader = new SheetReader(name, parts, column);
    const xml = new PartReader(`Sheet “${name}”`, reader);
    for await (const piece of file.pieces(path)) {
      xml.add(piece);
      if (column.passed !== null) break;
    }
    if (column.passed === null) xml.end();
    column.end();
    if (column.passed !== null) passed.push({ sheet, why: column.passed });
    else if (reader.filled) return { name, others, column: column.name };
    return null;
  };
  for (const sheet of sheets) {
    const found = await read(sheet, false);
    if (found !== null) return found;
  }
  const [only, ...more] = passed;
  // Its lines, or the lack of a column, are told as those of any file.
  const found = only === undefined || more.length > 0 ? null : await read(only.sheet, true);
  return found ?? refuse(passed);
}

/** A sheet that shows no CNPJs, and what was wrong with it. */
interface PassedSheet {
  readonly sheet: SheetPart;
  readonly why: string;
}

/** Sheets that a refusal names. */
const NAMED_MAX = 10;

function refuse(passed: readonly PassedSheet[]): never {
  if (passed.length === 0) {
    throw new XlsxRefusal("The workbook", "no sheet of it has anything", "Fill one, or send CSV.");
  }
  const named = passed.slice(0, NAMED_MAX).map(({ sheet, why }) => `“${sheet.name}”: ${why}`);
  const more = passed.length > NAMED_MAX ? `; and ${passed.length - NAMED_MAX} more` : "";
  throw new XlsxRefusal(
    "The workbook",
    `no sheet of it has a column of CNPJs (${named.join("; ")}${more})`,
    "Give the column the header CNPJ, or name it: column=<header>.",
  );
}

interface SampleRow {
  readonly number: number;
  readonly cells: ReadonlyMap<number, SeenNumber>;
}

/** Finds the column in the first rows, and hands on its cells. */
class WantedColumn implements RowTaker {
  readonly #wanted: string | undefined;
  readonly #take: (cell: XlsxCell) => void;
  /** True if the sheet is read in any case, since no other one has anything. */
  readonly #isOnly: boolean;
  #sample: SampleRow[] | null = [];
  #sampled = 0;
  #column = -1;
  #letters = "";
  #takesRoots = false;
  /** Its header, or its letters. */
  name = "";
  /** Why the sheet is passed over; null while it is not. */
  passed: string | null = null;

  constructor(wanted: string | undefined, take: (cell: XlsxCell) => void, isOnly: boolean) {
    this.#wanted = wanted;
    this.#take = take;
    this.#isOnly = isOnly;
  }

  wants(column: number): boolean {
    return this.passed === null && (this.#sample !== null || column === this.#column);
  }

  row(number: number, cells: SampleRow["cells"]): void {
    if (this.passed !== null) return;
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
    const found = this.#find(rows.map(({ cells }) => textsOf(cells)));
    if (found === null) return;
    const { column, hasHeader, header, takesRoots } = found;
    this.#column = column;
    this.#takesRoots = takesRoots;
    this.#letters = lettersOf(column);
    this.name = header ?? this.#letters;
    for (const row of hasHeader ? rows.slice(1) : rows) this.#give(row);
  }

  /** Finds the column; null if the sheet is passed over. */
  #find(rows: readonly string[][]): FoundColumn | null {
    try {
      const found = findColumn(rows, this.#wanted, true);
      if (this.#isOnly || showsCnpjs(rows, found, this.#wanted)) return found;
      this.passed = `no CNPJ in the first rows of column ${lettersOf(found.column)}`;
    } catch (error) {
      if (this.#isOnly || !(error instanceof ColumnRefusal)) throw error;
      this.passed = error.message.split(/[:.](?: |$)/, 1)[0] as string;
    }
    return null;
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
