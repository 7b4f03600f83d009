/**
 * CNPJs in what people write. What comes in: a line, a cell, or a text of JSON. What goes out: the
 * pieces of it, each of which is an entry or is told as not understood.
 * Invariant: nothing is left out silently: what stands beside a comma, a semicolon, a bar or a tab
 * is a piece of its own; words around a whole CNPJ are dropped, long numbers beside it are not.
 * Apart because what an entry is stands in entries.ts, and this is about what stands around one.
 */
import { readCnpj, readRoot } from "../spec/cnpj.ts";

/** A piece of a text. */
interface Piece {
  readonly text: string;
  /** A number beside a CNPJ, such as a telephone: it is told, and never taken for a root. */
  readonly stray: boolean;
}

/** Nearly every text of a long list. */
const PLAIN = /^[0-9A-Z]+$/i;
/** What nobody sees. */
const UNSEEN = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;
/** Every sort of room, but no tab. */
const ROOM = /[\u0085\p{Z}]/gu;
/** What spreadsheets and people put around a text that must stay one: ="…", '… and “…”. */
const WRAPPED = /^=?\s*["'`´‘’“”]*|["'`´‘’“”]*$/g;
const NUMBER = /^[0-9]+[.,][0-9]+E\+?[0-9]+$/i;
/** A CNPJ in a text, with its stroke and hyphen, or without any punctuation. */
const WHOLE = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:([0-9A-Z]{2})\\.?([0-9A-Z]{3})\\.?([0-9A-Z]{3}) ?[/\\\\] ?" +
    "([0-9A-Z]{4}) ?[-\u2010-\u2015] ?([0-9]{2})|([0-9A-Z]{12}[0-9]{2}))(?![\\p{L}\\p{N}])",
  "giu",
);
/** A number that may have been meant as a CNPJ. */
const LONG = /[0-9](?:[./-]?[0-9]){7,}/g;

/** A text without what nobody sees and what only wraps it. */
export function cleaned(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNSEEN, "").replace(ROOM, " ").trim().replace(WRAPPED, "").trim();
}

/** The pieces of a text, in order; none where nothing is written. */
export function piecesOf(text: string): readonly Piece[] {
  const clean = cleaned(text);
  if (clean === "") return [];
  if (PLAIN.test(clean) || NUMBER.test(clean)) return [{ text: clean, stray: false }];
  return clean.split(/[;,|\t\r\n]+/).flatMap(piecesOfPart);
}

/** Whether a text holds a whole CNPJ with the right check digits. */
export function holdsCnpj(text: string): boolean {
  return piecesOf(text).some((piece) => !piece.stray && readCnpj(piece.text)?.checked === true);
}

function piecesOfPart(part: string): readonly Piece[] {
  const text = cleaned(part);
  if (text === "") return [];
  const found: Piece[] = [];
  const rest = text.replace(WHOLE, (whole) => {
    const plain = whole.replace(/[^0-9A-Z]/gi, "");
    // A long word is none, unless its check digits say so.
    if (/^[A-Z0-9]+$/i.test(whole) && /[A-Z]/i.test(whole) && !readCnpj(plain)?.checked) {
      return whole;
    }
    // As it was written where that is a spelling of its own, so that it is told like that.
    found.push({ text: readCnpj(whole) === null ? plain : whole, stray: false });
    return " ";
  });
  if (found.length === 0) return rootsOf(text);
  const strays = rest.match(LONG) ?? [];
  return [...found, ...strays.map((stray) => ({ text: stray, stray: true }))];
}

/** Roots with room between them, or what is understood by nobody and told as it is. */
function rootsOf(text: string): readonly Piece[] {
  const words = text.split(/ +/);
  const isRoot = (word: string) => /[0-9]/.test(word) && readRoot(word) !== null;
  const texts = words.every(isRoot) ? words : [text];
  return texts.map((one) => ({ text: one, stray: false }));
}
