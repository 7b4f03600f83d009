/**
 * What is asked, as a value. What comes in: filters, order and strategy as a person sets them, or
 * a normalized spec. What goes out: the same in one canonical form, and the spec to send.
 * Invariant: two queries that ask the same are equal as JSON; nothing is dropped but repeats,
 * and a query is never altered in place.
 */
import type { Filters, SortKey, Spec } from "./answers.ts";

/** What the find view asks. */
export interface Query {
  filters: Filters;
  sort: SortKey[];
  scoring: { strategy: string; random_seed: number | null };
}

/** A spec as it is sent: the server fills in the rest. */
export interface SentSpec extends Query {
  kind: "account_query";
  spec_version: "2.0";
  entity: "company";
  [more: string]: unknown;
}

/** Bounds that the server sets; held equal to its own by a test. */
export const BOUNDS = {
  sentence: 2_000,
  nameWords: 20,
  nameWordsLength: 80,
  sortKeys: 3,
  shareCapital: 90_000_000_000_000,
  activities: 1_400,
} as const;

/** The order where none is chosen. */
const BY_SCORE: SortKey = { field: "score", direction: "desc" };

/** The query that asks for everything. */
export function emptyQuery(): Query {
  return {
    filters: {
      industry: { cnae_any_of: [], cnae_exclude: [], text_hints: [] },
      geo: { uf_any_of: [], municipality_ibge_any_of: [], municipality_tom_any_of: [] },
      company: {
        registration_status_any_of: [],
        company_size_code_any_of: [],
        headquarters_only: false,
        simples_opt_in: null,
        mei_opt_in: null,
        started_after: null,
        started_before: null,
      },
      contact: { require_email: false, require_phone: false, require_any_contact: false },
    },
    sort: [{ ...BY_SCORE }],
    scoring: { strategy: "balanced", random_seed: null },
  };
}

/** The canonical form: lists ascending without repeats, extensions only where they are used. */
export function tidyQuery({ filters, sort, scoring }: Query): Query {
  const { industry, geo, company, contact } = filters;
  return {
    filters: {
      industry: {
        cnae_any_of: ascending(industry.cnae_any_of),
        cnae_exclude: ascending(industry.cnae_exclude),
        text_hints: ascending(industry.text_hints),
      },
      geo: tidyGeo(geo),
      company: tidyCompany(company),
      contact: {
        require_email: contact.require_email,
        require_phone: contact.require_phone,
        require_any_contact: contact.require_any_contact,
      },
    },
    sort: (sort.length === 0 ? [BY_SCORE] : sort).map(({ field, direction }) => ({
      field,
      direction,
    })),
    scoring: { strategy: scoring.strategy, random_seed: scoring.random_seed },
  };
}

function tidyGeo(geo: Filters["geo"]): Filters["geo"] {
  const { postal_code_prefix_any_of: postal = [], area_code_any_of: areas = [] } = geo;
  return {
    uf_any_of: ascending(geo.uf_any_of),
    municipality_ibge_any_of: ascending(geo.municipality_ibge_any_of),
    municipality_tom_any_of: ascending(geo.municipality_tom_any_of),
    ...(postal.length === 0 ? {} : { postal_code_prefix_any_of: ascending(postal) }),
    ...(areas.length === 0 ? {} : { area_code_any_of: ascending(areas) }),
  };
}

function tidyCompany(company: Filters["company"]): Filters["company"] {
  const { share_capital_min: min, share_capital_max: max, legal_nature_any_of = [] } = company;
  return {
    registration_status_any_of: [...new Set(company.registration_status_any_of)].sort(
      (left, right) => left - right,
    ),
    company_size_code_any_of: ascending(company.company_size_code_any_of),
    headquarters_only: company.headquarters_only,
    simples_opt_in: company.simples_opt_in,
    mei_opt_in: company.mei_opt_in,
    started_after: company.started_after,
    started_before: company.started_before,
    ...(min === undefined ? {} : { share_capital_min: min }),
    ...(max === undefined ? {} : { share_capital_max: max }),
    ...(legal_nature_any_of.length === 0
      ? {}
      : { legal_nature_any_of: ascending(legal_nature_any_of) }),
  };
}

function ascending(list: readonly string[]): string[] {
  return [...new Set(list)].sort();
}

/** Whether two queries ask the same, order included. */
export function sameQuery(one: Query, other: Query): boolean {
  return JSON.stringify(tidyQuery(one)) === JSON.stringify(tidyQuery(other));
}

/** Whether two queries have the same filters; the order does not count. */
export function sameFilters(one: Query, other: Query): boolean {
  return JSON.stringify(tidyQuery(one).filters) === JSON.stringify(tidyQuery(other).filters);
}

/** Whether a query filters nothing. */
export function isEmpty(query: Query): boolean {
  return sameFilters(query, emptyQuery());
}

/** What a normalized spec asks. */
export function queryOf({ filters, sort, scoring }: Spec): Query {
  return structuredClone(tidyQuery({ filters, sort, scoring }));
}

/** The spec of a query; `extra` are further members, such as `output`. */
export function specOf(query: Query, extra: Record<string, unknown> = {}): SentSpec {
  return {
    kind: "account_query",
    spec_version: "2.0",
    entity: "company",
    ...tidyQuery(query),
    ...extra,
  };
}

/** Sets the member of a query's spec that a pointer names back to what filters nothing. */
export function clearPointer(draft: Query, pointer: string): void {
  const path = pointer.split("/").slice(1);
  const member = path.at(-1);
  if (member === undefined) return;
  const inside = (root: unknown) =>
    path.slice(0, -1).reduce((node, name) => (node as Branch | undefined)?.[name], root as unknown);
  const target = inside(draft) as Branch | undefined;
  const blank = inside(emptyQuery()) as Branch | undefined;
  if (target === undefined) return;
  if (blank?.[member] === undefined) delete target[member];
  else target[member] = blank[member];
}

type Branch = Record<string, unknown>;
