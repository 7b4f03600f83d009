/**
 * What a client sends for a list. Input: texts, a CSV file chunk by chunk, or an XLSX file. Output:
 * the entries they are, and the lines that were not understood.
 * Invariant: every piece of a text is counted once: as an entry or as refused; of the refused the
 * first ones are reported, all are counted; more entries than a list may have are refused as soon
 * as they come. Senders of workbooks take turns by the bytes that their files unpack to; files that
 * are read at the same time are few, so that tables of texts do not add up; a file that cannot be
 * read is refused in words, whatever its bytes.
 * Why two queues: a small workbook never waits until a large one has ended, whichever client sent
 * it. Both are then read a chunk at a time, in turns.
 */
import { AppError } from "../errors.ts";
import { FairQueue } from "../scheduling/fairqueue.ts";
import { piecesOf } from "../spec/cnpj/cnpjpieces.ts";
import { readCnpjPiece } from "../spec/cnpj/cnpjspelling.ts";
import { hideCpf, holdsCpf } from "../spec/cnpj/cpf.ts";
import { ColumnRefusal, toldText } from "./column.ts";
import { CsvColumn } from "./csvcolumn.ts";
import {
  EntryBuffer,
  type EntryParts,
  entryParts,
  isCompany,
  REFUSED_TOLD,
  type RefusedEntry,
  readEntry,
} from "./entries.ts";
import { XlsxPackage, XlsxRefusal } from "./xlsx/package.ts";
import { type ReadSheet, readXlsxColumn } from "./xlsx/xlsxcolumn.ts";

/** Entries of one list, whatever the plan. */
const LIST_ENTRIES_MAX = 2_000_000;
/** CNPJs with wrong check digits that somebody may know all the same; the registry has few. */
const MISTYPED_MAX = 1_000;

const CTRL_Z = 0x1a;

/** A line that was not understood; lines, rows and elements are counted from 1. */
interface RefusedLine extends RefusedEntry {
  readonly line: number;
  /** Of a spreadsheet: B7. */
  readonly cell?: string;
  readonly text: string;
}

/** An entry with the CNPJ as it was sent. */
type MistypedEntry = EntryParts & { readonly cnpj: string };

/** Where a text stands; of a spreadsheet with the name of its cell. */
type Place = Pick<RefusedLine, "line" | "cell">;

/** Gathers what is sent. */
export class Upload {
  readonly #fillZeros: boolean;
  readonly #entries = new EntryBuffer();
  #refused: RefusedLine[] = [];
  /** Those of them with nothing wrong but the check digits, and what they say. */
  readonly #mistyped = new Map<RefusedLine, MistypedEntry>();
  refusedCount = 0;
  /** Which sheet of a workbook it is; null of all else. */
  sheet: ReadSheet | null = null;
  /** Which column it is: its header, or how it is called without one; null where there is none. */
  column: string | null = null;

  /** With `fillZeros` zeros in front that a number has lost are put back. */
  constructor(fillZeros: boolean) {
    this.#fillZeros = fillZeros;
  }

  /** The first ones of those that were refused. */
  get refused(): readonly RefusedLine[] {
    return this.#refused.slice(0, REFUSED_TOLD);
  }

  /** Texts that were sent. */
  get read(): number {
    return this.#entries.count + this.refusedCount;
  }

  /** Entries in the order in which they came, repeats included; or their companies; in blocks. */
  entries(companies: boolean): readonly Uint8Array[] {
    return this.#entries.blocks(companies);
  }

