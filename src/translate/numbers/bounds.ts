/**
 * What numbers of a sentence bound. What comes in: bounds of opening dates, of share capital and of
 * the number of establishments as stages meet them. What goes out: one interval of each.
 * Invariant: an interval never becomes empty and never wider: a bound that contradicts what was
 * said before it is not applied, and is said to be so.
 */

import type { Notes } from "../notes.ts";
import type { Words } from "../words/sentence.ts";
import { type Day, dayText } from "./saiddates.ts";

/** Opening dates `[after, before)`, reais and counts `[min, max]`; null where there is no bound. */
export class Bounds {
  readonly #notes: Notes;
  startedAfter: string | null = null;
  startedBefore: string | null = null;
  capitalMin: number | null = null;
  capitalMax: number | null = null;
  establishmentsMin: number | null = null;
  establishmentsMax: number | null = null;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** Narrows the opening dates; false where nothing would be left. */
  opened(first: Day | null, after: Day | null, words: Words): boolean {
    const from = larger(this.startedAfter, first === null ? null : dayText(first));
    const to = smaller(this.startedBefore, after === null ? null : dayText(after));
    if (from !== null && to !== null && from >= to) return this.#refuse(words);
    this.startedAfter = from;
    this.startedBefore = to;
    return true;
  }

  /** Widens a period that ends where another begins: "em 2020 e 2021"; false where it does not. */
  continued(first: Day, after: Day): boolean {
    if (this.startedBefore !== dayText(first)) return false;
    this.startedBefore = dayText(after);
    return true;
  }

  /** Narrows the share capital; false where nothing would be left. */
  capital(min: number | null, max: number | null, words: Words): boolean {
    const from = larger(this.capitalMin, min);
    const to = smaller(this.capitalMax, max);
    if (from !== null && to !== null && from > to) return this.#refuse(words);
    this.capitalMin = from;
    this.capitalMax = to;
    return true;
  }

  /** Narrows the number of establishments; false where nothing would be left. */
  establishments(min: number | null, max: number | null, words: Words): boolean {
    const from = larger(this.establishmentsMin, min);
    const to = smaller(this.establishmentsMax, max);
    if ((from !== null && to !== null && from > to) || (to !== null && to < 1)) {
      return this.#refuse(words);
    }
    this.establishmentsMin = from;
    this.establishmentsMax = to;
    return true;
  }

  #refuse(words: Words): false {
    contradict(this.#notes, words);
    return false;
  }
}

/** Says that words exclude what was said before them and were not applied. */
export function contradict(notes: Notes, words: Words, code = "contradiction"): void {
  const detail = {
    pt: "Contradiz o que foi dito antes; não foi aplicado.",
    en: "This contradicts what was said before it; it was not applied.",
  };
  notes.warn(code, detail, words);
  notes.leave(code, detail, words);
}

function larger<Value extends number | string>(old: Value | null, added: Value | null) {
  return old === null || (added !== null && added > old) ? added : old;
}

function smaller<Value extends number | string>(old: Value | null, added: Value | null) {
  return old === null || (added !== null && added < old) ? added : old;
}
