/**
 * Wished places that follow an excluded one: "padarias, exceto em Campinas, em SP". Input: the
 * mentions of a sentence as the negators reach them. Output: the same, where those that only bound
 * the exclusion are wished.
 * Invariant: a sentence that wishes a place elsewhere keeps all of its exclusions, and a list of
 * places of one kind ("exceto em SP, no RJ") stays excluded as a whole.
 */
import { isNegator } from "../negators.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Mention, PlaceContext } from "./mention.ts";
import { isIn } from "./placewords.ts";
import { linkOf } from "./readings.ts";

/** Turns excluded places that say where the search is into wished ones. */
export function wishBehindExclusion(
  { sentence }: PlaceContext,
  mentions: readonly Mention[],
): void {
  if (mentions.some((one) => !one.negated && !one.dropped)) return;
  for (const run of excludedRuns(sentence, mentions)) {
    const first = firstWished(sentence, run);
    if (first > 0) for (const one of run.slice(first)) one.negated = false;
  }
}

/** Index of the first place of a run that says where the search is; -1 for none. */
function firstWished(sentence: Sentence, run: readonly Mention[]): number {
  let isClosed = false;
  for (let at = 1; at < run.length; at++) {
    const link = linkOf(sentence, run[at - 1] as Mention, run[at] as Mention);
    if (link === "comma" && isLed(sentence, run[at] as Mention)) {
      // "exceto em Campinas e Santos, em SP": the list has ended before.
      if (isClosed || isWider(run, at)) return at;
    }
    isClosed ||= link === "listed";
  }
  return -1;
}

/** Mentions that one negator reaches together. */
function excludedRuns(sentence: Sentence, mentions: readonly Mention[]): Mention[][] {
  const runs: Mention[][] = [];
  for (const [i, one] of mentions.entries()) {
    if (!one.negated) continue;
    const last = mentions[i - 1];
    if (last?.negated && isOneList(sentence, last, one)) runs.at(-1)?.push(one);
    else runs.push([one]);
  }
  return runs;
}

function isOneList(sentence: Sentence, last: Mention, one: Mention): boolean {
  if (linkOf(sentence, last, one) === "apart") return false;
  for (let at = last.to; at < one.from; at++) if (isNegator(sentence, at)) return false;
  return true;
}

/** "em SP", and "no estado de São Paulo", which "de" leads last. */
function isLed(sentence: Sentence, { lead, from }: Mention): boolean {
  return !lead.mark && (lead.kind === "in" || isIn(sentence.folded(from)));
}

/** Whether a place is of another kind than all before it, and no list goes on with it. */
function isWider(run: readonly Mention[], at: number): boolean {
  const one = run[at] as Mention;
  const before = run.slice(0, at);
  if (before.some((other) => gradeOf(other) === gradeOf(one))) return false;
  return at === run.length - 1 || before.some((other) => liesIn(other, one));
}

/** The kind of a place: city, region of cities, state, region of states. */
function gradeOf({ states, regions, part }: Mention): number {
  if (regions.length > 0 || part) return 1;
  return states.length === 0 ? 0 : states.length === 1 ? 2 : 3;
}

function liesIn({ cities }: Mention, { states, cities: others }: Mention): boolean {
  return cities.some((city) => states.includes(city.uf) || others.includes(city));
}
