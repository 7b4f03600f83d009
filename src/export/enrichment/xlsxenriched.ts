/**
 * Appends columns of the registry to a workbook's sheet. Input: the uploaded package, and the
 * requested fields. Output: the same package, with a status and the fields after the cells of the
 * sheet's rows.
 * Invariant: existing cells retain types, styles, and positions, and all other parts their bytes.
 * There are two exceptions: new dates and amounts get two new styles, and the hidden name of the
 * sheet's filter gets the range with the new columns. The bytes depend only on the file, the
 * snapshot, and the options. Memory is bounded by the package and the max rows of a sheet.
 */
import { deflate, NO_ROW } from "../../../native-index/napi/engine.ts";
import { crc32 } from "../../dump/crc32.ts";
import { lettersOf } from "../../lists/column.ts";
import type { XlsxPackage } from "../../lists/xlsx/package.ts";
import { DAY_MS } from "../../process/clock.ts";
import { ZipPackage } from "../formats/xlsx/zippackage.ts";
import { newHeadings } from "./csvenriched.ts";
import {
  CnpjBatch,
  type EnrichmentWork,
  OUTCOMES,
  OutcomeTally,
  outcomeWords,
} from "./outcomes.ts";
import {
  type ColumnCell,
  readSheetLayout,
  refuseOtherKinds,
  refuseTooWide,
  type SheetLayout,
} from "./sheetlayout.ts";
import { type SharedRows, widenedNames } from "./sheetranges.ts";
import { type EndedRow, SheetRows } from "./sheetrows.ts";

/** Rows of a sheet. */
export const ROWS_MAX = 1_048_576;
/** Number of CNPJs looked up together, and of rows rendered together. */
const BATCH_ROWS = 2_048;
/** Bytes of XML that are compressed together. */
const PIECE_BYTES = 1 << 20;

/** Writes the enriched workbook. Returns the layout and the outcomes of its CNPJs. */
export async function enrichXlsx(
  work: EnrichmentWork,
  file: XlsxPackage,
): Promise<{ readonly layout: SheetLayout; readonly tally: OutcomeTally }> {
  await refuseOtherKinds(file);
  const looked = new LookupRows(work);
  const layout = await readSheetLayout(file, work.options, (cell, takesRoots) => {
    work.checkCancelled();
    looked.add(cell, takesRoots);
  });
  looked.end();
  looked.repeat(layout.shared);
  refuseTooWide(layout, work.options.fields.length + 1);
  const zip = new ZipPackage(work.write);
  const tally = new OutcomeTally();
  const styles = layout.styles === null ? null : await newStyles(file, layout.styles);
  const last = layout.end + work.options.fields.length;
  const columns = { first: layout.end, last, cnpjs: layout.column, header: layout.header };
  const isPart = (path: string, other: string | null) =>
    path.toLowerCase() === other?.toLowerCase();
  for (const path of file.paths) {
    work.checkCancelled();
    if (isPart(path, layout.path)) {
      const extent = { header: layout.header, width: layout.end, rows: layout.rows };
      await writeSheet(zip, file, {
        ...{ path, columns },
        cells: new NewCells(work, extent, { looked, tally, styles, since1904: layout.since1904 }),
      });
    } else if (styles !== null && isPart(path, layout.styles)) {
      writePacked(zip, path, Buffer.from(styles.xml, "latin1"));
    } else if (layout.filter !== null && isPart(path, layout.book)) {
      const xml = widenedNames(await textOf(file, path), layout.index, columns);
      writePacked(zip, path, Buffer.from(xml, "latin1"));
    } else await copyPart(zip, file, path);
  }
  zip.end();
  return { layout, tally };
}

/** Returns a part with one character per byte. */
async function textOf(file: XlsxPackage, path: string): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of file.pieces(path)) pieces.push(piece);
  return Buffer.concat(pieces).toString("latin1");
}

/** Outcome and account of each row of a sheet, by row number. */
export class LookupRows {
  readonly outcomes = new Uint8Array(ROWS_MAX + 1);
  readonly rows = new Uint32Array(ROWS_MAX + 1).fill(NO_ROW);
  readonly #work: EnrichmentWork;
  #batch: CnpjBatch | null = null;
  #numbers: number[] = [];

  constructor(work: EnrichmentWork) {
    this.#work = work;
  }

