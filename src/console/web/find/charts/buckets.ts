/**
 * Converts opening years to a histogram, and intervals of years to filter dates. The histogram has
 * one bucket per year from the facet `started_year`.
 * Invariant: the buckets depend only on the snapshot, so nothing moves while a query is edited. The
 * first bucket contains all years before 1966, when the register begins. Buckets, unlisted values,
 * and missing values sum to the total.
 */
import type { FacetAnswer } from "../../app/answers.ts";

/** The first year with its own bucket; the previous bucket holds all earlier years. */
export const FIRST_YEAR = 1966;

/** Number of accounts that started in a year, or before `FIRST_YEAR` if `year` is lower. */
export interface Bucket {
  readonly year: number;
  readonly count: number;
}

/** An inclusive interval of years; null is an open end. */
export interface Interval {
  readonly from: number | null;
  readonly to: number | null;
}

/** An interval as two filters: its first day, and the day after its last. */
interface Dates {
  readonly started_after: string | null;
  readonly started_before: string | null;
}

/** Returns a bucket for all years before the first, then one per year to the last. */
export function yearBuckets(facet: FacetAnswer | undefined, last: number): Bucket[] {
  const counts = new Map<number, number>();
  for (const { value, count } of facet?.values ?? []) {
    // A date may be a few days later than the snapshot and so be in the next year. It is counted in
    // the last year.
    const year = Math.min(Math.max(Number(value), FIRST_YEAR - 1), last);
    counts.set(year, (counts.get(year) ?? 0) + count);
  }
  const buckets: Bucket[] = [];
  for (let year = FIRST_YEAR - 1; year <= last; year++) {
    buckets.push({ year, count: counts.get(year) ?? 0 });
  }
  return buckets;
}

/** Returns filters for whole years, both inclusive, in either order. */
export function datesOf(a: number, b: number, last: number): Dates {
  const [from, to] = a <= b ? [a, b] : [b, a];
  return {
    started_after: from < FIRST_YEAR ? null : `${from}-01-01`,
    // Nothing starts after the last year, so an interval that ends there has an open end.
    started_before: to >= last ? null : `${Math.max(to, FIRST_YEAR - 1) + 1}-01-01`,
  };
}

/** Returns the years that two filters cover, even partly; null if none is set. */
export function intervalOf(dates: Dates): Interval | null {
  const { started_after: after, started_before: before } = dates;
  if (after === null && before === null) return null;
  return {
    from: after === null ? null : yearOf(after),
    to: before === null ? null : until(before),
  };
}

/** True if a bucket is in an interval. */
export function inInterval(year: number, interval: Interval | null): boolean {
  if (interval === null) return true;
  const { from, to } = interval;
  const clamped = Math.max(from ?? 0, FIRST_YEAR - 1);
  return year >= clamped && (to === null || year <= Math.max(to, FIRST_YEAR - 1));
}

/** Returns the first years of decades for the axis, oldest first. */
export function decadesUntil(last: number): number[] {
  const decades: number[] = [];
  for (let decade = Math.ceil(FIRST_YEAR / 10) * 10; decade <= last; decade += 10) {
    decades.push(decade);
  }
  return decades;
}

function yearOf(day: string): number {
  return Number(day.slice(0, 4));
}

/** Returns the last year with a day before `day`, which may be `2020` or `2020-01`. */
function until(day: string): number {
  const firstDay = /^\d{4}(-01(-01)?)?$/.test(day);
  return firstDay ? yearOf(day) - 1 : yearOf(day);
}
