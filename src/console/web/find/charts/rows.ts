/**
 * Turns a facet into the rows of a chart. Each row has a share. The values without a row are summed
 * up in `rest`, and the accounts without a value in `missing`.
 * Invariant: the counts of all rows, `rest`, and `missing` sum to the number of matches. A
 * value that the query filters by always has its own row. A null count means that the query's
 * filter excludes the value.
 */
import type { FacetAnswer } from "../../app/answers.ts";

/** A value with its share of the matches. */
interface FacetRow {
  readonly value: string;
  readonly label: string | undefined;
  readonly count: number | null;
  readonly share: number;
  readonly chosen: boolean;
}

/** A chart's view of a facet. */
export interface FacetRows {
  readonly rows: readonly FacetRow[];
  /** Number of values without a row, and the sum of their counts. */
  readonly rest: { readonly values: number; readonly count: number };
  readonly missing: number;
  readonly total: number;
  /** The largest row count, for the length of bars. */
  readonly most: number;
}

interface RowOptions {
  readonly rowsMax: number;
  readonly chosen: (value: string) => boolean;
  /** All values of a closed list, in display order. */
  readonly all?: readonly string[];
}

/** Returns the rows of a facet, or no rows before the facet is loaded. */
export function rowsOf(facet: FacetAnswer | undefined, options: RowOptions): FacetRows {
  const values = facet?.values ?? [];
  const missing = facet?.missing ?? 0;
  const other = facet?.other ?? { values: 0, count: 0 };
  const total = values.reduce((sum, { count }) => sum + count, 0) + other.count + missing;
  const listed = values.map(({ value, label, count }) => ({ value: String(value), label, count }));
  const shown =
    options.all === undefined ? most(listed, options) : every(listed, options, options.all);
  const counted = shown.reduce((sum, { count }) => sum + (count ?? 0), 0);
  const own = new Set(shown.map(({ value }) => value));
  return {
    rows: shown.map((row) => ({
      ...row,
      share: total === 0 ? 0 : (row.count ?? 0) / total,
      chosen: options.chosen(row.value),
    })),
    rest: {
      values: other.values + listed.filter(({ value }) => !own.has(value)).length,
      count: total - missing - counted,
    },
    missing,
    total,
    most: Math.max(0, ...shown.map(({ count }) => count ?? 0)),
  };
}

interface Listed {
  readonly value: string;
  readonly label: string | undefined;
  readonly count: number | null;
}

/** Returns the most frequent values and all chosen values, in facet order. */
function most(listed: readonly Listed[], options: RowOptions): Listed[] {
  const chosen = listed.filter(({ value }) => options.chosen(value)).length;
  let room = Math.max(options.rowsMax - chosen, 0);
  return listed.filter(({ value }) => options.chosen(value) || room-- > 0);
}

/**
 * Returns rows for all values of a closed list, in its order. A value that the facet does not list
 * has the count 0, or null if the query's filter excludes it.
 */
function every(listed: readonly Listed[], options: RowOptions, all: readonly string[]): Listed[] {
  const filtered = all.some(options.chosen);
  return all.map((value) => {
    const known = listed.find((row) => row.value === value);
    const absent = filtered && !options.chosen(value) ? null : 0;
    return known ?? { value, label: undefined, count: absent };
  });
}
