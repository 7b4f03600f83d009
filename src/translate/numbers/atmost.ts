/**
 * "não mais que 50 padarias": a limit that looks like a negation. What comes in: a sentence and the
 * place of a number or of its "não". What goes out: whether the words are such a limit.
 * Invariant: known from the words alone, whoever took them; only what is counted as companies or
 * is an activity makes it one, so that "não mais de 3 anos" stays a negation.
 */
import { kindAt } from "../items.ts";
import type { Sentence } from "../words/sentence.ts";
import { factorAt, numeralAt } from "./numbers.ts";

const COMPANIES = /^(empresa|companhia|firma|negocio|estabelecimento|lead|contato|resultado)s$/;

/** Whether "não mais que N padarias" begins at a token. */
export function startsAtMost(sentence: Sentence, at: number): boolean {
  if (sentence.folded(at) !== "nao" || sentence.folded(at + 1) !== "mais") return false;
  let number = at + 2;
  if (sentence.folded(number) === "do") number++;
  if (!["de", "que"].includes(sentence.folded(number))) return false;
  const count = numeralAt(sentence, number + 1);
  if (count === null) return false;
  const counted = count.to + (factorAt(sentence, count.to) === 1 ? 0 : 1);
  return COMPANIES.test(sentence.folded(counted)) || kindAt(sentence, counted) === "activity";
}

/** Where the "não" of the number at a token stands; -1 where no such limit reaches it. */
export function atMostBefore(sentence: Sentence, number: number): number {
  const start = number - (sentence.folded(number - 2) === "do" ? 4 : 3);
  return start >= 0 && startsAtMost(sentence, start) ? start : -1;
}
