/**
 * Recognizes a requested place after an excluded one: "em SP" in "padarias, exceto em Campinas, em
 * SP".
 * Input: the mentions of places in a sentence, with their negation. Output: the same mentions.
 * Excluded places that only delimit the area of the search are now requested.
 * Invariant: a sentence that requests another place keeps all its exclusions. A list of places of
 * one kind ("exceto em SP, no RJ") stays excluded as a whole.
 */
import { isNegator } from "../negators.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Mention, PlaceContext } from "./mention.ts";
import { isIn } from "./placewords.ts";
import { linkOf } from "./readings.ts";

/** Turns excluded places that only limit the area of the search into requested ones. */
export function requestAfterExclusion(
  { sentence }: PlaceContext,
  mentions: readonly Mention[],
): void {
  if (mentions.some((one) => !one.negated && !one.dropped)) return;
  for (const run of excludedRuns(sentence, mentions)) {
    const first = firstIncluded(sentence, run);
    if (first > 0) for (const one of run.slice(first)) one.negated = false;
  }
}

/** Returns the index of the first requested place in a group of excluded places, or -1. */
function firstIncluded(sentence: Sentence, run: readonly Mention[]): number {
  let isClosed = false;
  for (let at = 1; at < run.length; at++) {
    const link = linkOf(sentence, run[at - 1] as Mention, run[at] as Mention);
    if (link === "comma" && isLed(sentence, run[at] as Mention)) {
      // In "exceto em Campinas e Santos, em SP", "e" ends the list of excluded places, so "em SP"
      // is requested.
      if (isClosed || isWider(run, at)) return at;
    }
    isClosed ||= link === "listed";
  }
  return -1;
}

/** Returns the excluded places, grouped by negator. */
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

/** True if a preposition such as "em" introduces the place: "em SP", "no estado de São Paulo". */
function isLed(sentence: Sentence, { lead, from }: Mention): boolean {
  return !lead.mark && (lead.kind === "in" || isIn(sentence.folded(from)));
}

/**
 * True if a place in a group of excluded places is of another kind than all places before it. It
 * must also be the last place or contain one of those before it.
 */
function isWider(run: readonly Mention[], at: number): boolean {
  const one = run[at] as Mention;
  const before = run.slice(0, at);
  if (before.some((other) => gradeOf(other) === gradeOf(one))) return false;
  return at === run.length - 1 || before.some((other) => isWithin(other, one));
}

/** Returns the kind of a place: 0 city, 1 region of cities, 2 state, 3 region of states. */
function gradeOf({ states, regions, part }: Mention): number {
  if (regions.length > 0 || part) return 1;
  return states.length === 0 ? 0 : states.length === 1 ? 2 : 3;
}

function isWithin({ cities }: Mention, { states, cities: others }: Mention): boolean {
  return cities.some((city) => states.includes(city.uf) || others.includes(city));
}
