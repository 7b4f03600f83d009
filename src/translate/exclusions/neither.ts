/**
 * Alternatives that a negation reaches together: "que não sejam MEI ou do Simples". Input: a
 * sentence, a negator, and an item that "ou" joins to one that it reaches. Output: true if neither
 * is wanted.
 * Invariant: known from the words alone; only qualities of companies are left out together.
 * Apart because the pass over all negations fills its file.
 */
import { type ItemKind, itemEnd, kindAt } from "../items.ts";
import { ALTERNATIVES, ARTICLES, BEING, EXCLUDE, IS_OUT, NOT, OF } from "../negationwords.ts";
import type { Sentence } from "../words/sentence.ts";

/** What a company is or belongs to, and if it is active. */
const QUALITIES: ReadonlySet<ItemKind> = new Set<ItemKind>([
  ...(["regime", "size", "headquarters", "nature", "status"] as const),
]);
/** Nobody leaves the active ones out in the same breath. */
const ACTIVE = /^(ativ|activ|oper|func)/;
/** Max items of a list up to its "ou". */
const LIST_MAX = 6;

/** An item that is joined, by its first token, and the kind of the one before. */
interface Alternative {
  readonly negator: number;
  readonly kind: ItemKind;
  readonly item: number;
}

/** "exceto filiais ou baixadas": true if neither the item before "ou" nor this one is wanted. */
export function isNeither(sentence: Sentence, { negator, kind, item }: Alternative): boolean {
  if (!QUALITIES.has(kind) && kind !== "other") return false;
  if (!QUALITIES.has(kindAt(sentence, item)) || ACTIVE.test(sentence.folded(item))) return false;
  const word = sentence.folded(negator);
  if (EXCLUDE.has(word)) return !IS_OUT.test(word);
  // "não MEI ou do Simples" may negate the first alone.
  return isNotBeing(sentence, negator);
}

/** True for the negator of "que não sejam". */
export function isNotBeing(sentence: Sentence, negator: number): boolean {
  if (!NOT.has(sentence.folded(negator))) return false;
  // "não é" is folded to "nao e".
  if (sentence.folded(negator + 1) === "e") return true;
  return [-1, 1, 2].some((step) => BEING.has(sentence.folded(negator + step)));
}

/** True for "exceto" and its like, which leave out all that is joined behind them. */
export function isExcept(sentence: Sentence, negator: number): boolean {
  const word = sentence.folded(negator);
  return EXCLUDE.has(word) && !IS_OUT.test(word);
}

/** "sem MEI e filiais", not "sem MEI e pequenas": true for what is hardly wished behind "sem". */
export function isLeftWithout(sentence: Sentence, item: number, kind: ItemKind): boolean {
  if (kind === "regime") return true;
  const word = sentence.folded(item);
  if (kind === "headquarters") return /^(filia|sucursa|branch)/.test(word);
  return kind === "status" && /^(inapt|baixad|suspens|inativ)/.test(word);
}

/** True for a status other than the active one. */
export function isInactive(sentence: Sentence, item: number, kind: ItemKind): boolean {
  return kind === "status" && !ACTIVE.test(sentence.folded(item));
}

/** True if commas join the item at a token to another quality, and "ou" the last of them. */
export function endsWithOr(sentence: Sentence, item: number): boolean {
  for (let [at, left] = [item, LIST_MAX]; left > 0; left--) {
    while (OF.has(sentence.folded(at)) || ARTICLES.has(sentence.folded(at))) at++;
    const kind = kindAt(sentence, at);
    if (!QUALITIES.has(kind)) return false;
    at = itemEnd(sentence, at, kind);
    const isComma = sentence.tokens[at]?.text === ",";
    if (isComma) at++;
    if (ALTERNATIVES.has(sentence.folded(at))) return true;
    if (!isComma) return false;
  }
  return false;
}
