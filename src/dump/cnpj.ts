/**
 * Converts CNPJs. Input: the CNPJ columns of a record, or 14 characters. Output: the CNPJ as two
 * numbers (root in base 36; branch and check digits), its check digits, or the 14 characters.
 * Invariant: letters are upper case. Comparing (root, rest) as numbers equals comparing CNPJs in
 * ASCII order, because base-36 digits and ASCII order agree on 0-9 and A-Z. A root has the same
 * partition in every file of an import and in the addon (scan/row_scan.h).
 * Source of the check digits: IN RFB 2.229/2024 (value of a character = ASCII code - 48).
 */
import type { DumpRecord } from "./records.ts";
import { oddCode } from "./rules.ts";
import { CNAE_DIGITS_MIN } from "./values.ts";

/** Number of possible branches: 36^4. */
export const BRANCHES = 1_679_616;

const INVALID = oddCode("cnpj_invalid");
const WEIGHTS_1 = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
const WEIGHTS_2 = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3];

/** Returns the base-36 digit of a byte, in either case, or -1 for any other byte. */
function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const upper = byte & ~32;
  return upper >= 65 && upper <= 90 ? upper - 55 : -1;
}

function base36(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let p = start; p < end; p++) {
    const digit = digitOf(bytes[p] as number);
    if (digit < 0) return -1;
    value = value * 36 + digit;
  }
  return value;
}

/** Widths of the three parts of a CNPJ, in characters. */
export const CNPJ_WIDTHS = { root: 8, branch: 4, check: 2 } as const;

/** True if the field is shorter than its part: it lost zeros, or is invalid. */
export function isShortPart(record: DumpRecord, column: number, width: number): boolean {
  return (record.ends[column] as number) - (record.starts[column] as number) < width;
}

/**
 * Returns the value of a CNPJ part that lost leading zeros, or -1 for other fields. All characters
 * must be digits, because a part with letters is always text and loses no zeros.
 */
function shortPart(record: DumpRecord, column: number, width: number): number {
  const start = record.starts[column] as number;
  const end = record.ends[column] as number;
  if (start === end || end - start >= width) return -1;
  let value = 0;
  for (let p = start; p < end; p++) {
    const digit = (record.bytes[p] as number) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 36 + digit;
  }
  return value;
}

/**
 * Parses a root of 8 characters, or of up to 7 digits that lost leading zeros, as a number below
 * 36^8. For any other value, returns the code of a broken rule.
 */
export function cleanRoot(record: DumpRecord, column: number): number {
  const start = record.starts[column] as number;
  const end = record.ends[column] as number;
  if (end - start !== CNPJ_WIDTHS.root) {
    const short = shortPart(record, column, CNPJ_WIDTHS.root);
    return short < 0 ? INVALID : short;
  }
  const high = base36(record.bytes, start, start + 4);
  const low = base36(record.bytes, start + 4, end);
  return high < 0 || low < 0 ? INVALID : high * BRANCHES + low;
}

/**
 * Parses a branch (`ordem`) of 4 characters, or of up to 3 digits, as a number below 36^4. For any
 * other value, returns the code of a broken rule.
 */
export function cleanBranch(record: DumpRecord, column: number): number {
  const start = record.starts[column] as number;
  const end = record.ends[column] as number;
  const value =
    end - start === CNPJ_WIDTHS.branch
      ? base36(record.bytes, start, end)
      : shortPart(record, column, CNPJ_WIDTHS.branch);
  return value < 0 ? INVALID : value;
}

/**
 * Parses two check digits, or one that lost its leading 0, as a number from 0 to 99. For any other
 * value, returns the code of a broken rule.
 */
export function cleanCheckDigits(record: DumpRecord, column: number): number {
  const short = shortPart(record, column, CNPJ_WIDTHS.check);
  if (short >= 0) return short;
  const start = record.starts[column] as number;
  const tens = (record.bytes[start] as number) - 48;
  const units = (record.bytes[start + 1] as number) - 48;
  const isPair = record.ends[column] === start + 2;
  if (!isPair || tens < 0 || tens > 9 || units < 0 || units > 9) return INVALID;
  return tens * 10 + units;
}

/** Returns the low half of a CNPJ's key: branch and check digits as one number below 2^28. */
export function restOf(branch: number, checkDigits: number): number {
  return branch * 100 + checkDigits;
}

/** Computes the check digits (0 to 99) for a root and a branch in base 36. */
export function checkDigits(root: number, branch: number): number {
  let first = 0;
  let second = 0;
  let rest = branch;
  for (let i = 11; i >= 0; i--) {
    if (i === 7) rest = root % BRANCHES;
    else if (i === 3) rest = Math.floor(root / BRANCHES);
    const digit = rest % 36;
    rest = (rest / 36) | 0;
    const value = digit < 10 ? digit : digit + 7;
    first += value * (WEIGHTS_1[i] as number);
    second += value * (WEIGHTS_2[i] as number);
  }
  const one = closing(first);
  return one * 10 + closing(second + one * 2);
}

