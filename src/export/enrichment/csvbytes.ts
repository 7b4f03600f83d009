/**
 * Reads a CSV file in chunks, scans them for records, and encodes new text like the file. Input: a
 * file; new text in UTF-8. Output: chunks of UTF-8 or Windows-1252, each beginning with the unread
 * rest of the previous chunk; offsets of records and cells; the new text in the file's encoding.
 * Invariant: quotes, line ends, and delimiters are parsed as for lists (lists/csvcolumn.ts). The
 * used parts of all chunks, joined, are the file without its byte order mark. UTF-16 is converted
 * to UTF-8, and refused if its bytes are invalid, because they could not be restored. Memory is
 * bounded by the longest record. Characters of new text that Windows-1252 lacks become question
 * marks, as in spreadsheets. The registry's own text has no such characters.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type RecordScan, scanRecords } from "../../../native-index/napi/engine.ts";
import { decodeText } from "../../dump/registrytext.ts";
import { ColumnRefusal } from "../../lists/column.ts";
import { LINE_MAX, nameOf } from "../../lists/csvcolumn.ts";

/** Encoding of new text in a file. */
export type CsvEncoding = "utf-8" | "windows-1252" | "utf-16le" | "utf-16be";

/** Bytes read per call: about a millisecond of work. */
const READ_BYTES = 262_144;
/** Number of bytes at the start of a file from which its kind is determined. */
const HEAD_BYTES = 4_096;

/** A chunk of a file. */
export interface CsvBytes {
  readonly bytes: Uint8Array;
  /** End-of-file marks after the last record. Only the last chunk has them. */
  readonly tail: Uint8Array;
  readonly isLast: boolean;
  /** The file's byte order mark, repeated in every chunk. */
  readonly mark: Uint8Array;
  /** First bytes of the file. */
  readonly head: Uint8Array;
  /** The kind of UTF-16, or null for other encodings. */
  readonly wide: "utf-16le" | "utf-16be" | null;
  /** Number of bytes that the reader has processed. The reader sets it. */
  used: number;
}

/** The DOS end-of-file mark. It does not belong to the last record. */
const CTRL_Z = 0x1a;

/**
 * Reads a file in chunks, and yields to the event loop after each chunk. The bytes of a chunk are
 * valid only until the next chunk is requested.
 */
export async function* readCsvBytes(
  path: string,
  { readBytes = READ_BYTES, bytes: expected }: CsvRequest = {},
): AsyncGenerator<CsvBytes> {
  const file = new FilePieces(path, expected);
  const size = Math.max(HEAD_BYTES, readBytes);
  try {
    const unread = new UnreadBytes();
    const readOn = () => unread.extend(size, (room) => file.fill(room));
    readOn();
    const head = Buffer.from(unread.bytes().subarray(0, HEAD_BYTES));
    const { mark, wide } = encodingOf(head);
    unread.drop(mark.length);
    const next = wide === null ? readOn : decoding(wide, unread, file, size);
    for (;;) {
      const { isLast } = file;
      const all = unread.bytes();
      const end = isLast ? endOf(all) : all.length;
      const [bytes, tail] = [all.subarray(0, end), all.subarray(end)];
      const piece: CsvBytes = { mark, wide, head, bytes, tail, isLast, used: 0 };
      yield piece;
      if (isLast) return;
      unread.drop(piece.used);
      await nextTurn();
      next();
    }
  } finally {
    file.close();
  }
}

/** Decodes the bytes in `unread`. Returns a function that reads and decodes the next bytes. */
function decoding(
  wide: "utf-16le" | "utf-16be",
  unread: UnreadBytes,
  file: FilePieces,
  size: number,
): () => void {
  const decoder = new TextDecoder(wide, { fatal: true, ignoreBOM: true });
  const room = Buffer.allocUnsafeSlow(size);
  const add = (bytes: Buffer) => {
    const text = utf8Of(decoder, bytes, file.isLast);
    unread.extend(text.length, (to) => text.copy(to));
  };
  const begin = Buffer.from(unread.bytes());
  unread.drop(begin.length);
  add(begin);
  return () => add(room.subarray(0, file.fill(room)));
}

