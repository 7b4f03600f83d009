/**
 * The tables of docs/spec.md: a row for every member of both kinds of spec, with its values, an
 * example, and its normal form.
 * Invariant: every member has an example, and its normal form is the normalization's result with
 * all existing activities, municipalities, and legal natures.
 */
import assert from "node:assert/strict";
import { getLegalNatures, getMunicipalities } from "@brazilian-utils/brazilian-utils";
import { Compile } from "typebox/compile";
import { buildActivities } from "../../../src/dump/sample/activities.ts";
import type { Catalog } from "../../../src/spec/catalog.ts";
import type { AnyRow } from "../../../src/spec/filters/members.ts";
import { FILTERS, type FilterGroup } from "../../../src/spec/filters/table.ts";
import { LEAD_INPUT_SCHEMA, LEAD_LIMITS } from "../../../src/spec/leadschema.ts";
import { SPEC_LIMITS } from "../../../src/spec/limits.ts";
import { NARROWING, normalizeSpec } from "../../../src/spec/normalize.ts";
import { SPEC_INPUT_SCHEMA } from "../../../src/spec/schema.ts";
import { contextWith } from "../spec/catalog.ts";
import type { Language } from "./figures.ts";
import { code, table } from "./tables.ts";

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly default?: unknown;
}

/** An example of every member of an account query, by its path. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  kind: "account_query",
  spec_version: "2.0",
  entity: "company",
  limit: 50,
  "filters.industry.cnae_any_of": ["5611201", "6201"],
  "filters.industry.cnae_exclude": ["5611-2/03"],
  "filters.industry.secondary_cnae_mode": "fallback",
  "filters.industry.text_hints": ["Pão  de QUEIJO"],
  "filters.industry.cnae_secondary_any_of": ["4789"],
  "filters.geo.uf_any_of": ["mg", "SP", "mg"],
  "filters.geo.municipality_ibge_any_of": ["310620"],
  "filters.geo.municipality_tom_any_of": ["427"],
  "filters.geo.postal_code_prefix_any_of": ["30", "301"],
  "filters.geo.area_code_any_of": ["31"],
  "filters.geo.district_any_of": [{ municipality_ibge: "355030", name: "Jardim  São Luís" }],
  "filters.company.registration_status_any_of": ["02"],
  "filters.company.company_size_code_any_of": [3, "01"],
  "filters.company.headquarters_only": true,
  "filters.company.simples_opt_in": true,
  "filters.company.mei_opt_in": false,
  "filters.company.started_after": "2020",
  "filters.company.started_before": "2024-07",
  "filters.company.share_capital_min": 10000,
  "filters.company.share_capital_max": 250000.5,
  "filters.company.legal_nature_any_of": ["206"],
  "filters.company.branches_only": true,
  "filters.company.establishments_min": 5,
  "filters.company.establishments_max": 50,
  "filters.company.status_since": "2026-07",
  "filters.company.status_before": "2026-10-01",
  "filters.company.status_reason_any_of": ["1", "63"],
  "filters.company.simples_excluded_since": "2026",
  "filters.company.simples_excluded_before": "2026-10",
  "filters.company.mei_excluded_since": "2026",
  "filters.company.mei_excluded_before": "2026-10",
  "filters.company.sanction_any_of": ["CNEP", "ceis"],
  "filters.company.has_federal_debt": true,
  "filters.company.federal_debt_min": 1000000,
  "filters.company.federal_debt_max": 2500000.5,
  "filters.company.federal_debt_any_of": ["FGTS", "social_security"],
  "filters.company.owned_by_any_of": ["11.222.333/0001-81", "00000000"],
  "filters.company.owned_by_depth": 2,
  "filters.company.owned_companies_min": 1,
  "filters.company.owned_companies_max": 20,
  "filters.company.owner_companies_min": 1,
  "filters.company.owner_companies_max": 3,
  "filters.contact.require_email": true,
  "filters.contact.require_phone": true,
  "filters.contact.require_any_contact": true,
  "filters.contact.require_mobile": true,
  "filters.contact.require_landline": true,
  "filters.contact.require_own_domain": true,
  "filters.contact.email_shared_max": 1,
  "filters.contact.phone_shared_max": 3,
  "filters.contact.phone_any_of": ["(11) 98765-4321", "011 3333-4444"],
  "filters.contact.email_any_of": ["Ana@Example.com"],
  "filters.contact.missing_any_of": ["phone", "mobile", "email"],
  "filters.lists.any_of": [`lst_${"0".repeat(31)}1`],
  "filters.lists.exclude": [`lst_${"0".repeat(31)}2`],
  sort: [{ field: "started_on", direction: "desc" }],
  "scoring.strategy": "contactable",
  "scoring.random_seed": 42,
  "output.format": "csv",
  "output.include_explain": true,
  "output.fields": ["cnpj", "legal_name", "email"],
  "output.bom": true,
  "output.delimiter": ";",
  "output.labels": "pt",
  "output.preset": "hubspot",
  "output.title": "Padarias  de Minas",
  "output.compression": "gzip",
  "explain.assumptions": ["Only active companies."],
  "explain.warnings": [],
  "explain.unmapped_constraints": [],
  "explain.confidence": 0.97,
};

/** An example of every member of a lead query. */
const LEAD_EXAMPLES = {
  kind: "lead_query",
  spec_version: "1.0",
  activities: ["padarias", "5611-2/01"],
  exclude_activities: "lanchonetes",
  cities: ["Florianópolis", "Bom Jesus/PI"],
  states: ["MG", "Bahia"],
  regions: "Sul",
  districts: ["Savassi, Belo Horizonte", { municipality_ibge: "3550308", name: "Moema" }],
  sizes: ["micro", "pequena"],
  status: "ativa",
  opened_after: "2020",
  opened_before: "2024-07",
  min_share_capital: 10000,
  has_email: true,
  has_phone: false,
  only_headquarters: true,
  simples: true,
  mei: false,
  name_contains: ["pao de queijo"],
  sort: "newest",
  limit: 20,
  one_per_company: false,
};

