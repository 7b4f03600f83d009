/**
 * The layout of a workbook's sheet with CNPJs: column, header row, and width. Input: a package, and
 * the column that the client named, if any. Output: the layout, and the column's cells by row
 * number.
 * Invariant: sheet and column are the same as for lists (src/lists/xlsx/); titles above the header
 * are not the header. No merged cell covers a new one: the new columns begin after all cells, and
 * after all merged cells except titles. A CNPJ in a merged cell counts for each of its rows. The
 * whole sheet is read once, so a damaged sheet is refused before anything is written.
 */
import { lettersOf, SAMPLE_BYTES, SAMPLE_ROWS } from "../../lists/column.ts";
import { headerRow } from "../../lists/headerrow.ts";
import {
  attributeOf,
  PartReader,
  type XlsxPackage,
  XlsxRefusal,
} from "../../lists/xlsx/package.ts";
import {
  type RowTaker,
  type SeenNumber,
  type SheetParts,
  SheetReader,
} from "../../lists/xlsx/sheet.ts";
import type { SheetReason } from "../../lists/xlsx/workbook.ts";
import { chooseSheet } from "../../lists/xlsx/xlsxcolumn.ts";
import type { XmlAttributes } from "../../text/xmlreader.ts";
import { findShown } from "./csvlayout.ts";
import { RowSet, type SharedRows, SheetRanges } from "./sheetranges.ts";

/** A cell of the column. */
export interface ColumnCell extends SeenNumber {
  /** Row of the cell, counted from 1. */
  readonly row: number;
}

/** The layout of a sheet. */
export interface SheetLayout {
  readonly sheet: string;
  /** Why this sheet was chosen. */
  readonly reason: SheetReason;
  /** Numbers of visible and of hidden sheets that are not read. */
  readonly others: number;
  readonly hidden: number;
  /** Path of the sheet's part, and of the part with styles or null. */
  readonly path: string;
  readonly styles: string | null;
  /** Path of the part that lists the sheets, and the position of this one there, from 0. */
  readonly book: string;
  readonly index: number;
  /** True if the workbook counts its dates from 1904. */
  readonly since1904: boolean;
  /** Parts of the workbook, such as shared texts, that are needed to read the sheet again. */
  readonly parts: SheetParts;
  /** The column of CNPJs, counted from 0. */
  readonly column: number;
  /** Header of the column, or its letters. */
  readonly name: string;
  /** True if eight characters in the column denote a company. */
  readonly takesRoots: boolean;
  /** Number of the header row. 0 if there is none. */
  readonly header: number;
  /** Number of columns, up to the last one with a cell. */
  readonly width: number;
  /**
   * Column of the first new cell, counted from 0. It is behind all cells, and behind all merged
   * cells with a row from the header on.
   */
  readonly end: number;
  /** Number of rows below the header with a cell in the column, or with a part of a merged one. */
  readonly rows: number;
  /** Further rows of merged cells of the column, by their first row. */
  readonly shared: SharedRows;
  /** Range of the sheet's AutoFilter; null if there is none. */
  readonly filter: string | null;
  /** Names of other columns with as many CNPJs. */
  readonly equals: readonly string[];
}

/** Columns of a sheet. */
export const COLUMNS_MAX = 16_384;

interface SheetRequest {
  /** Column that the client named, or undefined if it named none. */
  readonly column: string | undefined;
  /** Name of the sheet, or undefined to choose one. */
  readonly sheet?: string | undefined;
  /** True if a later pass reads the full text of every cell, as when writing CSV. */
  readonly isWhole?: boolean;
}

/** Reads the layout of the sheet. Calls `take` with each cell of the column below the header. */
export async function readSheetLayout(
  file: XlsxPackage,
  { column: wanted, sheet: named, isWhole = false }: SheetRequest,
  take: (cell: ColumnCell, takesRoots: boolean) => void,
): Promise<SheetLayout> {
  const choice = await chooseSheet(file, wanted, { named, isWhole });
  const { open, chosen, reason, styles, sheets, hidden, since1904, book } = choice;
  const column = new Column(wanted, take);
  const reader = new SheetReader(chosen.name, open.parts, column);
  const ranges = new SheetRanges(chosen.name, reader);
  const xml = new PartReader(`Sheet “${chosen.name}”`, ranges);
  for await (const piece of file.pieces(chosen.path)) xml.add(piece);
  xml.end();
  const { name: sheet, path, index } = chosen;
  const about = {
    ...{ sheet, reason, others: sheets - 1, hidden, path, index, book, styles, since1904 },
    ...{ parts: open.parts, filter: ranges.filter },
  };
  const found = column.end();
  const shared = ranges.shared(found.column, found.header);
  let rows = found.rows;
  for (const [first, further] of shared) if (column.has(first)) rows += further.length;
  const end = Math.max(found.width, ranges.end(found.header));
  return { ...about, ...found, rows, shared, end };
}

