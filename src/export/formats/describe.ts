/**
 * Describes a spec in words. Input: a normalized spec and the snapshot's names. Output: labels with
 * their values, in a natural order.
 * Invariant: two specs that differ in a filter, the order, the score, or the limit have different
 * descriptions. Unset options are omitted. Codes follow their names.
 */
import { districtTitle } from "../../spec/districtname.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { FilterName } from "../../spec/filters/table.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { type DescribeWords, describeWords } from "./describewords.ts";
import { type RegistryNames, stateName } from "./names.ts";

/** A filter or option of a spec. */
export interface DescriptionItem {
  readonly label: string;
  /** The values of a filter, at least one. An account needs only one of several values. */
  readonly values: readonly string[];
}

type Filters = AccountQuerySpec["filters"];

/** Describes a spec; a null limit is omitted. */
export function describeSpec(
  spec: AccountQuerySpec,
  names: RegistryNames,
  limit: number | null = spec.limit,
): DescriptionItem[] {
  return [
    ...describeFilters(spec, names),
    ...describeOrder(spec),
    ...describeLimit(limit, spec.output.labels),
  ];
}

/** Describes a limit, if it is not null. */
export function describeLimit(limit: number | null, language?: LabelLanguage): DescriptionItem[] {
  if (limit === null) return [];
  const words = describeWords(language);
  return [
    { label: words.limit, values: [words.atMost(formatCount(limit, language), limit === 1)] },
  ];
}

/** Describes the filters of a spec, without order and limit. */
export function describeFilters(
  { filters, output: { labels } }: AccountQuerySpec,
  names: RegistryNames,
): DescriptionItem[] {
  const words = describeWords(labels);
  return Object.values(DESCRIBED).flatMap(([english, portuguese, valuesOf]) =>
    list(labels === "pt" ? portuguese : english, valuesOf(filters, { ...words, names })),
  );
}

/** Formats a count with thousands separators. */
export function formatCount(count: number, language?: LabelLanguage): string {
  return count.toLocaleString(describeWords(language).locale);
}

/** The words of one language, and the names that the snapshot stores. */
interface Words extends DescribeWords {
  readonly names: RegistryNames;
}

/** Returns the values of a filter in words, or an empty list if the filter is not set. */
type ValuesOf = (filters: Filters, words: Words) => readonly string[] | undefined;

