/**
 * The encoding of a CSV file, found by its first bytes.
 * Input: a file, piece by piece. Output: the same in UTF-8 or as Windows writes it, a character for
 * each byte, so that a line may be cut anywhere.
 * Invariant: UTF-16 is read with a byte-order mark and without one; UTF-32 is refused in words.
 */
import { ColumnRefusal } from "./column.ts";

/** Bytes that decide; every second one of UTF-16 is zero where a header or a CNPJ is written. */
const HEAD_BYTES = 64;
const UTF32 = "The file is in UTF-32, which is not read. Save it as CSV in UTF-8, and send that.";

/** Reads one file. */
export class CsvEncoding {
  /** Null once the encoding is known. */
  #head: Buffer | null = Buffer.alloc(0);
  #decoder: TextDecoder | null = null;

  /** Reads a piece. Throws `ColumnRefusal` for UTF-32. */
  read(bytes: Uint8Array): string {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#head === null) return this.#text(piece);
    this.#head = Buffer.concat([this.#head, piece]);
    return this.#head.length < HEAD_BYTES ? "" : this.#begin(this.#head);
  }

  /** There is no more. Returns what was not read yet. */
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

/** The encoding of a file that begins like this; null for UTF-8 and what Windows writes. */
function nameOf(file: Buffer): "utf-16le" | "utf-16be" | "utf-32" | null {
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
