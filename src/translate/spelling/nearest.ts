/**
 * Trades whose names are written nearly like a word that nobody knows. What comes in: reduced
 * words. What goes out: codes of those trades, the nearest name first.
 * Invariant: only offered, never searched for; the index is made when it is first asked for. Apart
 * because it is asked by activities and knows of spelling only.
 */
import { lazy } from "../../scheduling/lazy.ts";
import { lexicon } from "../activities/lexicon.ts";
import { foldWord, tokenize } from "../words/tokens.ts";
import { SpellIndex } from "./spelling.ts";

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
