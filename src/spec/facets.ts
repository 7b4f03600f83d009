/**
 * The facets: fields whose values can be counted over all matches.
 * Invariant: every list of facets derives from this one.
 */

/** All facets, in the order of the documentation. */
export const FACETS = [
  "uf",
  "municipality",
  "cnae_section",
  "cnae_division",
  "cnae_group",
  "cnae_class",
  "cnae_subclass",
  "registration_status",
  "company_size",
  "started_year",
  "legal_nature",
  "simples",
  "mei",
  "headquarters",
  "contact",
  "started_quarter",
  "started_month",
  "status_year",
  "status_quarter",
  "status_month",
] as const;

/** Two facets whose combinations are counted. */
export type FacetPair = readonly [FacetName, FacetName];

/** Facets whose values are periods of time. */
const TIMES: ReadonlySet<string> = new Set(
  FACETS.filter((name) => /^(started|status)_/.test(name)),
);

/** True if the values of a facet are periods of time. */
export function isTimeFacet(name: FacetName): boolean {
  return TIMES.has(name);
}

/** Layouts of a file of counts: a line for each value or pair, or a pair as one table. */
export const COUNT_LAYOUTS = ["lines", "table"] as const;

/** Layout of a file of counts. */
export type CountLayout = (typeof COUNT_LAYOUTS)[number];

/** True if the request is for one pair of facets and nothing else, so that it fits a table. */
export function fitsTable(names: readonly FacetName[], pairs: readonly FacetPair[]): boolean {
  return names.length === 0 && pairs.length === 1;
}

/** Range of the number of specs that one request can compare. */
export const COMPARED = { min: 2, max: 4 } as const;

/** Maximum number of pairs in one request. */
export const FACET_PAIRS_MAX = 2;

/** Name of a facet. */
export type FacetName = (typeof FACETS)[number];
