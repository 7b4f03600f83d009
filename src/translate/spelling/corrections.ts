/**
 * Corrects words that no stage knows.
 * Input: a sentence and the vocabularies of the other stages. Output: the same sentence. Its
 * diminutives are replaced by their base words, professions by their other gender if that one is
 * known, and typos by places or trades.
 * Invariant: a word that any stage knows is never corrected. A typo is corrected only if the
 * corrected name is known at that position and no other candidate is equally close. Every
 * correction of a typo is reported as an assumption. If in doubt, no word is corrected.
 */

import type { Segment } from "../../search/segment.ts";
import { lexicon } from "../activities/lexicon.ts";
import { describesActivities } from "../activities/officialtexts.ts";
import { type Goods, type LexiconChoice, ROLES_AFTER } from "../activities/roles.ts";
import { isFillerWord } from "../fillers.ts";
import { FILTER_PHRASES } from "../filters/table.ts";
import type { Notes } from "../notes.ts";
import type { Gazetteer } from "../places/gazetteer.ts";
import { isGiveaway } from "../unmapped.ts";
import type { Sentence } from "../words/sentence.ts";
import { englishSingulars, otherGenders, plainForms, type Token } from "../words/tokens.ts";
import { COMMON_WORDS } from "./commonwords.ts";
import { type Guess, guessesOf, nameAround, WEIGHTS } from "./guesses.ts";
import { isDoubled, isSwapped } from "./spelling.ts";

interface SpellingContext {
  readonly segment: Segment;
  readonly sentence: Sentence;
  readonly gazetteer: Gazetteer;
  readonly notes: Notes;
}

/** Maximum unknown words that are looked up in one text; later ones are not corrected. */
const LOOKUPS_MAX = 24;

/** Replaces unknown words by probable known ones. Returns the number of corrected typos. */
export function correctSpelling(context: SpellingContext): number {
  const { sentence } = context;
  const corrections = correctSlips(context);
  for (let at = 0; at < sentence.tokens.length; at++) {
    const form = formAt(context, at);
    if (form !== null) sentence.readAs(at, form);
  }
  return corrections;
}

function correctSlips(context: SpellingContext): number {
  const { sentence } = context;
  const unknown = unknownWords(context);
  let lookups = 0;
  let corrections = 0;
  for (let at = 0; at < sentence.tokens.length && lookups < LOOKUPS_MAX; at++) {
    const token = sentence.tokens[at] as Token;
    if (!isPlainWord(token) || !sentence.free(at) || !unknown(token)) continue;
    if (isName(sentence, at) || formAt(context, at) !== null) continue;
    lookups++;
    const guess = bestOf(guessesOf(context, at), token.folded);
    if (guess === null) continue;
    correct(context, at, guess);
    corrections++;
  }
  return corrections;
}

/**
 * True for a word of the letters a to z. Addresses, other scripts, and initials are not corrected.
 */
function isPlainWord({ kind, folded }: Token): boolean {
  return kind === "word" && /^[a-z]{3,30}$/.test(folded);
}

/** Returns the known base word of a diminutive, or the other gender of a profession, or null. */
function formAt(context: SpellingContext, at: number): string | null {
  const { sentence } = context;
  const token = sentence.tokens[at] as Token;
  if (!isPlainWord(token) || !sentence.free(at)) return null;
  const [plain, singulars] = [plainForms(token.folded), englishSingulars(token.folded)];
  const others = otherGenders(token.folded);
  if (plain.length + singulars.length + others.length === 0) return null;
  if (nameAround(context, at, token.folded) !== null) return null;
  const small = [...plain, ...singulars];
  const forms = [...small, ...others];
  // Known words such as "Cachoeirinha" and "sozinho" are not diminutives.
  if (small.length > 0 && isKnownElsewhere(context, token)) return null;
  return forms.find((one) => nameAround(context, at, one)?.place === null) ?? null;
}

/** Returns a function that returns true for words that no stage knows. It checks each word once. */
function unknownWords(context: SpellingContext): (token: Token) => boolean {
  const answers = new Map<string, boolean>();
  return (token) => {
    let answer = answers.get(token.folded);
    if (answer === undefined) {
      answer = !isKnown(context, token);
      answers.set(token.folded, answer);
    }
    return answer;
  };
}

