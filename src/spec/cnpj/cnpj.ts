/**
 * Reads a CNPJ as people write it: punctuated or not, in any case.
 * Invariant: numeric and alphanumeric CNPJs are read in the same way. Nothing is guessed: a text
 * with a missing zero or an unexpected character is not a CNPJ. Wrong check digits are allowed,
 * because some in the registry are wrong. Source of the check digits: IN RFB 2.229/2024 (value of a
 * character = ASCII code - 48).
 */

export interface Cnpj {
  /** 12 digits or capital letters, followed by 2 digits. */
  readonly cnpj: string;
  /** True if the last two digits are the check digits of the first twelve characters. */
  readonly checked: boolean;
}

/** The two spellings of a CNPJ: without punctuation and with all of it. */
const SPELLINGS = [
  /^([0-9A-Z]{8})([0-9A-Z]{4})([0-9]{2})$/i,
  /^([0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3})\/([0-9A-Z]{4})-([0-9]{2})$/i,
];

/** Spellings of a root, the first 8 characters, which identify the company. */
const ROOT_SPELLINGS = [/^[0-9A-Z]{8}$/i, /^[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}$/i];

/**
 * Weights of the characters for the second check digit. The first check digit uses all of them
 * except the first weight.
 */
const WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
const BASE_LENGTH = 12;

/** Reads a CNPJ; returns null for other text. */
export function readCnpj(text: string): Cnpj | null {
  const match = SPELLINGS.map((spelling) => spelling.exec(text)).find((found) => found !== null);
  if (!match) return null;
  const cnpj = match.slice(1).join("").replaceAll(".", "").toUpperCase();
  return { cnpj, checked: cnpj.endsWith(cnpjCheckDigits(cnpj)) };
}

/**
 * Fast test for the usual text in a long list: true for 14 digits with a branch number other than
 * 0000 and correct check digits. Agrees with `readCnpj` but takes a third of the time.
 */
export function isPlainCnpj(text: string): boolean {
  return /^[0-9]{8}(?!0000)[0-9]{6}$/.test(text) && text.endsWith(cnpjCheckDigits(text));
}

/** True for 14 characters as the registry stores a CNPJ, even with wrong check digits. */
export function isStoredCnpj(text: string): boolean {
  return /^[0-9A-Z]{12}[0-9]{2}$/.test(text);
}

/** Reads the root of a CNPJ. Returns its 8 characters in upper case, or null for other text. */
export function readRoot(text: string): string | null {
  if (!ROOT_SPELLINGS.some((spelling) => spelling.test(text))) return null;
  return text.replaceAll(".", "").toUpperCase();
}

/**
 * Returns the two check digits for the first 12 characters of a CNPJ. Both are computed modulo 11,
 * and the first one is part of the input for the second.
 */
export function cnpjCheckDigits(base: string): string {
  let [first, second] = [0, 0];
  for (let at = 0; at < BASE_LENGTH; at++) {
    const value = base.charCodeAt(at) - 48;
    first += value * (WEIGHTS[at + 1] as number);
    second += value * (WEIGHTS[at] as number);
  }
  const one = checkDigit(first);
  return `${one}${checkDigit(second + one * (WEIGHTS[BASE_LENGTH] as number))}`;
}

function checkDigit(sum: number): number {
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}
