/**
 * Counts openings and closings by year, quarter, or month: requests the right facet, and sorts its
 * lines from newest to oldest.
 * Invariant: the first line is the total, the sum of the other lines. Separate because tests run it
 * without a browser.
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

/** Returns the request whose lines `periodLines` parses. */
export function periodQuestion(
  numbers: NumbersQuestion,
  event: Event,
  period: CalendarSpan,
): NumbersQuestion {
  if (event === "opened") return { ...numbers, facets: [`started_${period}`] };
  const { spec } = numbers;
  const company = { ...spec.filters.company, registration_status_any_of: [CLOSED] };
  const filters = { ...spec.filters, company };
  return { ...numbers, facets: [`status_${period}`], spec: { ...spec, filters } };
}

/** Describes the statuses of the counted accounts. */
export function countedStatus({ spec }: NumbersQuestion, event: Event): string {
  const { statuses } = words.peek().codes;
  const { openedOf, closedOf } = lazyWords.peek().numbers;
  const name = (code: number) => statuses[code] ?? String(code);
  if (event === "closed") return closedOf(name(CLOSED));
  return openedOf(list(spec.filters.company.registration_status_any_of.map(name)));
}

/** Orders lines by time. */
export function periodLines({ body }: Lines, event: Event): Lines {
  const { year, count, share, closedIn } = words.peek().charts.timeHeads;
  const named = body.map(([name = "", value = "", label = "", ...numbers]) => [
    value || label || name,
    ...numbers,
  ]);
  const [total = [], ...dated] = named;
  const isDated = ([name = ""]: readonly string[]) => /^\d/.test(name);
  const times = dated.filter(isDated).reverse();
  return {
    head: [event === "opened" ? year : closedIn, count, share],
    body: [total, ...times, ...dated.filter((line) => !isDated(line))],
  };
}
