/**
 * Candidate corrections for an unknown word.
 * Input: a sentence and its unknown word. Output: similarly spelled known words with evidence.
 * Invariant: a guess completes a known name in that position or is a common word (never a
 * correction). At most `TRIED_MAX` candidates are tried per unknown word.
 */

import { STATE_NAMES } from "../../spec/states.ts";
import { lexicon } from "../activities/lexicon.ts";
import { ROLES_BEHIND } from "../activities/roles.ts";
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

/** What is looked at. */
interface GuessContext {
  readonly sentence: Sentence;
  readonly gazetteer: Gazetteer;
  readonly segment: { readonly accounts: number };
}

/** A word that may be meant. */
export interface Guess extends NearWord {
  /** What it would mean; null for a word that everybody uses. */
  readonly value: unknown;
  /** As it is written; null for a word that is not corrected to. */
  readonly written: string | null;
  /** How much speaks for it beside its nearness. */
  readonly weight: number;
}

/** The name that stands around a word if that is read as another. */
interface NameAround {
  /** Null for a name of the lexicon. */
  readonly place: Place | null;
  readonly from: number;
  readonly to: number;
  /** Telling words of the name. */
  readonly words: number;
  /** What it stands for, to be compared. */
  readonly value: unknown;
}

/** A city with this share of all accounts is known without a word that leads to it. */
const WELL_KNOWN = 0.004;
/** Words before and behind a word that may belong to the same name. */
const REACH = 7;
/** Most of the nearest words that are tried. */
const TRIED_MAX = 24;

/**
 * What speaks for a guess: that it is part of a longer name; a state, a region, a capital or a
 * large city; a trade or goods; that "em" leads to it; a small place.
 */
export const WEIGHTS = { context: 8, known: 4, trade: 3, led: 2, rare: 1 } as const;

/**
 * Returns the guesses for an unknown word, words that everybody uses among them; none if no guess
 * can be corrected to. Words further away than the nearest such guess decide nothing.
 */
export function guessesOf(context: GuessContext, at: number): readonly Guess[] {
  const { folded, text } = context.sentence.tokens[at] as Token;
  if (folded.length < NEAR_LENGTH_MIN) return guessed(context, at, continued(context, at));
  const near = nearOf(context);
  // A capital within a sentence begins a name, and names that nobody knows must stay unknown.
  const distanceMax = at > 0 && text !== text.toLowerCase() ? 1 : 2;
  // Few words begin so, and a slip is corrected to no others (weightOf).
  const likely = near(folded, distanceMax, folded.slice(0, 2));
  const nearest = guessed(context, at, likely).find(({ written }) => written !== null)?.distance;
  if (nearest === undefined) return [];
  return guessed(context, at, near(folded, nearest));
}

/** Looks near words up; the same word of a sentence is looked up once. */
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

/** A near word as a guess; null where it makes no name. */
function guessOf(context: GuessContext, at: number, near: NearWord): Guess | null {
  const { places } = context.gazetteer;
  const { word } = near;
  const wish = wishGuess(context, at, near);
  if (wish !== null) return wish;
  const shown = spellWords(context.gazetteer).written(word);
  if (shown === undefined) return { ...near, value: null, written: null, weight: WEIGHTS.trade };
  const name = nameAround(context, at, word);
  if (name === null) return null;
  const weight = weightOf(context, at, { ...near, name });
  // What makes a name by no usual slip is not corrected to, but says that others are not sure.
  if (weight === 0) return { ...near, value: name.value, written: null, weight: WEIGHTS.rare };
  const asPlace = name.place === null ? undefined : places.vocabulary.get(word);
  return { ...near, value: name.value, written: asPlace ?? shown, weight };
}

/** Words by which wishes are said, which a slip may have been meant for. */
const WISH_WORDS = new Set(
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
/** Shortest slip that is read as one of them. */
const WISH_LENGTH_MIN = 5;

/** A slip in a word of a wish: "emial", "exeto"; null for all else. */
function wishGuess({ sentence }: GuessContext, at: number, near: NearWord): Guess | null {
  const { folded, text } = sentence.tokens[at] as Token;
  const { word, distance } = near;
  if (!WISH_WORDS.has(word) || distance > 1 || folded.length < WISH_LENGTH_MIN) return null;
  if (text !== text.toLowerCase() || !isLikelySlip(folded, word, distance)) return null;
  return { ...near, value: word, written: word, weight: WEIGHTS.known };
}

/** Words of three letters only within long names of places: "São José do Riu Preto". */
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
 * The longest name around a word if it is read as `folded`; of a trade and a place of the same
 * length the place behind "em", else the trade.
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
    for (const names of [trades, goods, roles, ROLES_BEHIND, gazetteer.places]) {
      // A name that ends before the word is the same, however the word is read.
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

/** A near word with the name that it makes. */
interface Read extends NearWord {
  readonly name: NameAround;
}

/** Shortest word that is taken for a place, and for a trade, and for a trade behind "em". */
const PLACE_LENGTH_MIN = 6;
const TRADE_LENGTH_MIN = 5;
const LED_TRADE_LENGTH_MIN = 8;
/** Words of a name in which a word of three letters may be wrong. */
const SHORT_WORDS_MIN = 3;
/** So long a name of a small place is meant whatever the slip is. */
const LONG_LENGTH_MIN = 10;

/** How much speaks for a guess; 0 for too little. */
function weightOf(context: GuessContext, at: number, read: Read): number {
  const { folded, text } = context.sentence.tokens[at] as Token;
  const { word, distance, name } = read;
  const joined = name.words > 1 ? WEIGHTS.context : 0;
  if (folded.length < NEAR_LENGTH_MIN && name.words < SHORT_WORDS_MIN) return 0;
  if (name.place === null) {
    if (!isLikelySlip(folded, word, distance)) return 0;
    const long = folded.length >= TRADE_LENGTH_MIN || isSwapped(folded, word);
    if (joined > 0) return long ? joined + WEIGHTS.trade : 0;
    // Behind "em" a place is meant, unless the word is too long to be another one by chance.
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

/** Names of cities that are ordinary words; adjectives of places are none. */
function isOrdinary({ demonymStates, demonymCities }: Place, word: string): boolean {
  return demonymStates.length + demonymCities.length === 0 && ORDINARY.has(word);
}

/** What joins places of a list. */
const LISTING = new Set(["e", "ou", "and", "or", ","]);

function isWellKnown({ segment }: GuessContext, place: Place): boolean {
  if (place.states.length + place.demonymStates.length > 0) return true;
  const cities = [...place.cities, ...place.nicknamed, ...place.demonymCities];
  return cities.some((city) => city.capital || city.accounts > segment.accounts * WELL_KNOWN);
}

/** Whether the words around say that a place stands there: "em", "cidade de", "/SC", a list. */
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
