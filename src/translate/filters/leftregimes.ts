/**
 * Recognizes regimes that companies have left: "que saíram do Simples", "desenquadradas do MEI".
 * Input: a sentence in which every word is assigned to the stage that read it. Output: a note,
 * because the registry has only the current regime, and most companies outside of it were never in
 * it.
 * Invariant: a word for leaving counts only before a regime and if not negated ("não saíram do
 * Simples").
 * On its own because it reads the results of all other stages.
 */

import { reachOf } from "../negation.ts";
import { NOT } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import { HISTORY } from "./phrase.ts";

const LEFT =
  /^(?:desenquadrad[ao]s?|sairam|saiu|deixaram|deixou|left|exited|dejaron|dejo|salieron|salio)$/;
/** Matches "excluídas" in "excluídas do Simples". Without "do", it is an exclusion. */
const PUT_OUT = /^(?:excluid[ao]s?|retirad[ao]s?|removed|expelled|excluded)$/;
const FROM = /^(?:do|da|del|from)$/;
const SMALL = /^(?:o|a|os|as|do|da|de|del|el|the|ser|being|be|from|regime|regimen)$/;
/** Maximum words between a word for leaving and its regime. */
const BETWEEN_MAX = 4;

/** Adds a note for every regime that companies have left. Returns true if there is one. */
export function unmapLeftRegimes(sentence: Sentence, notes: Notes): boolean {
  let isFound = false;
  for (let at = 1; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind === "mark" || sentence.owner(at) !== "regime") continue;
    if (sentence.owner(at - 1) === "regime") continue;
    const cause = causeBefore(sentence, at);
    if (cause < 0 || isTurned(sentence, cause)) continue;
    notes.addUnmapped(HISTORY.code, HISTORY, sentence.words(cause, at + 1));
    isFound = true;
  }
  return isFound;
}

/** Returns the position of the word for leaving a regime, or -1 if there is none. */
function causeBefore(sentence: Sentence, regime: number): number {
  const { negator } = reachOf(sentence, regime);
  if (negator >= 0 && negator < regime && isLeaving(sentence, negator)) return negator;
  for (let at = regime - 1; at >= Math.max(0, regime - 1 - BETWEEN_MAX); at--) {
    if (isLeaving(sentence, at)) return at;
    if (!SMALL.test(sentence.folded(at))) return -1;
  }
  return -1;
}

function isLeaving(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  return LEFT.test(word) || (PUT_OUT.test(word) && FROM.test(sentence.folded(at + 1)));
}

/** True if the word for leaving is negated: "não saíram do Simples" means still in Simples. */
function isTurned(sentence: Sentence, cause: number): boolean {
  return [1, 2, 3].some((back) => NOT.has(sentence.folded(cause - back)));
}
