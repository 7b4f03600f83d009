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
] as const;

/** Name of a facet. */
export type FacetName = (typeof FACETS)[number];
