/**
 * Counts the matches of a query by the values of a field. Input: a segment, the filters of a spec,
 * names of facets. Output, for each facet: the most frequent values with exact counts, the matches
 * of the other values, and the matches without a value.
 * Invariant: listed, other, and missing counts sum to the number of matches. More frequent values
 * come first, ties by ascending value. The values of a facet are computed once for a segment, only
 * from the tables of the snapshot; they are distinct and ascending.
 */
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { TABLES, type TableName } from "../../native-index/format/columns.ts";
import type { Clause, NativeFacet } from "../../native-index/napi/engine.ts";
import { CNAE_NOT_INFORMED, punctuateCnae, sectionOfCnae } from "../spec/catalog.ts";
import type { FacetName, FacetPair } from "../spec/facets.ts";
import { guarded, type Segment } from "./segment.ts";

/** Maximum number of listed values of a facet. All others are counted together. */
export const FACET_VALUES_MAX = 100;

/** A value as a spec's filter writes it, with its name if it has one, and its count. */
export interface FacetCount extends FacetValue {
  readonly count: number;
}

/** The values of one facet. */
export interface Facet {
  readonly values: readonly FacetCount[];
  /** The values that are not listed: how many there are, and the number of their matches. */
  readonly other: { readonly values: number; readonly count: number };
  /** Matches without a value. */
  readonly missing: number;
}

/** Facets by name. */
export type Facets = Readonly<Partial<Record<FacetName, Facet>>>;

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
  started_quarter: "started_month",
  started_month: "started_month",
  status_year: "status_month",
  status_quarter: "status_month",
  status_month: "status_month",
};

/** Counts the values of facets over the rows that meet the clauses. */
export function facets(
  segment: Segment,
  clauses: readonly Clause[],
  names: readonly FacetName[],
): Facets {
  const wanted = nativeOf(names);
  const counted = guarded(() => segment.native.facets(clauses, wanted));
  return namedFacets(segment, names, counted);
}

/** Number of accounts for which a scan uses one more thread: a ninth of the registry. */
const ACCOUNTS_EACH = 8_000_000;

function threadsFor({ accounts }: Segment): number {
  return Math.min(1 + Math.floor(accounts / ACCOUNTS_EACH), availableParallelism());
}

/** Codes whose counts one turn of the event loop converts. Converting takes about 10 ns each. */
const CODES_OF_TURN_MAX = 12_000;

/** True if one turn of the event loop can convert the counts of these facets. */
export function fitTurn(segment: Segment, names: readonly FacetName[]): boolean {
  return names.reduce((sum, name) => sum + codesOf(segment, name), 0) <= CODES_OF_TURN_MAX;
}

/** Like `facets`, off the main thread. Many counts are converted in several turns. */
export async function facetsAsync(
  segment: Segment,
  clauses: readonly Clause[],
  names: readonly FacetName[],
): Promise<Facets> {
  const counted = await facetCodesAsync(segment, clauses, names);
  const native = nativeOf(names);
  const converted: [FacetName, Facet][] = [];
  let turn: FacetName[] = [];
  for (const name of names) {
    if (!fitTurn(segment, [...turn, name])) {
      await setImmediate();
      turn = [];
    }
    turn.push(name);
    const counts = counted[native.indexOf(NATIVE[name])] as Uint32Array;
    converted.push([name, facetOf(segment, name, counts, FACET_VALUES_MAX)]);
  }
  return Object.fromEntries(converted);
}

/**
 * Counts off the main thread. Returns the counts by code of each facet that the addon counts for
 * `names`; `allFacetsOf` converts them.
 */
export function facetCodesAsync(
  segment: Segment,
  clauses: readonly Clause[],
  names: readonly FacetName[],
): Promise<readonly Uint32Array[]> {
  return segment.native.facetsAsync(clauses, nativeOf(names), threadsFor(segment));
}

/** Converts counts by code of the facets `names` to counts by value, and lists every value. */
export function allFacetsOf(
  segment: Segment,
  names: readonly FacetName[],
  counted: readonly Uint32Array[],
): Facets {
  return namedFacets(segment, names, counted, Number.POSITIVE_INFINITY);
}

/**
 * Counts pairs of values off the main thread, by code of the first and then of the second facet.
 * The last code means "no value".
 */
export function pairCodesAsync(
  segment: Segment,
  clauses: readonly Clause[],
  [first, second]: FacetPair,
): Promise<Uint32Array> {
  const pair = [NATIVE[first], NATIVE[second]];
  return segment.native.pairsAsync(clauses, pair, threadsFor(segment));
}

