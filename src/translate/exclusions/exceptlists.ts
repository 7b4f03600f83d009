/**
 * Items that the list of an exclusion joins and that would be required: "exceto os sem telefone e
 * os MEI", "exceto DDD 11 e MEI", "exceto Santos, MEI". Input: a sentence in which every word has
 * an owner. Output: a note with how to write each reading.
 * Invariant: only right behind an item that a negator leaves out, and only an item that has an
 * article of its own ("as com telefone"), that "e" joins to something which reaches no further (a
 * contact, a date, a capital, a code), or that a comma alone joins; "exceto MEI e com telefone" and
 * "exceto MEI, com telefone" ask for a phone.
 * Apart because it looks at all that others took, when they have taken it.
 */
import { kindAt } from "../items.ts";
import { type Reach, reachOf } from "../negation.ts";
import { OUTSIDE, WITHOUT } from "../negationwords.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import { isExcept } from "./neither.ts";
import { readingsOf, saidOf } from "./outreadings.ts";

const AND = /^(?:e|ou|and|or)$/;
/** Articles and pronouns that make a noun of what follows: "as com telefone". */
const ARTICLE = /^(?:o|a|os|as|the|those|ones|aquel[ae]s)$/;
const LED = /^(?:em|no|na|nos|nas|in|at|de|do|da|dos|das|of|com|with|por|para|desde|since)$/;
/** What companies have or are, by the owner of its words. */
const ITEMS: ReadonlySet<string> = new Set([
  ...["regime", "activity", "headquarters", "nature", "contact", "place", "size", "status"],
  ...["capital", "date"],
]);
/** Owners of what a negator reaches alone: "sem telefone", "abertas em 2020", "DDD 11". */
const REACHED_ALONE: ReadonlySet<string> = new Set(["contact", "date", "capital", "unmapped"]);
/** What nobody says of companies without an article or a verb, as "grandes" and "ativas" are. */
const NOUNS: ReadonlySet<string> = new Set(["regime", "headquarters", "nature", "activity"]);
/** Max words between an article and its item: "as que não têm". */
const LEAD_MAX = 6;

/** Max tokens of an item that is left out. */
const ITEM_MAX = 12;

/** An item that is left out, by the negator and the last token of the item. */
interface Out {
  readonly negator: number;
  readonly last: number;
}

/** An item that a joint leads to. */
interface Joined {
  /** Its first token with the words that lead to it, that of the item, and the one behind. */
  readonly from: number;
  readonly at: number;
  readonly to: number;
  readonly owner: string;
  readonly hasArticle: boolean;
}

/** Notes every such item; true if there is one. */
export function leaveExceptLists(sentence: Sentence, notes: Notes): boolean {
  for (let joint = 1; joint < sentence.tokens.length - 1; joint++) {
    if (!isJoint(sentence, joint)) continue;
    const out = outBefore(sentence, joint);
    const item = out === null ? null : joinedBehind(sentence, joint);
    if (out === null || item === null || !isLost(sentence, { joint, out, item })) continue;
    const said = saidOf(sentence, out.negator, out.last);
    const { words } = sentence.words(item.from, item.to);
    const readings = readingsOf({ said, item: words, owner: item.owner });
    notes.leave("out_or_wished", readings, sentence.words(joint, item.to));
    return true;
  }
  return false;
}

function isJoint(sentence: Sentence, at: number): boolean {
  const { kind, text } = sentence.tokens[at] ?? {};
  if (kind === "mark") return text === "," && !AND.test(sentence.folded(at + 1));
  return AND.test(sentence.folded(at)) && sentence.folded(at + 1) !== "mail";
}

/** The item that ends right before a joint and that a negator before it reaches. */
function outBefore(sentence: Sentence, joint: number): Out | null {
  const last = joint - (sentence.tokens[joint - 1]?.text === "," ? 2 : 1);
  const owner = sentence.owner(last);
  for (let at = last; at > last - ITEM_MAX && sentence.owner(at) === owner; at--) {
    if (sentence.tokens[at]?.kind === "mark") return null;
    const { negator } = reachOf(sentence, at);
    if (negator >= 0 && negator < at) return { negator, last };
  }
  return null;
}

