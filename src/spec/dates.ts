/**
 * Completes the dates in filters, which people write as YYYY-MM-DD, YYYY-MM, or YYYY.
 * Invariant: only days of the Gregorian calendar from 0001-01-01 to 9999-12-31 are returned, so
 * text order is date order.
 */

const PARTIAL_DATE = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Completes a date with its first month and day; returns null if the date does not exist. */
export function completeDate(text: string): string | null {
  const match = PARTIAL_DATE.exec(text);
  if (match === null) return null;
  const [, year = "", month = "01", day = "01"] = match;
  if (year === "0000" || Number(day) < 1) return null;
  return Number(day) <= daysInMonth(Number(year), Number(month)) ? `${year}-${month}-${day}` : null;
}

/**
 * Returns the number of days in a month (1-12) of the Gregorian calendar, or 0 for other months.
 */
function daysInMonth(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}
