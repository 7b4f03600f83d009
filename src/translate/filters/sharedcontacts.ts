/**
 * Reads two kinds of requests about shared contacts. One is the maximum number of companies with
 * the same contact ("telefone usado por até 3 empresas"). The other is the contact of another
 * company ("o mesmo telefone que o CNPJ …", "same e-mail as Acme"). Input: a sentence before its
 * numbers are read, and again when numbers and addresses are known. Output: the maximum number of
 * companies for a phone and for an e-mail. The contact of another company gets a note, because a
 * filter takes only a number or address.
 * Invariant: a number counts only after a word for a contact, with a verb of use or "de", a bound,
 * and a word for companies. Requests for a minimum number of companies have no filter and get a
 * note. The contact of another company is read only after words such as "mesmo", before "igual a",
 * with a verb of sharing, or before a CNPJ. None of these words becomes a trade, place, or limit.
 */
import { beginsRequest } from "../items.ts";
import { forgetReach, negatorOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import { numeralAt } from "../numbers/numbers.ts";
import type { Sentence } from "../words/sentence.ts";
import { NOT_COUNTED, type Remark, SHARED_ONLY } from "./phrase.ts";

const OF_COMPANY: Remark = {
  code: "contact_of_company",
  pt: "Uma frase não sabe o contato de uma empresa: na página dela, “o mesmo” leva a quem o tem.",
  en: 'A sentence does not know the contact of a company: "the same" on its page finds who has it.',
};

const wordsOf = (words: string) => new RegExp(`^(?:${words.split(" ").join("|")})$`);

const CONTACT = wordsOf(
  "(?:tele)?fones? tel cel celular(?:es)? whatsapps? zap numeros? contatos? contactos? e?mails? " +
    "correos? (?:tele)?phones? mobiles? landlines? contacts? numbers? telefonos? movil fixo",
);
const SAME = wordsOf("mesm[oa]s? same mism[oa]s? igua(?:l|is|les) equal identic[oa]s? identical");
/** Words after a contact that equate it with another: "telefone igual ao da Acme". */
const EQUAL = wordsOf("igua(?:l|is|les) equal identic[oa]s? identical");
const SHARE = wordsOf(
  "divid(?:e|em|am|a|indo) compartilh(?:a|am|e|em|ando) repart(?:e|em) shar(?:e|es|ing) " +
    "compart(?:e|en) compartilhem",
);
const SMALL = wordsOf(
  "o a os as um uma an the el la los las seu seus their its e ou and or y de mesm[oa]s? same " +
    "mism[oa]s?",
);
/** Words that may stand between a contact and the company that it belongs to. */
const LINK = wordsOf("que do da de dos das del of as than to ao aos com with con from a");
const COMMON = wordsOf("em in en");
const COMPANY = wordsOf(
  "empresas? company companies firmas? firm cnpjs? loja negocio business matriz raiz cliente " +
    "client conta account",
);
/** Words that refer to no particular company. */
const ANY = wordsOf(
  "outr[oa]s? other others another otr[oa]s? varias several contador contadora contadores " +
    "contabilidade accountant accountants alguma qualquer any",
);
/** Words that end a company's name. */
const ENDS = wordsOf(
  "em no na nos nas in at com sem with without e ou and or que exceto except mas aberta abertas " +
    "aberto abertos but",
);

/** Last words of company names. */
const LEGAL = wordsOf("ltda sa eireli cia");

/**
 * `NEAR`: maximum number of words between the contact and "mesmo" or a verb of sharing. `NAME_MAX`:
 * maximum number of words of a company's name.
 */
const NEAR = 5;
const NAME_MAX = 6;

/** Tokens of a request for another company's contact. `isNamed`: it names a particular company. */
interface Request {
  readonly from: number;
  readonly to: number;
  readonly isNamed: boolean;
}

/** Contacts that no other company may have. */
interface Unshared {
  phone?: 1;
  email?: 1;
}

/**
 * Adds a note for each request for another company's contact. Adds contacts that are not shared
 * ("não dividem o telefone com outra empresa") to `own` instead. Returns true if a note was added.
 */
export function unmapSameContacts(sentence: Sentence, notes: Notes, own: Unshared): boolean {
  let isLeft = false;
  const runs = new ContactRuns(sentence);
  for (let at = 0; at < sentence.tokens.length; at++) {
    const request = sentence.free(at) ? requestAt(sentence, runs, at) : null;
    if (request === null) continue;
    const { from, to, isNamed } = request;
    const negator = negatorOf(sentence, from);
    if (negator >= 0 && negator < from) claimNegation(sentence, negator, from);
    if (negator >= 0 && !isNamed && addUnshared(sentence, request, own)) {
      at = to - 1;
      continue;
    }
    const why = isNamed ? OF_COMPANY : SHARED_ONLY;
    notes.addUnmapped(why.code, why, sentence.claim(from, to, "unmapped"));
    sentence.name(from, to);
    isLeft = true;
    at = to - 1;
  }
  // Drops the cached results of negations, because a negator that is now part of a name negates
  // nothing.
  if (isLeft) forgetReach(sentence);
  return isLeft;
}

/**
 * Adds contacts that are not shared to `own` and marks the request as read. Returns false if the
 * request contains neither a phone nor an e-mail.
 */
function addUnshared(sentence: Sentence, { from, to }: Request, own: Unshared): boolean {
  let isFound = false;
  for (let at = from; at < to; at++) {
    const kind = contactAt(sentence, at);
    if (kind !== null) own[kind] = 1;
    isFound ||= kind !== null;
  }
  if (isFound) {
    sentence.claim(from, to, "contact");
    sentence.name(from, to);
    forgetReach(sentence);
  }
  return isFound;
}

function requestAt(sentence: Sentence, runs: ContactRuns, at: number): Request | null {
  const word = sentence.folded(at);
  if (SAME.test(word)) return sameAt(sentence, runs, at);
  if (SHARE.test(word)) return sharedAt(sentence, runs, at);
  return CONTACT.test(word) ? equalAt(sentence, runs, at) : null;
}

/** Reads "o mesmo telefone que …", "same phone as …", "the same contact". */
function sameAt(sentence: Sentence, runs: ContactRuns, at: number): Request | null {
  const end = runs.endFrom(at + 1);
  if (end < 0 || CONTACT.test(sentence.folded(at - 1))) return null;
  const from = /^(o|a|os|as|the|el|la|um|uma)$/.test(sentence.folded(at - 1)) ? at - 1 : at;
  return { from, ...objectAt(sentence, end) };
}

/** Reads "compartilham telefone com …". If no company is named, any company is meant. */
function sharedAt(sentence: Sentence, runs: ContactRuns, at: number): Request | null {
  const end = runs.endFrom(at + 1);
  return end < 0 ? null : { from: at, ...objectAt(sentence, end) };
}

/** Reads "telefone igual ao da …", "e-mail em comum com …", "o telefone do CNPJ …". */
function equalAt(sentence: Sentence, runs: ContactRuns, at: number): Request | null {
  const end = runs.endFrom(at);
  if (end < 0) return null;
  const first = sentence.folded(at) === "mail" && sentence.folded(at - 1) === "e" ? at - 1 : at;
  if (EQUAL.test(sentence.folded(end))) {
    // In "lojas de celular iguais", no company follows "iguais", so "iguais" describes the shops.
    const object = objectAt(sentence, end + 1);
    return object.to > end + 1 ? { from: first, ...object } : null;
  }
  const isCommon =
    COMMON.test(sentence.folded(end)) && /^com(?:um|mon|un)$/.test(sentence.folded(end + 1));
  if (isCommon) return { from: first, ...objectAt(sentence, end + 2) };
  if (!/^(?:do|da|de|del|of)$/.test(sentence.folded(end))) return null;
  let object = end;
  while (
    LINK.test(sentence.folded(object)) ||
    COMPANY.test(sentence.folded(object)) ||
    sentence.folded(object) === "the"
  )
    object++;
  return isCnpj(sentence, object) ? { from: first, to: object + 1, isNamed: true } : null;
}

/**
 * Finds runs of contacts, such as "telefone e e-mail". Invariant: each run is scanned once, so that
 * a sentence of only contacts takes linear time. Between calls, no token may be marked as read
 * unless all tokens up to the end of its run are.
 */
class ContactRuns {
  readonly #sentence: Sentence;
  #from = 0;
  #end = -1;

  constructor(sentence: Sentence) {
    this.#sentence = sentence;
  }

  /**
   * Returns the end of the run of contacts that begins at a token. A few words such as "o" may
   * precede the run. Returns -1 if there is none.
   */
  endFrom(start: number): number {
    if (start < this.#from || start >= this.#end) {
      this.#from = start;
      this.#end = contactsEnd(this.#sentence, start);
    }
    return this.#end;
  }
}

function contactsEnd(sentence: Sentence, start: number): number {
  let end = -1;
  for (let [at, left] = [start, NEAR]; left > 0 && sentence.free(at); at++) {
    const word = sentence.folded(at);
    if (CONTACT.test(word)) {
      end = at + 1;
      left = NEAR;
    } else if (end >= 0 && !isJoint(sentence, at)) break;
    else if (!SMALL.test(word) && sentence.tokens[at]?.text !== ",") break;
    else left--;
  }
  return end;
}

/** True if only small words or a comma stand before the next contact: "número de telefone". */
function isJoint(sentence: Sentence, at: number): boolean {
  for (let next = at; next < at + 4; next++) {
    if (CONTACT.test(sentence.folded(next))) return true;
    const isSmall = SMALL.test(sentence.folded(next)) || sentence.tokens[next]?.text === ",";
    if (!isSmall) return false;
  }
  return false;
}

/**
 * Returns the end of the words for another company, including words such as "que o" before them.
 * `isNamed` is true if they name a particular company.
 */
function objectAt(sentence: Sentence, start: number): Pick<Request, "to" | "isNamed"> {
  let at = start;
  while (isLead(sentence, at)) at++;
  if (at === start) return { to: start, isNamed: false };
  const nouns = at;
  let isAny = false;
  while (ANY.test(sentence.folded(at)) || COMPANY.test(sentence.folded(at))) {
    isAny ||= ANY.test(sentence.folded(at));
    at++;
  }
  const isNoun = at > nouns;
  while (
    isNoun &&
    /^(?::|n|numero|number|de|da|do|of)$/.test(
      sentence.folded(at) || (sentence.tokens[at]?.text ?? ""),
    )
  )
    at++;
  let to = at;
  // "com outras em Natal" ends before the place.
  const isOver = isAny && ENDS.test(sentence.folded(at));
  while (!isOver && to < at + NAME_MAX && isNamePart(sentence, to, to === at)) to++;
  if (to > at) return { to, isNamed: !isAny };
  return isNoun ? { to: at, isNamed: !isAny } : { to: start, isNamed: false };
}

function isLead(sentence: Sentence, at: number): boolean {
  const word = sentence.folded(at);
  return sentence.free(at) && (LINK.test(word) || /^(?:o|as|os|the|el|la)$/.test(word));
}

function isNamePart(sentence: Sentence, at: number, isFirst: boolean): boolean {
  const { kind, text = "" } = sentence.tokens[at] ?? {};
  if (!sentence.free(at) || kind === undefined) return false;
  if (kind === "mark") return /^["“”„«»'‘’./&]$/.test(text);
  if (kind === "number") return isFirst || isCnpj(sentence, at);
  if (isFirst || LEGAL.test(sentence.folded(at))) return true;
  return !(ENDS.test(sentence.folded(at)) || beginsRequest(sentence, at));
}

/** True for 8 to 20 characters of a CNPJ or its root, at least 8 of them digits. */
function isCnpj({ tokens }: Sentence, at: number): boolean {
  const { text = "" } = tokens[at] ?? {};
  return /^[0-9A-Z./-]{8,20}$/i.test(text) && (text.match(/\d/g)?.length ?? 0) >= 8;
}

const BY_CNPJ: Remark = {
  code: "company_number",
  pt: "Nenhum filtro toma um CNPJ: abra a empresa por ele, ou faça uma lista de CNPJs.",
  en: "No filter takes a CNPJ: open the company by it, or make a list of CNPJs.",
};

/** Adds a note for each CNPJ in a sentence. Returns true if there is one. */
export function unmapCompanyNumbers(sentence: Sentence, notes: Notes): boolean {
  let isFound = false;
  for (let at = 0; at < sentence.tokens.length; at++) {
    const { text = "" } = sentence.tokens[at] ?? {};
    if (
      text.length < 14 ||
      text.replace(/\D/g, "").length < 14 ||
      !sentence.free(at) ||
      !isCnpj(sentence, at)
    )
      continue;
    const from = sentence.folded(at - 1) === "cnpj" && sentence.free(at - 1) ? at - 1 : at;
    const { code, ...detail } = BY_CNPJ;
    notes.addUnmapped(code, detail, sentence.claim(from, at + 1, "unmapped"));
    isFound = true;
  }
  return isFound;
}

/** Requested maximum number of companies that use the same phone or e-mail. */
export interface SharedMax {
  readonly phone?: number;
  readonly email?: number;
  /** True if a request was only reported in a note, so the filters match more than requested. */
  readonly lost: boolean;
}

const PHONE = /^(?:(?:tele)?fones?|tel|celular(?:es)?|(?:tele)?phones?|mobiles?|telefonos?)$/;
const MAIL = /^(?:e?mails?|correos?)$/;
const THAT = /^(?:que|se|e|eh|seja|sejam|sao|esteja|estejam|that|which|is|are|s|has|been)$/;
const USED = wordsOf(
  "(?:us|utiliz|compartilh)ad[ao]s? (?:compart|divid|repet)id[ao]s? used shared appears? " +
    "apare(?:c[ae]|ce)m? const[ae]m? rep[ei]t[ae]m? repiten?",
);
const BY = /^(?:por|by|com|with|entre|among|em|in|con)$/;
const OF = /^(?:de|of)$/;
/** Phrases for an upper bound. */
const AT_MOST = ["ate", "no maximo", "nao mais de", "nao mais que", "at most", "up to"];
const AT_MOST_MORE = [
  "no more than",
  "not more than",
  "como maximo",
  "hasta",
  "a lo sumo",
  "max",
  "maximo",
];
const SHARER = /^(?:empresas?|cnpjs?|firmas?|companhias?|companies|company|businesses|firms)$/;
/** Maximum words between a verb of use and its companies: "mais de uma outra empresa". */
const OTHER_MAX = 6;

interface Usage {
  readonly to: number;
  /** The maximum number of companies; null if no filter takes the request. */
  readonly most: number | null;
  /** True if its own words negate it. */
  readonly isNegated?: true;
}

/**
 * Reads all requests for a maximum number of companies with the same contact and marks them as
 * read. `counts` is true if the snapshot has the counts that this filter needs.
 */
export function findSharedMax(sentence: Sentence, notes: Notes, counts: boolean): SharedMax {
  const found: { phone?: number; email?: number; lost: boolean } = { lost: false };
  for (let at = 0; at < sentence.tokens.length; at++) {
    const kind = contactAt(sentence, at);
    const bound = kind === null || !sentence.free(at) ? null : usageAfter(sentence, at + 1);
    if (kind === null || bound === null) continue;
    const isHyphened = sentence.folded(at) === "mail" && sentence.folded(at - 1) === "e";
    const from = isHyphened ? at - 1 : at;
    const negator = bound.isNegated ? -1 : negatorOf(sentence, at);
    if (bound.most === null || negator >= 0 || !counts) {
      if (negator >= 0 && negator < from) claimNegation(sentence, negator, from);
      const why = counts ? SHARED_ONLY : NOT_COUNTED;
      notes.addUnmapped(why.code, why, sentence.claim(from, bound.to, "unmapped"));
      found.lost = true;
    } else {
      found[kind] = Math.min(bound.most, found[kind] ?? bound.most);
      sentence.claim(from, bound.to, "contact");
    }
    sentence.name(from, bound.to);
    at = bound.to - 1;
  }
  return found;
}

function contactAt(sentence: Sentence, at: number): "phone" | "email" | null {
  if (sentence.tokens[at]?.kind !== "word") return null;
  const word = sentence.folded(at);
  if (PHONE.test(word)) return "phone";
  return MAIL.test(word) ? "email" : null;
}

/** Reads the use of a contact: "usado por até 3 empresas", "de no máximo 2 empresas". */
function usageAfter(sentence: Sentence, from: number): Usage | null {
  let at = from;
  let isNegated = false;
  while (THAT.test(sentence.folded(at)) || isNot(sentence, at)) {
    isNegated ||= isNot(sentence, at);
    at++;
  }
  const isUsed = USED.test(sentence.folded(at));
  if (isUsed) at++;
  if (
    !(isUsed ? BY.test(sentence.folded(at)) || isBound(sentence, at) : OF.test(sentence.folded(at)))
  )
    return null;
  if (!isBound(sentence, at)) at++;
  if (isNegated) return isUsed ? notOver(sentence, at) : null;
  const bound = boundEnd(sentence, at);
  const numeral = bound < 0 ? null : numeralAt(sentence, bound);
  if (numeral !== null && SHARER.test(sentence.folded(numeral.to))) {
    return { to: numeral.to + 1, most: numeral.value };
  }
  return isUsed ? otherUse(sentence, at) : null;
}

function isNot(sentence: Sentence, at: number): boolean {
  return /^(?:nao|not|isn|aren|no)$/.test(sentence.folded(at));
}

/** Reads "não seja usado por mais de 5 empresas": at most five. */
function notOver(sentence: Sentence, at: number): Usage | null {
  let other = at;
  while (
    /^(?:nenhuma?|outr[ao]s?|any|other|another|otr[ao]s?|ningun[ao]?)$/.test(sentence.folded(other))
  ) {
    other++;
  }
  // "não se repita em nenhum outro CNPJ": only one company may have it.
  const isIn = /^(?:em|in|en)$/.test(sentence.folded(at - 1));
  if (isIn && other > at && SHARER.test(sentence.folded(other))) {
    return { to: other + 1, most: 1, isNegated: true };
  }
  const lead = `${sentence.folded(at)} ${sentence.folded(at + 1)}`;
  if (!/^(?:mais|more|mas) (?:de|que|than)$/.test(lead)) return null;
  const numeral = numeralAt(sentence, at + 2);
  if (numeral === null) return null;
  let to = numeral.to;
  while (/^(?:outras|other|otras)$/.test(sentence.folded(to))) to++;
  return SHARER.test(sentence.folded(to))
    ? { to: to + 1, most: numeral.value, isNegated: true }
    : null;
}

function isBound(sentence: Sentence, at: number): boolean {
  return boundEnd(sentence, at) >= 0;
}

/** Returns the position after a phrase for an upper bound, or -1 if there is none. */
function boundEnd(sentence: Sentence, at: number): number {
  for (const words of [...AT_MOST, ...AT_MOST_MORE]) {
    const { length } = words.split(" ");
    const phrase = Array.from({ length }, (_, i) => sentence.folded(at + i)).join(" ");
    if (phrase === words) return at + length;
  }
  return -1;
}

/**
 * Reads the use of a contact by a number of companies without an upper bound, such as "usado por
 * mais de 3 empresas". No filter takes it. Returns null if no number is named.
 */
function otherUse(sentence: Sentence, from: number): Usage | null {
  let isCounted = false;
  for (let at = from; at < from + OTHER_MAX; at++) {
    isCounted ||= numeralAt(sentence, at) !== null;
    if (SHARER.test(sentence.folded(at))) return isCounted ? { to: at + 1, most: null } : null;
    if (sentence.tokens[at]?.kind === "mark") return null;
  }
  return null;
}
