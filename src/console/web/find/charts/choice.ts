/**
 * The effect of a click on a chart, and the buckets of the chart of opening years. Input: a draft
 * of the query and a value of a facet; the facet `started_year` and an interval. Output: the draft
 * with that value asked for, or no longer; one bucket per year, and intervals as the filters spell
 * them.
 * Invariant: a value that is asked for is taken out, any other is put in; other filters stay as
 * they are. Activities are asked for as subclasses, branches as all of theirs. The buckets are the
 * same for every answer of a snapshot (nothing moves while a query is edited); the first holds
 * every year before 1966, when the register begins; the buckets, the values that the facet does not
 * list, and the missing ones sum to the total.
 */
import type { FacetAnswer, Filters } from "../../app/answers.ts";
import { emptyQuery, type Query } from "../question.ts";

/** The first year with a bucket of its own; the one before it holds all earlier years. */
export const FIRST_YEAR = 1966;

/** Accounts whose activity started in a year, or before `FIRST_YEAR` where `year` is below it. */
export interface Bucket {
  readonly year: number;
  readonly count: number;
}

/** From one year to another, both included; null is open. */
export interface Interval {
  readonly from: number | null;
  readonly to: number | null;
}

/** An interval as two filters: the first day that is in, the first that is not. */
interface Dates {
  readonly started_after: string | null;
  readonly started_before: string | null;
}

/** One bucket for the years before the first one, then one per year up to the last. */
export function yearBuckets(facet: FacetAnswer | undefined, last: number): Bucket[] {
  const counts = new Map<number, number>();
  for (const { value, count } of facet?.values ?? []) {
    // A date may lie some days after the snapshot, that is, in the year after it.
    const year = Math.min(Math.max(Number(value), FIRST_YEAR - 1), last);
    counts.set(year, (counts.get(year) ?? 0) + count);
  }
  const buckets: Bucket[] = [];
  for (let year = FIRST_YEAR - 1; year <= last; year++) {
    buckets.push({ year, count: counts.get(year) ?? 0 });
  }
  return buckets;
}

/** The filters for an interval of whole years, the ends included in either order. */
export function datesOf(a: number, b: number, last: number): Dates {
  const [from, to] = a <= b ? [a, b] : [b, a];
  return {
    started_after: from < FIRST_YEAR ? null : `${from}-01-01`,
    // Nothing starts after the last year, so an interval up to it stays open, as people say it.
    started_before: to >= last ? null : `${Math.max(to, FIRST_YEAR - 1) + 1}-01-01`,
  };
}

/** The years that two filters touch; null where neither is set. */
export function intervalOf(dates: Dates): Interval | null {
  const { started_after: after, started_before: before } = dates;
  if (after === null && before === null) return null;
  return {
    from: after === null ? null : yearOf(after),
    to: before === null ? null : until(before),
  };
}

/** Whether a bucket lies in an interval. */
export function inInterval(year: number, interval: Interval | null): boolean {
  if (interval === null) return true;
  const { from, to } = interval;
  const clamped = Math.max(from ?? 0, FIRST_YEAR - 1);
  return year >= clamped && (to === null || year <= Math.max(to, FIRST_YEAR - 1));
}

/** First years of the decades that have room under an axis, oldest first. */
export function decadesUntil(last: number): number[] {
  const decades: number[] = [];
  for (let decade = Math.ceil(FIRST_YEAR / 10) * 10; decade <= last; decade += 10) {
    decades.push(decade);
  }
  return decades;
}

function yearOf(day: string): number {
  return Number(day.slice(0, 4));
}

/** The last year with a day before the given one; `2020` and `2020-01` mean its first day. */
function until(day: string): number {
  const firstDay = /^\d{4}(-01(-01)?)?$/.test(day);
  return firstDay ? yearOf(day) - 1 : yearOf(day);
}

/** The ways to reach an account that a filter can ask for. */
export type ChartReach = "email" | "phone" | "any" | "both";

