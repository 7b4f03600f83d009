/**
 * Finds exclusions that apply in one place only: "padarias em SP, exceto MEI em Santos".
 * Invariant: the place must stand right after the excluded words, and a requested place must
 * precede the exclusion. A comma between the excluded words and the place ends the exclusion
 * ("exceto MEI, em Santos").
 * Input: a sentence in which every word is assigned to the stage that read it, and the requested
 * places. Output: a note, because a filter excludes a value everywhere or not at all.
 * On its own because it reads the results of all other stages.
 */
import { reachOf } from "../negation.ts";
import { isExcept } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";

/**
 * Maximum number of words between an exclusion and its place: "MEI que ficam no bairro Centro de".
 */
const BETWEEN_MAX = 12;

const THERE = {
  pt: "Nenhum filtro exclui algo só num lugar: busque cada lugar à parte.",
  en: "No filter leaves something out in one place only: search each place on its own.",
};

/** Adds a note for an exclusion in only one requested place. Returns true if there is one. */
export function unmapExcludedInPlace(
  sentence: Sentence,
  notes: Notes,
  places: readonly { readonly from: number; readonly to: number }[],
): boolean {
  const first = sentence.tokens.findIndex((_, at) => isPlace(sentence, at));
  for (const { from, to } of places) {
    const negator = negatorBefore(sentence, from);
    if (negator < 0 || first < 0 || first >= negator) continue;
    notes.addUnmapped("excluded_there", THERE, sentence.words(negator, to));
    return true;
  }
  return false;
}

/** Requests that can be excluded or can limit an exclusion: "exceto as MEI abertas desde 2020". */
const DESCRIBED: ReadonlySet<string> = new Set([
  ...["regime", "size", "nature", "contact", "capital", "date", "headquarters", "status"],
]);
const WHICH = /^(que|that|which|who)$/;
const OF = /^(de|d[ao]s?|of|del)$/;
const WITH = /^(com|with)$/;
const WITHOUT = /^(sem|without)$/;
const DISTRICT = /^(bairro|district)$/i;
const OPENED = /^(abert[ao]s?|fundad[ao]s?|criad[ao]s?|constituid[ao]s?|opened|founded)$/;
const WITH_CONDITION = {
  pt: "Nenhum filtro exclui só as que cumprem outra condição: faça duas buscas.",
  en: "No filter leaves out only those that meet another condition: make two searches.",
};

/**
 * Adds a note for a condition on an exclusion ("exceto as MEI abertas desde 2020"), because no
 * filter excludes only the companies that meet both conditions. Returns true if there is one.
 */
export function unmapConditional(sentence: Sentence, notes: Notes): boolean {
  for (let at = 1; at < sentence.tokens.length; at++) {
    const { polarity, negator } = reachOf(sentence, at);
    const owner = sentence.owner(at);
    const isItem = owner === "activity" || DESCRIBED.has(owner ?? "");
    if (polarity !== "negated" || negator >= at || !isItem) continue;
    // "excluídas do Simples em 2025" requests companies that left the Simples regime and excludes
    // none.
    if (sentence.owner(negator) === "regime") continue;
    const to = conditionEnd(sentence, at + 1, isExcept(sentence, negator));
    if (to < 0) continue;
    notes.addUnmapped("excluded_with_condition", WITH_CONDITION, sentence.words(negator, to));
    return true;
  }
  return false;
}

/**
 * Returns the end of a condition that follows the excluded words, or -1 if there is none. The
 * excluded words end before `from`. After "exceto", a date, contact, or quality directly after them
 * is such a condition.
 */
function conditionEnd(sentence: Sentence, from: number, isExcepted: boolean): number {
  let at = from;
  while (sentence.owner(at) === "filler" && sentence.tokens[at]?.kind === "word") {
    if (/^(e|ou|mas|and|or|but)$/.test(sentence.folded(at))) return -1;
    at++;
  }
  const [owner, first] = [sentence.owner(at) ?? "", sentence.folded(from)];
  const isNegated = reachOf(sentence, at).polarity !== "plain";
  if (isNegated && !(isExcepted && WITHOUT.test(first))) return -1;
  // The words of a district's name are merged into one token, so its text is tested.
  const isDistrict = [at, at + 1].some(
    (index) => owner === "place" && DISTRICT.test(sentence.tokens[index]?.text ?? ""),
  );
  // In "padarias que não sejam MEI abertas desde 2020", the date is a requirement, not a condition
  // on the exclusion.
  const isNoun =
    isExcepted || sentence.owner(from - 1) === "activity" || hasArticle(sentence, from - 1);
  const isOther = at === from && owner !== sentence.owner(from - 1);
  const isAttached = isExcepted && (isOther || WITH.test(first) || WITHOUT.test(first));
  const isLed = WHICH.test(first) || OF.test(first) || (OPENED.test(first) && isNoun) || isAttached;
  const isWithout = isExcepted && WITHOUT.test(first);
  const isStated = (DESCRIBED.has(owner) || isWithout) && isLed;
  if (!isStated && !isDistrict) return -1;
  let to = at + 1;
  while (sentence.owner(to) === owner) to++;
  return to;
}

/** True if an article precedes the words that end at `last`: "as MEI". */
function hasArticle(sentence: Sentence, last: number): boolean {
  let at = last;
  while (sentence.owner(at - 1) === sentence.owner(last)) at--;
  return /^([ao]s?|the)$/.test(sentence.folded(at - 1));
}

function isPlace(sentence: Sentence, at: number): boolean {
  return sentence.owner(at) === "place" && reachOf(sentence, at).polarity === "plain";
}

/** Returns the negator of the words right before a place, or -1 if they are required. */
function negatorBefore(sentence: Sentence, place: number): number {
  for (let at = place - 1; at >= Math.max(0, place - BETWEEN_MAX); at--) {
    const owner = sentence.owner(at);
    if (sentence.tokens[at]?.kind === "mark" || owner === "negation") return -1;
    const { polarity, negator } = reachOf(sentence, at);
    const isItem = owner !== "filler" && owner !== "place";
    if (isItem) return polarity === "negated" && negator < at ? negator : -1;
  }
  return -1;
}
