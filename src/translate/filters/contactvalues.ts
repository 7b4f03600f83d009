/**
 * Reads phone numbers and e-mail addresses in a sentence: "quem tem o telefone (11) 98765-4321".
 * Invariant: a number is a phone only in three cases. It follows a word for a phone or words such
 * as "who has", it has a form that only phones have, or it is the whole text. A number without an
 * area code and an excluded value are only reported in a note. Nothing is guessed.
 */
import { isCpf } from "../../spec/cnpj/cpf.ts";
import { readEmail } from "../../spec/contacts/emails.ts";
import {
  isCurrent,
  isPhoneLink,
  lacksArea,
  type PhoneFault,
  readPhone,
} from "../../spec/contacts/phones.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { plainText } from "../../spec/typedtext.ts";
import { forgetReach, negatorOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import { callBefore, claimQuestion, unmapEmptyQuestion } from "./contactwords.ts";
import { EITHER_QUALITY, NOT_COUNTED, type Remark, WRITER } from "./phrase.ts";

/** The phone numbers and e-mail addresses of a sentence, in the spec's normal form. */
export interface MentionedContacts {
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  /** Number of values. */
  readonly count: number;
  /** True if a value was only reported in a note, so that the filters match more than requested. */
  readonly lost: boolean;
}

const wordSet = (words: string) => new Set(words.split(" "));

const PHONES = wordSet(
  "telefone telefones fone fones tel celular celulares cel fixo numero numeros whatsapp whats " +
    "zap wpp " +
    "phone phones telephone mobile cell cellphone landline number numbers telefono telefonos " +
    "movil",
);
const MAILS = wordSet("email emails mail correo correos endereco address");
/** Words between the word for a contact and its value, or between values. */
const BETWEEN = wordSet(
  "e o a os as de do da com ddd eh es is the numero number fixo celular comercial " +
    "fone el la y and " +
    "ou or : , ; / . & seja sejam sao = ( whatsapp telefone phone \" “ ” „ « » ' ‘ ’",
);
/** Words before the word for a contact that belong to the same request, such as "com o". */
const LEADS = wordSet(
  "com o a os as no na do da with the con el la of de tem tenham usa usam uses use has " +
    "have tiene tienen um uma mesmo mesma same an",
);
/** Words before numbers of other kinds, such as postal codes. */
const OTHER_NUMBERS = wordSet("cep cnpj cnae cpf codigo zip postcode capital");
/** Words that mark a contact as the writer's own. */
const MINE = wordSet("meu minha nosso nossa my our mi nuestro nuestra");
/** Marks around a value, claimed with it. */
const QUOTE = /^["“”„«»'‘’]$/;
/** Words before an e-mail address to which the writer wants a list sent: "para". */
const SENT_TO = wordSet("para pra to");

/** Max words between the word for a contact and its value. */
const BETWEEN_MAX = 4;
/** Max tokens of one phone: "+ 55 ( 0 ** 11 ) 9 8765 – 4321". */
const PHONE_TOKENS = 14;
/** Maximum number of tokens before the first digit other than 0, as in "( 0 ** 11". */
const EMPTY_TOKENS = 5;
/**
 * Minimum number of digits of a phone. A date may have as many digits, but its punctuation
 * shows that it is a date.
 */
const DIGITS_MIN = 8;
/**
 * Maximum number of digits after leading zeros, with a country code ("55 0 11 98765-4321") or a
 * carrier code ("15 11 98765-4321").
 */
const DIGITS_MAX = 14;
/** Maximum number of digits of a country or area code, after which a dot or slash may follow. */
const PREFIX_DIGITS_MAX = 4;
/** Punctuation allowed anywhere in a phone number, and only after its first part. */
const PHONE_MARK = /^[()+*\u2012-\u2015\u2212]$/;
const PREFIX_MARK = /^[./]$/;
/**
 * Minimum number of digits of a number with its area code. With this many, no separator is needed.
 */
const JOINED_MIN = 10;
/** Question words that stand for the holder of a number: "quem". */
const HOLDERS = wordSet("quem quien who");
const HAVE = wordSet("tem tiene has usa uses owns utiliza");
/**
 * Verbs that request the companies with a number even without "who" before them: "share this
 * phone".
 */
const SHARE = wordSet("divide dividem compartilha compartilham share shares comparte comparten");
const OTHER_FORMS =
  /^(\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}-\d\d-\d\d|\d{5}-\d{3}|\d{1,3}(\.\d{3})+(,\d+)?)$/;
/**
 * Matches forms that only phones have: a number with a plus sign or a separate area code, and a
 * number in two parts.
 */
const PHONE_FORM = new RegExp(
  "^(?:(?:\\+|00)\\s?55.*|\\(?0\\s?(?:xx|\\*\\*|--).*|\\(0?\\d\\d\\)\\s?9?\\d{4}[-.\\s]?\\d{4}|" +
    "0?\\d\\d[\\s-]9?\\d{4}[-\\s]\\d{4})$",
  "i",
);
/** Length of a complete phone in normal form: +551133334444. */
const WHOLE_LENGTH = 13;

const AREA_MISSING: Remark = {
  code: "phone_area_code",
  pt: "Falta o DDD do telefone; diga, por exemplo: 11 98765-4321.",
  en: "The area code of the phone is missing; write it as in: 11 98765-4321.",
};
/**
 * Returns the remark that a phone has no area code. It suggests an area code found elsewhere in the
 * sentence.
 */
function areaMissing(sentence: Sentence): Remark {
  const { tokens } = sentence;
  const at = tokens.findIndex(
    ({ kind, text }, i) =>
      kind === "number" && AREA.test(text) && AREA_WORD.test(sentence.folded(i - 1)),
  );
  const code = tokens[at]?.text.replace(/^0/, "");
  if (code === undefined) return AREA_MISSING;
  return {
    code: AREA_MISSING.code,
    pt: `Escreva o DDD junto do telefone, como em: ${code} 98765-4321.`,
    en: `Write the area code with the phone, as in: ${code} 98765-4321.`,
  };
}

const AREA = /^0?[1-9][1-9]$/;
const AREA_WORD = /^(?:ddd|code|area)$/;
const NO_PHONE: Remark = {
  code: "phone_number",
  pt: "Não é um telefone do Brasil com DDD, como 11 98765-4321.",
  en: "This is no phone number of Brazil with its area code, such as 11 98765-4321.",
};
const EXCLUDED: Remark = {
  code: "excluded_contact",
  pt: "Nenhum filtro exclui um telefone ou e-mail.",
  en: "No filter leaves a phone or an e-mail address out.",
};
const ANY_OF: Remark = {
  code: "any_of_contacts",
  pt: "Basta um dos telefones ou e-mails ditos.",
  en: "One of the phones or addresses is enough.",
};

const OR_CPF: Remark = {
  code: "phone_or_cpf",
  pt: "Foi lido como um celular. Pode ser também um CPF, o número de uma pessoa, que não se busca.",
  en: "It was read as a mobile. It may also be a CPF, a number of a person: not searched.",
};

/** A phone or e-mail address in the text, with its value or why it cannot be searched. */
interface Value {
  readonly from: number;
  readonly to: number;
  readonly read: { readonly phone: string } | { readonly email: string } | { readonly why: Remark };
}

/**
 * Returns all phones and e-mail addresses and marks their tokens as read. `known` is true if the
 * snapshot contains phones and e-mail addresses.
 */
export function findContactValues(
  sentence: Sentence,
  notes: Notes,
  known: boolean,
): MentionedContacts {
  const [phones, emails] = [new Set<string>(), new Set<string>()];
  const excess: Value[] = [];
  let lost = false;
  let last: Value | null = null;

  for (let at = 0; at < sentence.tokens.length; ) {
    const value = sentence.free(at)
      ? (emailAt(sentence, at) ?? linkAt(sentence, at) ?? phoneAt(sentence, at))
      : null;
    if (value === null) {
      at++;
      continue;
    }
    if (leaveOwn(sentence, notes, value)) {
      last = value;
      at = value.to;
      continue;
    }
    if (isOver(value, "email" in value.read ? emails : phones)) {
      sentence.claim(value.from, value.to, "unmapped");
      excess.push(value);
      at = value.to;
      continue;
    }
    const why = whyNot(sentence, value, last) ?? (known ? null : NOT_COUNTED);
    if (!take(sentence, notes, value, why)) lost = true;
    else if ("phone" in value.read) {
      const { words } = sentence.words(value.from, value.to);
      if (isCpf(words)) notes.assume(OR_CPF.code, OR_CPF);
      phones.add(value.read.phone);
    } else if ("email" in value.read) emails.add(value.read.email);
    last = value;
    at = value.to;
  }
  if (excess.length > 0) leaveExcess(sentence, notes, excess);
  if (last === null) lost = unmapEmptyQuestion(sentence, notes);
  if (phones.size > 1 || emails.size > 1) notes.assume(ANY_OF.code, ANY_OF);
  // Drops the cached results of negations, because a negator that is now part of an address negates
  // nothing.
  forgetReach(sentence);
  return {
    phones: [...phones],
    emails: [...emails],
    count: phones.size + emails.size,
    lost: lost || excess.length > 0,
  };
}

/** Reports the writer's own contact, as in "meu telefone é …". Returns true for such a value. */
function leaveOwn(sentence: Sentence, notes: Notes, { from, to }: Value): boolean {
  const lead = leadOf(sentence, from);
  const before = sentence.tokens[lead - 2];
  const isNamed = before === undefined || before.kind === "mark" || /^[eoa]$/.test(before.folded);
  if (lead === from || !MINE.has(sentence.folded(lead - 1)) || !isNamed) return false;
  notes.addUnmapped(WRITER.code, WRITER, sentence.claim(lead - 1, to, "unmapped"));
  return true;
}

/** True for a new value after a filter already has its maximum number of values. */
function isOver({ read }: Value, taken: ReadonlySet<string>): boolean {
  const value = "email" in read ? read.email : "phone" in read ? read.phone : null;
  return value !== null && taken.size >= SPEC_LIMITS.contactsMax && !taken.has(value);
}

/** Adds one note for the values above a filter's limit. */
function leaveExcess(sentence: Sentence, notes: Notes, excess: readonly Value[]): void {
  const [first, last] = [excess[0] as Value, excess.at(-1) as Value];
  const { contactsMax: max } = SPEC_LIMITS;
  const { length: count } = excess;
  notes.addUnmapped(
    "too_many_contacts",
    {
      pt: `Uma busca aceita ${max} telefones e ${max} e-mails: busque estes ${count} à parte.`,
      en: `A search takes ${max} phones and ${max} e-mails: search these ${count} separately.`,
    },
    sentence.words(first.from, last.to),
  );
}

/**
 * Returns the reason why no filter takes a value, or null. No filter takes "telefone X ou e-mail
 * Y", because two filters would require both values.
 */
function whyNot(sentence: Sentence, { from, read }: Value, last: Value | null): Remark | null {
  if ("why" in read) return read.why;
  if (last === null || "email" in last.read === "email" in read) return null;
  const gap = sentence.tokens.slice(last.to, Math.min(from, last.to + BETWEEN_MAX));
  return gap.some(({ folded }) => folded === "ou" || folded === "or") ? EITHER_QUALITY : null;
}

/**
 * Marks a value and the words before it, such as "com o telefone", as read. Returns false if no
 * filter takes the value.
 */
function take(sentence: Sentence, notes: Notes, value: Value, why: Remark | null): boolean {
  const lead = leadOf(sentence, value.from);
  let from = lead;
  while (from > lead - 3 && sentence.free(from - 1) && LEADS.has(sentence.folded(from - 1))) from--;
  const negator = [lead, value.from].map((at) => negatorOf(sentence, at)).find((at) => at >= 0);
  if (negator !== undefined) claimNegation(sentence, negator, from);
  const reason = why === AREA_MISSING ? areaMissing(sentence) : why;
  const left = reason ?? (negator === undefined ? null : EXCLUDED);
  if (from === value.from && isQuote(sentence, from - 1)) from--;
  const to = isQuote(sentence, value.to) ? value.to + 1 : value.to;
  if (left === null) sentence.claim(from, to, "contact");
  else notes.addUnmapped(left.code, left, sentence.claim(from, to, "unmapped"));
  claimQuestion(sentence, from, to);
  return left === null;
}

function isQuote({ tokens }: Sentence, at: number): boolean {
  return QUOTE.test(tokens[at]?.text ?? "");
}

/** Reads an e-mail address, unless the writer wants a list sent to it. */
function emailAt(sentence: Sentence, at: number): Value | null {
  const { text = "" } = sentence.tokens[at] ?? {};
  if (!text.includes("@") || SENT_TO.has(sentence.folded(at - 1))) return null;
  const email = readEmail(text);
  return email === null ? null : { from: at, to: at + 1, read: { email } };
}

/** Reads a link to a phone number. */
function linkAt(sentence: Sentence, at: number): Value | null {
  const { kind, text = "" } = sentence.tokens[at] ?? {};
  if (kind !== "word" || !isPhoneLink(text)) return null;
  const read = readPhone(text);
  if ("fault" in read) return { from: at, to: at + 1, read: { why: reasonOf(read.fault) } };
  // The number in a link begins with a country code. A foreign country code may look like a
  // Brazilian area code, so only a currently valid number is accepted.
  return { from: at, to: at + 1, read: isCurrent(read.phone) ? read : { why: NO_PHONE } };
}

/**
 * Returns the shortest run of tokens that is a complete phone number. If there is none, returns a
 * shorter number or the reason why the number is refused.
 */
function phoneAt(sentence: Sentence, from: number): Value | null {
  const { kind, text } = sentence.tokens[from] ?? {};
  if (kind !== "number" && text !== "(" && text !== "+") return null;
  if (isOtherNumber(sentence, from)) return null;
  const led = leadOf(sentence, from) < from;
  const first = isQuote(sentence, from - 1) ? from - 1 : from;
  const held = isHeld(sentence, first);
  let best: Value | null = null;
  let digits = 0;
  for (let to = from + 1; to <= from + PHONE_TOKENS; to++) {
    if (!isPart(sentence, to - 1, digits)) break;
    const words = plainText(sentence.words(from, to).words);
    digits = words.replace(/\D/g, "").replace(/^0+/, "").length;
    if (digits > DIGITS_MAX || (digits === 0 && to >= from + EMPTY_TOKENS)) break;
    if (digits < DIGITS_MIN || OTHER_FORMS.test(words) || isMark(sentence, to - 1)) continue;
    const isAlone = first === 0 && isEnd(sentence, to);
    if (!(led || held || isAlone || isPhoneForm(words))) continue;
    const read = readPhone(words);
    if ("phone" in read) {
      const isJoined = digits >= JOINED_MIN && isCurrent(read.phone);
      const isPhone = led || ((held || isAlone) && isJoined) || isPhoneForm(words);
      const value = { from, to, read };
      // The scan continues after a short number, because "11 98765 43 21" begins with a valid
      // number of seven digits.
      if (isPhone && read.phone.length >= WHOLE_LENGTH) return value;
      if (isPhone) best = value;
    }
    const isLacking = led || ((held || isAlone) && lacksArea(words));
    const isLost = best === null || "why" in best.read;
    if ("fault" in read && isLacking && isLost)
      best = { from, to, read: { why: reasonOf(read.fault) } };
  }
  return best;
}

/** True if the words have a form that only phones have, with any kind of dash. */
function isPhoneForm(words: string): boolean {
  return PHONE_FORM.test(words.replace(/\s*[\u2010-\u2015\u2212]\s*/g, "-"));
}

function isMark({ tokens }: Sentence, at: number): boolean {
  return tokens[at]?.kind === "mark";
}

/** True if the words before a number request its holder: "quem tem", "share", "ligar para". */
function isHeld(sentence: Sentence, at: number): boolean {
  if (callBefore(sentence, at) >= 0) return true;
  const verb = /^(?:o|el|the)$/.test(sentence.folded(at - 1)) ? at - 2 : at - 1;
  if (SHARE.has(sentence.folded(verb))) return true;
  return HOLDERS.has(sentence.folded(verb - 1)) && HAVE.has(sentence.folded(verb));
}

/** True if only punctuation follows. */
function isEnd(sentence: Sentence, at: number): boolean {
  return sentence.tokens.slice(at).every(({ kind }) => kind === "mark");
}

function reasonOf(fault: PhoneFault): Remark {
  return fault === "missing_area_code" ? AREA_MISSING : NO_PHONE;
}

/** True if a token may continue a phone with `digits` digits: "( 11 ) 98765 - 4321", "0 xx 11". */
function isPart(sentence: Sentence, at: number, digits: number): boolean {
  const { kind, text = "", folded = "" } = sentence.tokens[at] ?? {};
  if (!sentence.free(at)) return false;
  const isPrefix = digits > 0 && digits <= PREFIX_DIGITS_MAX && PREFIX_MARK.test(text);
  return kind === "number" || PHONE_MARK.test(text) || folded === "xx" || isPrefix;
}

/** "CEP 01310-100", "CNPJ 12.345.678/0001-95". */
function isOtherNumber(sentence: Sentence, at: number): boolean {
  return [1, 2].some((back) => OTHER_NUMBERS.has(sentence.folded(at - back)));
}

/**
 * Returns the position of the contact word or earlier value that introduces the value at `at`, or
 * `at` if there is none.
 */
function leadOf(sentence: Sentence, at: number): number {
  let lead = at;
  for (let i = at - 1; i >= Math.max(0, at - BETWEEN_MAX); i--) {
    const word = sentence.tokens[i]?.folded ?? "";
    const value = sentence.owner(i) === "contact" || sentence.owner(i) === "unmapped";
    if (value && sentence.tokens[i]?.kind === "number") return i + 1;
    if (value || !sentence.free(i)) break;
    if (word === "mail" && sentence.folded(i - 1) === "e") lead = i - 1;
    else if (PHONES.has(word) || MAILS.has(word)) lead = i;
    else if (!BETWEEN.has(word)) break;
  }
  return lead;
}