  add({ row, ...cell }: ColumnCell, takesRoots: boolean): void {
    const { fillZeros } = this.#work.options;
    this.#batch ??= new CnpjBatch(BATCH_ROWS, { takesRoots, fillZeros });
    this.#batch.addCell(cell);
    this.#numbers.push(row);
    if (this.#numbers.length === BATCH_ROWS) this.end();
  }

  /** Answers the further rows of merged cells as their first row. */
  repeat(shared: SharedRows): void {
    for (const [first, further] of shared) {
      for (const row of further) {
        this.outcomes[row] = this.outcomes[first] as number;
        this.rows[row] = this.rows[first] as number;
      }
    }
  }

  /** Looks up the waiting CNPJs. */
  end(): void {
    const batch = this.#batch;
    if (batch === null) return;
    batch.settle(this.#work.segment.native.lookUp(batch.keys, null).rows);
    this.#work.onFound(batch.rows);
    this.#numbers.forEach((number, at) => {
      this.outcomes[number] = batch.outcomes[at] as number;
      this.rows[number] = batch.rows[at] as number;
    });
    this.#batch = null;
    this.#numbers = [];
  }
}

interface CellParts {
  readonly looked: LookupRows;
  readonly tally: OutcomeTally;
  readonly styles: Pick<NewStyles, "of"> | null;
  /** True if the workbook counts its dates from 1904. */
  readonly since1904?: boolean;
}

/** Rows of a sheet, and `width`, the column at which the new ones begin. */
type SheetExtent = Pick<SheetLayout, "header" | "width" | "rows">;

/** Makes the cells to append to each row. */
export class NewCells {
  readonly #work: EnrichmentWork;
  readonly #layout: SheetExtent;
  readonly #parts: CellParts;
  /** Rendered cells of the next accounts, by row number. */
  #rendered = new Map<number, string>();
  #renderedUntil = 0;
  #written = 0;

  constructor(work: EnrichmentWork, layout: SheetExtent, parts: CellParts) {
    this.#work = work;
    this.#layout = layout;
    this.#parts = parts;
  }

