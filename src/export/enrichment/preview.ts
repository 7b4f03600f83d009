/**
 * A preview of an enrichment. Input: a file, a snapshot, and the fields. Output: how the file was
 * parsed, the outcomes of all its CNPJs, the rows with a refused CNPJ, and the first rows with
 * their accounts' fields.
 * Invariant: layout, outcomes, and descriptions equal those of the enrichment (csvenriched.ts). No
 * refused text repeats a CPF. The work yields to the event loop after each chunk, and look-ups run
 * on another thread. Memory does not grow with the file.
 */
import { NO_ROW } from "../../../native-index/napi/engine.ts";
import { decodeText } from "../../dump/registrytext.ts";
import { lettersOf, reportText } from "../../lists/column.ts";
import { cellsOf } from "../../lists/csvcolumn.ts";
import type { SeenNumber } from "../../lists/xlsx/sheet.ts";
import type { SheetReason } from "../../lists/xlsx/workbook.ts";
import type { Segment } from "../../search/segment.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import { type CsvEncoding, CsvRecords } from "./csvbytes.ts";
import { openRecords, type SheetFormat } from "./enrichment.ts";
import {
  CnpjBatch,
  type CnpjOutcome,
  type EnrichmentOptions,
  type OutcomeCounts,
  OutcomeTally,
  outcomeWords,
  statusOf,
} from "./outcomes.ts";

const ROWS_SHOWN = 20;
const [COLUMNS_SHOWN, CELL_SHOWN] = [50, 200];
/** Refused rows that are named. */
const REFUSED_SHOWN = 100;

/** A file to preview; labels are for people. */
interface PreviewWork {
  readonly segment: Segment;
  readonly path: string;
  readonly options: EnrichmentOptions & { readonly labels: LabelLanguage };
}

interface RefusedRow {
  /** Counted from 1, as spreadsheets do. */
  readonly row: number;
  /** Without CPFs. */
  readonly text: string;
  readonly reason: string;
  /** If zeros were lost: the CNPJ with its zeros. */
  readonly offered?: string;
}

/** A row with the account of its CNPJ. */
interface FilledRow {
  readonly row: number;
  readonly cells: readonly string[];
  readonly outcome: CnpjOutcome;
  readonly status: string;
  /** Values by field, with words for codes, or null if there is no account. */
  readonly account: Readonly<Record<string, unknown>> | null;
}

/** A previewed file. */
interface EnrichmentPreview {
  readonly format: SheetFormat;
  /** Encoding of a CSV file; null for XLSX. */
  readonly encoding: CsvEncoding | null;
  readonly delimiter: string | null;
  readonly sheet: string | null;
  /** Why this sheet was chosen, and numbers of visible and of hidden sheets that are not read. */
  readonly sheet_reason: SheetReason | null;
  readonly other_sheets: number;
  readonly hidden_sheets: number;
  /** Headings of the columns, or their letters. */
  readonly columns: readonly string[];
  /** Columns of the widest row. */
  readonly width: number;
  /** The column of CNPJs, counted from 0. */
  readonly column: number;
  /** Row of the header, counted from 1, or null if there is none. */
  readonly header: number | null;
  readonly rows: number;
  /** Outcomes that occur. */
  readonly outcomes: OutcomeCounts;
  readonly refused: readonly RefusedRow[];
  readonly first: readonly FilledRow[];
}

/** Previews a file. Throws as `readLayout`. */
export async function previewEnrichment(work: PreviewWork): Promise<EnrichmentPreview> {
  const { path, options } = work;
  const { format, source, layout, pieces, cells } = await openRecords(path, options);
  const preview = new Preview(work, layout, cells);
  const scanner = new CsvRecords({ delimiter: layout.delimiter, column: layout.column });
  for await (const piece of pieces) {
    let at = 0;
    for (;;) {
      const count = scanner.scan(piece.bytes, at, piece.isLast);
      if (count === 0) break;
      await preview.add(piece.bytes, scanner, count);
      at = scanner.next;
    }
    piece.used = at;
  }
  const isCsv = format === "csv";
  return {
    ...{ format, rows: layout.rows, width: layout.width, column: layout.column },
    ...{ sheet: source.sheet, sheet_reason: source.reason },
    ...{ other_sheets: source.others, hidden_sheets: source.hidden },
    encoding: isCsv ? layout.encoding : null,
    delimiter: isCsv ? layout.delimiter : null,
    header: layout.header < 0 ? null : layout.header + 1,
    ...preview.end(),
  };
}

type Layout = Awaited<ReturnType<typeof openRecords>>["layout"];

/** A row whose account is not known yet. */
type ShownRow = Pick<FilledRow, "row" | "cells"> & { readonly cnpj: SeenNumber };

class Preview {
  readonly #work: PreviewWork;
  readonly #layout: Layout;
  /** Cells to read instead of the text of their records, by record number. */
  readonly #replaced: ReadonlyMap<number, SeenNumber>;
  readonly #tally = new OutcomeTally();
  readonly #refused: RefusedRow[] = [];
  readonly #shown: ShownRow[] = [];
  #header: readonly string[] = [];
  #records = 0;

