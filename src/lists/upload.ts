/**
 * Reads a client's upload to a list. Input: texts, a CSV file in chunks, or an XLSX file. Output:
 * its entries, and the lines that were not understood.
 * Invariant: every part of a text is counted once, as an entry or as refused. The first refused
 * parts are reported. Entries beyond the maximum are refused as soon as they arrive. Every
 * unreadable file is refused with a message. Senders of workbooks take turns, by unpacked bytes.
 * Few files are read at the same time, so that their text tables do not add up. Two queues
 * ensure that a small workbook does not wait for a large one; both are read in alternating chunks.
 */
import { AppError } from "../errors.ts";
import { FairQueue } from "../scheduling/fairqueue.ts";
import { cnpjCandidates } from "../spec/cnpj/cnpjcandidates.ts";
import { readCnpjCandidate } from "../spec/cnpj/cnpjspelling.ts";
import { hideCpf, holdsCpf } from "../spec/cnpj/cpf.ts";
import { ColumnRefusal, reportText, UnknownColumn } from "./column.ts";
import { CsvColumn } from "./csvcolumn.ts";
import {
  EntryBuffer,
  type EntryParts,
  entryParts,
  isCompany,
  REFUSED_REPORTED_MAX,
  type RefusedEntry,
  readEntry,
} from "./entries.ts";
import { XlsxPackage, XlsxRefusal } from "./xlsx/package.ts";
import { type ReadSheet, readXlsxColumn } from "./xlsx/xlsxcolumn.ts";

/** Max entries of one list in any plan. */
const LIST_ENTRIES_MAX = 2_000_000;
/** Maximum number of CNPJs with wrong check digits that are looked up. The registry has few. */
const MISTYPED_MAX = 1_000;

const CTRL_Z = 0x1a;

/** A line that was not understood. Lines, rows, and elements are counted from 1. */
interface RefusedLine extends RefusedEntry {
  readonly line: number;
  /** For a spreadsheet: B7. */
  readonly cell?: string;
  readonly text: string;
}

/** An entry with the CNPJ as sent. */
type MistypedEntry = EntryParts & { readonly cnpj: string };

/** Place of a text: its line and, in a spreadsheet, the name of its cell. */
type Place = Pick<RefusedLine, "line" | "cell">;

/** Gathers an upload. */
export class Upload {
  readonly #fillZeros: boolean;
  readonly #entries = new EntryBuffer();
  #refused: RefusedLine[] = [];
  /** Refused lines in which only the check digits are wrong, and their entries. */
  readonly #mistyped = new Map<RefusedLine, MistypedEntry>();
  refusedCount = 0;
  /** The sheet of a workbook; null for other uploads. */
  sheet: ReadSheet | null = null;
  /** Header of the column, or its name if it has no header; null if there is no column. */
  column: string | null = null;

  /** `fillZeros` restores lost leading zeros. */
  constructor(fillZeros: boolean) {
    this.#fillZeros = fillZeros;
  }

  /** The first refused lines. */
  get refused(): readonly RefusedLine[] {
    return this.#refused.slice(0, REFUSED_REPORTED_MAX);
  }

  /** Number of texts sent. */
  get read(): number {
    return this.#entries.count + this.refusedCount;
  }

  /** Returns the entries in order of arrival, repeats included, or their `companies`. */
  entries(companies: boolean): readonly Uint8Array[] {
    return this.#entries.blocks(companies);
  }

  /**
   * Reads one text. Returns false if it is empty. `takesRoots` is true if eight characters are the
   * root of a CNPJ here, which identifies a company. Throws `invalid_request` if there are too many
   * entries.
   */
  take(text: string, place: Place, takesRoots = true): boolean {
    const pieces = cnpjCandidates(text);
    for (const piece of pieces) {
      if (piece.stray) this.refuse(piece.text, place, strayRefusal(piece.text));
      else this.#one(piece.text, place, takesRoots);
    }
    return pieces.length > 0;
  }

  #one(text: string, place: Place, takesRoots: boolean): void {
    const found = readEntry(text, this.#fillZeros);
    if ("reason" in found) this.refuse(text, place, found);
    else if (!takesRoots && isCompany(found)) this.refuse(text, place, { reason: "not_a_cnpj" });
    else this.#add(found);
  }

  #add(entry: EntryParts): void {
    if (this.#entries.count >= LIST_ENTRIES_MAX) {
      const most = LIST_ENTRIES_MAX.toLocaleString("en");
      throw new AppError("invalid_request", `Send at most ${most} entries in one request.`);
    }
    this.#entries.add(entry);
  }

  refuse(text: string, place: Place, why: RefusedEntry): void {
    this.refusedCount++;
    const mistyped = this.#mistyped.size < MISTYPED_MAX ? mistypedParts(text, why) : null;
    const certain = this.#refused.length - this.#mistyped.size;
    if (mistyped === null && certain >= REFUSED_REPORTED_MAX) return;
    const line = {
      ...place,
      text: reportText(why.reason === "cpf" ? hideCpf(text) : text),
      ...why,
    };
    this.#refused.push(line);
    if (mistyped !== null) this.#mistyped.set(line, mistyped);
  }

  /**
   * Looks up CNPJs that were refused only for their check digits, because some in the registry are
   * wrong. Accepts those that an account has. A lookup may read the disk, so `turn` is awaited
   * before each.
   */
  async takeKnown(
    isKnown: (cnpj: string) => boolean,
    turn: () => Promise<void> | undefined,
  ): Promise<void> {
    const known = new Set<RefusedLine>();
    for (const [line, parts] of this.#mistyped) {
      await turn();
      if (!isKnown(parts.cnpj)) continue;
      this.#add(parts);
      known.add(line);
    }
    this.#mistyped.clear();
    this.#refused = this.#refused.filter((line) => !known.has(line));
    this.refusedCount -= known.size;
  }
}

