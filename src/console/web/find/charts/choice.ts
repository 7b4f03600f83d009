/**
 * What a click on a chart does to a query. What comes in: a draft of the query and a value of a
 * facet. What goes out: the draft with that value asked for, or no longer.
 * Invariant: a value that is asked for is taken out, any other is put in; other filters stay as
 * they are. Activities are asked for as subclasses, branches as all of theirs.
 */
import type { Filters } from "../../app/answers.ts";
import { emptyQuery, type Query } from "../question.ts";
import { datesOf, type Interval, intervalOf } from "./buckets.ts";

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
