/**
 * Finds where a sentence names lists of the user. Input: a sentence before its places are read, and
 * the user's lists. Output: the words that name lists, and which lists.
 * Invariant: the exact name of a list after "lista" means this list. "Lista de padarias" requests a
 * new list unless a list has that name. A name that may also be another request is never guessed.
 * "Clientes" without the word "lista" ("que não são clientes", "exceto meus clientes") means the
 * list of that name if a verb or a word such as "exceto" clearly includes or excludes it. If no
 * list has that name, a note reports it.
 */
import { EXPORTED } from "../../spec/listids.ts";
import { isExcept } from "../negators.ts";
import type { Sentences } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import type { NamedList } from "./listnames.ts";
import {
  AGAINST,
  ALREADY,
  alsoElse,
  BEFORE,
  BEHIND,
  BEING,
  BY_HAND,
  BY_HAND_ONLY,
  BY_ITSELF,
  CUSTOMERS,
  isJoiner,
  isPotential,
  LEAVING,
  LIST,
  LISTS,
  type ListContext,
  type ListMention,
  leadOf,
  leavesAll,
  NAMING,
  NEGATES,
  OF_LIST,
  TAKEN,
  UNCLEAR,
  UNKNOWN,
  WHOSE,
} from "./mention.ts";
import { isCapital, isElse, isRelation, nameBefore, quotedEnd, unwritten } from "./unknownlists.ts";

/** Maximum number of words between the mention of a list and the name of another list. */
const FOLLOW_MAX = 6;
/** Maximum number of words and punctuation marks that join two names. */
const JOIN_MAX = 4;
/** Words that may precede "lista" in the first mention of a list but not in a further one. */
const NOT_JOINED = /^(?:com|with|by|pelas?)$/;

/** Returns the list mention at a token; null if there is none. */
export function mentionAt(context: ListContext, at: number): ListMention | null {
  const { sentence } = context;
  const from = nameBefore(sentence, at);
  if (from < at) {
    const first = /^(the|my|our)$/.test(sentence.folded(from)) ? from + 1 : from;
    const lists = context.known()?.between(sentence, first, at) ?? [];
    return { from, to: at + 1, ...named([lists]) };
  }
  const exported = exportedEnd(sentence, at);
  if (exported !== null) {
    const isLost = context.known() === null || BY_HAND_ONLY.has(sentence.folded(at));
    return { from: at, to: exported, ids: isLost ? [] : [EXPORTED] };
  }
  return written(context, at) ?? unwritten(context, at) ?? customersAt(context, at);
}

/**
 * Returns the list that follows an earlier mention without the word "lista", or null if there is
 * none. Words such as "sem" or "mas não" must stand between them: "na lista X sem os da Y", "na X,
 * mas não na Y".
 */
export function mentionAfter(context: ListContext, end: number): ListMention | null {
  const { sentence } = context;
  const names = context.known();
  let at = joinEnd(sentence, end);
  let isLed = false;
  let isOf = false;
  let isSet = at > end;
  for (const last = at + FOLLOW_MAX; at < last && names !== null; at++) {
    const one = names.at(sentence, at);
    if (one !== null && isSet) return followed(context, { at, isLed, ...one });
    const word = sentence.folded(at);
    if (!sentence.free(at) || LIST.has(word)) return null;
    if (!BEFORE.has(word)) return isSet && isOf ? strange(context, at) : null;
    isSet ||= LEAVING.has(word);
    isOf ||= leadOf(word) !== null;
    isLed ||= OF_LIST.has(word) && !LEAVING.has(word);
  }
  return null;
}

/** The name of a further list after an earlier mention, with the words before the name. */
interface Followed {
  readonly at: number;
  readonly to: number;
  readonly lists: readonly NamedList[];
  readonly isLed: boolean;
}

function followed(context: ListContext, { at, to, lists, isLed }: Followed): ListMention | null {
  if (!isElse(context, at, to)) return { from: at, to, ...named([lists]) };
  if (!isLed) return null;
  return { from: at, to, ids: [], why: alsoElse(lists[0]?.name ?? "") };
}

