/**
 * Reads a CNPJ as people write it: punctuated or not, in any case.
 * Invariant: numeric and alphanumeric CNPJs are read in the same way. Nothing is guessed: a text
 * with a missing zero or an unexpected character is not a CNPJ. Wrong check digits are allowed,
 * because some in the registry are wrong. Source of the check digits: IN RFB 2.229/2024 (value of a
 * character = ASCII code - 48).
 */

export interface Cnpj {
  /** 12 digits or capital letters, then 2 digits. */
  readonly cnpj: string;
  /** True if the last two digits are the check digits of the first twelve characters. */
  readonly checked: boolean;
}

/** With all punctuation or none. */
const SPELLINGS = [
  /^([0-9A-Z]{8})([0-9A-Z]{4})([0-9]{2})$/i,
  /^([0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3})\/([0-9A-Z]{4})-([0-9]{2})$/i,
];

/**
 * Spellings of a root: the first 8 characters, which identify the company, with or without points.
 */
const ROOT_SPELLINGS = [/^[0-9A-Z]{8}$/i, /^[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}$/i];

/** Weights of the second check digit; the first one uses all of them except the first. */
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
 * True for 14 digits with a branch and right check digits, as in most texts of a long list. Agrees
 * with `readCnpj`, but takes a third of the time.
 */
export function isPlainCnpj(text: string): boolean {
  return /^[0-9]{8}(?!0000)[0-9]{6}$/.test(text) && text.endsWith(cnpjCheckDigits(text));
}

/** True for 14 characters in the registry's form of a CNPJ; check digits may be wrong. */
export function isStoredCnpj(text: string): boolean {
  return /^[0-9A-Z]{12}[0-9]{2}$/.test(text);
}

/**
 * Reads a root, which identifies a company; returns 8 upper-case characters, or null for other
 * text.
 */
export function readRoot(text: string): string | null {
  if (!ROOT_SPELLINGS.some((spelling) => spelling.test(text))) return null;
  return text.replaceAll(".", "").toUpperCase();
}

/**
 * Returns the two check digits of 12 characters. Both are computed modulo 11; the second includes
 * the first.
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
