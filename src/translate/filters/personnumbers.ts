/**
 * Hides CPFs, the numbers of persons, in a text.
 * Input: a text. Output: the same text with asterisks in place of every CPF, the positions of the
 * CPFs, and a note for each.
 * Invariant: the text keeps its length, so that positions stay valid. No later stage, note, or
 * filter has a digit of a CPF. Eleven digits with valid check digits are a CPF, unless a word for a
 * phone or the country code precedes them. A number written as only CPFs are ("123.456.789-09") is
 * always a CPF.
 */
import { isCpf } from "../../spec/cnpj/cpf.ts";
import { plainText } from "../../spec/typedtext.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Remark } from "./phrase.ts";

/** Position of a hidden CPF, in UTF-16 units. */
interface Hidden {
  readonly start: number;
  readonly end: number;
}

/** A text without CPFs. */
interface WithoutPersons {
  readonly text: string;
  readonly hidden: readonly Hidden[];
}

const DASH = "\\s?[-\u2010-\u2015\u2212/]\\s?";
/** Matches a number of eleven digits with the punctuation of a CPF, with spaces, or without. */
const NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}])(?<!\\d[./-])(?:\\d{3}([. ])\\d{3}\\1\\d{3}(?:${DASH}| )?\\d{2}|` +
    `\\d{9}${DASH}\\d{2}|\\d{11})(?![\\p{L}\\p{N}]|[./-]\\d)`,
  "gu",
);
/** A written form that only CPFs have: "123.456.789-09", "123456789-09". */
const CPF_FORM = new RegExp(
  `^(?:\\d{3}\\.\\d{3}\\.\\d{3}(?:${DASH})?\\d{2}|\\d{9}${DASH}\\d{2})$`,
  "u",
);
/** Matches the word "CPF" before a number. */
const GAP = "[^\\p{L}\\d]";
const NAMED = new RegExp(
  `(?<!\\p{L})cpfs?(?!\\p{L})${GAP}{0,4}(?:(?:n[º°o]?|n[uú]mero|é|eh|is|de|do)${GAP}{1,4}){0,2}$`,
  "iu",
);
const PHONES =
  "(?:tele)?fones?|tel|cel|celular(?:es)?|whats\\p{L}*|zap|wpp|(?:tele)?phones?|mobiles?|" +
  "m[oó]vil|tel[eé]fonos?|lig(?:ar|ue|a)|call";
/** Matches a word for a phone, or the country code, before a number. */
const PHONE_LED = new RegExp(
  `(?:(?<!\\p{L})(?:${PHONES})(?!\\p{L})[^\\p{L}\\d]{0,4}(?:\\p{L}{1,8}[^\\p{L}\\d]{1,4}){0,2}|` +
    "(?:\\+|00)\\s?55[\\s-]?)$",
  "iu",
);
/** Maximum length of the text in which a word such as "CPF" is searched before a number. */
const BEFORE_MAX = 40;
const STAR = "*";

/** Returns the text with asterisks in place of the digits of CPFs. */
export function withoutPersons(written: string): WithoutPersons {
  // Fast path: most sentences have fewer than eleven digits.
  if ((written.match(/\p{N}/gu)?.length ?? 0) < DIGITS) return { text: written, hidden: [] };
  const plain = plainText(written);
  const hidden: Hidden[] = [];
  let text = written;
  for (const found of plain.matchAll(NUMBER)) {
    const [number] = found;
    const start = found.index;
    const before = plain.slice(Math.max(0, start - BEFORE_MAX), start);
    if (!isPerson(number, before)) continue;
    const end = start + number.length;
    hidden.push({ start, end });
    text = text.slice(0, start) + number.replace(/\d/g, STAR) + text.slice(end);
  }
  return { text, hidden };
}

const DIGITS = 11;

function isPerson(number: string, before: string): boolean {
  if (NAMED.test(before) || CPF_FORM.test(number)) return true;
  return isCpf(number.replace(/\D/g, "")) && !PHONE_LED.test(before);
}

const PERSON: Remark = {
  code: "cpf",
  pt: "É um CPF, o número de uma pessoa: pessoas não se buscam. Se é telefone, ponha +55 antes.",
  en: "It is a CPF, a number of a person: persons are not searched. To a phone, prepend +55.",
};

/** Adds a note for every hidden CPF. Returns true if there is one. */
export function leavePersonNumbers(
  sentence: Sentence,
  notes: Notes,
  hidden: readonly Hidden[],
): boolean {
  for (const { start, end } of hidden) {
    const first = sentence.tokenAt(start);
    if (first < 0) continue;
    let to = first;
    while ((sentence.tokens[to]?.start ?? end) < end) to++;
    const from =
      sentence.folded(first - 1) === "cpf" && sentence.free(first - 1) ? first - 1 : first;
    const { code, ...detail } = PERSON;
    notes.addUnmapped(code, detail, sentence.claim(from, to, "unmapped"));
  }
  return hidden.length > 0;
}