/**
 * Reads an unknown name as a list that does not exist: "Fornecedores" in "na lista X sem os da
 * Fornecedores". Returns null if the name may be a place or trade.
 */
function strange(context: ListContext, at: number): ListMention | null {
  const { sentence } = context;
  const isName = isCapital(sentence, at) && !isElse(context, at, null);
  if (!isName && !isRelation(sentence, at)) return null;
  return { from: at, to: at + 1, ids: [], why: UNKNOWN };
}

/** Returns the end of the joining words ("e", "mas", a comma) before another name, or `end`. */
function joinEnd(sentence: Sentence, end: number): number {
  let at = end;
  while (at < end + JOIN_MAX && sentence.free(at) && isJoiner(sentence, at)) at++;
  return at;
}

/** Reads the names of existing lists after "lista": "listas Clientes e Parceiros". */
function written(context: ListContext, at: number): ListMention | null {
  const { sentence } = context;
  const names = LIST.has(sentence.folded(at)) ? context.known() : null;
  if (names === null) return null;
  // Skips words between "lista" and its name: "na lista de clientes", "na lista chamada Clientes".
  let start = at + 1;
  while (NAMING.has(sentence.folded(start)) && names.at(sentence, start) === null) start++;
  const first = names.at(sentence, start);
  if (first === null || isPotential(sentence, first.to)) return null;
  const found = [first.lists];
  let { to } = first;
  for (let next = nextName(sentence, at, to); next !== null; next = nextName(sentence, at, to)) {
    const one = names.at(sentence, next.at);
    const why = one === null ? whyUnknown(context, next) : whyElse(context, next, one);
    if (why !== null && why !== NO_NAME) {
      return { from: at, to: one?.to ?? quotedEnd(sentence, next.at) ?? next.at + 1, ids: [], why };
    }
    if (one === null || why === NO_NAME) break;
    found.push(one.lists);
    to = one.to;
  }
  return { from: at, to, ...named(found) };
}

/** Returned instead of a remark if the words are no list's name, so that other stages read them. */
const NO_NAME: Sentences = { pt: "", en: "" };

/** A position at which the name of another list may begin. */
interface NextName {
  readonly at: number;
  /** True if "lista" precedes the position or if "listas" precedes the first name. */
  readonly isSure: boolean;
  readonly isSeveral: boolean;
}

/** Returns the remark on a further unknown list, or `NO_NAME` if the words are no list's name. */
function whyUnknown(context: ListContext, { at, isSure, isSeveral }: NextName): Sentences {
  const { sentence } = context;
  if (isSure && !isSeveral) return NO_NAME;
  if (quotedEnd(sentence, at) !== null || isRelation(sentence, at)) return UNKNOWN;
  const isName = isSeveral && isCapital(sentence, at) && !LEAVING.has(sentence.folded(at));
  return isName && !isElse(context, at, null) ? UNKNOWN : NO_NAME;
}

/**
 * Returns null if the name surely means the list. If the words may also be another request, returns
 * `NO_NAME`, or a remark if they are spelled exactly as the list's name.
 */
function whyElse(
  context: ListContext,
  { at, isSure }: NextName,
  { lists, to }: { readonly lists: readonly NamedList[]; readonly to: number },
): Sentences | null {
  if (isSure || !isElse(context, at, to)) return null;
  const { words } = context.sentence.words(at, to);
  const isExact = lists.some(({ name }) => name === words) && words !== words.toLowerCase();
  return isExact ? alsoElse(words) : NO_NAME;
}

/** Returns where another list name may begin, or null if no joining word precedes it. */
function nextName(sentence: Sentence, list: number, end: number): NextName | null {
  const at = joinEnd(sentence, end);
  if (at === end) return null;
  for (let join = end; join < at; join++) {
    const word = sentence.folded(join);
    if (AGAINST.has(word) || sentence.tokens[join]?.text === ";") return null;
  }
  let next = at;
  while (isSkipped(sentence.folded(next))) next++;
  const led = leadOf(sentence.folded(at));
  if (next > at && led !== null && led !== leadOf(sentence.folded(list - 1))) return null;
  const isSeveral = LISTS.has(sentence.folded(list));
  return { at: next, isSure: isSeveral || LIST.has(sentence.folded(next - 1)), isSeveral };
}