/** Returns the entry of a text with wrong check digits; null for other texts. */
function mistypedParts(text: string, { reason }: RefusedEntry): MistypedEntry | null {
  if (reason !== "wrong_check_digits") return null;
  const read = readCnpjCandidate(text);
  return read.kind === "cnpj" ? { cnpj: read.cnpj, ...entryParts(read.cnpj) } : null;
}

/**
 * Returns why a number next to a CNPJ is refused. CPFs are recognized so that they can be hidden.
 */
function strayRefusal(text: string): RefusedEntry {
  return { reason: holdsCpf(text) ? "cpf" : "not_a_cnpj" };
}

/** Returns the error for a whole file. */
function unreadable(code: "unreadable_csv" | "unreadable_xlsx", error: Error): AppError {
  const { message: detail } = error;
  const pointer = error instanceof UnknownColumn ? "/query/column" : "";
  return new AppError("invalid_request", detail, { errors: [{ pointer, code, detail }] });
}

/** Reads a CSV file in chunks. Errors of the whole file are reported when it ends. */
export class CsvUpload extends Upload {
  readonly #column: CsvColumn;
  #failure: unknown = null;
  /** Ctrl-Z bytes at the end of the input so far, DOS's end-of-file mark if nothing follows. */
  #marks = 0;

  /** `column` is the header of the column or its number; by default, the first lines decide. */
  constructor(fillZeros: boolean, column: string | undefined) {
    super(fillZeros);
    this.#column = new CsvColumn(
      (text, line, takesRoots) => this.take(text, { line }, takesRoots),
      column,
    );
  }

  /** Reads a chunk. */
  add(bytes: Uint8Array): void {
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === CTRL_Z) end--;
    const before = end === 0 ? 0 : this.#marks;
    this.#marks += bytes.length - end - before;
    this.#trying(() => {
      if (before > 0) this.#column.add(Buffer.alloc(before, CTRL_Z));
      this.#column.add(bytes.subarray(0, end));
    });
  }

  /** Ends the file. Throws `invalid_request` if it cannot be read. */
  end(): this {
    this.#trying(() => this.#column.end());
    this.column = this.#column.name;
    if (this.#failure === null) return this;
    if (!(this.#failure instanceof ColumnRefusal)) throw this.#failure;
    throw unreadable("unreadable_csv", this.#failure);
  }

  #trying(read: () => void): void {
    if (this.#failure !== null) return;
    try {
      read();
    } catch (error) {
      this.#failure = error;
    }
  }
}

/** Max bytes of a packed file. */
export const XLSX_BYTES_MAX = 32 * 1024 * 1024;

const MIB = 1024 * 1024;
/** Max unpacked bytes of a small file. */
const SMALL_BYTES = 8 * MIB;
/**
 * Bounds of the queues of files. The cost of a file in a queue is the number of its unpacked bytes.
 */
const WAITING = { runningOfOwner: 1, waiting: 128, waitingOfOwner: 16, what: "Workbooks" };
const small = new FairQueue({ ...WAITING, running: 8 });
const large = new FairQueue({
  ...{ ...WAITING, running: 2 },
  ...{ cost: 16_384 * MIB, costOfOwner: 2_048 * MIB },
});

/** The same options as for `CsvUpload`, except that the letters of a column may also name it. */
interface XlsxOptions {
  readonly fillZeros: boolean;
  readonly column: string | undefined;
}

/**
 * Reads a file in its sender's turn. Throws `invalid_request` if it is unreadable, `rate_limited`
 * if too many files of the sender wait, and `overloaded` if too many wait in total.
 */
export async function readXlsx(bytes: Buffer, options: XlsxOptions, sender = ""): Promise<Upload> {
  try {
    const file = await XlsxPackage.open(bytes);
    const { unpackedBytes } = file;
    const queue = unpackedBytes <= SMALL_BYTES ? small : large;
    return await queue.run(sender, unpackedBytes, () => read(file, options));
  } catch (error) {
    const isExpected = error instanceof XlsxRefusal || error instanceof ColumnRefusal;
    throw isExpected ? unreadable("unreadable_xlsx", error) : error;
  }
}

async function read(file: XlsxPackage, { fillZeros, column }: XlsxOptions): Promise<Upload> {
  const upload = new Upload(fillZeros);
  upload.sheet = await readXlsxColumn(
    file,
    column,
    ({ row: line, name: cell, text, isDate, kind, takesRoots }) => {
      const place = { line, cell };
      if (isDate) upload.refuse(text, place, { reason: "a_date" });
      else if (kind === "formula") upload.refuse(text, place, { reason: "unsaved_formula" });
      else upload.take(text, place, takesRoots);
    },
  );
  upload.column = upload.sheet.column;
  return upload;
}
