/**
 * Whether texts of a dump are ISO-8859-1, as the registry publishes them, or UTF-8.
 * What comes in: bytes that are not ASCII. What goes out: how many of their sequences are those of
 * UTF-8, how many cannot be, and what that says of a file.
 * Invariant: a file whose letters UTF-8 cannot have is none. No other is called UTF-8 for a handful
 * of letters while others say more: its own decide where they are enough, or few and all of one
 * kind, else those of its type, else those of the month. A few broken sequences in UTF-8, and a few
 * names of ISO-8859-1 that someone typed as UTF-8, change nothing.
 */

/** Sequences of bytes that are not ASCII. */
export interface SequenceCount {
  /** Those that UTF-8 has. */
  right: number;
  /** Those that it cannot have: nearly all letters of ISO-8859-1. */
  broken: number;
}

/** How texts of a file were read, and what speaks for it. */
export interface TextEncoding extends Readonly<SequenceCount> {
  readonly utf8: boolean;
}

/** So many sequences say what a file is; fewer may all be one odd name. */
const ENOUGH = 32;
/**
 * So many do where not one is broken: a letter of ISO-8859-1 stands before another one or a blank,
 * which UTF-8 cannot have, so that several in a row that it has are no chance.
 */
const ENOUGH_UNBROKEN = 4;

/** Length of the UTF-8 sequence at `at`, whose byte is not ASCII; negative when it is broken. */
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

/** The sequences of several files together. */
export function sumSequences(counts: readonly Readonly<SequenceCount>[]): SequenceCount {
  const sum = { right: 0, broken: 0 };
  for (const { right, broken } of counts) {
    sum.right += right;
    sum.broken += broken;
  }
  return sum;
}

/** Whether a file is UTF-8 by what it holds, what its type holds, what the month holds. */
export function isUtf8(
  file: Readonly<SequenceCount>,
  type: Readonly<SequenceCount>,
  month: Readonly<SequenceCount>,
): boolean {
  if (file.broken >= file.right) return false;
  if (file.broken === 0 && file.right >= ENOUGH_UNBROKEN) return true;
  const telling = [file, type].find(({ right, broken }) => right + broken >= ENOUGH) ?? month;
  return telling.right > telling.broken;
}
