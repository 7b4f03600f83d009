/**
 * Words that negate. What comes in: a sentence and a place in it. What goes out: whether the word
 * there excludes what follows it.
 * Invariant: known from the few words around it, whoever took them; "menos de 2 anos", "pelo menos"
 * and "minerais não metálicos" exclude nothing.
 */
import { isInTrade } from "./items.ts";
import { EXCLUDE, MAY_NEGATE, NOT, REGARDLESS, WITHOUT } from "./negationwords.ts";
import { startsAtMost } from "./numbers/atmost.ts";
import { numberAt } from "./numbers/numbers.ts";
import type { Sentence } from "./words/sentence.ts";

/** One set, because every word of a sentence is looked up in it many times. */
const NEGATORS: ReadonlySet<string> = new Set([...NOT, ...WITHOUT, ...EXCLUDE, ...REGARDLESS]);

/** True if a folded word may negate without regard to its neighbors. */
export function isNegatorWord(word: string): boolean {
  return NEGATORS.has(word);
}

/** True if a folded word may negate together with its neighbors. */
export function mayNegate(word: string): boolean {
  return NEGATORS.has(word) || MAY_NEGATE.has(word);
}

/** Whether a token excludes what follows; "menos de 2 anos" and "pelo menos" compare instead. */
export function isNegator(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  if (!mayNegate(word)) return false;
  const [before, next] = [sentence.folded(at - 1), sentence.folded(at + 1)];
  if (word === "menos") {
    const of = ["de", "do"].includes(next) && isCounted(sentence, at + 2);
    const compares = of || ["que", "um", "uma"].includes(next);
    return !compares && !["pelo", "ao", "ou", "nada", "ainda", "com", "ha"].includes(before);
  }
  if (isInstead(sentence, at)) return true;
  if (startsAtMost(sentence, at)) return false;
  // One that negates is read as "without" or "sem" before.
  if (word === "no") return false;
  // "minerais não metálicos"
  return isNegatorWord(word) && !isInTrade(sentence, at, at + 1);
}

/** "em vez de", "ao invés de", "no lugar de", "instead of": begins at the first of its words. */
function isInstead(sentence: Sentence, at: number): boolean {
  const of = ["de", "do", "da", "dos", "das", "of"];
  const [word, next] = [sentence.folded(at), sentence.folded(at + 1)];
  // "nada de atacado"
  if (word === "instead" || word === "nada") return of.includes(next);
  const said = INSTEAD.has(`${word} ${next}`);
  return said && of.includes(sentence.folded(at + 2));
}

const INSTEAD = new Set(["em vez", "ao inves", "em lugar", "no lugar"]);

/** "menos de 2 anos" compares; "menos de SP" excludes. */
function isCounted(sentence: Sentence, at: number): boolean {
  const number = sentence.tokens[at]?.kind === "number" || numberAt(sentence, at) !== null;
  return number || ["r", "rs", "us", "mil", "meio", "meia"].includes(sentence.folded(at));
}
