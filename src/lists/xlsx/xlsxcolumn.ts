/**
 * Reads the column of CNPJs of a workbook. Input: an XLSX file. Output: the texts of the column
 * with their cells, and the chosen sheet: the first one with CNPJs.
 * Invariant: as for CSV (csvcolumn.ts), the first rows determine the column. The bounded text table
 * and the number formats are read as well. A sheet without CNPJs, such as a cover, is skipped,
 * unless it is the only one with data. If several sheets have data and none shows CNPJs, the error
 * names each with its fault. If several show CNPJs, workbook.ts chooses. A hidden sheet is never
 * chosen; if only a hidden one has CNPJs, the error names it.
 */
import {
  ColumnRefusal,
  cnpjsIn,
  findColumn,
  lettersOf,
  SAMPLE_BYTES,
  SAMPLE_ROWS,
  showsCnpjs,
} from "../column.ts";
import { PartReader, type XlsxPackage, XlsxRefusal } from "./package.ts";
import {
  Formats,
  type RowTaker,
  readStyles,
  type SeenNumber,
  type SheetParts,
  SheetReader,
} from "./sheet.ts";
import {
  type Choice,
  type HiddenSheet,
  mayBeCover,
  readTexts,
  readWorkbook,
  type SeenSheet,
  type SheetPart,
  type SheetReason,
  type ShownCnpjs,
  type SkippedSheet,
  sheetOf,
  TextTable,
} from "./workbook.ts";

/** A cell of the column. */
interface XlsxCell extends SeenNumber {
  /** Row of the cell, counted from 1, and the name of the cell, such as B7. */
  readonly row: number;
  readonly name: string;
  /** True if eight characters in the column are the root of a CNPJ, which identifies a company. */
  readonly takesRoots: boolean;
}

/** The sheet that was read. */
export interface ReadSheet {
  readonly name: string;
  /** Number of visible sheets that were not read. */
  readonly others: number;
  /** Number of hidden sheets, which are never read; absent if none. */
  readonly hidden?: number;
  /** The column's header, or its letters if it has no header. */
  readonly column: string;
}

/**
 * Reads a workbook. `wanted` is the header, the number, or the letters of the column. Throws
 * `XlsxRefusal`, or `ColumnRefusal` if the column does not exist.
 */
export async function readXlsxColumn(
  file: XlsxPackage,
  wanted: string | undefined,
  take: (cell: XlsxCell) => void,
): Promise<ReadSheet> {
  const { open, chosen, sheets, hidden } = await chooseSheet(file, wanted);
  const column = new WantedColumn(wanted, take);
  await readSheet(open, chosen, column);
  return {
    ...{ name: chosen.name, others: sheets - 1, column: column.name },
    ...(hidden === 0 ? {} : { hidden }),
  };
}

/** The sheet chosen from a workbook. */
interface ChosenSheet {
  readonly open: OpenWorkbook;
  readonly chosen: SheetPart;
  readonly reason: SheetReason;
  /** Numbers of visible and of hidden sheets. */
  readonly sheets: number;
  readonly hidden: number;
  /** Path of the part of styles; null if there is none. */
  readonly styles: string | null;
  /** True if the workbook counts its dates from 1904. */
  readonly since1904: boolean;
}

/** Chooses the sheet with the column of CNPJs. `isWhole` caches whole texts. @throws XlsxRefusal */
export async function chooseSheet(
  file: XlsxPackage,
  wanted: string | undefined,
  isWhole = false,
): Promise<ChosenSheet> {
  const { sheets, hidden, texts, styles, since1904 } = await readWorkbook(file);
  const parts: SheetParts = {
    texts: texts === null ? new TextTable() : await readTexts(file, texts, isWhole),
    formats: new Formats(styles === null ? [] : await readStyles(file, styles), since1904),
  };
  const open = { file, parts, wanted };
  const seen = await lookThrough(open, sheets);
  const { sheet: chosen, reason } = sheetOf(seen) ?? (await onlySheet(open, seen, hidden));
  return { open, chosen, reason, sheets: sheets.length, hidden: hidden.length, styles, since1904 };
}

