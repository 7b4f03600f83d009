/**
 * The column of CNPJs of a CSV file. What comes in: the file, piece by piece. What goes out: the
 * texts of one column with the numbers of their lines.
 * Invariant: memory does not grow with the file; the column is the one that the sender names, else
 * the one whose header says CNPJ, else the first one that has the most CNPJs among the first lines;
 * a header is no line of data, and a file without one is read from its first line on.
 */
import { readCnpj, readRoot } from "../spec/cnpj.ts";

/** Lines that decide on delimiter, header and column, and bytes that are waited for at most. */
const SAMPLE_LINES = 100;
const SAMPLE_BYTES = 65_536;
/** Longest cell that is looked at; what is longer is no CNPJ. */
const CELL_MAX = 256;
/** Longest line; a quote that is never closed would make the rest of the file one. */
const LINE_MAX = 1_048_576;
const DELIMITERS = [";", ",", "\t", "|"] as const;

/** Takes the text of a cell and the number of its line, the first of which is 1. */
type TakeCell = (text: string, line: number) => void;

/** A line that is whole. */
interface Line {
  readonly number: number;
  readonly text: string;
}

/** Why a file is not read. */
export class CsvRefusal extends Error {}

/** Reads one file. */
export class CsvColumn {
  readonly #take: TakeCell;
  readonly #wanted: string | undefined;
  readonly #decoder = new TextDecoder("latin1");
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

  /** Takes a piece of the file. Throws `CsvRefusal` where the wanted column is not there. */
  add(bytes: Uint8Array): void {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
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
    if (this.#scanned > LINE_MAX) {
      throw new CsvRefusal(`Line ${this.#line} has no end. Is a quotation mark left open there?`);
    }
    this.#sampled += bytes.byteLength;
    if (this.#sample !== null && this.#sampled > SAMPLE_BYTES) this.#decide();
  }

  /** There is no more of it. Throws as `add`. */
  end(): void {
    if (this.#rest !== "") this.#whole(this.#rest);
    this.#rest = "";
    if (this.#sample !== null) this.#decide();
  }

  #whole(text: string): void {
    const line = { number: this.#line, text: text.endsWith("\r") ? text.slice(0, -1) : text };
    this.#line += 1 + countOf(text, "\n");
    if (this.#sample === null) {
      this.#give(line);
      return;
    }
    this.#sample.push(line);
    if (this.#sample.length >= SAMPLE_LINES) this.#decide();
  }

  /** Finds delimiter, header and column in the first lines, then reads them. */
  #decide(): void {
    const lines = (this.#sample ?? []).map((line, i) =>
      i === 0 ? { ...line, text: line.text.replace(/^(\u00ef\u00bb\u00bf)?/, "") } : line,
    );
    this.#sample = null;
    const first = lines[0]?.text ?? "";
    const counts = DELIMITERS.map((sign) => countOf(first, sign));
    this.#delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
    const rows = lines.map(({ text }) => cellsOf(text, this.#delimiter));
    const header = rows[0] ?? [];
    const hasHeader = header.length > 0 && !header.some(isCnpj) && header.some(hasLetters);
    this.#column = this.#columnOf(hasHeader ? header : [], rows);
    for (const line of hasHeader ? lines.slice(1) : lines) this.#give(line);
  }

  #columnOf(header: readonly string[], rows: readonly (readonly string[])[]): number {
    const names = header.map((name) => folded(Buffer.from(name, "latin1").toString("utf8")));
    if (this.#wanted !== undefined) {
      const named = names.indexOf(folded(this.#wanted));
      const number = /^[1-9]\d{0,3}$/.test(this.#wanted) ? Number(this.#wanted) - 1 : -1;
      const found = named >= 0 ? named : number;
      if (found >= 0 && found < Math.max(...rows.map(({ length }) => length))) return found;
      throw new CsvRefusal(`There is no column ${JSON.stringify(this.#wanted)} in the file.`);
    }
    const exact = names.indexOf("cnpj");
    if (exact >= 0) return exact;
    const said = names.findIndex((name) => /\bcnpj\b/.test(name));
    if (said >= 0) return said;
    const width = Math.max(1, ...rows.map(({ length }) => length));
    const fits = Array.from(
      { length: width },
      (_, i) => rows.filter((row) => isCnpj(row[i])).length,
    );
    const most = Math.max(...fits);
    if (most > 0 || width === 1) return fits.indexOf(most);
    throw new CsvRefusal(
      "No column of the first lines holds CNPJs, and no header says cnpj. Name one: " +
        "column=<header>.",
    );
  }

  #give({ text, number }: Line): void {
    if (text === "") return;
    const cell = (cellsOf(text, this.#delimiter)[this.#column] ?? "").trim();
    if (cell !== "") this.#take(cell.slice(0, CELL_MAX), number);
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

function isCnpj(text: string | undefined): boolean {
  const cell = text?.trim() ?? "";
  if (readRoot(cell) !== null) return /\d/.test(cell);
  return readCnpj(cell) !== null || /^[1-9][0-9]{8,12}$/.test(cell);
}

function hasLetters(text: string): boolean {
  return /[A-Za-z\u0080-\u00ff]/.test(text);
}

function folded(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, " ");
}

function countOf(text: string, sign: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) count++;
  return count;
}
