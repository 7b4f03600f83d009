/**
 * Items behind "e" of which nobody knows if they are left out as well: "sem telefone e MEI", "fora
 * de Santos e padarias". Input: a sentence in which every word has an owner, and the lists of the
 * user that it leaves out. Output: a note with both readings and how to write each.
 * Invariant: only behind a contact, a place or a list that "sem", "fora de" or "não" leaves out,
 * and only before an item of another kind that no preposition, verb or negator leads; "exceto"
 * leaves out all that is joined to it, and adjectives ("grandes", "ativas") are said of companies.
 * Apart because it looks at all that others took, when they have taken it.
 */

import { FILTER_PHRASES } from "../filters/table.ts";
import type { SaidLists } from "../lists/saidlists.ts";
import { reachOf } from "../negation.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import { isExcept } from "./neither.ts";
import { readingsOf, saidOf } from "./outreadings.ts";

const AND = /^(?:e|and)$/;
const ARTICLE = /^(?:o|a|os|as|the)$/;
const THAT = /^(?:que|that|which|who)$/;
const DO = /^(?:do|does|did)$/;
/** What is left out with a noun of its own. */
type OutKind = "contact" | "place" | "list";
/** Owners of what may be left out together with such a thing. */
const JOINED: ReadonlySet<string> = new Set([
  ...["regime", "activity", "headquarters", "nature", "contact", "place"],
]);
/** Max words of a contact. */
const CONTACT_MAX = 4;

/** Something that is left out, by its first token with the words that leave it out. */
interface Out {
  readonly from: number;
  readonly kind: OutKind;
}

/** Notes every such item; true if there is one. */
export function leaveOutOrWished(
  sentence: Sentence,
  notes: Notes,
  { apart }: Pick<SaidLists, "apart">,
): boolean {
  let isLeft = false;
  for (let and = 1; and < sentence.tokens.length - 1; and++) {
    const list = apart.get(and);
    const isAnd = AND.test(sentence.folded(and)) && sentence.folded(and + 1) !== "mail";
    if (!isAnd && (list === undefined || !isListed(sentence, and))) continue;
    const out =
      list === undefined ? outBefore(sentence, and) : { from: list, kind: "list" as const };
    const item = out === null ? null : joinedBehind(sentence, and, out.kind);
    if (out === null || item === null) continue;
    const said = saidOf(sentence, out.from, and - 1);
    const words = sentence.words(item.at, item.to).words;
    const readings = readingsOf({ said, item: words, owner: item.owner });
    notes.leave("out_or_wished", readings, sentence.words(and, item.to));
    isLeft = true;
  }
  return isLeft;
}

/** "fora da lista X, MEI e filiais": true for a comma whose list goes on to "e". */
function isListed(sentence: Sentence, comma: number): boolean {
  if (sentence.tokens[comma]?.text !== ",") return false;
  const item = joinedBehind(sentence, comma, "list");
  return item !== null && AND.test(sentence.folded(item.to));
}

/** The contact or place that ends before "e" and that no "exceto" leaves out; null if none. */
function outBefore(sentence: Sentence, and: number): Out | null {
  const last = and - 1;
  const { polarity, negator } = reachOf(sentence, last);
  if (polarity !== "negated" || negator >= last || isExcept(sentence, negator)) return null;
  const kind = sentence.owner(last) === "place" ? "place" : contactAt(sentence, last);
  if (kind === null) return null;
  // "that do not have a phone"
  const verb = DO.test(sentence.folded(negator - 1)) ? negator - 1 : negator;
  return { from: THAT.test(sentence.folded(verb - 1)) ? verb - 1 : verb, kind };
}

/** "contact" if a name of one ends at a token; its words are left to the notes or claimed. */
function contactAt(sentence: Sentence, last: number): OutKind | null {
  for (let at = last; at > last - CONTACT_MAX; at--) {
    const match = FILTER_PHRASES.longest(sentence.tokens, at);
    if (match?.to === last + 1) return match.value.role === "contact" ? "contact" : null;
  }
  return null;
}

interface Item {
  readonly at: number;
  readonly to: number;
  readonly owner: string;
}

/** The item of another kind that "e" leads to, with no other word than an article before it. */
function joinedBehind(sentence: Sentence, and: number, kind: OutKind): Item | null {
  let at = and + 1;
  if (ARTICLE.test(sentence.folded(at)) && sentence.owner(at) !== "place") at++;
  const owner = sentence.owner(at) ?? "";
  if (!JOINED.has(owner) || owner === kind || isLed(sentence, at)) return null;
  let to = at + 1;
  while (sentence.owner(to) === owner && sentence.tokens[to]?.kind !== "mark") to++;
  return { at, to, owner };
}

/** True for an item whose own words begin with a preposition: "em Santos", "do Simples". */
function isLed(sentence: Sentence, at: number): boolean {
  return /^(?:em|no|na|nos|nas|in|at|de|do|da|dos|das|of|com|with)$/.test(sentence.folded(at));
}