/**
 * Returns the only visible sheet with data. It is chosen even without CNPJs, so that its errors are
 * reported as the errors of the file. Throws `XlsxRefusal` if there is another number of them, or
 * if a hidden sheet has the CNPJs.
 */
async function onlySheet(
  open: OpenWorkbook,
  seen: readonly SeenSheet[],
  hidden: readonly HiddenSheet[],
): Promise<Choice> {
  const passed = seen.flatMap(({ sheet, why }) => (why === null ? [] : [{ sheet, why }]));
  const meant = await hiddenWithCnpjs(open, hidden);
  if (meant !== undefined) {
    const wrong = "it has a column of CNPJs, as no visible sheet has, but is hidden";
    throw new XlsxRefusal(`Sheet “${meant}”`, wrong, "Show the sheet, save, and send that.");
  }
  const [only, ...more] = passed;
  if (only === undefined || more.length > 0) return refuse(passed, hidden);
  return { sheet: only.sheet, reason: "only_with_data" };
}

/** Returns the name of the first hidden sheet that has CNPJs and is no cover; else undefined. */
async function hiddenWithCnpjs(
  open: OpenWorkbook,
  hidden: readonly HiddenSheet[],
): Promise<string | undefined> {
  for (const { name, path } of hidden) {
    if (path === null) continue;
    try {
      const [seen] = await lookThrough(open, [{ name, path }]);
      if (seen?.shown && !mayBeCover(seen.shown)) return name;
    } catch (error) {
      // The sheet is not used, so its faults do not matter.
      if (!(error instanceof XlsxRefusal)) throw error;
    }
  }
  return undefined;
}

interface OpenWorkbook {
  readonly file: XlsxPackage;
  readonly parts: SheetParts;
  readonly wanted: string | undefined;
}

/** Reads as much of a sheet as its column needs; returns true if the sheet has data. */
async function readSheet(
  { file, parts }: OpenWorkbook,
  { name, path }: SheetPart,
  column: WantedColumn,
): Promise<boolean> {
  const reader = new SheetReader(name, parts, column);
  const xml = new PartReader(`Sheet “${name}”`, reader);
  for await (const piece of file.pieces(path)) {
    xml.add(piece);
    if (column.isDone) break;
  }
  if (!column.isDone) xml.end();
  column.end();
  return reader.filled;
}

/** Returns the sheets with data, up to the first that has CNPJs and cannot be a cover. */
async function lookThrough(
  open: OpenWorkbook,
  sheets: readonly SheetPart[],
): Promise<readonly SeenSheet[]> {
  const seen: SeenSheet[] = [];
  for (const sheet of sheets) {
    const column = new WantedColumn(open.wanted, null);
    if (!(await readSheet(open, sheet, column))) continue;
    const { shown, passed } = column;
    seen.push({ sheet, shown, why: passed });
    if (shown !== null && !mayBeCover(shown)) break;
  }
  return seen;
}

/** Max sheets named in a refusal. */
const NAMED_MAX = 10;

function refuse(passed: readonly SkippedSheet[], hidden: readonly HiddenSheet[]): never {
  const names = namesOf(hidden.map(({ name }) => name));
  const unseen =
    hidden.length === 0 ? "" : ` Hidden sheets are not read (${names}): show them first.`;
  if (passed.length === 0) {
    const remedy = `Fill one, or send CSV.${unseen}`;
    throw new XlsxRefusal("The workbook", "no sheet of it has anything", remedy);
  }
  const named = passed.slice(0, NAMED_MAX).map(({ sheet, why }) => `“${sheet.name}”: ${why}`);
  const more = passed.length > NAMED_MAX ? `; and ${passed.length - NAMED_MAX} more` : "";
  throw new XlsxRefusal(
    "The workbook",
    `no sheet of it has a column of CNPJs (${named.join("; ")}${more})`,
    `Give the column the header CNPJ, or name it: column=<header>.${unseen}`,
  );
}

