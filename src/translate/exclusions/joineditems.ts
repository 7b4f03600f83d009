/**
 * Finds words after an exclusion that may be excluded too or may be required: "exceto DDD 11 e
 * MEI", "exceto Santos, MEI", "sem telefone e MEI", "fora de Santos e padarias". Each of these
 * ("MEI", "padarias") is called an item.
 * Invariant: after "exceto", an item is unclear if it has its own article ("as com telefone"), if
 * only a comma joins it, or if "e" joins it to a contact, date, capital, or code. "exceto MEI e com
 * telefone" is clear: "com" requires a phone. After "sem", "fora de", or "não", an item is unclear
 * if it follows a contact, place, or list, is of another kind, and has no preposition, verb, or
 * negator. Adjectives ("grandes") are never unclear.
 * Input: a sentence after all other stages, and its excluded lists. Output: a note with both
 * readings and a wording for each that parses as intended. If no filter can exclude the item, the
 * note says so.
 */
import { FILTER_PHRASES } from "../filters/table.ts";
import { kindAt } from "../items.ts";
import type { MentionedLists } from "../lists/mentionedlists.ts";
import { type Reach, reachOf } from "../negation.ts";
import { isExcept, OUTSIDE, WITHOUT } from "../negators.ts";
import type { Notes, Sentences } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";

const JOIN = /^(?:e|ou|and|or)$/;
/** Articles and pronouns that turn the words after them into a noun: "as com telefone". */
const DETERMINER = /^(?:o|a|os|as|the|those|ones|aquel[ae]s)$/;
const LED = /^(?:em|no|na|nos|nas|in|at|de|do|da|dos|das|of|com|with|por|para|desde|since)$/;
/** Kinds of requests that describe companies. */
const ITEMS: ReadonlySet<string> = new Set([
  ...["regime", "activity", "headquarters", "nature", "contact", "place", "size", "status"],
  ...["capital", "date"],
]);
/**
 * Kinds of requests that a negation does not extend past: the negation in "sem telefone" does not
 * apply to the words after it.
 */
const REACHED_ALONE: ReadonlySet<string> = new Set(["contact", "date", "capital", "unmapped"]);
/**
 * Kinds of requests that are nouns. An adjective such as "grandes" may follow "e" directly, but a
 * noun needs an article or a verb.
 */
const NOUNS: ReadonlySet<string> = new Set(["regime", "headquarters", "nature", "activity"]);
/** Maximum number of words between an article and its request: "as que não têm telefone". */
const LEAD_MAX = 6;

/** Maximum number of tokens of an excluded request. */
const ITEM_MAX = 12;

interface ExceptedItem {
  readonly negator: number;
  readonly last: number;
}

/** An item after "e", "ou", or a comma. */
interface Joined {
  /**
   * First token of the item with its leading words, first token without them, and the token after
   * the item.
   */
  readonly from: number;
  readonly at: number;
  readonly to: number;
  readonly owner: string;
  readonly hasArticle: boolean;
}

/** Adds a note for the first unclear item after "exceto". Returns true if there is one. */
export function unmapExceptLists(sentence: Sentence, notes: Notes): boolean {
  for (let joint = 1; joint < sentence.tokens.length - 1; joint++) {
    if (!isJoint(sentence, joint)) continue;
    const out = exceptedBefore(sentence, joint);
    const item = out === null ? null : listedBehind(sentence, joint);
    if (out === null || item === null || !isLost(sentence, { joint, out, item })) continue;
    const phrase = phraseOf(sentence, out.negator, out.last);
    const { words } = sentence.words(item.from, item.to);
    const readings = readingsOf({ phrase, item: words, owner: item.owner });
    notes.addUnmapped("out_or_wished", readings, sentence.words(joint, item.to));
    return true;
  }
  return false;
}

function isJoint(sentence: Sentence, at: number): boolean {
  const { kind, text } = sentence.tokens[at] ?? {};
  if (kind === "mark") return text === "," && !JOIN.test(sentence.folded(at + 1));
  return JOIN.test(sentence.folded(at)) && sentence.folded(at + 1) !== "mail";
}

/**
 * Returns the item right before a joining word or comma if a negator before the item applies to it.
 * Otherwise returns null.
 */
function exceptedBefore(sentence: Sentence, joint: number): ExceptedItem | null {
  const last = joint - (sentence.tokens[joint - 1]?.text === "," ? 2 : 1);
  const owner = sentence.owner(last);
  for (let at = last; at > last - ITEM_MAX && sentence.owner(at) === owner; at--) {
    if (sentence.tokens[at]?.kind === "mark") return null;
    const { negator } = reachOf(sentence, at);
    if (negator >= 0 && negator < at) return { negator, last };
  }
  return null;
}

/**
 * Returns the item after the joining word or comma; null if a word such as "com" explicitly
 * requires the item.
 */
