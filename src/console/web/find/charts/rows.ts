/**
 * A facet as rows, and their names without the beginning that most of them share. Input: a facet,
 * the values that a query asks for, and those that are always shown; names of activities. Output:
 * rows with shares, then the values that are not shown as one row, then the missing ones; shorter
 * names.
 * Invariant: counts of the rows, `rest` and `missing` sum to the total of the answer; values that a
 * query asks for are never folded into the rest. A count of null means: not counted, because the
 * query's own filter leaves it out. Only one beginning is taken off, so that two names never look
 * the same; it ends where a word ends, and leaves something of every name.
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

/** Fewer words say too little to be worth taking off. */
const WORDS_MIN = 2;

/** The beginning of at least two names that most of them share; empty where there is none. */
export function sharedBeginning(names: readonly string[]): string {
  const groups = new Map<string, string[][]>();
  for (const name of names) {
    const words = name.split(" ");
    if (words.length <= WORDS_MIN) continue;
    const key = words.slice(0, WORDS_MIN).join(" ");
    groups.set(key, [...(groups.get(key) ?? []), words]);
  }
  const [largest = []] = [...groups.values()].sort((one, other) => other.length - one.length);
  const [first, ...others] = largest;
  if (first === undefined || others.length === 0) return "";
  const differs = first.findIndex((word, at) => {
    const isLast = at + 1 >= Math.min(...largest.map(({ length }) => length));
    return isLast || others.some((words) => words[at] !== word);
  });
  return first.slice(0, differs).join(" ");
}

/** A name that begins so, without; undefined for any other. */
export function withoutBeginning(name: string, beginning: string): string | undefined {
  const begins = beginning !== "" && name.startsWith(`${beginning} `);
  return begins ? `…${name.slice(beginning.length)}` : undefined;
}
