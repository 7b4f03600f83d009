/**
 * The reference implementation of `native-index/scan/texts.cc`, in plain TypeScript.
 * Input: text columns of a record in Windows-1252 (or declared UTF-8).
 * Output: clean UTF-8 bytes, appended to a sink.
 * Invariant: the output is valid UTF-8 without control characters, direction marks, and surrounding
 * or doubled white space. No output means null. Control characters count as white space, and so do
 * the CSI sequences that they begin, which control terminals.
 */
import type { DumpRecord } from "../../../src/dump/records.ts";
import {
  BYTE_KINDS,
  countSequences,
  endOfControl,
  isControlSequence,
  KIND_OF_BYTE,
  type TextSink,
  UTF8_OF_BYTE,
  utf8Sequence,
} from "../../../src/dump/registrytext.ts";
import { ABSENT, oddCode } from "../../../src/dump/rules.ts";
import { EMAIL_BYTES_MAX, isEmail } from "../../../src/spec/contacts/emails.ts";

const SPACE = 32;
const EMAIL_INVALID = oddCode("email_invalid");

/** Empties a sink and its counts. */
export function clearTexts(sink: TextSink): void {
  sink.length = 0;
  sink.windows = 0;
  sink.controls = 0;
}

/** Ensures that the sink has room for `count` more bytes, and returns its bytes. */
function reserve(sink: TextSink, count: number): Uint8Array {
  if (sink.length + count > sink.bytes.length) {
    const longer = new Uint8Array(Math.max(sink.bytes.length * 2, sink.length + count));
    longer.set(sink.bytes.subarray(0, sink.length));
    sink.bytes = longer;
  }
  return sink.bytes;
}

/** Appends the cleaned text and returns its number of bytes, where 0 means null. */
export function cleanText(record: DumpRecord, column: number, sink: TextSink): number {
  const start = record.starts[column] as number;
  const end = record.ends[column] as number;
  if (start === end) return 0;
  const source = record.bytes;
  countSequences(source, start, end, record.sequences);
  if (record.encoding === "utf8") return cleanUtf8(record, column, sink);
  const target = reserve(sink, 3 * (end - start));
  let write = sink.length;
  let gap = false;
  let kinds = 0;
  for (let p = start; p < end; p++) {
    const byte = source[p] as number;
    const kind = KIND_OF_BYTE[byte] as number;
    kinds |= 1 << kind;
    if (kind === BYTE_KINDS.space || kind === BYTE_KINDS.control) {
      p = endOfControl(source, p, 1, end) - 1;
      gap = true;
      continue;
    }
    if (gap && write > sink.length) target[write++] = SPACE;
    gap = false;
    if (byte < 0x80) target[write++] = byte;
    else for (const one of UTF8_OF_BYTE[byte - 0x80] as Uint8Array) target[write++] = one;
  }
  if (kinds & (1 << BYTE_KINDS.windows)) sink.windows++;
  if (kinds & (1 << BYTE_KINDS.control)) sink.controls++;
  const length = write - sink.length;
  sink.length = write;
  return length;
}

/** Like `cleanText`, for UTF-8. An invalid sequence becomes U+FFFD. */
function cleanUtf8(record: DumpRecord, column: number, sink: TextSink): number {
  const source = record.bytes;
  const end = record.ends[column] as number;
  const start = record.starts[column] as number;
  const target = reserve(sink, 3 * (end - start));
  let write = sink.length;
  let gap = false;
  let hasControl = false;
  let next: number;
  for (let p = start; p < end; p = next) {
    const byte = source[p] as number;
    const length = byte < 0x80 ? 1 : utf8Sequence(source, p, end);
    next = p + Math.abs(length);
    const isWideBlank = length === 2 && byte === 0xc2 && source[p + 1] === 0xa0;
    const isControl =
      byte < 0x80
        ? KIND_OF_BYTE[byte] === BYTE_KINDS.control
        : length > 0 && isControlSequence(source, p);
    if (isControl) {
      hasControl = true;
      next = endOfControl(source, p, length, end);
    }
    if (isControl || isWideBlank || (byte < 0x80 && KIND_OF_BYTE[byte] === BYTE_KINDS.space)) {
      gap = true;
      continue;
    }
    if (gap && write > sink.length) target[write++] = SPACE;
    gap = false;
    const [from, at, to] = length > 0 ? [source, p, next] : [REPLACEMENT, 0, 3];
    for (let i = at; i < to; i++) target[write++] = from[i] as number;
  }
  if (hasControl) sink.controls++;
  const length = write - sink.length;
  sink.length = write;
  return length;
}

/** U+FFFD. */
const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);

/**
 * Appends an e-mail address in lower case and returns its length. Appends nothing and returns
 * ABSENT if the field is blank, or an odd code if it does not look like `local@domain.tld`.
 */
export function cleanEmail(record: DumpRecord, column: number, sink: TextSink): number {
  const { bytes } = record;
  let start = record.starts[column] as number;
  let end = record.ends[column] as number;
  while (start < end && isBlankByte(bytes[start] as number)) start++;
  while (start < end && isBlankByte(bytes[end - 1] as number)) end--;
  if (start === end) return ABSENT;
  if (end - start > EMAIL_BYTES_MAX) return EMAIL_INVALID;
  const target = reserve(sink, end - start);
  let write = sink.length;
  let at = -1;
  for (let p = start; p < end; p++) {
    const byte = bytes[p] as number;
    if (byte === 64) {
      if (at >= 0) return EMAIL_INVALID;
      at = write;
    }
    target[write++] = byte >= 65 && byte <= 90 ? byte | 32 : byte;
  }
  if (at < 0 || !isEmail(target, sink.length, at, write)) return EMAIL_INVALID;
  const length = write - sink.length;
  sink.length = write;
  return length;
}

function isBlankByte(byte: number): boolean {
  return byte <= SPACE || byte === 0xa0;
}
