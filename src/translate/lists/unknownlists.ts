/**
 * Reads mentions of lists that do not exist, and of "minha lista" without a name. Input: a
 * sentence, and a position at which no name of the user's lists begins. Output: the words that
 * nevertheless name a list.
 * Invariant: words name a list if they follow a preposition or possessive, have capital letters or
 * quotation marks, or include a word that alone is no activity ("fornecedores"). "Lista de
 * padarias", "lista completa", and "lista padarias em SP" request a new list.
 */
import { STATE_NAMES } from "../../spec/states.ts";
import { lexicon } from "../activities/lexicon.ts";
import { FILTER_PHRASES } from "../filters/table.ts";
import { kindAt } from "../items.ts";
import { joins } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import {
  BETWEEN,
  BY_HAND,
  CUSTOMERS,
  ENDS,
  FILES,
  isPotential,
  LEAVING,
  LIST,
  type ListContext,
  type ListMention,
  OF_LIST,
  RELATIONS,
  UNKNOWN,
  whichOf,
} from "./mention.ts";

/** Maximum number of words in the name of a list. */
const NAME_MAX = 6;
/**
 * Maximum number of words before "lista" that are searched for a request. Applies if no words such
 * as "na" precede "lista".
 */
const BEFORE_MAX = 24;
const OWN = /^(?:minhas?|nossas?|suas?|my|our)$/;
const OF = /^(?:de|of)$/;
/** Matches prepositions before a list. After one of them, a name may be in lower case. */
const INSIDE = /^(?:na|da|pela|in|on|from|la)$/;

/** Returns the mention of a list that has no name or an unknown name, or null. */
export function unwritten(context: ListContext, at: number): ListMention | null {
  const { sentence } = context;
  if (!LIST.has(sentence.folded(at))) return null;
  const before = sentence.folded(at - 1);
  const isLed = OF_LIST.has(before) || LEAVING.has(before);
  const to = isLed ? ledEnd(context, at) : bareEnd(context, at);
  if (to === null) return null;
  const names = context.known();
  const all = to === at + 1 ? (names?.all ?? []) : [];
  if (all.length === 1 || before === "nenhuma")
    return { from: at, to, ids: all.map(({ id }) => id) };
  const why = names === null ? BY_HAND : all.length > 1 ? whichOf(all) : UNKNOWN;
  return { from: at, to, ids: [], why };
}

/**
 * Returns the end of a list after a preposition or possessive: "na lista Clientes MG", "da minha
 * lista", 'in the list "Old ones"', "da lista prospects".
 */
function ledEnd(context: ListContext, at: number): number | null {
  const { sentence } = context;
  const before = sentence.folded(at - 1);
  const start = at + 1;
  // "minha lista de padarias" requests a new list of bakeries.
  if (OF.test(sentence.folded(start))) return ofEnd(sentence, at);
  const quoted = quotedEnd(sentence, start);
  if (quoted !== null) return quoted;
  let to = start;
  while (to < start + NAME_MAX && isNamePart(sentence, to)) to++;
  const inside = INSIDE.test(before) || LEAVING.has(before);
  // "da lista" and "da lista 🔥" refer to a list but have no name of words.
  const next = sentence.tokens[start];
  if (inside && to === start && (next === undefined || next.kind === "mark")) {
    return next !== undefined && !/[.,;:!?()]/.test(next.text) ? start + 1 : start;
  }
  const isNamed = to > start && (inside || isCapital(sentence, start));
  return OWN.test(before) || isNamed ? to : null;
}

/** Returns the end of "na lista de clientes"; null for "lista de padarias". */
function ofEnd(sentence: Sentence, at: number): number | null {
  const name = at + 2;
  if (isPotential(sentence, name + 1) || !followsRequest(sentence, at)) return null;
  const [before, word] = [sentence.folded(at - 1), sentence.folded(name)];
  const isIn = /^(?:na|in|on|pela)$/.test(before) || LEAVING.has(before) || BETWEEN.has(before);
  const isWhose = CUSTOMERS.has(word) || isRelation(sentence, name);
  const isBare = isRelation(sentence, name) && !OF_LIST.has(before);
  return isWhose && (isIn || isBare || /^(?:da|from)$/.test(before)) ? name + 1 : null;
}

/**
 * Returns the end of the mention of a list without words such as "na" before it: "restaurantes em
 * SP, lista Fornecedores", 'lista: "Antigos"'.
 */
