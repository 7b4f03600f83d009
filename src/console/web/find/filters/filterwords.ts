/**
 * Describes one filter of a query in a few words of the current language.
 * Invariant: names come from the catalog. Before it is loaded, codes are shown. Long lists name the
 * first value and count the others.
 */

import { districtTitle } from "../../../../spec/districtname.ts";
import { memberOf, PART_NAMES, rowsOfPart } from "../../../../spec/filters/members.ts";
import type { PartName } from "../../../../spec/filters/table.ts";
import { STATE_NAMES } from "../../../../spec/states.ts";
import { date, list, money } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { listName } from "../../lists/all.ts";
import { compressActivities } from "../addressmembers.ts";
import { type CatalogBook, shortActivity } from "../catalog.ts";
import type { Query } from "../question.ts";
import { reasonNames } from "../table/values.ts";
import { spanText } from "./chainspan.ts";
import { shiftDays } from "./days.ts";

/** Max names shown. Further names are only counted. */
const NAMED_MAX = 3;

type Company = Query["filters"]["company"];
type ValueText = (filters: Query["filters"], book: CatalogBook | null) => string;

/** Functions that format a filter's values. Filters without a function show only their name. */
const VALUES: Readonly<Partial<Record<PartName, ValueText>>> = {
  cnae: ({ industry }, book) => activities(industry.cnae_any_of, book),
  cnae_secondary: ({ industry }, book) => activities(industry.cnae_secondary_any_of ?? [], book),
  cnae_exclude: ({ industry }, book) => activities(industry.cnae_exclude, book),
  uf: ({ geo }) => abbreviatedList(geo.uf_any_of.map(stateName)),
  municipality: ({ geo }, book) => abbreviatedList(municipalities(geo, book)),
  district: ({ geo }) =>
    abbreviatedList((geo.district_any_of ?? []).map(({ name }) => districtTitle(name))),
  registration_status: ({ company }) =>
    named(company.registration_status_any_of, words.value.codes.statuses),
  lists: ({ lists }) => abbreviatedList((lists?.any_of ?? []).map(listName)),
  lists_exclude: ({ lists }) => abbreviatedList((lists?.exclude ?? []).map(listName)),
  company_size: ({ company }) => named(company.company_size_code_any_of, words.value.codes.sizes),
  legal_nature: ({ company }, book) =>
    abbreviatedList(
      (company.legal_nature_any_of ?? []).map((code) => book?.natureName(code) ?? code),
    ),
  establishments: ({ company }) => establishmentsText(company),
  started: ({ company }) => openedText(company),
  share_capital: ({ company }) => capitalText(company),
  status_changed: ({ company }) => daysText(company.status_since, company.status_before),
  status_reason: ({ company }) => {
    const names = reasonNames();
    return abbreviatedList((company.status_reason_any_of ?? []).map((code) => names[code] ?? code));
  },
  simples_excluded: ({ company }) =>
    daysText(company.simples_excluded_since, company.simples_excluded_before),
  mei_excluded: ({ company }) => daysText(company.mei_excluded_since, company.mei_excluded_before),
  sanction: ({ company }) =>
    named(company.sanction_any_of ?? [], words.value.find.described.sanctions),
  federal_debt_total: ({ company }) => debtText(company),
  federal_debt_kind: ({ company }) =>
    named(company.federal_debt_any_of ?? [], words.value.find.described.debts),
  owned_by: ({ company }) => ownersText(company),
  owned_companies: ({ company }) =>
    spanText(company.owned_companies_min, company.owned_companies_max),
  owner_companies: ({ company }) =>
    spanText(company.owner_companies_min, company.owner_companies_max),
  contact_missing: ({ contact }) =>
    named(contact.missing_any_of ?? [], words.value.find.described.missing),
};

/** Describes a filter of the query. Returns the name of an unknown filter. */
export function describeFilter(name: string, { filters }: Query, book: CatalogBook | null): string {
  const part = PART_NAMES.find((known) => known === name);
  if (part === undefined) return name;
  const values = rowsOfPart(part).flatMap((row) => memberOf(filters, row) ?? []);
  const text = VALUES[part]?.(filters, book) ?? abbreviatedList(values.map(String));
  return words.value.find.filterTexts[part](text, !values.includes(false));
}

/** Names a state, or "abroad". */
export function stateName(uf: string): string {
  return STATE_NAMES[uf] ?? (uf === "EX" ? words.value.find.abroad : uf);
}

/** Joins names and counts the rest. */
export function abbreviatedList(names: readonly string[], most = NAMED_MAX): string {
  if (names.length <= most) return list(names);
  const shown = Math.max(1, most - 1);
  const first = names.slice(0, shown).join(", ");
  return words.value.find.described.more(first, names.length - shown);
}

function activities(codes: readonly string[], book: CatalogBook | null): string {
  // Activity names are long: one is enough.
  if (book === null) return abbreviatedList(codes, 1);
  const short = compressActivities(codes, book.lookup);
  return abbreviatedList(
    short.map((code) => shortActivity(code, book.activityName(code) ?? code)),
    1,
  );
}

function municipalities(geo: Query["filters"]["geo"], book: CatalogBook | null): string[] {
  const codes = [...geo.municipality_ibge_any_of, ...geo.municipality_tom_any_of];
  return codes.map((code) => {
    const found = book?.municipality(code);
    return found == null ? code : `${found.name}/${found.uf}`;
  });
}

function named(codes: readonly (string | number)[], names: Record<string, string>): string {
  return list(codes.map((code) => names[code] ?? String(code)));
}

function openedText(company: Query["filters"]["company"]): string {
  const { described } = words.value.find;
  const { started_after: after, started_before: before } = company;
  const from = after === null ? "" : date(after);
  const to = before === null ? "" : date(shiftDays(before, -1));
  if (from === "") return described.until(to);
  return to === "" ? described.since(from) : described.between(from, to);
}

/** Describes an interval of days with an exclusive end. */
function daysText(since: string | undefined, before: string | undefined): string {
  const { described } = words.value.find;
  const from = since === undefined ? "" : date(since);
  const to = before === undefined ? "" : date(shiftDays(before, -1));
  if (from === "") return described.daysUntil(to);
  return to === "" ? described.daysSince(from) : described.daysBetween(from, to);
}

function ownersText({ owned_by_any_of: roots = [], owned_by_depth: depth = 1 }: Company): string {
  return words.value.find.described.owners(abbreviatedList(roots), depth);
}

function establishmentsText(company: Query["filters"]["company"]): string {
  return spanText(company.establishments_min, company.establishments_max);
}

function capitalText(company: Query["filters"]["company"]): string {
  const { described } = words.value.find;
  const { share_capital_min: min, share_capital_max: max } = company;
  if (min === undefined) return described.capitalTo(money(max ?? 0));
  if (max === undefined) return described.capitalFrom(money(min));
  return described.capitalBetween(money(min), money(max));
}

function debtText(company: Query["filters"]["company"]): string {
  const { described } = words.value.find;
  const { federal_debt_min: min, federal_debt_max: max } = company;
  if (min === undefined) return described.debtTo(money(max ?? 0));
  if (max === undefined) return described.debtFrom(money(min));
  return described.debtBetween(money(min), money(max));
}
