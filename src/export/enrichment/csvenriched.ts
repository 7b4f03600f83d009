/**
 * Appends columns of the registry to a CSV file. Input: the uploaded file, its layout, and the
 * requested fields. Output: the same bytes in the same order, with a status and the fields after
 * each row, in the file's own encoding and with its delimiter.
 * Invariant: titles above the header, blank lines, quotes, line ends, the byte order mark, and the
 * number of rows stay unchanged. The bytes depend only on the file, the snapshot, and the options.
 * A row with fewer cells than the widest one gets empty cells, to align the new columns. Memory
 * grows by 4 bytes per record, up to 2,000,000 records.
 */
import { availableParallelism } from "node:os";
import {
  type EnrichedBatch,
  type EnrichRequest,
  type NativeEnrichment,
  openEnrichment,
} from "../../../native-index/napi/engine.ts";
import { cellsOf, decoded } from "../../lists/csvcolumn.ts";
import type { SeenNumber } from "../../lists/xlsx/sheet.ts";
import { HEADINGS_PT } from "../../spec/fields/headings.ts";
import { HEADINGS_EN } from "../../spec/fields/headings-en.ts";
import {
  type CsvBytes,
  CsvRecords,
  encoderOf,
  RECORDS_MAX,
  readCsvBytes,
  windowsCharacters,
} from "./csvbytes.ts";
import type { CsvLayout } from "./csvlayout.ts";
import { type KnownRows, UNKNOWN_ROW } from "./knownrows.ts";
import {
  CnpjBatch,
  type EnrichmentOptions,
  type EnrichmentWork,
  OUTCOMES,
  OutcomeTally,
  outcomeWords,
  statusHeading,
} from "./outcomes.ts";

/** Bytes of a CNPJ. */
const CNPJ_LENGTH = 14;
/** Bytes read from the file in one call. They contain one batch of records or several. */
const READ_BYTES = 1 << 21;
/** Bytes that are written in one call: few enough to stay in the processor's cache. */
const WRITE_BYTES = 1 << 18;
/** Max threads that work on batches. All files share these threads of Node. */
const THREADS_MAX = 4;
/** Max batches in memory: one that this thread scans, and one for each other processor. */
const AHEAD = Math.min(Math.max(availableParallelism(), 2), THREADS_MAX + 1);

/** Records that are being enriched. */
interface Batch {
  /** Number of rows up to the end of the batch, without the header. */
  readonly rows: number;
  readonly made: EnrichedBatch | Promise<EnrichedBatch>;
}

/** Returns the headings of the new columns, the status first. */
export function newHeadings({ fields, labels }: EnrichmentOptions): readonly string[] {
  const named = labels === "pt" ? HEADINGS_PT : HEADINGS_EN;
  return [
    statusHeading(labels),
    ...fields.map((field) => (labels === null ? field : named[field])),
  ];
}

/** Where the records come from. Without `pieces`, they are read from the uploaded file. */
interface RecordSource {
  readonly pieces?: AsyncIterable<CsvBytes>;
  /** Cells of a sheet to read instead of the text of their records, by record number. */
  readonly cells?: ReadonlyMap<number, SeenNumber>;
  /** Snapshot rows of the file's plain CNPJs, if they were looked up before. */
  readonly known?: KnownRows;
}

/** Writes the enriched file. Returns the outcomes of its CNPJs. */
export async function enrichCsv(
  work: EnrichmentWork,
  layout: CsvLayout,
  source: RecordSource = {},
): Promise<OutcomeTally> {
  const writer = new CsvWriter(work, layout, source);
  const request = { readBytes: READ_BYTES, bytes: layout.bytes };
  const pieces = source.pieces ?? readCsvBytes(work.path, request);
  for await (const piece of pieces) await writer.add(piece);
  return writer.tally;
}

