/**
 * Defines calendar days and periods, and reads dates in natural language. Input: a sentence, a
 * position, and the snapshot's day. Output: the date that begins there and the position after it.
 * Invariant: results are existing days. Counting back by months stays in the target month. No token
 * is marked as read. A date that does not exist has no period. A month without a year is its latest
 * occurrence that has begun.
 */
import type { Sentence } from "../words/sentence.ts";
import { numberAt } from "./numbers.ts";

/** A day; months and days count from 1. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Consecutive days: from `first` up to, not including, `after`. */
export interface Period {
  readonly first: Day;
  readonly after: Day;
}

type TimeUnit = "month" | "day";

/** Parses a `YYYY-MM-DD`. */
export function dayOf(date: string): Day {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return { year, month, day };
}

/** Formats a day as `YYYY-MM-DD`. */
export function dayText({ year, month, day }: Day): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

/** True if the calendar has this day. */
function exists({ year, month, day }: Day): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Returns the day that is `count` units earlier, at most the last day of its month. */
export function back({ year, month, day }: Day, count: number, unit: TimeUnit): Day {
  if (unit === "day") return ofUtc(Date.UTC(year, month - 1, day - count));
  const months = year * 12 + month - 1 - count;
  const [toYear, toMonth] = [Math.floor(months / 12), (months % 12) + 1];
  const last = new Date(Date.UTC(toYear, toMonth, 0)).getUTCDate();
  return { year: toYear, month: toMonth, day: Math.min(day, last) };
}

function yearsFrom(year: number, count = 1): Period {
  return { first: { year, month: 1, day: 1 }, after: { year: year + count, month: 1, day: 1 } };
}

/** Returns a period of `count` whole months; the month may be outside of 1-12. */
function monthsFrom(year: number, month: number, count = 1): Period {
  const first = ofUtc(Date.UTC(year, month - 1, 1));
  return { first, after: ofUtc(Date.UTC(year, month - 1 + count, 1)) };
}

function oneDay(day: Day): Period {
  return { first: day, after: ofUtc(Date.UTC(day.year, day.month - 1, day.day + 1)) };
}

