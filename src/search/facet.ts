/**
 * How the matches of a query spread over the values of a field. What comes in: a segment, the
 * filters of a spec, names of facets. What goes out: for each the most frequent values with their
 * exact counts, how much the others hold, and how many matches have no value.
 * Invariant: counts, the others and the missing ones sum to the number of matches. More frequent
 * values come first, equal ones by value ascending.
 */
import { availableParallelism } from "node:os";
import type { Clause, NativeFacet } from "../../native-index/napi/engine.ts";
import type { FacetName } from "../spec/facets.ts";
import { type FacetValue, valuesOfFacet } from "./facetvalues.ts";
import { guarded, type Segment } from "./segment.ts";

/** Most values of a facet that are listed; the rest is counted as one. */
export const FACET_VALUES_MAX = 100;

/** One value: as the filter of the spec wants it, with its name where it has one. */
interface FacetCount extends FacetValue {
  readonly count: number;
}

/** The values of one facet. */
export interface Facet {
  readonly values: readonly FacetCount[];
  /** Values that are not listed: how many there are and what they hold. */
  readonly other: { readonly values: number; readonly count: number };
  /** Matches without a value. */
  readonly missing: number;
}

/** Facets by name. */
export type Facets = Readonly<Partial<Record<FacetName, Facet>>>;

/** The addon's facet behind a public one. */
const NATIVE: Readonly<Record<FacetName, NativeFacet>> = {
  uf: "uf",
  municipality: "municipality",
  cnae_section: "cnae",
  cnae_division: "cnae",
  cnae_group: "cnae",
  cnae_class: "cnae",
  cnae_subclass: "cnae",
  registration_status: "registration_status",
  company_size: "company_size",
  started_year: "started_year",
  legal_nature: "legal_nature",
  simples: "simples",
  mei: "mei",
  headquarters: "headquarters",
  contact: "contact",
};

/** Counts facets of the matches of clauses. */
export function facets(
  segment: Segment,
  clauses: readonly Clause[],
  names: readonly FacetName[],
): Facets {
  const wanted = nativeOf(names);
  const counted = guarded(() => segment.native.facets(clauses, wanted));
  return namedFacets(segment, names, counted);
}

/** So many accounts are worth a further thread; the registry has nine times as many. */
const ACCOUNTS_EACH = 8_000_000;

/** As `facets`, counted off the main thread. */
export async function facetsAside(
  segment: Segment,
  clauses: readonly Clause[],
  names: readonly FacetName[],
): Promise<Facets> {
  const { accounts, native } = segment;
  const worth = 1 + Math.floor(accounts / ACCOUNTS_EACH);
  const threads = Math.min(worth, availableParallelism());
  return namedFacets(segment, names, await native.facetsAside(clauses, nativeOf(names), threads));
}

/** At most how much is looked at for facets and the total; see `facetsWorkMax` of the addon. */
export function facetsWork(
  segment: Segment,
  clauses: readonly Clause[],
  names: readonly FacetName[],
): number {
  return segment.native.facetsWorkMax(clauses, nativeOf(names));
}

/** The addon's facets behind public ones, each once. */
function nativeOf(names: readonly FacetName[]): NativeFacet[] {
  return [...new Set(names.map((name) => NATIVE[name]))];
}

function namedFacets(
  segment: Segment,
  names: readonly FacetName[],
  counted: readonly Uint32Array[],
): Facets {
  const native = nativeOf(names);
  return Object.fromEntries(
    names.map((name) => {
      const counts = counted[native.indexOf(NATIVE[name])] as Uint32Array;
      return [name, facetOf(segment, name, counts)];
    }),
  );
}

/**
 * Turns counts by code into values; codes may fall together into one value, or into none. Nothing
 * is made for a value that is not listed: there are thousands of municipalities.
 */
function facetOf(segment: Segment, name: FacetName, counts: Uint32Array): Facet {
  const { values, places } = valuesOfFacet(segment, name, counts.length - 1);
  const byPlace = new Float64Array(values.length);
  let missing = counts[counts.length - 1] as number;
  for (let code = 0; code < counts.length - 1; code++) {
    const count = counts[code] as number;
    const place = places[code] as number;
    if (place < 0) missing += count;
    else (byPlace[place] as number) += count;
  }
  const { listed, other } = mostOf(byPlace);
  const counted = (place: number): FacetCount => {
    const { value, label } = values[place] as FacetValue;
    const count = byPlace[place] as number;
    return label === undefined ? { value, count } : { value, label, count };
  };
  return { values: listed.map(counted), other, missing };
}

/**
 * Places of the most, at most so many as are listed, and the sums of the others; of equal counts
 * the first place is first.
 */
function mostOf(counts: Float64Array): { listed: number[]; other: Facet["other"] } {
  const listed: number[] = [];
  let values = 0;
  let sum = 0;
  // Count of the last listed place once the list is full: a further place needs more.
  let least = 0;
  for (let place = 0; place < counts.length; place++) {
    const count = counts[place] as number;
    if (count === 0) continue;
    values++;
    sum += count;
    if (count <= least) continue;
    if (listed.length === FACET_VALUES_MAX) listed.pop();
    listed.splice(placeFor(listed, counts, count), 0, place);
    if (listed.length === FACET_VALUES_MAX) least = counts[listed.at(-1) as number] as number;
  }
  for (const place of listed) sum -= counts[place] as number;
  return { listed, other: { values: values - listed.length, count: sum } };
}

/** Where a count belongs among those listed: behind all that are not smaller. */
function placeFor(listed: readonly number[], counts: Float64Array, count: number): number {
  let low = 0;
  for (let high = listed.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((counts[listed[middle] as number] as number) >= count) low = middle + 1;
    else high = middle;
  }
  return low;
}
