/**
 * Days of the calendar. What comes in: years, months and days. What goes out: days before and after
 * them, and their text in a spec.
 * Invariant: only days that exist come out; counting back by months stays in the month that is
 * reached.
 */

/** A day; months and days count from 1. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Some days in a row: from `first` up to, not including, `after`. */
export interface Period {
  readonly first: Day;
  readonly after: Day;
}

/** A length of time that a person counts in. */
type TimeUnit = "month" | "day";

/** The day of a `YYYY-MM-DD`. */
export function dayOf(date: string): Day {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return { year, month, day };
}

/** `YYYY-MM-DD`. */
export function dayText({ year, month, day }: Day): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

/** Whether the calendar has this day. */
export function exists({ year, month, day }: Day): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Counts back; the last day of a longer month stays in the month that is reached. */
export function back({ year, month, day }: Day, count: number, unit: TimeUnit): Day {
  if (unit === "day") return ofUtc(Date.UTC(year, month - 1, day - count));
  const months = year * 12 + month - 1 - count;
  const [toYear, toMonth] = [Math.floor(months / 12), (months % 12) + 1];
  const last = new Date(Date.UTC(toYear, toMonth, 0)).getUTCDate();
  return { year: toYear, month: toMonth, day: Math.min(day, last) };
}

/** Whole years, `count` of them. */
export function yearsFrom(year: number, count = 1): Period {
  return { first: { year, month: 1, day: 1 }, after: { year: year + count, month: 1, day: 1 } };
}

/** Whole months, `count` of them; the month may lie outside of 1-12. */
export function monthsFrom(year: number, month: number, count = 1): Period {
  const first = ofUtc(Date.UTC(year, month - 1, 1));
  return { first, after: ofUtc(Date.UTC(year, month - 1 + count, 1)) };
}

/** One day. */
export function oneDay(day: Day): Period {
  return { first: day, after: ofUtc(Date.UTC(day.year, day.month - 1, day.day + 1)) };
}

function ofUtc(time: number): Day {
  const date = new Date(time);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
