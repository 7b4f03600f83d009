/**
 * The only decoder of the registry's texts, the buffer for cleaned texts, and the detection of a
 * file's encoding: ISO-8859-1, as published, or UTF-8. Input: bytes of a registry file, or of a
 * user's table. Output: strings, the kind of each byte or character in a clean text, counts of
 * valid and broken UTF-8 sequences, and the encoding that these counts imply.
 * Invariant: ISO-8859-1 is read as Windows-1252, which agrees on every printable byte and has
 * quotes and dashes in place of control characters. No other file of `src/dump` or `src/ingest`
 * decodes bytes (unit/house/tidy-text.test.ts). The tables equal those of texts.cc. Bytes of a
 * buffer after its `length` are meaningless.
 * A file with mostly broken sequences is not UTF-8. A file's own sequences determine its encoding
 * if there are many, or if there are a few and none is broken. Otherwise, the sequences of all
 * files of its type decide, or else those of the month. So a few broken sequences in UTF-8, or a
 * few UTF-8 names in ISO-8859-1, do not change the result.
 */
import { isUtf8 as isUtf8Text } from "node:buffer";

/** Charset of a file. */
export type Charset = "windows-1252" | "utf8";

/** Characters of the bytes 0x80 to 0x9F. The five that Windows-1252 leaves undefined are blanks. */
const WINDOWS =
  "\u20ac \u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152 \u017d " +
  " \u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153 \u017e\u0178";

/** Kinds of bytes of Windows-1252 in a text. */
export const BYTE_KINDS = { plain: 0, space: 1, control: 2, windows: 3 } as const;

/** Kind of every byte of a file in Windows-1252. */
export const KIND_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 32 || byte === 0xa0 || byte === 9 || byte === 10 || byte === 13) return 1;
  if (byte < 32 || byte === 0x7f) return BYTE_KINDS.control;
  if (byte < 0x80 || byte >= 0xa0) return BYTE_KINDS.plain;
  return WINDOWS[byte - 0x80] === " " ? BYTE_KINDS.control : BYTE_KINDS.windows;
});

/** UTF-8 form of every non-ASCII byte of Windows-1252. The index is the byte minus 0x80. */
export const UTF8_OF_BYTE: readonly Uint8Array[] = Array.from({ length: 128 }, (_, at) =>
  Buffer.from(at < 32 ? (WINDOWS[at] as string) : String.fromCharCode(at + 0x80)),
);

/**
 * True if a valid multi-byte UTF-8 sequence is a control, a line or paragraph separator, or a
 * direction mark, which `printable` also blanks. Direction marks would reverse a name on a page,
 * and no registry name needs one.
 */
export function isControlSequence(bytes: Uint8Array, at: number): boolean {
  const [lead, second, third] = [bytes[at], bytes[at + 1] as number, bytes[at + 2] as number];
  if (lead === 0xc2) return second < 0xa0;
  if (lead === 0xd8) return second === 0x9c;
  if (lead !== 0xe2) return false;
  if (second === 0x81) return third >= 0xa6 && third <= 0xa9;
  if (second !== 0x80) return false;
  return third === 0x8e || third === 0x8f || (third >= 0xa8 && third <= 0xae);
}

/** ESC, the first byte of terminal escape sequences. */
const ESCAPE = 0x1b;

/**
 * Returns the end of the blank or control character at `at`, which has `length` bytes. For ESC [,
 * this is the end of the whole CSI sequence (ECMA-48, 5.4): parameters, intermediates, and final
 * byte. Blanking only ESC would leave "[31m" in a name. U+009B begins no sequence here, because
 * doubly encoded names have it in place of a quote.
 */
export function endOfControl(bytes: Uint8Array, at: number, length: number, end: number): number {
  const after = at + length;
  if (bytes[at] !== ESCAPE || after === end || bytes[after] !== 0x5b) return after;
  let p = after + 1;
  while (p < end && isBetween(bytes[p] as number, 0x30, 0x3f)) p++;
  while (p < end && isBetween(bytes[p] as number, 0x20, 0x2f)) p++;
  return p < end && isBetween(bytes[p] as number, 0x40, 0x7e) ? p + 1 : after;
}