/** The filters in the order of an exported file: a label in each language, and the values. */
const DESCRIBED = {
  cnae_any_of: [
    "Activities",
    "Atividades",
    ({ industry }, words) => industry.cnae_any_of.map((code) => activity(words, code)),
  ],
  cnae_exclude: [
    "Activities left out",
    "Atividades excluídas",
    ({ industry }, words) => industry.cnae_exclude.map((code) => activity(words, code)),
  ],
  secondary_cnae_mode: [
    "Activities are matched",
    "Atividades procuradas",
    ({ industry }, words) => modeOf(industry, words),
  ],
  text_hints: [
    "Names hold all words of",
    "Nome contém todas as palavras de",
    ({ industry }) => industry.text_hints.map((hint) => `“${hint}”`),
  ],
  cnae_secondary_any_of: [
    "One of the secondary activities",
    "Uma das atividades secundárias",
    ({ industry }, words) => industry.cnae_secondary_any_of?.map((code) => activity(words, code)),
  ],
  uf_any_of: [
    "States",
    "Estados",
    ({ geo }, words) =>
      geo.uf_any_of.map((uf) => named(uf === "EX" ? words.abroad : stateName(uf), uf)),
  ],
  municipality_ibge_any_of: [
    "Municipalities, by IBGE code",
    "Municípios, por código IBGE",
    ({ geo }, words) => geo.municipality_ibge_any_of.map((code) => municipality(words, code)),
  ],
  municipality_tom_any_of: [
    "Municipalities, by TOM code",
    "Municípios, por código TOM",
    ({ geo }, words) => geo.municipality_tom_any_of.map((code) => municipality(words, code)),
  ],
  district_any_of: [
    "Districts",
    "Bairros",
    ({ geo }, words) =>
      geo.district_any_of?.map(
        ({ municipality_ibge: code, name }) =>
          `${districtTitle(name)}, ${municipality(words, code)}`,
      ),
  ],
  postal_code_prefix_any_of: [
    "Postal codes that begin with",
    "CEP que começa com",
    ({ geo }) => geo.postal_code_prefix_any_of,
  ],
  area_code_any_of: [
    "Area codes of a phone",
    "DDD de um telefone",
    ({ geo }) => geo.area_code_any_of,
  ],
  registration_status_any_of: [
    "Registration status",
    "Situação cadastral",
    ({ company }, { statuses }) =>
      company.registration_status_any_of.map((code) => named(statuses[code], String(code))),
  ],
  company_size_code_any_of: [
    "Company size",
    "Porte",
    ({ company }, { sizes }) =>
      company.company_size_code_any_of.map((code) => named(sizes[code], code)),
  ],
  legal_nature_any_of: [
    "Legal natures",
    "Naturezas jurídicas",
    ({ company }, words) =>
      company.legal_nature_any_of?.map((code) => named(words.names.legalNature(code), code)),
  ],
  headquarters_only: [
    "Establishments",
    "Estabelecimentos",
    ({ company }, words) => (company.headquarters_only ? [words.headOffices] : []),
  ],
  branches_only: [
    "Kind of establishment",
    "Tipo de estabelecimento",
    ({ company }, words) => (company.branches_only ? [words.branches] : []),
  ],
  simples_opt_in: [
    "Simples Nacional",
    "Simples Nacional",
    ({ company }, words) => optIn(company.simples_opt_in, words),
  ],
  mei_opt_in: ["MEI", "MEI", ({ company }, words) => optIn(company.mei_opt_in, words)],
  started_after: [
    "Activity started",
    "Abertura",
    ({ company: { started_after: after } }, words) =>
      after === null ? [] : [words.startedOn(words.day(after))],
  ],
  started_before: [
    "Activity started before",
    "Abertura antes de",
    ({ company: { started_before: before } }, words) =>
      before === null ? [] : [words.day(before)],
  ],
  status_since: [
    "Status since",
    "Situação desde",
    ({ company }, words) => since(words, company.status_since),
  ],
  status_before: [
    "Status since before",
    "Situação desde antes de",
    ({ company }, words) => before(words, company.status_before),
  ],
  status_reason_any_of: [
    "Reasons of the status",
    "Motivos da situação",
    ({ company }, words) =>
      company.status_reason_any_of?.map((code) => named(words.reason(code), code)),
  ],
  simples_excluded_since: [
    "Left Simples Nacional",
    "Saída do Simples Nacional",
    ({ company }, words) => since(words, company.simples_excluded_since),
  ],
  simples_excluded_before: [
    "Left Simples Nacional before",
    "Saída do Simples Nacional antes de",
    ({ company }, words) => before(words, company.simples_excluded_before),
  ],
  mei_excluded_since: [
    "Ceased to be a MEI",
    "Saída do MEI",
    ({ company }, words) => since(words, company.mei_excluded_since),
  ],
  mei_excluded_before: [
    "Ceased to be a MEI before",
    "Saída do MEI antes de",
    ({ company }, words) => before(words, company.mei_excluded_before),
  ],
  sanction_any_of: [
    "In a list of sanctions",
    "Em uma lista de sanções",
    ({ company }) => company.sanction_any_of?.map((name) => name.toUpperCase()),
  ],
  has_federal_debt: [
    "Debt to the Union (PGFN)",
    "Dívida ativa da União (PGFN)",
    ({ company }, words) => either(company.has_federal_debt, words),
  ],
  federal_debt_min: [
    "Debt to the Union from",
    "Dívida ativa a partir de",
    ({ company }, words) => amount(words, company.federal_debt_min),
  ],
  federal_debt_max: [
    "Debt to the Union up to",
    "Dívida ativa até",
    ({ company }, words) => amount(words, company.federal_debt_max),
  ],
  federal_debt_any_of: [
    "Kinds of debt",
    "Tipos de dívida",
    ({ company }, words) => company.federal_debt_any_of?.map((kind) => words.debts[kind]),
  ],
  owned_by_any_of: [
    "Owned by a company",
    "Tem como sócia a empresa",
    ({ company }) => company.owned_by_any_of,
  ],
  owned_by_depth: [
    "Steps of ownership, up to",
    "Níveis de participação, até",
    ({ company }, words) => counted(words, company.owned_by_depth),
  ],
  owned_companies_min: [
    "Owns companies, from",
    "Sócia de empresas, a partir de",
    ({ company }, words) => counted(words, company.owned_companies_min),
  ],
  owned_companies_max: [
    "Owns companies, up to",
    "Sócia de empresas, até",
    ({ company }, words) => counted(words, company.owned_companies_max),
  ],
  owner_companies_min: [
    "Owned by companies, from",
    "Empresas sócias, a partir de",
    ({ company }, words) => counted(words, company.owner_companies_min),
  ],
  owner_companies_max: [
    "Owned by companies, up to",
    "Empresas sócias, até",
    ({ company }, words) => counted(words, company.owner_companies_max),
  ],
  missing_any_of: [
    "Contact is missing",
    "Sem contato",
    ({ contact }, words) => contact.missing_any_of?.map((kind) => words.missing[kind]),
  ],
  share_capital_min: [
    "Share capital from",
    "Capital social a partir de",
    ({ company }, words) => amount(words, company.share_capital_min),
  ],
  share_capital_max: [
    "Share capital up to",
    "Capital social até",
    ({ company }, words) => amount(words, company.share_capital_max),
  ],
  require_email: [
    "E-mail address",
    "E-mail",
    ({ contact }, words) => known(words, contact.require_email),
  ],
  require_phone: ["Phone", "Telefone", ({ contact }, words) => known(words, contact.require_phone)],
  require_any_contact: [
    "E-mail address or phone",
    "E-mail ou telefone",
    ({ contact }, words) => known(words, contact.require_any_contact),
  ],
  establishments_min: [
    "Active establishments of the company, from",
    "Estabelecimentos ativos da empresa, a partir de",
    ({ company }, words) => counted(words, company.establishments_min),
  ],
  establishments_max: [
    "Active establishments of the company, up to",
    "Estabelecimentos ativos da empresa, até",
    ({ company }, words) => counted(words, company.establishments_max),
  ],
  require_mobile: [
    "Mobile phone",
    "Celular",
    ({ contact }, words) => known(words, contact.require_mobile === true),
  ],
  require_landline: [
    "Landline phone",
    "Telefone fixo",
    ({ contact }, words) => known(words, contact.require_landline === true),
  ],
  require_own_domain: [
    "E-mail address at a domain of its own",
    "E-mail em domínio próprio",
    ({ contact }, words) => known(words, contact.require_own_domain === true),
  ],
  email_shared_max: [
    "Companies with the same e-mail address, up to",
    "Empresas com o mesmo e-mail, até",
    ({ contact }, words) => counted(words, contact.email_shared_max),
  ],
  phone_shared_max: [
    "Companies with the same phone, up to",
    "Empresas com o mesmo telefone, até",
    ({ contact }, words) => counted(words, contact.phone_shared_max),
  ],
  phone_any_of: [
    "One of the phones is",
    "Um dos telefones é",
    ({ contact }) => contact.phone_any_of,
  ],
  email_any_of: ["The e-mail is", "O e-mail é", ({ contact }) => contact.email_any_of],
  any_of: ["In one of the lists", "Em uma das listas", ({ lists }) => lists?.any_of],
  exclude: ["In none of the lists", "Em nenhuma das listas", ({ lists }) => lists?.exclude],
} satisfies Readonly<Record<FilterName, readonly [en: string, pt: string, ValuesOf]>>;

