/**
 * How many companies may share a contact: "telefone usado por até 3 empresas". Input: a sentence
 * before its numbers are read. Output: the most companies for a phone and for an e-mail.
 * Invariant: only behind a word for a contact, with a verb of use or "de", a bound, and a word for
 * companies; what no filter takes (three companies or more) goes to the notes, and neither the verb
 * nor the number becomes a trade or a limit.
 */
import { claimNegation } from "../claimnegation.ts";
import { negatorOf } from "../negation.ts";
import type { Notes } from "../notes.ts";
import { numeralAt } from "../numbers/numbers.ts";
import type { Sentence } from "../words/sentence.ts";
import { NOT_COUNTED, SHARED_ONLY } from "./remarks.ts";

/** The most companies that may have the same contact, where a sentence says so. */
export interface SharedMax {
  readonly phone?: number;
  readonly email?: number;
  /** True if a wish went to the notes, so that the filters find more than was meant. */
  readonly lost: boolean;
}

const PHONE = /^(?:(?:tele)?fones?|tel|celular(?:es)?|(?:tele)?phones?|mobiles?|telefonos?)$/;
const MAIL = /^(?:e?mails?|correos?)$/;
const THAT = /^(?:que|e|eh|seja|sejam|sao|esteja|estejam|that|which|is|are|s|has|been)$/;
const USED = /^(?:(?:us|utiliz|compartilh)ad[ao]s?|(?:compart|divid|repet)id[ao]s?|used|shared)$/;
const BY = /^(?:por|by|com|with|entre|among|em|in|con)$/;
const OF = /^(?:de|of)$/;
/** Bounds from above, and others, in their words. */
const AT_MOST = ["ate", "no maximo", "nao mais de", "nao mais que", "at most", "up to"];
const AT_MOST_MORE = ["no more than", "como maximo", "hasta", "a lo sumo", "max", "maximo"];
const COMPANY = /^(?:empresas?|cnpjs?|firmas?|companhias?|companies|company|businesses|firms)$/;
/** Max words between a verb of use and its companies: "mais de uma outra empresa". */
const OTHER_MAX = 6;

interface Said {
  readonly to: number;
  /** Null if no filter takes it. */
  readonly most: number | null;
}

/** Finds and claims every such wish; `counts` if the snapshot has what is counted. */
export function findSharedMax(sentence: Sentence, notes: Notes, counts: boolean): SharedMax {
  const found: { phone?: number; email?: number; lost: boolean } = { lost: false };
  for (let at = 0; at < sentence.tokens.length; at++) {
    const kind = contactAt(sentence, at);
    const said = kind === null || !sentence.free(at) ? null : saidBehind(sentence, at + 1);
    if (kind === null || said === null) continue;
    const isHyphened = sentence.folded(at) === "mail" && sentence.folded(at - 1) === "e";
    const from = isHyphened ? at - 1 : at;
    const negator = negatorOf(sentence, at);
    if (said.most === null || negator >= 0 || !counts) {
      if (negator >= 0 && negator < from) claimNegation(sentence, negator, from);
      const why = counts ? SHARED_ONLY : NOT_COUNTED;
      notes.leave(why.code, why, sentence.claim(from, said.to, "unmapped"));
      found.lost = true;
    } else {
      found[kind] = Math.min(said.most, found[kind] ?? said.most);
      sentence.claim(from, said.to, "contact");
    }
    sentence.name(from, said.to);
    at = said.to - 1;
  }
  return found;
}

function contactAt(sentence: Sentence, at: number): "phone" | "email" | null {
  if (sentence.tokens[at]?.kind !== "word") return null;
  const word = sentence.folded(at);
  if (PHONE.test(word)) return "phone";
  return MAIL.test(word) ? "email" : null;
}

/** What a contact has behind it: "usado por até 3 empresas", "de no máximo 2 empresas". */
function saidBehind(sentence: Sentence, from: number): Said | null {
  let at = from;
  while (THAT.test(sentence.folded(at))) at++;
  const isUsed = USED.test(sentence.folded(at));
  if (isUsed) at++;
  if (
    !(isUsed ? BY.test(sentence.folded(at)) || isBound(sentence, at) : OF.test(sentence.folded(at)))
  )
    return null;
  if (!isBound(sentence, at)) at++;
  const bound = boundEnd(sentence, at);
  const numeral = bound < 0 ? null : numeralAt(sentence, bound);
  if (numeral !== null && COMPANY.test(sentence.folded(numeral.to))) {
    return { to: numeral.to + 1, most: numeral.value };
  }
  return isUsed ? otherUse(sentence, at) : null;
}

function isBound(sentence: Sentence, at: number): boolean {
  return boundEnd(sentence, at) >= 0;
}

/** The token behind a bound from above; -1 for none. */
function boundEnd(sentence: Sentence, at: number): number {
  for (const words of [...AT_MOST, ...AT_MOST_MORE]) {
    const { length } = words.split(" ");
    const said = Array.from({ length }, (_, i) => sentence.folded(at + i)).join(" ");
    if (said === words) return at + length;
  }
  return -1;
}

/** "usado por mais de 3 empresas", of which no filter knows; null without a number. */
function otherUse(sentence: Sentence, from: number): Said | null {
  let isCounted = false;
  for (let at = from; at < from + OTHER_MAX; at++) {
    isCounted ||= numeralAt(sentence, at) !== null;
    if (COMPANY.test(sentence.folded(at))) return isCounted ? { to: at + 1, most: null } : null;
    if (sentence.tokens[at]?.kind === "mark") return null;
  }
  return null;
}