  /** Returns the cells to append to a row, one character per byte. */
  of({ number, isFilled, lastCell }: EndedRow): string {
    const { header, rows } = this.#layout;
    if (number === header) return this.#headings(lastCell);
    if (number < header) return "";
    const { looked, tally } = this.#parts;
    const code = looked.outcomes[number] as number;
    if (code === 0 && !isFilled) return "";
    tally.count(code);
    if (code !== 0) this.#work.onProgress(++this.#written, rows);
    const outcome = OUTCOMES[code] as (typeof OUTCOMES)[number];
    const words = outcomeWords(outcome, this.#work.options.labels);
    return this.#text(this.#layout.width, number, words) + this.#account(number);
  }

  /** Returns the headings, in the style of the preceding heading. */
  #headings(before: string): string {
    const { header, width } = this.#layout;
    const style = STYLE.exec(before)?.[1] ?? "";
    return newHeadings(this.#work.options)
      .map((heading, at) => this.#text(width + at, header, heading, style))
      .join("");
  }

  #text(column: number, row: number, text: string, style = ""): string {
    const bytes = Buffer.from(text).toString("latin1");
    const place = `r="${lettersOf(column)}${row}"${style === "" ? "" : ` s="${style}"`}`;
    return `<c ${place} t="inlineStr"><is><t>${bytes}</t></is></c>`;
  }

  #account(number: number): string {
    if (number >= this.#renderedUntil) this.#render(number);
    return this.#rendered.get(number) ?? "";
  }

  /** Renders the accounts of the next rows. */
  #render(from: number): void {
    this.#work.checkCancelled();
    this.#rendered = new Map();
    this.#renderedUntil = from + BATCH_ROWS;
    const numbers: number[] = [];
    for (let number = from; number < Math.min(this.#renderedUntil, ROWS_MAX + 1); number++) {
      if (this.#parts.looked.rows[number] !== NO_ROW) numbers.push(number);
    }
    const rows = Uint32Array.from(numbers, (number) => this.#parts.looked.rows[number] as number);
    const { fields, labels } = this.#work.options;
    const shape = { format: "xlsx", fields, extra: [], delimiter: ",", firstNumber: 1 } as const;
    const request = { ...shape, labels: labels ?? undefined };
    const xml = Buffer.from(this.#work.segment.native.renderRows(rows, request));
    const rendered = xml.toString("latin1").split("</row>");
    numbers.forEach((number, at) => {
      this.#rendered.set(number, this.#moved(rendered[at] as string, number));
    });
  }

  /** Changes addresses and styles of rendered cells to row `number` and the appended columns. */
  #moved(row: string, number: number): string {
    const { styles, since1904 = false } = this.#parts;
    const first = this.#layout.width + 1;
    const cells = row.slice(row.indexOf(">") + 1);
    const dated = since1904 ? cells.replace(DATE_CELL, daysSince1904) : cells;
    const shown = styles === null ? cells.replace(DATE_CELL, dateText) : dated;
    return shown.replace(
      /<c r="([A-Z]+)\d+"(?: s="(\d)")?/g,
      (_, letters: string, style: string | undefined) => {
        const place = `<c r="${lettersOf(first + columnOf(letters))}${number}"`;
        const known = style === undefined || styles === null ? null : styles.of(style);
        return known === null ? place : `${place} s="${known}"`;
      },
    );
  }
}

/** Matches the number of a cell's style. */
const STYLE = /\ss\s*=\s*["'](\d+)["']/;
/** Matches a date as the addon writes it: days since 30 December 1899. */
const DATE_CELL = /(<c r="[A-Z]+\d+") s="1"><v>(-?\d+)<\/v><\/c>/g;
const DAYS_BEFORE_1970 = 25_569;

/** Days between the first days of the two date systems. */
const DAYS_BEFORE_1904 = 1_462;

function daysSince1904(_: string, begin: string, days: string): string {
  return `${begin} s="1"><v>${Number(days) - DAYS_BEFORE_1904}</v></c>`;
}

/** Formats a date as text, for a workbook without styles, in which it would look like a number. */
function dateText(_: string, begin: string, days: string): string {
  const time = (Number(days) - DAYS_BEFORE_1970) * DAY_MS;
  return `${begin} t="inlineStr"><is><t>${new Date(time).toISOString().slice(0, 10)}</t></is></c>`;
}

function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** The workbook's part with styles, to which styles for dates and amounts were added. */
interface NewStyles {
  /** The XML of the part, with one character per byte. */
  readonly xml: string;
  /**
   * Returns this workbook's number for a style that the addon writes as 1 (dates) or 4 (amounts),
   * or null for the addon's style of links.
   */
  of(style: string): number | null;
}

const CELL_STYLES = /<((?:\w+:)?)cellXfs\b([^>]*)>([\s\S]*?)<\/\1cellXfs\s*>/;
/** Built-in formats of all programs: a date in the user's regional format, and an amount. */
const FORMATS = [14, 4];

/** Reads the styles and adds those for dates and amounts. Returns null if there are no styles. */
async function newStyles(file: XlsxPackage, path: string): Promise<NewStyles | null> {
  const xml = await textOf(file, path);
  const [whole = "", prefix = "", attributes = "", inner = ""] = CELL_STYLES.exec(xml) ?? [];
  if (whole === "") return null;
  const count = inner.match(/<(?:\w+:)?xf[\s/>]/g)?.length ?? 0;
  const added = FORMATS.map(
    (format) => `<${prefix}xf numFmtId="${format}" applyNumberFormat="1"/>`,
  ).join("");
  const counted = attributes.replace(/count\s*=\s*["']\d+["']/, `count="${count + 2}"`);
  const changed = `<${prefix}cellXfs${counted}>${inner}${added}</${prefix}cellXfs>`;
  return {
    xml: xml.replace(whole, () => changed),
    of: (style) => (style === "5" ? null : count + (style === "1" ? 0 : 1)),
  };
}

/** The changed sheet: its path, its new columns, and their cells. */
interface NewSheet {
  readonly path: string;
  readonly columns: ConstructorParameters<typeof SheetRows>[0];
  readonly cells: NewCells;
}

async function writeSheet(
  zip: ZipPackage,
  file: XlsxPackage,
  { path, columns, cells }: NewSheet,
): Promise<void> {
  const rows = new SheetRows(columns, (row) => cells.of(row));
  zip.begin(path);
  const packer = new PartPacker(zip);
  for await (const piece of file.pieces(path)) packer.add(rows.add(piece.toString("latin1")));
  packer.add(rows.end());
  packer.end();
}

/** Compresses a package part in chunks. Its input has one character per byte. */
export class PartPacker {
  readonly #zip: ZipPackage;
  #held = "";

  constructor(zip: ZipPackage) {
    this.#zip = zip;
  }

  add(text: string): void {
    this.#held += text;
    if (this.#held.length >= PIECE_BYTES) this.#put(false);
  }

  /** Ends the part. */
  end(): void {
    this.#put(true);
    this.#zip.endPart();
  }

  #put(isLast: boolean): void {
    const bytes = Buffer.from(this.#held, "latin1");
    this.#zip.piece({ packed: deflate(bytes, isLast), bytes: bytes.length, crc: crc32(bytes) });
    this.#held = "";
  }
}

function writePacked(zip: ZipPackage, path: string, bytes: Buffer): void {
  zip.begin(path);
  zip.piece({ packed: deflate(bytes, true), bytes: bytes.length, crc: crc32(bytes) });
  zip.endPart();
}

async function copyPart(zip: ZipPackage, file: XlsxPackage, path: string): Promise<void> {
  const { packed, isPacked, bytes, crc } = await file.packed(path);
  if (!isPacked) return zip.part(path, packed);
  zip.begin(path);
  zip.piece({ packed, bytes, crc });
  zip.endPart();
}