/** Returns the table of the members of an account query. */
export function specTable(): string {
  const found: string[] = [];
  const rows = members(plain(SPEC_INPUT_SCHEMA), "").map(({ path, schema }) => {
    const fix = `${path} has no example: add one to EXAMPLES in test/support/documents/spec.ts`;
    assert(Object.hasOwn(EXAMPLES, path), fix);
    found.push(path);
    const example = EXAMPLES[path];
    const normal = JSON.stringify(normalForm(path, example));
    const written = JSON.stringify(example);
    const shown = normal === written ? "the same" : code(normal);
    return [code(path), takes(schema), meaning(schema), code(written), shown];
  });
  assert.deepEqual(Object.keys(EXAMPLES).sort(), found.sort(), "examples of no member");
  return table(["Member", "Takes", "Meaning", "Example", "Normal form"], rows);
}

/** Returns the table of the members of a lead query. */
export function leadTable(): string {
  const { properties = {} } = plain(LEAD_INPUT_SCHEMA);
  assert.deepEqual(Object.keys(LEAD_EXAMPLES).sort(), Object.keys(properties).sort());
  assert(Compile(LEAD_INPUT_SCHEMA).Check(LEAD_EXAMPLES), "an example does not fit the schema");
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    takes(schema),
    meaning(schema),
    code(JSON.stringify((LEAD_EXAMPLES as Readonly<Record<string, unknown>>)[name])),
  ]);
  return table(["Member", "Takes", "Meaning", "Example"], rows);
}

const LIMIT_WORDS: Readonly<Record<keyof typeof SPEC_LIMITS, string>> = {
  searchLimitMax: "accounts in one page of a search",
  exportLimitMax: "rows of one export, before the plan's cap",
  arrayLengthMax: "elements of a list",
  stringLengthMax: "characters of a string outside `explain`",
  cnaeCodesMax: "subclasses of one list, after prefixes and sections are expanded",
  textHintsMax: "phrases of `text_hints`",
  textHintLengthMax: "characters of one phrase",
  titleLengthMax: "characters of `output.title`",
  districtsMax: "districts of `district_any_of`",
  rootsMax: "companies of `owned_by_any_of`",
  depthMax: "steps of `owned_by_depth`",
  contactsMax: "phones of `phone_any_of`, addresses of `email_any_of`",
  sortKeysMax: "keys of `sort`",
  explainItemsMax: "elements of each list of `explain`",
  explainStringMax: "characters of a string in `explain`",
  explainBytesMax: "bytes of all of `explain`, as JSON",
  shareCapitalMax: "reais of a share capital",
  countMax: "companies or establishments that a filter counts",
};

