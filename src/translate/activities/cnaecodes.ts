/**
 * Reads CNAE codes in a sentence. Input: a sentence and the codes of a snapshot. Output: the
 * codes that the sentence names, in any spelling: subclass 5611-2/01, 56.11-2-01, 5611201, class
 * 56.11-2, "grupo 561", "divisão 56", "seção I", "CNAE 56 e 47".
 * Invariant: an ambiguous number is a code only if the words around it say so or the snapshot
 * has that code. A nonexistent code is not searched; it gets a note with the nearest codes.
 */
import { catalogLookup, punctuateCnae } from "../../spec/catalog.ts";
import { negatorOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Sentences } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import type { ActivityContext, FoundActivity } from "./activity.ts";

/** Words that announce a code. A word of `LEVELS` also implies the number of digits. */
const NAMING = new Set("cnae cnaes codigo codigos code codes subclasse subclass".split(" "));
const LEVELS = new Map([
  ["classe", 5],
  ["class", 5],
  ["grupo", 3],
  ["group", 3],
  ["divisao", 2],
  ["division", 2],
]);
const SECTIONS = new Set(["secao", "secoes", "section"]);
/** Words that may stand between "CNAE" and its code, as in "CNAE principal número". */
const BETWEEN = new Set(
  (
    "cnae fiscal principal primario primaria secundario secundaria secundarios secondary " +
    "numero n no codigo comeca comecam comecando com " +
    "iniciado iniciados inicia iniciam em por que e de do da ibge the of is igual a tipo"
  ).split(" "),
);
const BETWEEN_MAX = 4;
/** Codes that cannot be a date, an amount, or a phone number. */
const SUBCLASS =
  /^(\d{4}-\d[/.-]\d{2}|\d{2}\.\d{2}-\d[/.-]?\d{2}|\d{5}[/-]\d{2}|\d{4}[./]\d[/-]\d{2})$/;
const CLASS = /^(\d{4}-\d|\d{2}\.\d{2}-\d)$/;
/** Words that show that a bare number near them is no CNAE code: an amount, CNPJ, or phone. */
const AMOUNTS = new Set(
  "capital reais faturamento receita mil milhao milhoes cnpj telefone".split(" "),
);
const NEAREST_MAX = 4;

/** Finds and claims every code; runs before all other readers of numbers. */
export function findCodes(context: ActivityContext): FoundActivity[] {
  const { sentence } = context;
  const found: FoundActivity[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at)) continue;
    const read = readSection(sentence, at) ?? readNamed(sentence, at) ?? readBare(context, at);
    if (read === null) continue;
    found.push(taken(context, at, read));
    at = read.to - 1;
  }
  return found;
}

/**
 * Codes read from the tokens before `to`. A code is a string of digits without punctuation, or a
 * section letter.
 */
interface ReadCodes {
  readonly to: number;
  readonly codes: readonly string[];
}

/** "seção I", "seções C e G". */
function readSection(sentence: Sentence, at: number): ReadCodes | null {
  if (!SECTIONS.has(sentence.folded(at))) return null;
  const codes: string[] = [];
  let to = at + 1;
  for (let next = to; /^[a-u]$/.test(sentence.folded(next)); ) {
    codes.push(sentence.folded(next).toUpperCase());
    to = next + 1;
    next = isList(sentence, to) ? to + 1 : -1;
  }
  return codes.length === 0 ? null : { to, codes };
}

/** "CNAE 5611-2/01 e 56", "código 5611-2", "divisão 56". */
function readNamed(sentence: Sentence, at: number): ReadCodes | null {
  const word = sentence.folded(at);
  const level = LEVELS.get(word);
  if (!NAMING.has(word) && level === undefined) return null;
  let next = at + 1;
  while (next <= at + BETWEEN_MAX && isBetween(sentence, next)) next++;
  const first = digitsAt(sentence, next);
  if (first === null || first.length < 2 - (level === 2 ? 1 : 0)) return null;
  if (level !== undefined && first.length > level && first.length !== 7) return null;
  const codes = [level === 2 ? first.padStart(2, "0") : first];
  let to = next + 1;
  while (isList(sentence, to)) {
    const more = digitsAt(sentence, to + 1);
    if (more === null || !isListed(sentence, to + 1, more.length === first.length)) break;
    codes.push(more);
    to += 2;
  }
  return { to, codes };
}

/**
 * Reads a code that no word such as "CNAE" announces. The number must be punctuated as a subclass,
 * or be a class or seven digits that the snapshot contains.
 */