class CsvWriter {
  readonly tally = new OutcomeTally();
  readonly #work: EnrichmentWork;
  readonly #layout: CsvLayout;
  readonly #scanner: CsvRecords;
  readonly #enrichment: NativeEnrichment;
  readonly #suffixes: Suffixes;
  readonly #encodeAll: ((bytes: Uint8Array) => Uint8Array) | null;
  readonly #batches: Batch[] = [];
  readonly #source: RecordSource;
  readonly #known = new Uint32Array(RECORDS_MAX);
  #room = Buffer.allocUnsafeSlow(WRITE_BYTES);
  #records = 0;
  #isMarked = false;

  constructor(work: EnrichmentWork, layout: CsvLayout, source: RecordSource) {
    const { fields, labels } = work.options;
    const { delimiter } = layout;
    this.#source = source;
    this.#work = work;
    this.#layout = layout;
    const shape = { format: "csv", fields, extra: [], delimiter, firstNumber: 1 } as const;
    const { own, whole } = encoderOf(layout.encoding);
    this.#encodeAll = whole;
    this.#suffixes = new Suffixes(work.options, layout, own);
    const { heading, blank, request } = this.#suffixes;
    this.#enrichment = openEnrichment(request, { ...shape, labels: labels ?? undefined });
    this.#scanner = new CsvRecords({ ...layout, heading, blank, found: OUTCOMES.indexOf("found") });
  }