function ofUtc(time: number): Day {
  const date = new Date(time);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** A date in a sentence; the period is null for a date that does not exist. */
export interface MentionedDate {
  readonly period: Period | null;
  readonly to: number;
  /** True if the sentence names no year for the date. */
  readonly yearless?: true;
  /** True if the date needs no preposition, as in "este ano". */
  readonly relative?: true;
}

const MONTHS = byWord({
  ...{ janeiro: 1, fevereiro: 2, marco: 3, abril: 4, maio: 5, junho: 6, julho: 7, agosto: 8 },
  ...{ setembro: 9, outubro: 10, novembro: 11, dezembro: 12, jan: 1, fev: 2, mar: 3, abr: 4 },
  ...{ mai: 5, jun: 6, jul: 7, ago: 8, set: 9, out: 10, nov: 11, dez: 12, january: 1 },
  ...{ february: 2, march: 3, april: 4, may: 5, june: 6, july: 7, august: 8, september: 9 },
  ...{ october: 10, november: 11, december: 12 },
});
/** Abbreviations and words that mean months only next to a year. */
const NEEDS_YEAR = new Set("mar mai set out dez jan fev abr jun jul ago nov may march".split(" "));
/** Words and punctuation that join two months or days of one year. */
const JOINS = new Set("e a até ate and to until through - – /".split(" "));
const PARTS = byWord({
  semestre: 6,
  quadrimestre: 4,
  trimestre: 3,
  bimestre: 2,
});
const ORDINALS = byWord({
  ...{ primeiro: 1, segundo: 2, terceiro: 3, quarto: 4, quinto: 5, sexto: 6 },
});

/** Returns the date that begins at a token, or null. */
export function dateAt(sentence: Sentence, at: number, today: Day): MentionedDate | null {
  const token = sentence.tokens[at];
  if (token === undefined || !sentence.free(at)) return null;
  return (
    relativeAt(sentence, at, today) ??
    decadeAt(sentence, at, today) ??
    partAt(sentence, at) ??
    dayAt(sentence, at) ??
    monthAt(sentence, at, today) ??
    shortDayAt(sentence, at, today) ??
    spokenYearAt(sentence, at) ??
    (token.kind === "number" ? numericAt(token.text, at + 1, today) : null)
  );
}

/** Reads "este ano", "ano passado", "mês passado", "this year", "last month". */
function relativeAt(sentence: Sentence, at: number, today: Day): MentionedDate | null {
  const { year, month } = today;
  const [first, second] = [sentence.folded(at), sentence.folded(at + 1)];
  const day = NEAR_DAYS.get(first);
  if (day !== undefined) {
    const past = oneDay(back({ year, month, day: today.day }, day, "day"));
    return { period: past, to: at + 1, relative: true };
  }
  if (!RELATIVE_FIRSTS.has(first)) return null;
  const words = `${first} ${second}`;
  const ago = RELATIVE.get(words) ?? RELATIVE_LEAD.get(words);
  if (ago === undefined) return null;
  return { period: periodOf(today, ago), to: at + 2, relative: true };
}

/**
 * Returns the year, month, or week (from Monday) that lies `count` units before the current one.
 */
function periodOf(today: Day, { unit, count }: CountedBack): Period {
  const { year, month, day } = today;
  if (unit === "year") return yearsFrom(year - count);
  if (unit === "month") return monthsFrom(year, month - count);
  const sinceMonday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
  const first = back(today, sinceMonday + 7 * count, "day");
  return { first, after: back(first, -7, "day") };
}

const NEAR_DAYS = byWord({ hoje: 0, ontem: 1, today: 0, yesterday: 1 });

interface CountedBack {
  readonly unit: "year" | "month" | "week";
  readonly count: number;
}

const year = (count: number): CountedBack => ({ unit: "year", count });
const month = (count: number): CountedBack => ({ unit: "month", count });
const week = (count: number): CountedBack => ({ unit: "week", count });
const RELATIVE = byWord({
  ...{ "ano passado": year(1), "ano anterior": year(1), "ano retrasado": year(2) },
  ...{ "ano corrente": year(0), "ano atual": year(0), "this year": year(0), "last year": year(1) },
  ...{ "mes passado": month(1), "mes anterior": month(1), "mes corrente": month(0) },
  ...{ "mes atual": month(0), "this month": month(0), "last month": month(1) },
  ...{ "semana passada": week(1), "semana anterior": week(1), "semana retrasada": week(2) },
  ...{ "semana atual": week(0), "this week": week(0), "last week": week(1) },
});
const RELATIVE_LEAD = byWord({
  ...{ "este ano": year(0), "neste ano": year(0), "esse ano": year(0), "nesse ano": year(0) },
  ...{ "deste ano": year(0), "desse ano": year(0), "este mes": month(0), "neste mes": month(0) },
  ...{ "esta semana": week(0), "nesta semana": week(0), "essa semana": week(0) },
  ...{ "nessa semana": week(0), "desta semana": week(0), "dessa semana": week(0) },
  ...{ "esse mes": month(0), "nesse mes": month(0), "deste mes": month(0), "desse mes": month(0) },
});

/** First words of relative dates, so that other words are skipped quickly. */
const RELATIVE_FIRSTS: ReadonlySet<string> = new Set(
  [...RELATIVE.keys(), ...RELATIVE_LEAD.keys()].map((words) => words.split(" ")[0] as string),
);

/** Reads "década de 90", "anos 2000", "século passado". */
function decadeAt(sentence: Sentence, at: number, { year: now }: Day): MentionedDate | null {
  const [word, next] = [sentence.folded(at), sentence.folded(at + 1)];
  const century = Math.floor(now / 100) * 100;
  if (word === "seculo" && next === "passado") {
    return { period: yearsFrom(century - 99, 100), to: at + 2, relative: true };
  }
  if (word === "decada" && next === "passada") {
    const decade = Math.floor(now / 10) * 10;
    return { period: yearsFrom(decade - 10, 10), to: at + 2, relative: true };
  }
  const numberAt = word === "anos" ? at + 1 : word === "decada" && next === "de" ? at + 2 : -1;
  const named = numberAt < 0 ? undefined : sentence.tokens[numberAt];
  const value = DECADES[named?.folded ?? ""] ?? Number(named?.text);
  if (named === undefined || value % 10 !== 0 || !(value < 100 || isYear(String(value))))
    return null;
  if (value === 0 && named.text !== "00") return null;
  // "anos 20" means this century if that decade has begun.
  const short = century + value <= now && value < 30 ? century + value : century - 100 + value;
  return { period: yearsFrom(value < 100 ? short : value, 10), to: numberAt + 1, relative: true };
}

const DECADES: Readonly<Record<string, number>> = {
  ...{ vinte: 20, trinta: 30, quarenta: 40, cinquenta: 50, sessenta: 60, setenta: 70 },
  ...{ oitenta: 80, noventa: 90 },
};

/** Reads "primeiro semestre de 2021", "2º trimestre 2020". */
function partAt(sentence: Sentence, at: number): MentionedDate | null {
  const token = sentence.tokens[at];
  const digit =
    token?.kind === "number" && token.text.length === 1 ? Number(token.text) : undefined;
  const ordinal = ORDINALS.get(sentence.folded(at)) ?? digit;
  if (ordinal === undefined) return null;
  const skip = isOrdinalMark(sentence, at + 1) ? 2 : 1;
  const length = PARTS.get(sentence.folded(at + skip));
  if (length === undefined || ordinal * length > 12 || ordinal < 1) return null;
  const year = yearAfter(sentence, at + skip + 1);
  if (year === null) return null;
  const first = (ordinal - 1) * length + 1;
  return { period: monthsFrom(year.value, first, length), to: year.to, relative: true };
}

function isOrdinalMark(sentence: Sentence, at: number): boolean {
  return ["º", "ª", "o", "°"].includes(sentence.tokens[at]?.text ?? "");
}

/** Reads "15 de março de 2021", "1º de maio 2020", "March 15, 2021". */
function dayAt(sentence: Sentence, at: number): MentionedDate | null {
  const english = MONTHS.get(sentence.folded(at));
  if (english !== undefined && sentence.tokens[at + 1]?.kind === "number") {
    const comma = sentence.tokens[at + 2]?.text === "," ? 3 : 2;
    const year = yearOf(sentence.tokens[at + comma]?.text ?? "");
    const day = smallNumber(sentence.tokens[at + 1]?.text ?? "");
    if (day === null) return null;
    if (year !== null) return whole({ year, month: english, day }, at + comma + 1);
    return yearless(sentence, at + 2, { month: english, day });
  }
  const token = sentence.tokens[at];
  const first = sentence.folded(at) === "primeiro" ? 1 : null;
  const day = token?.kind === "number" ? smallNumber(token.text) : first;
  if (day === null) return null;
  let next = isOrdinalMark(sentence, at + 1) ? at + 2 : at + 1;
  if (["de", "of"].includes(sentence.folded(next))) next++;
  const month = MONTHS.get(sentence.folded(next));
  if (month === undefined) return beforeDay(sentence, at, day);
  const year = yearAfter(sentence, next + 1);
  if (year !== null) return whole({ year: year.value, month, day }, year.to);
  return yearless(sentence, next + 1, { month, day });
}

/** Reads a day before another day of the same month: "5" in "entre 5 e 20 de março de 2024". */
function beforeDay(sentence: Sentence, at: number, day: number): MentionedDate | null {
  if (!isJoint(sentence, at + 1) || sentence.tokens[at + 2]?.kind !== "number") return null;
  // Only two days may share a month. Without this check, "1 e 1 e 1 e …" would recurse once for
  // each "1".
  if (isJoint(sentence, at + 3)) return null;
  const other = dayAt(sentence, at + 2);
  if (other?.period === null || other === null || other.yearless) return null;
  const { year, month } = other.period.first;
  return { ...whole({ year, month, day }, at + 1), yearless: true };
}

/** Reads "5 de março" in "entre 5 de março e 10 de abril de 2024": the year follows later. */
function yearless(
  sentence: Sentence,
  to: number,
  { month, day }: Pick<Day, "month" | "day">,
): MentionedDate | null {
  if (!isJoint(sentence, to)) return null;
  let next = to + 1;
  while (["o", "de", "the"].includes(sentence.folded(next))) next++;
  const other = dayAt(sentence, next);
  if (other === null || other.period === null || other.yearless) return null;
  const { first } = other.period;
  const isEarlier = month > first.month || (month === first.month && day > first.day);
  const year = isEarlier ? first.year - 1 : first.year;
  return { ...whole({ year, month, day }, to), yearless: true };
}

/** Reads "05/03" in "de 05/03 a 10/04/2024". */
function shortDayAt(sentence: Sentence, at: number, today: Day): MentionedDate | null {
  const [, day, month] = /^(\d{1,2})[/.-](\d{1,2})$/.exec(sentence.tokens[at]?.text ?? "") ?? [];
  const other = sentence.tokens[at + 2];
  if (day === undefined || other?.kind !== "number" || !isJoint(sentence, at + 1)) return null;
  const date = numericAt(other.text, at + 3, today);
  if (date === null || date.period === null || !/\D\d+\D/.test(other.text)) return null;
  const { year } = date.period.first;
  return { ...whole({ year, month: Number(month), day: Number(day) }, at + 1), yearless: true };
}

/** Matches the words before a date, nearest first: "de antes" in "antes de dois mil". */
const DATED =
  /^(?:(?:d[eo]|[oae]|en|em) )*(?:antes|depois|desde|apos|partir|ano|after|before|since)\b/;

/** Reads a year in words after words for a date: "antes de dois mil e dez", "desde dois mil". */
function spokenYearAt(sentence: Sentence, at: number): MentionedDate | null {
  if (!/^(?:dois|two)$/.test(sentence.folded(at))) return null;
  if (!/^(?:mil|thousand)$/.test(sentence.folded(at + 1))) return null;
  const lead = [1, 2, 3].map((back) => sentence.folded(at - back)).join(" ");
  if (!DATED.test(lead)) return null;
  const rest = /^(?:e|and)$/.test(sentence.folded(at + 2)) ? at + 3 : at + 2;
  const number = sentence.tokens[rest]?.kind === "word" ? numberAt(sentence, rest) : null;
  const to = number === null ? at + 2 : number.to;
  // "desde dois mil reais" is an amount.
  if ((number?.value ?? 0) > 99 || sentence.folded(to).endsWith("s")) return null;
  return { period: yearsFrom(2000 + (number?.value ?? 0)), to };
}

function isJoint(sentence: Sentence, at: number): boolean {
  return JOINS.has(sentence.tokens[at]?.text.toLowerCase() ?? "");
}

/** Returns a map, because looking up an unknown word as an object property is slow. */
function byWord<Value>(table: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(table));
}

