/**
 * Words that compare: "mais de 10", "pelo menos uma". What comes in: a sentence and a place in it.
 * What goes out: where such words begin or lead to.
 * Invariant: only free words count, and a number is always behind them; nothing is claimed.
 */
import type { Sentence } from "../words/sentence.ts";
import { numberAt } from "./numbers.ts";

const COMPARING = new Set(
  (
    "mais de|mais que|menos de|menos que|acima de|abaixo de|pelo menos|ao menos|no minimo|" +
    "no maximo|more than|less than|fewer than|at least"
  ).split("|"),
);

/**
 * Where the number behind "mais de", "pelo menos" stands that begin at a token: without them the
 * number would say something else. The token itself where none do.
 */
export function comparedAt(sentence: Sentence, at: number): number {
  const [first, second] = [sentence.folded(at), sentence.folded(at + 1)];
  if (!COMPARING.has(`${first} ${second}`)) return at;
  const number = at + 2;
  for (let i = at; i <= number; i++) if (!sentence.free(i)) return at;
  const counted = sentence.tokens[number]?.kind === "number" || numberAt(sentence, number) !== null;
  return counted ? number : at;
}

/** Where "mais de uma" begins that stands right before a token; the token itself else. */
export function comparedBefore(sentence: Sentence, at: number): number {
  return at >= 3 && comparedAt(sentence, at - 3) === at - 1 ? at - 3 : at;
}
