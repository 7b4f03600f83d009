/**
 * Reads the column of CNPJs of a CSV file. Input: the file in chunks. Output: the texts of one
 * column with their line numbers.
 * Invariant: memory does not grow with the file. The first lines determine the column and the
 * header (column.ts). The first bytes determine the encoding: UTF-16 is read with or without a
 * byte-order mark, UTF-32 is refused with a message. Other files are read as one character per
 * byte, so that chunks may end anywhere.
 */
import { isUtf8 } from "node:buffer";
import { decodeText } from "../dump/registrytext.ts";
import { numberIn } from "../spec/cnpj/cnpjcandidates.ts";
import {
  ColumnRefusal,
  findColumn,
  isPlainList,
  SAMPLE_BYTES,
  SAMPLE_ROWS,
  type TakeCell,
} from "./column.ts";
import { titleRows } from "./headerrow.ts";
import { isZip, otherFile, SIGNATURE_BYTES } from "./otherfiles.ts";

/** Maximum characters of a line. An unclosed quotation mark makes the rest one line. */
export const LINE_MAX = 1_048_576;
/** Maximum cells of a line, as in a sheet. Longer lines would block other requests. */
const CELLS_MAX = 16_384;
/** Max bytes of first lines in which titles are looked for. Longer lines would take too long. */
const TITLED_BYTES_MAX = 2 * SAMPLE_BYTES;
const SPREADSHEET =
  "This is a spreadsheet, no CSV. Send it with the Content-Type of XLSX: " +
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/** Characters that may separate cells. Commas, which texts also contain, come last. */
export const DELIMITERS = [";", "\t", "|", ","] as const;

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Reads one file. */
export class CsvColumn {
  readonly #take: TakeCell;
  readonly #wanted: string | undefined;
  #rest = "";
  #quoted = false;
  /** A carriage return at the end of a chunk, because a line feed may follow it. */
  #held = "";
  #line = 1;
  #sample: Line[] | null = [];
  #sampled = 0;
  #delimiter = ",";
  /** Position of the column; null if the lines are not a table. */
  #column: number | null = 0;
  #name: string | null = null;
  #takesRoots = false;
  /** The first bytes of the file. */
  #head = Buffer.alloc(0);
  readonly #encoding = new CsvEncoding();

  /** `wanted` is the header of the column, or its number from 1. */
  constructor(take: TakeCell, wanted?: string) {
    this.#take = take;
    this.#wanted = wanted;
  }

  /** The column's header or number; null if the lines are not a table. */
  get name(): string | null {
    return this.#name;
  }

