/**
 * Claims the words of a negation. Input: a sentence, a negator and the item that it reaches. The
 * negator and the small words up to the item belong to the negation afterwards.
 * Invariant: the work for all items of one negator grows with the words between them and it, not
 * with their product.
 */
import { BETWEEN, EXCLUDE, OPENERS } from "./negationwords.ts";
import { isNegator, mayNegate } from "./negators.ts";
import type { Sentence } from "./words/sentence.ts";

/** Takes the negator of the item at a token, and the small words between them. */
export function claimNegation(sentence: Sentence, negator: number, at: number): void {
  // "que não são nem MEI nem do Simples": the first of two that say it once.
  let first = negator;
  while (
    sentence.folded(negator) === "nem" &&
    first > negator - 3 &&
    BETWEEN.has(sentence.folded(first - 1))
  )
    first--;
  const twice = first < negator || sentence.folded(negator) === "nem";
  if (twice && sentence.folded(first - 1) === "nao" && sentence.free(first - 1)) {
    sentence.claim(first - 1, first, "negation");
  }
  const claimed = claimedBehind(sentence, negator);
  const open = claimed.open.splice(0);
  for (; claimed.to < Math.max(at, negator + 1); claimed.to++) open.push(claimed.to);
  for (const i of open) {
    if (!sentence.free(i)) continue;
    const small = i === negator || isNegator(sentence, i) || BETWEEN.has(sentence.folded(i));
    const word = small || OPENERS.has(sentence.folded(i)) || EXCLUDE.has(sentence.folded(i));
    if (word) sentence.claim(i, i + 1, "negation");
    else if (mayNegate(sentence.folded(i))) claimed.open.push(i);
  }
}

/** The words behind a negator that were looked at for one of its items. */
interface Claimed {
  to: number;
  /** Those that may still become negators, when a number behind them is taken. */
  readonly open: number[];
}

interface AllClaimed {
  readonly revision: number;
  readonly byNegator: Map<number, Claimed>;
}

const CLAIMED = new WeakMap<Sentence, AllClaimed>();

/** A negator may reach a hundred items; the words before each are not gone over again. */
function claimedBehind(sentence: Sentence, negator: number): Claimed {
  let all = CLAIMED.get(sentence);
  if (all?.revision !== sentence.revision) {
    all = { revision: sentence.revision, byNegator: new Map() };
    CLAIMED.set(sentence, all);
  }
  const known = all.byNegator.get(negator) ?? { to: negator, open: [] };
  all.byNegator.set(negator, known);
  return known;
}
