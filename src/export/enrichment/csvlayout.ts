/**
 * The layout of a CSV file: encoding, delimiter, column of CNPJs, header row, and width. Input: the
 * whole file. Output: the layout and the number of rows.
 * Invariant: the column is the same as for lists (src/lists/column.ts). A title above the header is
 * not taken for the header. The whole file is read once before anything is written, so a file that
 * cannot be read is refused as a whole. Memory does not grow with the file.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import {
  ColumnRefusal,
  findColumn,
  SAMPLE_BYTES,
  SAMPLE_ROWS,
  saysCnpj,
  showsCnpjs,
} from "../../lists/column.ts";
import { cellsOf, DELIMITERS, decoded, delimiterOf, nameOf, UTF32 } from "../../lists/csvcolumn.ts";
import { headerRow } from "../../lists/headerrow.ts";
import { isZip, otherFile } from "../../lists/otherfiles.ts";
import { type CsvBytes, type CsvEncoding, CsvRecords, readCsvBytes } from "./csvbytes.ts";

/** Max rows of a file to enrich, for every plan. */
const ROWS_MAX = 2_000_000;

/** The layout of a file. */
export interface CsvLayout {
  readonly encoding: CsvEncoding;
  readonly delimiter: "," | ";" | "\t" | "|";
  /** The column of CNPJs, counted from 0. */
  readonly column: number;
  /** Header of the column, or its number, counted from 1. */
  readonly name: string;
  /** True if eight characters in the column denote a company. */
  readonly takesRoots: boolean;
  /** Record number of the header, counted from 0. -1 if there is none. */
  readonly header: number;
  /** Cells of the widest row. */
  readonly width: number;
  /** Rows below the header. */
  readonly rows: number;
  /** Number of the first row with a cell too long for a sheet. 0 if there is none. */
  readonly longCell: number;
  /** Names of other columns with as many CNPJs. */
  readonly equals: readonly string[];
  /** Bytes of the file. A later pass refuses a file with another number of them. */
  readonly bytes: number;
}

/** Bytes of a CNPJ. */
const CNPJ_LENGTH = 14;
/** Bytes of the longest UTF-8 character. */
const CHARACTER_MAX = 4;
/** Characters of a sheet's cell. */
const SHEET_CELL_MAX = 32_767;

/**
 * Reads the layout of a file. Throws `ColumnRefusal` if it is invalid. Calls `onCnpjs` with 14
 * bytes for each record. If the record's cell holds a plain CNPJ, they are this CNPJ. Otherwise,
 * they have no meaning.
 */
export async function readCsvLayout(
  path: string,
  wanted: string | undefined,
  onCnpjs: (cnpjs: Uint8Array) => void = () => {},
): Promise<CsvLayout> {
  let begun: Begun | null = null;
  let records: Counted | null = null;
  const { size: bytes } = statSync(path);
  for await (const piece of readCsvBytes(path, { bytes })) {
    begun ??= begin(piece, wanted);
    records ??= new Counted(begun, onCnpjs);
    records.add(piece);
  }
  if (begun === null || records === null) throw new ColumnRefusal("The file is empty.");
  const { delimiter, column, name, takesRoots, equals, header } = begun;
  return { delimiter, column, name, takesRoots, equals, header, bytes, ...records.end() };
}

/** Layout as determined from the first lines of a file. */
interface Begun extends Omit<CsvLayout, "width" | "rows" | "encoding" | "longCell" | "bytes"> {
  readonly wide: "utf-16le" | "utf-16be" | null;
}

function begin({ head, bytes, isLast, wide }: CsvBytes, wanted: string | undefined): Begun {
  refuseOthers(head);
  if (isLast && isEmpty(bytes)) throw new ColumnRefusal("The file is empty.");
  const lines = sampleLines(bytes, isLast);
  const declared = /^"?sep=(.)"?$/i.exec(lines[0] ?? "")?.[1];
  const delimiter = declared === undefined ? delimiterOf(lines) : knownDelimiter(declared);
  const rows = lines.map((line) => cellsOf(line, delimiter).map(decoded));
  const from = declared === undefined ? 0 : 1;
  const top = from + headerRow(rows.slice(from));
  const found = findShown(rows.slice(top), wanted, false);
  return {
    wide,
    delimiter,
    column: found.column,
    name: found.header ?? String(found.column + 1),
    takesRoots: found.takesRoots,
    equals: found.equals,
    header: found.hasHeader ? top : -1,
  };
}

/** Finds the column that the client named, or one with a CNPJ or with CNPJ in its header. */
export function findShown(
  rows: readonly (readonly string[])[],
  wanted: string | undefined,
  lettered: boolean,
): ReturnType<typeof findColumn> {
  const found = findColumn(rows, wanted, lettered);
  if (wanted !== undefined || showsCnpjs(rows, found) || saysCnpj(found.header)) return found;
  throw new ColumnRefusal("The first lines hold no CNPJ, and no header says cnpj.");
}

