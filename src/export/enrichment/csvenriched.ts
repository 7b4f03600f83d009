/**
 * A CSV file with columns of the registry appended. Input: the file as the client sent it, its
 * layout, and the wanted fields. Output: the same bytes in the same order, and behind each row a
 * status and the fields, in the file's own encoding and with its delimiter.
 * Invariant: titles above the header, blank lines, quotation marks, line ends and the byte-order
 * mark stay as they are; there are as many rows as before; the bytes depend on the file, the
 * snapshot, and the wish alone. A row with fewer cells than the widest one gets empty cells, so
 * that the new columns are aligned. Memory does not grow with the file.
 */
import type { Enriched, EnrichRequest, RowsRequest } from "../../../native-index/napi/engine.ts";
import { cellsOf, decoded } from "../../lists/csvcolumn.ts";
import { HEADINGS_EN, HEADINGS_PT } from "../../spec/fields/headings.ts";
import {
  type CsvBytes,
  CsvRecords,
  encoderOf,
  readCsvBytes,
  windowsCharacters,
} from "./csvbytes.ts";
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

/** Records that are being enriched. */
interface Batch {
  /** Rows of the file up to the end of the batch, without the header. */
  readonly rows: number;
  readonly made: Enriched | Promise<Enriched>;
}

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
  readonly #cells: RowsRequest;
  readonly #suffixes: Suffixes;
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
    this.#cells = { ...shape, labels: labels ?? undefined };
    const { own, whole } = encoderOf(layout.encoding);
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
    const { segment, spare } = this.#work;
    const { native } = segment;
    const { starts, nexts } = this.#scanner;
    const cnpjs = this.#read(bytes, count);
    const from = starts[0] as number;
    const request: EnrichRequest = {
      ...this.#suffixes.request,
      bytes: bytes.subarray(from, nexts[count - 1]),
      records: this.#recordsOf(bytes, count, cnpjs),
      cnpjs: cnpjs.keys,
    };
    const made = spare()
      ? native.enrichAside(request, this.#cells)
      : native.enrich(request, this.#cells);
    // A rejection is thrown where the batch has its turn.
    if (made instanceof Promise) made.catch(() => {});
    this.#records += count;
    return { rows: Math.max(0, this.#records - this.#layout.header - 1), made };
  }

  /** Where the records lie, and what is appended to each; see `EnrichRequest`. */
  #recordsOf(bytes: Uint8Array, count: number, { outcomes }: CnpjBatch): Uint32Array {
    const { starts, ends, nexts, cells } = this.#scanner;
    const { header, width } = this.#layout;
    const suffixes = this.#suffixes;
    const from = starts[0] as number;
    const records = new Uint32Array(4 * count);
    for (let at = 0; at < count; at++) {
      const [start, end] = [starts[at] as number, ends[at] as number];
      const missing = Math.max(0, width - (cells[at] as number));
      const record = this.#records + at;
      let suffix = NO_SUFFIX;
      if (record === header) suffix = suffixes.heading;
      else if (record > header) {
        suffix = outcomes[at] as number;
        if (suffix === 0 && isBlankRecord(bytes, start, end, suffixes.delimiter)) {
          suffix = start === end ? NO_SUFFIX : suffixes.blank;
        }
      }
      records[4 * at] = start - from;
      records[4 * at + 1] = end - from;
      records[4 * at + 2] = (nexts[at] as number) - from;
      records[4 * at + 3] = suffix | (missing << 8);
    }
    return records;
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
    const { rows, made } = this.#batches.shift() as Batch;
    const enriched = made instanceof Promise ? await made : made;
    OUTCOMES.forEach((_, code) => {
      this.tally.count(code, enriched.counts[code] as number);
    });
    onFound(enriched.rows);
    this.#write(enriched.text);
    onProgress(rows, this.#layout.rows);
  }

  #write(bytes: Uint8Array): void {
    this.#work.write(this.#encodeAll === null ? bytes : this.#encodeAll(bytes));
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

/** What stands behind a row of each outcome, up to the fields of the account. */
class Suffixes {
  /** The suffixes, one after the other: of each outcome, of the header, of a blank row. */
  readonly request: Omit<EnrichRequest, "bytes" | "records" | "cnpjs">;
  readonly heading = OUTCOMES.length;
  readonly blank = OUTCOMES.length + 1;
  readonly delimiter: number;

  constructor(
    wish: EnrichmentWish,
    { delimiter, encoding }: CsvLayout,
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
