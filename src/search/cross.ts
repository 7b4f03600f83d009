/**
 * Counts matches for files and comparisons: every value of facets, and tables of two facets. Input:
 * a segment, specs, and names. Output: exact counts by code; then, in a second step that may run on
 * another thread, counts by value, the most frequent first.
 * Invariant: the row and column sums of a table equal the facets of the same spec, and the sum of
 * all cells equals the number of matches. Rows are read off the main thread, queued fairly among
 * tenants.
 */
import { FairQueue } from "../scheduling/fairqueue.ts";
import type { FacetName, FacetPair } from "../spec/facets.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import {
  allFacetsOf,
  codesOf,
  type FacetCount,
  type Facets,
  type FacetValues,
  facetCodesAsync,
  facetValues,
  pairCodesAsync,
} from "./facet.ts";
import { matchClauses } from "./plan.ts";
import { ASYNC_QUEUE_BOUNDS } from "./searcher.ts";
import { guarded, type Segment } from "./segment.ts";

/** Maximum cells of a table. A larger one is of no use to people, and takes over 8 MB. */
const CELLS_MAX = 2_000_000;

/** A row or column value of a table with its matches. Null stands for matches without one. */
export interface CrossCount {
  readonly value: FacetCount["value"] | null;
  readonly label?: string;
  readonly count: number;
}

/** The exact table of two facets. */
export interface CrossTable {
  readonly facets: FacetPair;
  /** Values of rows and columns, the most frequent first, matches without a value last. */
  readonly rows: readonly CrossCount[];
  readonly columns: readonly CrossCount[];
  /** The counts, by row and then by column. */
  readonly counts: readonly (readonly number[])[];
}

/** Facets and pairs of facets to count. */
export interface FacetRequest {
  readonly names: readonly FacetName[];
  readonly pairs: readonly FacetPair[];
}

/** Counts by code, as the addon returns them. Their memory can be moved to another thread. */
export interface CodeCounts {
  readonly total: number;
  /** The counts of `facetCodesAsync`, and of `pairCodesAsync` for each pair. */
  readonly facets: readonly Uint32Array[];
  readonly pairs: readonly Uint32Array[];
}

/** The total, the facets, and the tables of a spec. */
export interface AllCounts {
  readonly total: number;
  readonly facets: Facets;
  readonly crosses: readonly CrossTable[];
}

const queue = new FairQueue({ ...ASYNC_QUEUE_BOUNDS, what: "Counts" });

/**
 * Counts when it is the tenant's turn. Throws `overloaded` or `rate_limited` if too many requests
 * wait.
 */
export function countInTurn(
  segment: Segment,
  spec: AccountQuerySpec,
  request: FacetRequest,
  tenantId: string,
): Promise<CodeCounts> {
  return queue.run(tenantId, 1, () => countCodes(segment, spec, request));
}

/** Counts all values of facets, and of pairs. */
export async function countAll(
  segment: Segment,
  spec: AccountQuerySpec,
  request: FacetRequest,
): Promise<AllCounts> {
  return countsOf(segment, request, await countCodes(segment, spec, request));
}

async function countCodes(
  segment: Segment,
  spec: AccountQuerySpec,
  { names, pairs }: FacetRequest,
): Promise<CodeCounts> {
  const { native } = segment;
  const clauses = guarded(() => matchClauses(segment, spec));
  const facets = names.length === 0 ? [] : await facetCodesAsync(segment, clauses, names);
  const counted: Uint32Array[] = [];
  for (const pair of pairs) counted.push(await pairCodesAsync(segment, clauses, pair));
  return { total: await native.countAsync(clauses), facets, pairs: counted };
}

/** Converts counts by code to counts by value. This takes up to a second for the largest tables. */
export function countsOf(
  segment: Segment,
  { names, pairs }: FacetRequest,
  { total, facets, pairs: counted }: CodeCounts,
): AllCounts {
  return {
    total,
    facets: names.length === 0 ? {} : allFacetsOf(segment, names, facets),
    crosses: pairs.map((pair, at) => tableOf(segment, pair, counted[at] as Uint32Array)),
  };
}

