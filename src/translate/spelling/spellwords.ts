/**
 * Every word that a slip of the pen may have been meant for, and the trades whose names are written
 * nearly like an unknown word. Input: the names of places of a snapshot and of the lexicon, and
 * words that everybody uses; reduced words. Output: an index of them, and how each is written;
 * codes of trades, the nearest name first.
 * Invariant: made once per gazetteer or lexicon, when the first unknown word is met; words that
 * everybody uses are in the index but are not corrected to: a slip that is as near to one of them
 * says nothing. Trades are only offered, never searched for.
 */
import { lazy, lazyByKey } from "../../scheduling/lazy.ts";
import { lexicon } from "../activities/lexicon.ts";
import { ROLES_BEHIND } from "../activities/roles.ts";
import { FILTER_PHRASES } from "../filters/table.ts";
import type { Gazetteer } from "../places/gazetteer.ts";
import { foldWord, tokenize } from "../words/tokens.ts";
import { COMMON_WORDS } from "./commonwords.ts";
import { SpellIndex } from "./spelling.ts";

/** Words that may be meant. */
interface SpellWords {
  readonly index: SpellIndex;
  /** How a folded word is written; undefined for one that a slip is not corrected to. */
  written(word: string): string | undefined;
}

/** Returns the words of a gazetteer and of the lexicon, and common words. */
export const spellWords = lazyByKey(makeWords);

function makeWords({ places }: Gazetteer): SpellWords {
  const written = new Map<string, string>();
  /** Folded plurals with their singulars as written. */
  const plurals = new Map<string, string>();
  const { trades, goods, roles } = lexicon();
  for (const { vocabulary } of [trades, goods, roles, ROLES_BEHIND]) {
    for (const [key, text] of vocabulary) {
      const word = foldWord(text);
      if (!written.has(word)) written.set(word, text);
      // Where the lexicon has a plural only, its reduced form stands for the singular; not that of
      // English words in -ns, which is none.
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

/** The usual plural of a word. */
function plural(word: string, plurals: Plurals): string {
  for (const [ending, instead] of plurals) {
    if (word.endsWith(ending)) return word.slice(0, -ending.length) + instead;
  }
  return `${word}s`;
}

function writtenPlural(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  // "Móvel" has its accent already.
  const accented = /[áéíóúâêô]/u.test(word);
  return accented ? plural(word, PLURALS).replace(/éis$/u, "eis") : plural(word, PLURALS);
}

/** Most names that are looked at for one word. */
const NAMES_MAX = 3;

/** Returns the index of the words of trades, which is made on first use. */
export const tradeWords = lazy(() => new SpellIndex(folded(lexicon().trades.vocabulary.values())));

function* folded(words: Iterable<string>): Generator<string> {
  for (const word of words) yield foldWord(word);
}

/** Codes as the lexicon has them of the trades that are called nearly like one of the words. */
export function nearestTrades(words: readonly string[]): string[] {
  const { trades } = lexicon();
  const index = tradeWords();
  const names = words.flatMap((word) => index.nearest(word, { countMax: NAMES_MAX }));
  const codes = [...names]
    .sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1))
    .flatMap(({ word }) => trades.longest(tokenize(word), 0)?.value.codes ?? []);
  return [...new Set(codes)];
}
