/**
 * Finds CNPJs in text from people and programs. Input: a line, a cell, or a JSON string. Output:
 * the pieces of the text. Each piece either may be a CNPJ or is reported as not understood. Another
 * function returns the digits of numbers with a zero fraction, an exponent, or grouped thousands.
 * Invariant: no piece is dropped silently. Commas, semicolons, bars, and tabs separate pieces.
 * Words around a complete CNPJ are dropped; long numbers next to it are not. A negative number or
 * one with a fraction is not a CNPJ. Digits stay text and never become floating-point numbers, so
 * none is rounded. cnpjspelling.ts reads one piece.
 */
import { plainText } from "../typedtext.ts";
import { readCnpj, readRoot } from "./cnpj.ts";

/** A part of a text that may be a CNPJ. */
interface CnpjCandidate {
  readonly text: string;
  /**
   * True for a number next to a CNPJ, such as a telephone. It is reported and never read as a root,
   * the first eight characters of a CNPJ.
   */
  readonly stray: boolean;
}

/** Matches nearly all texts in a long list, so that they skip the slower checks. */
const PLAIN = /^[0-9A-Z]+$/i;
/** Invisible characters. */
const UNSEEN = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;
/** All kinds of white space except tabs. */
const ROOM = /[\u0085\p{Z}]/gu;
/**
 * Matches characters that mark a spreadsheet cell as text, and quotation marks: ="…", '… and “…”.
 */
