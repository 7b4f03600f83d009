/**
 * Reads a CSV file in chunks for a scanner of records, and encodes new text for it. Input: a file;
 * new text in UTF-8. Output: chunks of UTF-8 or Windows-1252, each beginning with the unread bytes
 * of the previous chunk; the offsets of records and cells in them; the new text in the encoding of
 * the file.
 * Invariant: quotation marks, line ends, and delimiters are parsed as for lists
 * (lists/csvcolumn.ts). The used parts of all chunks, joined, are the file without its byte-order
 * mark. UTF-16 is read as UTF-8, and refused if it is malformed, because it could not be written
 * back unchanged. Memory is bounded by the longest record. In new text, characters that
 * Windows-1252 lacks become question marks, as in spreadsheets; the registry has none.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { decodeText } from "../../dump/registrytext.ts";
import { ColumnRefusal } from "../../lists/column.ts";
import { LINE_MAX, nameOf } from "../../lists/csvcolumn.ts";

/** Encoding of new text in a file. */
export type CsvEncoding = "utf-8" | "windows-1252" | "utf-16le" | "utf-16be";

/** Bytes read per call: about a millisecond of work. */
const READ_BYTES = 262_144;
/** Bytes that determine the kind of a file. */
const HEAD_BYTES = 4_096;

/** A chunk of a file. */
export interface CsvBytes {
  readonly bytes: Uint8Array;
  /** End-of-file marks after the last record of the last chunk. */
  readonly tail: Uint8Array;
  readonly isLast: boolean;
  /** The byte-order mark of the file, in every chunk. */
  readonly mark: Uint8Array;
  /** First bytes of the file. */
  readonly head: Uint8Array;
  /** The encoding of UTF-16; null for all others. */
  readonly wide: "utf-16le" | "utf-16be" | null;
  /** Number of bytes that the reader has processed; set by the reader. */
  used: number;
}

/** DOS's mark of the end of a file; it is not part of the last record. */
const CTRL_Z = 0x1a;

/** Reads a file, and yields to the event loop after each chunk. */
export async function* readCsvBytes(
  path: string,
  readBytes = READ_BYTES,
): AsyncGenerator<CsvBytes> {
  const fd = openSync(path, "r");
  try {
    const head = readPiece(fd, Math.max(HEAD_BYTES, readBytes));
    const { mark, wide } = encodingOf(head);
    const decoder = wide === null ? null : new TextDecoder(wide, { fatal: true, ignoreBOM: true });
    const frame = { mark, wide, head: head.subarray(0, HEAD_BYTES) };
    let rest: Uint8Array = new Uint8Array(0);
    for (let next = head.subarray(mark.length); ; ) {
      const after = readPiece(fd, readBytes);
      const isLast = after.length === 0;
      const read = decoder === null ? next : utf8Of(decoder, next, isLast);
      const all = rest.length === 0 ? read : Buffer.concat([rest, read]);
      const end = isLast ? endOf(all) : all.length;
      const [bytes, tail] = [all.subarray(0, end), all.subarray(end)];
      const piece: CsvBytes = { ...frame, bytes, tail, isLast, used: 0 };
      yield piece;
      if (isLast) return;
      rest = bytes.subarray(piece.used);
      next = after;
      await nextTurn();
    }
  } finally {
    closeSync(fd);
  }
}

/** Offset at which the records end and the end-of-file marks begin. */
function endOf(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === CTRL_Z) end--;
  return end;
}

function readPiece(fd: number, most: number): Buffer {
  const piece = Buffer.allocUnsafeSlow(most);
  let length = 0;
  while (length < most) {
    const read = readSync(fd, piece, length, most - length, null);
    if (read === 0) break;
    length += read;
  }
  return piece.subarray(0, length);
}

function encodingOf(head: Buffer): Pick<CsvBytes, "mark" | "wide"> {
  const name = nameOf(head);
  const begin = head.toString("latin1", 0, 3);
  if (name === "utf-16le" || name === "utf-16be") {
    const isMarked = begin.startsWith("\u00ff\u00fe") || begin.startsWith("\u00fe\u00ff");
    return { wide: name, mark: head.subarray(0, isMarked ? 2 : 0) };
  }
  return { wide: null, mark: head.subarray(0, begin === "\u00ef\u00bb\u00bf" ? 3 : 0) };
}

function utf8Of(decoder: TextDecoder, bytes: Uint8Array, isLast: boolean): Buffer {
  try {
    return Buffer.from(decoder.decode(bytes, { stream: !isLast }));
  } catch {
    throw new ColumnRefusal("The file is damaged: some of its UTF-16 is no text. Save it again.");
  }
}

/** Encodes new text, and the whole text of a file. */
interface Encoder {
  /** Encodes new text in the encoding of the file's bytes. */
  own(text: Uint8Array): Uint8Array;
  /** Encodes the whole text of the new file; null if the bytes need no change. */
  readonly whole: ((bytes: Uint8Array) => Uint8Array) | null;
}

