/**
 * Recognizes requests for secondary activities, such as "como atividade secundária". Input: a
 * sentence and its activities. Output: the same activities. `secondary` is true on those that the
 * sentence requests as secondary activities.
 * Invariant: "secundária" is read next to "atividade" or "CNAE", or after "como". In "escola
 * secundária" it names a trade. "atividade principal ou secundária" and "sem atividade secundária"
 * have no filter and get a note.
 */

import { isFillerWord } from "../fillers.ts";
import { negatorOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import type { ActivityContext, FoundActivity } from "./activity.ts";

const wordSet = (words: string) => new Set(words.split(" "));

const NOUNS = wordSet(
  "atividade atividades cnae cnaes codigo codigos ramo activity activities code codes actividad " +
    "actividades",
);
const SECONDARY = wordSet("secundaria secundarias secundario secundarios secondary");
const PRIMARY = wordSet("principal principais primaria primario primarias primary main");
const JOINS = wordSet("ou e or and");
/** Words that may stand between an activity and "atividade secundária": "lanchonete como …". */
const AS = wordSet("como as na no enquanto nas nos");
const ARTICLES = wordSet("a o as os an sua seu its their uma um");
const HAVING = wordSet("com tenha tenham tem possua possuam have has having with faca facam");
const BETWEEN = wordSet("de da do em of is in e a o como seja ser sendo sejam for que com the");
/** Maximum number of words between "secundária" and the activity after it. */
const GAP = 4;
/** Maximum number of words of an activity that stands before "como atividade secundária". */
const BEHIND = 10;

/** The words that mark an activity as secondary: "como atividade secundária". */
export interface SecondaryMark {
  readonly from: number;
  readonly to: number;
  /** True if the activity stands before these words. */
  readonly behind: boolean;
  /** First token of the activity, or of the words that may contain it. */
  readonly start: number;
  readonly negated: boolean;
}

/**
 * Returns the places of words such as "como atividade secundária" and marks their tokens as read.
 * "atividade principal ou secundária" has no filter and gets a note.
 */
export function findSecondaryMarks({
  sentence,
  notes,
}: Pick<ActivityContext, "sentence" | "notes">): readonly SecondaryMark[] {
  const marks: SecondaryMark[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.tokens[at]?.kind === "mark" || !sentence.free(at)) continue;
    const either = eitherEnd(sentence, at);
    if (either > at) {
      const detail = {
        pt: "A busca olha só a atividade principal, ou só as secundárias.",
        en: "A search looks at the main activity only, or at the secondary ones only.",
      };
      notes.addUnmapped("either_activity", detail, sentence.claim(at, either, "unmapped"));
      at = either - 1;
      continue;
    }
    // "atividade principal" is the default, so it changes nothing.
    if (NOUNS.has(sentence.folded(at)) && PRIMARY.has(sentence.folded(at + 1))) {
      sentence.claim(at, at + 2, "activity");
      at++;
      continue;
    }
    const mark = markAt(sentence, at);
    if (mark === null) continue;
    if (mark.negated) claimNegation(sentence, negatorOf(sentence, mark.from), mark.from);
    sentence.claim(mark.from, mark.to, "activity");
    // The "com" in "restaurantes com lanchonete como atividade secundária" is marked as read.
    // Otherwise the phrase would be read as "restaurantes e lanchonetes".
    const { start } = mark;
    const had = mark.behind && HAVING.has(sentence.folded(start)) && sentence.free(start);
    if (had) sentence.claim(start, start + 1, "activity");
    marks.push(mark);
    at = mark.to - 1;
  }
  return marks;
}

/** Returns the end of "atividade principal ou secundária", "primary or secondary activity". */
function eitherEnd(sentence: Sentence, at: number): number {
  const skip = NOUNS.has(sentence.folded(at)) ? 1 : 0;
  const [first, last] = [sentence.folded(at + skip), sentence.folded(at + skip + 2)];
  const joined = JOINS.has(sentence.folded(at + skip + 1));
  const both =
    (PRIMARY.has(first) && SECONDARY.has(last)) || (SECONDARY.has(first) && PRIMARY.has(last));
  const end = at + skip + 3;
  const noun = NOUNS.has(sentence.folded(end));
  return both && joined && (skip > 0 || noun) ? end + (noun ? 1 : 0) : at;
}

function markAt(sentence: Sentence, at: number): SecondaryMark | null {
  const word = sentence.folded(at);
  const next = sentence.folded(at + 1);
  const named =
    (NOUNS.has(word) && SECONDARY.has(next)) || (SECONDARY.has(word) && NOUNS.has(next));
  const article = ARTICLES.has(sentence.folded(at - 1)) ? 1 : 0;
  const as = AS.has(sentence.folded(at - 1 - article)) || AS.has(sentence.folded(at - 1));
  if (!named && !(SECONDARY.has(word) && as)) return null;
  const to = at + (named ? 2 : 1);
  const from = as ? at - 1 - article : at;
  const negated = !as && negatorOf(sentence, from) >= 0;
  // In "que tenham como atividade secundária o aluguel", the activity follows the mark.
  const behind = as && !HAVING.has(sentence.folded(from - 1));
  return { from, to, behind, start: behind ? startBefore(sentence, from) : at, negated };
}

