/**
 * Customers of the user without the word "lista": "que não são clientes", "exceto meus clientes".
 * Invariant: read as the list of that name only if a verb or "exceto" and its like says clearly
 * whether it is wanted; without such a list the words are left with a remark and never dropped.
 */
import { isExcept } from "../exclusions/neither.ts";
import type { Sentence } from "../words/sentence.ts";
import { BY_HAND, UNCLEAR, WHOSE } from "./listremarks.ts";
import { BEFORE, BEING, CUSTOMERS, LEAVING, LIST, leavesAll, NEGATES } from "./listwords.ts";
import { isJoiner, isPotential, type ListContext, type ListMention } from "./mention.ts";

/** Max words before "clientes" that say something of them. */
const LEAD_MAX = 8;
/** Max words between "exceto" and an item that is joined behind it. */
const EXCEPT_MAX = 12;
/** Words between a verb or "exceto" and "clientes". */
const OWN = /^(?:o|a|os|as|the|meus?|minhas?|nossos?|nossas?|my|our|ja|already|yet|ainda|t|eh)$/;

/** Returns the customers that a token names; null if it asks for nobody else than companies. */
export function customersAt(context: ListContext, at: number): ListMention | null {
  const { sentence } = context;
  if (!CUSTOMERS.has(sentence.folded(at))) return null;
  const lead = leadAt(sentence, at);
  if (lead === null) return null;
  const names = context.known();
  const one = names?.at(sentence, at) ?? null;
  const to = one?.to ?? at + 1;
  if (isPotential(sentence, to) || isOfList(sentence, to)) return null;
  const [first, ...more] = one?.lists ?? [];
  if (names === null || first === undefined || more.length > 0) {
    return { from: at, to, ids: [], why: names === null ? BY_HAND : WHOSE };
  }
  return lead === "clear"
    ? { from: at, to, ids: [first.id] }
    : { from: at, to, ids: [], why: UNCLEAR };
}

/** How the words before say if customers are wanted; null if they do not. */
function leadAt(sentence: Sentence, at: number): "clear" | "open" | null {
  let back = at - 1;
  while (back >= 0 && OWN.test(sentence.folded(back))) back--;
  const word = sentence.folded(back);
  if (leavesAll(word)) return "clear";
  if (isJoiner(sentence, back) && isBehindExcept(sentence, back)) return "clear";
  if (BEING.has(word)) return isRelative(sentence, back) ? "clear" : null;
  if (NEGATES.has(word) && BEING.has(sentence.folded(back - 1))) return "clear";
  return LEAVING.has(word) ? "open" : null;
}

/** "exceto MEI e clientes": what is joined to an item that is left out. */
function isBehindExcept(sentence: Sentence, join: number): boolean {
  for (let back = join - 1; back >= Math.max(0, join - EXCEPT_MAX); back--) {
    if (leavesAll(sentence.folded(back)) && isExcept(sentence, back)) return true;
  }
  return false;
}

/** True for the verb of "que não são", "that are"; "padarias e clientes" has none. */
function isRelative(sentence: Sentence, verb: number): boolean {
  for (let back = verb; back > verb - LEAD_MAX; back--) {
    const word = sentence.folded(back);
    if (/^(?:que|quem|quien|that|which|who)$/.test(word)) return true;
    if (LEAVING.has(word)) return true;
    if (back < verb && !BEFORE.has(word)) return false;
  }
  return false;
}

/** "tirando os clientes da lista X": the list is named behind. */
function isOfList(sentence: Sentence, at: number): boolean {
  return [0, 1, 2, 3].some((step) => LIST.has(sentence.folded(at + step)));
}