/** The item behind a joint; null for a wish that says so itself, such as "com telefone". */
function joinedBehind(sentence: Sentence, joint: number): Joined | null {
  const from = joint + 1;
  const isPlace = sentence.owner(from) === "place";
  const hasArticle = ARTICLE.test(sentence.folded(from)) && !isPlace;
  let at = hasArticle ? from + 1 : from;
  while (hasArticle && at < from + LEAD_MAX && isLead(sentence, at)) at++;
  const owner = sentence.owner(at) ?? "";
  const isLed = !hasArticle && (LED.test(sentence.folded(at)) || startsDate(sentence, at));
  const isItem = ITEMS.has(owner) || (hasArticle && owner === "unmapped");
  if (!isItem || isLed) return null;
  let to = at + 1;
  while (sentence.owner(to) === owner && sentence.tokens[to]?.kind !== "mark") {
    if (AND.test(sentence.folded(to)) && owner !== "contact") break;
    to++;
  }
  return { from, at, to, owner, hasArticle };
}

/** "a partir de 2020" begins like an article. */
function startsDate(sentence: Sentence, at: number): boolean {
  return sentence.owner(at) === "date" || sentence.owner(at) === "capital";
}

function isLead(sentence: Sentence, at: number): boolean {
  const owner = sentence.owner(at);
  const isWord = sentence.tokens[at]?.kind === "word" && !AND.test(sentence.folded(at));
  return isWord && (owner === "filler" || owner === "negation");
}

/** True if an item is required although it stands in the list of what is left out. */
function isLost(
  sentence: Sentence,
  { joint, out, item }: { readonly joint: number; readonly out: Out; readonly item: Joined },
): boolean {
  const reach = reachBehind(sentence, out, item);
  // "exceto os sem telefone e os MEI": "sem" turns the first alone.
  const isOther = sentence.owner(out.last) !== item.owner;
  if (reach.negator === out.negator)
    return reach.polarity === "plain" && isOther && isExcept(sentence, out.negator);
  const isFirm = AND.test(sentence.folded(joint));
  if (item.hasArticle) return isFirm || isExcept(sentence, out.negator);
  const [first, negator] = [sentence.owner(out.last) ?? "", sentence.folded(out.negator)];
  if (reach.polarity !== "plain") return false;
  if (isFirm) {
    if (!REACHED_ALONE.has(first) || first === item.owner) return false;
    const isOutside = OUTSIDE.has(negator) && NOUNS.has(item.owner);
    return isExcept(sentence, out.negator) || isOutside;
  }
  return isLostByComma(sentence, out, item);
}

/** What reaches an item, of which one word may be reached: "as de capital acima de 1 milhão". */
function reachBehind(sentence: Sentence, out: Out, item: Joined): Reach {
  for (let at = item.at; at < item.to; at++) {
    const reach = reachOf(sentence, at);
    if (reach.negator === out.negator) return reach;
  }
  return reachOf(sentence, item.at);
}

/** "exceto Santos, MEI", "sem MEI, filiais": what is left out is no list with a comma behind it. */
function isLostByComma(sentence: Sentence, { negator, last }: Out, item: Joined): boolean {
  if (!NOUNS.has(item.owner) || sentence.folded(item.at).startsWith("opta")) return false;
  const isAside = sentence.tokens[negator - 1]?.text === ",";
  const isSought = sentence.tokens.some((_, at) => at < negator && isSaid(sentence, at));
  if (!isSought) return false;
  if (item.owner === "activity") return isExcept(sentence, negator) && !isAside;
  if (isExcept(sentence, negator)) return true;
  const isContact = kindAt(sentence, last) === "contact" || sentence.owner(last) === "unmapped";
  return WITHOUT.has(sentence.folded(negator)) && !isAside && !isContact;
}

function isSaid(sentence: Sentence, at: number): boolean {
  return ITEMS.has(sentence.owner(at) ?? "");
}
