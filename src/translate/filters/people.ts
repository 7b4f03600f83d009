/**
 * Recognizes requests for data of persons, such as "e-mail dos sócios". Input: a sentence. Output:
 * notes that no filter takes the phone or e-mail of an owner, partner, or manager. The words are
 * marked as read.
 * Invariant: such a request never becomes a filter for the company's contact. A person's title at
 * the beginning of a trade ("administradora de condomínios") belongs to the trade.
 */
import { tradeEnd } from "../activities/activities.ts";
import { isFillerWord } from "../fillers.ts";
import { beginsRequest } from "../items.ts";
import type { Notes } from "../notes.ts";
import { isCapitalised } from "../places/placesigns.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Token } from "../words/tokens.ts";
import { FILTER_PHRASES } from "./table.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Owners and managers. */
const PEOPLE = wordSet(
  "socio socios socia socias dono donos dona donas proprietario proprietarios proprietaria " +
    "proprietarias administrador administradores administradora diretor diretores diretora " +
    "diretoras responsavel responsaveis gestor gestores gestora decisor decisores presidente " +
    "presidentes ceo ceos fundador fundadores fundadora titular titulares encarregado " +
    "encarregados gerente gerentes comprador compradores empresario empresarios owner owners " +
    "partner partners director directors manager managers administrator administrators founder " +
    "founders shareholder shareholders executives dueno duenos encargado encargados qsa",
);
/** Departments and titles. */
const TITLES = wordSet(
  "legal legais administrativo administrativa financeiro financeira comercial comerciais tecnico " +
    "tecnica operacional executivo executiva geral compras marketing vendas rh ti suprimentos " +
    "financial commercial technical sales purchasing",
);
/** Words that may stand between a person and a name. */
const CALLED = wordSet("chamado chamada chamados chamadas nome sobrenome named called llamado");
/** Words that may stand between a person and an age: "mais", "under". */
const AGED = wordSet("mais menos maior maiores menor menores acima abaixo ate over under older");
/** Verbs between a person and an age: "cujo dono tenha mais de 60 anos". */
const HAVING = wordSet(
  "tem tenha tenham ter com que seja sejam esta has have is are aged who tiene",
);
/** Maximum number of words in a person's name, and of words between a person and an age. */
const NAME_MAX = 4;
/** Adjectives that make a contact one of a person. */
const PERSONAL = wordSet("pessoal pessoais particular particulares residencial personal private");
const OF = wordSet("de do da dos das of for para pelo pelos com o a os as the seu seus their");
const IN_CHARGE = wordSet("those people person persons decision quem");
const CHARGE = wordSet("charge makers maker decide manda responde");
/** Words before a contact that belong to the same request. */
const LEADS = wordSet("com sem o a os as numero de do with without the tenham tenha");

/** Adds a note for every request for the contact of a person and marks the request as read. */
export function unmapPeople(sentence: Sentence, notes: Notes): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const read = contactOf(sentence, at) ?? personFirst(sentence, at);
    if (read === null) continue;
    const detail = {
      pt: "Dados pessoais de sócios, donos e administradores não são oferecidos.",
      en: "Personal data of partners, owners and administrators is not offered.",
    };
    notes.addUnmapped("people", detail, sentence.claim(read.from, read.to, "unmapped"));
    at = read.to - 1;
  }
}

/**
 * Adds a note for persons described by a name or an age ("com sócio chamado José", "sócios maiores
 * de 60 anos") and marks the words as read. No filter takes such data. Must run before names and
 * dates are read.
 */
export function unmapPersons(sentence: Sentence, notes: Notes): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const person = personEnd(sentence, at);
    if (person === at) continue;
    const to = Math.max(namedEnd(sentence, person), agedEnd(sentence, person));
    if (to === person) continue;
    const detail = {
      pt: "Dados de sócios e proprietários não são oferecidos.",
      en: "Data of partners and owners is not offered.",
    };
    notes.addUnmapped("people", detail, sentence.claim(start(sentence, at), to, "unmapped"));
    at = to - 1;
  }
}

/** Returns the end of a person's name, or `at`. */
function namedEnd(sentence: Sentence, at: number): number {
  let name = at;
  while (name < at + 2 && OF.has(sentence.folded(name))) name++;
  if (!CALLED.has(sentence.folded(name))) return at;
  let to = name + 1;
  while (to <= name + NAME_MAX && sentence.tokens[to]?.kind === "word" && sentence.free(to)) {
    const small = isFillerWord(sentence.tokens[to] as Token) && !isCapitalised(sentence, to);
    if (to > name + 1 && (small || beginsRequest(sentence, to))) break;
    to++;
  }
  return to;
}

