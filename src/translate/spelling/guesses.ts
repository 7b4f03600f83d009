/**
 * Finds candidate corrections for an unknown word.
 * Input: a sentence and its unknown word. Output: known words of similar spelling, with evidence.
 * Invariant: a guess either completes a known name at that position or is a common word, which is
 * never a correction. At most `TRIED_MAX` candidates are tried for each unknown word.
 */

import { STATE_NAMES } from "../../spec/states.ts";
import { lexicon } from "../activities/lexicon.ts";
import { ROLES_AFTER } from "../activities/roles.ts";
import type { Gazetteer } from "../places/gazetteer.ts";
import type { Place } from "../places/placenames.ts";
import { isIn, leadOf, ORDINARY } from "../places/placewords.ts";
import { looksAt } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import { reduce, type Token } from "../words/tokens.ts";
import {
  isLikelySlip,
  isSwapped,
  isUsualSlip,
  NEAR_LENGTH_MIN,
  type NearWord,
  slipsBetween,
} from "./spelling.ts";
import { spellWords } from "./spellwords.ts";

interface GuessContext {
  readonly sentence: Sentence;
  readonly gazetteer: Gazetteer;
  readonly segment: { readonly accounts: number };
}

/** A candidate word. */
export interface Guess extends NearWord {
  /** Meaning of the name that the guess completes; null for a common word. */
  readonly value: unknown;
  /** The correct spelling; null if the guess cannot be a correction. */
  readonly written: string | null;
  /** How strong the evidence for the guess is, apart from the edit distance. */
  readonly weight: number;
}

/** The name that contains the unknown word if it is replaced by a guess. */
interface NameAround {
  /** The place that the name means; null for a name of the lexicon. */
  readonly place: Place | null;
  readonly from: number;
  readonly to: number;
  /** Number of words in the name, without small words. */
  readonly words: number;
  /** Meaning of the name, by which guesses are compared. */
  readonly value: unknown;
}

/** Minimum share of all accounts of a city whose name needs no word such as "em" before it. */
const WELL_KNOWN = 0.004;
/** Maximum words of a name before and after one of its words. */
const REACH = 7;
/** Maximum number of candidates that are tried. */
const TRIED_MAX = 24;

/**
 * Weights of the evidence for a guess. `context`: it is part of a longer name. `known`: a state,
 * region, capital, or large city. `trade`: a trade or goods. `led`: words such as "em" precede it.
 * `rare`: a small place.
 */
export const WEIGHTS = { context: 8, known: 4, trade: 3, led: 2, rare: 1 } as const;

/**
 * Returns the guesses for an unknown word, including common words. Returns none if no guess can be
 * a correction. Candidates farther away than the closest correction are left out.
 */
export function guessesOf(context: GuessContext, at: number): readonly Guess[] {
  const { folded, text } = context.sentence.tokens[at] as Token;
  if (folded.length < NEAR_LENGTH_MIN) return guessed(context, at, continued(context, at));
  const near = nearOf(context);
  // A capital letter within a sentence suggests the name of a company, which must stay as it is, so
  // only one edit is allowed.
  const distanceMax = at > 0 && text !== text.toLowerCase() ? 1 : 2;
  // The first search covers only the few words that begin with the first or second letter of the
  // unknown word. It finds the distance of the nearest correction. The second search covers all
  // words up to this distance.
  const likely = near(folded, distanceMax, folded.slice(0, 2));
  const nearest = guessed(context, at, likely).find(({ written }) => written !== null)?.distance;
  if (nearest === undefined) return [];
  return guessed(context, at, near(folded, nearest));
}

/**
 * Returns known words near a word. A word that is repeated in the sentence is looked up only once.
 */
type Near = (word: string, distanceMax: number, initials?: string) => readonly NearWord[];

const NEAR = new WeakMap<Sentence, Near>();

function nearOf({ sentence, gazetteer }: GuessContext): Near {
  const known = NEAR.get(sentence);
  if (known !== undefined) return known;
  const { index } = spellWords(gazetteer);
  const found = new Map<string, readonly NearWord[]>();
  const near: Near = (word, distanceMax, initials) => {
    const key = `${word} ${distanceMax} ${initials ?? ""}`;
    let words = found.get(key);
    if (words === undefined) {
      const limits = { distanceMax, countMax: TRIED_MAX };
      words = index.nearest(word, initials === undefined ? limits : { ...limits, initials });
      found.set(key, words);
    }
    return words;
  };
  NEAR.set(sentence, near);
  return near;
}

