/**
 * The word "no": "in the" in Portuguese, a negation in English and Spanish. What comes in: a
 * sentence. What goes out: nothing; a "no" that negates is read as a word that does nothing else.
 * Apart because it needs the language of the words around, which no other spelling does.
 * Invariant: in a Portuguese sentence it stays what it is ("no Simples", "no MEI") unless the words
 * behind it can only be English, or are no masculine singular; what it leads to decides, too: a
 * place is never negated.
 */
import { FILTER_PHRASES } from "../filters/table.ts";
import { kindAt } from "../items.ts";
import { languageOf } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Wishes that only English says so, and those that no "no" of Portuguese stands before. */
const NEVER_IN = wordSet(
  "phone phones email emails mail contact contacts branch branches mobile mobiles cell cellphone " +
    "cellphones landline landlines filiais filial sucursales meis matrizes telefones celulares " +
    "franchises",
);
/** "no e-mail" may be Portuguese: "com silva no email" names where words stand. */
const EITHER = wordSet("email emails mail");
/** Words of English between "no" and what it leaves out. */
const BETWEEN = wordSet("own shared valid fixed small large medium public personal");
/** Words that compare, before "than". */
const COMPARES = wordSet("more less fewer later earlier older younger bigger larger smaller");

/** What a contact is not, behind it. */
const QUALITY = /^(?:compartilhad|repetid)[oa]s?$/;

/** Reads every "no" that negates; `spanish` tells that the sentence has Spanish words. */
export function readNegativeNo(sentence: Sentence, spanish: boolean): void {
  const { tokens } = sentence;
  const isNo = (at: number) => tokens[at]?.text.toLowerCase() === "no";
  if (!tokens.some((_, at) => isNo(at) && sentence.folded(at) === "no")) return;
  const others = tokens.filter((_, at) => !isNo(at)).map(({ folded }) => folded);
  const english = !spanish && languageOf(others) === "en";
  for (let at = 0; at < tokens.length; at++) {
    if (!isNo(at) || sentence.folded(at) !== "no") continue;
    const compares = COMPARES.has(sentence.folded(at + 1)) && sentence.folded(at + 2) === "than";
    if (compares) sentence.readAs(at, "not");
    // "correo no compartido"
    else if (spanish && QUALITY.test(sentence.folded(at + 1))) sentence.readAs(at, "nao");
    if (sentence.folded(at) !== "no" || !isNegative(sentence, at, spanish || english)) continue;
    const trade = kindAt(sentence, at + 1) === "activity";
    const [es, en] = trade ? ["exceto", "except"] : ["sem", "without"];
    sentence.readAs(at, spanish ? es : en);
  }
}

function isNegative(sentence: Sentence, at: number, foreign: boolean): boolean {
  const next = sentence.folded(at + 1);
  if (next === "") return false;
  if (NEVER_IN.has(next) && (foreign || !EITHER.has(next))) return true;
  if (!foreign) return false;
  const own = BETWEEN.has(next) ? at + 2 : at + 1;
  if (sentence.folded(own) === "e" && sentence.folded(own + 1) === "mail") return true;
  const wish = FILTER_PHRASES.longest(sentence.tokens, own);
  if (wish !== null) return wish.value.role !== "sort";
  return kindAt(sentence, own) === "activity" && sentence.folded(own).endsWith("s");
}
