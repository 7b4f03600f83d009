/**
 * Splits a dump file into records. Input: the decompressed bytes of the file, in chunks of any
 * size.
 * Output: consecutive records as offsets into a reused buffer, without strings or allocations per
 * record. Doubled quotes (`""`) become single ones. NUL bytes, blank lines, and DOS's end-of-file
 * mark (Ctrl-Z) at the end are dropped.
 * Invariant: chunk boundaries do not affect the records. Every delivered record has exactly the
 * file type's number of columns. The buffered part of a record is bounded by its columns at max
 * length. A malformed record, which the registry cannot have written, is counted with its line and
 * the reason. Up to an allowed number, it is dropped: the rest of the line on which it begins is
 * skipped, and a new record begins on the next line. One more malformed record ends the file.
 */
import { CommandError } from "../errors.ts";
import { wordFor } from "../text/amounts.ts";
import type { Charset, SequenceCount } from "./registrytext.ts";

/** A row that the registry cannot have written. */
export class RowRefusal extends CommandError {
  readonly line: number;
  readonly reason: string;

  /** `place` names the file and the member in the message. */
  constructor(place: string, line: number, reason: string) {
    super(`${place}, line ${line}: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}

/** Counts dropped rows for the report. */
type CountBadRow = (line: number, reason: string) => void;

/** Counts dropped malformed rows, up to a max number. */
export class BadRows {
  #left: number;
  readonly #count: CountBadRow;

  /** By default, the first malformed row throws. */
  constructor(allowed = 0, count: CountBadRow = () => undefined) {
    this.#left = allowed;
    this.#count = count;
  }

  /** Counts a dropped row. @throws `error` if it is no RowRefusal, or if too many were dropped */
  leaveOut(error: unknown): void {
    if (!(error instanceof RowRefusal) || this.#left === 0) throw error;
    this.#left--;
    this.#count(error.line, error.reason);
  }
}

/** Max bytes of a field. The registry's longest has about 800. Longer ones mean a lost quote. */
export const FIELD_BYTES_MAX = 60_000;

const QUOTE = 34;
const SEMICOLON = 59;
const LF = 10;
const CR = 13;
const CTRL_Z = 26;

/** The current record: field `i` is `bytes[starts[i]] .. bytes[ends[i] - 1]`. */
export interface DumpRecord {
  /** Valid until the scanner's next call. */
  bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Physical line on which the record starts, from 1. */
  line: number;
  /** Encoding of text bytes; `utf8` if requested, or if the file begins with a byte order mark. */
  encoding: Charset;
  /** Counts of non-ASCII sequences in the cleaned texts. */
  readonly sequences: SequenceCount;
}

/** Splits a dump file into records. Call `push` until the input ends, then `end`. */
export class RecordScanner {
  /** The record found by the last successful `next`. */
  readonly record: DumpRecord;
  /** Number of records so far, including dropped ones. */
  count = 0;
  private readonly place: string;
  private readonly columns: number;
  private readonly bad: BadRows;
  private readonly doubled: Int32Array;
  private position = 0;
  private limit = 0;
  private line = 1;
  private started = false;
  private ended = false;
  /** Number of trailing Ctrl-Z bytes so far. They are ordinary bytes if more bytes follow. */
  private held = 0;
  /** True while the rest of a line is skipped. */
  private leaving = false;

  /**
   * `place` names the file and the member in errors. `columns` is the only valid number of columns.
   * `bad` counts how many malformed records are still allowed.
   */
  constructor(
    place: string,
    columns: number,
    { bad = new BadRows(), utf8 = false }: { readonly bad?: BadRows; readonly utf8?: boolean } = {},
  ) {
    this.place = place;
    this.columns = columns;
    this.bad = bad;
    this.doubled = new Int32Array(columns);
    this.record = {
      bytes: new Uint8Array(1 << 16),
      starts: new Int32Array(columns),
      ends: new Int32Array(columns),
      line: 1,
      encoding: utf8 ? "utf8" : "windows-1252",
      sequences: { right: 0, broken: 0 },
    };
  }

  /** Adds a chunk. Calls `onRecord` for every record that is now complete. */
  push(chunk: Uint8Array, onRecord: (record: DumpRecord) => void): void {
    this.feed(chunk);
    while (this.next()) onRecord(this.record);
  }

  /** Ends the input and delivers a last record without newline. */
  end(onRecord: (record: DumpRecord) => void): void {
    this.finish();
    while (this.next()) onRecord(this.record);
  }

  /** Adds a chunk. The caller then calls `next` until it returns false. */
  feed(chunk: Uint8Array): void {
    const { body, marks } = withoutMarks(chunk);
    const before = body.length === 0 ? 0 : this.held;
    this.held += marks - before;
    const rest = this.limit - this.position;
    const old = this.record.bytes;
    const needed = rest + before + body.length + 2;
    if (needed > old.length) {
      const size = 2 ** Math.ceil(Math.log2(needed));
      this.record.bytes = new Uint8Array(size);
      this.record.bytes.set(old.subarray(this.position, this.limit));
    } else {
      old.copyWithin(0, this.position, this.limit);
    }
    this.position = 0;
    this.record.bytes.fill(CTRL_Z, rest, rest + before);
    this.limit = rest + before;
    this.limit += appendWithoutNul(this.record.bytes, this.limit, body);
    if (!this.started && this.limit >= 3) this.sniff();
    this.record.bytes[this.limit] = QUOTE;
  }

  /** Ends the input with a newline. The caller then calls `next` until it returns false. */
  private finish(): void {
    if (!this.started) this.sniff();
    this.ended = true;
    const { bytes } = this.record;
    if (this.position < this.limit && bytes[this.limit - 1] !== LF) {
      bytes[this.limit++] = LF;
      bytes[this.limit] = QUOTE;
    }
  }

  /** Moves to the next complete record. Returns false if it needs more bytes. @throws RowRefusal */
  next(): boolean {
    if (!this.started) return false;
    for (;;) {
      if (this.leaving && !this.leaveLine()) return false;
      this.skipBlankLines();
      try {
        if (this.cut()) return true;
        if (this.ended && this.position < this.limit) this.refuse(this.line, CUT_OFF);
        return false;
      } catch (error) {
        this.bad.leaveOut(error);
        this.count++;
        this.leaving = true;
      }
    }
  }

  /** Skips the rest of the line. Returns false if its end has not arrived. */
  private leaveLine(): boolean {
    const { bytes } = this.record;
    while (this.position < this.limit && bytes[this.position] !== LF) this.position++;
    if (this.position >= this.limit) return false;
    this.leaving = false;
    this.position++;
    this.line++;
    return true;
  }

  private cut(): boolean {
    const { bytes, starts, ends } = this.record;
    const limit = this.limit;
    const columns = this.columns;
    let p = this.position;
    let column = 0;
    let newlines = 0;
    let doubledCount = 0;
    for (;;) {
      if (p >= limit) return false;
      let start = p;
      let end: number;
      if (bytes[p] === QUOTE) {
        start = ++p;
        let pairs = 0;
        for (;;) {
          let byte = bytes[p] as number;
          // A sentinel quote follows the last byte, so this loop needs no bounds check. Nearly all
          // bytes are above the quote: they cost one comparison.
          while (byte !== QUOTE) {
            if (byte === LF) newlines++;
            do byte = bytes[++p] as number;
            while (byte > QUOTE);
          }
          if (p + 1 >= limit) return this.incomplete(p - start);
          if (bytes[p + 1] !== QUOTE) break;
          pairs++;
          p += 2;
        }
        end = p++;
        if (pairs > 0) this.doubled[doubledCount++] = column;
      } else {
        while (p < limit && bytes[p] !== SEMICOLON && bytes[p] !== LF) p++;
        if (p >= limit) return this.incomplete(p - start);
        end = bytes[p] === LF && p > start && bytes[p - 1] === CR ? p - 1 : p;
      }
      if (end - start > FIELD_BYTES_MAX) this.refuseLong();
      starts[column] = start;
      ends[column] = end;
      column++;
      const byte = bytes[p];
      if (byte === SEMICOLON) {
        if (column === columns) this.refuseColumns();
        p++;
        continue;
      }
      if (byte === CR && p + 1 >= limit) return false;
      if (byte === CR && bytes[p + 1] === LF) p++;
      else if (byte !== LF) this.refuseStray(newlines);
      return this.deliver(p + 1, column, newlines + 1, doubledCount);
    }
  }

  private deliver(after: number, column: number, lines: number, doubledCount: number): true {
    if (column !== this.columns) {
      this.refuse(this.line, `${column} ${wordFor(column, "column")} where ${this.columns} belong`);
    }
    for (let i = 0; i < doubledCount; i++) this.undouble(this.doubled[i] as number);
    this.record.line = this.line;
    this.line += lines;
    this.position = after;
    this.count++;
    return true;
  }

  /** Replaces doubled quotes in place, because the record is consumed and never rescanned. */
  private undouble(column: number): void {
    const { bytes, starts, ends } = this.record;
    const end = ends[column] as number;
    let write = starts[column] as number;
    for (let read = write; read < end; read++) {
      bytes[write++] = bytes[read] as number;
      if (bytes[read] === QUOTE) read++;
    }
    ends[column] = write;
  }

  private skipBlankLines(): void {
    const { bytes } = this.record;
    for (;;) {
      const p = this.position;
      const isCrLf = bytes[p] === CR && p + 1 < this.limit && bytes[p + 1] === LF;
      if (p >= this.limit || (bytes[p] !== LF && !isCrLf)) return;
      this.position += isCrLf ? 2 : 1;
      this.line++;
    }
  }

  private incomplete(fieldBytes: number): false {
    if (fieldBytes > FIELD_BYTES_MAX) this.refuseLong();
    return false;
  }

  private sniff(): void {
    const { bytes } = this.record;
    this.started = true;
    const mark = ((bytes[0] as number) << 8) | (bytes[1] as number);
    if (this.limit >= 2 && (mark === 0xfeff || mark === 0xfffe)) {
      throw new CommandError(`${this.place}, line 1: ${UTF16}`);
    }
    if (this.limit >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
      this.record.encoding = "utf8";
      this.position = 3;
    }
  }

  private refuseLong(): never {
    const limit = FIELD_BYTES_MAX.toLocaleString("en-US");
    this.refuse(this.line, `a field of more than ${limit} bytes; a closing quote is missing`);
  }

  private refuseColumns(): never {
    const { columns } = this;
    this.refuse(this.line, `at least ${columns + 1} columns where ${columns} belong`);
  }

  /**
   * Refuses a stray quote. If a closing quote is lost, the field continues into later lines.
   * Therefore the error names the line on which the row begins.
   */
  private refuseStray(newlines: number): never {
    const newlineHint = newlines === 0 ? "" : ` (${STRAY_LINE} ${this.line + newlines})`;
    this.refuse(this.line, `${STRAY_QUOTE}${newlineHint}`);
  }

  private refuse(line: number, reason: string): never {
    throw new RowRefusal(this.place, line, reason);
  }
}

const STRAY_QUOTE =
  "text follows a closing quote; inside a field a quote must be doubled. The file is damaged";
const STRAY_LINE = "the row begins here, the text is on line";
const CUT_OFF = "the file ends inside a quoted field; it was cut off or a quote is missing";
const UTF16 =
  "the file is UTF-16; the registry publishes ISO-8859-1. Convert it with iconv, then import again";

/** Removes end-of-file marks (Ctrl-Z, NUL) from the end. `marks` counts the Ctrl-Z bytes. */
function withoutMarks(chunk: Uint8Array): { readonly body: Uint8Array; readonly marks: number } {
  let end = chunk.length;
  let marks = 0;
  for (; end > 0 && (chunk[end - 1] === CTRL_Z || chunk[end - 1] === 0); end--) {
    if (chunk[end - 1] === CTRL_Z) marks++;
  }
  return { body: chunk.subarray(0, end), marks };
}

/** Copies a chunk without its NUL bytes. Returns the number of bytes written. */
function appendWithoutNul(target: Uint8Array, at: number, chunk: Uint8Array): number {
  const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (view.indexOf(0) < 0) {
    target.set(chunk, at);
    return chunk.length;
  }
  let write = at;
  let from = 0;
  while (from < view.length) {
    const found = view.indexOf(0, from);
    const to = found < 0 ? view.length : found;
    view.copy(target, write, from, to);
    write += to - from;
    from = to + 1;
  }
  return write - at;
}
