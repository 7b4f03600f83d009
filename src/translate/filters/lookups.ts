/**
 * Questions for the holder of a phone or an e-mail: "who has this e-mail", "de quem é este número".
 * Invariant: words are claimed only next to a value, or with the word for a contact if the sentence
 * has no value; then the note asks for the value, and no activity is made of the word.
 */
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Remark } from "./remarks.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Demonstratives, also with a preposition: "deste telefone". */
const THIS = wordSet(
  "este esse esta essa aquele aquela deste desse desta dessa daquele daquela nesse neste " +
    "this that these those ese aquel",
);
/** Words that ask for the holder, and what holders do with a contact. */
const ASKS = wordSet(
  "quem quien quienes who whose whom which qual cual que pertence pertencem pertenece usa usam " +
    "utiliza utilizam use uses using own owns owned belong belongs atende atendem responde " +
    "divide dividem dividindo dividam compartilha compartilham compartilhando compartilhem " +
    "reparte repartem share shares sharing comparte comparten mesmo mesma mesmos mesmas " +
    "same mismo misma comum common outra outras outro outros other registered recebi",
);
/** Words before a number that is called: "ligar para 11 3333-4444". */
const CALLS = wordSet(
  "ligar ligo liga ligue ligando ligamos ligou ligaram ligacao chamada telefonar telefonando " +
    "discar disque call calls calling called dial dialing llamar llamo llamando llamada",
);
/** Words between a call and its number. */
const CALL_LEADS = wordSet("para pra pro ao no do de o a to from me the numero number al el");
/** Words between these. */
const JOINS = wordSet(
  "em in que that uma e eh es is are a ao o os as de do da com el la al the does do did to of " +
    "tem has have tiene empresa empresas company companies firma firm negocio cnpj : - ?",
);
/** Max words between a call and its number. */
const CALL_WORDS_MAX = 4;
/** Max words of a question on either side of a value. */
const REACH = 6;
const CONTACTS = wordSet(
  "telefone telefones fone celular whatsapp zap numero phone telephone number mobile telefono " +
    "movil email mail correo",
);
const HOLDERS = wordSet("quem quien quienes who whose whom");

/** All words of a question without a value. */
const QUESTION = [HOLDERS, THIS, ASKS, JOINS, CONTACTS];

const VALUE_MISSING: Remark = {
  code: "contact_value",
  pt: "Falta o telefone ou o e-mail; diga, por exemplo: de quem é o telefone 11 98765-4321.",
  en: "The phone or e-mail is missing; write it as in: who has the phone 11 98765-4321.",
};

/** Claims the words of a question or call next to a value, the tokens `from` to `to`. */
export function claimQuestion(sentence: Sentence, from: number, to: number): void {
  const first = reach(sentence, from - 1, -1);
  const last = reach(sentence, to, 1);
  const call = callBefore(sentence, from);
  if (call >= 0) sentence.claim(reach(sentence, call - 1, -1), from, "contact");
  if (first < from) sentence.claim(first, from, "contact");
  if (last >= to) sentence.claim(to, last + 1, "contact");
}

/** Index of the word that says that the number at a token is called; -1 for none. */
export function callBefore(sentence: Sentence, at: number): number {
  let call = at - 1;
  while (call >= at - CALL_WORDS_MAX && CALL_LEADS.has(sentence.folded(call))) call--;
  return CALLS.has(sentence.folded(call)) && sentence.free(call) ? call : -1;
}

/** The farthest word of a question in a direction; the token before the first if there is none. */
function reach(sentence: Sentence, start: number, step: 1 | -1): number {
  let farthest = start - step;
  for (let at = start; Math.abs(at - start) < REACH && sentence.free(at); at += step) {
    const { folded: word = "" } = sentence.tokens[at] ?? {};
    if (THIS.has(word) || ASKS.has(word)) farthest = at;
    else if (!JOINS.has(word) && !CONTACTS.has(word)) break;
  }
  return farthest;
}

/** Leaves "who has this phone" to the notes; true if the sentence asks so and names no value. */
export function leaveEmptyQuestion(sentence: Sentence, notes: Notes): boolean {
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
  notes.leave(VALUE_MISSING.code, VALUE_MISSING, sentence.claim(from, to, "unmapped"));
  return true;
}
