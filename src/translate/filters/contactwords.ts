/**
 * Recognizes words for contacts that are neither a filter nor a trade ("por telefone", "com dois
 * telefones", "cujo telefone é exclusivo"). Also recognizes questions about the holder of a phone
 * or e-mail ("who has this e-mail", "de quem é este número"). Input: a sentence whose filters are
 * read and whose trades are not. Output: a note, because no filter takes these words.
 * Invariant: a word for a contact counts only after a word such as "por" or "cujo", with only
 * numerals and determiners between them. So "conserto de telefones" and "lojas de celular" remain
 * trades. A question about a given number or address is marked as read. A question without one must
 * contain a word for a contact. The note then requests the value, and no activity is searched.
 */
import { isInTrade } from "../items.ts";
import type { Notes } from "../notes.ts";
import { numeralAt } from "../numbers/numbers.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Remark } from "./phrase.ts";

const wordsOf = (words: string) => new RegExp(`^(?:${words.split(" ").join("|")})$`);

const CONTACT = wordsOf(
  "(?:tele)?fones? tel celular(?:es)? whatsapps? e?mails? correos? (?:tele)?phones? cellphones? " +
    "mobiles? landlines? telefonos? movil(?:es)?",
);
/** Numerals and determiners between a contact and the word that introduces it. */
const DETERMINER = wordsOf(
  "o a os as um uma uns umas the an el la los las un una mais menos more less " +
    "fewer than de que do " +
    "pelo ao no at least most maximo minimo ate exatamente exactly apenas so somente only just " +
    "primeir[ao]s? segund[ao]s? terceir[ao]s? first second third outr[ao]s? other " +
    "another otr[ao]s? " +
    "vari[ao]s diversos muitos multiplos several many multiple ambos both seus? sua " +
    "their its su sus " +
    "algum alguma qualquer any some nov[ao]s? bom melhor mesm[ao] own proprio " +
    "numeros? number one two " +
    "dos tres como minimo menos",
);
/** Words that introduce a contact, such as "com", "por", or a verb for having it. */
const LEAD = wordsOf(
  "com sem por via pelo pela cuj[ao]s? with without by through whose con sin tem tenham? tenha " +
    "possuam? possui possuem have has having meu minha meus minhas nosso nossa nossos my our " +
    "mi nuestro cuy[ao]s?",
);
/** Words for the kind of phone, after a word for a phone: "telefone fixo". */
const KIND = wordsOf("fix[ao]s? celular(?:es)? move(?:l|is) comercia(?:l|is)");
/**
 * Words for a list of results. In "uma planilha com 50 telefones", the number limits the result.
 */
const LISTS = wordsOf("listas? planilhas? relac(?:ao|oes) bases? tabelas? list spreadsheet lead");
const ARTICLE = wordsOf("uma? a an una? one");
const WHOSE = wordsOf("cuj[ao]s? whose cuy[ao]s?");
const STOP = wordsOf("em no na nos nas in at com with sem without que e ou and or mas but");
/**
 * `BETWEEN_MAX` limits the words between a contact and the word that introduces it,
 * `DESCRIPTION_MAX` the words of its description.
 */
const BETWEEN_MAX = 5;
const DESCRIPTION_MAX = 6;

const NO_FILTER: Remark = {
  code: "contact_wish",
  pt: "Nenhum filtro diz isso de um contato; há “com telefone” e “telefone exclusivo”.",
  en: 'No filter says this of a contact; there are "with phone" and "own phone".',
};

/**
 * Adds notes for words for contacts and their descriptions. A first call with "counted" handles
 * contacts with a numeral, so that no later stage reads "com no máximo dois telefones" as a limit
 * of the result. A later call with "all" handles the others.
 */