/** Throws if the sheet has no space for `further` columns. */
export function refuseTooWide({ sheet, width, end }: SheetLayout, further: number): void {
  if (end + further <= COLUMNS_MAX) return;
  const isMerged = end > width;
  const what = isMerged ? `merged cells up to column ${lettersOf(end - 1)}` : `${end} columns`;
  const remedy = isMerged ? "Unmerge these cells." : "Choose fewer fields, or delete columns.";
  throw new XlsxRefusal(
    `Sheet “${sheet}”`,
    `it has ${what}, and ${further} more have no room`,
    remedy,
  );
}

const TYPES_PATH = "[Content_Types].xml";
/** Kinds of workbooks that Excel refuses if named .xlsx, by the types of their parts. */
const OTHER_KINDS = [
  [/macroEnabled|vbaProject|macrosheet/i, "it has macros (XLSM)"],
  [/template\.main/i, "it is a template (XLTX)"],
] as const;

/** Throws if a workbook's kind does not allow an enriched copy as XLSX. */
export async function refuseOtherKinds(file: XlsxPackage): Promise<void> {
  if (!file.has(TYPES_PATH)) return;
  const types: string[] = [];
  const open = (_: string, attributes: XmlAttributes) => {
    types.push(attributeOf(attributes, "ContentType") ?? "");
  };
  const xml = new PartReader(TYPES_PATH, { open, close: () => {}, text: () => {} });
  for await (const piece of file.pieces(TYPES_PATH)) xml.add(piece);
  xml.end();
  const [, wrong] = OTHER_KINDS.find(([kind]) => types.some((type) => kind.test(type))) ?? [];
  if (wrong === undefined) return;
  const remedy = "Save it as XLSX (Excel workbook), and send that, or choose CSV.";
  throw new XlsxRefusal("The file", wrong, remedy);
}

type Found = Pick<ReturnType<typeof findShown>, "column" | "header" | "takesRoots" | "equals">;

interface SampleRow {
  readonly number: number;
  readonly cells: ReadonlyMap<number, SeenNumber>;
}

/** Finds the column in the first rows, and passes on its cells. */
class Column implements RowTaker {
  readonly #wanted: string | undefined;
  readonly #take: (cell: ColumnCell, takesRoots: boolean) => void;
  #sample: SampleRow[] | null = [];
  #sampled = 0;
  #found: Found | null = null;
  #header = 0;
  #width = 0;
  /** Numbers of the rows below the header with a cell in the column. */
  readonly #filled = new RowSet();

  constructor(wanted: string | undefined, take: (cell: ColumnCell, takesRoots: boolean) => void) {
    this.#wanted = wanted;
    this.#take = take;
  }

  wants(column: number): boolean {
    if (column >= this.#width) this.#width = column + 1;
    return this.#found === null || this.#found.column === column;
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

  /** True if a row below the header has a cell in the column. */
  has(row: number): boolean {
    return this.#filled.has(row);
  }

  end(): Pick<
    SheetLayout,
    "column" | "name" | "takesRoots" | "equals" | "header" | "width" | "rows"
  > {
    if (this.#sample !== null) this.#decide();
    const { header: heading, column, takesRoots, equals } = this.#found as Found;
    const name = heading ?? lettersOf(column);
    const header = this.#header;
    const rows = this.#filled.count;
    return { column, name, takesRoots, equals, header, width: this.#width, rows };
  }

  #decide(): void {
    const rows = this.#sample ?? [];
    this.#sample = null;
    const texts = rows.map(({ cells }) => textsOf(cells));
    const top = headerRow(texts);
    const found = findShown(texts.slice(top), this.#wanted, true);
    this.#found = found;
    if (found.hasHeader) this.#header = rows[top]?.number ?? 0;
    for (const row of rows) if (row.number > this.#header) this.#give(row);
  }

  #give({ number, cells }: SampleRow): void {
    const { column = -1, takesRoots = false } = this.#found ?? {};
    const cell = cells.get(column);
    if (cell === undefined) return;
    this.#filled.add(number);
    this.#take({ ...cell, row: number }, takesRoots);
  }
}

/** Returns the texts of a row, beginning with the first column. */
function textsOf(cells: SampleRow["cells"]): string[] {
  const texts: string[] = new Array(Math.max(-1, ...cells.keys()) + 1).fill("");
  for (const [column, { text }] of cells) texts[column] = text;
  return texts;
}