  /** Reads a chunk. Throws `ColumnRefusal` if the wanted column does not exist. */
  add(bytes: Uint8Array): void {
    if (this.#head.length < SIGNATURE_BYTES) this.#head = Buffer.concat([this.#head, bytes]);
    // Reads one character per byte, so that a chunk may end anywhere; cells are decoded later.
    this.#scan(this.#encoding.read(bytes));
    this.#sampled += bytes.byteLength;
    if (this.#sample !== null && this.#sampled > SAMPLE_BYTES) this.#decide();
  }

  #scan(text: string): void {
    const piece = this.#held + text;
    this.#held = "";
    let begin = 0;
    for (let at = 0; at < piece.length; at++) {
      const sign = piece.charCodeAt(at);
      if (sign === QUOTE) this.#quoted = !this.#quoted;
      if (this.#quoted || (sign !== LF && sign !== CR)) continue;
      if (sign === CR && at + 1 === piece.length) {
        this.#held = "\r";
        break;
      }
      this.#one(this.#rest + piece.slice(begin, at));
      this.#rest = "";
      if (sign === CR && piece.charCodeAt(at + 1) === LF) at++;
      begin = at + 1;
    }
    // `#rest` is searched only once its line is complete. Each search makes V8 copy the
    // concatenated pieces into one string.
    this.#rest += piece.slice(begin, piece.length - this.#held.length);
    if (this.#rest.length > LINE_MAX) throw this.#endless();
  }

  /** Ends the file. Throws like `add`. */
  end(): void {
    this.#scan(this.#encoding.end());
    if (this.#quoted) throw this.#endless();
    if (this.#rest !== "") this.#one(this.#rest);
    this.#rest = "";
    if (this.#sample !== null) this.#decide();
  }

  /** Returns the error for a line without an end, such as after an unclosed quotation mark. */
  #endless(): ColumnRefusal {
    return this.#other() ?? this.#open();
  }

  /** Returns the error for a file that is not CSV; null if it may be CSV. */
  #other(): ColumnRefusal | null {
    const other = otherFile(this.#head);
    if (other !== null) {
      return new ColumnRefusal(`The file is ${other.name}, no CSV. ${other.fix}`);
    }
    return isZip(this.#head) ? new ColumnRefusal(SPREADSHEET) : null;
  }

  #open(): ColumnRefusal {
    const line = `Line ${this.#line}`;
    return new ColumnRefusal(
      this.#quoted
        ? `${line} has no end. Is a quotation mark left open there?`
        : `${line} is longer than ${LINE_MAX.toLocaleString("en")} bytes, the most that is read.`,
    );
  }

  #one(text: string): void {
    const line = { number: this.#line, text };
    this.#line += 1 + (text.match(/\r\n?|\n/g)?.length ?? 0);
    if (this.#sample === null) {
      this.#give(line);
      return;
    }
    this.#sample.push(line);
    if (this.#sample.length >= SAMPLE_ROWS) this.#decide();
  }

  /** Determines delimiter, header, and column from the first lines, then reads these lines. */
  #decide(): void {
    const other = this.#other();
    if (other !== null) throw other;
    const lines = (this.#sample ?? []).map((line, i) =>
      i === 0 ? { ...line, text: line.text.replace(/^(\u00ef\u00bb\u00bf)?/, "") } : line,
    );
    this.#sample = null;
    // This line is an instruction to spreadsheets, not part of the table.
    const declared = /^"?sep=(.)"?$/i.exec(lines[0]?.text ?? "")?.[1];
    if (declared !== undefined) lines.shift();
    lines.splice(0, titlesAbove(lines, declared));
    const first = lines.find(({ text }) => withoutDecimals(text, ",") !== "")?.text ?? "";
    const counts = DELIMITERS.map((sign) => countOf(withoutDecimals(first, sign), sign));
    this.#delimiter = declared ?? DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
    const rows = lines.map(({ text, number }) => this.#cells(text, number).map(decoded));
    const { column, hasHeader, header, takesRoots } = findColumn(rows, this.#wanted);
    this.#takesRoots = takesRoots;
    const isRequested = this.#wanted !== undefined && (rows[0] ?? []).length > 1;
    this.#column = !isRequested && isPlainList(rows, { hasHeader }) ? null : column;
    this.#name = this.#column === null ? null : (header ?? String(column + 1));
    for (const line of hasHeader ? lines.slice(1) : lines) this.#give(line);
  }

  /** Splits a line into cells. Throws `ColumnRefusal` if there are too many. */
  #cells(text: string, number: number): string[] {
    // In a line without quotation marks, delimiters are counted before the line is split. Other
    // lines are split first, because a delimiter inside quotation marks separates no cells.
    const isWide = !text.includes('"') && countOf(text, this.#delimiter) >= CELLS_MAX;
    const cells = isWide ? [] : cellsOf(text, this.#delimiter);
    if (!isWide && cells.length <= CELLS_MAX) return cells;
    const detail = `Line ${number} has more than ${CELLS_MAX.toLocaleString("en")} cells.`;
    throw new ColumnRefusal(`${detail} Send one CNPJ a line, or a table of fewer columns.`);
  }

  #give({ text, number }: Line): void {
    if (text === "") return;
    const column = this.#column;
    const cell = column === null ? text : this.#cells(text, number)[column];
    if (cell === undefined || cell === "") return;
    const written = column === null ? cell.replaceAll('"', "") : cell;
    this.#take(decoded(written), number, this.#takesRoots);
  }
}

/** Returns the number of lines above the header. 0 if the first lines are very long. */
function titlesAbove(lines: readonly Line[], declared: string | undefined): number {
  const texts = lines.map(({ text }) => text);
  if (texts.reduce((sum, { length }) => sum + length, 0) > TITLED_BYTES_MAX) return 0;
  const delimiter = declared ?? delimiterOf(texts);
  return titleRows(texts.map((text) => cellsOf(text, delimiter).map(decoded)));
}

/** A number with a decimal comma, in a line with another delimiter. */
const DECIMAL = /^[+-]?[0-9.]*[0-9],[0-9]+$/;

/**
 * Returns the part of a line in which a delimiter is counted. For commas, numbers with a decimal
 * comma are removed: Excel in Brazil writes a column of numbers as lines such as `1,12E+13`.
 */
function withoutDecimals(line: string, delimiter: string): string {
  if (delimiter !== "," || !line.includes(",")) return line;
  const hasOther = /[;\t|]/.test(line);
  const isNumber = (text: string) => numberIn(text) !== null || (hasOther && DECIMAL.test(text));
  return line.replace(/[^;\t|]+/g, (part) => (isNumber(part.trim()) ? "" : part));
}

/** Returns the delimiter for which most lines have the same number of cells, more than one. */
export function delimiterOf(lines: readonly string[]): (typeof DELIMITERS)[number] {
  const scores = DELIMITERS.map((delimiter) => {
    const counts = new Map<number, number>();
    for (const line of lines) {
      const cells = cellsOf(withoutDecimals(line, delimiter), delimiter).length;
      if (cells > 1) counts.set(cells, (counts.get(cells) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  });
  return DELIMITERS[scores.indexOf(Math.max(...scores))] ?? ";";
}

/** Splits a line into its cells, without the quotation marks around them. */
export function cellsOf(text: string, delimiter: string): string[] {
  if (!text.includes('"')) return text.split(delimiter);
  const cells: string[] = [];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign === '"') {
      if (quoted && text[at + 1] === '"') {
        cell += sign;
        at++;
      } else quoted = !quoted;
    } else if (sign === delimiter && !quoted) {
      cells.push(cell);
      cell = "";
    } else cell += sign;
  }
  return [...cells, cell];
}

/** Decodes bytes as UTF-8 if valid, else as Windows-1252, which Brazilian spreadsheets write. */
export function decoded(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text)) return text;
  const bytes = Buffer.from(text, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : decodeText(bytes, "windows-1252");
}

function countOf(text: string, sign: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) count++;
  return count;
}

/** Bytes that determine the encoding. In UTF-16, every second one of a header or CNPJ is 0. */
const HEAD_BYTES = 64;
/** Refuses UTF-32. */
export const UTF32 =
  "The file is in UTF-32, which is not read. Save it as CSV in UTF-8, and send that.";

class CsvEncoding {
  /** The first bytes of the file; null once the encoding is known. */
  #head: Buffer | null = Buffer.alloc(0);
  #decoder: TextDecoder | null = null;

  /** Reads a chunk. Throws `ColumnRefusal` for UTF-32. */
  read(bytes: Uint8Array): string {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#head === null) return this.#text(piece);
    this.#head = Buffer.concat([this.#head, piece]);
    return this.#head.length < HEAD_BYTES ? "" : this.#begin(this.#head);
  }

  /** Ends the file. Returns the remaining text. */
  end(): string {
    const begun = this.#head === null ? "" : this.#begin(this.#head);
    const rest = this.#decoder?.decode() ?? "";
    return begun + Buffer.from(rest).toString("latin1");
  }

  #begin(head: Buffer): string {
    this.#head = null;
    const name = nameOf(head);
    if (name === "utf-32") throw new ColumnRefusal(UTF32);
    if (name !== null) this.#decoder = new TextDecoder(name);
    return this.#text(head);
  }

  #text(piece: Buffer): string {
    if (this.#decoder === null) return piece.toString("latin1");
    return Buffer.from(this.#decoder.decode(piece, { stream: true })).toString("latin1");
  }
}

/** Returns the encoding of a file with this beginning; null for UTF-8 and Windows encodings. */
export function nameOf(file: Buffer): "utf-16le" | "utf-16be" | "utf-32" | null {
  const head = file.subarray(0, HEAD_BYTES);
  const mark = head.toString("latin1", 0, 4);
  if (mark === "\u00ff\u00fe\u0000\u0000" || mark === "\u0000\u0000\u00fe\u00ff") return "utf-32";
  if (mark.startsWith("\u00ff\u00fe")) return "utf-16le";
  if (mark.startsWith("\u00fe\u00ff")) return "utf-16be";
  const zeros = [0, 0, 0, 0];
  head.forEach((byte, at) => {
    if (byte === 0) zeros[at % 4] = (zeros[at % 4] as number) + 1;
  });
  const [first = 0, second = 0, third = 0, fourth = 0] = zeros;
  const most = head.length / 8;
  const isWide = second > most && third > most && Math.min(first, fourth) === 0;
  if (isWide) return "utf-32";
  if (first + third === 0 && second + fourth > 2 * most) return "utf-16le";
  if (second + fourth === 0 && first + third > 2 * most) return "utf-16be";
  return null;
}