function guessed(context: GuessContext, at: number, near: readonly NearWord[]): readonly Guess[] {
  return near.flatMap((one) => {
    const guess = guessOf(context, at, one);
    return guess === null ? [] : [guess];
  });
}

/** Returns a similar word as a guess, or null if it completes no name at this position. */
function guessOf(context: GuessContext, at: number, near: NearWord): Guess | null {
  const { places } = context.gazetteer;
  const { word } = near;
  const guess = requestWordGuess(context, at, near);
  if (guess !== null) return guess;
  const shown = spellWords(context.gazetteer).written(word);
  if (shown === undefined) return { ...near, value: null, written: null, weight: WEIGHTS.trade };
  const name = nameAround(context, at, word);
  if (name === null) return null;
  const weight = weightOf(context, at, { ...near, name });
  // The evidence for this name is too weak, so it is never a correction. If another guess is
  // equally close, no word is corrected.
  if (weight === 0) return { ...near, value: name.value, written: null, weight: WEIGHTS.rare };
  const asPlace = name.place === null ? undefined : places.vocabulary.get(word);
  return { ...near, value: name.value, written: asPlace ?? shown, weight };
}

/** Words of requests that may be misspelled. */
const REQUEST_WORDS = new Set(
  (
    "email telefone telefones whatsapp celular contato capital social desde exceto abertas " +
    "abertos " +
    "aberta ativas ativos baixadas baixadas fechadas inativas inaptas suspensas matriz matrizes " +
    "filial filiais simples nacional optantes pequenas pequenos grandes medias microempresas " +
    "empresas maiores menores recentes antigas ordenadas cidade municipio capitais janeiro " +
    "fevereiro setembro outubro novembro dezembro cooperativas associacoes condominios limitada " +
    "excluindo depois antes entre acima abaixo"
  ).split(" "),
);
/** Minimum length of a misspelled word that is read as a word of a request. */
const REQUEST_WORD_MIN = 5;

/**
 * Returns a guess if the word is a typo of a word of a request ("emial", "exeto"), otherwise null.
 */
function requestWordGuess({ sentence }: GuessContext, at: number, near: NearWord): Guess | null {
  const { folded, text } = sentence.tokens[at] as Token;
  const { word, distance } = near;
  if (!REQUEST_WORDS.has(word) || distance > 1 || folded.length < REQUEST_WORD_MIN) return null;
  if (text !== text.toLowerCase() || !isLikelySlip(folded, word, distance)) return null;
  return { ...near, value: word, written: word, weight: WEIGHTS.known };
}

/**
 * Returns words near a word of three letters, but only those that continue a longer place name:
 * "São José do Riu Preto".
 */
function continued({ sentence, gazetteer }: GuessContext, at: number): readonly NearWord[] {
  const { folded } = sentence.tokens[at] as Token;
  const found = new Set<string>();
  for (let from = at - 1; from >= Math.max(0, at - REACH); from--) {
    for (const word of gazetteer.places.continuations(sentence.tokens, from, at, folded.length)) {
      if (slipsBetween(word, folded, 1) === 1) found.add(word);
    }
  }
  return [...found].sort().map((word) => ({ word, distance: 1 }));
}

/**
 * Returns the longest name around a word if it is read as `folded`. If a trade and a place are
 * equally long, the place wins after "em", otherwise the trade.
 */
export function nameAround(context: GuessContext, at: number, folded: string): NameAround | null {
  const { sentence, gazetteer } = context;
  const start = Math.max(0, at - REACH);
  const tokens = sentence.tokens.slice(start, at + REACH + 1);
  const token = tokens[at - start] as Token;
  tokens[at - start] = { ...token, folded, key: reduce(folded) };
  const { trades, goods, roles } = lexicon();
  let best: NameAround | null = null;
  for (let from = start; from <= at; from++) {
    for (const names of [trades, goods, roles, ROLES_AFTER, gazetteer.places]) {
      // The lookup from `from` stops before the word, so the name that it finds does not depend on
      // the word.
      if (!looksAt(names, sentence.tokens, from, at)) continue;
      const match = names.longest(tokens, from - start);
      if (match === null || match.to + start <= at) continue;
      const place = "place" in match ? match.place : null;
      const first = place !== null && isIn(sentence.folded(from - 1)) ? 1 : 0;
      if (match.words + first <= (best?.words ?? 0)) continue;
      const value = "value" in match ? match.value : place;
      const { words } = match;
      best = { place, value, words, from, to: match.to + start };
    }
  }
  return best;
}