/** How to read a file. */
interface CsvRequest {
  /** Bytes read per call. */
  readonly readBytes?: number;
  /** Bytes that the file must have, if it was read before. */
  readonly bytes?: number;
}

/**
 * Reads a file piece by piece, and knows when it has read the last byte. Throws `ColumnRefusal` if
 * the file becomes shorter or longer meanwhile, because rows would be missing without a message.
 */
class FilePieces {
  readonly #fd: number;
  /** Bytes of the file, and bytes that were read. */
  readonly #bytes: number;
  #readBytes = 0;
  /** One byte read ahead, which shows if the file continues. */
  readonly #ahead = Buffer.alloc(1);
  #aheadLength = 0;

  constructor(path: string, bytes: number | undefined) {
    this.#fd = openSync(path, "r");
    this.#bytes = bytes ?? fstatSync(this.#fd).size;
  }

  /** True after the last byte was read. */
  get isLast(): boolean {
    return this.#aheadLength === 0;
  }

  /** Reads the next bytes until there is no more room. Returns their number. */
  fill(room: Buffer): number {
    const held = this.#ahead.copy(room, 0, 0, this.#aheadLength);
    const length = held + this.#read(room.subarray(held));
    this.#aheadLength = this.#read(this.#ahead);
    if (this.isLast ? this.#readBytes !== this.#bytes : this.#readBytes > this.#bytes) {
      throw new ColumnRefusal(
        `The file had ${this.#bytes.toLocaleString("en")} bytes and changed while it was read. ` +
          "Try again when no other program writes to it.",
      );
    }
    return length;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #read(room: Buffer): number {
    let length = 0;
    while (length < room.length) {
      const read = readSync(this.#fd, room, length, room.length - length, null);
      if (read === 0) break;
      length += read;
    }
    this.#readBytes += length;
    return length;
  }
}

/**
 * Bytes that the reader has not processed, in memory that only grows. Files are read into it
 * directly, because page faults and copies cost more than reading.
 */
class UnreadBytes {
  #memory = Buffer.alloc(0);
  #length = 0;

  /** Adds up to `count` bytes; `fill` writes them and returns their number. */
  extend(count: number, fill: (room: Buffer) => number): void {
    const needed = this.#length + count;
    if (needed > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(needed + (needed >> 3));
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    this.#length += fill(this.#memory.subarray(this.#length, needed));
  }

  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  drop(count: number): void {
    this.#memory.copyWithin(0, count, this.#length);
    this.#length -= count;
  }
}

/** Returns the offset at which records end and end-of-file marks begin. */
function endOf(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === CTRL_Z) end--;
  return end;
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

/** Encodes the new text, and the whole file. */
interface Encoder {
  /** Encodes new text for insertion between the file's bytes. */
  own(text: Uint8Array): Uint8Array;
  /** Encodes the whole text of the new file, or null if its bytes need no change. */
  readonly whole: ((bytes: Uint8Array) => Uint8Array) | null;
}

const WINDOWS = new Map(
  Array.from({ length: 0x80 }, (_, at) => {
    const byte = at + 0x80;
    return [decodeText(Uint8Array.of(byte), "windows-1252"), byte] as const;
  }),
);
const UNKNOWN = 0x3f;

/**
 * Returns the Windows-1252 characters of the bytes from 0x80 on, two bytes each (little endian).
 */
export function windowsCharacters(): Uint8Array {
  const codes = Uint16Array.from(WINDOWS.keys(), (character) => character.charCodeAt(0));
  return new Uint8Array(codes.buffer);
}

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
export const RECORDS_MAX = 65_536;
/**
 * `RECORD` and `ODD` are the numbers of integers stored for a record and for an odd cell, which is
 * one that holds no plain CNPJ. `CNPJ` is the number of bytes stored for a CNPJ.
 */
const RECORD = 4;
const ODD = 3;
const CNPJ = 14;
/** Marks a record with an odd cell, which JavaScript parses. */
const ODD_MARK = 254;

/** Facts about a file that the scan of its records needs. */
interface KnownRecords {
  readonly delimiter: string;
  /** The column of CNPJs, counted from 0. */
  readonly column: number;
  /** Number of cells in the widest row. 0 if it is unknown. */
  readonly width?: number;
  /** Record number of the header, counted from 0. -1 if there is none. */
  readonly header?: number;
  /** Numbers of the suffixes (appended cells) of the header, blank rows, and found rows. */
  readonly heading?: number;
  readonly blank?: number;
  readonly found?: number;
}

/** A cell that is not a plain CNPJ. */
interface OddCell {
  readonly record: number;
  readonly from: number;
  readonly to: number;
}

/** Finds records. */
export class CsvRecords {
  /**
   * Four numbers for each record: its start, its end, the start of the next record, and the number
   * of its suffix (the cells to append). The upper bits of the last number count the missing cells.
   */
  readonly records = new Uint32Array(RECORD * RECORDS_MAX);
  /** 14 bytes for each record: its CNPJ, if the cell holds a plain one. */
  readonly cnpjs = Buffer.alloc(CNPJ * RECORDS_MAX);
  /** Number of cells in the widest record from the header on. */
  width = 1;
  /** Offset at which the next scan must start, because the record there is not complete yet. */
  next = 0;
  readonly #odd = new Uint32Array(ODD * RECORDS_MAX);
  readonly #known: Omit<RecordScan, "bytes" | "from" | "isLast">;
  #oddCount = 0;
  #longest = 0;
  #records = 0;
  /** Line number at which the next record begins. */
  #line = 1;