/** Puts a value into a list, or takes it out. */
function toggled<T>(list: readonly T[], value: T): T[] {
  return list.includes(value) ? list.filter((one) => one !== value) : [...list, value];
}

/** Asks for a state, or no longer. */
export function toggleState(draft: Query, uf: string): void {
  draft.filters.geo.uf_any_of = toggled(draft.filters.geo.uf_any_of, uf);
}

/** Asks for a municipality by IBGE code, or no longer. */
export function toggleMunicipality(draft: Query, ibge: string): void {
  const { geo } = draft.filters;
  geo.municipality_ibge_any_of = toggled(geo.municipality_ibge_any_of, ibge);
}

/** Asks for a company size by code, or no longer. */
export function toggleSize(draft: Query, code: string): void {
  const { company } = draft.filters;
  company.company_size_code_any_of = toggled(company.company_size_code_any_of, code);
}

/** Asks for a registration status, or no longer. */
export function toggleStatus(draft: Query, code: number): void {
  const { company } = draft.filters;
  company.registration_status_any_of = toggled(company.registration_status_any_of, code);
}

/** Asks for companies that are (or are not) in Simples or MEI, or no longer. */
export function toggleOptIn(draft: Query, which: "simples" | "mei", value: boolean): void {
  const member = which === "simples" ? "simples_opt_in" : "mei_opt_in";
  const { company } = draft.filters;
  company[member] = company[member] === value ? null : value;
}

/** Asks for a subclass, or no longer. */
export function toggleActivity(draft: Query, code: string): void {
  const { industry } = draft.filters;
  industry.cnae_any_of = toggled(industry.cnae_any_of, code);
}

/** Asks for this subclass and no other. */
export function onlyActivity(draft: Query, code: string): void {
  draft.filters.industry.cnae_any_of = [code];
}

/** Whether all activities asked for are of one branch: a division or a section. */
export function branchChosen({ industry }: Filters, branch: readonly string[]): boolean {
  const inside = new Set(branch);
  return industry.cnae_any_of.length > 0 && industry.cnae_any_of.every((one) => inside.has(one));
}

/**
 * Asks for a branch, given as its subclasses. Of activities that are asked for already those of
 * the branch stay, since a branch among them means "just these"; where only they are asked for,
 * all activities are asked for again.
 */
export function toggleBranch(draft: Query, branch: readonly string[]): void {
  const { industry } = draft.filters;
  const inside = new Set(branch);
  const within = industry.cnae_any_of.filter((one) => inside.has(one));
  if (branchChosen(draft.filters, branch)) industry.cnae_any_of = [];
  else industry.cnae_any_of = within.length > 0 ? within : [...branch];
}

/** The years that are asked for; null where none are. */
export function chosenYears({ company }: Filters): Interval | null {
  return intervalOf(company);
}

/** Asks for years from one to another, both included. */
export function chooseYears(draft: Query, years: readonly [number, number], last: number): void {
  Object.assign(draft.filters.company, datesOf(years[0], years[1], last));
}

/** Asks for all years again. */
export function clearYears(draft: Query): void {
  const { started_after, started_before } = emptyQuery().filters.company;
  Object.assign(draft.filters.company, { started_after, started_before });
}

/** Whether a way to reach accounts is asked for. */
export function reachChosen({ contact }: Filters, reach: ChartReach): boolean {
  if (reach === "email") return contact.require_email;
  if (reach === "phone") return contact.require_phone;
  if (reach === "both") return contact.require_email && contact.require_phone;
  return contact.require_any_contact;
}

/** Asks for a way to reach accounts, or no longer. */
export function toggleReach(draft: Query, reach: ChartReach): void {
  const { contact } = draft.filters;
  const wanted = !reachChosen(draft.filters, reach);
  if (reach === "email" || reach === "both") contact.require_email = wanted;
  if (reach === "phone" || reach === "both") contact.require_phone = wanted;
  if (reach === "any") contact.require_any_contact = wanted;
}
