/**
 * Decides if a sentence includes or excludes the lists that it mentions. Input: a mention with the
 * words before it, and the previous mention. Output: "in", "out", or "unclear".
 * Invariant: "exceto" and "fora da" also exclude a list after "e" if the list has no preposition or
 * verb of its own ("exceto MEI e lista X", "exceto os já exportados e os da lista X"). The result
 * is unclear after two negators, or if the preposition or verb differs from that of the previous
 * mention.
 */

import { kindAt } from "../items.ts";
import { forgetReach, reachOf } from "../negation.ts";
import { isExcept } from "../negators.ts";
import type { Sentence } from "../words/sentence.ts";
import { AGAIN, AGAINST, isJoiner, LEAVING, leadOf, leavesAll, NEGATES, NOUNS } from "./mention.ts";

/** The sentence includes the lists of a mention, excludes them, or does neither clearly. */
type Stance = "in" | "out" | "unclear";

/**
 * The kind of words that exclude a mention. "all" is a word such as "exceto", "outside" is "fora
 * da" or "sem", and "verb" is a negated verb.
 */
type Way = "all" | "outside" | "verb" | null;

/** A mention that was read. */
export interface SeenMention {
  /**
   * `lead`: first of the words before the mention, such as "exceto". `from`: first word of the
   * mention. `to`: the token after it.
   */
  readonly lead: number;
  readonly from: number;
  readonly to: number;
  readonly stance: Stance;
  readonly way: Way;
  /** True if an "exceto" before an earlier mention also excludes this one. */
  readonly isJoined: boolean;
}

/** Maximum number of negation lookups in a sentence. A sentence that needs more is unclear. */
const REACHES_MAX = 20;
const EXCEPT_MAX = 4;
/** Maximum number of words and punctuation marks that join two parts of a list. */
const JOIN_MAX = 4;

/** Reads the mentions of one sentence in their order. */
export class Stances {
  readonly #sentence: Sentence;
  #before: SeenMention | null = null;
  #reaches = 0;

  constructor(sentence: Sentence) {
    this.#sentence = sentence;
  }

  /**
   * Decides if the sentence includes or excludes the lists that the tokens [from, to) mention. The
   * words before the mention, such as "exceto", begin at `lead`.
   */
  read(lead: number, from: number, to: number): SeenMention {
    const seen = this.#read(lead, from, to);
    this.#before = seen;
    return seen;
  }

  #read(lead: number, from: number, to: number): SeenMention {
    const place = { lead, from, to };
    const sentence = this.#sentence;
    const negators = wordsIn(sentence, lead, from + 1).filter((word) => LEAVING.has(word));
    if (negators.length > 0) {
      const isTwice = negators.filter((word) => !AGAIN.has(word)).length > 1;
      const way = wayOf(negators.at(-1) as string);
      return { ...place, stance: isTwice ? "unclear" : "out", way, isJoined: false };
    }
    const join = joinBefore(sentence, lead);
    if (join >= 0 && this.#before?.to === join) return this.#joinedToList(place, this.#before);
    const stance = this.#joinedToItem(lead, from, join);
    return { ...place, stance, way: stance === "out" ? "all" : null, isJoined: stance === "out" };
  }