export function unmapContactWords(
  sentence: Sentence,
  notes: Notes,
  which: "counted" | "all",
): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind !== "word") continue;
    const end = contactEnd(sentence, at);
    if (end < 0 || isInTrade(sentence, at, end)) continue;
    const lead = leadBefore(sentence, at);
    if (lead < 0 || (which === "counted" && !isCounted(sentence, { lead, at, end }))) continue;
    const to = WHOSE.test(sentence.folded(lead)) ? descriptionEnd(sentence, end) : end;
    notes.addUnmapped(NO_FILTER.code, NO_FILTER, sentence.claim(lead, to, "unmapped"));
    at = to - 1;
  }
}

/** Returns the end of a word for a contact ("cell phone", "telefone fixo"), or -1. */
function contactEnd(sentence: Sentence, at: number): number {
  const word = sentence.folded(at);
  const isCell = word === "cell" && CONTACT.test(sentence.folded(at + 1));
  if (!(isCell || CONTACT.test(word)) || !sentence.free(at)) return -1;
  const end = at + (isCell ? 2 : 1);
  return sentence.free(end) && KIND.test(sentence.folded(end)) ? end + 1 : end;
}

/**
 * True if a numeral states how many contacts a company has ("com dois telefones"). False for "com
 * 50 telefones de padarias", where the numeral limits the result.
 */
function isCounted(
  sentence: Sentence,
  { lead, at, end }: { readonly lead: number; readonly at: number; readonly end: number },
): boolean {
  if (/^(?:d[aeo]s?|of|para|for)$/.test(sentence.folded(end))) return false;
  if (LISTS.test(sentence.folded(lead - 1))) return false;
  for (let i = lead + 1; i < at; i++) {
    if (numeralAt(sentence, i) !== null && !ARTICLE.test(sentence.folded(i))) return true;
  }
  return false;
}

/** Returns the position of the word that introduces a contact, or -1 if there is none. */
function leadBefore(sentence: Sentence, contact: number): number {
  const isHyphened =
    /^mails?$/.test(sentence.folded(contact)) && sentence.folded(contact - 1) === "e";
  const last = contact - (isHyphened ? 2 : 1);
  for (let at = last; at >= Math.max(0, last - BETWEEN_MAX); at--) {
    const [word, owner] = [sentence.folded(at), sentence.owner(at)];
    // The scan stops at a word of another request: "800" in "CEP começando com 800 mais e-mail".
    if (owner !== null && owner !== "filler" && owner !== "negation") return -1;
    if (LEAD.test(word) && !isBound(sentence, at)) return at;
    if (!DETERMINER.test(word) && numeralAt(sentence, at) === null) return -1;
  }
  return -1;
}

/** True for "pelo" if "menos" follows, as in "pelo menos dois telefones". */
function isBound(sentence: Sentence, at: number): boolean {
  return sentence.folded(at) === "pelo" && sentence.folded(at + 1) === "menos";
}

/** Returns the end of a contact's description: "não é de contador" after "cujo telefone". */
function descriptionEnd(sentence: Sentence, from: number): number {
  let to = from;
  while (to < from + DESCRIPTION_MAX && sentence.tokens[to]?.kind === "word" && sentence.free(to)) {
    const isVerb = sentence.folded(to) === "e" && to === from;
    if (STOP.test(sentence.folded(to)) && !isVerb && sentence.tokens[to]?.text !== "é") break;
    to++;
  }
  return to;
}

const wordSet = (words: string) => new Set(words.split(" "));

