/**
 * Files of entries of lists: CSV and XLSX. What comes in: a body, while it comes. What goes out:
 * the entries, and the lines that were not understood.
 * Invariant: a CSV file is read while it comes and kept nowhere; an XLSX file, whose directory is
 * at its end, is kept until it is read, and all of them together, and those of one sender, have
 * the room that is said here, which is given back whatever becomes of the request.
 */
import { CsvUpload, type Upload } from "../../lists/upload.ts";
import { readXlsx, XLSX_BYTES_MAX } from "../../lists/xlsxupload.ts";
import { Budget, type Shortage } from "../server/budget.ts";
import { type BodyTaker, bodyError } from "../server/incoming.ts";
import { queryMistake, refuseQueryMistakes } from "../server/query.ts";
import type { BodyPieces } from "../server/routetable.ts";

/** Bytes of a CSV file that is sent at once. */
const CSV_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes of XLSX files that are being sent or read; half of what others leave for each sender. */
const XLSX_ROOM = new Budget(2 * XLSX_BYTES_MAX, 0.5);
const BLOCK_BYTES = 65_536;

/** A file that has come. */
interface EntryFile extends BodyTaker {
  /** What it holds. Throws `invalid_request` where it cannot be read. */
  upload(): Upload | Promise<Upload>;
}

/** A CSV file. */
class CsvFile implements EntryFile {
  readonly #upload: CsvUpload;

  constructor(query: ReadonlyMap<string, string>) {
    this.#upload = new CsvUpload(readZeros(query), query.get("column"));
  }

  add(chunk: Uint8Array): void {
    this.#upload.add(chunk);
  }

  upload(): Upload {
    return this.#upload.end();
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
    this.#refusal = XLSX_ROOM.shortage(BLOCK_BYTES, this.#sender);
    if (this.#refusal !== null) {
      this.drop();
      return false;
    }
    XLSX_ROOM.take(BLOCK_BYTES, this.#sender);
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
    if (this.#held > 0) XLSX_ROOM.giveBack(this.#held, this.#sender);
    this.#held = 0;
  }
}

/** How files of entries are taken. */
export const ENTRY_FILES = [
  { type: "text/csv", bytesMax: CSV_BYTES_MAX, begin: (query) => new CsvFile(query) },
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

/** Bytes that XLSX files take at the moment. */
export function xlsxBytesHeld(): number {
  return XLSX_ROOM.used;
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
