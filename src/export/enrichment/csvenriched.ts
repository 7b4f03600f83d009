/**
 * A CSV file with columns of the registry appended. Input: the file as the client sent it, its
 * layout, and the wanted fields. Output: the same bytes in the same order, and behind each row a
 * status and the fields, in the file's own encoding and with its delimiter.
 * Invariant: titles above the header, blank lines, quotation marks, line ends and the byte-order
 * mark stay as they are; there are as many rows as before; the bytes depend on the file, the
 * snapshot, and the wish alone. A row with fewer cells than the widest one gets empty cells, so
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

/** Writes the enriched file. Returns what became of its CNPJs. */
export async function enrichCsv(work: EnrichmentWork, layout: CsvLayout): Promise<OutcomeTally> {
  const writer = new CsvWriter(work, layout);
  for await (const piece of readCsvBytes(work.path, READ_BYTES)) await writer.add(piece);
  return writer.tally;
}

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
  #records = 0;
  #isMarked = false;

  constructor(work: EnrichmentWork, layout: CsvLayout) {
    const { fields, labels } = work.wish;
    const { delimiter } = layout;
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
    // A rejection is thrown where the batch has its turn.
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
    onProgress(Math.max(0, batch.first + batch.count - this.#layout.header - 1), this.#layout.rows);
  }

  #write(bytes: Uint8Array): void {
    this.#work.write(this.#encodeAll === null ? bytes : this.#encodeAll(bytes));
  }

  /** The bytes of a batch with its new cells. */
  #joined({ bytes, count, first, places, cnpjs }: Batch, text: Uint8Array): Uint8Array {
    const { starts, ends, nexts, cells } = places;
    const { header, width } = this.#layout;
    const suffixes = this.#suffixes;
    const size = (nexts[count - 1] as number) - (starts[0] as number) + text.length;
    const out = new Joined(size + count * (suffixes.most + width) + suffixes.heading.length);
    const rendered = new RenderedRows(text);
    for (let at = 0; at < count; at++) {
      const [start, end, next] = [starts[at] as number, ends[at] as number, nexts[at] as number];
      out.copy(bytes, start, end);
      const missing = Math.max(0, width - (cells[at] as number));
      if (first + at === header) {
        out.fill(suffixes.delimiter, missing);
        out.copy(suffixes.heading, 0, suffixes.heading.length);
      } else if (first + at > header) {
        const outcome = cnpjs.outcomes[at] as number;
        const isBlank = outcome === 0 && isBlankRecord(bytes, start, end, suffixes.delimiter);
        if (end > start || outcome !== 0) {
          out.fill(suffixes.delimiter, missing);
          const suffix = isBlank ? suffixes.blank : (suffixes.of[outcome] as Uint8Array);
          out.copy(suffix, 0, suffix.length);
          if (suffixes.hasRow(outcome)) out.copy(text, rendered.next(), rendered.end);
          if (!isBlank) this.tally.count(outcome);
        }
      }
      out.copy(bytes, end, next);
    }
    return out.taken();
  }
}

/** True if a record has nothing but delimiters, blanks and quotation marks. */
function isBlankRecord(bytes: Uint8Array, from: number, to: number, delimiter: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte !== delimiter && byte !== 0x20 && byte !== 0x22) return false;
  }
  return true;
}

/** What stands behind a row of each outcome, up to the fields of the account. */
class Suffixes {
  readonly of: readonly Uint8Array[];
  readonly blank: Uint8Array;
  readonly heading: Uint8Array;
  /** Bytes of the longest one. */
  readonly most: number;
  readonly delimiter: number;

  constructor(
    wish: EnrichmentWish,
    { delimiter }: CsvLayout,
    encode: (text: Uint8Array) => Uint8Array,
  ) {
    const encoded = (text: string) => encode(Buffer.from(text));
    const empty = delimiter.repeat(wish.fields.length);
    this.delimiter = delimiter.charCodeAt(0);
    this.of = OUTCOMES.map((outcome, at) => {
      const words = delimiter + outcomeWords(outcome, wish.labels);
      return encoded(words + (this.hasRow(at) ? delimiter : empty));
    });
    this.blank = encoded(delimiter + empty);
    this.heading = encoded(
      newHeadings(wish)
        .map((heading) => delimiter + heading)
        .join(""),
    );
    this.most = Math.max(this.blank.length, ...this.of.map(({ length }) => length));
  }

  /** True if the fields of an account follow. */
  hasRow(outcome: number): boolean {
    const name = OUTCOMES[outcome];
    return name === "found" || name === "head_office";
  }
}

/** Bytes that are put together. */
class Joined {
  readonly #bytes: Buffer;
  #length = 0;

  constructor(most: number) {
    this.#bytes = Buffer.allocUnsafeSlow(most);
  }

  copy(from: Uint8Array, start: number, end: number): void {
    const bytes = this.#bytes;
    // A short copy is faster byte by byte than by a call.
    if (end - start < 24) {
      let to = this.#length;
      for (let at = start; at < end; at++) bytes[to++] = from[at] as number;
    } else bytes.set(from.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  fill(byte: number, count: number): void {
    for (let i = 0; i < count; i++) this.#bytes[this.#length++] = byte;
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** Rendered rows one after the other, without their ends of line. */
class RenderedRows {
  readonly #text: Uint8Array;
  /** Where the row that was asked for last ends. */
  end = -2;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  /** Where the next row begins. */
  next(): number {
    const text = this.#text;
    const start = this.end + 2;
    let quoted = false;
    let at = start;
    for (; at < text.length; at++) {
      const byte = text[at] as number;
      if (byte === QUOTE) quoted = !quoted;
      else if (byte === CR && !quoted && text[at + 1] === LF) break;
    }
    this.end = at;
    return start;
  }
}