/** Returns the start of "que tenham lanchonete ou café" before "como atividade secundária". */
function startBefore(sentence: Sentence, from: number): number {
  for (let at = from - 1; at >= Math.max(0, from - BEHIND); at--) {
    if (HAVING.has(sentence.folded(at))) return at;
  }
  return Math.max(0, from - BEHIND);
}

/** True if words after the token mark its activity as secondary. */
export function isBeforeMark(marks: readonly SecondaryMark[], at: number): boolean {
  return marks.some(({ behind, start, from }) => behind && start <= at && at < from);
}

/** Marks as secondary the activities that stand next to the given marks. */
export function markSecondary(
  { sentence, notes }: ActivityContext,
  marks: readonly SecondaryMark[],
  all: readonly FoundActivity[],
): FoundActivity[] {
  const tokenAt = new Map(sentence.tokens.map(({ start }, at) => [start, at]));
  const endAt = new Map(sentence.tokens.map(({ end }, at) => [end, at + 1]));
  const spans = all.map(
    ({ start, end }) => [tokenAt.get(start) ?? 0, endAt.get(end) ?? 0] as const,
  );
  const chosen = new Set<number>();
  const negated = new Set<number>();
  for (const mark of marks) {
    const some = mark.behind
      ? chosenBehind(sentence, mark, spans)
      : chosenAhead(sentence, mark, spans);
    if (some.length === 0) leaveMark(sentence, notes, mark);
    for (const at of some) {
      chosen.add(at);
      if (mark.negated) negated.add(at);
    }
  }
  return all.flatMap((one, at) => {
    const own = /secund[aá]ri|secondary/iu.test(one.words) && /\d/.test(one.words);
    if (!own && !chosen.has(at)) return [one];
    if (!one.excluded && !negated.has(at)) return [{ ...one, secondary: true as const }];
    const detail = {
      pt: "Nenhum filtro exclui atividades secundárias.",
      en: "No filter leaves secondary activities out.",
    };
    const { words, start, end } = one;
    notes.addUnmapped("excluded_secondary", detail, { words, start, end });
    return [];
  });
}

/** Adds a note for "sem atividade secundária" if no activity stands next to it. */
function leaveMark(sentence: Sentence, notes: Notes, { from, to }: SecondaryMark): void {
  const detail = {
    pt: "Não se sabe de que atividade secundária se trata.",
    en: "It is not said which secondary activity is meant.",
  };
  notes.addUnmapped("secondary_of_what", detail, sentence.words(from, to));
}

type Span = readonly [from: number, to: number];

/** Returns the activity right after a mark, and the activities listed with it. */
function chosenAhead(
  sentence: Sentence,
  mark: SecondaryMark,
  spans: readonly Span[],
): readonly number[] {
  const chosen: number[] = [];
  let end = mark.to;
  let gap = (at: number) => isGap(sentence, end, at);
  for (const [i, [from, to]] of spans.entries()) {
    if (from < end) continue;
    if (!gap(from)) break;
    chosen.push(i);
    end = to;
    gap = (at: number) => isListing(sentence, end, at);
  }
  return chosen;
}

/**
 * Returns the activity right before "como atividade secundária" and the activities listed with it.
 * The list begins no earlier than the "com" before it.
 */
function chosenBehind(
  sentence: Sentence,
  mark: SecondaryMark,
  spans: readonly Span[],
): readonly number[] {
  const chosen: number[] = [];
  let start = mark.from;
  let gap = (at: number) => isGap(sentence, at, start);
  for (let i = spans.length - 1; i >= 0; i--) {
    const [from, to] = spans[i] as Span;
    if (to > start) continue;
    if (from < mark.start || !gap(to)) break;
    chosen.push(i);
    start = from;
    gap = (at: number) => isListing(sentence, at, start);
  }
  return chosen;
}

function isGap(sentence: Sentence, from: number, to: number): boolean {
  if (to - from > GAP) return false;
  for (let at = from; at < to; at++) {
    const token = sentence.tokens[at];
    const small = token !== undefined && (BETWEEN.has(token.folded) || isFillerWord(token));
    if (!small || token.text === ",") return false;
  }
  return true;
}

function isListing(sentence: Sentence, from: number, to: number): boolean {
  if (to <= from || to - from > 2) return false;
  for (let at = from; at < to; at++) {
    if (!["ou", "e", "or", "and", ",", "/"].includes(sentence.tokens[at]?.folded ?? ""))
      return false;
  }
  return true;
}