  constructor(work: PreviewWork, layout: Layout, replaced: ReadonlyMap<number, SeenNumber>) {
    this.#work = work;
    this.#layout = layout;
    this.#replaced = replaced;
  }

  /** Adds the `count` records that the scanner found in `bytes`. */
  async add(bytes: Uint8Array, scanner: CsvRecords, count: number): Promise<void> {
    const { header } = this.#layout;
    const batch = this.#batch(count);
    const offered = new Map<number, string>();
    const places: number[] = [];
    const odd = new Map(scanner.oddCells().map((cell) => [cell.record, cell]));
    const textOf = (at: number) => {
      const cell = odd.get(at);
      return cell === undefined ? scanner.digits(at) : this.#cell({ bytes, ...cell });
    };
    for (let at = 0; at < count; at++) {
      const record = this.#records + at;
      const [from, to] = scanner.bounds(at);
      const whole = { bytes, from, to };
      if (record === header) this.#header = this.#cells(whole);
      const replaced = this.#replaced.get(record);
      if (record <= header || (replaced === undefined && this.#isBlank(whole))) continue;
      const cnpj = replaced ?? { text: textOf(at), isDate: false };
      const filled = batch.addCell(cnpj);
      if (filled !== undefined) offered.set(places.length, filled);
      if (this.#shown.length < ROWS_SHOWN) this.#show(record, whole, cnpj);
      places.push(at);
    }
    const { rows } = await this.#work.segment.native.lookUpAsync(batch.keys, null);
    batch.settle(rows);
    places.forEach((at, place) => {
      this.#tally.count(batch.outcomes[place] as number);
      const text = () => this.#replaced.get(this.#records + at)?.text ?? textOf(at);
      this.#refuse(batch.outcome(place), this.#records + at + 1, text, offered.get(place));
    });
    this.#records += count;
  }

  /** Ends the file. */
  end(): Pick<EnrichmentPreview, "columns" | "outcomes" | "refused" | "first"> {
    const columns = Array.from({ length: Math.min(this.#layout.width, COLUMNS_SHOWN) }, (_, at) => {
      return this.#header[at]?.trim() || lettersOf(at);
    });
    return {
      columns,
      outcomes: this.#tally.counts(),
      refused: this.#refused,
      first: this.#filled(),
    };
  }

  #batch(count: number): CnpjBatch {
    const { takesRoots } = this.#layout;
    return new CnpjBatch(count, { takesRoots, fillZeros: this.#work.options.fillZeros });
  }

  #show(record: number, whole: Bytes, cnpj: SeenNumber): void {
    const cells = this.#cells(whole).map((text) => text.slice(0, CELL_SHOWN));
    this.#shown.push({ row: record + 1, cells: cells.slice(0, COLUMNS_SHOWN), cnpj });
  }

  #refuse(outcome: CnpjOutcome, row: number, text: () => string, offered?: string): void {
    if (outcome === "blank" || this.#refused.length >= REFUSED_SHOWN) return;
    const { reason } = statusOf(outcome);
    if (reason === null) return;
    const suggestion = offered === undefined ? {} : { offered };
    this.#refused.push({ row, text: reportText(text()), reason, ...suggestion });
  }

  /** Returns the first rows with the values of their accounts. */
  #filled(): FilledRow[] {
    const { segment, options } = this.#work;
    const batch = this.#batch(this.#shown.length);
    for (const { cnpj } of this.#shown) batch.addCell(cnpj);
    const shape = { format: "jsonl", extra: [], delimiter: ",", firstNumber: 1 } as const;
    const request = { ...shape, fields: options.fields, labels: options.labels };
    const { rows, text } = segment.native.lookUp(batch.keys, request);
    batch.settle(rows);
    const lines = Buffer.from(text).toString().split("\n");
    let line = 0;
    return this.#shown.map(({ row, cells }, at) => {
      const outcome = batch.outcome(at);
      const hasAccount = batch.rows[at] !== NO_ROW;
      const account = hasAccount ? (JSON.parse(lines[line++] as string) as AccountValues) : null;
      return { row, cells, outcome, status: outcomeWords(outcome, options.labels), account };
    });
  }

  #isBlank({ bytes, from = 0, to = 0 }: Bytes): boolean {
    const delimiter = this.#layout.delimiter.charCodeAt(0);
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte !== delimiter && byte !== 0x20 && byte !== 0x22) return false;
    }
    return true;
  }

  #cells(whole: Bytes): string[] {
    return cellsOf(this.#text(whole), this.#layout.delimiter);
  }

  #cell(cell: Bytes): string {
    return cellsOf(this.#text(cell), this.#layout.delimiter)[0] ?? "";
  }

  #text({ bytes, from = 0, to = 0 }: Bytes): string {
    const part = bytes.subarray(from, to);
    if (this.#layout.encoding === "windows-1252") return decodeText(part, "windows-1252");
    return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("utf8");
  }
}

type AccountValues = Readonly<Record<string, unknown>>;

/** Where a text lies. */
interface Bytes {
  readonly bytes: Uint8Array;
  readonly from: number | undefined;
  readonly to: number | undefined;
}