/** Readable names for the groups of filters, by language. */
const GROUPS: Readonly<Record<Language, Readonly<Record<FilterGroup, string>>>> = {
  en: {
    industry: "activity and words of the name",
    geo: "place",
    company: "company",
    contact: "contact",
    lists: "lists",
  },
  pt: {
    industry: "atividade e palavras do nome",
    geo: "lugar",
    company: "empresa",
    contact: "contato",
    lists: "listas",
  },
};

/** Returns the list of every filter of a spec, by group. */
export function filtersList(language: Language): string {
  return byGroup(FILTERS, (group) => GROUPS[language][group]);
}

/** Returns the list of narrowing filters. Every search needs at least one of them. */
export function narrowingList(): string {
  return byGroup(NARROWING, (group) => code(`filters.${group}`));
}

function byGroup(rows: readonly AnyRow[], name: (group: FilterGroup) => string): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const lines = groups.map((group) => {
    const members = rows.filter((row) => row.group === group);
    return `- ${name(group)}: ${members.map(({ member }) => code(member)).join(", ")}\n`;
  });
  return lines.join("");
}

/** Limits of specs. */
export function limitsTable(): string {
  const rows = Object.entries(SPEC_LIMITS).map(([name, max]) => [
    LIMIT_WORDS[name as keyof typeof SPEC_LIMITS],
    max.toLocaleString("en-US"),
  ]);
  const names = `names (not codes) in one list of activities of a lead query`;
  rows.push([names, LEAD_LIMITS.activityNamesMax.toLocaleString("en-US")]);
  return table(["What", "At most"], rows);
}

function members(schema: Schema, path: string): { path: string; schema: Schema }[] {
  if (schema.properties === undefined) return [{ path, schema }];
  return Object.entries(schema.properties).flatMap(([name, below]) =>
    members(below, path === "" ? name : `${path}.${name}`),
  );
}

/** Describes the values that a schema allows. */
function takes(schema: Schema): string {
  if (schema.const !== undefined) return code(String(schema.const));
  if ((schema.enum?.length ?? 0) > 12) return "names of output fields";
  if (schema.enum !== undefined) return schema.enum.map((one) => code(String(one))).join(", ");
  if (schema.anyOf !== undefined) {
    return [...new Set(schema.anyOf.map(takes))].join(" or ");
  }
  if (schema.type === "array") {
    const { items = {} } = schema;
    return items.properties === undefined ? `list of ${takes(items)}` : "list of objects";
  }
  const { type = "any", minimum, maximum } = schema;
  if (minimum === undefined && maximum === undefined) return type;
  return `${type} ${minimum ?? ""} to ${(maximum ?? Number.NaN).toLocaleString("en-US")}`;
}

function meaning(schema: Schema): string {
  const own = schema.description;
  const below = (schema.anyOf ?? []).map(({ description }) => description);
  return own ?? below.find((text) => text !== undefined) ?? schema.items?.description ?? "";
}

/** Normalizes a spec with only this member, and returns the member's normal form. */
function normalForm(path: string, example: unknown): unknown {
  const names = path.split(".");
  let input: unknown = example;
  for (const name of names.toReversed()) input = { [name]: input };
  // Exports accept every activity mode and format, so examples of these are normalized for an
  // export. All others are normalized for a search, which has a lower maximum for `limit`.
  const mode = names[0] === "output" || path.endsWith("cnae_mode") ? "export" : "search";
  const context = contextWith({ catalog: CATALOG, mode, fullAllowed: true, listsKnown: true });
  if (path.endsWith("owned_by_depth")) {
    input = { filters: { company: { owned_by_any_of: ["00000000"], owned_by_depth: example } } };
  }
  let value: unknown = normalizeSpec(input, context).spec;
  for (const name of names) value = (value as Record<string, unknown>)[name];
  return value;
}

/** Converts a schema to the plain object that its JSON text describes. */
function plain(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}

/**
 * A catalog with all activities, legal natures, and municipalities. One municipality has a TOM
 * code, for its example.
 */
const CATALOG: Catalog = {
  cnaeCodes: buildActivities()
    .list.map((one) => String(one.code).padStart(7, "0"))
    .sort(),
  municipalities: getMunicipalities().map((one) => ({
    tom: one.code === "1501402" ? "0427" : "",
    ibge: one.code,
    uf: one.stateCode,
    name: one.name,
  })),
  legalNatures: Object.keys(getLegalNatures()).sort(),
};
