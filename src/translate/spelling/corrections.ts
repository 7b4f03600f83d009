/**
 * The stage of words that nobody knows as they are written. What comes in: a sentence and all that
 * the other stages know. What goes out: words that are read as others: diminutives and the other
 * gender of professions as the plain word, slips of the pen as the name of a place or of a trade.
 * Invariant: a word that any stage knows is never corrected; a slip is only corrected to what then
 * is a known name where it stands, and where nothing else is as near; every correction of a slip is
 * an assumption. Rather none than a wrong one.
 */

import type { Segment } from "../../search/segment.ts";
import { lexicon } from "../activities/lexicon.ts";
import { describesActivities } from "../activities/officialtexts.ts";
import { type Goods, type LexiconChoice, ROLES_BEHIND } from "../activities/roles.ts";
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

/** What the stage works on. */
interface SpellingContext {
  readonly segment: Segment;
  readonly sentence: Sentence;
  readonly gazetteer: Gazetteer;
  readonly notes: Notes;
}

/** A text with more unknown words is no request with slips; those after them stay as they are. */
const LOOKUPS_MAX = 24;

/** Reads unknown words as those that are meant; returns how many slips were corrected. */
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

/** Only words of letters a to z can be slips: no addresses, no other scripts, no initials. */
function isPlainWord({ kind, folded }: Token): boolean {
  return kind === "word" && /^[a-z]{3,30}$/.test(folded);
}

/** The word that a diminutive, or the other gender of a profession, is known by; else null. */
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
  // "Cachoeirinha" and "sozinho" are words of their own.
  if (small.length > 0 && isKnownElsewhere(context, token)) return null;
  return forms.find((one) => nameAround(context, at, one)?.place === null) ?? null;
}

/** True if no stage knows a word; each stage is queried once for each word of the sentence. */
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

/** Whether any stage knows a word. */
function isKnown(context: SpellingContext, token: Token): boolean {
  if (isNamed(token) || isKnownElsewhere(context, token)) return true;
  return describesActivities(context.segment, token.key);
}

/** Whether a word is part of what a trade or goods are called. */
function isNamed({ key }: Token): boolean {
  const { trades, goods, roles } = lexicon();
  return [trades, goods, roles, ROLES_BEHIND].some((names) => names.written(key) !== undefined);
}

/** Whether a word is known for something else than a trade or goods; places take longest to ask. */
function isKnownElsewhere({ gazetteer }: SpellingContext, token: Token): boolean {
  const { folded, key } = token;
  if (FILTER_PHRASES.written(key) !== undefined) return true;
  if (COMMON_WORDS.has(folded) || COMMON_WORDS.has(key)) return true;
  if (isFillerWord(token) || isGiveaway(token)) return true;
  return gazetteer.places.has(folded) || gazetteer.places.has(key);
}

/** Words after which the name of one company may stand. */
const NAMING = new Set(
  (
    "chamada chamadas chamado chamados nome nomes denominada razao fantasia marca named called " +
    "name brand intitulada sigla"
  ).split(" "),
);
/** How far behind them. */
const NAME_WORDS_MAX = 4;
const QUOTES = "\"'“”„«»‘’";

/** Names of companies are not corrected: in quotation marks, behind "chamada", in capitals. */
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
 * The guess that is better than all others: the nearer one; then the one that is part of a longer
 * name around it, then what is better known (`weight`). Null where another word is as good; beside
 * a trade or a small place that stands alone any other word that is as near is as good.
 */
function bestOf(guesses: readonly Guess[], unknown: string): Guess | null {
  // Of those that mean the same, one with the same letters is nearest to what was written.
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

/** Singular and plural, and names with the same first code, mean the same. */
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
