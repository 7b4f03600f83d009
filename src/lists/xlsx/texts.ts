/**
 * The table of texts of a workbook (shared strings). What comes in: its part. What goes out: texts
 * by their number.
 * Invariant: their number and bytes are bounded; of a long text the beginning is kept, which is
 * enough to see that it is no CNPJ; how a text is pronounced is no part of it.
 */

import {
  PartReader,
  type PartTaker,
  SAVE_LESS,
  textOf,
  type XlsxPackage,
  XlsxRefusal,
} from "./package.ts";

const TEXTS_MAX = 4_194_304;
const BYTES_MAX = 128 * 1024 * 1024;
const BLOCK_BYTES = 1_048_576;
/** Characters of a text that are kept: enough for a header, and for all that is told of a cell. */
const TEXT_LENGTH = 256;

/** Gathers a text that comes in parts. */
export class TextGathered {
  #text = "";

  /** Takes a part. */
  add(part: string): void {
    if (this.#text.length < TEXT_LENGTH) this.#text += part.slice(0, TEXT_LENGTH);
  }

  /** All of it, or its beginning; the next one begins empty. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text.length > TEXT_LENGTH ? text.slice(0, TEXT_LENGTH) : text;
  }
}

/** Texts by number. */
export class TextTable {
  readonly #blocks: Buffer[] = [];
  #used = BLOCK_BYTES;
  #ends = new Uint32Array(1 << 10);
  #starts = new Uint32Array(1 << 10);
  #count = 0;

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** Adds a text. Throws `XlsxRefusal` where there are too many. */
  add(text: string): void {
    const length = Buffer.byteLength(text);
    const full = this.#blocks.length * BLOCK_BYTES >= BYTES_MAX;
    const fits = this.#used + length <= BLOCK_BYTES;
    if (this.#count >= TEXTS_MAX || (full && !fits)) {
      const wrong = `it has more than ${TEXTS_MAX.toLocaleString("en")} texts, or too long ones`;
      throw new XlsxRefusal("The workbook", wrong, SAVE_LESS);
    }
    if (!fits) {
      this.#blocks.push(Buffer.allocUnsafe(BLOCK_BYTES));
      this.#used = 0;
    }
    if (this.#count === this.#ends.length) {
      this.#ends = grown(this.#ends);
      this.#starts = grown(this.#starts);
    }
    const start = (this.#blocks.length - 1) * BLOCK_BYTES + this.#used;
    this.#blocks.at(-1)?.write(text, this.#used);
    this.#used += length;
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = start + length;
    this.#count++;
  }

  /** The text of a number; undefined where there is none. */
  at(number: number): string | undefined {
    if (!(number < this.#count)) return undefined;
    const start = this.#starts[number] as number;
    const end = this.#ends[number] as number;
    const block = this.#blocks[Math.floor(start / BLOCK_BYTES)];
    const from = start % BLOCK_BYTES;
    return textOf(block?.toString("utf8", from, from + end - start) ?? "");
  }
}

function grown(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** Reads the part of a path. Throws `XlsxRefusal`. */
export async function readTexts(workbook: XlsxPackage, path: string): Promise<TextTable> {
  const table = new TextTable();
  const reader = new PartReader(path, new TextsTaker(table));
  for await (const piece of workbook.pieces(path)) reader.add(piece);
  reader.end();
  return table;
}

class TextsTaker implements PartTaker {
  readonly #table: TextTable;
  readonly #text = new TextGathered();
  /** How deep in what tells how a text is pronounced. */
  #spoken = 0;
  #inText = false;

  constructor(table: TextTable) {
    this.#table = table;
  }

  open(name: string): void {
    if (name === "rPh") this.#spoken++;
    else if (name === "t") this.#inText = this.#spoken === 0;
  }

  close(name: string): void {
    if (name === "rPh") this.#spoken--;
    else if (name === "t") this.#inText = false;
    else if (name === "si") this.#table.add(this.#text.take());
  }

  text(text: string): void {
    if (this.#inText) this.#text.add(text);
  }
}
