/**
 * What comes in: labels of months, `YYYY-MM`.
 * What goes out: their release dates and tokens, and the months between two.
 * Invariant: the release date is the second Saturday of the month, the registry's usual day.
 */

/** The months behind the first one, up to and with the last. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  let [year, month] = first.split("-").map(Number) as [number, number];
  for (let label = first; label < last; months.push(label)) {
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
    label = `${year}-${String(month).padStart(2, "0")}`;
  }
  return months;
}

/** The second Saturday of a month as `YYYY-MM-DD`. */
export function releaseDate(label: string): string {
  const first = new Date(`${label}-01T00:00:00Z`);
  const day = 1 + ((6 - first.getUTCDay() + 7) % 7) + 7;
  return `${label}-${String(day).padStart(2, "0")}`;
}

/** Release date of a label in days since 1970-01-01. */
export function releaseDay(label: string): number {
  return Date.parse(`${releaseDate(label)}T00:00:00Z`) / 86_400_000;
}

/** The token of a date in member names: `2026-08-08` is `D60808`. */
export function tokenOf(date: string): string {
  return `D${date.slice(3, 4)}${date.slice(5, 7)}${date.slice(8, 10)}`;
}