function smallNumber(text: string): number | null {
  return /^\d{1,2}$/.test(text) ? Number(text) : null;
}

function whole(day: Day, to: number): MentionedDate {
  return { period: exists(day) ? oneDay(day) : null, to };
}

/** Reads "março de 2021", "mar/2021", "março deste ano", "março". */
function monthAt(sentence: Sentence, at: number, today: Day): MentionedDate | null {
  const word = sentence.folded(at);
  const month = MONTHS.get(word);
  if (month === undefined) return null;
  const year = yearAfter(sentence, at + 1);
  if (year !== null) return { period: monthsFrom(year.value, month), to: year.to };
  const of = ["de", "do", "of"].includes(sentence.folded(at + 1)) ? at + 2 : at + 1;
  const date = relativeAt(sentence, of, today);
  if (date?.period && date.to === of + 2 && sentence.folded(of + 1) !== "mes") {
    return { period: monthsFrom(date.period.first.year, month), to: date.to };
  }
  // In "entre março e junho de 2025", the first month takes the year of the second.
  const both = isJoint(sentence, at + 1) && MONTHS.get(sentence.folded(at + 2)) !== undefined;
  const shared = both ? yearAfter(sentence, at + 3) : null;
  if (shared !== null) {
    return { period: monthsFrom(shared.value, month), to: at + 1, yearless: true };
  }
  if (NEEDS_YEAR.has(word)) return null;
  const begun = month <= today.month ? today.year : today.year - 1;
  return { period: monthsFrom(begun, month), to: at + 1, yearless: true };
}

