/**
 * Clauses as numbers. What comes in: the clauses of a page and its limit. What goes out: one list
 * of numbers that the addon reads without asking for anything by its name.
 * Invariant: the addon reads the same request from the numbers as from the objects; clauses with
 * words or lists are not numbers, and give undefined. Apart because it is the counterpart of
 * napi/segment/wholepage.cc, number by number, and wholepage.ts is about pages.
 */
import { DIMENSIONS, type DimensionName } from "../../native-index/format/columns.ts";
import type { Clause, RangeClause } from "../../native-index/napi/engine.ts";

/** How a clause begins. */
const PACKED = { any: 0, none: 1, range: 2 } as const;

const DIMENSION_NUMBERS = Object.fromEntries(
  DIMENSIONS.map((name, number) => [name, number]),
) as Readonly<Record<DimensionName, number>>;

const RANGE_COLUMNS = {
  started_on: 0,
  share_capital_cents: 1,
  postal_code: 2,
  phone_1: 3,
  phone_2: 4,
  email_shared: 5,
  phone_1_shared: 6,
  phone_2_shared: 7,
  establishments: 8,
} as const satisfies Readonly<Record<RangeClause["column"], number>>;

/** The numbers of a page; the addon reads them before the next one is packed. */
const scratch = new Float64Array(512);

/** Returns the numbers of a page in row order; the next call may overwrite them. */
export function packedPage(clauses: readonly Clause[], limit: number): Float64Array | undefined {
  const numbers = [limit, clauses.length];
  for (const clause of clauses) {
    if (clause.kind === "words" || clause.kind === "rows") return undefined;
    if (clause.kind === "range") {
      const { column, or: other, ranges } = clause;
      numbers.push(PACKED.range, RANGE_COLUMNS[column]);
      numbers.push(other === undefined ? 0 : RANGE_COLUMNS[other] + 1, ranges.length);
      for (const [low, high] of clause.ranges) numbers.push(low, high);
      continue;
    }
    numbers.push(clause.negated ? PACKED.none : PACKED.any, clause.any.length);
    for (const { dimension, codes } of clause.any) {
      numbers.push(DIMENSION_NUMBERS[dimension], codes.length);
      for (const code of codes) numbers.push(code);
    }
  }
  if (numbers.length > scratch.length) return new Float64Array(numbers);
  // One by one: the call that copies a list takes longer.
  for (let at = 0; at < numbers.length; at++) scratch[at] = numbers[at] as number;
  return scratch.subarray(0, numbers.length);
}
