/**
 * What is left out in one place only: "padarias em SP, exceto MEI em Santos". Input: a sentence in
 * which every word has an owner, and the places that are wished. Output: a note, because a filter
 * leaves something out everywhere or not at all.
 * Invariant: only a place right behind an excluded item, with a place before the exclusion as well;
 * a comma between the item and its place ends the exclusion ("exceto MEI, em Santos").
 * Apart because it looks at all that others took, when they have taken it.
 */
import { reachOf } from "./negation.ts";
import type { Notes } from "./notes.ts";
import type { Sentence } from "./words/sentence.ts";

/** Max words between an excluded item and its place: "MEI que ficam no bairro Centro de". */
const BETWEEN_MAX = 12;

const THERE = {
  pt: "Nenhum filtro exclui algo só num lugar: busque cada lugar à parte.",
  en: "No filter leaves something out in one place only: search each place on its own.",
};

/** Notes an exclusion that holds in one of several places; true if there is one. */
export function leaveExcludedThere(
  sentence: Sentence,
  notes: Notes,
  sought: readonly { readonly from: number; readonly to: number }[],
): boolean {
  const first = sentence.tokens.findIndex((_, at) => isPlace(sentence, at));
  for (const { from, to } of sought) {
    const negator = negatorBefore(sentence, from);
    if (negator < 0 || first < 0 || first >= negator) continue;
    notes.leave("excluded_there", THERE, sentence.words(negator, to));
    return true;
  }
  return false;
}

function isPlace(sentence: Sentence, at: number): boolean {
  return sentence.owner(at) === "place" && reachOf(sentence, at).polarity === "plain";
}

/** The negator of the item right before a place; -1 if the item is wished. */
function negatorBefore(sentence: Sentence, place: number): number {
  for (let at = place - 1; at >= Math.max(0, place - BETWEEN_MAX); at--) {
    const owner = sentence.owner(at);
    if (sentence.tokens[at]?.kind === "mark" || owner === "negation") return -1;
    const { polarity, negator } = reachOf(sentence, at);
    const isItem = owner !== "filler" && owner !== "place";
    if (isItem) return polarity === "negated" && negator < at ? negator : -1;
  }
  return -1;
}