/** The counts of one value in each group, in the base of each group, and in the whole registry. */
export interface ComparedValue {
  readonly value: FacetCount["value"] | null;
  readonly label?: string;
  readonly registry: number;
  /** By group. */
  readonly counts: readonly number[];
  readonly bases: readonly number[];
}

/** A group of a comparison. */
export interface ComparedGroup {
  readonly segment: Segment;
  readonly spec: AccountQuerySpec;
}

/** Counts by code of the groups of a comparison. */
export interface ComparedCodes {
  readonly groups: readonly CodeCounts[];
  /** By group. Groups of the same snapshot have the same object. */
  readonly bases: readonly CodeCounts[];
  /** The whole served snapshot. */
  readonly whole: CodeCounts;
}

/**
 * Counts groups when it is the tenant's turn. Each group is compared with its base, which is the
 * group's whole snapshot or, if `base` is given, the accounts in it that match `base`.
 */
export function compareInTurn(
  segment: Segment,
  compared: readonly ComparedGroup[],
  base: AccountQuerySpec | null,
  { names, tenantId }: { readonly names: readonly FacetName[]; readonly tenantId: string },
): Promise<ComparedCodes> {
  const request = { names, pairs: [] };
  return queue.run(tenantId, compared.length, async () => {
    const groups: CodeCounts[] = [];
    for (const one of compared) groups.push(await countCodes(one.segment, one.spec, request));
    const whole = await wholeOf(segment, null, request);
    const known = new Map<Segment, CodeCounts>(base === null ? [[segment, whole]] : []);
    for (const one of compared) {
      if (known.has(one.segment)) continue;
      known.set(one.segment, await wholeOf(one.segment, base, request));
    }
    return { groups, whole, bases: compared.map((one) => known.get(one.segment) as CodeCounts) };
  });
}

/** Counts a whole snapshot, or those of its accounts that match a spec. */
async function wholeOf(
  segment: Segment,
  spec: AccountQuerySpec | null,
  request: FacetRequest,
): Promise<CodeCounts> {
  if (spec !== null) return countCodes(segment, spec, request);
  const facets = await facetCodesAsync(segment, [], request.names);
  return { total: segment.accounts, facets, pairs: [] };
}

type OneFacet = Facets[FacetName];

/**
 * Returns the values of a facet, those with most matches in all groups first, "no value" last.
 * `segments` has the snapshot of each group. Several facets share the conversion of counts, so call
 * the returned function for each.
 */
export function comparedFacets(
  segment: Segment,
  segments: readonly Segment[],
  names: readonly FacetName[],
  { groups, bases, whole }: ComparedCodes,
): (name: FacetName) => readonly ComparedValue[] {
  const converted = new Map<CodeCounts, Facets>();
  const valuesIn = (own: Segment, counts: CodeCounts) => {
    const facets = converted.get(counts) ?? allFacetsOf(own, names, counts.facets);
    converted.set(counts, facets);
    return facets;
  };
  const all = valuesIn(segment, whole);
  const [own, based] = [groups, bases].map((counted) =>
    counted.map((counts, at) => valuesIn(segments[at] as Segment, counts)),
  );
  const of = (facets: readonly Facets[] | undefined, name: FacetName) =>
    (facets ?? []).map((values) => values[name]);
  return (name) => comparedValues(all[name], of(own, name), of(based, name));
}