function activity({ names }: Words, code: string): string {
  return named(names.activity(code), code);
}

function municipality({ names }: Words, code: string): string {
  return named(names.municipality(code), code);
}

/** Describes how activities match. Empty if the spec has no activities and the default mode. */
function modeOf(industry: Filters["industry"], { modes }: Words): readonly string[] {
  const { cnae_any_of: wanted, cnae_exclude: excluded, secondary_cnae_mode: mode } = industry;
  return wanted.length + excluded.length > 0 || mode !== "off" ? [modes[mode]] : [];
}

function optIn(wanted: boolean | null, words: Words): readonly string[] {
  if (wanted === null) return [];
  return [wanted ? words.inIt : words.notInIt];
}

function amount({ locale }: Words, reais: number | undefined): readonly string[] {
  return reais === undefined ? [] : [formatReais(reais, locale)];
}

function counted({ locale }: Words, bound: number | undefined): readonly string[] {
  return bound === undefined ? [] : [bound.toLocaleString(locale)];
}

function since(words: Words, day: string | undefined): readonly string[] {
  return day === undefined ? [] : [words.startedOn(words.day(day))];
}

function before(words: Words, day: string | undefined): readonly string[] {
  return day === undefined ? [] : [words.day(day)];
}

function either(wanted: boolean | undefined, words: Words): readonly string[] {
  return wanted === undefined ? [] : [wanted ? words.yes : words.no];
}

function known(words: Words, required: boolean): readonly string[] {
  return required ? [words.known] : [];
}

function describeOrder({ sort, scoring, output }: AccountQuerySpec) {
  const words = describeWords(output.labels);
  const keys = sort.map(({ field, direction }) => {
    const [name, ascending, descending] = words.sorts[field];
    return `${name}, ${direction === "asc" ? ascending : descending}`;
  });
  const { strategy, random_seed: seed } = scoring;
  return [
    ...list(words.order, [keys.join(words.thenBy)]),
    ...list(words.score, [words.strategies[strategy] ?? strategy]),
    ...list(words.seed, seed === null ? [] : [String(seed)]),
  ];
}

function list(label: string, values: readonly string[] = []): DescriptionItem[] {
  return values.length === 0 ? [] : [{ label, values }];
}

function named(name: string | null, code: string): string {
  return name === null ? code : `${name} (${code})`;
}

function formatReais(reais: number, locale: string): string {
  const amount = reais.toLocaleString(locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return `R$ ${amount}`;
}
