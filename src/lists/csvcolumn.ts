/**
 * The column of CNPJs of a CSV file. What comes in: the file, piece by piece. What goes out: the
 * texts of one column with the numbers of their lines.
 * Invariant: memory does not grow with the file; which column it is, and whether there is a header,
 * the first lines say (column.ts).
 */
import { isUtf8 } from "node:buffer";
import {
  CELL_MAX,
  ColumnRefusal,
  findColumn,
  SAMPLE_BYTES,
  SAMPLE_ROWS,
  type TakeCell,
} from "./column.ts";

/** Longest line; a quote that is never closed would make the rest of the file one. */
const LINE_MAX = 1_048_576;
const WINDOWS = new TextDecoder("windows-1252");
const SPREADSHEET =
  "This is a spreadsheet, no CSV. Send it with the Content-Type of XLSX: " +
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const DELIMITERS = [";", ",", "\t", "|"] as const;

/** A line that is whole. */
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
  #scanned = 0;
  #line = 1;
  #sample: Line[] | null = [];
  #sampled = 0;
  #delimiter = ",";
  #column = 0;

  /** `wanted` is the header of the column, or its number, counted from 1. */
  constructor(take: TakeCell, wanted?: string) {
    this.#take = take;
    this.#wanted = wanted;
  }

  /** Takes a piece of the file. Throws `ColumnRefusal` where the wanted column is not there. */
  add(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // A character a byte, so that a file may be cut anywhere; cells become texts below.
    this.#rest += piece.toString("latin1");
    let begin = 0;
    for (let at = this.#scanned; at < this.#rest.length; at++) {
      const sign = this.#rest.charCodeAt(at);
      if (sign === 0x22) this.#quoted = !this.#quoted;
      if (sign !== 0x0a || this.#quoted) continue;
      this.#whole(this.#rest.slice(begin, at));
      begin = at + 1;
    }
    this.#rest = this.#rest.slice(begin);
    this.#scanned = this.#rest.length;
    if (this.#scanned > LINE_MAX) throw this.#endless();
    this.#sampled += bytes.byteLength;
    if (this.#sample !== null && this.#sampled > SAMPLE_BYTES) this.#decide();
  }

  /** There is no more of it. Throws as `add`. */
  end(): void {
    if (this.#quoted) throw this.#endless();
    if (this.#rest !== "") this.#whole(this.#rest);
    this.#rest = "";
    if (this.#sample !== null) this.#decide();
  }

  /** What follows an open quotation mark would be one cell, and all of its lines lost. */
  #endless(): ColumnRefusal {
    return new ColumnRefusal(`Line ${this.#line} has no end. Is a quotation mark left open there?`);
  }

  /** A line; several of them where they end as those of old Macs do. */
  #whole(text: string): void {
    const own = text.endsWith("\r") ? text.slice(0, -1) : text;
    const parts = own.includes("\r") && !own.includes('"') ? own.split("\r") : [own];
    for (const part of parts) this.#one(part);
  }

  #one(text: string): void {
    const line = { number: this.#line, text };
    this.#line += 1 + countOf(text, "\n");
    if (this.#sample === null) {
      this.#give(line);
      return;
    }
    this.#sample.push(line);
    if (this.#sample.length >= SAMPLE_ROWS) this.#decide();
  }

  /** Finds delimiter, header and column in the first lines, then reads them. */
  #decide(): void {
    const lines = (this.#sample ?? []).map((line, i) =>
      i === 0 ? { ...line, text: line.text.replace(/^(\u00ef\u00bb\u00bf)?/, "") } : line,
    );
    this.#sample = null;
    const first = lines[0]?.text ?? "";
    if (first.startsWith("PK\u0003\u0004")) throw new ColumnRefusal(SPREADSHEET);
    const counts = DELIMITERS.map((sign) => countOf(first, sign));
    this.#delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
    const rows = lines.map(({ text }) => cellsOf(text, this.#delimiter).map(decoded));
    const { column, hasHeader } = findColumn(rows, this.#wanted);
    this.#column = column;
    for (const line of hasHeader ? lines.slice(1) : lines) this.#give(line);
  }

  #give({ text, number }: Line): void {
    if (text === "") return;
    const cell = (cellsOf(text, this.#delimiter)[this.#column] ?? "").trim();
    if (cell !== "") this.#take(decoded(cell.slice(0, CELL_MAX)), number);
  }
}

function cellsOf(text: string, delimiter: string): string[] {
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

/** The text of bytes: of UTF-8 where they are that, else as spreadsheets in Brazil write them. */
function decoded(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text)) return text;
  const bytes = Buffer.from(text, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : WINDOWS.decode(bytes);
}

function countOf(text: string, sign: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) count++;
  return count;
}