const WRAPPED = /^=?\s*["'`´‘’“”]*/;
const WRAPPERS = "\"'`´‘’“”";
/**
 * Matches what may stand between two groups of a CNPJ: a separator, if any, and blanks around it.
 */
const BETWEEN = "( {0,2}(?:[./\\\\\u2010-\u2015\u2212-] {0,2})?)";
/**
 * Matches a complete CNPJ in a text, with or without punctuation. Digits before a fraction do not
 * match, because they are another number.
 */
const WHOLE = new RegExp(
  `(?<![\\p{L}\\p{N}])[0-9A-Z]{2}${BETWEEN}[0-9A-Z]{3}${BETWEEN}[0-9A-Z]{3}${BETWEEN}` +
    `[0-9A-Z]{4}${BETWEEN}[0-9]{2}(?![\\p{L}\\p{N}]|\\.0*[1-9]|\\.0+\\p{L})`,
  "giu",
);
/** Matches a negative number. Its minus sign is not punctuation of a CNPJ. */
const NEGATIVE = /^[\u2010-\u2015\u2212-][0-9]{14}(?![0-9])/;
/** A number that may have been meant as a CNPJ. */
const LONG = /[0-9](?:[./-]?[0-9]){7,}/g;

/**
 * Matches a CNPJ that a tokenizer would split, because it contains letters or looks like a number
 * with an exponent. Does not match a word followed by two digits, or 1.5e6.
 */
const LETTERED = new RegExp(
  "(?:(?=[0-9A-Z./]{0,14}[A-Z])[0-9A-Z]{2}\\.[0-9A-Z]{3}\\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2}" +
    "|(?=[0-9]{0,11}[A-Z])(?=[A-Z]{0,11}[0-9])[0-9A-Z]{12}[0-9]{2}" +
    "|[0-9][.,][0-9]{8,20}E\\+?[0-9]{1,4})(?![\\p{L}\\p{N}])",
  "iuy",
);

/** Returns the end of a CNPJ at `start` with letters or an exponent (1.1E+13), or null. */
export function cnpjEnd(text: string, start: number): number | null {
  LETTERED.lastIndex = start;
  return LETTERED.test(text) ? LETTERED.lastIndex : null;
}

/** Removes invisible characters and wrapping quotes from a text. */
export function cleaned(text: string): string {
  if (PLAIN.test(text)) return text;
  const clean = plainText(text).replace(UNSEEN, "").replace(ROOM, " ").trim();
  const open = clean.replace(WRAPPED, "");
  // A loop, because a regular expression anchored at the end would try each quotation mark again.
  let end = open.length;
  while (end > 0 && WRAPPERS.includes(open.charAt(end - 1))) end--;
  return open.slice(0, end).trim();
}

/** Splits a text into the pieces that may be CNPJs, in order; an empty text has no pieces. */
export function cnpjCandidates(text: string): readonly CnpjCandidate[] {
  const clean = cleaned(text);
  if (clean === "") return [];
  if (PLAIN.test(clean) || numberIn(clean) !== null) return [{ text: clean, stray: false }];
  return clean.split(/[;,|\t\r\n]+/).flatMap(candidatesOfPart);
}

/** True if a text contains a complete CNPJ with right check digits. */
export function holdsCnpj(text: string): boolean {
  return cnpjCandidates(text).some(
    (piece) => !piece.stray && readCnpj(piece.text)?.checked === true,
  );
}

function candidatesOfPart(part: string): readonly CnpjCandidate[] {
  const text = cleaned(part).replace(LABEL, "");
  if (text === "") return [];
  if (NEGATIVE.test(text) || numberIn(text) !== null) return [{ text, stray: false }];
  const { found, rest } = wholesIn(text);
  if (found.length === 0) return rootsOf(text);
  const strays = rest.match(LONG) ?? [];
  return [...found, ...strays].map((one, at) => ({ text: one, stray: at >= found.length }));
}

/** Returns the complete CNPJs of a text, and the text without them. */
function wholesIn(text: string): { readonly found: readonly string[]; readonly rest: string } {
  const found: string[] = [];
  let rest = "";
  let from = 0;
  WHOLE.lastIndex = 0;
  for (let match = WHOLE.exec(text); match !== null; match = WHOLE.exec(text)) {
    const [whole, ...between] = match;
    const plain = whole.replace(/[^0-9A-Z]/gi, "");
    if (isMeant(plain, between)) {
      // A valid spelling is kept, so that reports show it as the user wrote it.
      found.push(readCnpj(whole) === null ? plain : whole);
      rest += `${text.slice(from, match.index)} `;
      from = WHOLE.lastIndex;
    } else WHOLE.lastIndex = match.index + 1;
  }
  return { found, rest: rest + text.slice(from) };
}

/** True if the separators show that the groups are one CNPJ. */
function isMeant(plain: string, between: readonly string[]): boolean {
  const [first = "", second = "", stroke = "", hyphen = ""] = between.map((one) => one.trim());
  const [, , gap = "", further = ""] = between;
  const hasPoints = between.slice(0, 2).some((one) => one !== "");
  const isSlash = /[/\\]/.test(stroke);
  // Eight characters, a blank, and six more may be a date with a time, or two numbers.
  if (!hasPoints && !isSlash && gap !== "" && further === "") return false;
  if (readCnpj(plain)?.checked === true) return true;
  // Letters may be a long word or several short ones. They form a CNPJ only if the check digits are
  // correct or the punctuation is that of a CNPJ.
  if (/[A-Z]/i.test(plain)) return isSlash && hyphen !== "";
  const signs = [first, second, stroke, hyphen].filter((one) => one !== "").length;
  const rooms = between.filter((one) => one !== "").length;
  return rooms === 0 || rooms === 4 || signs > 0;
}

/**
 * Returns the roots in a text if it consists only of roots with blanks between them. Otherwise
 * returns the whole text as one piece, which is reported as not understood.
 */
function rootsOf(text: string): readonly CnpjCandidate[] {
  const words = text.split(/ +/);
  const isRoot = (word: string) => /[0-9]/.test(word) && readRoot(word) !== null;
  const texts = words.every(isRoot) ? words : [text];
  return texts.map((one) => ({ text: one, stray: false }));
}

interface WrittenNumber {
  /** Digits of the integer. They include leading zeros only if the text has them. */
  readonly digits: string;
  /** Number of digits at the end that the text omits. In `digits` they are zeros. */
  readonly lost: number;
  /** False if the fraction has digits other than zero. */
  readonly isWhole: boolean;
}

/** Matches the word "CNPJ" and similar labels before a number. */
export const LABEL = /^cnpj\b[\s:.#nº°-]*(?=[0-9])/i;

/**
 * Matches an integer with a fraction of zeros, such as 99938275000138.0. Does not match
 * "1.000", which may mean a thousand.
 */
const ZERO_FRACTION = /^(?:([0-9]{4,})[.,]0+|([0-9]{1,3})[.,]0{1,2})$/;
/**
 * Matches numbers such as 9.9938275000138e+13. A text without a fraction may be a CNPJ that
 * contains the letter E, so callers must check for a CNPJ first.
 */
const EXPONENT = /^([0-9]+)(?:[.,]([0-9]*))?E\+?([0-9]+)$/i;
/** Matches grouped thousands such as 99.938.275.000.138, with or without a fraction of zeros. */
const THOUSANDS = /^[0-9]{1,3}([.,' ])[0-9]{3}(?:\1[0-9]{3})+(?:(?!\1)[.,]0{1,2})?$/;
/**
 * Larger exponents are read as this one. They never lead to a number with the 14 digits of a CNPJ.
 */
const EXPONENT_MAX = 99;

/** Reads a number in one of these notations; returns null for other text. */
export function numberIn(text: string): WrittenNumber | null {
  const [, long, short] = ZERO_FRACTION.exec(text) ?? [];
  const digits = long ?? short;
  if (digits !== undefined) return { digits, lost: 0, isWhole: true };
  if (THOUSANDS.test(text)) {
    const whole = text.replace(/[.,]0{1,2}$/, "").replace(/[^0-9]/g, "");
    return { digits: whole, lost: 0, isWhole: true };
  }
  const match = EXPONENT.exec(text);
  return match === null ? null : shifted(match);
}

/** Returns the integer that a number with an exponent stands for. */
function shifted([, whole = "", fraction = "", power = ""]: RegExpExecArray): WrittenNumber {
  const written = whole + fraction;
  const exponent = Math.min(Number(power), EXPONENT_MAX);
  const rest = fraction.slice(exponent);
  const lost = Math.max(0, exponent - fraction.length);
  const moved = written.slice(0, written.length - rest.length) + "0".repeat(lost);
  const digits = moved.replace(/^0+(?=[0-9])/, "");
  return { digits, lost: digits === "0" ? 0 : lost, isWhole: /^0*$/.test(rest) };
}
