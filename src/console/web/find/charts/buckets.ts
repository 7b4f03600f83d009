/**
 * Opening years as a histogram. What comes in: the facet `started_year`, the snapshot's year, the
 * interval of a query. What goes out: one bucket per year, and intervals as the filters spell them.
 * Invariant: the buckets are the same for every answer of a snapshot (nothing moves while a query
 * is edited); the first holds every year before 1966, when the register begins; the buckets, the
 * values that the facet does not list, and the missing ones sum to the total.
 */
import type { FacetAnswer } from "../../app/answers.ts";

/** The first year with a bucket of its own; the one before it holds all earlier years. */
export const FIRST_YEAR = 1966;

/** Accounts whose activity started in a year, or before `FIRST_YEAR` where `year` is below it. */
export interface Bucket {
  readonly year: number;
  readonly count: number;
}

/** From one year to another, both included; null is open. */
export interface Interval {
  readonly from: number | null;
  readonly to: number | null;
}

/** An interval as two filters: the first day that is in, the first that is not. */
interface Dates {
  readonly started_after: string | null;
  readonly started_before: string | null;
}

/** One bucket for the years before the first one, then one per year up to the last. */
export function yearBuckets(facet: FacetAnswer | undefined, last: number): Bucket[] {
  const counts = new Map<number, number>();
  for (const { value, count } of facet?.values ?? []) {
    // A date may lie some days after the snapshot, that is, in the year after it.
    const year = Math.min(Math.max(Number(value), FIRST_YEAR - 1), last);
    counts.set(year, (counts.get(year) ?? 0) + count);
  }
  const buckets: Bucket[] = [];
  for (let year = FIRST_YEAR - 1; year <= last; year++) {
    buckets.push({ year, count: counts.get(year) ?? 0 });
  }
  return buckets;
}

/** The filters for an interval of whole years, the ends included in either order. */
export function datesOf(a: number, b: number, last: number): Dates {
  const [from, to] = a <= b ? [a, b] : [b, a];
  return {
    started_after: from < FIRST_YEAR ? null : `${from}-01-01`,
    // Nothing starts after the last year, so an interval up to it stays open, as people say it.
    started_before: to >= last ? null : `${Math.max(to, FIRST_YEAR - 1) + 1}-01-01`,
  };
}

/** The years that two filters touch; null where neither is set. */
export function intervalOf(dates: Dates): Interval | null {
  const { started_after: after, started_before: before } = dates;
  if (after === null && before === null) return null;
  return {
    from: after === null ? null : yearOf(after),
    to: before === null ? null : until(before),
  };
}

/** Whether a bucket lies in an interval. */
export function inInterval(year: number, interval: Interval | null): boolean {
  if (interval === null) return true;
  const { from, to } = interval;
  const clamped = Math.max(from ?? 0, FIRST_YEAR - 1);
  return year >= clamped && (to === null || year <= Math.max(to, FIRST_YEAR - 1));
}

/** First years of the decades that have room under an axis, oldest first. */
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

/** The last year with a day before the given one; `2020` and `2020-01` mean its first day. */
function until(day: string): number {
  const firstDay = /^\d{4}(-01(-01)?)?$/.test(day);
  return firstDay ? yearOf(day) - 1 : yearOf(day);
}
