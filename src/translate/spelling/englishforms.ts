/**
 * Replaces English wordings of conditions by wordings that later stages read: "prior to 1995",
 * "any contact works", "landline required", "MEI no", "the Northeast region".
 * Input: a sentence that no other stage has read. Output: the same sentence; the words are read as
 * others, and words that add nothing are marked as filler.
 * Invariant: the text never changes. A wording has the same meaning in every context, so that no
 * activity, place, or name loses a word. Each token is compared with a bounded number of words
 * around it.
 */
import { REGIONS } from "../places/states.ts";
import type { Sentence } from "../words/sentence.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Nouns for a contact. */
const CONTACTS = wordSet("phone phones telephone email emails mail mobile landline cellphone");
/** Words of which the name of one or two contacts may consist. */
const CONTACT_WORDS = wordSet(
  "phone telephone email e mail - mobile landline cellphone cell fixed line land number and " +
    "or address",
);
/** Maximum tokens in the name of one or two contacts. */
const CONTACT_MAX = 7;
const REQUIRED = wordSet("required mandatory compulsory necessary needed obligatory");
const YEAR = /^(?:18|19|20)\d\d$/;

/** A wording and the words that replace its words one by one. */
type Form = readonly [from: readonly string[], to: readonly string[]];

/**
 * Maps the first word of each wording to its forms. "the" replaces a word that adds nothing,
 * because no stage reads an article.
 */
const FORMS: ReadonlyMap<string, readonly Form[]> = formsOf([
  ["prior to", "before the"],
  ["ahead of the year", "before the the the"],
  ["exclusively", "only"],
  ["without being", "not the"],
  ...["companies", "company", "firms", "businesses", "sellers", "dealers"].flatMap((noun) =>
    ["selling", "of", "for"].map((verb) => {
      return [`wholesale ${noun} ${verb}`, "wholesalers the of"] as const;
    }),
  ),
]);

/** Wordings for an upper bound, before a year. */
const UP_TO: ReadonlyMap<string, readonly Form[]> = formsOf([
  ["up to the end of", "until the the the of"],
  ["up until the end of", "until the the the the of"],
  ["until the end of", "until the the of"],
  ["by the end of", "until the the of"],
  ["through the end of", "until the the of"],
  ["no later than the end of", "until the the the the the of"],
  ["no later than", "until the the"],
  ["up to", "until the"],
  ["up until", "until the"],
]);

function formsOf(
  rows: readonly (readonly [from: string, to: string])[],
): ReadonlyMap<string, readonly Form[]> {
  const forms = new Map<string, Form[]>();
  for (const [from, to] of rows) {
    const words = from.split(" ");
    const [first = ""] = words;
    forms.set(first, [...(forms.get(first) ?? []), [words, to.split(" ")]]);
  }
  return forms;
}

/** Replaces English wordings of conditions. */
export function readEnglishForms(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind !== "word") continue;
    const word = sentence.folded(at);
    const bound = formAt(sentence, at, UP_TO.get(word));
    const isYear = bound !== null && YEAR.test(sentence.tokens[at + bound[0].length]?.text ?? "");
    const form = isYear ? bound : formAt(sentence, at, FORMS.get(word));
    if (form !== null) replace(sentence, at, form[1]);
    else if (word === "contact" || word === "contacting") readAnyContact(sentence, at);
    else if (REQUIRED.has(word)) readRequired(sentence, at);
    else if (word === "mei" || word === "simples") readAnswer(sentence, at);
    else if (word === "well" && sentence.folded(at - 1) === "as") readAsWellAs(sentence, at);
    else if (word === "can") readReachable(sentence, at);
    else if (word === "mean") claimMeaning(sentence, at);
    else if (EXTRACTING.has(word)) readExtracting(sentence, at);
    else if (word === "star" || word === "stars") nameStars(sentence, at);
    else if (word === "s" && isBrazil(sentence, at - 1)) readOfBrazil(sentence, at);
    else if (word === "region" || word === "regions") claimRegion(sentence, at);
  }
}