function bareEnd(context: ListContext, at: number): number | null {
  const { sentence } = context;
  if (!followsRequest(sentence, at)) return null;
  let start = at + 1;
  if (OF.test(sentence.folded(start))) return ofEnd(sentence, at);
  while (/^[:=]$/.test(sentence.tokens[start]?.text ?? "")) start++;
  const quoted = quotedEnd(sentence, start);
  if (quoted !== null) return quoted;
  const isOther = isElse(context, start, null) && !isActivity(sentence, start);
  const isName = isCapital(sentence, start) && !isOther;
  const word = sentence.folded(start);
  const isSmall = ENDS.has(word) || FILES.has(word) || joins(sentence.tokens[start]);
  if (isSmall || !(isName || isRelation(sentence, start))) return null;
  let to = start + 1;
  while (to < start + NAME_MAX && isCapital(sentence, to) && isNamePart(sentence, to)) to++;
  return to;
}

/** True if words that are not fillers precede a token. */
function followsRequest(sentence: Sentence, at: number): boolean {
  for (let back = at - 1; back >= Math.max(0, at - BEFORE_MAX); back--) {
    const isSmall = sentence.owner(back) === "filler" || kindAt(sentence, back) === "small";
    if (!isSmall) return true;
  }
  return false;
}

/** True for a common name of a list even without "lista", such as "e fornecedores". */
export function isRelation(sentence: Sentence, at: number): boolean {
  if (!RELATIONS.has(sentence.folded(at)) || !sentence.free(at)) return false;
  const goesOn = /^(?:de|do|da|dos|das|of|para|for)$/.test(sentence.folded(at + 1));
  return !goesOn && !isActivity(sentence, at + 1);
}

function isActivity(sentence: Sentence, at: number): boolean {
  return kindAt(sentence, at) === "activity";
}

/**
 * True if the words from a token on may also be a trade, place, date, or other request. If `to` is
 * given, they must end there.
 */
export function isElse(context: ListContext, at: number, to: number | null): boolean {
  const { sentence, places } = context;
  const { tokens } = sentence;
  if (isQuote(sentence, at) || (to !== null && isQuote(sentence, to - 1))) return false;
  const { trades, goods } = lexicon();
  const ends = [FILTER_PHRASES, trades, goods, places].map((book) => book.longest(tokens, at)?.to);
  if (Object.hasOwn(STATE_NAMES, tokens[at]?.text.toUpperCase() ?? "")) ends.push(at + 1);
  if (kindAt(sentence, at) === "date") ends.push(at + 1);
  return ends.some((end) => end !== undefined && (to === null || end === to));
}

/** Returns the start of the name before "list", as in "in my Clients list", or `at`. */
export function nameBefore(sentence: Sentence, at: number): number {
  if (!/^list(?:s|ings?)?$/.test(sentence.folded(at))) return at;
  let first = at;
  const quoted = isQuote(sentence, at - 1);
  if (quoted) first--;
  while (
    first > at - NAME_MAX &&
    (quoted ? !isQuote(sentence, first - 1) : isCapital(sentence, first - 1))
  )
    first--;
  if (quoted) first--;
  return first < at && /^(the|my|our)$/.test(sentence.folded(first - 1)) ? first : at;
}

/** True for a capitalized word in a text that is not all capitals. */
export function isCapital(sentence: Sentence, at: number): boolean {
  const { kind, text = "" } = sentence.tokens[at] ?? { kind: "mark" };
  const shouted = sentence.text === sentence.text.toUpperCase();
  return kind === "word" && !shouted && text.slice(0, 1) !== text.slice(0, 1).toLowerCase();
}

/** True for capitalized words, numbers, and words at which no other request begins. */
function isNamePart(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || token.kind === "mark" || !sentence.free(at)) return false;
  return token.kind === "number" || isCapital(sentence, at) || !ENDS.has(token.folded);
}

function isQuote(sentence: Sentence, at: number): boolean {
  return /^["“”'«»]$/.test(sentence.tokens[at]?.text ?? "");
}

/** Returns the end of a quoted name; null if none begins at the token. */
export function quotedEnd(sentence: Sentence, at: number): number | null {
  if (!isQuote(sentence, at)) return null;
  for (let to = at + 1; to <= at + 2 * NAME_MAX; to++) {
    if (isQuote(sentence, to)) return to + 1;
  }
  return null;
}