function isSkipped(word: string): boolean {
  return (OF_LIST.has(word) && !NOT_JOINED.test(word)) || LIST.has(word);
}

/**
 * Returns the ids of the lists with these names. If several lists share a name, returns those lists
 * in `among` and no ids.
 */
function named(found: readonly (readonly NamedList[])[]): Pick<ListMention, "ids" | "among"> {
  const among = found.find((lists) => lists.length > 1);
  if (among !== undefined) return { ids: [], among };
  return { ids: found.flatMap((lists) => lists.map(({ id }) => id)) };
}

/**
 * Returns the end of "já exportados" or "não exportei". Returns null for "produtos
 * exportados", which is not an action of the user.
 */
function exportedEnd(sentence: Sentence, at: number): number | null {
  const word = sentence.folded(at);
  if (!TAKEN.has(word)) return null;
  const end = BEHIND.has(sentence.folded(at + 1)) ? at + 2 : at + 1;
  if (BY_ITSELF.has(word) || end > at + 1) return end;
  for (let back = at - 1; back >= Math.max(0, at - 4); back--) {
    if (ALREADY.has(sentence.folded(back))) return end;
    if (!BEFORE.has(sentence.folded(back))) return null;
  }
  return null;
}

/** Maximum number of words before a verb in which the "que" of its relative clause is searched. */
const LEAD_MAX = 8;
/** Maximum number of words between "exceto" and the last words that it excludes. */
const EXCEPT_MAX = 12;
/** Matches words that may stand between a verb or "exceto" and "clientes". */
const OWN = /^(?:o|a|os|as|the|meus?|minhas?|nossos?|nossas?|my|our|ja|already|yet|ainda|t|eh)$/;

/** Returns the customer list at a token; null if the word only means companies. */
function customersAt(context: ListContext, at: number): ListMention | null {
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

/**
 * Returns how clearly the words before `at` include or exclude the customers: "clear", "open" if
 * they might, or null if they do neither.
 */
function leadAt(sentence: Sentence, at: number): "clear" | "open" | null {
  let back = at - 1;
  while (back >= 0 && OWN.test(sentence.folded(back))) back--;
  const word = sentence.folded(back);
  if (leavesAll(word)) return "clear";
  if (isJoiner(sentence, back) && isAfterExcept(sentence, back)) return "clear";
  if (BEING.has(word)) return isRelative(sentence, back) ? "clear" : null;
  if (NEGATES.has(word) && BEING.has(sentence.folded(back - 1))) return "clear";
  return LEAVING.has(word) ? "open" : null;
}

/**
 * True if "exceto" excludes the words before a joining word, and so also those after it: "clientes"
 * in "exceto MEI e clientes".
 */
function isAfterExcept(sentence: Sentence, join: number): boolean {
  for (let back = join - 1; back >= Math.max(0, join - EXCEPT_MAX); back--) {
    if (leavesAll(sentence.folded(back)) && isExcept(sentence, back)) return true;
  }
  return false;
}

/** True if a verb belongs to a relative clause, as in "que não são" or "that are". */
function isRelative(sentence: Sentence, verb: number): boolean {
  for (let back = verb; back > verb - LEAD_MAX; back--) {
    const word = sentence.folded(back);
    if (/^(?:que|quem|quien|that|which|who)$/.test(word)) return true;
    if (LEAVING.has(word)) return true;
    if (back < verb && !BEFORE.has(word)) return false;
  }
  return false;
}

/** True if the name of a list follows, as in "tirando os clientes da lista X". */
function isOfList(sentence: Sentence, at: number): boolean {
  return [0, 1, 2, 3].some((step) => LIST.has(sentence.folded(at + step)));
}
