/**
 * A sentence as tokens. What comes in: any text. What goes out: words, numbers and marks with their
 * places in it (UTF-16), folded, and reduced so that singular and plural are the same.
 * Invariant: tokens stand in order and do not overlap; between them is nothing but white space,
 * hyphens and apostrophes inside of words; linear in the length of the text.
 */
import { foldCodePoint } from "../spec/analyzer.ts";

/** One token. */
export interface Token {
  readonly kind: "word" | "number" | "mark";
  readonly start: number;
  readonly end: number;
  /** As written. */
  readonly text: string;
  /** Lower case without accents. */
  readonly folded: string;
  /** `folded`, reduced; equal for the singular and the plural. */
  readonly key: string;
}

/** Longest word whose ending is reduced; nobody writes longer ones. */
const REDUCED_MAX = 40;

/** Cuts a text into tokens. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const end = tokenEnd(text, at);
    if (end > at) {
      tokens.push(tokenOf(text, at, end));
      at = end;
    } else {
      at += widthAt(text, at);
    }
  }
  return tokens;
}

/** End of the token that begins here; the same place where none does. */
function tokenEnd(text: string, start: number): number {
  if (isDigit(text, start)) return numberEnd(text, start);
  if (isLetter(text, start)) return wordEnd(text, start);
  const code = text.charCodeAt(start);
  const silent = code <= 0x20 || code === 0xa0 || "-'’`´".includes(text[start] as string);
  return silent ? start : start + widthAt(text, start);
}

function wordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && isLetter(text, at)) at += widthAt(text, at);
  return at;
}

/** Digits with single points, commas, slashes, hyphens between them: 1.500,00 and 5611-2/01. */
function numberEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    if (isDigit(text, at)) at++;
    else if (".,/-".includes(text[at] as string) && isDigit(text, at + 1)) at += 2;
    else break;
  }
  return at;
}

function tokenOf(text: string, start: number, end: number): Token {
  const part = text.slice(start, end);
  if (isDigit(text, start)) {
    return { kind: "number", start, end, text: part, folded: part, key: part };
  }
  if (!isLetter(text, start)) {
    return { kind: "mark", start, end, text: part, folded: part, key: part };
  }
  const folded = foldWord(part);
  return { kind: "word", start, end, text: part, folded, key: reduce(folded) };
}

/** Lower case without accents. */
export function foldWord(word: string): string {
  let folded = "";
  for (const character of word) folded += foldCodePoint(character.codePointAt(0) as number) ?? "";
  return folded;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function isLetter(text: string, at: number): boolean {
  if (at >= text.length || isDigit(text, at)) return false;
  return foldCodePoint(text.codePointAt(at) as number) !== null;
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}

/** Endings of plurals with what stands for them; the first that fits is taken. */
const PLURALS: readonly (readonly [ending: string, instead: string])[] = [
  ["oes", "ao"],
  ["aes", "ao"],
  ["aos", "ao"],
  ["ais", "al"],
  ["eis", "el"],
  ["ois", "ol"],
  ["uis", "ul"],
  ["is", "il"],
  ["ns", "m"],
  ["s", ""],
];

/** Words that look like plurals and are none. */
const KEPT = new Set(
  "mais menos depois apos dois tres seis pois pais gas mes onibus tenis lapis".split(" "),
);

/**
 * Takes the plural off a folded word. It need not give a word that exists, only the same one for
 * both numbers; what ends in a consonant and e (bares, luzes) loses the e as well.
 */
export function reduce(folded: string): string {
  if (folded.length < 4 || folded.length > REDUCED_MAX || KEPT.has(folded)) return folded;
  let word = folded;
  for (const [ending, instead] of PLURALS) {
    if (!word.endsWith(ending) || word.length - ending.length < 2) continue;
    word = word.slice(0, -ending.length) + instead;
    break;
  }
  return word.length > 3 && /[rzsl]e$/.test(word) ? word.slice(0, -1) : word;
}
