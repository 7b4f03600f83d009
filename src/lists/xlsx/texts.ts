/**
 * The table of texts of a workbook (shared strings). What comes in: its part. What goes out: texts
 * by their number.
 * Invariant: their number and bytes are bounded; of a long text the beginning is kept, which is
 * enough to see that it is no CNPJ; how a text is pronounced is no part of it.
 */

import type { XlsxPackage } from "./package.ts";
import { SAVE_LESS, XlsxRefusal } from "./refusal.ts";
import { textOf, XmlReader, type XmlTaker } from "./xml.ts";

const TEXTS_MAX = 4_194_304;
const BYTES_MAX = 128 * 1024 * 1024;
const BLOCK_BYTES = 1_048_576;
/** Bytes of a text that are kept: enough for a header, and for all that is told of a cell. */
const TEXT_BYTES = 256;

/** Gathers the bytes of a text that comes in parts. */
export class TextGathered {
  #bytes = "";

  /** Takes a part. */
  add(bytes: string): void {
    if (this.#bytes.length < TEXT_BYTES) this.#bytes += bytes.slice(0, TEXT_BYTES);
  }

  /** All of it, or its beginning; the next one begins empty. */
  take(): string {
    const bytes = this.#bytes;
    this.#bytes = "";
    return bytes.length > TEXT_BYTES ? bytes.slice(0, TEXT_BYTES) : bytes;
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

  /** Adds a text as bytes. Throws `XlsxRefusal` where there are too many. */
  add(bytes: string): void {
    const full = this.#blocks.length * BLOCK_BYTES >= BYTES_MAX;
    const fits = this.#used + bytes.length <= BLOCK_BYTES;
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
    this.#blocks.at(-1)?.write(bytes, this.#used, "latin1");
    this.#used += bytes.length;
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = start + bytes.length;
    this.#count++;
  }

  /** The text of a number; undefined where there is none. */
  at(number: number): string | undefined {
    if (!(number < this.#count)) return undefined;
    const start = this.#starts[number] as number;
    const end = this.#ends[number] as number;
    const block = this.#blocks[Math.floor(start / BLOCK_BYTES)];
    const from = start % BLOCK_BYTES;
    return textOf(block?.toString("latin1", from, from + end - start) ?? "");
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
  const reader = new XmlReader(path, new TextsTaker(table));
  for await (const piece of workbook.pieces(path)) reader.add(piece);
  reader.end();
  return table;
}

class TextsTaker implements XmlTaker {
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

  text(bytes: string): void {
    if (this.#inText) this.#text.add(bytes);
  }
}
