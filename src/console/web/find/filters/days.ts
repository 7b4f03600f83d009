/**
 * Calendar days as filter dates: shifts them by days or months, and parses and formats typed dates.
 * Invariant: pure functions without time zones. If a month lacks a day, its last day is used.
 */

/** Shifts a day by some days. */
export function shiftDays(day: string, by: number): string {
  const instant = new Date(`${day}T00:00:00Z`);
  instant.setUTCDate(instant.getUTCDate() + by);
  return text(instant);
}

/** Shifts a day by some months. */
export function shiftMonths(day: string, by: number): string {
  const [year = 0, month = 1, wanted = 1] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + by, 0)).getUTCDate();
  return text(new Date(Date.UTC(year, month - 1 + by, Math.min(wanted, last))));
}

/** Earliest registration. */
const FIRST_DAY = "1800-01-01";
const LAST_DAY = "2999-12-31";

/** Formats a date: `31/12/2020`; empty if there is none. */
export function dayTyped(day: string): string {
  return day.split("-").reverse().join("/");
}

/** Parses "31/12/2024", "31122024", or "2024-12-31". Returns null for an invalid date. */
export function readDay(typed: string): string | null {
  const parts =
    /^(?<d>\d{1,2})[/.\- ](?<m>\d{1,2})[/.\- ](?<y>\d{4})$/.exec(typed.trim()) ??
    /^(?<y>\d{4})-(?<m>\d{2})-(?<d>\d{2})$/.exec(typed.trim()) ??
    /^(?<d>\d{2})(?<m>\d{2})(?<y>\d{4})$/.exec(typed.trim());
  const { y = "", m = "", d = "" } = parts?.groups ?? {};
  const day = `${y}-${m.padStart(2, "0")}-${d.padStart(2, "0")}`;
  const instant = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(instant.getTime()) && text(instant) === day;
  return exists && day >= FIRST_DAY && day <= LAST_DAY ? day : null;
}

/** Two-digit years up to this one belong to the current century. */
const PRESENT_CENTURY = 50;

/**
 * Reads a day, a month ("01/2020"), or a year. A month or year becomes its first or last day,
 * depending on `end`. A year with two digits is allowed only with a month. Returns null for an
 * invalid text.
 */
export function readSpan(typed: string, end: "first" | "last"): string | null {
  const whole = readDay(typed);
  if (whole !== null) return whole;
  const parts = /^(?:(?:(?<d>\d{1,2})[/.\- ])?(?<m>\d{1,2})[/.\- ])?(?<y>\d{4}|\d{2})$/.exec(
    typed.trim(),
  );
  const { y = "", m, d } = parts?.groups ?? {};
  if (y === "" || (y.length === 2 && m === undefined)) return null;
  const century = Number(y) <= PRESENT_CENTURY ? "20" : "19";
  const year = y.length === 2 ? `${century}${y}` : y;
  if (d !== undefined) return readDay(`${d}/${m}/${year}`);
  const first = readDay(`1/${m ?? (end === "first" ? 1 : 12)}/${year}`);
  return first === null || end === "first" ? first : shiftDays(shiftMonths(first, 1), -1);
}

function text(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
