/**
 * A CSV file with columns of the registry appended. Input: the file as the client sent it, its
 * layout, and the wanted fields. Output: the same bytes in the same order, and behind each row a
 * status and the fields, in the file's own encoding and with its delimiter.
 * Invariant: titles above the header, blank lines, quotation marks, line ends and the byte-order
 * mark stay as they are; there are as many rows as before; the bytes depend on the file, the
 * snapshot, and the options alone. A row with fewer cells than the widest one gets empty cells, so
 * that the new columns are aligned. Memory does not grow with the file.
 */
import type { RowsRequest } from "../../../native-index/napi/engine.ts";
import { cellsOf, decoded } from "../../lists/csvcolumn.ts";
import { HEADINGS_EN, HEADINGS_PT } from "../../spec/fields/headings.ts";
import { type CsvBytes, CsvRecords, encoderOf, readCsvBytes } from "./csvbytes.ts";
import type { CsvLayout } from "./csvlayout.ts";
import {
  CnpjBatch,
  type EnrichmentWish,
  type EnrichmentWork,
  OUTCOMES,
  OutcomeTally,
  outcomeWords,
  statusHeading,
} from "./outcomes.ts";

/** Bytes of a file that are read in one go; it has one batch or several. */
const READ_BYTES = 1 << 20;
/** Batches that are looked up on other threads at the same time. */
const AHEAD = 3;

/** Records whose CNPJs are being looked up. */
interface Batch {
  readonly bytes: Uint8Array;
  readonly count: number;
  /** The first record, counted from the beginning of the file. */
  readonly first: number;
  readonly places: Places;
  readonly cnpjs: CnpjBatch;
  readonly found: LookedUp | Promise<LookedUp>;
}

/** Where the records of a batch lie, copied from the scanner. */
interface Places {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly nexts: Uint32Array;
  readonly cells: Uint32Array;
}

type LookedUp = ReturnType<EnrichmentWork["segment"]["native"]["lookUp"]>;

/** Headings of the new columns, the status first. */
export function newHeadings({ fields, labels }: EnrichmentWish): readonly string[] {
  const named = labels === "pt" ? HEADINGS_PT : HEADINGS_EN;
  return [
    statusHeading(labels),
    ...fields.map((field) => (labels === null ? field : named[field])),
  ];
}

/** Another source of records than the sent file. */
interface OtherSource {
  readonly pieces: AsyncIterable<CsvBytes>;
  /** Records whose CNPJ is a date, whose digits are no number. */
  readonly dates: ReadonlySet<number>;
}

/** Writes the enriched file. Returns what became of its CNPJs. */
export async function enrichCsv(
  work: EnrichmentWork,
  layout: CsvLayout,
  { pieces, dates }: OtherSource = { pieces: readCsvBytes(work.path, READ_BYTES), dates: NONE },
): Promise<OutcomeTally> {
  const writer = new CsvWriter(work, layout, dates);
  for await (const piece of pieces) await writer.add(piece);
  return writer.tally;
}

const NONE: ReadonlySet<number> = new Set();

class CsvWriter {
  readonly tally = new OutcomeTally();
  readonly #work: EnrichmentWork;
  readonly #layout: CsvLayout;
  readonly #scanner: CsvRecords;
  readonly #request: RowsRequest;
  readonly #suffixes: Suffixes;
  readonly #encode: (text: Uint8Array) => Uint8Array;
  readonly #encodeAll: ((bytes: Uint8Array) => Uint8Array) | null;
  readonly #batches: Batch[] = [];
  readonly #dates: ReadonlySet<number>;
  #records = 0;
  #isMarked = false;

  constructor(work: EnrichmentWork, layout: CsvLayout, dates: ReadonlySet<number>) {
    const { fields, labels } = work.wish;
    const { delimiter } = layout;
    this.#dates = dates;
    this.#work = work;
    this.#layout = layout;
    this.#scanner = new CsvRecords(delimiter, layout.column);
    const shape = { format: "csv", fields, extra: [], delimiter, firstNumber: 1 } as const;
    this.#request = { ...shape, labels: labels ?? undefined };
    const { own, whole } = encoderOf(layout.encoding);
    this.#encode = own;
    this.#encodeAll = whole;
    this.#suffixes = new Suffixes(work.wish, layout, own);
  }