/**
 * Computes the check digits (0 to 99) for the root and branch columns, which must be letters and
 * digits. Reads the bytes directly, because this runs on every row.
 */
export function checkDigitsOf(record: DumpRecord, rootColumn: number, column: number): number {
  const { bytes, starts } = record;
  let first = 0;
  let second = 0;
  let p = starts[rootColumn] as number;
  for (let i = 0; i < 12; i++) {
    if (i === 8) p = (starts[column] as number) - 8;
    const byte = bytes[p + i] as number;
    const value = (byte >= 97 ? byte & ~32 : byte) - 48;
    first += value * (WEIGHTS_1[i] as number);
    second += value * (WEIGHTS_2[i] as number);
  }
  const one = closing(first);
  return one * 10 + closing(second + one * 2);
}

function closing(sum: number): number {
  const remainder = sum % 11;
  return remainder < 2 ? 0 : 11 - remainder;
}

/** Writes the 14 characters of a CNPJ key at `at`. */
export function writeCnpj(target: Uint8Array, at: number, root: number, rest: number): void {
  writeBase36(target, at + 4, root % BRANCHES);
  writeBase36(target, at, Math.floor(root / BRANCHES));
  writeBase36(target, at + 8, Math.floor(rest / 100));
  const check = rest % 100;
  target[at + 12] = 48 + ((check / 10) | 0);
  target[at + 13] = 48 + (check % 10);
}

/** Writes a number below 36^4 as four characters. */
export function writeBase36(target: Uint8Array, at: number, value: number): void {
  let rest = value;
  for (let i = 3; i >= 0; i--) {
    const digit = rest % 36;
    rest = (rest / 36) | 0;
    target[at + i] = digit < 10 ? digit + 48 : digit + 55;
  }
}

/** Secondary activities of one row. Reused from row to row. */
interface CnaeList {
  /** The first `count` entries are valid. Grows if a row holds more. */
  codes: Uint32Array;
  count: number;
  /** Number of parts between commas that have neither seven nor six digits. */
  odd: number;
  /** Number of duplicates that were dropped. */
  padded: number;
  /** Dropped repeats. */
  repeated: number;
}

/** Creates a list for `cleanCnaes`. The registry's longest row holds 97 codes. */
export function newCnaeList(): CnaeList {
  return { codes: new Uint32Array(128), count: 0, odd: 0, padded: 0, repeated: 0 };
}

/** Parses comma-separated activities into `list`, without blanks and duplicates. */
export function cleanCnaes(record: DumpRecord, column: number, list: CnaeList): void {
  const { bytes } = record;
  const end = record.ends[column] as number;
  list.count = 0;
  list.odd = 0;
  list.padded = 0;
  let value = 0;
  let digits = 0;
  let isOdd = false;
  for (let p = record.starts[column] as number; p <= end; p++) {
    const byte = p < end ? (bytes[p] as number) : 44;
    if (byte >= 48 && byte <= 57) {
      value = value * 10 + byte - 48;
      digits++;
    } else if (byte === 44) {
      if ((digits === 7 || digits === CNAE_DIGITS_MIN) && !isOdd) {
        addCode(list, value);
        if (digits < 7) list.padded++;
      } else if (digits > 0 || isOdd) list.odd++;
      value = 0;
      digits = 0;
      isOdd = false;
    } else if (byte > 32) isOdd = true;
  }
  dropRepeated(list);
}

/** Removes duplicate codes. Uses a set, because a hostile list may have thousands. */
function dropRepeated(list: CnaeList): void {
  const { codes, count } = list;
  const seen = new Set<number>();
  list.count = 0;
  for (let i = 0; i < count; i++) {
    const code = codes[i] as number;
    if (seen.has(code)) continue;
    seen.add(code);
    codes[list.count++] = code;
  }
  list.repeated = count - list.count;
}

function addCode(list: CnaeList, code: number): void {
  if (list.count === list.codes.length) {
    const longer = new Uint32Array(list.codes.length * 2);
    longer.set(list.codes);
    list.codes = longer;
  }
  list.codes[list.count++] = code;
}

/** Returns the partition of a root, which is the same for all rows of a company. */
export function partitionOf(root: number, partitions: number): number {
  const high = Math.floor(root / BRANCHES);
  const low = root % BRANCHES;
  let hash = Math.imul(high ^ Math.imul(low, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % partitions;
}

/** Parses the base-36 digits in `bytes[start..end)`, which must be 0-9 and A-Z. */
export function readBase36(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let p = start; p < end; p++) {
    const byte = bytes[p] as number;
    value = value * 36 + (byte < 58 ? byte - 48 : byte - 55);
  }
  return value;
}
