/**
 * Two requests in one sentence: "padarias em Curitiba e restaurantes em Londrina". What comes in: a
 * sentence whose activities and places are known. What goes out: whether it is two, which one
 * search cannot be.
 * Invariant: only an activity with its place, joined to another activity with another place, makes
 * two; a list of activities or of places is one. Known from who took the words alone.
 * Apart because it looks at all that others took, when they have taken it.
 */
import type { Notes } from "./notes.ts";
import type { Sentence } from "./words/sentence.ts";

/** A stretch of words of one owner. */
interface Run {
  readonly role: "activity" | "place";
  readonly from: number;
  to: number;
}

const JOINS = /^(e|ou|and|or)$/;
const MARKS = /^[,;/]$/;

/** Says that a sentence is two requests; true where it is. */
export function leaveSecond(sentence: Sentence, notes: Notes): boolean {
  const runs = runsOf(sentence);
  for (let i = 0; i + 3 < runs.length; i++) {
    const [one, where, other, there] = runs.slice(i, i + 4) as [Run, Run, Run, Run];
    const alternate = one.role === "activity" && where.role === "place" && there.role === "place";
    if (!alternate || other.role !== "activity" || !isJoin(sentence, where.to, other.from)) {
      continue;
    }
    // "lojas em Natal, bares" names no other place, and what is left out none that is sought.
    if (hasNegation(sentence, one.from, there.from)) continue;
    notes.leave("two_requests", TWO, sentence.words(other.from, there.to));
    return true;
  }
  return false;
}

const TWO = {
  pt: "São dois pedidos: uma busca teria todas as atividades em todos os lugares. Faça duas.",
  en: "These are two requests: one search would have all activities in all places. Make two.",
};

/** The activities and places of a sentence in their order. */
function runsOf(sentence: Sentence): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    const role = sentence.owner(at);
    if (role !== "activity" && role !== "place") continue;
    const last = runs.at(-1);
    if (last?.role === role) last.to = at + 1;
    else runs.push({ role, from: at, to: at + 1 });
  }
  return runs;
}

/** Whether a place and an activity are joined by "e", "ou" or a mark, and by nothing else. */
function isJoin(sentence: Sentence, from: number, to: number): boolean {
  if (to === from || to - from > 2) return false;
  for (let at = from; at < to; at++) {
    const mark = MARKS.test(sentence.tokens[at]?.text ?? "");
    if (!mark && !JOINS.test(sentence.folded(at))) return false;
  }
  return true;
}

function hasNegation(sentence: Sentence, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (sentence.owner(at) === "negation") return true;
  return false;
}
