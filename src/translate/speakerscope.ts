/**
 * Finds the ends of clauses about the speaker, and the requests and trades around them.
 * Invariant: no token is marked as read. A lookup visits at most `CLAUSE_MAX` words.
 */
import type { Notes } from "./notes.ts";
import type { Gazetteer } from "./places/gazetteer.ts";
import { ARTICLES, JOINS, PRONOUNS, REQUESTS, STARTING_LEADS, TO_SELL } from "./speakerwords.ts";
import type { Sentence } from "./words/sentence.ts";

/** Max words in a clause, and in the text that is checked before and after it. */
export const CLAUSE_MAX = 30;
const HARD = /^[:;.!?\u2013\u2014|]$/;

/** Tokens of a clause. Its content, such as the goods of an offer, begins at `object`. */
export interface SpokenClause {
  readonly from: number;
  readonly object: number;
  readonly to: number;
}

/** A sentence, with the data needed to read its clauses. */
export interface SpeakerContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
  readonly gazetteer: Gazetteer;
  /** Returns the end of the trade or goods that begin at a token. */
  readonly tradeEnd: (at: number) => number;
  readonly spanish: boolean;
}

/** True if a line break or dash precedes a token. */
export function breaksBefore({ tokens, text }: Sentence, at: number): boolean {
  return /\n|\s-+\s/.test(text.slice(tokens[at - 1]?.end ?? 0, tokens[at]?.start ?? 0));
}

/** Returns the mark, line break, or dash that ends a clause, or the sentence's length. */
export function endOf(sentence: Sentence, from: number): number {
  for (let at = from; at < sentence.tokens.length; at++) {
    if (at > from && breaksBefore(sentence, at)) return at;
    if (sentence.tokens[at]?.kind === "mark" && HARD.test(sentence.tokens[at]?.text ?? ""))
      return at;
    if (at > from + CLAUSE_MAX) return at;
  }
  return sentence.tokens.length;
}

/** Returns the index of a requesting word, or -1. */
export function requestIn(sentence: Sentence, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const isRequest = REQUESTS.has(sentence.folded(at)) && !TO_SELL.has(sentence.folded(at + 1));
    if (isRequest && !/^(que|quem|who|that)$/.test(sentence.folded(at - 1))) return at;
  }
  return -1;
}

/** True if a trade or goods begin in the `CLAUSE_MAX` words from a token on. */
export function hasTrade(context: SpeakerContext, from: number): boolean {
  return hasTradeIn(context, from, from + CLAUSE_MAX);
}

/** True if a trade or goods begin between two tokens. */
export function hasTradeIn(
  { sentence, tradeEnd }: SpeakerContext,
  from: number,
  to: number,
): boolean {
  for (let at = Math.max(0, from); at < Math.min(to, sentence.tokens.length); at++) {
    if (sentence.free(at) && tradeEnd(at) > at) return true;
  }
  return false;
}

/** Skips articles. */
export function firstOf(sentence: Sentence, from: number): number {
  let at = from;
  while (at < from + 3 && ARTICLES.has(sentence.folded(at))) at++;
  return at;
}

/** Returns the end of a clause without the words and commas that join it to the next request. */
export function trimmed(sentence: Sentence, from: number, end: number): number {
  let to = end;
  while (to > from) {
    const { kind, folded } = sentence.tokens[to - 1] ?? { kind: "mark", folded: "" };
    const small = folded === "me" || STARTING_LEADS.has(folded);
    const isJoin = JOINS.has(folded) || PRONOUNS.has(folded) || small;
    if (kind !== "mark" && !isJoin) break;
    to--;
  }
  return to;
}
