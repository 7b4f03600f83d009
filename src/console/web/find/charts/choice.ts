/**
 * Changes a query when the user clicks on a chart. Each function adds or removes a facet value.
 * Invariant: a selected value is removed, and any other value is added. Other filters do not
 * change. Activities are selected as subclasses, and a branch as all of its subclasses.
 */
import type { Filters } from "../../app/answers.ts";
import { emptyQuery, type Query } from "../question.ts";
import { datesOf, type Interval, intervalOf } from "./buckets.ts";

/** Ways to reach an account, as filters. */
export type ChartReach = "email" | "phone" | "any" | "both";

function toggled<T>(list: readonly T[], value: T): T[] {
  return list.includes(value) ? list.filter((one) => one !== value) : [...list, value];
}

/** Toggles a state. */
export function toggleState(draft: Query, uf: string): void {
  draft.filters.geo.uf_any_of = toggled(draft.filters.geo.uf_any_of, uf);
}

/** Toggles a municipality by IBGE code. */
export function toggleMunicipality(draft: Query, ibge: string): void {
  const { geo } = draft.filters;
  geo.municipality_ibge_any_of = toggled(geo.municipality_ibge_any_of, ibge);
}

/** Toggles a company size by code. */
export function toggleSize(draft: Query, code: string): void {
  const { company } = draft.filters;
  company.company_size_code_any_of = toggled(company.company_size_code_any_of, code);
}

/** Toggles a registration status. */
export function toggleStatus(draft: Query, code: number): void {
  const { company } = draft.filters;
  company.registration_status_any_of = toggled(company.registration_status_any_of, code);
}

/** Toggles the filter for companies inside (or outside) Simples or MEI. */
export function toggleOptIn(draft: Query, which: "simples" | "mei", value: boolean): void {
  const member = which === "simples" ? "simples_opt_in" : "mei_opt_in";
  const { company } = draft.filters;
  company[member] = company[member] === value ? null : value;
}

/** Toggles a subclass. */
export function toggleActivity(draft: Query, code: string): void {
  const { industry } = draft.filters;
  industry.cnae_any_of = toggled(industry.cnae_any_of, code);
}

/** Selects only this subclass. */
export function onlyActivity(draft: Query, code: string): void {
  draft.filters.industry.cnae_any_of = [code];
}

/** True if all selected activities are in one branch: a division or a section. */
export function branchChosen({ industry }: Filters, branch: readonly string[]): boolean {
  const inside = new Set(branch);
  return industry.cnae_any_of.length > 0 && industry.cnae_any_of.every((one) => inside.has(one));
}

/**
 * Toggles a branch, given as its subclasses. If all selected subclasses are in the branch, clears
 * the selection. If some of them are, only these stay, because such a click means "just these". If
 * none are, selects the whole branch.
 */
export function toggleBranch(draft: Query, branch: readonly string[]): void {
  const { industry } = draft.filters;
  const inside = new Set(branch);
  const within = industry.cnae_any_of.filter((one) => inside.has(one));
  if (branchChosen(draft.filters, branch)) industry.cnae_any_of = [];
  else industry.cnae_any_of = within.length > 0 ? within : [...branch];
}

/** Returns the selected years; null if none are. */
export function chosenYears({ company }: Filters): Interval | null {
  return intervalOf(company);
}

/** Selects an inclusive interval of years. */
export function chooseYears(draft: Query, years: readonly [number, number], last: number): void {
  Object.assign(draft.filters.company, datesOf(years[0], years[1], last));
}

/** Clears the years. */
export function clearYears(draft: Query): void {
  const { started_after, started_before } = emptyQuery().filters.company;
  Object.assign(draft.filters.company, { started_after, started_before });
}

/** True if the query requires this kind of contact (`reach`). */
export function reachChosen({ contact }: Filters, reach: ChartReach): boolean {
  if (reach === "email") return contact.require_email;
  if (reach === "phone") return contact.require_phone;
  if (reach === "both") return contact.require_email && contact.require_phone;
  return contact.require_any_contact;
}

/** Toggles a way to reach accounts. */
export function toggleReach(draft: Query, reach: ChartReach): void {
  const { contact } = draft.filters;
  const wanted = !reachChosen(draft.filters, reach);
  if (reach === "email" || reach === "both") contact.require_email = wanted;
  if (reach === "phone" || reach === "both") contact.require_phone = wanted;
  if (reach === "any") contact.require_any_contact = wanted;
}
