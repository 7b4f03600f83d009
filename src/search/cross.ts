/**
 * Counts matches for files and comparisons: every value of facets, and tables of two facets. Input:
 * a segment, specs, and names. Output: exact counts, the most frequent values first.
 * Invariant: the row and column sums of a table equal the facets of the same spec, and the sum of
 * all cells equals the number of matches. Rows are read off the main thread, queued fairly among
 * tenants.
 */
import { FairQueue } from "../scheduling/fairqueue.ts";
import type { FacetName, FacetPair } from "../spec/facets.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import {
  codesOf,
  type FacetCount,
  type Facets,
  type FacetValues,
  facetsAsync,
  type PairCounts,
  pairsAsync,
} from "./facet.ts";
import { matchClauses } from "./plan.ts";
import { ASYNC_QUEUE_BOUNDS } from "./searcher.ts";
import { guarded, type Segment } from "./segment.ts";

/** Maximum cells of a table, which are converted on the thread that answers requests. */
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
): Promise<AllCounts> {
  return queue.run(tenantId, 1, () => countAll(segment, spec, request));
}

/** Counts all values of facets, and of pairs. */
export async function countAll(
  segment: Segment,
  spec: AccountQuerySpec,
  { names, pairs }: FacetRequest,
): Promise<AllCounts> {
  const { native } = segment;
  const clauses = guarded(() => matchClauses(segment, spec));
  const all = Number.POSITIVE_INFINITY;
  const facets = names.length === 0 ? {} : await facetsAsync(segment, clauses, names, all);
  const crosses: CrossTable[] = [];
  for (const pair of pairs) {
    crosses.push(tableOf(pair, await pairsAsync(segment, clauses, pair)));
  }
  return { total: await native.countAsync(clauses), facets, crosses };
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

/** Totals and values of several groups. */
interface Comparison {
  readonly registry: number;
  readonly totals: readonly number[];
  /** Number of accounts in the base of each group. */
  readonly bases: readonly number[];
  /** Values of each facet, those with most matches in all groups first, "no value" last. */
  readonly facets: Readonly<Partial<Record<FacetName, readonly ComparedValue[]>>>;
}

/**
 * Compares groups when it is the tenant's turn. Each group is compared with its base, which is the
 * group's whole snapshot or, if `base` is given, the accounts in it that match `base`.
 */
export function compareInTurn(
  segment: Segment,
  compared: readonly ComparedGroup[],
  base: AccountQuerySpec | null,
  { names, tenantId }: { readonly names: readonly FacetName[]; readonly tenantId: string },
): Promise<Comparison> {
  const request = { names, pairs: [] };
  return queue.run(tenantId, compared.length, async () => {
    const groups: AllCounts[] = [];
    for (const one of compared) groups.push(await countAll(one.segment, one.spec, request));
    const whole = await wholeOf(segment, null, request);
    const known = new Map<Segment, AllCounts>(base === null ? [[segment, whole]] : []);
    for (const one of compared) {
      if (known.has(one.segment)) continue;
      known.set(one.segment, await wholeOf(one.segment, base, request));
    }
    const bases = compared.map((one) => known.get(one.segment) as AllCounts);
    const totals = (all: readonly AllCounts[]) => all.map(({ total }) => total);
    const of = (name: FacetName) => {
      const facet = (all: readonly AllCounts[]) => all.map(({ facets }) => facets[name]);
      return comparedValues(whole.facets[name], facet(groups), facet(bases));
    };
    return {
      ...{ registry: segment.accounts, totals: totals(groups), bases: totals(bases) },
      facets: Object.fromEntries(names.map((name) => [name, of(name)])),
    };
  });
}

/** Counts a whole snapshot, or those of its accounts that match a spec. */
async function wholeOf(
  segment: Segment,
  spec: AccountQuerySpec | null,
  request: FacetRequest,
): Promise<AllCounts> {
  if (spec !== null) return countAll(segment, spec, request);
  const { names } = request;
  const facets = await facetsAsync(segment, [], names, Number.POSITIVE_INFINITY);
  return { total: segment.accounts, facets, crosses: [] };
}

type OneFacet = Facets[FacetName];

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
function tableOf(facets: FacetPair, { rows, columns, counts }: PairCounts): CrossTable {
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
