/**
 * The dates of a sample: releases of its months, and openings of its companies. Input: labels of
 * months, `YYYY-MM`, or a company's position (0 to 1) in the order in which CNPJs are issued.
 * Output: release dates, tokens, and the months between two labels. Also opening dates in days
 * since 1970-01-01.
 * Invariant: the release date is the second Saturday of the month, the registry's usual day. No
 * opening is after the snapshot. Decades and years have the registry's shares.
 */
import type { Random } from "./random.ts";

/** Spans of years (both inclusive), each with its share of all openings in percent. */
const SPANS: readonly (readonly [from: number, to: number, share: number])[] = [
  [1900, 1949, 0.1],
  [1950, 1965, 0.4],
  [1966, 1979, 2.0],
  [1980, 1989, 4.8],
  [1990, 1999, 7.7],
  [2000, 2009, 10.1],
  [2010, 2014, 16.0],
  [2015, 2019, 18.0],
  [2020, 2020, 6.8],
  [2021, 2021, 7.2],
  [2022, 2022, 5.8],
  [2023, 2023, 6.2],
  [2024, 2024, 7.3],
  [2025, 2025, 7.8],
];
/** Share of every later year in percent, reduced for a year that is not over. */
const LATER_SHARE = 7.8;
const STEPS = 4096;

/** Table of the inverse distribution of opening dates. */
export class OpeningDates {
  private readonly table = new Float64Array(STEPS + 1);
  private readonly snapshot: number;

  /** `snapshot` is the last possible date. */
  constructor(snapshot: number) {
    this.snapshot = snapshot;
    const years = yearShares(snapshot);
    const total = years.reduce((sum, [, , share]) => sum + share, 0);
    let step = 0;
    let passed = 0;
    for (const [from, to, share] of years) {
      const until = passed + share;
      while (step <= STEPS && (step / STEPS) * total <= until) {
        const part = ((step / STEPS) * total - passed) / share;
        this.table[step++] = from + part * (to - from);
      }
      passed = until;
    }
    while (step <= STEPS) this.table[step++] = snapshot;
  }

  /** Returns the date at a position of 0 to 1, blurred because roots are not issued by day. */
  at(position: number, random: Random): number {
    const blurred = Math.min(Math.max(position + (random.unit() - 0.5) * 0.01, 0), 0.999999);
    const place = blurred * STEPS;
    const step = place | 0;
    const low = this.table[step] as number;
    const high = this.table[step + 1] as number;
    return Math.min(this.snapshot, Math.floor(low + (place - step) * (high - low)));
  }
}

/** Returns first day, day after the end, and share of each span up to the snapshot. */
function yearShares(snapshot: number): [number, number, number][] {
  const spans = [...SPANS];
  const lastYear = new Date(snapshot * 86_400_000).getUTCFullYear();
  for (let year = 2026; year <= lastYear; year++) spans.push([year, year, LATER_SHARE]);
  const cut: [number, number, number][] = [];
  for (const [fromYear, toYear, share] of spans) {
    const from = dayOf(fromYear);
    const to = dayOf(toYear + 1);
    if (from > snapshot) break;
    const end = Math.min(to, snapshot + 1);
    cut.push([from, end, (share * (end - from)) / (to - from)]);
  }
  return cut;
}

function dayOf(year: number): number {
  return Date.UTC(year, 0, 1) / 86_400_000;
}

/** Returns the months after `first`, up to and including `last`. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  let [year, month] = first.split("-").map(Number) as [number, number];
  for (let label = first; label < last; months.push(label)) {
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
    label = `${year}-${String(month).padStart(2, "0")}`;
  }
  return months;
}

/** Returns the second Saturday of a month as `YYYY-MM-DD`. */
export function releaseDate(label: string): string {
  const first = new Date(`${label}-01T00:00:00Z`);
  const day = 1 + ((6 - first.getUTCDay() + 7) % 7) + 7;
  return `${label}-${String(day).padStart(2, "0")}`;
}

/** Returns the release date of a label in days since 1970-01-01. */
export function releaseDay(label: string): number {
  return Date.parse(`${releaseDate(label)}T00:00:00Z`) / 86_400_000;
}

/** Returns the token of a date for member names: `D60808` for `2026-08-08`. */
export function tokenOf(date: string): string {
  return `D${date.slice(3, 4)}${date.slice(5, 7)}${date.slice(8, 10)}`;
}