function formAt(sentence: Sentence, at: number, candidates: readonly Form[] = []): Form | null {
  return candidates.find(([from]) => isAt(sentence, at, from)) ?? null;
}

function isAt(sentence: Sentence, at: number, words: readonly string[]): boolean {
  return words.every((word, step) => sentence.folded(at + step) === word);
}

function replace(sentence: Sentence, from: number, words: readonly string[]): void {
  words.forEach((word, step) => {
    sentence.readAs(from + step, word);
  });
}

/** Words before "contact" that leave open which one, from the nearest to the farthest. */
const ANY = wordSet("any whatever whichever which");
const KINDS_OF = wordSet("of for kind sort type form way ways means method");
const ANY_MAX = 4;
/** Words for indifference before "which contact". */
const INDIFFERENT: readonly (readonly string[])[] = [
  "it doesn t matter",
  "it does not matter",
  "doesn t matter",
  "does not matter",
  "don t care",
  "do not care",
  "doesnt matter",
  "no matter",
  "i don t mind",
].map((words) => words.split(" "));
const INDIFFERENT_MAX = 4;
/** Words after "any contact" that only say that it is enough. */
const ENOUGH = wordSet(
  "details information info them they have is are will be do does works work fine ok okay good " +
    "enough suffices sufficient acceptable for me us",
);
const ENOUGH_MAX = 7;

/** Reads "any contact works", "any way of contacting them", "no matter which contact". */
function readAnyContact(sentence: Sentence, contact: number): void {
  let any = contact - 1;
  while (any > contact - ANY_MAX && KINDS_OF.has(sentence.folded(any))) any--;
  if (!ANY.has(sentence.folded(any))) return;
  const from = indifferentFrom(sentence, any);
  // "which contact" alone is a question.
  if (sentence.folded(any) === "which" && from === any) return;
  let to = contact + 1;
  while (to <= contact + ENOUGH_MAX && ENOUGH.has(sentence.folded(to))) to++;
  sentence.readAs(from, "with");
  for (let at = from + 1; at < contact; at++) sentence.readAs(at, "the");
  sentence.readAs(contact, "contact");
  sentence.claim(contact + 1, to, "filler");
}

/** Returns the start of words such as "no matter" before a token, or the token. */
function indifferentFrom(sentence: Sentence, at: number): number {
  for (let from = at - INDIFFERENT_MAX; from < at; from++) {
    if (INDIFFERENT.some((words) => words.length === at - from && isAt(sentence, from, words))) {
      return from;
    }
  }
  return at;
}

/** Reads "landline required", "phone and email are mandatory" as "with" these contacts. */
function readRequired(sentence: Sentence, at: number): void {
  const isLinked = /^(?:is|are)$/.test(sentence.folded(at - 1));
  const end = isLinked ? at - 1 : at;
  let from = end;
  while (from > end - CONTACT_MAX && CONTACT_WORDS.has(sentence.tokens[from - 1]?.folded ?? "")) {
    from--;
  }
  while (from < end && /^(?:and|or|-|e)$/.test(sentence.tokens[from]?.folded ?? "")) {
    if (sentence.folded(from + 1) === "mail" || sentence.tokens[from + 1]?.text === "-") break;
    from++;
  }
  const names = sentence.tokens.slice(from, end).map(({ folded }) => folded);
  if (names.length === 0 || names.includes("-") || !names.some((name) => CONTACTS.has(name)))
    return;
  replace(sentence, from, ["with", ...names]);
  sentence.claim(from + names.length + 1, at + 1, "filler");
}

/** Reads "Simples yes, MEI no" as "Simples, without MEI". */
function readAnswer(sentence: Sentence, at: number): void {
  const after = sentence.tokens[at + 2];
  if (after !== undefined && after.kind !== "mark") return;
  const answer = sentence.folded(at + 1);
  if (answer === "yes") sentence.claim(at + 1, at + 2, "filler");
  if (answer !== "no") return;
  const regime = sentence.folded(at);
  replace(sentence, at, ["without", regime]);
}

