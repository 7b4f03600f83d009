/**
 * Reads the column of CNPJs of a workbook. Input: an XLSX file. Output: the texts of the column
 * with their cells, and the chosen sheet: the one with the most CNPJs.
 * Invariant: as for CSV (csvcolumn.ts), the first rows determine the column. The bounded text table
 * and the number formats are read as well. A sheet without CNPJs, such as a cover, is skipped,
 * unless it is the only one with data. If several sheets have data and none shows CNPJs, the error
 * names each with its fault. If several show CNPJs, those of each are counted, and workbook.ts
 * chooses. A hidden sheet is never chosen; if only a hidden one has CNPJs, the error names it.
 */
import {
  ColumnRefusal,
  cnpjsIn,
  findColumn,
  lettersOf,
  mayBeCnpj,
  reportText,
  SAMPLE_BYTES,
  SAMPLE_ROWS,
  showsCnpjs,
} from "../column.ts";
import { titleRows } from "../headerrow.ts";
import { PartReader, UnknownSheet, type XlsxPackage, XlsxRefusal } from "./package.ts";
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
  /** Path of the part that lists the sheets. */
  readonly book: string;
}

/** How to choose a sheet. */
interface ChoiceOptions {
  /** Name of the sheet, if the sender named one. */
  readonly named?: string | undefined;
  /** True to cache whole texts. */
  readonly isWhole?: boolean;
}

/**
 * Chooses the sheet with the column of CNPJs, or the one that the sender named. Throws
 * `XlsxRefusal`.
 */
export async function chooseSheet(
  file: XlsxPackage,
  wanted: string | undefined,
  { named, isWhole = false }: ChoiceOptions = {},
): Promise<ChosenSheet> {
  const { path: book, sheets, hidden, texts, styles, since1904 } = await readWorkbook(file);
  const parts: SheetParts = {
    texts: texts === null ? new TextTable() : await readTexts(file, texts, isWhole),
    formats: new Formats(styles === null ? [] : await readStyles(file, styles), since1904),
  };
  const open = { file, parts, wanted };
  const { sheet: chosen, reason } =
    named === undefined
      ? await chosenOf(open, sheets, hidden)
      : ({ sheet: namedSheet(named, sheets, hidden), reason: "named" } as const);
  const numbers = { sheets: sheets.length, hidden: hidden.length };
  return { open, chosen, reason, ...numbers, styles, since1904, book };
}

async function chosenOf(
  open: OpenWorkbook,
  sheets: readonly SheetPart[],
  hidden: readonly HiddenSheet[],
): Promise<Choice> {
  const seen = await countThrough(open, await lookThrough(open, sheets));
  return sheetOf(seen) ?? (await onlySheet(open, seen, hidden));
}

/** Returns the sheet with a name; case does not matter, as in spreadsheets. */
function namedSheet(
  named: string,
  sheets: readonly SheetPart[],
  hidden: readonly HiddenSheet[],
): SheetPart {
  const isNamed = ({ name }: Pick<SheetPart, "name">) => name.toLowerCase() === named.toLowerCase();
  const found = sheets.find(isNamed);
  if (found !== undefined) return found;
  const place = `Sheet “${reportText(named)}”`;
  if (hidden.some(isNamed)) {
    throw new UnknownSheet(place, "it is hidden", "Show the sheet, save, and send that.");
  }
  const names = namesOf(sheets.map(({ name }) => name));
  throw new UnknownSheet(place, "the workbook has no such sheet", `It has ${names}.`);
}

/** Max CNPJs that are counted of a sheet. Sheets with so many count as equal. */
const COUNTED_MAX = 10_000;

/** If several sheets show CNPJs, counts all of them, because the first rows may be equally full. */
async function countThrough(
  open: OpenWorkbook,
  seen: readonly SeenSheet[],
): Promise<readonly SeenSheet[]> {
  if (seen.filter(({ shown }) => shown !== null).length < 2) return seen;
  const counted: SeenSheet[] = [];
  for (const one of seen) {
    const column = new WantedColumn(open.wanted, null, COUNTED_MAX);
    const read = () => readSheet(open, one.sheet, column);
    const isRead = one.shown !== null && (await unlessDamaged(read));
    counted.push(isRead ? { ...one, shown: column.shown } : one);
  }
  return counted;
}

/** Reads a sheet. Returns false if it is damaged: if it is the chosen one, it is refused later. */
async function unlessDamaged(read: () => Promise<boolean>): Promise<boolean> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof XlsxRefusal) return false;
    throw error;
  }
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
  for (const { name, path, index } of hidden) {
    if (path === null) continue;
    try {
      const [seen] = await lookThrough(open, [{ name, path, index }]);
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

/**
 * Returns the sheets with data, each with the CNPJs in its first rows. After a sheet that is no
 * cover, damaged sheets are passed over.
 */
async function lookThrough(
  open: OpenWorkbook,
  sheets: readonly SheetPart[],
): Promise<readonly SeenSheet[]> {
  const seen: SeenSheet[] = [];
  for (const sheet of sheets) {
    const column = new WantedColumn(open.wanted, null);
    const read = () => readSheet(open, sheet, column);
    const hasData = seen.some(({ shown }) => shown !== null && !mayBeCover(shown));
    if (!(hasData ? await unlessDamaged(read) : await read())) continue;
    const { shown, passed } = column;
    seen.push({ sheet, shown, why: passed });
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

/**
 * Finds the column in the first rows. Passes its cells to `take`, if there is one. Otherwise counts
 * its CNPJs, in the first rows and then up to `countMax`.
 */
class WantedColumn implements RowTaker {
  readonly #wanted: string | undefined;
  readonly #take: ((cell: XlsxCell) => void) | null;
  readonly #countMax: number;
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

  constructor(wanted: string | undefined, take: ((cell: XlsxCell) => void) | null, countMax = 0) {
    this.#wanted = wanted;
    this.#take = take;
    this.#countMax = countMax;
  }

  /** True if no more rows are needed. */
  get isDone(): boolean {
    if (this.#take !== null || this.#sample !== null) return false;
    return (this.shown?.count ?? this.#countMax) >= this.#countMax;
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
    const all = this.#sample ?? [];
    this.#sample = null;
    const every = all.map(({ cells }) => textsOf(cells));
    const titles = titleRows(every);
    const [rows, texts] = [all.slice(titles), every.slice(titles)];
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
      this.#column = found.column;
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
    if (this.#take === null) this.#count(cell);
    const name = this.#letters + number;
    this.#take?.({ ...cell, row: number, name, takesRoots: this.#takesRoots });
  }

  #count({ text }: SeenNumber): void {
    if (this.shown === null || !mayBeCnpj(text)) return;
    this.shown = { ...this.shown, count: this.shown.count + 1 };
  }
}

/** Returns the texts of a row, starting at the first column. */
function textsOf(cells: SampleRow["cells"]): string[] {
  const texts: string[] = new Array(Math.max(...cells.keys()) + 1).fill("");
  for (const [column, { text }] of cells) texts[column] = text;
  return texts;
}
