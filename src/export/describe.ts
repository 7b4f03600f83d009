/**
 * What a spec asks for, in words. What comes in: a normalized spec and the names of its snapshot.
 * What goes out: labels with their values, in the order in which a person would tell them.
 * Invariant: two specs that differ in a filter, the order, the score or the limit have different
 * descriptions; what is not set is not told. Codes stand beside their names.
 */
import { wordFor } from "../amounts.ts";
import type { COMPANY_SIZE_CODES, REGISTRATION_STATUSES, SortField } from "../spec/fields.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { type RegistryNames, stateName } from "./names.ts";

/** One thing that a spec asks for. */
export interface DescriptionItem {
  readonly label: string;
  /** At least one; several are alternatives of each other. */
  readonly values: readonly string[];
}

type Filters = AccountQuerySpec["filters"];

const STATUSES: Readonly<Record<(typeof REGISTRATION_STATUSES)[number], string>> = {
  1: "null",
  2: "active",
  3: "suspended",
  4: "unfit",
  8: "closed",
};

const SIZES: Readonly<Record<(typeof COMPANY_SIZE_CODES)[number], string>> = {
  "00": "not informed",
  "01": "micro company",
  "03": "small company",
  "05": "other",
};

const MODES: Readonly<Record<Filters["industry"]["secondary_cnae_mode"], string>> = {
  off: "by the primary activity alone",
  fallback: "by the primary activity; secondary ones fill up to the limit",
  full: "by the primary or a secondary activity",
};

/** Name of a sort field, and what ascending and descending mean for it. */
const SORTS: Readonly<Record<SortField, readonly [name: string, asc: string, desc: string]>> = {
  score: ["score", "lowest first", "highest first"],
  started_on: ["start of the activity", "oldest first", "newest first"],
  share_capital: ["share capital", "lowest first", "highest first"],
  legal_name: ["legal name", "A to Z", "Z to A"],
  cnpj: ["CNPJ", "ascending", "descending"],
  company_size: ["company size", "smallest code first", "largest code first"],
  municipality_population: ["population of the municipality", "smallest first", "largest first"],
};

/** Describes a spec. */
export function describeSpec(spec: AccountQuerySpec, names: RegistryNames): DescriptionItem[] {
  return [
    ...describeFilters(spec, names),
    ...describeOrder(spec),
    {
      label: "Limit",
      values: [`at most ${formatCount(spec.limit)} ${wordFor(spec.limit, "account")}`],
    },
  ];
}

/** Describes the filters of a spec, without order and limit. */
export function describeFilters(
  { filters }: AccountQuerySpec,
  names: RegistryNames,
): DescriptionItem[] {
  const { industry, geo, company, contact } = filters;
  return [
    ...describeIndustry(industry, names),
    ...describeGeo(geo, names),
    ...describeCompany(company, names),
    ...describeAmounts(company),
    ...describeContact(contact),
  ];
}

/** A count with its thousands apart. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

function describeIndustry(industry: Filters["industry"], names: RegistryNames) {
  const { cnae_any_of: wanted, cnae_exclude: excluded, secondary_cnae_mode: mode } = industry;
  const activity = (code: string) => beside(names.activity(code), code);
  const told = wanted.length + excluded.length > 0 || mode !== "off";
  return [
    ...list("Activities", wanted.map(activity)),
    ...list("Activities left out", excluded.map(activity)),
    ...list("Activities are matched", told ? [MODES[mode]] : []),
    ...list(
      "Names hold all words of",
      industry.text_hints.map((hint) => `“${hint}”`),
    ),
  ];
}

function describeGeo(geo: Filters["geo"], names: RegistryNames) {
  const municipality = (code: string) => beside(names.municipality(code), code);
  return [
    ...list(
      "States",
      geo.uf_any_of.map((uf) => beside(stateName(uf), uf)),
    ),
    ...list("Municipalities, by IBGE code", geo.municipality_ibge_any_of.map(municipality)),
    ...list("Municipalities, by TOM code", geo.municipality_tom_any_of.map(municipality)),
    ...list("Postal codes that begin with", geo.postal_code_prefix_any_of),
    ...list("Area codes of a phone", geo.area_code_any_of),
  ];
}

function describeCompany(company: Filters["company"], names: RegistryNames) {
  const optIn = (label: string, wanted: boolean | null) =>
    list(label, wanted === null ? [] : [wanted ? "in it" : "known not to be in it"]);
  return [
    ...list(
      "Registration status",
      company.registration_status_any_of.map((code) => beside(STATUSES[code], String(code))),
    ),
    ...list(
      "Company size",
      company.company_size_code_any_of.map((code) => beside(SIZES[code], code)),
    ),
    ...list(
      "Legal natures",
      company.legal_nature_any_of?.map((code) => beside(names.legalNature(code), code)),
    ),
    ...list("Establishments", company.headquarters_only ? ["head offices alone"] : []),
    ...optIn("Simples Nacional", company.simples_opt_in),
    ...optIn("MEI", company.mei_opt_in),
  ];
}

function describeAmounts(company: Filters["company"]) {
  const { started_after: after, started_before: before } = company;
  const { share_capital_min: least, share_capital_max: most } = company;
  return [
    ...list("Activity started", after === null ? [] : [`on ${after} or later`]),
    ...list("Activity started before", before === null ? [] : [before]),
    ...list("Share capital from", least === undefined ? [] : [formatReais(least)]),
    ...list("Share capital up to", most === undefined ? [] : [formatReais(most)]),
  ];
}

function describeContact(contact: Filters["contact"]) {
  return [
    ...list("E-mail address", contact.require_email ? ["known"] : []),
    ...list("Phone", contact.require_phone ? ["known"] : []),
    ...list("E-mail address or phone", contact.require_any_contact ? ["known"] : []),
  ];
}

function describeOrder({ sort, scoring }: AccountQuerySpec) {
  const keys = sort.map(({ field, direction }) => {
    const [name, ascending, descending] = SORTS[field];
    return `${name}, ${direction === "asc" ? ascending : descending}`;
  });
  const { strategy, random_seed: seed } = scoring;
  return [
    ...list("Order", [keys.join("; then ")]),
    ...list("Score", [strategy === "random" ? "none: drawn by lot" : strategy]),
    ...list("Seed", seed === null ? [] : [String(seed)]),
  ];
}

function list(label: string, values: readonly string[] = []): DescriptionItem[] {
  return values.length === 0 ? [] : [{ label, values }];
}

function beside(name: string | null, code: string): string {
  return name === null ? code : `${name} (${code})`;
}

function formatReais(reais: number): string {
  const amount = reais.toLocaleString("en-US", {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return `R$ ${amount}`;
}