function comparedValues(
  whole: OneFacet,
  groups: readonly OneFacet[],
  bases: readonly OneFacet[],
): ComparedValue[] {
  const countsOf = (facet: OneFacet) =>
    new Map((facet?.values ?? []).map(({ value, count }) => [value, count]));
  const [all, own, based] = [[whole], groups, bases].map((facets) => facets.map(countsOf));
  const at = (maps: readonly Map<FacetCount["value"], number>[] | undefined, value: Value) =>
    (maps ?? []).map((counts) => counts.get(value) ?? 0);
  const named = new Map<Value, Omit<FacetCount, "count">>();
  // Values are in the fixed order of the registry, which decides ties. Values that only snapshots
  // of other months have come after them.
  for (const facet of [whole, ...groups]) {
    for (const { count: _, ...one } of facet?.values ?? []) {
      if (!named.has(one.value)) named.set(one.value, one);
    }
  }
  const sum = (counts: readonly number[]) => counts.reduce((total, n) => total + n, 0);
  const listed = [...named.values()]
    .map((one): ComparedValue => {
      const [registry = 0] = at(all, one.value);
      return { ...one, registry, counts: at(own, one.value), bases: at(based, one.value) };
    })
    .map((one) => ({ one, sum: sum(one.counts) }))
    .filter((found) => found.sum > 0)
    .sort((a, b) => b.sum - a.sum)
    .map(({ one }) => one);
  const missing = (facets: readonly OneFacet[]) => facets.map((facet) => facet?.missing ?? 0);
  if (sum(missing(groups)) === 0) return listed;
  const registry = whole?.missing ?? 0;
  const none = { registry, counts: missing(groups), bases: missing(bases) };
  return [...listed, { value: null, ...none }];
}

type Value = FacetCount["value"];

/** True if the table of a pair would be too large. */
export function tooLarge(segment: Segment, [first, second]: FacetPair): boolean {
  return (codesOf(segment, first) + 1) * (codesOf(segment, second) + 1) > CELLS_MAX;
}

/** Converts counts by code to a table of counts by value. Several codes may have the same value. */
function tableOf(segment: Segment, facets: FacetPair, counts: Uint32Array): CrossTable {
  const rows = facetValues(segment, facets[0]);
  const columns = facetValues(segment, facets[1]);
  const [height, width] = [rows.values.length + 1, columns.values.length + 1];
  const cells = new Float64Array(height * width);
  const codes = columns.places.length + 1;
  const columnOf = placesOf(columns);
  placesOf(rows).forEach((row, code) => {
    for (let at = 0; at < codes; at++) {
      const count = counts[code * codes + at] as number;
      if (count > 0) (cells[row * width + (columnOf[at] as number)] as number) += count;
    }
  });
  const { down, across } = sumsOf(cells, width);
  const rowsInOrder = orderOf(down);
  const columnsInOrder = orderOf(across);
  return {
    facets,
    rows: rowsInOrder.map(({ place, count }) => ({ ...valueAt(rows, place), count })),
    columns: columnsInOrder.map(({ place, count }) => ({ ...valueAt(columns, place), count })),
    counts: rowsInOrder.map((row) => {
      const from = row.place * width;
      return columnsInOrder.map((column) => cells[from + column.place] as number);
    }),
  };
}

/** Returns row and column sums. A single pass computes both, because a table may be large. */
function sumsOf(cells: Float64Array, width: number) {
  const down = new Array<number>(cells.length / width).fill(0);
  const across = new Array<number>(width).fill(0);
  for (let row = 0; row < down.length; row++) {
    let sum = 0;
    for (let column = 0; column < width; column++) {
      const count = cells[row * width + column] as number;
      sum += count;
      (across[column] as number) += count;
    }
    down[row] = sum;
  }
  return { down, across };
}

/**
 * Returns the position of the value of each code. The last position is for matches without a value.
 */
function placesOf({ values, places }: FacetValues): number[] {
  return [...Array.from(places, (place) => (place < 0 ? values.length : place)), values.length];
}

/** Returns the positions with matches, the most frequent first, "no value" last. */
function orderOf(sums: readonly number[]): { readonly place: number; readonly count: number }[] {
  const none = sums.length - 1;
  return sums
    .map((count, place) => ({ place, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => {
      if (a.place === none || b.place === none) return a.place === none ? 1 : -1;
      return b.count - a.count || a.place - b.place;
    });
}

function valueAt({ values }: FacetValues, place: number): Omit<CrossCount, "count"> {
  return values[place] ?? { value: null };
}
