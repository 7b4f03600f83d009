/**
 * Days of the calendar as dates of filters. What comes in: dates as YYYY-MM-DD. What goes out: the
 * day before or after, and the same day of other months.
 * Invariant: pure, without time zones; a month that has no such day gives its last one.
 */

/** A day some days later, or earlier. */
export function shiftDays(day: string, by: number): string {
  const instant = new Date(`${day}T00:00:00Z`);
  instant.setUTCDate(instant.getUTCDate() + by);
  return text(instant);
}

/** The same day some months later, or earlier. */
export function shiftMonths(day: string, by: number): string {
  const [year = 0, month = 1, wanted = 1] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + by, 0)).getUTCDate();
  return text(new Date(Date.UTC(year, month - 1 + by, Math.min(wanted, last))));
}

function text(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