/** Demonstratives and their contractions: "deste telefone". */
const THIS = wordSet(
  "este esse esta essa aquele aquela deste desse desta dessa daquele daquela nesse neste " +
    "this that these those ese aquel",
);
/** Words for the holder of a number, and verbs for having, using, or answering it. */
const HOLDER_WORDS = wordSet(
  "quem quien quienes who whose whom which qual cual que pertence pertencem pertenece usa usam " +
    "utiliza utilizam use uses using own owns owned belong belongs atende atendem responde " +
    "divide dividem dividindo dividam compartilha compartilham compartilhando compartilhem " +
    "reparte repartem share shares sharing comparte comparten mesmo mesma mesmos mesmas " +
    "same mismo misma comum common outra outras outro outros other registered recebi",
);
/** Words for calling a number: "ligar para 11 3333-4444". */
const CALLS = wordSet(
  "ligar ligo liga ligue ligando ligamos ligou ligaram ligacao chamada telefonar telefonando " +
    "discar disque call calls calling called dial dialing llamar llamo llamando llamada",
);
/** Words that may stand between a word for calling and the number. */
const CALL_LEADS = wordSet("para pra pro ao no do de o a to from me the numero number al el");
/** Words between these. */
const JOINS = wordSet(
  "em in que that uma e eh es is are a ao o os as de do da com el la al the does do did to of " +
    "tem has have tiene empresa empresas company companies firma firm negocio cnpj : - ?",
);
/** Maximum number of words between a word for calling and the number. */
const CALL_WORDS_MAX = 4;
/** Maximum number of words of a question on each side of a value. */
const REACH = 6;
const CONTACTS = wordSet(
  "telefone telefones fone celular whatsapp zap numero phone telephone number mobile telefono " +
    "movil email mail correo",
);
const HOLDERS = wordSet("quem quien quienes who whose whom");

/** The words of which a question without a phone or e-mail may consist. */
const QUESTION = [HOLDERS, THIS, HOLDER_WORDS, JOINS, CONTACTS];

const VALUE_MISSING: Remark = {
  code: "contact_value",
  pt: "Falta o telefone ou o e-mail; diga, por exemplo: de quem é o telefone 11 98765-4321.",
  en: "The phone or e-mail is missing; write it as in: who has the phone 11 98765-4321.",
};

/** Marks the words of a question or call next to the value [from, to) as read. */
export function claimQuestion(sentence: Sentence, from: number, to: number): void {
  const first = reach(sentence, from - 1, -1);
  const last = reach(sentence, to, 1);
  const call = callBefore(sentence, from);
  if (call >= 0) sentence.claim(reach(sentence, call - 1, -1), from, "contact");
  if (first < from) sentence.claim(first, from, "contact");
  if (last >= to) sentence.claim(to, last + 1, "contact");
}

/** Returns the position of the word for calling before the number at a token, or -1. */
export function callBefore(sentence: Sentence, at: number): number {
  let call = at - 1;
  while (call >= at - CALL_WORDS_MAX && CALL_LEADS.has(sentence.folded(call))) call--;
  return CALLS.has(sentence.folded(call)) && sentence.free(call) ? call : -1;
}

/**
 * Returns the position of the word of a question that is farthest from `start`. `step` is the
 * direction. Returns the position before `start` (in that direction) if there is none.
 */
function reach(sentence: Sentence, start: number, step: 1 | -1): number {
  let farthest = start - step;
  for (let at = start; Math.abs(at - start) < REACH && sentence.free(at); at += step) {
    const { folded: word = "" } = sentence.tokens[at] ?? {};
    if (THIS.has(word) || HOLDER_WORDS.has(word)) farthest = at;
    else if (!JOINS.has(word) && !CONTACTS.has(word)) break;
  }
  return farthest;
}

/**
 * Reports a question without a phone or e-mail, such as "who has this phone", in a note. Returns
 * true if the sentence is such a question.
 */
export function unmapEmptyQuestion(sentence: Sentence, notes: Notes): boolean {
  const words = sentence.tokens.map(({ folded }) => folded);
  const ends = [HOLDERS, THIS, CONTACTS].map((set) => words.findIndex((word) => set.has(word)));
  if (ends.includes(-1)) return false;
  const from = Math.min(...ends);
  let to = Math.max(...ends) + 1;
  // "this phone number"
  while (CONTACTS.has(words[to] ?? "")) to++;
  const isQuestion = words
    .slice(from, to)
    .every((word, i) => sentence.free(from + i) && QUESTION.some((set) => set.has(word)));
  if (!isQuestion) return false;
  notes.addUnmapped(VALUE_MISSING.code, VALUE_MISSING, sentence.claim(from, to, "unmapped"));
  return true;
}