  constructor({ delimiter, column, width = 0, header = -1, ...suffixes }: KnownRecords) {
    const { heading = 0, blank = 0, found = 0 } = suffixes;
    const code = delimiter.charCodeAt(0);
    this.#known = {
      ...{ delimiter: code, column, width, header, heading, blank, found, odd: ODD_MARK },
    };
  }

  /** Returns start and end of a record in the last scan. */
  bounds(record: number): [start: number, end: number] {
    const at = RECORD * record;
    return [this.records[at] as number, this.records[at + 1] as number];
  }

  /** Bytes of the longest record of the last scan. */
  get longest(): number {
    return this.#longest;
  }

  /**
   * Returns the 14 digits in the cell of a record of the last scan, or "" if the cell is empty. The
   * record must not be among `oddCells`.
   */
  digits(record: number): string {
    if (this.cnpjs[CNPJ * record] === 0) return "";
    return this.cnpjs.toString("latin1", CNPJ * record, CNPJ * (record + 1));
  }

  /** Returns the odd cells of the last scan, which the caller must parse. */
  oddCells(): OddCell[] {
    const number = (at: number) => this.#odd[at] as number;
    return Array.from({ length: this.#oddCount }, (_, cell) => {
      const at = cell * ODD;
      return { record: number(at), from: number(at + 1), to: number(at + 2) };
    });
  }

  /**
   * Finds up to `RECORDS_MAX` whole records from `from` on, and returns their number. The last
   * record of a file needs no line end. Throws `ColumnRefusal` for a record that does not end.
   */
  scan(bytes: Uint8Array, from: number, isLast: boolean): number {
    const header = this.#known.header - this.#records;
    const scan = { ...this.#known, header, bytes, from, isLast };
    const scanned = scanRecords(scan, this.records, this.cnpjs, this.#odd);
    const { count, odd, next, lines, width, longest, quoted } = scanned;
    this.#longest = longest;
    this.#line += lines;
    this.#records += count;
    this.#oddCount = odd;
    this.next = next;
    this.width = Math.max(this.width, width);
    const isFull = count === RECORDS_MAX;
    const left = bytes.length - next;
    if (!isFull && (left > LINE_MAX || (isLast && quoted === 1))) this.#endless(quoted === 1);
    return count;
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
