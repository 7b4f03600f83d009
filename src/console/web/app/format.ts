/**
 * Formats numbers, ISO dates, and identifiers in the current language (pt-BR or British English,
 * whose dates cannot be misread).
 * Invariant: pure and free of the DOM. Values of an unexpected form are returned unchanged, so that
 * data never disappears from the screen. Time zones never shift days without a time.
 */
import { language } from "./language.ts";

const LOCALES = { pt: "pt-BR", en: "en-GB" } as const;
const cache = new Map<string, unknown>();

/** Caches Intl objects: creating one costs a thousand times more than using it. */
function made<T>(name: string, make: (locale: string) => T): T {
  const key = `${language.value} ${name}`;
  const known = cache.get(key);
  if (known !== undefined) return known as T;
  const fresh = make(LOCALES[language.value]);
  cache.set(key, fresh);
  return fresh;
}

/** Formats a number with up to `digits` decimals (default 0). */
export function number(value: number, digits = 0): string {
  const options = { maximumFractionDigits: digits };
  return made(`number ${digits}`, (locale) => new Intl.NumberFormat(locale, options)).format(value);
}

/** Shortens a large number: `1,2 mi` or `1.2M`. */
export function compact(value: number): string {
  const options = { notation: "compact", maximumFractionDigits: 1 } as const;
  return made("compact", (locale) => new Intl.NumberFormat(locale, options)).format(value);
}

/** Formats a fraction as a percentage; small shares get a decimal. Only the whole is 100 %. */
export function percent(fraction: number): string {
  if (fraction >= 0.995 && fraction < 1) return `> ${percent(0.99)}`;
  const digits = fraction !== 0 && Math.abs(fraction) < 0.1 ? 1 : 0;
  const options = { style: "percent", maximumFractionDigits: digits } as const;
  const format = made(`percent ${digits}`, (locale) => new Intl.NumberFormat(locale, options));
  return fraction > 0 && fraction < 0.0005 ? `< ${format.format(0.001)}` : format.format(fraction);
}

/** Formats an amount in reais; cents only if not zero. */
export function money(amount: number): string {
  const digits = Number.isInteger(amount) ? 0 : 2;
  const options = { style: "currency", currency: "BRL", minimumFractionDigits: digits } as const;
  return made(`money ${digits}`, (locale) => {
    return new Intl.NumberFormat(locale, { ...options, maximumFractionDigits: digits });
  }).format(amount);
}

const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Formats bytes in powers of 1000, with one decimal below ten. */
export function bytes(size: number): string {
  let value = size;
  let step = 0;
  while (value >= 999.5 && step < BYTE_UNITS.length - 1) {
    value /= 1000;
    step++;
  }
  const unit = BYTE_UNITS[step] ?? "byte";
  const digits = step > 0 && value < 9.95 ? 1 : 0;
  if (step === 0) return `${number(value)} B`;
  const options = { style: "unit", unit, maximumFractionDigits: digits } as const;
  return made(`${unit} ${digits}`, (locale) => new Intl.NumberFormat(locale, options)).format(
    value,
  );
}

/** Formats a day (`2026-10-15`) as it is, and an instant in the user's time zone. */
export function date(iso: string): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(iso);
  return dated(iso, { dateStyle: "medium", ...(day ? { timeZone: "UTC" } : {}) });
}

/** Formats a day in minimal space: `15/10/2026`, `15 Oct 2026`. */
export function dayShort(iso: string): string {
  const month = language.value === "pt" ? "2-digit" : "short";
  return dated(iso, { day: "2-digit", month, year: "numeric", timeZone: "UTC" });
}

/** Formats date and time in the user's time zone. */
export function dateTime(iso: string): string {
  return dated(iso, { dateStyle: "medium", timeStyle: "short" });
}

/** Formats hour and minute in the user's time zone. */
export function hourOf(instant: Date): string {
  return dated(instant.toISOString(), { timeStyle: "short" });
}

/** Formats a snapshot label (`2026-10`) as a month; others unchanged. */
export function month(label: string, width: "long" | "short" = "long"): string {
  if (!/^\d{4}-\d{2}$/.test(label)) return label;
  return dated(`${label}-01`, { month: width, year: "numeric", timeZone: "UTC" });
}

function dated(iso: string, options: Intl.DateTimeFormatOptions): string {
  const instant = new Date(iso);
  if (Number.isNaN(instant.getTime())) return iso;
  const name = `date ${JSON.stringify(options)}`;
  return made(name, (locale) => new Intl.DateTimeFormat(locale, options)).format(instant);
}

const AGO_UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/**
 * Formats the time since or until an instant. Beyond 30 days, formats the date. 1% is added to a
 * future time, so that a period of seven days is not shown as six.
 */
export function ago(iso: string, now = Date.now()): string {
  const exact = (new Date(iso).getTime() - now) / 1000;
  const seconds = exact > 0 ? exact * 1.01 : exact;
  if (Number.isNaN(seconds)) return iso;
  if (Math.abs(exact) > 30 * 86_400) return date(iso);
  const options = { numeric: "auto" } as const;
  const format = made("ago", (locale) => new Intl.RelativeTimeFormat(locale, options));
  for (const [unit, length] of AGO_UNITS) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return format.format(0, "second");
}

/** Formats seconds: `0,4 ms`, `1,2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${number(seconds * 1000, seconds < 0.01 ? 1 : 0)} ms`;
  if (seconds < 10) return `${number(seconds, 1)} s`;
  const whole = Math.round(seconds);
  const steps = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3_600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ] as const;
  const first = steps.findIndex(([value]) => value > 0);
  const shown = steps.slice(first, first + 2).filter(([value]) => value > 0);
  const [days] = steps[0];
  if (shown.length === 1 && days > 0) return dayCount(days);
  return shown.map(([value, unit]) => `${value} ${unit}`).join(" ");
}

/** Formats whole days: `30 dias`, `1 day`. */
function dayCount(days: number): string {
  const options = { style: "unit", unit: "day", unitDisplay: "long" } as const;
  return made("days", (locale) => new Intl.NumberFormat(locale, options)).format(days);
}

/** Joins words: `a, b e c`. */
export function list(words: readonly string[]): string {
  const options = { type: "conjunction" } as const;
  return made("list", (locale) => new Intl.ListFormat(locale, options)).format(words);
}

/** Punctuates a CNPJ; its first twelve characters may be A-Z. */
export function cnpj(value: string): string {
  const match = /^([0-9A-Z]{2})([0-9A-Z]{3})([0-9A-Z]{3})([0-9A-Z]{4})(\d{2})$/.exec(value);
  return match === null ? value : `${match[1]}.${match[2]}.${match[3]}/${match[4]}-${match[5]}`;
}

/** Formats the root of a CNPJ. Returns other text unchanged. */
export function cnpjRoot(value: string): string {
  const whole = cnpj(`${value}000100`);
  return whole.length === 18 ? whole.slice(0, 10) : value;
}

/** Formats a Brazilian E.164 number as it is written in Brazil. Returns other text unchanged. */
export function phone(value: string): string {
  const match = /^\+55(\d{2})(\d{3,5})(\d{4})$/.exec(value);
  return match === null ? value : `(${match[1]}) ${match[2]}-${match[3]}`;
}
