/**
 * Franchises, which the registry does not separate. What comes in: a sentence. What goes out:
 * nothing; the word, with the negator that it has, becomes a wish without a filter.
 * Invariant: a word that is all that is sought, or part of a longer name ("franquia dos correios"),
 * is left to the stage of activities. Apart because it goes before the activities, whose
 * negations would else reach from the franchises to what is sought.
 */

import { claimNegation } from "../claimnegation.ts";
import { isInTrade } from "../items.ts";
import { negatorOf } from "../negation.ts";
import type { Sentence } from "../words/sentence.ts";
import type { ActivityContext } from "./activity.ts";

const FRANCHISES = new Set(
  "franquia franquias franqueada franqueadas franchise franchises franchised".split(" "),
);

/** Negators that ended with franchises, by sentence. */
const SPENT = new WeakMap<Sentence, Set<number>>();

/** "no franchises, gyms": whether a negator said all it had to say of the franchises. */
export function isSpent(sentence: Sentence, negator: number): boolean {
  return SPENT.get(sentence)?.has(negator) ?? false;
}

/** Leaves "franquias" where something else is sought, and where they are not wanted. */
export function leaveFranchises(
  { sentence, notes }: ActivityContext,
  tradeEnd: (at: number) => number,
): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const word = sentence.folded(at);
    if (!FRANCHISES.has(word) || !sentence.free(at)) continue;
    if (isInTrade(sentence, at, at + 1)) continue;
    const negator = negatorOf(sentence, at);
    if (negator < 0 && !isOtherSought(sentence, at, tradeEnd)) continue;
    if (negator >= 0) claimNegation(sentence, negator, at);
    if (negator >= 0 && sentence.tokens[at + 1]?.text === ",") {
      SPENT.set(sentence, (SPENT.get(sentence) ?? new Set()).add(negator));
    }
    notes.leave(
      "franchises",
      {
        pt: "A Receita não separa franquias de lojas próprias.",
        en: "The registry does not tell franchises from other companies.",
      },
      sentence.claim(at, at + 1, "unmapped"),
    );
  }
}

function isOtherSought(sentence: Sentence, at: number, tradeEnd: (at: number) => number): boolean {
  return sentence.tokens.some(
    (_, other) => other !== at && sentence.free(other) && tradeEnd(other) > other,
  );
}