const WINDOWS = new Map(
  Array.from({ length: 0x80 }, (_, at) => {
    const byte = at + 0x80;
    return [decodeText(Uint8Array.of(byte), "windows-1252"), byte] as const;
  }),
);
const UNKNOWN = 0x3f;

const ENCODERS: Readonly<Record<CsvEncoding, Encoder>> = {
  "utf-8": { own: (text) => text, whole: null },
  "windows-1252": { own: windowsOf, whole: null },
  "utf-16le": { own: (text) => text, whole: wideOf },
  "utf-16be": { own: (text) => text, whole: (bytes) => wideOf(bytes).swap16() },
};

/** Returns the encoder of an encoding. */
export function encoderOf(encoding: CsvEncoding): Encoder {
  return ENCODERS[encoding];
}

function wideOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bufferOf(bytes).toString("utf8"), "utf16le");
}

function windowsOf(text: Uint8Array): Uint8Array {
  const characters = bufferOf(text).toString("utf8");
  const bytes = Buffer.allocUnsafe(characters.length);
  let length = 0;
  for (const character of characters) {
    const code = character.codePointAt(0) as number;
    bytes[length++] = code < 0x80 ? code : (WINDOWS.get(character) ?? UNKNOWN);
  }
  return bytes.subarray(0, length);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Max records per call. */
const RECORDS_MAX = 8_192;

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** Finds records. */
export class CsvRecords {
  /** Per record: its first byte, the end of its text, and the end of its line. */
  readonly starts = new Uint32Array(RECORDS_MAX);
  readonly ends = new Uint32Array(RECORDS_MAX);
  readonly nexts = new Uint32Array(RECORDS_MAX);
  /** Per record: the wanted cell, empty if it has none, and how many cells there are. */
  readonly cellFrom = new Uint32Array(RECORDS_MAX);
  readonly cellTo = new Uint32Array(RECORDS_MAX);
  readonly cells = new Uint32Array(RECORDS_MAX);
  readonly #delimiter: number;
  /** 1 for every byte that is not plain text. */
  readonly #signs = new Uint8Array(256);
  readonly #column: number;
  /** Number of the line on which the next record begins. */
  #line = 1;

  /** `column` is the wanted cell, counted from 0. */
  constructor(delimiter: string, column: number) {
    this.#delimiter = delimiter.charCodeAt(0);
    for (const sign of [QUOTE, LF, CR, this.#delimiter]) this.#signs[sign] = 1;
    this.#column = column;
  }

  /**
   * Finds whole records from `from` on, up to `RECORDS_MAX`; the last record of a file needs no end
   * of line. Returns their number. Throws `ColumnRefusal` for a record that does not end.
   */
  scan(bytes: Uint8Array, from: number, isLast: boolean): number {
    const { length } = bytes;
    const delimiter = this.#delimiter;
    const column = this.#column;
    const signs = this.#signs;
    let count = 0;
    let start = from;
    let cell = 0;
    let cellStart = from;
    let quoted = false;
    let lines = 0;
    this.cellFrom[0] = 0;
    this.cellTo[0] = 0;
    for (let at = from; at < length; at++) {
      const byte = bytes[at] as number;
      if (signs[byte] === 0) continue;
      if (byte === QUOTE) quoted = !quoted;
      else if (quoted) {
        if (byte === LF) lines++;
      } else if (byte === delimiter) {
        if (cell === column) this.#take(count, cellStart, at);
        cell++;
        cellStart = at + 1;
      } else if (byte === LF || byte === CR) {
        if (byte === CR && at + 1 === length && !isLast) break;
        const next = byte === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
        if (cell === column) this.#take(count, cellStart, at);
        this.cells[count] = cell + 1;
        this.#close(count++, start, at, next);
        this.#line += lines + 1;
        lines = 0;
        if (count === RECORDS_MAX) return count;
        this.cellFrom[count] = 0;
        this.cellTo[count] = 0;
        at = next - 1;
        [start, cell, cellStart] = [next, 0, next];
      }
    }
    if (length - start > LINE_MAX || (isLast && quoted)) this.#endless(quoted);
    if (!isLast || start === length) return count;
    if (cell === column) this.#take(count, cellStart, length);
    this.cells[count] = cell + 1;
    this.#close(count++, start, length, length);
    return count;
  }

  #take(record: number, from: number, to: number): void {
    this.cellFrom[record] = from;
    this.cellTo[record] = to;
  }

  #close(record: number, start: number, end: number, next: number): void {
    this.starts[record] = start;
    this.ends[record] = end;
    this.nexts[record] = next;
  }

  #endless(quoted: boolean): never {
    const line = `Line ${this.#line.toLocaleString("en")}`;
    throw new ColumnRefusal(
      quoted
        ? `${line} has no end. Is a quotation mark left open there?`
        : `${line} is longer than ${LINE_MAX.toLocaleString("en")} bytes, the most that is read.`,
    );
  }
}
