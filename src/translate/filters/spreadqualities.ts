/**
 * Qualities that are said once of several contacts: "e-mail e telefone exclusivos", "exclusive
 * e-mail and phone". Input: a contact of a sentence without a quality of its own. Output: the wish
 * for that contact with the quality of the list.
 * Invariant: a quality in the plural holds for its whole list; one that may be said of the contact
 * next to it alone holds for what "e" or "ou" joins without another "com", and a note says so.
 */
import type { Sentence } from "../words/sentence.ts";
import type { FilterPhrase } from "./phrase.ts";
import { OF_QUALITY } from "./qualities.ts";
import { FILTER_PHRASES } from "./table.ts";

/** A contact in a sentence, and what it asks for. */
interface ContactAt {
  readonly at: number;
  readonly to: number;
  readonly phrase: FilterPhrase;
}

/** The contact before, and whether a quality before it holds for what follows. */
export interface ContactBefore extends ContactAt {
  readonly leads: boolean;
}

/** A contact with the quality of its list; unsure if it may be said of its neighbor alone. */
interface Spread {
  readonly phrase: FilterPhrase;
  readonly unsure: boolean;
}

const FIRM = /^(e|ou|and|or|nem|nor)$/;
const ARTICLE = /^(o|a|os|as|um|uma|an|the|its|their|seu|seus)$/;
const WITH = /^(com|with|sem|without|de)$/;
/** What contacts are called; a quality that begins otherwise stands before its contact. */
const CONTACT = new RegExp(
  "^(?:e|e?mails?|correios?|(?:tele)?fones?|tel|numeros?|(?:tele)?phones?|cel|celular(?:es)?|" +
    "fixos?|mobiles?|landlines?|cell)$",
);
const PLURAL = /^((?:exclusiv|unic|propri|compartilhad|repetid)[oa]s|sejam|sao|are|repetem)$/;
/** Max contacts between one and the quality that is said of it. */
const LIST_MAX = 4;

/** True if the quality of a contact stands before it, so that it goes on to the next one. */
export function leadsList(sentence: Sentence, { at, phrase }: ContactAt): boolean {
  return phrase.quality !== undefined && !CONTACT.test(sentence.folded(at));
}

/** Returns a contact with the quality that its list has; null if it has none. */
export function spreadQuality(
  sentence: Sentence,
  one: ContactAt,
  before: ContactBefore | null,
): Spread | null {
  const { quality, contact } = one.phrase;
  if (quality !== undefined || contact === undefined) return null;
  const said = before?.leads ? fromBefore(sentence, one, before) : fromBehind(sentence, one);
  const phrase = said === null ? undefined : OF_QUALITY[said.quality].get(contact);
  return phrase === undefined || said === null ? null : { phrase, unsure: said.unsure };
}

interface Said {
  readonly quality: NonNullable<FilterPhrase["quality"]>;
  readonly unsure: boolean;
}

/** "exclusive e-mail and phone", not "an exclusive e-mail and a phone". */
function fromBefore(sentence: Sentence, { at }: ContactAt, before: ContactBefore): Said | null {
  const joint = jointAt(sentence, before.to);
  const isList = joint !== null && joint.to === at && !joint.isLed && !joint.hasArticle;
  const { quality } = before.phrase;
  return isList && quality !== undefined ? { quality, unsure: true } : null;
}

/** "e-mail, celular e telefone exclusivos". */
function fromBehind(sentence: Sentence, { to }: ContactAt): Said | null {
  let [isLed, from] = [false, to];
  for (let left = LIST_MAX; left > 0; left--) {
    const joint = jointAt(sentence, from);
    if (joint === null) return null;
    const next = FILTER_PHRASES.longest(sentence.tokens, joint.to, (at) => sentence.free(at));
    if (next?.value.contact === undefined || !CONTACT.test(sentence.folded(joint.to))) return null;
    isLed ||= joint.isLed;
    const { quality } = next.value;
    if (quality !== undefined) {
      const isPlural = isSaidInPlural(sentence, joint.to, next.to);
      // "mobile and phone not shared" is one wish of the table.
      const isFirm = joint.isFirm || hasFirm(sentence, joint.to, next.to);
      if (!isPlural && (isLed || !isFirm)) return null;
      return { quality, unsure: !isPlural };
    }
    // "e-mail, celular com telefone" is no list.
    from = next.to;
  }
  return null;
}

interface Joint {
  readonly to: number;
  readonly isFirm: boolean;
  readonly isLed: boolean;
  readonly hasArticle: boolean;
}

/** What joins the contact that ends at a token to the next one; null if nothing does. */
function jointAt(sentence: Sentence, from: number): Joint | null {
  let at = from;
  const comma = /^[,/]$/.test(sentence.tokens[at]?.text ?? "");
  if (comma) at++;
  const isFirm = FIRM.test(sentence.folded(at)) && !isMail(sentence, at);
  if (isFirm) at++;
  if (!comma && !isFirm) return null;
  let [isLed, hasArticle] = [false, false];
  for (; at < from + 6; at++) {
    const word = sentence.folded(at);
    if (WITH.test(word)) isLed = true;
    else if (ARTICLE.test(word)) hasArticle = true;
    else if (!isMail(sentence, at)) break;
  }
  return { to: at, isFirm, isLed, hasArticle };
}

function hasFirm(sentence: Sentence, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (FIRM.test(sentence.folded(at)) && !isMail(sentence, at)) return true;
  }
  return false;
}

/** True for the "e" of "e-mail". */
function isMail(sentence: Sentence, at: number): boolean {
  return sentence.folded(at) === "e" && /^mails?$/.test(sentence.folded(at + 1));
}

function isSaidInPlural(sentence: Sentence, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (PLURAL.test(sentence.folded(at))) return true;
  return false;
}
