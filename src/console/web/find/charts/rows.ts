/**
 * A facet as rows. What comes in: a facet, the values that a query asks for, and those that are
 * always shown. What goes out: rows with shares, then what is not shown as one row, then what is
 * missing.
 * Invariant: counts of the rows, `rest` and `missing` sum to the total of the answer; values that a
 * query asks for are never folded into the rest. A count of null means: not counted, because the
 * query's own filter leaves it out.
 */
import type { FacetAnswer } from "../../app/answers.ts";

/** One value with its share of the matches. */
interface FacetRow {
  readonly value: string;
  readonly label: string | undefined;
  readonly count: number | null;
  readonly share: number;
  readonly chosen: boolean;
}

/** All that a chart shows of a facet. */
export interface FacetRows {
  readonly rows: readonly FacetRow[];
  /** Values without a row of their own. */
  readonly rest: { readonly values: number; readonly count: number };
  readonly missing: number;
  readonly total: number;
  /** The largest count of a row, for the length of bars. */
  readonly most: number;
}

/** What a chart shows: how many rows, whether a value is chosen, and what is always shown. */
interface RowOptions {
  readonly rowsMax: number;
  readonly chosen: (value: string) => boolean;
  /** Closed lists show all of their values, in this order. */
  readonly all?: readonly string[];
}

/** Rows of a facet; a facet that is not there yet has none. */
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

/** The most frequent values and the chosen ones, in the order of the facet. */
function most(listed: readonly Listed[], options: RowOptions): Listed[] {
  const chosen = listed.filter(({ value }) => options.chosen(value)).length;
  let room = Math.max(options.rowsMax - chosen, 0);
  return listed.filter(({ value }) => options.chosen(value) || room-- > 0);
}

/** All values of a closed list; nothing is chosen means that a value without count has none. */
function every(listed: readonly Listed[], options: RowOptions, all: readonly string[]): Listed[] {
  const filtered = all.some(options.chosen);
  return all.map((value) => {
    const known = listed.find((row) => row.value === value);
    const absent = filtered && !options.chosen(value) ? null : 0;
    return known ?? { value, label: undefined, count: absent };
  });
}