function listedBehind(sentence: Sentence, joint: number): Joined | null {
  const from = joint + 1;
  const isPlace = sentence.owner(from) === "place";
  const hasArticle = DETERMINER.test(sentence.folded(from)) && !isPlace;
  let at = hasArticle ? from + 1 : from;
  while (hasArticle && at < from + LEAD_MAX && isLead(sentence, at)) at++;
  const owner = sentence.owner(at) ?? "";
  const isLed = !hasArticle && (LED.test(sentence.folded(at)) || startsDate(sentence, at));
  const isItem = ITEMS.has(owner) || (hasArticle && owner === "unmapped");
  if (!isItem || isLed) return null;
  let to = at + 1;
  while (sentence.owner(to) === owner && sentence.tokens[to]?.kind !== "mark") {
    if (JOIN.test(sentence.folded(to)) && owner !== "contact") break;
    to++;
  }
  return { from, at, to, owner, hasArticle };
}

/** True if a date or an amount begins at a token, where "a" is no article: "a partir de 2020". */
function startsDate(sentence: Sentence, at: number): boolean {
  return sentence.owner(at) === "date" || sentence.owner(at) === "capital";
}

function isLead(sentence: Sentence, at: number): boolean {
  const owner = sentence.owner(at);
  const isWord = sentence.tokens[at]?.kind === "word" && !JOIN.test(sentence.folded(at));
  return isWord && (owner === "filler" || owner === "negation");
}

/** True if the search would require an item although the sentence lists it among exclusions. */
function isLost(
  sentence: Sentence,
  {
    joint,
    out,
    item,
  }: { readonly joint: number; readonly out: ExceptedItem; readonly item: Joined },
): boolean {
  const reach = reachBehind(sentence, out, item);
  // In "exceto os sem telefone e os MEI", "sem" negates only "telefone".
  const isOther = sentence.owner(out.last) !== item.owner;
  if (reach.negator === out.negator)
    return reach.polarity === "plain" && isOther && isExcept(sentence, out.negator);
  const isFirm = JOIN.test(sentence.folded(joint));
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

/**
 * Returns the negation that applies to the item. This is the exclusion's own negator if it applies
 * to any word of the item. Otherwise the first word decides.
 */
function reachBehind(sentence: Sentence, out: ExceptedItem, item: Joined): Reach {
  for (let at = item.at; at < item.to; at++) {
    const reach = reachOf(sentence, at);
    if (reach.negator === out.negator) return reach;
  }
  return reachOf(sentence, item.at);
}

/**
 * True if a comma ends the list of exclusions, so that the search would require the item: "MEI" in
 * "exceto Santos, MEI".
 */
function isLostByComma(sentence: Sentence, { negator, last }: ExceptedItem, item: Joined): boolean {
  if (!NOUNS.has(item.owner) || sentence.folded(item.at).startsWith("opta")) return false;
  const isAside = sentence.tokens[negator - 1]?.text === ",";
  const isSought = sentence.tokens.some((_, at) => at < negator && isMentioned(sentence, at));
  if (!isSought) return false;
  if (item.owner === "activity") return isExcept(sentence, negator) && !isAside;
  if (isExcept(sentence, negator)) return true;
  const isContact = kindAt(sentence, last) === "contact" || sentence.owner(last) === "unmapped";
  return WITHOUT.has(sentence.folded(negator)) && !isAside && !isContact;
}

function isMentioned(sentence: Sentence, at: number): boolean {
  return ITEMS.has(sentence.owner(at) ?? "");
}

const AND = /^(?:e|and)$/;
const ARTICLE = /^(?:o|a|os|as|the)$/;
const THAT = /^(?:que|that|which|who)$/;
const DO = /^(?:do|does|did)$/;
/** Kinds of excluded words after which an item of another kind is unclear. */
type OutKind = "contact" | "place" | "list";
/** Kinds of items that may be excluded along with a contact, place, or list. */
const JOINED: ReadonlySet<string> = new Set([
  ...["regime", "activity", "headquarters", "nature", "contact", "place"],
]);
/** Maximum number of words that name a contact. */
const CONTACT_MAX = 4;

/** An exclusion: its first token (with its negator) and its kind. */
interface Out {
  readonly from: number;
  readonly kind: OutKind;
}

/** Adds a note for each unclear item after "sem" and the like. Returns true if there is one. */
export function unmapExcludedOrRequested(
  sentence: Sentence,
  notes: Notes,
  { apart }: Pick<MentionedLists, "apart">,
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
    const phrase = phraseOf(sentence, out.from, and - 1);
    const words = sentence.words(item.at, item.to).words;
    const readings = readingsOf({ phrase, item: words, owner: item.owner });
    notes.addUnmapped("out_or_wished", readings, sentence.words(and, item.to));
    isLeft = true;
  }
  return isLeft;
}

/**
 * True for the comma in "fora da lista X, MEI e filiais": it stands between an excluded list and an
 * item that "e" follows.
 */
