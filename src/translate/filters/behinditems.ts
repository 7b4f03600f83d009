/**
 * Contacts that a list joins to another item: "em Recife e celular", "com DDD 11, site e e-mail".
 * Invariant: the item before the contact decides, whatever its kind is; goods that a list goes on
 * with ("em Recife, celulares e acessórios") stay an activity unless "com" leads the list.
 */
import { kindAt } from "../items.ts";
import { isGiveaway } from "../unmapped.ts";
import type { Sentence } from "../words/sentence.ts";
import { FILTER_PHRASES } from "./table.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Words that join a contact to the item before it. */
const JOINERS = wordSet("e ou and or y mais plus com with con nem , ; / & +");
/** Words between a joiner and its contact, and marks that close the item. */
const SMALL = wordSet(
  "um uma o a os as algum alguma qualquer seu seus sua tambem ainda mail an any the also pelo " +
    'menos ) " ” »',
);
/** Words that lead to a place; a name that no stage knows yet is an item behind them. */
const PLACE_LEADS = wordSet("em no na nos nas in en bairro cidade municipio");
const HAD = wordSet("com with con tendo tenham tenha having");
/** Max words between a contact and its item, and of an item. */
const REACH = 8;

/** True if a list joins the contact [first, to) to an item of another kind. */
export function isListedBehindItem(sentence: Sentence, first: number, to: number): boolean {
  const item = itemBefore(sentence, first);
  if (item < 0) return false;
  const owner = sentence.owner(item);
  const meant =
    owner === null
      ? isUnknownPlace(sentence, item) || isGiveaway(sentence.tokens[item])
      : owner !== "filler" && owner !== "negation";
  return meant && (!listsGoods(sentence, to) || isLed(sentence, item));
}

/** The last token of the item that a joiner connects with a contact; -1 if nothing joins. */
function itemBefore(sentence: Sentence, first: number): number {
  let joined = false;
  let at = first - 1;
  for (; at >= Math.max(0, first - REACH); at--) {
    const { folded = "" } = sentence.tokens[at] ?? {};
    // Words that an item has claimed belong to it: the "a" of "de A a Z".
    const open = sentence.free(at) || sentence.owner(at) === "filler";
    if (open && JOINERS.has(folded)) joined = true;
    else if (!open || !SMALL.has(folded)) break;
  }
  return joined ? at : -1;
}

/** "em Xurupita e celular": a name behind a preposition of places. */
function isUnknownPlace(sentence: Sentence, item: number): boolean {
  for (let at = item; at > item - REACH / 2; at--) {
    if (!sentence.free(at) || sentence.tokens[at]?.kind !== "word") return false;
    if (PLACE_LEADS.has(sentence.folded(at))) return at < item;
    if (kindAt(sentence, at) === "activity") return false;
  }
  return false;
}

/** "celulares e acessórios": goods that go on with goods. */
function listsGoods(sentence: Sentence, to: number): boolean {
  const { text } = sentence.tokens[to] ?? {};
  if (text !== "," && !["e", "ou", "and", "or", "y"].includes(sentence.folded(to))) return false;
  const next = FILTER_PHRASES.longest(sentence.tokens, to + 1);
  return next === null && kindAt(sentence, to + 1) === "activity";
}

/** "com DDD 11 e celular": what is had is a contact. */
function isLed(sentence: Sentence, item: number): boolean {
  const owner = sentence.owner(item);
  let from = item;
  while (from > item - 2 * REACH && sentence.owner(from - 1) === owner) from--;
  return HAD.has(sentence.folded(from)) || HAD.has(sentence.folded(from - 1));
}
