/**
 * Finds alternatives that one search cannot express: "MEI ou do Simples", "em Santos ou com
 * telefone". Input: a sentence in which every word is assigned to the stage that read it. Output: a
 * note for each "ou" between two requests that were both required.
 * Invariant: derived only from these assignments. Alternatives of one filter ("micro ou pequena",
 * "em Santos ou Campinas") and pairs that are both excluded are not reported.
 */
import { reachOf } from "./negation.ts";
import { SUBJECTS } from "./negators.ts";
import type { Notes } from "./notes.ts";
import type { NumberedSpan } from "./places/numbered.ts";
import type { Sentence } from "./words/sentence.ts";

/** Owners of words that request a condition. */
const CONDITION_OWNERS: ReadonlySet<string> = new Set([
  ...["regime", "size", "nature", "contact", "capital", "date", "headquarters", "name"],
  ...["place", "activity", "status", "list", "unmapped"],
]);

/**
 * Kinds of requests that restrict a search less than a trade or place. If a search requires two of
 * them instead of one, it still finds some of the intended companies.
 */
const QUALITIES: ReadonlySet<string> = new Set([
  ...["regime", "size", "nature", "contact", "capital", "date", "headquarters", "name", "status"],
]);

const OR = /^(ou|or)$/;
/** Matches the word before "ou" in "e/ou". */
const AND = /^(e|and)$/;
/** Marks that may be next to "ou". */
const MARKS = /^[,;/()"'“”]$/;
/**
 * Words that may stand right before "ou" and belong to the request there: "headquarters only or …".
 */
const TAILS = new Set("only also too mesmo tambem apenas somente".split(" "));
/** Words after "ou" that continue a bound, as in "3 ou mais". */
const GOES_ON = new Set(
  "mais menos more less above below acima abaixo superior inferior".split(" "),
);
/** Maximum number of words between "ou" and the next request. */
const GAP_MAX = 7;

/**
 * Adds a note for every "ou" between two requests that the search requires together. Returns true
 * if one of them is a trade, place, or contact, because the search then misses most of the intended
 * companies.
 */
export function noteAlternatives(
  sentence: Sentence,
  notes: Notes,
  numbered: readonly NumberedSpan[],
): boolean {
  let misled = false;
  for (let at = 1; at < sentence.tokens.length - 1; at++) {
    if (!OR.test(sentence.folded(at)) || !isOpen(sentence, at)) continue;
    const [before, after] = [beforeOr(sentence, at), afterOr(sentence, at)];
    if (before < 0 || after < 0) continue;
    const kinds = [before, after].map((index) => kindOf(sentence, index, numbered));
    if (isEither(sentence, kinds as [string, string], { before, or: at, after })) {
      const why = kinds.includes("unmapped") ? ONE : BOTH;
      notes.addUnmapped("either_wish", why, sentence.words(at, at + 1));
      const lacked = [before, after].some((index) => isLacked(sentence, index));
      misled ||=
        kinds.some((kind) => !QUALITIES.has(kind)) ||
        lacked ||
        (kinds[0] === "contact" && kinds[1] === "contact");
    }
  }
  return misled;
}

/**
 * True for a contact that must be missing, such as "sem telefone". In "MEI ou sem telefone", most
 * of the intended companies have a phone.
 */
function isLacked(sentence: Sentence, at: number): boolean {
  return sentence.owner(at) === "contact" && reachOf(sentence, at).polarity !== "plain";
}

/**
 * True if the "ou" at a token may join two requests. False inside a name ("lucro presumido ou
 * real") and after a negation, which covers both requests.
 */
function isOpen(sentence: Sentence, at: number): boolean {
  const owner = sentence.owner(at);
  const own = owner !== null && (CONDITION_OWNERS.has(owner) || owner === "negation");
  // "ou seja," introduces another wording of the same request.
  const again = sentence.folded(at + 1) === "seja" && sentence.tokens[at + 2]?.kind === "mark";
  return !own && !again && reachOf(sentence, at).polarity === "plain";
}

/** Returns the last word of the request before "ou", or -1. */
function beforeOr(sentence: Sentence, or: number): number {
  let at = or - 1;
  while (MARKS.test(sentence.tokens[at]?.text ?? "")) at--;
  if (at < or - 1 && AND.test(sentence.folded(at))) at--;
  while (sentence.owner(at) === "filler" && TAILS.has(sentence.folded(at))) at--;
  return CONDITION_OWNERS.has(sentence.owner(at) ?? "") ? at : -1;
}

/** Returns the first word of the request after "ou", or -1. */
function afterOr(sentence: Sentence, or: number): number {
  const subject = sentence.owner(or - 1) === "activity";
  let at = or + 1;
  for (; at < or + GAP_MAX; at++) {
    const [owner, word] = [sentence.owner(at), sentence.folded(at)];
    if (owner !== "filler" && owner !== "negation") break;
    // After "padarias ou", a word for companies begins another subject.
    if (OR.test(word) || GOES_ON.has(word) || (subject && SUBJECTS.has(word))) return -1;
  }
  return CONDITION_OWNERS.has(sentence.owner(at) ?? "") ? at : -1;
}

/**
 * Returns the kind of request that a word belongs to. Area codes, postal codes, and email addresses
 * have kinds of their own, because they have filters of their own.
 */
function kindOf(sentence: Sentence, at: number, numbered: readonly NumberedSpan[]): string {
  const owner = sentence.owner(at) ?? "";
  if (owner === "contact" && sentence.tokens[at]?.text.includes("@")) return "address";
  if (owner !== "place") return owner;
  return numbered.find(({ from, to }) => from <= at && at < to)?.kind ?? owner;
}

function isEither(
  sentence: Sentence,
  [one, other]: [string, string],
  { before, or, after }: { readonly before: number; readonly or: number; readonly after: number },
): boolean {
  if (one === "unmapped") return other !== "unmapped" && isLeftAlone(sentence, before, other);
  // In "padarias ou xyz", the unknown word "xyz" may name another trade. In "padarias ou sem xyz",
  // it does not.
  if (other === "unmapped") {
    const isLed = after > or + 1 || reachOf(sentence, after).polarity !== "plain";
    return isLeftAlone(sentence, after, one) || (one === "activity" && isLed);
  }
  // No note for "micro ou pequena", which one filter accepts. Two regimes ("MEI ou do Simples") or
  // two contacts need a note.
  if (one === other) return one === "regime" || one === "contact";
  // In "padarias em Santos ou açougues", the second activity continues the list of activities.
  if (other === "activity") return false;
  if (one !== "activity") return true;
  // In "padarias ou pequenas mercearias", the words after "ou" belong to another activity.
  let to = after;
  while (sentence.owner(to) === other) to++;
  return sentence.owner(to) !== "activity";
}

/**
 * True if the request at `at`, which has no filter, is not in a list with the other request. False
 * for an unknown word next to an activity, and for a web site next to a phone.
 */
function isLeftAlone(sentence: Sentence, at: number, other: string): boolean {
  if (other === "activity") return false;
  return other !== "contact" || reachOf(sentence, at).polarity !== "plain";
}

const ONE = {
  pt: "Nenhum filtro aceita um ou o outro: só foi exigido o que tem filtro. Faça duas buscas.",
  en: "No filter takes the one or the other: only what has a filter was required. Search twice.",
};
const BOTH = {
  pt: "Nenhum filtro aceita um ou o outro: os dois foram exigidos. Faça duas buscas.",
  en: "No filter takes the one or the other: both were required. Make two searches.",
};
