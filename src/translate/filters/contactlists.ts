/**
 * Lists of contacts: those of which one is enough ("telefone ou e-mail", "e-mail, telefone ou
 * celular"), and those with one quality for all ("e-mail e telefone exclusivos"). Input: the
 * contacts of a sentence in their order. Output: the filter that stands for all of a list; for a
 * contact without a quality of its own, the wish for it with the quality of its list.
 * Invariant: "ou" before the last contact of a list holds for all that commas join to it; contacts
 * required before the list stay required; a web site in a list is no choice and does not end it. A
 * quality in the plural holds for its whole list; one that may be said of the contact next to it
 * alone holds for what "e" or "ou" joins without another "com", and a note says so.
 */
import type { Sentence } from "../words/sentence.ts";
import type { FilterPhrase, FoundFilters } from "./phrase.ts";
import { OF_QUALITY } from "./qualities.ts";
import { FILTER_PHRASES } from "./table.ts";

type Contact = NonNullable<FilterPhrase["contact"]>;
type Kind = Exclude<Contact, "other" | "site">;

const KINDS: readonly Kind[] = ["email", "phone", "contact", "mobile", "landline"];

const wordSet = (words: string) => new Set(words.split(" "));
/** Words that may stand between two contacts of which one is enough. */
const BETWEEN = wordSet(
  "e ou or and , / um uma com por o a as os an the any some algum alguma qualquer pelo menos at " +
    "least one either de do da numero que that who which those tenha tenham tem ter possua " +
    "possuam possui possuem have has having with tambem also ainda entao con un una tengan",
);

/** A list of contacts, as far as it was read. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly kinds: readonly Contact[];
  /** The contacts that were required before it. */
  readonly before: readonly Kind[];
  /** True if the note that any phone or e-mail counts was already added. */
  readonly isNoted: boolean;
}

/** The filter for a list whose last contact is joined by "ou". */
interface Choice {
  readonly from: number;
  /** The filter for all of it; null if none takes a contact of a quality beside others. */
  readonly joined: "phone" | "contact" | null;
  /** True if a mobile or landline becomes any phone. */
  readonly isWider: boolean;
  /** True if a filter required before the list makes the choice useless. */
  readonly isHidden: boolean;
}

/** Follows the contacts of one sentence. */
export class ContactChoice {
  readonly #sentence: Sentence;
  readonly #found: FoundFilters;
  #run: Run | null = null;

  constructor(sentence: Sentence, found: FoundFilters) {
    this.#sentence = sentence;
    this.#found = found;
  }

  /** Ends the list: its last contact was not required. */
  end(): void {
    this.#run = null;
  }

  /** Adds a contact; returns what its list stands for if "ou" joins it to another, else null. */
  add(at: number, to: number, contact: Contact): Choice | null {
    const run = this.#run;
    const joint = run === null ? null : this.#joint(run.to, at);
    if (run === null || joint === null) {
      this.#run = { from: at, to, kinds: [contact], before: this.#required(), isNoted: false };
      return null;
    }
    const kinds = run.kinds.includes(contact) ? run.kinds : [...run.kinds, contact];
    const known = kinds.filter((kind) => kind !== "site");
    const single = joint === "comma" || known.length < 2;
    const choice = single ? null : choiceOf({ ...run, to, kinds: known });
    this.#run = { ...run, to, kinds, isNoted: run.isNoted || choice?.isWider === true };
    return choice;
  }

  /** Requires one of the contacts of the list, and of the others none that it named. */
  require(joined: Kind): void {
    const before = this.#run?.before ?? [];
    for (const kind of KINDS) this.#found[kind] = kind === joined || before.includes(kind);
  }

  #required(): readonly Kind[] {
    return KINDS.filter((kind) => this.#found[kind]);
  }

  #joint(from: number, to: number): "or" | "comma" | null {
    const { tokens } = this.#sentence;
    const mail = tokens[to]?.folded === "mail" && tokens[to - 1]?.folded === "e" ? 1 : 0;
    const words = tokens.slice(from, to - mail).map(({ folded }) => folded);
    if (words.some((word) => !BETWEEN.has(word))) return null;
    if (words.some((word) => word === "ou" || word === "or")) return "or";
    const plain = words.some((word) => word === "," || word === "/");
    return plain && !words.some((word) => word === "e" || word === "and") ? "comma" : null;
  }
}

function choiceOf({ from, kinds, before, isNoted }: Run): Choice {
  const isExact = (kind: Contact) => kind === "mobile" || kind === "landline";
  const phones = kinds.every((kind) => kind === "phone" || isExact(kind));
  const joined = kinds.includes("other") ? null : phones ? "phone" : "contact";
  const hiding = before.filter((kind) => kind !== "contact");
  const isHidden = joined === "contact" && hiding.some((kind) => !kinds.includes(kind));
  return { from, joined, isWider: kinds.some(isExact) && !phones && !isNoted, isHidden };
}

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
