/**
 * Values that people type into filters: amounts in reais, days of the calendar, and how many active
 * establishments a company has. Input: typed text, or the value of a filter. Output: the other one.
 * Invariant: pure, without time zones and without a browser. A text that can be read in two ways is
 * none; a value that was written reads as itself. A month without such a day gives its last one.
 * Every span is one of the choices or has words of its own, so that none is hidden.
 */
import { language, number } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { BOUNDS } from "../question.ts";

const FORMS = {
  pt: /^(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?$/,
  en: /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/,
} as const;

/** Reads an amount; null where the text is none. */
export function readAmount(text: string): number | null {
  const match = FORMS[language.value].exec(text.replace(/r\$|\s/gi, ""));
  if (match === null) return null;
  const [, whole = "", cents = ""] = match;
  return Number(`${whole.replace(/\D/g, "")}.${cents || "0"}`);
}

/** An amount as it is typed; empty for none. */
export function amountText(amount: number | undefined): string {
  return amount === undefined ? "" : number(amount, 2);
}

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

/** Nothing was registered before. */
const FIRST_DAY = "1800-01-01";
const LAST_DAY = "2999-12-31";

/** A date as people type it: `31/12/2020`; empty where there is none. */
export function dayTyped(day: string): string {
  return day.split("-").reverse().join("/");
}

/** A typed date, day first or as YYYY-MM-DD, with any sign between or none; null for no date. */
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

/** Up to this year of two digits the century is the present one. */
const PRESENT_CENTURY = 50;

/** A typed span's first or last day: a date, a month as 01/2020, a year, two digits for a year. */
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

/** The usual choices: ends of the span, null where it is open. */
export const CHAINS = {
  any: [null, null],
  one: [1, 1],
  few: [2, 9],
  many: [10, null],
} as const;

/** Name of a choice. */
type ChainName = keyof typeof CHAINS;

/** The choices in order. */
export const CHAIN_NAMES = Object.keys(CHAINS).filter((name): name is ChainName => name in CHAINS);

/** The choice that a span is; null for any other span. */
export function chainOf(min: number | undefined, max: number | undefined): ChainName | null {
  const found = CHAIN_NAMES.find((name) => {
    const [from, to] = CHAINS[name];
    return from === (min ?? null) && to === (max ?? null);
  });
  return found ?? null;
}

/** A span in words: "6 or more". */
export function spanText(min: number | undefined, max: number | undefined): string {
  const { chainSpan: span } = words.value.find;
  if (max === undefined) return span.from(number(min ?? 0));
  if (min === max) return number(max);
  return min === undefined ? span.to(number(max)) : span.between(number(min), number(max));
}

/** A number of establishments as it is typed; null for what is none. */
export function readCount(text: string): number | null {
  const digits = text.replace(/[\s.,]/g, "");
  const count = /^[0-9]{1,10}$/.test(digits) ? Number(digits) : 0;
  return count >= 1 && count <= BOUNDS.count ? count : null;
}