function readBare({ segment, sentence }: ActivityContext, at: number): ReadCodes | null {
  const token = sentence.tokens[at];
  if (token?.kind !== "number") return null;
  const code = token.text.replace(/\D/g, "");
  if (SUBCLASS.test(token.text)) return { to: at + 1, codes: [code] };
  if (!CLASS.test(token.text) && !/^\d{7}$/.test(token.text)) return null;
  const known = catalogLookup(segment.catalog).cnae(code).length > 0;
  return known && !isAmount(sentence, at) ? { to: at + 1, codes: [code] } : null;
}

/**
 * Returns the one to seven digits of a number, with or without CNAE punctuation; otherwise null.
 */
function digitsAt(sentence: Sentence, at: number): string | null {
  const token = sentence.tokens[at];
  if (token?.kind !== "number" || !sentence.free(at) || !/^[\d./-]+$/.test(token.text)) return null;
  const digits = token.text.replace(/\D/g, "");
  return digits.length >= 1 && digits.length <= 7 ? digits : null;
}

function isBetween(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || !sentence.free(at)) return false;
  return token.kind === "mark"
    ? [":", "#", "(", "="].includes(token.text)
    : BETWEEN.has(token.folded);
}

function isList(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || !sentence.free(at)) return false;
  return [",", ";", "/", "e", "ou", "and", "or", "&"].includes(token.folded);
}

/**
 * True if the next number of a list is also a code. In "CNAE 5611-2/01, 50 empresas", 50 is not.
 */
function isListed(sentence: Sentence, at: number, alike: boolean): boolean {
  if (SUBCLASS.test(sentence.tokens[at]?.text ?? "")) return true;
  const next = sentence.tokens[at + 1];
  return alike && (next === undefined || next.kind === "mark" || next.folded.length <= 3);
}

function isAmount(sentence: Sentence, at: number): boolean {
  for (let near = at - 4; near <= at + 1; near++) {
    if (AMOUNTS.has(sentence.folded(near)) || sentence.tokens[near]?.text === "$") return true;
  }
  return false;
}

/**
 * Maximum number of unknown codes that get a note each. More notes would be too long, because each
 * note quotes all codes of the list.
 */
const NOTED_MAX = 10;

function moreUnknown(wrong: readonly string[]): Sentences {
  const more = wrong.length - NOTED_MAX;
  const list = wrong
    .slice(NOTED_MAX, 2 * NOTED_MAX)
    .map(spelled)
    .join(", ");
  const rest = more > NOTED_MAX ? ", …" : "";
  return {
    pt: `Mais ${more} códigos da lista não existem: ${list}${rest}. Tire-os da frase.`,
    en: `${more} more codes of the list do not exist: ${list}${rest}. Remove them.`,
  };
}

function taken(context: ActivityContext, from: number, { to, codes }: ReadCodes): FoundActivity {
  const { segment, sentence, notes } = context;
  const lookup = catalogLookup(segment.catalog);
  const known = codes.filter((code) => lookup.cnae(code).length > 0);
  const wrong = codes.filter((code) => !known.includes(code));
  const negator = negatorOf(sentence, from);
  if (negator >= 0) claimNegation(sentence, negator, from);
  const words = sentence.claim(from, to, known.length > 0 ? "activity" : "unmapped");
  const near = wrong.flatMap((code) => nearestCodes(segment.catalog.cnaeCodes, code));
  for (const code of wrong.slice(0, NOTED_MAX)) {
    const list = nearestCodes(segment.catalog.cnaeCodes, code).map(punctuateCnae).join(", ");
    notes.addUnmapped(
      "unknown_code",
      {
        pt: `O código ${spelled(code)} não existe; os mais próximos: ${list}.`,
        en: `There is no code ${spelled(code)}; the nearest ones: ${list}.`,
      },
      words,
    );
  }
  if (wrong.length > NOTED_MAX) notes.addUnmapped("unknown_code", moreUnknown(wrong), words);
  return {
    ...words,
    codes: known.map(spelled),
    also: [...new Set(near)].map(punctuateCnae),
    excluded: negator >= 0,
    certainty: wrong.length > 0 ? 0 : 1,
  };
}

/** A code with its marks. */
export function spelled(code: string): string {
  return code.length === 7 ? punctuateCnae(code) : code;
}

/** Returns the codes with the longest common prefix, then those with the nearest numbers. */
function nearestCodes(codes: readonly string[], wrong: string): readonly string[] {
  const common = (code: string) => {
    let digits = 0;
    while (digits < wrong.length && code[digits] === wrong[digits]) digits++;
    return digits;
  };
  const whole = Number(wrong.padEnd(7, "0"));
  return [...codes]
    .map((code) => ({ code, digits: common(code), gap: Math.abs(Number(code) - whole) }))
    .sort((a, b) => b.digits - a.digits || a.gap - b.gap || (a.code < b.code ? -1 : 1))
    .slice(0, NEAREST_MAX)
    .map(({ code }) => code);
}