  /**
   * Decides if a mention joined to the previous one is included or excluded. It is treated like the
   * previous one unless the words before it differ. In "exceto a lista X e os já exportados", both
   * are excluded.
   */
  #joinedToList(place: Place, before: SeenMention): SeenMention {
    const { way } = before;
    const sentence = this.#sentence;
    const joined = (stance: Stance) => {
      const isJoined = stance === "out" && way === "all";
      return { ...place, stance, way: stance === "out" ? way : null, isJoined };
    };
    if (before.stance !== "out") return joined(before.stance);
    const isNoun = isNounAt(sentence, place.lead, place.from);
    const isComma = sentence.tokens[place.lead - 1]?.kind === "mark";
    if (AGAINST.has(sentence.folded(place.lead - 1))) return joined(isNoun ? "unclear" : "in");
    if (isNoun) return joined(way === "verb" || (isComma && way !== "all") ? "unclear" : "out");
    const led = leadOf(sentence.folded(place.lead));
    const isLedAlike = led !== null && led === leadOf(sentence.folded(before.from - 1));
    if (isLedAlike && !isComma) return joined("out");
    return joined(isComma || isApart(before, led) ? "in" : "unclear");
  }

  /**
   * Decides if a mention after other requests is included or excluded. In "exceto MEI e lista X",
   * list X is excluded because MEI is.
   */
  #joinedToItem(lead: number, from: number, join: number): Stance {
    const sentence = this.#sentence;
    if (join >= 0 && isNounAt(sentence, lead, from)) {
      const isWord = sentence.tokens[lead - 1]?.kind !== "mark";
      const negator = this.#negatorAt(join - 1);
      if (negator === "unclear") return "unclear";
      if (negator >= 0) return isWord && isExcept(sentence, negator) ? "out" : "unclear";
      if (this.#leavesBefore(lead)) return "unclear";
    }
    return isAfterExcept(sentence, lead) || isAfterNot(sentence, lead) ? "unclear" : "in";
  }

  /**
   * Returns the negator of the words that end at a token. Returns -1 if there is none, and
   * "unclear" after too many lookups in one sentence.
   */
  #negatorAt(last: number): number | "unclear" {
    if (++this.#reaches > REACHES_MAX) return "unclear";
    // Drops the cached results of negations, because a negator that is now part of a list's name
    // negates nothing.
    forgetReach(this.#sentence);
    const { polarity, negator } = reachOf(this.#sentence, last);
    return polarity === "negated" ? negator : -1;
  }

  /**
   * True if a word like "exceto" stands between the previous mention and this one, because it may
   * also exclude this one.
   */
  #leavesBefore(lead: number): boolean {
    for (let at = this.#before?.to ?? 0; at < lead; at++) {
      if (leavesAll(this.#sentence.folded(at)) && isExcept(this.#sentence, at)) return true;
    }
    return false;
  }
}

type Place = Pick<SeenMention, "lead" | "from" | "to">;

function wayOf(word: string): Way {
  if (leavesAll(word)) return "all";
  return NEGATES.has(word) ? "verb" : "outside";
}

/** True if the words before the second list include it: "fora da lista X e na lista Y". */
function isApart(before: SeenMention, led: "in" | "from" | null): boolean {
  if (before.way === "outside") return led !== "from" && !isVerb(before);
  return before.way === "verb" && (led !== "from" || isVerb(before));
}

/** True if the mention is a single verb such as "exportei", which means the exported accounts. */
function isVerb({ from, to }: SeenMention): boolean {
  return to === from + 1;
}

/** If "e" or a comma precedes `lead`, returns the end of the words before it, otherwise -1. */
function joinBefore(sentence: Sentence, lead: number): number {
  let at = lead;
  while (at > lead - JOIN_MAX && isJoiner(sentence, at - 1)) at--;
  return at === lead ? -1 : at;
}

/**
 * True for a list without introducing words, or after an article: "e lista X", "e os da lista X".
 */
function isNounAt(sentence: Sentence, lead: number, from: number): boolean {
  return lead === from || NOUNS.has(sentence.folded(lead));
}

function wordsIn(sentence: Sentence, from: number, to: number): string[] {
  return sentence.tokens.slice(from, to).map((_, step) => sentence.folded(from + step));
}

/**
 * True if the mention follows an excluded word, as in "exceto MEI da lista Clientes". The words may
 * then exclude MEI or the list.
 */
function isAfterExcept(sentence: Sentence, from: number): boolean {
  for (let back = from - 1; back >= Math.max(0, from - EXCEPT_MAX); back--) {
    if (sentence.tokens[back]?.kind === "mark") return false;
    if (leavesAll(sentence.folded(back)) && isExcept(sentence, back)) return true;
  }
  return false;
}

/** True if an excluded unknown word precedes the mention: "xyz" in "sem xyz na lista Clientes". */
function isAfterNot(sentence: Sentence, from: number): boolean {
  for (let back = from - 1; back >= Math.max(0, from - EXCEPT_MAX); back--) {
    if (sentence.tokens[back]?.kind === "mark" || !sentence.free(back)) return false;
    if (LEAVING.has(sentence.folded(back))) return true;
    const kind = kindAt(sentence, back);
    if (kind !== "other" && kind !== "small") return false;
  }
  return false;
}
