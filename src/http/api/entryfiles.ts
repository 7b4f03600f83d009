/**
 * Files of entries of lists: CSV and XLSX. What comes in: a body, while it comes. What goes out:
 * the entries, and the lines that were not understood.
 * Invariant: a CSV file is read while it comes, a little at a time between requests, and at once
 * where what waits has no room; an XLSX file, whose directory is at its end, is kept until it is
 * read. What waits of all files together, and of one sender's, has the room that is said here,
 * which is given back whatever becomes of the request.
 */
import { CsvUpload, type Upload } from "../../lists/upload.ts";
import { readXlsx, XLSX_BYTES_MAX } from "../../lists/xlsxupload.ts";
import { later } from "../server/background-tasks.ts";
import { Budget, type Shortage } from "../server/budget.ts";
import { type BodyTaker, bodyError } from "../server/incoming.ts";
import { queryMistake, refuseQueryMistakes } from "../server/query.ts";
import type { BodyPieces } from "../server/routetable.ts";

/** Bytes of a CSV file that is sent at once. */
const CSV_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes of files that wait to be read; half of what others leave for each sender. */
const ROOM = new Budget(2 * XLSX_BYTES_MAX, 0.5);
const BLOCK_BYTES = 65_536;

/** A file that has come. */
interface EntryFile extends BodyTaker {
  /** What it holds. Throws `invalid_request` where it cannot be read. */
  upload(): Promise<Upload>;
}

/** Bytes of a CSV file that are read at once: some hundreds of CNPJs. */
const SLICE_BYTES = 4_096;
/** What a piece takes at least, however short it is. */
const PIECE_BYTES = 512;

/** A CSV file. */
class CsvFile implements EntryFile {
  readonly #upload: CsvUpload;
  readonly #sender: string;
  #waiting: Uint8Array[] = [];
  /** Which of them is the first that is not read, and how far it is. */
  #first = 0;
  #at = 0;
  #held = 0;
  #cancel: (() => void) | null = null;
  #read: (() => void) | null = null;

  constructor(query: ReadonlyMap<string, string>, sender: string) {
    this.#upload = new CsvUpload(readZeros(query), query.get("column"));
    this.#sender = sender;
  }

  add(chunk: Uint8Array): void {
    const bytes = Math.max(chunk.byteLength, PIECE_BYTES);
    while (!ROOM.take(bytes, this.#sender)) {
      // As much as comes is read, not all that waits: others would wait for it.
      if (!this.#waits) {
        this.#upload.add(chunk);
        return;
      }
      this.#slice();
    }
    this.#held += bytes;
    this.#waiting.push(chunk);
    this.#cancel ??= later(() => this.#turn());
  }

  async upload(): Promise<Upload> {
    if (this.#waits) {
      await new Promise<void>((settle) => {
        this.#read = settle;
      });
    }
    return this.#upload.end();
  }

  drop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting = [];
    this.#first = 0;
    this.#giveBack(this.#held);
  }

  get #waits(): boolean {
    return this.#first < this.#waiting.length;
  }

  #turn(): void {
    this.#cancel = null;
    if (this.#waits) this.#slice();
    if (this.#waits) this.#cancel = later(() => this.#turn());
    else this.#read?.();
  }

  #slice(): void {
    const first = this.#waiting[this.#first] as Uint8Array;
    this.#upload.add(first.subarray(this.#at, this.#at + SLICE_BYTES));
    this.#at += SLICE_BYTES;
    if (this.#at < first.byteLength) return;
    this.#first++;
    this.#at = 0;
    // Half of them at a time: one by one, the others would be moved up each time.
    if (this.#first * 2 >= this.#waiting.length) {
      this.#waiting.splice(0, this.#first);
      this.#first = 0;
    }
    this.#giveBack(Math.max(first.byteLength, PIECE_BYTES));
  }

  #giveBack(bytes: number): void {
    if (bytes > 0) ROOM.giveBack(bytes, this.#sender);
    this.#held -= bytes;
  }
}

/** An XLSX file. */
class XlsxFile implements EntryFile {
  readonly #fillZeros: boolean;
  readonly #column: string | undefined;
  readonly #sender: string;
  #blocks: Buffer[] = [];
  #bytes = 0;
  #held = 0;
  #refusal: Shortage | null = null;
  #isRead = false;

  constructor(query: ReadonlyMap<string, string>, sender: string) {
    this.#fillZeros = readZeros(query);
    this.#column = query.get("column");
    this.#sender = sender;
  }

  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.byteLength && this.#refusal === null; ) {
      const used = this.#bytes % BLOCK_BYTES;
      if (used === 0 && !this.#another()) return;
      const part = chunk.subarray(at, at + BLOCK_BYTES - used);
      this.#blocks.at(-1)?.set(part, used);
      this.#bytes += part.byteLength;
      at += part.byteLength;
    }
  }

  #another(): boolean {
    this.#refusal = ROOM.shortage(BLOCK_BYTES, this.#sender);
    if (this.#refusal !== null) {
      this.drop();
      return false;
    }
    ROOM.take(BLOCK_BYTES, this.#sender);
    this.#held += BLOCK_BYTES;
    this.#blocks.push(Buffer.allocUnsafe(BLOCK_BYTES));
    return true;
  }

  async upload(): Promise<Upload> {
    if (this.#refusal !== null) throw bodyError(this.#refusal, XLSX_BYTES_MAX);
    const bytes = Buffer.concat(this.#blocks, this.#bytes);
    this.#blocks = [];
    this.#isRead = true;
    try {
      return await readXlsx(bytes, { fillZeros: this.#fillZeros, column: this.#column });
    } finally {
      this.#isRead = false;
      this.drop();
    }
  }

  drop(): void {
    if (this.#isRead) return;
    this.#blocks = [];
    if (this.#held > 0) ROOM.giveBack(this.#held, this.#sender);
    this.#held = 0;
  }
}

/** How files of entries are taken. */
export const ENTRY_FILES = [
  {
    type: "text/csv",
    bytesMax: CSV_BYTES_MAX,
    begin: (query, sender) => new CsvFile(query, sender),
  },
  {
    type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    bytesMax: XLSX_BYTES_MAX,
    begin: (query, sender) => new XlsxFile(query, sender),
  },
] as const satisfies readonly BodyPieces[];

/** The file that a body was, or null where it was none. */
export function fileOf(gathered: BodyTaker | undefined): EntryFile | null {
  return gathered instanceof CsvFile || gathered instanceof XlsxFile ? gathered : null;
}

/** Bytes that files take at the moment. */
export function fileBytesHeld(): number {
  return ROOM.used;
}

/** Whether zeros that a number has lost are put back. Throws `invalid_request`. */
export function readZeros(query: ReadonlyMap<string, string>): boolean {
  const asked = query.get("lost_zeros");
  if (asked === undefined || asked === "refuse") return false;
  if (asked === "fill") return true;
  const detail = "The query parameter lost_zeros must be fill or refuse.";
  refuseQueryMistakes([queryMistake("lost_zeros", "unknown_value", detail)]);
  return false;
}
