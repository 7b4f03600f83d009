/**
 * Reads and writes the address of a comparison: two searches and a facet, or one search and two
 * facets. Input: the text after `#`, or a comparison. Output: the comparison, or its address.
 * Invariant: decode(encode(c)) = c. Searches are encoded as in the find view's address. An unknown
 * facet is replaced by the first one.
 */
import type { CatalogLookup } from "../../../spec/catalog.ts";
import { FACETS, type FacetName } from "../../../spec/facets.ts";
import { decodeAddress, encodeAddress } from "../find/address.ts";
import type { Query } from "../find/question.ts";

/** Separators between searches and before facets, which no parameter of a search is called. */
const VERSUS = "&versus&";
const BY = "&by&";
/** Separator before the month of the second search. */
const IN = "&in&";
/** Between two facets. */
const TIMES = "*";

/** A comparison. */
export interface Comparison {
  readonly first: Query;
  /** Null until the user has chosen the second search. */
  readonly second: Query | null;
  /** Older month in which the second search is counted; null for the served one. */
  readonly month: string | null;
  /** Facet whose values are compared. */
  readonly facet: FacetName;
  /**
   * Facet of the columns if this is a cross table of the first search; null if it is a comparison.
   */
  readonly across: FacetName | null;
}

/** Returns the address of a search, without `#`. */
export function addressOfQuery(query: Query, lookup: CatalogLookup | null): string {
  return encodeAddress({ query, sentence: "", month: null }, lookup);
}

/** Encodes a comparison. */
export function encodeComparison(
  { first, second, month, facet, across }: Comparison,
  lookup: CatalogLookup | null,
): string {
  const at = month === null ? "" : IN + month;
  const other = second === null ? "" : VERSUS + addressOfQuery(second, lookup) + at;
  const facets = across === null ? facet : `${facet}${TIMES}${across}`;
  return `${addressOfQuery(first, lookup)}${other}${BY}${facets}`;
}

/** Decodes a comparison. */
export function decodeComparison(hash: string, lookup: CatalogLookup): Comparison {
  const [searches = "", by = ""] = hash.split(BY);
  const [first = "", versus] = searches.split(VERSUS);
  const [second, month = ""] = versus?.split(IN) ?? [];
  const [facet, across] = by.split(TIMES);
  return {
    first: decodeAddress(first, lookup).query,
    second: second === undefined ? null : decodeAddress(second, lookup).query,
    month: /^\d{4}-\d{2}$/.test(month) ? month : null,
    facet: facetOf(facet) ?? "company_size",
    across: facetOf(across),
  };
}

function facetOf(name: string | undefined): FacetName | null {
  return FACETS.find((one) => one === name) ?? null;
}
