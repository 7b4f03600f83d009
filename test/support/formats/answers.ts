/**
 * Queries a snapshot in ways that use every part of its index. Output: the answers as plain values.
 * Invariant: a user can make each of these queries, so that the answers can be compared with those
 * of another version of the program for the same file. Every filter and every order is used at
 * least once.
 */

import { account, countMatches, facets, search } from "../../../src/search/searcher.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { FACETS, isTimeFacet } from "../../../src/spec/facets.ts";
import { WIDER_FIELDS } from "../../../src/spec/fields/wider.ts";
import {
  DEFAULT_FIELDS,
  OUTPUT_FIELD_NAMES,
  SCORING_STRATEGIES,
  SORT_FIELDS,
} from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";

/** Fields added after the answers were recorded; they are derived from phones and owners. */
const MADE_LATER: readonly string[] = ["whatsapp", "owned_companies", "owner_companies"];

/** Position of the first field that format version 3 added. */
const RECORD_AT = WIDER_FIELDS.findIndex(({ name }) => name === "simples_excluded_on");

/** Accounts per request. */
const PAGE = 12;

const SPECS: readonly object[] = [
  { filters: {} },
  { filters: { geo: { uf_any_of: ["SP", "MG"] } } },
  { filters: { company: { registration_status_any_of: [2], headquarters_only: true } } },
  { filters: { company: { mei_opt_in: true } } },
  { filters: { company: { simples_opt_in: false, company_size_code_any_of: ["01", "05"] } } },
  { filters: { company: { started_after: "2015-03-01", started_before: "2021-09-30" } } },
  { filters: { contact: { require_email: true } } },
  { filters: { contact: { require_any_contact: true } } },
  { filters: { geo: { municipality_ibge_any_of: ["3550308", "4106902"] } } },
  { filters: { geo: { municipality_tom_any_of: ["7107"] } } },
  { filters: { industry: { text_hints: ["comercio"] } } },
  { filters: { industry: { cnae_any_of: ["9430-8/00", "9411-1/00", "9602-5/01"] } } },
  { filters: { industry: { cnae_exclude: ["9430-8/00"] }, contact: { require_phone: true } } },
  ...SORT_FIELDS.flatMap((field) =>
    ["asc", "desc"].map((direction) => ({ filters: {}, sort: [{ field, direction }] })),
  ),
  ...SCORING_STRATEGIES.map((strategy) => ({
    filters: {},
    scoring: { strategy, random_seed: strategy === "random" ? 7 : null },
  })),
];

/** Queries that a snapshot of format version 1 cannot answer. */
const COUNTED_SPECS: readonly object[] = [
  { filters: { company: { establishments_min: 2 } } },
  { filters: { contact: { email_shared_max: 1, require_own_domain: true } } },
  { filters: { contact: { phone_shared_max: 2, require_mobile: true } } },
];

/** Queries that need format 3. */
const RECORD_SPECS: readonly object[] = [
  { filters: { company: { status_since: "2019-02", status_before: "2023-07-15" } } },
  { filters: { company: { status_reason_any_of: ["1", "63"] } } },
  { filters: { company: { simples_excluded_since: "2015", simples_excluded_before: "2024" } } },
  { filters: { company: { mei_excluded_since: "2012" } } },
  { filters: { contact: { missing_any_of: ["email", "mobile"] } } },
];

/**
 * Facets whose counts were recorded. Later versions added facets of dates, which count columns that
 * already existed.
 */
const RECORDED_FACETS = FACETS.filter((name) => name === "started_year" || !isTimeFacet(name));

/** Returns the answers to all queries. */
export function answersOf(segment: Segment): object {
  const { label, snapshotDate, snapshotId, provenance, accounts } = segment;
  const everything = specOf(segment, { filters: {} });
  const isFirst = segment.catalog.lacksCounts === true;
  const hasRecord = segment.catalog.lacksExclusions !== true;
  const later = [...(isFirst ? [] : COUNTED_SPECS), ...(hasRecord ? RECORD_SPECS : [])];
  const specs = [...SPECS, ...later];
  const record: readonly string[] = WIDER_FIELDS.slice(RECORD_AT).map(({ name }) => name);
  const wider: readonly string[] = WIDER_FIELDS.map(({ name }) => name);
  const fields = OUTPUT_FIELD_NAMES.filter(
    (name) =>
      !MADE_LATER.includes(name) &&
      (!isFirst || !wider.includes(name)) &&
      (hasRecord || !record.includes(name)),
  );
  return {
    snapshot: { label, snapshotDate, snapshotId, provenance, accounts },
    searches: specs.map((input) => ({ input, ...answer(segment, specOf(segment, input)) })),
    facets: facets(segment, everything, RECORDED_FACETS),
    all: firsts(segment, everything, segment.accounts),
    whole: firsts(segment, everything, PAGE).map((cnpj) => account(segment, cnpj, fields)),
  };
}

function answer(segment: Segment, spec: AccountQuerySpec) {
  return { total: countMatches(segment, spec), cnpjs: firsts(segment, spec, PAGE) };
}

function firsts(segment: Segment, spec: AccountQuerySpec, limit: number): string[] {
  const request = { spec: { ...spec, limit }, fields: ["cnpj"], afterRow: -1, explain: false };
  const { accounts } = search(segment, request);
  return (JSON.parse(Buffer.from(accounts).toString()) as { cnpj: string }[]).map(
    ({ cnpj }) => cnpj,
  );
}

function specOf({ catalog }: Segment, input: object): AccountQuerySpec {
  const { spec } = normalizeSpec(input, {
    catalog,
    limitDefault: PAGE,
    limitCap: PAGE,
    bodyLimit: PAGE,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "search",
    fullAllowed: false,
  });
  return spec;
}
