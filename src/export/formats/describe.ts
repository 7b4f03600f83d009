/**
 * What a spec asks for, in words. What comes in: a normalized spec and the names of its snapshot.
 * What goes out: labels with their values, in the order in which a person would tell them.
 * Invariant: two specs that differ in a filter, the order, the score or the limit have different
 * descriptions; what is not set is not told. Codes stand beside their names.
 */
import { wordFor } from "../../amounts.ts";
import type { COMPANY_SIZE_CODES, REGISTRATION_STATUSES, SortField } from "../../spec/fields.ts";
import type { FilterName } from "../../spec/filters/table.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
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

/** Describes a spec; a limit of null is not told. */
export function describeSpec(
  spec: AccountQuerySpec,
  names: RegistryNames,
  limit: number | null = spec.limit,
): DescriptionItem[] {
  return [...describeFilters(spec, names), ...describeOrder(spec), ...describeLimit(limit)];
}

/** Describes a limit, where there is one to tell. */
export function describeLimit(limit: number | null): DescriptionItem[] {
  if (limit === null) return [];
  const values = [`at most ${formatCount(limit)} ${wordFor(limit, "account")}`];
  return [{ label: "Limit", values }];
}

/** Describes the filters of a spec, without order and limit. */
export function describeFilters(
  { filters }: AccountQuerySpec,
  names: RegistryNames,
): DescriptionItem[] {
  return Object.values(DESCRIBED).flatMap(([label, valuesOf]) =>
    list(label, valuesOf(filters, names)),
  );
}

/** A count with its thousands apart. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** The values of a filter in words; none where it is not set. */
type ValuesOf = (filters: Filters, names: RegistryNames) => readonly string[] | undefined;

/** Label and values of every filter, in the order in which a person would tell them. */
const DESCRIBED = {
  cnae_any_of: [
    "Activities",
    ({ industry }, names) => industry.cnae_any_of.map((code) => activity(names, code)),
  ],
  cnae_exclude: [
    "Activities left out",
    ({ industry }, names) => industry.cnae_exclude.map((code) => activity(names, code)),
  ],
  secondary_cnae_mode: ["Activities are matched", ({ industry }) => modeOf(industry)],
  text_hints: [
    "Names hold all words of",
    ({ industry }) => industry.text_hints.map((hint) => `“${hint}”`),
  ],
  cnae_secondary_any_of: [
    "One of the secondary activities",
    ({ industry }, names) => industry.cnae_secondary_any_of?.map((code) => activity(names, code)),
  ],
  uf_any_of: ["States", ({ geo }) => geo.uf_any_of.map((uf) => beside(stateName(uf), uf))],
  municipality_ibge_any_of: [
    "Municipalities, by IBGE code",
    ({ geo }, names) => geo.municipality_ibge_any_of.map((code) => municipality(names, code)),
  ],
  municipality_tom_any_of: [
    "Municipalities, by TOM code",
    ({ geo }, names) => geo.municipality_tom_any_of.map((code) => municipality(names, code)),
  ],
  postal_code_prefix_any_of: [
    "Postal codes that begin with",
    ({ geo }) => geo.postal_code_prefix_any_of,
  ],
  area_code_any_of: ["Area codes of a phone", ({ geo }) => geo.area_code_any_of],
  registration_status_any_of: [
    "Registration status",
    ({ company }) =>
      company.registration_status_any_of.map((code) => beside(STATUSES[code], String(code))),
  ],
  company_size_code_any_of: [
    "Company size",
    ({ company }) => company.company_size_code_any_of.map((code) => beside(SIZES[code], code)),
  ],
  legal_nature_any_of: [
    "Legal natures",
    ({ company }, names) =>
      company.legal_nature_any_of?.map((code) => beside(names.legalNature(code), code)),
  ],
  headquarters_only: [
    "Establishments",
    ({ company }) => (company.headquarters_only ? ["head offices alone"] : []),
  ],
  branches_only: [
    "Kind of establishment",
    ({ company }) => (company.branches_only ? ["branches alone"] : []),
  ],
  simples_opt_in: ["Simples Nacional", ({ company }) => optIn(company.simples_opt_in)],
  mei_opt_in: ["MEI", ({ company }) => optIn(company.mei_opt_in)],
  started_after: [
    "Activity started",
    ({ company: { started_after: after } }) => (after === null ? [] : [`on ${after} or later`]),
  ],
  started_before: [
    "Activity started before",
    ({ company: { started_before: before } }) => (before === null ? [] : [before]),
  ],
  share_capital_min: ["Share capital from", ({ company }) => amount(company.share_capital_min)],
  share_capital_max: ["Share capital up to", ({ company }) => amount(company.share_capital_max)],
  require_email: ["E-mail address", ({ contact }) => known(contact.require_email)],
  require_phone: ["Phone", ({ contact }) => known(contact.require_phone)],
  require_any_contact: [
    "E-mail address or phone",
    ({ contact }) => known(contact.require_any_contact),
  ],
  establishments_min: [
    "Active establishments of the company, from",
    ({ company }) => counted(company.establishments_min),
  ],
  establishments_max: [
    "Active establishments of the company, up to",
    ({ company }) => counted(company.establishments_max),
  ],
  require_mobile: ["Mobile phone", ({ contact }) => known(contact.require_mobile === true)],
  require_landline: ["Landline phone", ({ contact }) => known(contact.require_landline === true)],
  require_own_domain: [
    "E-mail address at a domain of its own",
    ({ contact }) => known(contact.require_own_domain === true),
  ],
  email_shared_max: [
    "Companies with the same e-mail address, up to",
    ({ contact }) => counted(contact.email_shared_max),
  ],
  phone_shared_max: [
    "Companies with the same phone, up to",
    ({ contact }) => counted(contact.phone_shared_max),
  ],
  any_of: ["In one of the lists", ({ lists }) => lists?.any_of],
  exclude: ["In none of the lists", ({ lists }) => lists?.exclude],
} satisfies Readonly<Record<FilterName, readonly [label: string, ValuesOf]>>;

function activity(names: RegistryNames, code: string): string {
  return beside(names.activity(code), code);
}

function municipality(names: RegistryNames, code: string): string {
  return beside(names.municipality(code), code);
}

/** How activities are matched; matters where there are some, or where it is not as usual. */
function modeOf(industry: Filters["industry"]): readonly string[] {
  const { cnae_any_of: wanted, cnae_exclude: excluded, secondary_cnae_mode: mode } = industry;
  return wanted.length + excluded.length > 0 || mode !== "off" ? [MODES[mode]] : [];
}

function optIn(wanted: boolean | null): readonly string[] {
  if (wanted === null) return [];
  return [wanted ? "in it" : "known not to be in it"];
}

function amount(reais: number | undefined): readonly string[] {
  return reais === undefined ? [] : [formatReais(reais)];
}

function counted(bound: number | undefined): readonly string[] {
  return bound === undefined ? [] : [formatCount(bound)];
}

function known(required: boolean): readonly string[] {
  return required ? ["known"] : [];
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