/** Returns the values of a facet, and the value of each code. */
export function facetValues(segment: Segment, name: FacetName): FacetValues {
  return valuesOfFacet(segment, name, codesOf(segment, name));
}

/**
 * For each facet of the addon, the number of its codes, or the table with one entry for each code.
 */
const CODES: Readonly<Record<NativeFacet, number | TableName>> = {
  uf: "uf",
  municipality: "municipality_ibge",
  cnae: "cnae_primary",
  registration_status: 9,
  company_size: "company_size_code",
  started_year: 301,
  legal_nature: "legal_nature",
  simples: 2,
  mei: 2,
  headquarters: 2,
  contact: 4,
  started_month: 3_612,
  status_month: 3_612,
};

/** Returns the number of codes of a facet in a snapshot. */
export function codesOf({ native }: Segment, name: FacetName): number {
  const codes = CODES[NATIVE[name]];
  return typeof codes === "number" ? codes : native.table(TABLES.indexOf(codes)).length;
}

/** Returns an upper bound of the work to count facets and total (`facetsWorkMax` of the addon). */
export function facetsWork(
  segment: Segment,
  clauses: readonly Clause[],
  names: readonly FacetName[],
): number {
  return segment.native.facetsWorkMax(clauses, nativeOf(names));
}

/** Returns the addon's facets that the public facets are computed from, each facet once. */
function nativeOf(names: readonly FacetName[]): NativeFacet[] {
  return [...new Set(names.map((name) => NATIVE[name]))];
}

function namedFacets(
  segment: Segment,
  names: readonly FacetName[],
  counted: readonly Uint32Array[],
  most = FACET_VALUES_MAX,
): Facets {
  const native = nativeOf(names);
  return Object.fromEntries(
    names.map((name) => {
      const counts = counted[native.indexOf(NATIVE[name])] as Uint32Array;
      return [name, facetOf(segment, name, counts, most)];
    }),
  );
}

/**
 * Converts counts per code to counts per value. Several codes may have the same value, and a code
 * may have no value. Only the listed values become objects, because there are thousands of
 * municipalities.
 */
function facetOf(segment: Segment, name: FacetName, counts: Uint32Array, most: number): Facet {
  const { values, places } = valuesOfFacet(segment, name, counts.length - 1);
  const byPlace = new Float64Array(values.length);
  let missing = counts[counts.length - 1] as number;
  for (let code = 0; code < counts.length - 1; code++) {
    const count = counts[code] as number;
    const place = places[code] as number;
    if (place < 0) missing += count;
    else (byPlace[place] as number) += count;
  }
  const { listed, other } = most === FACET_VALUES_MAX ? mostOf(byPlace) : allOf(byPlace);
  const counted = (place: number): FacetCount => {
    const { value, label } = values[place] as FacetValue;
    const count = byPlace[place] as number;
    return label === undefined ? { value, count } : { value, label, count };
  };
  return { values: listed.map(counted), other, missing };
}

/** Returns the positions of all counts above 0, the largest first; ties are ordered by position. */
function allOf(counts: Float64Array): { listed: number[]; other: Facet["other"] } {
  const listed = [...counts.keys()].filter((place) => (counts[place] as number) > 0);
  listed.sort((a, b) => (counts[b] as number) - (counts[a] as number) || a - b);
  return { listed, other: { values: 0, count: 0 } };
}

