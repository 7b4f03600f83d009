/**
 * Names of places that hold a word which turns things round: Juiz de Fora, Sem-Peixe, Não-Me-Toque.
 * What comes in: a sentence and the gazetteer. What goes out: where such names stand, their words
 * being names from then on.
 * Invariant: found before anything else is read, so that no "fora" of a name ever negates; a name
 * that begins with such a word needs a sign, for "restaurantes sem peixe" is a wish.
 * Apart because it comes before every other stage, and the rest of places behind them.
 */
import { isNegatorWord } from "../negators.ts";
import type { Sentence } from "../words/sentence.ts";
import type { PlaceContext } from "./mention.ts";
import type { PlaceMatch } from "./placenames.ts";
import { isCapitalised, isStateBeside } from "./placesigns.ts";
import { isIn } from "./placewords.ts";

/** Most words of a name before the one that negates. */
const REACH = 4;

/** The names by their first token. */
export function firmNames(context: PlaceContext): ReadonlyMap<number, PlaceMatch> {
  const { sentence } = context;
  const found = new Map<number, PlaceMatch>();
  for (let at = 0; at < sentence.tokens.length; at++) {
    const match = isNegatorWord(sentence.folded(at)) ? nameAround(context, at) : null;
    if (match === null) continue;
    sentence.name(match.from, match.to);
    found.set(match.from, match);
    at = match.to - 1;
  }
  return found;
}

/** The name that holds a token, where it cannot be anything else. */
function nameAround(context: PlaceContext, at: number): PlaceMatch | null {
  const { sentence, gazetteer } = context;
  for (let from = Math.max(0, at - REACH); from <= at; from++) {
    const match = gazetteer.places.longest(sentence.tokens, from);
    if (match === null || match.to <= at || match.words < 2) continue;
    if (from < at || isSaid(sentence, match)) return match;
  }
  return null;
}

/** "em Sem Peixe", "Sem-Peixe", "sem peixe mg". */
function isSaid(sentence: Sentence, match: PlaceMatch): boolean {
  const { from } = match;
  const [first, second] = [sentence.tokens[from], sentence.tokens[from + 1]];
  const hyphened = sentence.text.slice(first?.end, second?.start).trim() === "-";
  return (
    hyphened ||
    isIn(sentence.folded(from - 1)) ||
    isCapitalised(sentence, from + 1) ||
    isStateBeside(sentence, match)
  );
}
