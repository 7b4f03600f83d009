/**
 * Collects the words that a typo may be corrected to. Also finds trades whose names are similar to
 * an unknown word.
 * Input: the place names of a snapshot, the names of the lexicon, and common words; for trades,
 * reduced words. Output: an index of these words with their spellings, and the codes of similar
 * trades, closest name first.
 * Invariant: built once per gazetteer or lexicon, at the first unknown word. Common words are in
 * the index but are never corrections. If the unknown word is as close to a common word as to
 * another word, it is not corrected. Trades are only suggested, never searched.
 */
import { lazy, lazyByKey } from "../../scheduling/lazy.ts";
import { lexicon } from "../activities/lexicon.ts";
import { ROLES_AFTER } from "../activities/roles.ts";
import { FILTER_PHRASES } from "../filters/table.ts";
import type { Gazetteer } from "../places/gazetteer.ts";
import { foldWord, tokenize } from "../words/tokens.ts";
import { COMMON_WORDS } from "./commonwords.ts";
import { SpellIndex } from "./spelling.ts";

/** Candidate words. */
interface SpellWords {
  readonly index: SpellIndex;
  /**
   * Returns the correct spelling of a folded word, or undefined if the word cannot be a correction.
   */
  written(word: string): string | undefined;
}

/**
 * Returns the words of a gazetteer and of the lexicon, and the common words. Built on first use.
 */
export const spellWords = lazyByKey(makeWords);

function makeWords({ places }: Gazetteer): SpellWords {
  const written = new Map<string, string>();
  /** Maps folded plurals to their singulars as written. */
  const plurals = new Map<string, string>();
  const { trades, goods, roles } = lexicon();
  for (const { vocabulary } of [trades, goods, roles, ROLES_AFTER]) {
    for (const [key, text] of vocabulary) {
      const word = foldWord(text);
      if (!written.has(word)) written.set(word, text);
      // If the lexicon has only the plural, the reduced form is the singular. English words in -ns
      // are an exception.
      if (!word.endsWith("s")) plurals.set(plural(word, FOLDED_PLURALS), text);
      else if (!word.endsWith("ns") && !written.has(key)) written.set(key, key);
    }
  }
  for (const word of places.vocabulary.keys()) {
    if (!written.has(word)) written.set(word, word);
  }
  const all = new Set<string>();
  const lists = [written.keys(), plurals.keys(), COMMON_WORDS, FILTER_PHRASES.vocabulary.keys()];
  for (const list of lists) for (const word of list) all.add(word);
  return {
    index: new SpellIndex(all),
    written: (word) => (written.get(word) ?? writtenPlural(plurals.get(word)))?.toLowerCase(),
  };
}

type Plurals = readonly (readonly [ending: string, plural: string])[];

const PLURALS: Plurals = [
  ["ão", "ões"],
  ["m", "ns"],
  ["al", "ais"],
  ["el", "éis"],
  ["ol", "óis"],
  ["ul", "uis"],
  ["il", "is"],
  ["r", "res"],
  ["z", "zes"],
];
const FOLDED_PLURALS: Plurals = PLURALS.map(([one, more]) => [foldWord(one), foldWord(more)]);

function plural(word: string, plurals: Plurals): string {
  for (const [ending, instead] of plurals) {
    if (word.endsWith(ending)) return word.slice(0, -ending.length) + instead;
  }
  return `${word}s`;
}

function writtenPlural(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  // In the plural of a word such as "móvel", the accent stays where it is ("móveis"), so the ending
  // has none.
  const accented = /[áéíóúâêô]/u.test(word);
  return accented ? plural(word, PLURALS).replace(/éis$/u, "eis") : plural(word, PLURALS);
}

/** Maximum number of similar names that are considered for each word. */
const NAMES_MAX = 3;

/** Returns the index of all words in trade names. Built on first use. */
export const tradeWords = lazy(() => new SpellIndex(folded(lexicon().trades.vocabulary.values())));

function* folded(words: Iterable<string>): Generator<string> {
  for (const word of words) yield foldWord(word);
}

/** Returns the codes of trades whose names are similar to a word, the closest name first. */
export function nearestTrades(words: readonly string[]): string[] {
  const { trades } = lexicon();
  const index = tradeWords();
  const names = words.flatMap((word) => index.nearest(word, { countMax: NAMES_MAX }));
  const codes = [...names]
    .sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1))
    .flatMap(({ word }) => trades.longest(tokenize(word), 0)?.value.codes ?? []);
  return [...new Set(codes)];
}
