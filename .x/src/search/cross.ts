/**
 * Counts for files and comparisons: every value of facets, and tables of two facets. Input: a
 * segment, specs, and names. Output: exact counts, the most frequent values first.
 * Invariant: the sums of a table by row and by column are the facets of the same spec, and all its
 * cells together are the matches. Rows are read off the main thread, in the turns of the tenant.
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

/** Cells of the largest table: its codes are read on the thread that answers. */
const CELLS_MAX = 2_000_000;

/** A value of a table's row or column with all its matches; null for matches without a value. */
export interface CrossCount {
  readonly value: FacetCount["value"] | null;
  readonly label?: string;
  readonly count: number;
}

/** The exact table of two facets. */
export interface CrossTable {
  readonly facets: FacetPair;
  /** The most frequent first; matches without a value last. */
  readonly rows: readonly CrossCount[];
  readonly columns: readonly CrossCount[];
  /** By row, then by column. */
  readonly counts: readonly (readonly number[])[];
}

/** Facets and pairs of facets to count. */
export interface FacetRequest {
  readonly names: readonly FacetName[];
  readonly pairs: readonly FacetPair[];
}

/** All counts of a spec. */
export interface AllCounts {
  readonly total: number;
  readonly facets: Facets;
  readonly crosses: readonly CrossTable[];
}

const queue = new FairQueue({ ...ASYNC_QUEUE_BOUNDS, what: "Counts" });

/** Counts in the turn of a tenant. Throws `overloaded` or `rate_limited` if too many wait. */
export function countInTurn(
  segment: Segment,
  spec: AccountQuerySpec,
  wish: FacetRequest,
  tenantId: string,
): Promise<AllCounts> {
  return queue.run(tenantId, 1, () => countAll(segment, spec, wish));
}

/** Counts every value of facets, and of pairs. */
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

/** Counts of one value in several groups, and in the whole registry. */
export interface ComparedValue {
  readonly value: FacetCount["value"] | null;
  readonly label?: string;
  readonly registry: number;
  /** By group. */
  readonly counts: readonly number[];
}

/** Totals and values of several groups. */
interface Comparison {
  readonly registry: number;
  readonly totals: readonly number[];
  /** By facet; the most frequent in all groups first, matches without a value last. */
  readonly facets: Readonly<Partial<Record<FacetName, readonly ComparedValue[]>>>;
}

/** Compares groups in the turn of a tenant. */
export function compareInTurn(
  segment: Segment,
  specs: readonly AccountQuerySpec[],
  names: readonly FacetName[],
  tenantId: string,
): Promise<Comparison> {
  return queue.run(tenantId, specs.length, async () => {
    const groups: AllCounts[] = [];
    for (const spec of specs) groups.push(await countAll(segment, spec, { names, pairs: [] }));
    const whole = await facetsAsync(segment, [], names, Number.POSITIVE_INFINITY);
    const of = (name: FacetName) =>
      comparedValues(
        whole[name],
        groups.map(({ facets }) => facets[name]),
      );
    return {
      registry: segment.accounts,
      totals: groups.map(({ total }) => total),
      facets: Object.fromEntries(names.map((name) => [name, of(name)])),
    };
  });
}

function comparedValues(
  whole: Facets[FacetName],
  groups: readonly Facets[FacetName][],
): ComparedValue[] {
  const counts = groups.map((facet) => {
    return new Map((facet?.values ?? []).map(({ value, count }) => [value, count]));
  });
  const values = (whole?.values ?? []).map(({ count: registry, ...named }): ComparedValue => {
    return { ...named, registry, counts: counts.map((own) => own.get(named.value) ?? 0) };
  });
  const sums = new Map(values.map((one) => [one, one.counts.reduce((sum, n) => sum + n, 0)]));
  const sum = (one: ComparedValue) => sums.get(one) as number;
  // The values of the registry come in a fixed order, which ties keep.
  const listed = values.filter((one) => sum(one) > 0).sort((a, b) => sum(b) - sum(a));
  const missing = groups.map((facet) => facet?.missing ?? 0);
  if (missing.every((count) => count === 0)) return listed;
  return [...listed, { value: null, registry: whole?.missing ?? 0, counts: missing }];
}

/** True if the table of a pair would be too large. */
export function tooLarge(segment: Segment, [first, second]: FacetPair): boolean {
  return (codesOf(segment, first) + 1) * (codesOf(segment, second) + 1) > CELLS_MAX;
}

/** Turns counts by code into a table. Several codes may share a value. */
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
  const cell = (row: number, column: number) => cells[row * width + column] as number;
  const sums = (length: number, other: number, of: (at: number, by: number) => number) =>
    Array.from({ length }, (_, at) => {
      let sum = 0;
      for (let by = 0; by < other; by++) sum += of(at, by);
      return sum;
    });
  const down = orderOf(sums(height, width, cell));
  const across = orderOf(sums(width, height, (at, by) => cell(by, at)));
  return {
    facets,
    rows: down.map(({ place, count }) => ({ ...valueAt(rows, place), count })),
    columns: across.map(({ place, count }) => ({ ...valueAt(columns, place), count })),
    counts: down.map((row) => across.map((column) => cell(row.place, column.place))),
  };
}

/** The place of each code; the last place is that of matches without a value. */
function placesOf({ values, places }: FacetValues): number[] {
  return [...Array.from(places, (place) => (place < 0 ? values.length : place)), values.length];
}

/** Places with matches, the most frequent first; ties by place, and no value last. */
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