/** Returns the end of an age ("com mais de 60 anos"), or `at`. */
function agedEnd(sentence: Sentence, at: number): number {
  const isLead = (word: string) => OF.has(word) || HAVING.has(word);
  let age = at;
  while (age < at + NAME_MAX && isLead(sentence.folded(age))) age++;
  const isNumber = sentence.tokens[age]?.kind === "number";
  if (!isNumber && !AGED.has(sentence.folded(age))) return at;
  for (let to = age + 1; to <= age + NAME_MAX; to++) {
    if (/^(anos|years|anios)$/.test(sentence.folded(to))) return ageTail(sentence, to + 1);
  }
  return at;
}

/** Returns the end of "de idade", "old", "ou mais" after a number of years. */
function ageTail(sentence: Sentence, at: number): number {
  const [one, two] = [sentence.folded(at), sentence.folded(at + 1)];
  if (one === "old") return at + 1;
  const isTail = (one === "de" && two === "idade") || (one === "of" && two === "age");
  return isTail || (/^(ou|or|o)$/.test(one) && AGED.has(two)) ? at + 2 : at;
}

interface Read {
  readonly from: number;
  readonly to: number;
}

/** Reads a contact of a person: "e-mail dos sócios", "celular pessoal", "home address". */
function contactOf(sentence: Sentence, at: number): Read | null {
  const to = contactEnd(sentence, at);
  if (to === at) return personalBefore(sentence, at);
  const personal = PERSONAL.has(sentence.folded(to)) ? to + 1 : to;
  let name = personal;
  while (name < personal + 3 && OF.has(sentence.folded(name))) name++;
  const end = name > personal ? personEnd(sentence, name) : name;
  if (end > name) return { from: start(sentence, at), to: end };
  return personal > to ? { from: start(sentence, at), to: personal } : null;
}

/** Reads a contact after a word for a person: "personal mobile", "owners' e-mail". */
function personalBefore(sentence: Sentence, at: number): Read | null {
  if (!PERSONAL.has(sentence.folded(at))) return null;
  const to = contactEnd(sentence, at + 1);
  if (to === at + 1) return null;
  let name = to;
  while (name < to + 3 && OF.has(sentence.folded(name))) name++;
  const end = name > to ? personEnd(sentence, name) : name;
  return { from: start(sentence, at), to: end > name ? end : to };
}

function personFirst(sentence: Sentence, at: number): Read | null {
  const end = personEnd(sentence, at);
  if (end === at) return null;
  const skip = sentence.folded(end) === "s" ? 1 : 0;
  const to = contactEnd(sentence, end + skip);
  const english = /^(owner|partner|director|manager|administrator|founder|ceo)/;
  return to > end + skip && english.test(sentence.folded(at)) ? { from: at, to } : null;
}

/**
 * Maximum number of contacts in one request. Without it, a long list of contacts would be scanned
 * again from each contact. There are fewer kinds of contacts.
 */
const CONTACTS_MAX = 8;

/** Returns the end of the contacts at a token. "e-mail e telefone" counts as one contact. */
function contactEnd(sentence: Sentence, at: number): number {
  let end = at;
  for (let next = at, some = 0; some < CONTACTS_MAX && sentence.free(next); some++) {
    const from =
      sentence.folded(next) === "e" && sentence.folded(next + 1) === "mail" ? next + 1 : next;
    const match = FILTER_PHRASES.longest(sentence.tokens, from, (i) => sentence.free(i));
    if (match === null || match.value.role !== "contact") break;
    end = match.to;
    next = end;
    if (sentence.tokens[next]?.text === ",") next++;
    if (
      ["e", "ou", "and", "or"].includes(sentence.folded(next)) &&
      sentence.folded(next + 1) !== "mail"
    )
      next++;
  }
  return end;
}

/** Returns the end of the word for a person at a token, or `at` if there is none. */
function personEnd(sentence: Sentence, at: number): number {
  if (!sentence.free(at)) return at;
  const word = sentence.folded(at);
  if (IN_CHARGE.has(word)) {
    for (let to = at + 1; to < at + 4; to++) if (CHARGE.has(sentence.folded(to))) return to + 1;
    return at;
  }
  if (!PEOPLE.has(word) || tradeEnd(sentence, at) > at + 1) return at;
  if (TITLES.has(sentence.folded(at + 1))) return at + 2;
  const of = OF.has(sentence.folded(at + 1)) && TITLES.has(sentence.folded(at + 2));
  return of ? at + 3 : at + 1;
}

function start(sentence: Sentence, at: number): number {
  let from = at;
  while (from > at - 3 && sentence.free(from - 1) && LEADS.has(sentence.folded(from - 1))) from--;
  return from;
}
