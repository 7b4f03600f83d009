/**
 * Openings and closings by year, quarter, or month: the facet to count, and its lines in order of
 * time, newest first.
 * Invariant: lines add up to the total, the first line. Years and quarters of closings are sums of
 * their months.
 */
import { list } from "../../app/format.ts";
import { lazyWords } from "../../app/lazywords.ts";
import { words } from "../../app/words.ts";
import type { Lines, NumbersQuestion } from "./lines.ts";

/** A span of time. */
export type CalendarSpan = "year" | "quarter" | "month";

/** An event in the life of an account. */
export type Event = "opened" | "closed";

/** The status of a closed account. */
const CLOSED = 8;

/** The question whose lines `periodLines` reads. */
export function periodQuestion(
  numbers: NumbersQuestion,
  event: Event,
  period: CalendarSpan,
): NumbersQuestion {
  if (event === "opened") return { ...numbers, facets: [`started_${period}`] };
  const { spec } = numbers;
  const company = { ...spec.filters.company, registration_status_any_of: [CLOSED] };
  const filters = { ...spec.filters, company };
  return { ...numbers, facets: ["status_month"], spec: { ...spec, filters } };
}

/** Says which accounts are counted by their status. */
export function countedStatus({ spec }: NumbersQuestion, event: Event): string {
  const { statuses } = words.peek().codes;
  const { openedOf, closedOf } = lazyWords.peek().numbers;
  const name = (code: number) => statuses[code] ?? String(code);
  if (event === "closed") return closedOf(name(CLOSED));
  return openedOf(list(spec.filters.company.registration_status_any_of.map(name)));
}

/** Orders lines by time, and sums the months of longer periods. */
export function periodLines({ head, body }: Lines, event: Event, period: CalendarSpan): Lines {
  const { year, count, share, closedIn } = words.peek().charts.timeHeads;
  const [total, ...dated] = body;
  const all = Number(total?.at(-2) ?? 0);
  const sums = new Map<string, number>();
  for (const line of dated) {
    const [, value = "", label = ""] = line;
    const key = value === "" ? label : event === "opened" ? value : spanOf(value, period);
    sums.set(key, (sums.get(key) ?? 0) + Number(line.at(-2)));
  }
  const lines = [...sums].sort(([a], [b]) => order(b) - order(a) || (a < b ? 1 : -1));
  const shareText = (one: number) => {
    const text = (all === 0 ? 0 : one / all).toFixed(6);
    return head.at(-1)?.startsWith("Parte") ? text.replace(".", ",") : text;
  };
  return {
    head: [event === "opened" ? year : closedIn, count, share],
    body: [
      [total?.[0] ?? "", String(all), shareText(all)],
      ...lines.map(([key, sum]) => [key, String(sum), shareText(sum)]),
    ],
  };
}

/** Periods come first, lines without a date last. */
function order(key: string): number {
  return /^\d/.test(key) ? 1 : 0;
}

/** The period of a month such as 2026-07. */
function spanOf(month: string, period: CalendarSpan): string {
  const year = month.slice(0, 4);
  if (period === "month") return month;
  return period === "year" ? year : `${year}-Q${Math.ceil(Number(month.slice(5, 7)) / 3)}`;
}