/** Returns the positions of the `FACET_VALUES_MAX` largest counts, and the sum of the others. */
function mostOf(counts: Float64Array): { listed: number[]; other: Facet["other"] } {
  const listed: number[] = [];
  let values = 0;
  let sum = 0;
  // The smallest listed count once the list is full, else 0. Only larger counts are added.
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

/** Returns where to insert a count so that the list stays descending, after equal counts. */
function placeFor(listed: readonly number[], counts: Float64Array, count: number): number {
  let low = 0;
  for (let high = listed.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((counts[listed[middle] as number] as number) >= count) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface FacetValue {
  readonly value: string | number | boolean;
  readonly label?: string;
}

/** The distinct values of a facet, ascending. */
export interface FacetValues {
  readonly values: readonly FacetValue[];
  /** For each code, the index of its value in `values`, or -1 if the code has no value. */
  readonly places: Int32Array;
}

/** The year that code 0 of `started_year` means. */
const FIRST_YEAR = 1800;

/** The kinds of contact that an account may have. The index is the code. */
const CONTACTS = ["none", "email", "phone", "email_and_phone"] as const;

/** Digits of the CNAE prefix of each facet, except the section and the subclass. */
const PREFIX_DIGITS = { cnae_division: 2, cnae_group: 3, cnae_class: 5 } as const;

const known = new WeakMap<Segment, Map<FacetName, FacetValues>>();

/** Returns the values of a facet that has `codes` codes. The result is cached. */
function valuesOfFacet(segment: Segment, name: FacetName, codes: number): FacetValues {
  const facets = known.get(segment) ?? new Map<FacetName, FacetValues>();
  known.set(segment, facets);
  let values = facets.get(name);
  if (values === undefined) {
    const read = readerOf(segment, name);
    values = inOrder(Array.from({ length: codes }, (_, code) => read(code)));
    facets.set(name, values);
  }
  return values;
}

/** Returns the distinct values of all codes, ascending, and the index of each code's value. */
function inOrder(codes: readonly Read[]): FacetValues {
  const distinct = new Map<FacetValue["value"], FacetValue>();
  for (const read of codes) if (read !== null) distinct.set(read.value, read);
  const values = [...distinct.values()].sort((a, b) => (a.value < b.value ? -1 : 1));
  const placeOf = new Map(values.map(({ value }, place) => [value, place]));
  const places = codes.map((read) => (read === null ? -1 : (placeOf.get(read.value) as number)));
  return { values, places: Int32Array.from(places) };
}

type Read = FacetValue | null;

/** Returns the function that maps each code of a facet to its value. */
function readerOf(segment: Segment, name: FacetName): (code: number) => Read {
  const table = (of: TableName) => segment.native.table(TABLES.indexOf(of));
  switch (name) {
    case "registration_status":
      return (code) => ({ value: code });
    case "started_year":
      return (code) => ({ value: code + FIRST_YEAR });
    case "started_month":
    case "status_month":
      return (code) => ({ value: `${yearOf(code)}-${String((code % 12) + 1).padStart(2, "0")}` });
    case "status_year":
      return (code) => ({ value: yearOf(code) });
    case "started_quarter":
    case "status_quarter":
      return (code) => ({ value: `${yearOf(code)}-Q${Math.floor((code % 12) / 3) + 1}` });
    case "simples":
    case "mei":
    case "headquarters":
      return (code) => ({ value: code === 1 });
    case "contact":
      return (code) => ({ value: CONTACTS[code] as string });
    case "municipality":
      return municipalityReader(segment, table("municipality_ibge"));
    case "uf":
      return plain(table("uf"));
    case "company_size":
      return plain(table("company_size_code"));
    case "legal_nature":
      return plain(table("legal_nature"), table("legal_nature_description"));
    default:
      return cnaeReader(name, table("cnae_primary"), table("cnae_description"));
  }
}

function yearOf(month: number): number {
  return FIRST_YEAR + Math.floor(month / 12);
}

function plain(values: readonly string[], labels: readonly string[] = []): (code: number) => Read {
  return (code) => labelled(values[code] as string, labels[code]);
}

/** Returns a value with its label. An empty label means that the name is unknown. */
function labelled(value: string, label: string | undefined): Read {
  return label === undefined || label === "" ? { value } : { value, label };
}

/** Returns the function from CNAE codes to values. "Not informed" is only a subclass. */
function cnaeReader(
  name: Exclude<FacetName, "uf" | "contact">,
  codes: readonly string[],
  descriptions: readonly string[],
): (code: number) => Read {
  return (code) => {
    const digits = codes[code] as string;
    if (name === "cnae_subclass") return labelled(punctuateCnae(digits), descriptions[code]);
    if (digits === CNAE_NOT_INFORMED) return null;
    if (name === "cnae_section") {
      const section = sectionOfCnae(digits);
      return section === null ? null : { value: section };
    }
    return { value: digits.slice(0, PREFIX_DIGITS[name as keyof typeof PREFIX_DIGITS]) };
  };
}

/** Returns the function from codes to municipalities, whose names the dump has by TOM code. */
function municipalityReader(segment: Segment, codes: readonly string[]): (code: number) => Read {
  const names = new Map<string, string>();
  for (const { ibge, name, uf } of segment.catalog.municipalities) {
    if (ibge !== null) names.set(ibge, uf === null ? name : `${name}/${uf}`);
  }
  return (code) => labelled(codes[code] as string, names.get(codes[code] as string));
}