  /** Adds a chunk of the file. After the last chunk, all output is written. */
  async add(piece: CsvBytes): Promise<void> {
    if (!this.#isMarked) this.#work.write(piece.mark);
    this.#isMarked = true;
    const { bytes, isLast, tail } = piece;
    let at = 0;
    for (;;) {
      const count = this.#scanner.scan(bytes, at, isLast);
      if (count === 0) break;
      this.#batches.push(this.#begin(bytes, count));
      at = this.#scanner.next;
      if (this.#batches.length >= AHEAD) await this.#end();
    }
    piece.used = at;
    if (!isLast) return;
    while (this.#batches.length > 0) await this.#end();
    this.#write(tail);
  }

  #begin(bytes: Uint8Array, count: number): Batch {
    const { segment, spare } = this.#work;
    const { native } = segment;
    const { records, cnpjs } = this.#scanner;
    const known = this.#known.subarray(0, this.#source.known === undefined ? 0 : count);
    this.#source.known?.read(this.#records, known);
    this.#readOdd(bytes, known, count);
    const sent = {
      ...{ bytes, known, records: records.subarray(0, 4 * count) },
      cnpjs: cnpjs.subarray(0, CNPJ_LENGTH * count),
    };
    const made = spare()
      ? native.enrichAsync(this.#enrichment, sent)
      : native.enrich(this.#enrichment, sent);
    // If the batch is rejected, the error is thrown when the batch is written.
    if (made instanceof Promise) made.catch(() => {});
    this.#records += count;
    return { rows: Math.max(0, this.#records - this.#layout.header - 1), made };
  }

  /** Parses cells without a plain CNPJ, and selects the cells to append to their records. */
  #readOdd(bytes: Uint8Array, known: Uint32Array, count: number): void {
    const { takesRoots } = this.#layout;
    const { fillZeros } = this.#work.options;
    const { records, cnpjs } = this.#scanner;
    const { blank, delimiter } = this.#suffixes;
    const odd = this.#oddCells(count);
    const read = new CnpjBatch(odd.length, { takesRoots, fillZeros });
    for (const { record, from, to } of odd) {
      const cell = this.#source.cells?.get(this.#records + record);
      if (cell !== undefined) read.addCell(cell);
      else read.add(this.#cell(bytes, from, to));
    }
    for (const [at, { record }] of odd.entries()) {
      const key = read.key(at);
      if (key !== null) cnpjs.set(key, CNPJ_LENGTH * record);
      if (known.length > 0) known[record] = UNKNOWN_ROW;
      const [start, end] = [records[4 * record] as number, records[4 * record + 1] as number];
      const outcome = read.outcomes[at] as number;
      const isBlank = outcome === 0 && isBlankRecord(bytes, start, end, delimiter);
      const missing = (records[4 * record + 3] as number) >>> 8;
      records[4 * record + 3] = (isBlank ? blank : outcome) | (missing << 8);
    }
  }

  /** Returns the cells that the scan left, and empty ones for which a cell of a sheet is read. */
  #oddCells(count: number): ReturnType<CsvRecords["oddCells"]> {
    const odd = this.#scanner.oddCells();
    const { cells } = this.#source;
    if (cells === undefined || cells.size === 0) return odd;
    const left = new Set(odd.map(({ record }) => record));
    for (let record = 0; record < count; record++) {
      const isRead = cells.has(this.#records + record) && !left.has(record);
      if (isRead) odd.push({ record, from: 0, to: 0 });
    }
    return odd;
  }

  #cell(bytes: Uint8Array, from: number, to: number): string {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");
    return decoded(cellsOf(text, this.#layout.delimiter)[0] ?? "");
  }

  /** Writes the oldest batch. */
  async #end(): Promise<void> {
    const { onProgress, onFound, checkCancelled } = this.#work;
    checkCancelled();
    const { rows, made } = this.#batches.shift() as Batch;
    const enriched = made instanceof Promise ? await made : made;
    OUTCOMES.forEach((_, code) => {
      this.tally.count(code, enriched.counts[code] as number);
    });
    onFound(enriched.rows);
    this.#writeBatch(enriched);
    // The layout does not count blank rows at the end of the file.
    onProgress(Math.min(rows, this.#layout.rows), this.#layout.rows);
  }

  #writeBatch(batch: EnrichedBatch): void {
    const { longest } = batch;
    if (longest > this.#room.length) this.#room = Buffer.allocUnsafeSlow(longest);
    for (;;) {
      const length = batch.write(this.#room);
      if (length === 0) return;
      this.#write(this.#room.subarray(0, length));
    }
  }

  #write(bytes: Uint8Array): void {
    this.#work.write(this.#encodeAll === null ? bytes : this.#encodeAll(bytes));
  }
}

/** True if a record has only delimiters, blanks, and quotes. */
function isBlankRecord(bytes: Uint8Array, from: number, to: number, delimiter: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte !== delimiter && byte !== 0x20 && byte !== 0x22) return false;
  }
  return true;
}

/** Cells to append to a row for each outcome, before the account's fields. */
class Suffixes {
  /** All suffixes: one for each outcome, then those of the header and of a blank row. */
  readonly request: EnrichRequest;
  readonly heading = OUTCOMES.length;
  readonly blank = OUTCOMES.length + 1;
  readonly delimiter: number;

  constructor(
    options: EnrichmentOptions,
    { delimiter, encoding }: CsvLayout,
    encode: (text: Uint8Array) => Uint8Array,
  ) {
    const empty = delimiter.repeat(options.fields.length);
    const texts = [
      ...OUTCOMES.map((outcome) => {
        const words = delimiter + outcomeWords(outcome, options.labels);
        return words + (hasAccount(outcome) ? delimiter : empty);
      }),
      newHeadings(options)
        .map((heading) => delimiter + heading)
        .join(""),
      delimiter + empty,
    ].map((text) => encode(Buffer.from(text)));
    this.delimiter = delimiter.charCodeAt(0);
    const suffixEnds = new Uint32Array(texts.length);
    let end = 0;
    texts.forEach(({ length }, at) => {
      end += length;
      const outcome = OUTCOMES[at];
      suffixEnds[at] = 2 * end + (outcome !== undefined && hasAccount(outcome) ? 1 : 0);
    });
    this.request = {
      ...{ suffixes: Buffer.concat(texts), suffixEnds },
      windows: encoding === "windows-1252" ? windowsCharacters() : new Uint8Array(0),
      absent: OUTCOMES.indexOf("not_in_snapshot"),
      wrongDigits: OUTCOMES.indexOf("wrong_check_digits"),
    };
  }
}

function hasAccount(outcome: (typeof OUTCOMES)[number]): boolean {
  return outcome === "found" || outcome === "head_office";
}
