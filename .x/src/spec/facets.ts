/**
 * The facets: fields whose values can be counted over all matches.
 * Invariant: every list of facets derives from this one.
 */

/** Every facet, in the order of the documents. */
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
  "status_month",
] as const;

/** Two facets that are counted together. */
export type FacetPair = readonly [FacetName, FacetName];

/** Number of specs that one request compares. */
export const COMPARED = { min: 2, max: 4 } as const;

/** Pairs in one request. */
export const FACET_PAIRS_MAX = 2;

/** Name of a facet. */
export type FacetName = (typeof FACETS)[number];