  /**
   * Takes what one text holds; false where nothing is written in it. `takesRoots` says whether
   * eight characters are a company where this text stands. Throws `invalid_request` where there are
   * too many.
   */
  take(text: string, place: Place, takesRoots = true): boolean {
    const pieces = piecesOf(text);
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

  /** Refuses one text. */
  refuse(text: string, place: Place, why: RefusedEntry): void {
    this.refusedCount++;
    const mistyped = this.#mistyped.size < MISTYPED_MAX ? mistypedParts(text, why) : null;
    const certain = this.#refused.length - this.#mistyped.size;
    if (mistyped === null && certain >= REFUSED_TOLD) return;
    const line = { ...place, text: toldText(why.reason === "cpf" ? hideCpf(text) : text), ...why };
    this.#refused.push(line);
    if (mistyped !== null) this.#mistyped.set(line, mistyped);
  }

  /**
   * Takes what was refused for its check digits alone, where an account has just this CNPJ: the
   * registry has some with wrong ones, and so has a file of what it holds. To look for one may take
   * the disk: `turn` is awaited before each.
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

/** What a text says whose check digits are wrong; null of any other. */
function mistypedParts(text: string, { reason }: RefusedEntry): MistypedEntry | null {
  if (reason !== "wrong_check_digits") return null;
  const read = readCnpjPiece(text);
  return read.kind === "cnpj" ? { cnpj: read.cnpj, ...entryParts(read.cnpj) } : null;
}

/** Why a number beside a CNPJ is none. A CPF is named, so that it is not shown. */
function strayRefusal(text: string): RefusedEntry {
  return { reason: holdsCpf(text) ? "cpf" : "not_a_cnpj" };
}

/** The refusal of a file as a whole. */
function unreadable(code: "unreadable_csv" | "unreadable_xlsx", detail: string): AppError {
  return new AppError("invalid_request", detail, { errors: [{ pointer: "", code, detail }] });
}

/** Reads a CSV file piece by piece; what is wrong with the file as a whole is told at its end. */
export class CsvUpload extends Upload {
  readonly #column: CsvColumn;
  #failure: unknown = null;
  /** Ctrl-Z bytes at the end of what came: DOS's mark of the end of a file, if nothing follows. */
  #marks = 0;

  /** `column` is the header of the column, or its number; found where not given. */
  constructor(fillZeros: boolean, column: string | undefined) {
    super(fillZeros);
    this.#column = new CsvColumn(
      (text, line, takesRoots) => this.take(text, { line }, takesRoots),
      column,
    );
  }

  /** Takes a piece. */
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

  /** There is no more. Throws `invalid_request` where the file cannot be read. */
  end(): this {
    this.#trying(() => this.#column.end());
    this.column = this.#column.name;
    if (this.#failure === null) return this;
    if (!(this.#failure instanceof ColumnRefusal)) throw this.#failure;
    throw unreadable("unreadable_csv", this.#failure.message);
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

/** Bytes of a file, packed as it is. */
export const XLSX_BYTES_MAX = 32 * 1024 * 1024;

const MIB = 1024 * 1024;
/** A file that unpacks to no more is small. */
const SMALL_BYTES = 8 * MIB;
/** What waits: files, and bytes that they unpack to. */
const WAITING = { runningOfOwner: 1, waiting: 128, waitingOfOwner: 16, what: "Workbooks" };
const small = new FairQueue({ ...WAITING, running: 8 });
const large = new FairQueue({
  ...{ ...WAITING, running: 2 },
  ...{ cost: 16_384 * MIB, costOfOwner: 2_048 * MIB },
});

/** How a file is read: as `CsvUpload` takes it; the column may be named by its letters as well. */
interface XlsxWishes {
  readonly fillZeros: boolean;
  readonly column: string | undefined;
}

/**
 * Reads a file when it is its sender's turn. Throws `invalid_request` if it cannot be read,
 * `rate_limited` if too many files of the sender wait, and `overloaded` if too many of all do.
 */
export async function readXlsx(bytes: Buffer, wishes: XlsxWishes, sender = ""): Promise<Upload> {
  try {
    const file = await XlsxPackage.open(bytes);
    const { unpackedBytes } = file;
    const queue = unpackedBytes <= SMALL_BYTES ? small : large;
    return await queue.run(sender, unpackedBytes, () => read(file, wishes));
  } catch (error) {
    const told = error instanceof XlsxRefusal || error instanceof ColumnRefusal;
    throw told ? unreadable("unreadable_xlsx", error.message) : error;
  }
}

async function read(file: XlsxPackage, { fillZeros, column }: XlsxWishes): Promise<Upload> {
  const upload = new Upload(fillZeros);
  upload.sheet = await readXlsxColumn(
    file,
    column,
    ({ row: line, name: cell, text, isDate, takesRoots }) => {
      if (isDate) upload.refuse(text, { line, cell }, { reason: "a_date" });
      else upload.take(text, { line, cell }, takesRoots);
    },
  );
  upload.column = upload.sheet.column;
  return upload;
}
