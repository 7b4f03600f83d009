/**
 * Writes the CNPJ columns of an establishment: root, branch, check digits.
 * Invariant: the check digits are right unless the quirk requires otherwise. They are computed from
 * the written bytes, independently of src/dump/cnpj.ts, which computes them from numbers.
 */
import { BRANCHES, writeBase36 } from "../cnpj.ts";
import type { EstablishmentQuirk } from "./quirks.ts";
import type { RowBytes } from "./zip/bytes.ts";

/** Weights for the second check digit. The weights of the first digit are shifted by one. */
const WEIGHTS = Int32Array.of(6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2);
/** Length of the root and a separator, which precede the branch. */
const BRANCH_AT = 11;
const LETTER_A = 65;

/** Writes the 8 characters of a company's root, a number in base 36. */
export function writeRoot(row: RowBytes, root: number): void {
  const high = Math.floor(root / BRANCHES) | 0;
  writeBase36(row.bytes, row.length, high);
  writeBase36(row.bytes, row.length + 4, (root - high * BRANCHES) | 0);
  row.length += 8;
}

/** Writes the 14 characters of a head office. */
export function writeCnpj(row: RowBytes, root: number): void {
  const start = row.length;
  writeRoot(row, root);
  row.digits(1, 4);
  row.digits(checkDigits(row.bytes, start, start + 8), 2);
}

/** Writes the three columns. `branch` 0 is the head office. */
export function writeCnpjColumns(
  row: RowBytes,
  root: number,
  branch: number,
  quirk: EstablishmentQuirk | null,
): void {
  const start = row.length;
  writeRoot(row, root);
  row.next();
  row.digits(branch + 1, 4);
  // An alphanumeric branch starts with a letter.
  if (quirk === "branch_alphanumeric") row.bytes[start + BRANCH_AT] = LETTER_A;
  const check = checkDigits(row.bytes, start, start + BRANCH_AT);
  row.next();
  row.digits(quirk === "check_digits_wrong" ? (check + 1) % 100 : check, 2);
}

/** Computes the check digits of a written root and branch. */
function checkDigits(bytes: Uint8Array, root: number, branch: number): number {
  let first = 0;
  let second = 0;
  for (let i = 0; i < 12; i++) {
    const value = (bytes[i < 8 ? root + i : branch + i - 8] as number) - 48;
    first += value * (WEIGHTS[i + 1] as number);
    second += value * (WEIGHTS[i] as number);
  }
  const one = closing(first);
  return one * 10 + closing(second + one * 2);
}

function closing(sum: number): number {
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}