function isEmpty(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).toString("latin1").trim() === "";
}

function refuseOthers(head: Uint8Array): void {
  if (nameOf(Buffer.from(head)) === "utf-32") throw new ColumnRefusal(UTF32);
  const other = otherFile(head);
  if (other !== null) {
    throw new ColumnRefusal(`The file is ${other.name}, no CSV. ${other.fix}`);
  }
  if (isZip(head)) throw new ColumnRefusal("The file is a spreadsheet, no CSV.");
}

/** Returns the first records, one character per byte. */
function sampleLines(bytes: Uint8Array, isLast: boolean): string[] {
  const sample = Buffer.from(bytes.subarray(0, 4 * SAMPLE_BYTES));
  const scanner = new CsvRecords({ delimiter: ";", column: 0 });
  const count = scanner.scan(sample, 0, isLast && sample.length === bytes.length);
  if (count === 0) return [sample.toString("latin1")];
  return Array.from({ length: Math.min(count, SAMPLE_ROWS) }, (_, at) =>
    sample.toString("latin1", scanner.records[4 * at], scanner.records[4 * at + 1]),
  );
}

function knownDelimiter(declared: string): CsvLayout["delimiter"] {
  const known = DELIMITERS.find((one) => one === declared);
  if (known !== undefined) return known;
  throw new ColumnRefusal(
    `The file says sep=${declared}. Separate its cells by semicolons, commas, tabs or bars.`,
  );
}

/** Counts rows and cells, and finds the encoding. */
class Counted {
  readonly #begun: Begun;
  readonly #scanner: CsvRecords;
  readonly #onCnpjs: (cnpjs: Uint8Array) => void;
  #records = 0;
  #isUtf8 = true;
  #isAscii = true;
  #longCell = 0;

  constructor(begun: Begun, onCnpjs: (cnpjs: Uint8Array) => void) {
    this.#begun = begun;
    this.#onCnpjs = onCnpjs;
    this.#scanner = new CsvRecords(begun);
  }

  add(piece: CsvBytes): void {
    const { bytes, isLast } = piece;
    let at = 0;
    for (;;) {
      const count = this.#scanner.scan(bytes, at, isLast);
      if (count === 0) break;
      this.#lookForLong(count, bytes);
      this.#onCnpjs(this.#scanner.cnpjs.subarray(0, CNPJ_LENGTH * count));
      this.#records += count;
      at = this.#scanner.next;
    }
    this.#look(bytes.subarray(0, at), isLast);
    piece.used = at;
    if (this.#records - this.#begun.header - 1 > ROWS_MAX) {
      const most = ROWS_MAX.toLocaleString("en");
      throw new ColumnRefusal(`The file has more than ${most} rows. Split it.`);
    }
  }

  end(): Pick<CsvLayout, "width" | "rows" | "encoding" | "longCell"> {
    const { wide, header } = this.#begun;
    const encoding = wide ?? (this.#isUtf8 ? "utf-8" : "windows-1252");
    const { width } = this.#scanner;
    return { width, rows: this.#records - header - 1, encoding, longCell: this.#longCell };
  }

  /**
   * Checks the encoding of records. A record ends at a character boundary, so each part can be
   * checked alone. The end of the file is an exception: a truncated UTF-8 file may end within a
   * character.
   */
  #look(bytes: Uint8Array, isLast: boolean): void {
    if (!this.#isUtf8) return;
    this.#isUtf8 = isUtf8(bytes);
    if (!this.#isUtf8 && isLast) {
      const whole = withoutCutCharacter(bytes);
      this.#isUtf8 = isUtf8(whole) && !(this.#isAscii && isAscii(whole));
    }
    this.#isAscii &&= isAscii(bytes);
  }

  /** Finds the first record with a cell that is too long for a sheet. */
  #lookForLong(count: number, bytes: Uint8Array): void {
    if (this.#scanner.longest <= SHEET_CELL_MAX) return;
    for (let at = 0; at < count && this.#longCell === 0; at++) {
      const [start, end] = this.#scanner.bounds(at);
      if (end - start <= SHEET_CELL_MAX) continue;
      if (this.#isLong(bytes.subarray(start, end))) this.#longCell = this.#records + at + 1;
    }
  }

  #isLong(record: Uint8Array): boolean {
    const text = Buffer.from(record).toString("latin1");
    const cells = cellsOf(text, this.#begun.delimiter);
    return cells.some((cell) => decoded(cell).length > SHEET_CELL_MAX);
  }
}

/** Removes the beginning of a UTF-8 character from the end. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  const from = Math.max(0, bytes.length - CHARACTER_MAX + 1);
  const begin = bytes.subarray(from).findLastIndex((byte) => byte >= 0xc0);
  return begin < 0 ? bytes : bytes.subarray(0, from + begin);
}