function isBetween(byte: number, first: number, last: number): boolean {
  return byte >= first && byte <= last;
}

/**
 * Decodes bytes of a registry file. Controls, and the five bytes that Windows-1252 leaves
 * undefined, stay: the caller blanks, refuses, or shows them.
 */
export function decodeText(bytes: Uint8Array, charset: Charset): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (charset === "utf8") return buffer.toString("utf8");
  return buffer.toString("latin1").replace(/[\x80-\x9f]/g, (one) => {
    const character = WINDOWS[one.charCodeAt(0) - 0x80] as string;
    return character === " " ? one : character;
  });
}

/** Decodes a user's table: UTF-8, with or without byte order mark, else Windows-1252. */
export function decodeTable(bytes: Uint8Array): string {
  return decodeText(bytes, isUtf8Text(bytes) ? "utf8" : "windows-1252").replace(/^\ufeff/, "");
}

/** A growing byte buffer for texts. */
export interface TextSink {
  bytes: Uint8Array;
  length: number;
  /** Number of texts so far with a Windows-1252 character that ISO-8859-1 lacks. */
  windows: number;
  /** Number of texts so far in which a control or direction mark was blanked. */
  controls: number;
}

/** An empty sink. */
export function newTextSink(capacity = 1 << 16): TextSink {
  return { bytes: new Uint8Array(capacity), length: 0, windows: 0, controls: 0 };
}

/** Counts of byte sequences that are not ASCII. */
export interface SequenceCount {
  /** Valid ones. */
  right: number;
  /** Number of broken sequences: nearly all are letters of ISO-8859-1. */
  broken: number;
}

/** Encoding of a file, and the counts that it was derived from. */
export interface TextEncoding extends Readonly<SequenceCount> {
  readonly utf8: boolean;
}

/** Min number of sequences to decide; fewer may all come from one unusual name. */
const ENOUGH = 32;
/**
 * Min number of valid sequences to decide if none is broken. In ISO-8859-1, such bytes usually
 * precede a letter or a blank, which is broken UTF-8, so several valid sequences are no accident.
 */
const ENOUGH_UNBROKEN = 4;

/** Returns the length of the UTF-8 sequence at `at` (a non-ASCII byte). Negative if broken. */
export function utf8Sequence(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at] as number;
  if (lead < 0xc2 || lead > 0xf4) return -1;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  let low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  let high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  for (let i = 1; i < length; i++) {
    const byte = at + i < end ? (bytes[at + i] as number) : 0;
    if (byte < low || byte > high) return -i;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}

/** Adds the sequences of some bytes to a count. */
export function countSequences(
  bytes: Uint8Array,
  start: number,
  end: number,
  count: SequenceCount,
): void {
  for (let p = start; p < end; ) {
    if ((bytes[p] as number) < 0x80) {
      p++;
      continue;
    }
    const length = utf8Sequence(bytes, p, end);
    if (length > 0) count.right++;
    else count.broken++;
    p += Math.abs(length);
  }
}

/** Adds up the sequences of several files. */
export function sumSequences(counts: readonly Readonly<SequenceCount>[]): SequenceCount {
  const sum = { right: 0, broken: 0 };
  for (const { right, broken } of counts) {
    sum.right += right;
    sum.broken += broken;
  }
  return sum;
}

/** True if a file is UTF-8, judged by the sequences of the file, of its type, and of the month. */
export function isUtf8(
  file: Readonly<SequenceCount>,
  type: Readonly<SequenceCount>,
  month: Readonly<SequenceCount>,
): boolean {
  if (file.broken >= file.right) return false;
  if (file.broken === 0 && file.right >= ENOUGH_UNBROKEN) return true;
  const decisive = [file, type].find(({ right, broken }) => right + broken >= ENOUGH) ?? month;
  return decisive.right > decisive.broken;
}