/** True if any stage knows a word. */
function isKnown(context: SpellingContext, token: Token): boolean {
  if (isNamed(token) || isKnownElsewhere(context, token)) return true;
  return describesActivities(context.segment, token.key);
}

/** True if a word is part of the name of a trade, goods, or a role. */
function isNamed({ key }: Token): boolean {
  const { trades, goods, roles } = lexicon();
  return [trades, goods, roles, ROLES_AFTER].some((names) => names.written(key) !== undefined);
}

/** True if another stage knows the word. Places are checked last, because this is slowest. */
function isKnownElsewhere({ gazetteer }: SpellingContext, token: Token): boolean {
  const { folded, key } = token;
  if (FILTER_PHRASES.written(key) !== undefined) return true;
  if (COMMON_WORDS.has(folded) || COMMON_WORDS.has(key)) return true;
  if (isFillerWord(token) || isGiveaway(token)) return true;
  return gazetteer.places.has(folded) || gazetteer.places.has(key);
}

/** Words that may precede the name of a single company. */
const NAMING = new Set(
  (
    "chamada chamadas chamado chamados nome nomes denominada razao fantasia marca named called " +
    "name brand intitulada sigla"
  ).split(" "),
);
/** Maximum number of words between a word of `NAMING` and the name. */
const NAME_WORDS_MAX = 4;
const QUOTES = "\"'“”„«»‘’";

/**
 * True if a word is a company's name and must not be corrected: it is quoted, follows a word such
 * as "chamada", or is in capitals.
 */
function isName(sentence: Sentence, at: number): boolean {
  const { text, start, end } = sentence.tokens[at] as Token;
  for (let before = at - 1; before >= at - NAME_WORDS_MAX; before--) {
    if (NAMING.has(sentence.folded(before))) return true;
  }
  if (start > 0 && QUOTES.includes(sentence.text[start - 1] as string)) return true;
  if (end < sentence.text.length && QUOTES.includes(sentence.text[end] as string)) return true;
  return text === text.toUpperCase() && sentence.text !== sentence.text.toUpperCase();
}

/**
 * Returns the best guess, or null if another guess is equally good. The closest guesses come first.
 * Among these, guesses inside a longer name come first, then better-known ones (`weight`). A trade
 * or small place outside a longer name must be the only word at its distance.
 */
function bestOf(guesses: readonly Guess[], unknown: string): Guess | null {
  // Among equally good guesses, one that has the same letters as the input comes first.
  const swapped = ({ word }: Guess) => (isSwapped(word, unknown) ? 0 : 1);
  const doubled = ({ word }: Guess) => (isDoubled(unknown, word) ? 0 : 1);
  const [best, ...others] = [...guesses].sort(
    (a, b) =>
      a.distance - b.distance ||
      doubled(a) - doubled(b) ||
      b.weight - a.weight ||
      swapped(a) - swapped(b) ||
      (a.word < b.word ? -1 : 1),
  );
  if (best === undefined || best.written === null) return null;
  const even = others.some(
    ({ distance, weight, value }) =>
      distance === best.distance &&
      doubled(best) > 0 &&
      !meanTheSame(value, best.value) &&
      (weight === best.weight || best.weight < WEIGHTS.known),
  );
  return even ? null : best;
}

/** True if both meanings have the same first code, as singular and plural do. */
function meanTheSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  const [first, second] = [firstCode(one), firstCode(other)];
  return first === second && (first !== undefined || JSON.stringify(one) === JSON.stringify(other));
}

function firstCode(value: unknown): unknown {
  const { codes, retail } = (value ?? {}) as Partial<LexiconChoice> & Goods;
  return (codes ?? retail?.codes)?.[0];
}

function correct({ sentence, notes }: SpellingContext, at: number, guess: Guess): void {
  sentence.readAs(at, guess.word);
  const words = sentence.words(at, at + 1);
  const pt = `Li “${words.words}” como “${guess.written}”.`;
  notes.assume("spelling", { pt, en: `"${words.words}" was read as "${guess.written}".` }, words);
}
