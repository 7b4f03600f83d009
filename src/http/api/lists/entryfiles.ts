/**
 * Uploaded list files: CSV and XLSX. Input: a body as it arrives. Output: the entries, and the
 * lines that were not understood.
 * Invariant: a CSV file is parsed in slices between requests while it arrives, or inline if the
 * buffer is full. An XLSX file is buffered completely, because its directory is at its end. Its
 * blocks (fileblocks.ts) are always released when the request ends.
 */
import { CsvUpload, readXlsx, type Upload, XLSX_BYTES_MAX } from "../../../lists/upload.ts";
import type { Shortage } from "../../../process/ledger.ts";
import { later } from "../../server/background-tasks.ts";
import { type BodyTaker, bodyError } from "../../server/body.ts";
import { queryMistake, refuseQueryMistakes } from "../../server/query.ts";
import type { ChunkedBodyType } from "../../server/routetable.ts";
import { FileBlocks } from "../exports/fileblocks.ts";

const CSV_BYTES_MAX = 64 * 1024 * 1024;
interface EntryFile extends BodyTaker {
  /** Parses the file. Throws `invalid_request` if it cannot be read. */
  upload(): Promise<Upload>;
}

/** Bytes of a CSV file parsed per slice: a few hundred CNPJs. */
const SLICE_BYTES = 4_096;

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
      // Parses only as many bytes as arrive, so that other requests do not wait.
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
      const options = { fillZeros: this.#fillZeros, column: this.#column };
      return await readXlsx(bytes, options, this.#sender);
    } finally {
      this.#isRead = false;
      this.drop();
    }
  }

  drop(): void {
    // While the file is being parsed, its blocks stay reserved for the copy that the parser uses.
    if (!this.#isRead) this.#blocks.drop();
  }
}

/** Upload types of entry files. */
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
] as const satisfies readonly ChunkedBodyType[];

/** Returns the uploaded file of a body, or null. */
export function fileOf(gathered: BodyTaker | undefined): EntryFile | null {
  return gathered instanceof CsvFile || gathered instanceof XlsxFile ? gathered : null;
}

/** True if the query requests to restore lost leading zeros. Throws `invalid_request`. */
export function readZeros(query: ReadonlyMap<string, string>): boolean {
  const value = query.get("lost_zeros");
  if (value === undefined || value === "refuse") return false;
  if (value === "fill") return true;
  const detail = "The query parameter lost_zeros must be fill or refuse.";
  refuseQueryMistakes([queryMistake("lost_zeros", "unknown_value", detail)]);
  return false;
}