function namesOf(names: readonly string[]): string {
  const more = names.length > NAMED_MAX ? ", …" : "";
  return (
    names
      .slice(0, NAMED_MAX)
      .map((name) => `“${name}”`)
      .join(", ") + more
  );
}

interface SampleRow {
  readonly number: number;
  readonly cells: ReadonlyMap<number, SeenNumber>;
}

/** Finds the column in the first rows. Passes its cells to `take`, if there is one. */
class WantedColumn implements RowTaker {
  readonly #wanted: string | undefined;
  readonly #take: ((cell: XlsxCell) => void) | null;
  #sample: SampleRow[] | null = [];
  #sampled = 0;
  #column = -1;
  #letters = "";
  #takesRoots = false;
  /** Header of the column, or its letters. */
  name = "";
  /** CNPJs in the first rows, and why there are none. Both are null before these rows. */
  shown: ShownCnpjs | null = null;
  passed: string | null = null;

  constructor(wanted: string | undefined, take: ((cell: XlsxCell) => void) | null) {
    this.#wanted = wanted;
    this.#take = take;
  }

  /** True if no more rows are needed. */
  get isDone(): boolean {
    return this.#take === null && this.#sample === null;
  }

  wants(column: number): boolean {
    return !this.isDone && (this.#sample !== null || column === this.#column);
  }

  row(number: number, cells: SampleRow["cells"]): void {
    if (this.isDone) return;
    if (this.#sample === null) {
      this.#give({ number, cells });
      return;
    }
    this.#sample.push({ number, cells });
    for (const { text } of cells.values()) this.#sampled += text.length;
    if (this.#sample.length >= SAMPLE_ROWS || this.#sampled > SAMPLE_BYTES) this.#decide();
  }

  /** Ends the sheet. */
  end(): void {
    if (this.#sample !== null && this.#sample.length > 0) this.#decide();
  }

  #decide(): void {
    const rows = this.#sample ?? [];
    this.#sample = null;
    const texts = rows.map(({ cells }) => textsOf(cells));
    if (this.#take === null) {
      this.#look(texts);
      return;
    }
    const { column, hasHeader, header, takesRoots } = findColumn(texts, this.#wanted, true);
    this.#column = column;
    this.#takesRoots = takesRoots;
    this.#letters = lettersOf(column);
    this.name = header ?? this.#letters;
    for (const row of hasHeader ? rows.slice(1) : rows) this.#give(row);
  }

  /** Finds the column in the first rows, or records why there is none. */
  #look(rows: readonly string[][]): void {
    try {
      const found = findColumn(rows, this.#wanted, true);
      if (showsCnpjs(rows, found, this.#wanted)) this.shown = cnpjsIn(rows, found, this.#wanted);
      else this.passed = `no CNPJ in the first rows of column ${lettersOf(found.column)}`;
    } catch (error) {
      if (!(error instanceof ColumnRefusal)) throw error;
      this.passed = error.message.split(/[:.](?: |$)/, 1)[0] as string;
    }
  }

  #give({ number, cells }: SampleRow): void {
    const cell = cells.get(this.#column);
    if (cell === undefined) return;
    const { text, isDate } = cell;
    const name = this.#letters + number;
    this.#take?.({ text, isDate, row: number, name, takesRoots: this.#takesRoots });
  }
}

/** Returns the texts of a row, starting at the first column. */
function textsOf(cells: SampleRow["cells"]): string[] {
  const texts: string[] = new Array(Math.max(...cells.keys()) + 1).fill("");
  for (const [column, { text }] of cells) texts[column] = text;
  return texts;
}
