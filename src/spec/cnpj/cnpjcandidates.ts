/**
 * Finds CNPJs in text from people and programs. Input: a line, a cell, or a JSON string. Output:
 * its pieces, each either an entry or reported as not understood; the digits of a number with a
 * zero fraction, an exponent, or grouped thousands.
 * Invariant: no piece is dropped silently. Commas, semicolons, bars, and tabs separate pieces.
 * Words around a complete CNPJ are dropped; long numbers next to it are not. A number that is
 * negative or has a fraction is not a CNPJ. Digits stay text and never become floating-point
 * numbers, so none is rounded; digits that the notation omits are counted. cnpjspelling.ts reads
 * one piece.
 */
import { plainText } from "../typedtext.ts";
import { readCnpj, readRoot } from "./cnpj.ts";

/** A part of a text that may be a CNPJ. */
interface CnpjCandidate {
  readonly text: string;
  /**
   * True for a number next to a CNPJ, such as a telephone; it is reported, never read as a root.
   */
  readonly stray: boolean;
}

/** Matches nearly all texts of a long list. */
const PLAIN = /^[0-9A-Z]+$/i;
/** Invisible characters. */
const UNSEEN = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;
/** All kinds of white space except tabs. */
const ROOM = /[\u0085\p{Z}]/gu;
/** Marks that make a spreadsheet cell a text, and quotes: ="…", '… and “…”. */
const WRAPPED = /^=?\s*["'`´‘’“”]*/;
const WRAPPERS = "\"'`´‘’“”";
/** Optional separator of two groups of a CNPJ, with blanks around it. */
const BETWEEN = "( {0,2}(?:[./\\\\\u2010-\u2015\u2212-] {0,2})?)";
/**
 * Matches a complete CNPJ in a text, with or without punctuation. If a fraction follows, the digits
 * are another number.
 */
const WHOLE = new RegExp(
  `(?<![\\p{L}\\p{N}])[0-9A-Z]{2}${BETWEEN}[0-9A-Z]{3}${BETWEEN}[0-9A-Z]{3}${BETWEEN}` +
    `[0-9A-Z]{4}${BETWEEN}[0-9]{2}(?![\\p{L}\\p{N}]|\\.0*[1-9]|\\.0+\\p{L})`,
  "giu",
);
/** A negative number, whose sign is not punctuation of a CNPJ. */
const NEGATIVE = /^[\u2010-\u2015\u2212-][0-9]{14}(?![0-9])/;
/** A number that may have been meant as a CNPJ. */
const LONG = /[0-9](?:[./-]?[0-9]){7,}/g;

/**
 * A CNPJ that a tokenizer would split, because it contains letters or looks like an exponent.
 * Excludes a word followed by two digits, and 1.5e6.
 */
const LETTERED = new RegExp(
  "(?:(?=[0-9A-Z./]{0,14}[A-Z])[0-9A-Z]{2}\\.[0-9A-Z]{3}\\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2}" +
    "|(?=[0-9]{0,11}[A-Z])(?=[A-Z]{0,11}[0-9])[0-9A-Z]{12}[0-9]{2}" +
    "|[0-9][.,][0-9]{8,20}E\\+?[0-9]{1,4})(?![\\p{L}\\p{N}])",
  "iuy",
);

/** Returns the end of a CNPJ with letters, or in the form 1.1E+13, at `start`; else null. */
export function cnpjEnd(text: string, start: number): number | null {
  LETTERED.lastIndex = start;
  return LETTERED.test(text) ? LETTERED.lastIndex : null;
}

/** Removes invisible characters and wrapping quotes from a text. */
export function cleaned(text: string): string {
  if (PLAIN.test(text)) return text;
  const clean = plainText(text).replace(UNSEEN, "").replace(ROOM, " ").trim();
  const open = clean.replace(WRAPPED, "");
  // Not a regular expression: one anchored at the end would restart at each quotation mark.
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

/** The whole CNPJs of a text, and the text without them. */
function wholesIn(text: string): { readonly found: readonly string[]; readonly rest: string } {
  const found: string[] = [];
  let rest = "";
  let from = 0;
  WHOLE.lastIndex = 0;
  for (let match = WHOLE.exec(text); match !== null; match = WHOLE.exec(text)) {
    const [whole, ...between] = match;
    const plain = whole.replace(/[^0-9A-Z]/gi, "");
    if (isMeant(plain, between)) {
      // Keeps a valid spelling, so that reports show it.
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
  // Eight characters followed by six may be a date with a time, or two numbers.
  if (!hasPoints && !isSlash && gap !== "" && further === "") return false;
  if (readCnpj(plain)?.checked === true) return true;
  // A long word, or several short ones, are a CNPJ only if the check digits are right.
  if (/[A-Z]/i.test(plain)) return isSlash && hyphen !== "";
  const signs = [first, second, stroke, hyphen].filter((one) => one !== "").length;
  const rooms = between.filter((one) => one !== "").length;
  return rooms === 0 || rooms === 4 || signs > 0;
}

/** Roots separated by blanks, or one piece to report as not understood. */
function rootsOf(text: string): readonly CnpjCandidate[] {
  const words = text.split(/ +/);
  const isRoot = (word: string) => /[0-9]/.test(word) && readRoot(word) !== null;
  const texts = words.every(isRoot) ? words : [text];
  return texts.map((one) => ({ text: one, stray: false }));
}

interface WrittenNumber {
  /** Digits of the integer; includes leading zeros only if the notation does. */
  readonly digits: string;
  /** Number of trailing digits that the notation omits; in `digits` they are zeros. */
  readonly lost: number;
  /** False if the fraction has digits other than zero. */
  readonly isWhole: boolean;
}

/** Words that people and programs write before a number. */
export const LABEL = /^cnpj\b[\s:.#nº°-]*(?=[0-9])/i;

/**
 * An integer with a zero fraction, such as 99938275000138.0; excludes "1.000", which may be
 * thousands.
 */
const ZERO_FRACTION = /^(?:([0-9]{4,})[.,]0+|([0-9]{1,3})[.,]0{1,2})$/;
/**
 * Such as 9.9938275000138e+13. Without a fraction, the text may be a CNPJ with the letter E; test
 * for that first.
 */
const EXPONENT = /^([0-9]+)(?:[.,]([0-9]*))?E\+?([0-9]+)$/i;
/** 99.938.275.000.138, with or without a fraction of zeros. */
const THOUSANDS = /^[0-9]{1,3}([.,' ])[0-9]{3}(?:\1[0-9]{3})+(?:(?!\1)[.,]0{1,2})?$/;
/** Larger exponents never result in 14 digits. */
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

/** Moves the decimal sign. */
function shifted([, whole = "", fraction = "", power = ""]: RegExpExecArray): WrittenNumber {
  const written = whole + fraction;
  const exponent = Math.min(Number(power), EXPONENT_MAX);
  const rest = fraction.slice(exponent);
  const lost = Math.max(0, exponent - fraction.length);
  const moved = written.slice(0, written.length - rest.length) + "0".repeat(lost);
  const digits = moved.replace(/^0+(?=[0-9])/, "");
  return { digits, lost: digits === "0" ? 0 : lost, isWhole: /^0*$/.test(rest) };
}