/** Returns the year at a token, which "de" or a slash may precede, or null. */
function yearAfter(sentence: Sentence, at: number): { value: number; to: number } | null {
  const skip =
    ["de", "do", "of"].includes(sentence.folded(at)) || sentence.tokens[at]?.text === "/";
  let to = skip ? at + 1 : at;
  if (sentence.folded(to) === "ano" && skip) to += sentence.folded(to + 1) === "de" ? 2 : 1;
  const value = yearOf(sentence.tokens[to]?.text ?? "");
  return value === null ? null : { value, to: to + 1 };
}

/** Reads 2021, 03/2021, 2021-03, 01/02/2020, 01.02.20, 2020-02-01. */
function numericAt(text: string, to: number, today: Day): MentionedDate | null {
  const year = yearOf(text);
  if (year !== null) return { period: yearsFrom(year), to };
  const separator = [...text].find((character) => "/-.".includes(character));
  if (separator === undefined || text.includes(",")) return null;
  const parts = text.split(separator);
  if (!parts.every((part) => /^\d+$/.test(part))) return null;
  const [a = "", b = "", c = ""] = parts;
  if (parts.length === 2) return monthOrRange([a, b], separator, to);
  if (parts.length !== 3) return null;
  if (yearOf(a) !== null) return whole({ year: Number(a), month: Number(b), day: Number(c) }, to);
  if (a.length > 2 || b.length > 2 || !(c.length === 4 || c.length === 2)) return null;
  const short = Number(c) + Math.floor(today.year / 100) * 100;
  const full = c.length === 4 ? Number(c) : short <= today.year ? short : short - 100;
  if (c.length === 4 && yearOf(c) === null) return null;
  return whole({ year: full, month: Number(b), day: Number(a) }, to);
}

function monthOrRange(
  [a, b]: [string, string],
  separator: string,
  to: number,
): MentionedDate | null {
  const [first, second] = [yearOf(a), yearOf(b)];
  if (first !== null && second !== null && separator !== ".") {
    return first < second
      ? { period: yearsFrom(first, second - first + 1), to, relative: true }
      : null;
  }
  if (separator === ".") return null;
  const [year, month] = first === null ? [second, a] : [first, b];
  if (year === null || month.length > 2) return null;
  const number = Number(month);
  return { period: number < 1 || number > 12 ? null : monthsFrom(year, number), to };
}

function isYear(text: string): boolean {
  return /^(18|19|20)\d\d$/.test(text);
}

function yearOf(text: string): number | null {
  return isYear(text) ? Number(text) : null;
}
