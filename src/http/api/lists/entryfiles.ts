/**
 * Files of entries of lists: CSV and XLSX. What comes in: a body, while it comes. What goes out:
 * the entries, and the lines that were not understood.
 * Invariant: a CSV file is read while it comes, a little at a time between requests, and at once
 * where what waits has no room; an XLSX file, whose directory is at its end, is kept until it is
 * read. Room (fileblocks.ts) is given back whatever becomes of the request.
 */
import { CsvUpload, readXlsx, type Upload, XLSX_BYTES_MAX } from "../../../lists/upload.ts";
import type { Shortage } from "../../../process/ledger.ts";
import { later } from "../../server/background-tasks.ts";
import { type BodyTaker, bodyError } from "../../server/body.ts";
import { queryMistake, refuseQueryMistakes } from "../../server/query.ts";
import type { BodyPieces } from "../../server/routetable.ts";
import { FileBlocks } from "../exports/fileblocks.ts";

/** Bytes of a CSV file that is sent at once. */
const CSV_BYTES_MAX = 64 * 1024 * 1024;
/** A file that has come. */
interface EntryFile extends BodyTaker {
  /** What it holds. Throws `invalid_request` where it cannot be read. */
  upload(): Promise<Upload>;
}

/** Bytes of a CSV file that are read at once: some hundreds of CNPJs. */
const SLICE_BYTES = 4_096;

/** A CSV file. */
class CsvFile implements EntryFile {
  readonly #upload: CsvUpload;
  readonly #blocks: FileBlocks;
  readonly #take = (bytes: Uint8Array) => this.#upload.add(bytes);
  #cancel: (() => void) | null = null;
  #read: (() => void) | null = null;

  constructor(query: ReadonlyMap<string, string>, sender: string) {
    this.#upload = new CsvUpload(readZeros(query), query.get("column"));
    this.#blocks = new FileBlocks(sender);
  }

  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.byteLength; ) {
      at += this.#blocks.add(chunk.subarray(at));
      if (at === chunk.byteLength) break;
      // As much as comes is read, not all that waits: others would wait for it.
      if (this.#blocks.waits) this.#blocks.read(SLICE_BYTES, this.#take);
      else {
        this.#take(chunk.subarray(at));
        break;
      }
    }
    if (this.#blocks.waits) this.#cancel ??= later(() => this.#turn());
  }

  async upload(): Promise<Upload> {
    if (this.#blocks.waits) {
      await new Promise<void>((settle) => {
        this.#read = settle;
      });
    }
    return this.#upload.end();
  }

  drop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#blocks.drop();
  }

  #turn(): void {
    this.#cancel = null;
    if (this.#blocks.waits) this.#blocks.read(SLICE_BYTES, this.#take);
    if (this.#blocks.waits) this.#cancel = later(() => this.#turn());
    else this.#read?.();
  }
}

/** An XLSX file. */
class XlsxFile implements EntryFile {
  readonly #fillZeros: boolean;
  readonly #column: string | undefined;
  readonly #sender: string;
  readonly #blocks: FileBlocks;
  #refusal: Shortage | null = null;
  #isRead = false;

  constructor(query: ReadonlyMap<string, string>, sender: string) {
    this.#fillZeros = readZeros(query);
    this.#column = query.get("column");
    this.#sender = sender;
    this.#blocks = new FileBlocks(sender);
  }

  add(chunk: Uint8Array): void {
    if (this.#refusal !== null || this.#blocks.add(chunk) === chunk.byteLength) return;
    this.#refusal = this.#blocks.shortage;
    this.drop();
  }

  async upload(): Promise<Upload> {
    if (this.#refusal !== null) throw bodyError(this.#refusal, XLSX_BYTES_MAX);
    const bytes = this.#blocks.whole();
    this.#isRead = true;
    try {
      const wishes = { fillZeros: this.#fillZeros, column: this.#column };
      return await readXlsx(bytes, wishes, this.#sender);
    } finally {
      this.#isRead = false;
      this.drop();
    }
  }

  drop(): void {
    // While it is read, its blocks stand for the copy that is.
    if (!this.#isRead) this.#blocks.drop();
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

/** Whether zeros that a number has lost are put back. Throws `invalid_request`. */
export function readZeros(query: ReadonlyMap<string, string>): boolean {
  const asked = query.get("lost_zeros");
  if (asked === undefined || asked === "refuse") return false;
  if (asked === "fill") return true;
  const detail = "The query parameter lost_zeros must be fill or refuse.";
  refuseQueryMistakes([queryMistake("lost_zeros", "unknown_value", detail)]);
  return false;
}
