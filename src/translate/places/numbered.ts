/**
 * Reads places given by number: area codes and postal codes.
 * Input: a sentence. Output: its codes. Their tokens and the words before them, such as "DDD", are
 * marked as read.
 * Invariant: a number is a code only after a word that names the code. If no filter takes a code or
 * if it is excluded, it is reported in a note.
 */
import { negatorOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";

/** The codes of a sentence. */
export interface NumberedPlaces {
  readonly areaCodes: readonly string[];
  readonly postalCodes: readonly string[];
  /** The tokens of each code, including words such as "DDD" before it. */
  readonly spans: readonly NumberedSpan[];
}

/** Tokens of codes of one kind. */
export interface NumberedSpan {
  readonly from: number;
  readonly to: number;
  readonly kind: "area" | "postal";
}

/** Names of codes as lists of words, keyed by the first word, longer names first. */
const AREA = byFirstWord([
  ...[
    "ddd",
    "ddds",
    "prefijo telefonico",
    "prefijos telefonicos",
    "prefijo",
    "prefijos",
    "codigo de area",
    "codigos de area",
    "area code",
    "area codes",
  ],
]);
const POSTAL = byFirstWord([
  ...[
    "cep",
    "ceps",
    "codigo postal",
    "codigos postais",
    "zip code",
    "zip codes",
    "zip",
    "postal code",
  ],
  ...[
    "postal code area",
    "postcode area",
    "zip code area",
    "postal area",
    "postal codes",
    "postcode",
    "postcodes",
    "codigos postales",
  ],
]);
const BETWEEN = new Set(
  (
    "comecando comeca comecam comecem comece comecar inicie iniciem com por em que iniciado " +
    "iniciados iniciando inicia iniciam " +
    "igual a de do o da start starts begin begins that which faixa prefixo starting with " +
    "beginning is numero entre between empiece empiecen empieza empiezan comience comiencen con cep"
  ).split(" "),
);
const LISTS = new Set(["e", "ou", "and", "or", ",", "/", "&"]);
/** Words before a code that belong to the same request. */
const LEADS = new Set(
  (
    "com no nos do dos de em in with from na da o pelo regiao area faixa cujo cuyo whose " +
    "around"
  ).split(" "),
);
const BETWEEN_MAX = 6;
/** Words and marks between the ends of a range: "CEP 89800 a 89809". */
const RANGE = new Set(["a", "ate", "to", "al", "hasta", "through", "-", "–"]);
const AREA_CODE = /^(1[1-9]|[2-9][0-9])$/;

/** Returns every area code and postal code and marks their tokens as read. */
export function findNumberedPlaces(sentence: Sentence, notes: Notes): NumberedPlaces {
  const areaCodes: string[] = [];
  const postalCodes: string[] = [];
  const spans: NumberedSpan[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    const area = namedEnd(sentence, at, AREA);
    const postal = area === at ? namedEnd(sentence, at, POSTAL) : at;
    if ((area === at && postal === at) || isOfRadius(sentence, at)) continue;
    const read = numbersAt(sentence, Math.max(area, postal), area > at ? areaOf : postalOf);
    if (read === null) continue;
    const from = take(sentence, notes, { at, ...read });
    if (from !== null) {
      (area > at ? areaCodes : postalCodes).push(...read.codes);
      spans.push({ from, to: read.to, kind: area > at ? "area" : "postal" });
    }
    at = read.to - 1;
  }
  return { areaCodes, postalCodes, spans };
}

/**
 * True if a distance precedes a code, so that the code is its center: "a 20 km do CEP 13010-000".
 */
function isOfRadius(sentence: Sentence, at: number): boolean {
  let before = at - 1;
  while (before > at - 4 && /^(?:do|de|da|of|from|the|del|o)$/.test(sentence.folded(before))) {
    before--;
  }
  return (
    before < at - 1 && /^(?:kms?|quilometros?|kilomet\w+|miles?)$/.test(sentence.folded(before))
  );
}

/** Returns the end of words for a postal code that begin at a token, or the token itself. */
export function postalEnd(sentence: Sentence, at: number): number {
  return namedEnd(sentence, at, POSTAL);
}

/** Returns the end of the code name that begins at a token, or the token itself. */
function namedEnd(sentence: Sentence, at: number, names: Names): number {
  const named = names.get(sentence.tokens[at]?.folded ?? "");
  if (named === undefined || !sentence.free(at)) return at;
  const words = named.find((name) => name.every((word, i) => sentence.folded(at + i) === word));
  return at + (words?.length ?? 0);
}

type Names = ReadonlyMap<string, readonly (readonly string[])[]>;

function byFirstWord(names: readonly string[]): Names {
  const found = new Map<string, string[][]>();
  for (const words of names.map((name) => name.split(" "))) {
    const [first = ""] = words;
    found.set(
      first,
      [...(found.get(first) ?? []), words].sort((a, b) => b.length - a.length),
    );
  }
  return found;
}

interface ReadCodes {
  readonly to: number;
  readonly codes: readonly string[];
}

function numbersAt(
  sentence: Sentence,
  from: number,
  codeOf: (text: string) => string | null,
): ReadCodes | null {
  let at = from;
  while (at < from + BETWEEN_MAX && isBetween(sentence, at)) at++;
  const codes: string[] = [];
  let to = at;
  for (;;) {
    const token = sentence.tokens[at];
    const code = token?.kind === "number" && sentence.free(at) ? codeOf(token.text) : null;
    if (code === null) break;
    const range = codeOf === postalOf ? rangeFrom(sentence, at, code) : null;
    codes.push(...(range?.codes ?? code.split(" ")));
    to = range?.to ?? at + 1;
    at = to;
    while (LISTS.has(sentence.tokens[at]?.folded ?? "") && at < to + 2) at++;
    if (at === to) break;
  }
  return codes.length === 0 ? null : { to, codes };
}

/** Reads the rest of a range of postal codes, such as "a 89809". Returns prefixes for it. */
function rangeFrom(sentence: Sentence, at: number, first: string): ReadCodes | null {
  const led = /^(entre|between|from)$/.test(sentence.folded(at - 1));
  const join = sentence.tokens[at + 1]?.folded ?? "";
  if (!RANGE.has(join) && !(led && /^(e|y|and)$/.test(join))) return null;
  const last = postalOf(sentence.tokens[at + 2]?.text ?? "");
  if (last === null || !sentence.free(at + 2)) return null;
  if (last.length !== first.length || last < first) return null;
  return { to: at + 3, codes: prefixesOf(first, last) };
}

/** Returns the fewest prefixes that cover exactly the equally long codes `first` to `last`. */
export function prefixesOf(first: string, last: string): readonly string[] {
  const found: string[] = [];
  for (let next = Number(first); next <= Number(last); ) {
    let zeros = 0;
    while (zeros < first.length && fits(next, zeros + 1, Number(last))) zeros++;
    const code = String(next).padStart(first.length, "0");
    found.push(code.slice(0, first.length - zeros));
    next += 10 ** zeros;
  }
  return found.includes("") ? [...DIGITS] : found;
}

const DIGITS = "0123456789";

/**
 * True if the range contains all codes that differ from `first` only in the last `digits` digits.
 */
function fits(first: number, digits: number, last: number): boolean {
  const size = 10 ** digits;
  return first % size === 0 && first + size - 1 <= last;
}

function isBetween(sentence: Sentence, at: number): boolean {
  const { text = "", folded = "" } = sentence.tokens[at] ?? {};
  return BETWEEN.has(folded) || [":", "(", ")", "=", "#"].includes(text);
}

/** "11", "011", "11/21". */
function areaOf(text: string): string | null {
  const codes = text.split(/[/,-]/).map((one) => one.replace(/^0/, ""));
  return codes.every((one) => AREA_CODE.test(one)) ? codes.join(" ") : null;
}

/** "80010-000", "80.010-000", "800". */
function postalOf(text: string): string | null {
  const digits = text.replace(/[.-]/g, "");
  return /^[0-9]{1,8}$/.test(digits) ? digits : null;
}

/**
 * Marks a code and its words as read and returns the start of these words. Returns null if the code
 * is excluded, which is reported in a note.
 */
function take(
  sentence: Sentence,
  notes: Notes,
  { at, to }: { readonly at: number; readonly to: number },
): number | null {
  let from = at;
  while (from > at - 3 && sentence.free(from - 1) && LEADS.has(sentence.folded(from - 1))) from--;
  const near = negatorOf(sentence, at);
  const negator = near >= 0 ? near : negatorOf(sentence, from);
  if (negator < 0) {
    sentence.claim(from, to, "place");
    return from;
  }
  const detail = {
    pt: "Nenhum filtro exclui um DDD ou CEP.",
    en: "No filter leaves an area code or postal code out.",
  };
  claimNegation(sentence, negator, from);
  notes.addUnmapped("excluded_code", detail, sentence.claim(from, to, "unmapped"));
  return null;
}