function isListed(sentence: Sentence, comma: number): boolean {
  if (sentence.tokens[comma]?.text !== ",") return false;
  const item = joinedBehind(sentence, comma, "list");
  return item !== null && AND.test(sentence.folded(item.to));
}

/** Returns the contact or place before "e" that a word other than "exceto" excludes, or null. */
function outBefore(sentence: Sentence, and: number): Out | null {
  const last = and - 1;
  const { polarity, negator } = reachOf(sentence, last);
  if (polarity !== "negated" || negator >= last || isExcept(sentence, negator)) return null;
  const kind = sentence.owner(last) === "place" ? "place" : contactAt(sentence, last);
  if (kind === null) return null;
  // In "that do not have a phone", the exclusion begins at "that".
  const verb = DO.test(sentence.folded(negator - 1)) ? negator - 1 : negator;
  return { from: THAT.test(sentence.folded(verb - 1)) ? verb - 1 : verb, kind };
}

/** Returns "contact" if a contact ends at a token, with or without a filter; otherwise null. */
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

/**
 * Returns the item after "e" if it is of another kind than the exclusion and only an article may
 * precede it. Otherwise returns null.
 */
function joinedBehind(sentence: Sentence, and: number, kind: OutKind): Item | null {
  let at = and + 1;
  if (ARTICLE.test(sentence.folded(at)) && sentence.owner(at) !== "place") at++;
  const owner = sentence.owner(at) ?? "";
  if (!JOINED.has(owner) || owner === kind || isLed(sentence, at)) return null;
  let to = at + 1;
  while (sentence.owner(to) === owner && sentence.tokens[to]?.kind !== "mark") to++;
  return { at, to, owner };
}

/** True for an item that begins with a preposition: "em Santos", "do Simples". */
function isLed(sentence: Sentence, at: number): boolean {
  return /^(?:em|no|na|nos|nas|in|at|de|do|da|dos|das|of|com|with)$/.test(sentence.folded(at));
}

/** The texts of an exclusion and of the unclear item after it, and the item's owner. */
interface Unclear {
  readonly phrase: string;
  readonly item: string;
  readonly owner: string;
}

type Leads = readonly [included: string, out: string];

/**
 * Returns the words of an exclusion from `from` through `last`, or an empty string if no filter can
 * express them.
 */
function phraseOf(sentence: Sentence, from: number, last: number): string {
  return sentence.owner(last) === "unmapped" ? "" : sentence.words(from, last + 1).words;
}

/**
 * Returns a sentence that suggests a wording for each reading, or says that no filter can express
 * one.
 */
function readingsOf({ phrase, item, owner }: Unclear): Sentences {
  const questions = [`“${item}” também fica de fora?`, `Is "${item}" left out as well?`];
  if (owner === "unmapped")
    return { pt: `${questions[0]} ${NEITHER.pt}`, en: `${questions[1]} ${NEITHER.en}` };
  const bare = bareOf(item, owner);
  const [[includedPt, outPt], [includedEn, outEn]] = leadsOf(owner);
  const [after, before] = phrase === "" ? ["", ""] : [`, ${phrase}`, `${phrase}, `];
  const canBeOut = CAN_BE_OUT.has(owner);
  const pt = canBeOut ? `para excluir, “${before}${outPt}${bare}”.` : "para excluir não há filtro.";
  const en = canBeOut ? `to leave it out, "${before}${outEn}${bare}".` : "no filter leaves it out.";
  return {
    pt: `${questions[0]} Para exigir, diga “${includedPt}${bare}${after}”; ${pt}`,
    en: `${questions[1]} To require it, write "${includedEn}${bare}${after}"; ${en}`,
  };
}

const NEITHER = {
  pt: "Não há filtro para exigir nem para excluir isso.",
  en: "No filter requires it or leaves it out.",
};

/** Owners of items that a filter can exclude. */
const CAN_BE_OUT: ReadonlySet<string> = new Set([
  ...["regime", "activity", "headquarters", "place", "size", "status", "capital", "date"],
]);

/** Returns an item without words such as "com", which the suggested sentences add themselves. */
function bareOf(item: string, owner: string): string {
  if (owner !== "contact" && owner !== "place") return item;
  const lead = /^(?:(?:[ao]s?|the|those|com|with|de|d[ao]s?|of|em|n[ao]s?|in|que t[eê]m) )+/i;
  return item.replace(lead, "");
}

/** Returns the leading words for a required and an excluded item, in each language. */
function leadsOf(owner: string): readonly [pt: Leads, en: Leads] {
  if (owner === "contact")
    return [
      ["com ", "sem "],
      ["with ", "without "],
    ];
  if (owner === "place")
    return [
      ["em ", "fora de "],
      ["in ", "outside "],
    ];
  return [
    ["", "exceto "],
    ["", "except "],
  ];
}
