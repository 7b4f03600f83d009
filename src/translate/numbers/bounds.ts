/**
 * Combines the numeric bounds of a sentence.
 * Input: bounds of opening dates, share capital, and establishments, as stages find them.
 * Output: one interval for each.
 * Invariant: intervals never become empty or wider. If a bound contradicts its interval, it is
 * reported and not applied.
 */

import type { Notes } from "../notes.ts";
import type { Words } from "../words/sentence.ts";
import { type Day, dayText } from "./mentioneddates.ts";

/** An event with a date: the opening, the current status, or the exclusion from a regime. */
export type DatedEvent = "opened" | "status" | "simples" | "mei";

/** Days `[since, before)` of an event; null means unbounded. */
interface Days {
  since: string | null;
  before: string | null;
}

/**
 * The intervals of a sentence. Intervals of days are half open, `[since, before)`. Intervals of
 * share capital (in reais) and of numbers of establishments include both ends. Null means
 * unbounded.
 */
export class Bounds {
  readonly #notes: Notes;
  readonly days: Readonly<Record<DatedEvent, Days>> = {
    opened: { since: null, before: null },
    status: { since: null, before: null },
    simples: { since: null, before: null },
    mei: { since: null, before: null },
  };
  /**
   * Maps each token of phrases such as "que saíram do Simples" to the regimes that the companies
   * left. A date next to such a token is the date of leaving.
   */
  readonly left = new Map<number, readonly ("simples" | "mei")[]>();
  /** Words of the dates that were applied to the status. */
  readonly statusWords: Words[] = [];
  capitalMin: number | null = null;
  capitalMax: number | null = null;
  establishmentsMin: number | null = null;
  establishmentsMax: number | null = null;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** Narrows the days of an event. Returns false if the interval would be empty. */
  happened(event: DatedEvent, first: Day | null, after: Day | null, words: Words): boolean {
    const days = this.days[event];
    const from = larger(days.since, first === null ? null : dayText(first));
    const to = smaller(days.before, after === null ? null : dayText(after));
    if (from !== null && to !== null && from >= to) return this.#refuse(words);
    days.since = from;
    days.before = to;
    if (event === "status") this.statusWords.push(words);
    return true;
  }

  /** Narrows the opening dates. Returns false if the interval would be empty. */
  opened(first: Day | null, after: Day | null, words: Words): boolean {
    return this.happened("opened", first, after, words);
  }

  /**
   * Extends the days of an event by the period after them ("em 2020 e 2021"). Returns false if they
   * are not adjacent.
   */
  continued(event: DatedEvent, first: Day, after: Day): boolean {
    const days = this.days[event];
    if (days.before !== dayText(first)) return false;
    days.before = dayText(after);
    return true;
  }

  /** Narrows the share capital. Returns false if the interval would be empty. */
  capital(min: number | null, max: number | null, words: Words): boolean {
    const from = larger(this.capitalMin, min);
    const to = smaller(this.capitalMax, max);
    if (from !== null && to !== null && from > to) return this.#refuse(words);
    this.capitalMin = from;
    this.capitalMax = to;
    return true;
  }

  /** Narrows the number of establishments. Returns false if the interval would be empty. */
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

/** Adds a warning and a note that words contradict earlier words and were not applied. */
export function contradict(notes: Notes, words: Words, code = "contradiction"): void {
  const detail = {
    pt: "Contradiz o que foi dito antes; não foi aplicado.",
    en: "This contradicts what was said before it; it was not applied.",
  };
  notes.warn(code, detail, words);
  notes.addUnmapped(code, detail, words);
}

function larger<Value extends number | string>(old: Value | null, added: Value | null) {
  return old === null || (added !== null && added > old) ? added : old;
}

function smaller<Value extends number | string>(old: Value | null, added: Value | null) {
  return old === null || (added !== null && added < old) ? added : old;
}
