/**
 * The word "capital", which is a city or money. What comes in: a sentence and the place of the
 * word. What goes out: which of the two it is.
 * Invariant: known from the few words around it, whoever took them.
 */
import { isInTrade } from "../items.ts";
import type { Sentence } from "../words/sentence.ts";

/** Words after which "capital" is money: "capital social", "capital acima de". */
const MONEY_AFTER = new Set(
  (
    "social giro aberto fechado estrangeiro estrangeira minimo maximo integralizado " +
    "integralizada acima abaixo superior inferior entre maior menor ate humano inicial " +
    "registrado declarado stock above below over under between of and e"
  ).split(" "),
);
const MONEY_BEFORE = new Set(
  "maior maiores menor menores com sem por pelo muito pouco alto baixo share mercado with".split(
    " ",
  ),
);

const AMOUNT_WORDS = new Set(
  "mil k mi milhao milhoes bilhao bilhoes reais crescente decrescente ordem".split(" "),
);

const MONEY_WORDS = /^(mil|k|mi|milhao|milhoes|bilhao|reais|real|thousand|millions?|billion)$/;

/** Whether "capital" at a token is money and no city. */
export function isMoney(sentence: Sentence, at: number): boolean {
  if (isInTrade(sentence, at, at + 1)) return true;
  const next = sentence.folded(at + 1);
  const after = next === "de" ? sentence.folded(at + 2) : next;
  const amount = [1, 2, 3].some((step) => sentence.tokens[at + step]?.kind === "number");
  const joins = after === "e" || after === "and" || after === "of";
  // "100 mil de capital", "ordem decrescente de capital".
  const of = ["de", "do"].includes(sentence.folded(at - 1)) && sentence.tokens[at - 2];
  const counted = of && (of.kind === "number" || AMOUNT_WORDS.has(of.folded));
  // "1 million in capital", "500 mil reais em capital"
  const into = ["in", "em"].includes(sentence.folded(at - 1)) && sentence.tokens[at - 2];
  const amounts = into && (into.kind === "number" || MONEY_WORDS.test(into.folded));
  if (counted || amounts) return true;
  return amount || (MONEY_AFTER.has(after) && !joins) || MONEY_BEFORE.has(sentence.folded(at - 1));
}
