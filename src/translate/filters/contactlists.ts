/**
 * Reads lists of contacts in two cases. In a choice, one contact of the list is enough ("telefone
 * ou e-mail", "e-mail, telefone ou celular"). In a list with a quality, the quality applies to all
 * contacts ("e-mail e telefone exclusivos"). Input: the contacts of a sentence in order. Output:
 * for a choice, one filter for the whole list. For a quality, the filter of each contact with that
 * quality.
 * Invariant: "ou" before the last contact applies to all contacts that commas join to it. Contacts
 * required before the list stay required. A web site in a list cannot satisfy the choice and does
 * not end the list. A quality in the plural applies to the whole list. A quality in the singular
 * may apply to one contact or to all. It is applied to contacts that "e" or "ou" joins without
 * another "com", and a note reports this.
 */
import type { Sentence } from "../words/sentence.ts";
import type { FilterPhrase, FoundFilters } from "./phrase.ts";
import { OF_QUALITY } from "./qualities.ts";
import { FILTER_PHRASES } from "./table.ts";

type Contact = NonNullable<FilterPhrase["contact"]>;
type Kind = Exclude<Contact, "other" | "site">;

const KINDS: readonly Kind[] = ["email", "phone", "contact", "mobile", "landline"];

const wordSet = (words: string) => new Set(words.split(" "));
/** Words that may stand between two contacts of one list. */
const BETWEEN = wordSet(
  "e ou or and , / um uma com por o a as os an the any some algum alguma qualquer pelo menos at " +
    "least one either de do da numero que that who which those tenha tenham tem ter possua " +
    "possuam possui possuem have has having with tambem also ainda entao con un una tengan",
);

/** A list of contacts read so far. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly kinds: readonly Contact[];
  /** Contacts that the sentence requires before this list. */
  readonly before: readonly Kind[];
  /** True if a note already states that any phone or e-mail counts. */
  readonly isNoted: boolean;
}

/** The filter for a list in which "ou" joins the last contact, so that one contact is enough. */
interface Choice {
  readonly from: number;
  /**
   * The filter that takes any contact of the list. Null if one of them has a quality, because no
   * filter combines a quality with alternatives.
   */
  readonly joined: "phone" | "contact" | null;
  /** True if the filter takes any phone, but the sentence requests a mobile or landline. */
  readonly isWider: boolean;
  readonly hasSite: boolean;
  /**
   * True if an earlier filter already requires another contact. Accepting any contact of the list
   * in its place would then add no companies.
   */
  readonly isHidden: boolean;
}

/** Collects the contacts of one sentence into lists, in order. */
export class ContactChoice {
  readonly #sentence: Sentence;
  readonly #found: FoundFilters;
  #run: Run | null = null;

  constructor(sentence: Sentence, found: FoundFilters) {
    this.#sentence = sentence;
    this.#found = found;
  }

  /** Ends the current list. Called if the next contact is not required ("sem telefone"). */
  end(): void {
    this.#run = null;
  }

  /** Adds a contact. Returns the choice if "ou" joins the contact to its list, otherwise null. */
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
    const hasSite = kinds.includes("site");
    const choice = single ? null : { ...choiceOf({ ...run, to, kinds: known }), hasSite };
    this.#run = { ...run, to, kinds, isNoted: run.isNoted || choice?.isWider === true };
    return choice;
  }

  /**
   * Requires the contact kind `joined` instead of the contacts of the list. Contacts required
   * before the list stay required.
   */
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

function choiceOf({ from, kinds, before, isNoted }: Run): Omit<Choice, "hasSite"> {
  const isExact = (kind: Contact) => kind === "mobile" || kind === "landline";
  const phones = kinds.every((kind) => kind === "phone" || isExact(kind));
  const joined = kinds.includes("other") ? null : phones ? "phone" : "contact";
  const hiding = before.filter((kind) => kind !== "contact");
  const isHidden = joined === "contact" && hiding.some((kind) => !kinds.includes(kind));
  return { from, joined, isWider: kinds.some(isExact) && !phones && !isNoted, isHidden };
}

interface ContactAt {
  readonly at: number;
  readonly to: number;
  readonly phrase: FilterPhrase;
}

