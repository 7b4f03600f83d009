/**
 * What comes in: how far a company stands in the order of issue (0 to 1).
 * What goes out: its opening date in days since 1970-01-01.
 * Invariant: no date is after the snapshot; decades and years have the registry's shares.
 */
import type { Random } from "./random.ts";

/** Share in percent of all openings: spans of years (from, to inclusive, share of the span). */
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
/** Every later year, in proportion to how much of it has passed. */
const LATER_SHARE = 7.8;
const STEPS = 4096;

/** Inverse of the distribution of opening dates, as a table. */
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

  /** The date at a position of 0 to 1, slightly blurred: numbers are not issued day by day. */
  at(position: number, random: Random): number {
    const blurred = Math.min(Math.max(position + (random.unit() - 0.5) * 0.01, 0), 0.999999);
    const place = blurred * STEPS;
    const step = place | 0;
    const low = this.table[step] as number;
    const high = this.table[step + 1] as number;
    return Math.min(this.snapshot, Math.floor(low + (place - step) * (high - low)));
  }
}

/** Spans as first day, day after the last, share; cut off at the snapshot. */
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