/** Reads "phone as well as email" as "phone and email". */
function readAsWellAs(sentence: Sentence, well: number): void {
  if (sentence.folded(well + 1) !== "as") return;
  let contact = well + 2;
  while (/^(?:an?|the|their)$/.test(sentence.folded(contact))) contact++;
  const isMail = sentence.folded(contact) === "e" && sentence.folded(contact + 1) === "mail";
  if (!isMail && !CONTACTS.has(sentence.folded(contact))) return;
  replace(sentence, well - 1, ["and", "the", "the"]);
}

const REACHING = /^(?:phone|call|telephone|email)$/;

/** Reads "that I can both phone and email" as "with phone and email". */
function readReachable(sentence: Sentence, can: number): void {
  if (!/^(?:i|we)$/.test(sentence.folded(can - 1))) return;
  const first = sentence.folded(can + 1) === "both" ? can + 2 : can + 1;
  const [way, joint, other] = [0, 1, 2].map((step) => sentence.folded(first + step));
  if (!REACHING.test(way ?? "") || !REACHING.test(other ?? "")) return;
  if (!/^(?:and|or)$/.test(joint ?? "")) return;
  for (let at = can - 1; at < first; at++) sentence.readAs(at, at === can - 1 ? "with" : "the");
  for (const at of [first, first + 2]) {
    if (sentence.folded(at) === "call") sentence.readAs(at, "phone");
  }
}

const EXTRACTING = wordSet("mine mines mining extract extracts extracting");
/** Words before a verb whose subject is companies. */
const SUBJECTS = wordSet("that which who companies company firms firm businesses ones enterprises");

const AFTER_OBJECT = wordSet("in at from near with without and or that which who for under by");
/** Maximum words of what is mined. */
const OBJECT_MAX = 3;

/** Reads "companies that mine gold" as "companies that gold mining", because trades name it so. */
function readExtracting(sentence: Sentence, at: number): void {
  if (!SUBJECTS.has(sentence.folded(at - 1))) return;
  let to = at + 1;
  const last = at + 1 + OBJECT_MAX;
  while (to <= last && sentence.folded(to) !== "" && !AFTER_OBJECT.has(sentence.folded(to))) to++;
  if (to === at + 1 || to > last) return;
  const object = sentence.tokens.slice(at + 1, to).map(({ folded }) => folded);
  replace(sentence, at, [...object, "mining"]);
}

/** Reads the number before "stars" as a part of their name, so that it is no limit. */
function nameStars(sentence: Sentence, at: number): void {
  const number = sentence.tokens[at - 1]?.text === "+" ? at - 2 : at - 1;
  if (sentence.tokens[number]?.kind === "number") sentence.name(number, number + 1);
}

/** Marks "I mean" as filler. */
function claimMeaning(sentence: Sentence, at: number): void {
  if (!/^(?:i|we)$/.test(sentence.folded(at - 1))) return;
  const before = sentence.tokens[at - 2];
  if (before !== undefined && before.kind !== "mark") return;
  sentence.claim(at - 1, at + 1, "filler");
}

function isBrazil(sentence: Sentence, at: number): boolean {
  return /^bra[sz]il$/.test(sentence.folded(at));
}

/** Reads "Brazil's Northeast" as "in the Northeast". */
function readOfBrazil(sentence: Sentence, at: number): void {
  if (REGIONS[sentence.folded(at + 1)] !== undefined) replace(sentence, at - 1, ["in", "the"]);
}

/** Marks "region" after the name of a great region as filler: "the Northeast region". */
function claimRegion(sentence: Sentence, at: number): void {
  if (REGIONS[sentence.folded(at - 1)] === undefined) return;
  const isPart = sentence.folded(at + 1) === "of" && sentence.folded(at + 2) !== "brazil";
  if (!isPart) sentence.claim(at, at + 1, "filler");
}