/** The previous contact. `leads` is true if its quality also applies to the contact after it. */
export interface ContactBefore extends ContactAt {
  readonly leads: boolean;
}

/**
 * The filter of a contact, with the quality that its list states. `unsure` is true if the quality
 * may apply only to the contact next to it.
 */
interface Spread {
  readonly phrase: FilterPhrase;
  readonly unsure: boolean;
}

const FIRM = /^(e|ou|and|or|nem|nor)$/;
const ARTICLE = /^(o|a|os|as|um|uma|an|the|its|their|seu|seus)$/;
const WITH = /^(com|with|sem|without|de)$/;
/** Matches the first word of a contact's name. Any other first word of a phrase is a quality. */
const CONTACT = new RegExp(
  "^(?:e|e?mails?|correios?|(?:tele)?fones?|tel|numeros?|(?:tele)?phones?|cel|celular(?:es)?|" +
    "fixos?|mobiles?|landlines?|cell)$",
);
const PLURAL = /^((?:exclusiv|unic|propri|compartilhad|repetid)[oa]s|sejam|sao|are|repetem)$/;
/** Maximum number of contacts between a contact and the quality that applies to it. */
const LIST_MAX = 4;

/** True if a quality precedes a contact and may also apply to the next: "exclusive e-mail". */
export function leadsList(sentence: Sentence, { at, phrase }: ContactAt): boolean {
  return phrase.quality !== undefined && !CONTACT.test(sentence.folded(at));
}

/**
 * Returns a contact's filter with the quality that its list states. Returns null if the contact has
 * a quality already or if the list states none.
 */
export function spreadQuality(
  sentence: Sentence,
  one: ContactAt,
  before: ContactBefore | null,
): Spread | null {
  const { quality, contact } = one.phrase;
  if (quality !== undefined || contact === undefined) return null;
  const found = before?.leads ? fromBefore(sentence, one, before) : fromBehind(sentence, one);
  const phrase = found === null ? undefined : OF_QUALITY[found.quality].get(contact);
  return phrase === undefined || found === null ? null : { phrase, unsure: found.unsure };
}

interface QualityPhrase {
  readonly quality: NonNullable<FilterPhrase["quality"]>;
  readonly unsure: boolean;
}

/**
 * Returns the quality of the previous contact if it also applies here: in "exclusive e-mail and
 * phone", not in "an exclusive e-mail and a phone".
 */
function fromBefore(
  sentence: Sentence,
  { at }: ContactAt,
  before: ContactBefore,
): QualityPhrase | null {
  const joint = jointAt(sentence, before.to);
  const isList = joint !== null && joint.to === at && !joint.isLed && !joint.hasArticle;
  const { quality } = before.phrase;
  return isList && quality !== undefined ? { quality, unsure: true } : null;
}

/** Returns the quality stated after a list of contacts: "e-mail e telefone exclusivos". */
function fromBehind(sentence: Sentence, { to }: ContactAt): QualityPhrase | null {
  let [isLed, from] = [false, to];
  for (let left = LIST_MAX; left > 0; left--) {
    const joint = jointAt(sentence, from);
    if (joint === null) return null;
    const next = FILTER_PHRASES.longest(sentence.tokens, joint.to, (at) => sentence.free(at));
    if (next?.value.contact === undefined || !CONTACT.test(sentence.folded(joint.to))) return null;
    isLed ||= joint.isLed;
    const { quality } = next.value;
    if (quality !== undefined) {
      const isPlural = isInPlural(sentence, joint.to, next.to);
      // The joining word may lie within the next phrase: "mobile and phone not shared" is a single
      // row of the phrase table.
      const isFirm = joint.isFirm || hasFirm(sentence, joint.to, next.to);
      if (!isPlural && (isLed || !isFirm)) return null;
      return { quality, unsure: !isPlural };
    }
    // "e-mail, celular com telefone" is not a list.
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

/** Returns the words that join the contact that ends at a token to the next contact, or null. */
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

function isInPlural(sentence: Sentence, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (PLURAL.test(sentence.folded(at))) return true;
  return false;
}
