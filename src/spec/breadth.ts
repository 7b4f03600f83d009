/**
 * What comes in: a normalized spec. What goes out: whether it is too broad to be answered, and
 * which filters would narrow it.
 * Invariant: a spec with at least one industry or one place filter is never too broad, however
 * many accounts it matches.
 */
import type { AccountQuerySpec } from "./schema.ts";

/** Filters of which at least one is needed. */
const NARROWING_FILTERS = [
  "filters.industry.cnae_any_of",
  "filters.industry.text_hints",
  "filters.geo.uf_any_of",
  "filters.geo.municipality_ibge_any_of",
  "filters.geo.municipality_tom_any_of",
  "filters.geo.postal_code_prefix_any_of",
  "filters.geo.area_code_any_of",
] as const;

/** The missing filters of a spec that is too broad; null for every other spec. */
export function tooBroad(spec: AccountQuerySpec): { readonly missing: string[] } | null {
  const { industry, geo } = spec.filters;
  const lists = [
    industry.cnae_any_of,
    industry.text_hints,
    geo.uf_any_of,
    geo.municipality_ibge_any_of,
    geo.municipality_tom_any_of,
    geo.postal_code_prefix_any_of ?? [],
    geo.area_code_any_of ?? [],
  ];
  return lists.some((list) => list.length > 0) ? null : { missing: [...NARROWING_FILTERS] };
}