interface Read extends NearWord {
  readonly name: NameAround;
}

/** Minimum length of a typo read as a place, as a trade, and as a trade after "em". */
const PLACE_LENGTH_MIN = 6;
const TRADE_LENGTH_MIN = 5;
const LED_TRADE_LENGTH_MIN = 8;
/** A word of three letters is corrected only in a name of at least this many words. */
const SHORT_WORDS_MIN = 3;
/** From this length on, any kind of typo is accepted in the name of a small place. */
const LONG_LENGTH_MIN = 10;

/** Returns the weight of a guess; 0 if the evidence is too weak. */
function weightOf(context: GuessContext, at: number, read: Read): number {
  const { folded, text } = context.sentence.tokens[at] as Token;
  const { word, distance, name } = read;
  const joined = name.words > 1 ? WEIGHTS.context : 0;
  if (folded.length < NEAR_LENGTH_MIN && name.words < SHORT_WORDS_MIN) return 0;
  if (name.place === null) {
    if (!isLikelySlip(folded, word, distance)) return 0;
    const long = folded.length >= TRADE_LENGTH_MIN || isSwapped(folded, word);
    if (joined > 0) return long ? joined + WEIGHTS.trade : 0;
    // After "em", a place is likelier than a trade. Only a long lowercase word is still read as a
    // typo of a trade.
    const led = leadOf(context.sentence, at).kind === "in";
    if (led && (folded.length < LED_TRADE_LENGTH_MIN || text !== text.toLowerCase())) return 0;
    return long ? WEIGHTS.trade : 0;
  }
  const led = isLed(context, name);
  const known = isWellKnown(context, name.place);
  const weight = (known ? WEIGHTS.known : WEIGHTS.rare) + (led ? WEIGHTS.led : 0);
  if (joined > 0) return word[0] === folded[0] ? joined + weight : 0;
  if (!isLikelySlip(folded, word, distance)) return 0;
  if (folded.length < (known && led ? PLACE_LENGTH_MIN - 1 : PLACE_LENGTH_MIN)) return 0;
  if (!led && (!known || isOrdinary(name.place, word))) return 0;
  const usual = folded.length >= LONG_LENGTH_MIN || isUsualSlip(folded, word);
  return known || (distance === 1 && usual) ? weight : 0;
}

/** True for names of cities that are also ordinary words. False for adjectives of places. */
function isOrdinary({ demonymStates, demonymCities }: Place, word: string): boolean {
  return demonymStates.length + demonymCities.length === 0 && ORDINARY.has(word);
}

const LISTING = new Set(["e", "ou", "and", "or", ","]);

function isWellKnown({ segment }: GuessContext, place: Place): boolean {
  if (place.states.length + place.demonymStates.length > 0) return true;
  const cities = [...place.cities, ...place.nicknamed, ...place.demonymCities];
  return cities.some((city) => city.capital || city.accounts > segment.accounts * WELL_KNOWN);
}

/** True if the words around a name show that it is a place: "em", "cidade de", "/SC". */
function isLed(context: GuessContext, { from, to }: NameAround): boolean {
  const { sentence } = context;
  const lead = leadOf(sentence, from);
  if (lead.kind === "in" || lead.state || lead.states || lead.city || lead.cities) return true;
  if (LISTING.has(sentence.tokens[from - 1]?.folded ?? "")) {
    const last = nameAround(context, from - 2, sentence.folded(from - 2));
    if (last !== null && last.place !== null) return true;
  }
  const skip = ["/", "(", ",", "-"].includes(sentence.tokens[to]?.text ?? "") ? 1 : 0;
  const text = sentence.tokens[to + skip]?.text ?? "";
  return text.length === 2 && text === text.toUpperCase() && STATE_NAMES[text] !== undefined;
}