  /** Takes a piece of the file; with the last one everything is written. */
  async add(piece: CsvBytes): Promise<void> {
    if (!this.#isMarked) this.#work.write(piece.mark);
    this.#isMarked = true;
    const { bytes, isLast, tail } = piece;
    let at = 0;
    for (;;) {
      const count = this.#scanner.scan(bytes, at, isLast);
      if (count === 0) break;
      at = this.#scanner.nexts[count - 1] as number;
      this.#batches.push(this.#begin(bytes, count));
      if (this.#batches.length >= AHEAD) await this.#end();
    }
    piece.used = at;
    if (!isLast) return;
    while (this.#batches.length > 0) await this.#end();
    this.#write(tail);
  }

  #begin(bytes: Uint8Array, count: number): Batch {
    const { starts, ends, nexts, cells } = this.#scanner;
    const { segment, spare } = this.#work;
    const cnpjs = this.#read(bytes, count);
    const { native } = segment;
    const found = spare()
      ? native.lookUpAside(cnpjs.keys, this.#request)
      : native.lookUp(cnpjs.keys, this.#request);
    // A rejection is thrown when the batch is written.
    if (found instanceof Promise) found.catch(() => {});
    const places = {
      starts: starts.slice(0, count),
      ends: ends.slice(0, count),
      nexts: nexts.slice(0, count),
      cells: cells.slice(0, count),
    };
    const first = this.#records;
    this.#records += count;
    return { bytes, count, first, places, cnpjs, found };
  }

  #read(bytes: Uint8Array, count: number): CnpjBatch {
    const { takesRoots } = this.#layout;
    const { fillZeros } = this.#work.wish;
    const { cellFrom, cellTo } = this.#scanner;
    const cnpjs = new CnpjBatch(count, { takesRoots, fillZeros });
    for (let record = 0; record < count; record++) {
      const isData = this.#records + record > this.#layout.header;
      const [from, to] = [cellFrom[record] as number, cellTo[record] as number];
      if (!isData || from === to) cnpjs.add("");
      else if (this.#dates.has(this.#records + record)) cnpjs.addDate();
      else if (!cnpjs.addPlain(bytes, from, to)) cnpjs.add(this.#cell(bytes, from, to));
    }
    return cnpjs;
  }

  #cell(bytes: Uint8Array, from: number, to: number): string {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");
    return decoded(cellsOf(text, this.#layout.delimiter)[0] ?? "");
  }

  /** Writes the oldest batch. */
  async #end(): Promise<void> {
    const { onProgress, onFound, checkCancelled } = this.#work;
    checkCancelled();
    const batch = this.#batches.shift() as Batch;
    const { rows, text } = batch.found instanceof Promise ? await batch.found : batch.found;
    batch.cnpjs.settle(rows);
    onFound(batch.cnpjs.rows);
    this.#write(this.#joined(batch, this.#encode(text)));
    const { header, rows: all } = this.#layout;
    onProgress(Math.min(all, Math.max(0, batch.first + batch.count - header - 1)), all);
  }

  #write(bytes: Uint8Array): void {
    this.#work.write(this.#encodeAll === null ? bytes : this.#encodeAll(bytes));
  }

  /** The bytes of a batch with its new cells. */
  #joined({ bytes, count, first, places, cnpjs }: Batch, rows: Uint8Array): Uint8Array {
    const { starts, ends, nexts, cells } = places;
    const { header, width } = this.#layout;
    const suffixes = this.#suffixes;
    const records = new Uint32Array(4 * count);
    for (let at = 0; at < count; at++) {
      const [start, end] = [starts[at] as number, ends[at] as number];
      const missing = Math.max(0, width - (cells[at] as number));
      let suffix = NO_SUFFIX;
      if (first + at === header) suffix = suffixes.heading;
      else if (first + at > header) {
        suffix = cnpjs.outcomes[at] as number;
        if (suffix === 0 && isBlankRecord(bytes, start, end, suffixes.delimiter)) {
          suffix = start === end ? NO_SUFFIX : suffixes.blank;
        } else this.tally.count(suffix);
      }
      records[4 * at] = start;
      records[4 * at + 1] = end;
      records[4 * at + 2] = nexts[at] as number;
      records[4 * at + 3] = suffix | (missing << 8);
    }
    const { native } = this.#work.segment;
    return native.appendToRecords(bytes, records, suffixes.bytes, suffixes.ends, rows);
  }
}

/** A record that stays as it is: `kNoSuffix` in native-index/render/rows.h. */
const NO_SUFFIX = 255;

/** True if a record has nothing but delimiters, blanks and quotation marks. */
function isBlankRecord(bytes: Uint8Array, from: number, to: number, delimiter: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte !== delimiter && byte !== 0x20 && byte !== 0x22) return false;
  }
  return true;
}

/** Cells appended to a row of each outcome, up to the fields of the account. */
class Suffixes {
  /** One after the other: of each outcome, of the header, of a blank row. */
  readonly bytes: Uint8Array;
  /** Twice the end of each, and one more if the fields of an account follow. */
  readonly ends: Uint32Array;
  readonly heading = OUTCOMES.length;
  readonly blank = OUTCOMES.length + 1;
  readonly delimiter: number;

  constructor(
    wish: EnrichmentWish,
    { delimiter }: CsvLayout,
    encode: (text: Uint8Array) => Uint8Array,
  ) {
    const empty = delimiter.repeat(wish.fields.length);
    const texts = [
      ...OUTCOMES.map((outcome) => {
        const words = delimiter + outcomeWords(outcome, wish.labels);
        return words + (hasAccount(outcome) ? delimiter : empty);
      }),
      newHeadings(wish)
        .map((heading) => delimiter + heading)
        .join(""),
      delimiter + empty,
    ].map((text) => encode(Buffer.from(text)));
    this.delimiter = delimiter.charCodeAt(0);
    this.bytes = Buffer.concat(texts);
    this.ends = new Uint32Array(texts.length);
    let end = 0;
    texts.forEach(({ length }, at) => {
      end += length;
      const outcome = OUTCOMES[at];
      this.ends[at] = 2 * end + (outcome !== undefined && hasAccount(outcome) ? 1 : 0);
    });
  }
}

function hasAccount(outcome: (typeof OUTCOMES)[number]): boolean {
  return outcome === "found" || outcome === "head_office";
}
