/**
 * One account against filters. What comes in: a segment, a CNPJ or a row, filters. What goes out:
 * the row, and whether it meets them.
 * Invariant: the same clauses decide as in a search; costs no more than the first page of one.
 */

import type { AccountQuerySpec } from "../spec/schema.ts";
import { clausesOf } from "./clauses.ts";
import { guarded, type Segment } from "./segment.ts";

/** Row of a CNPJ (14 characters, upper case), or -1. */
export function rowOf(segment: Segment, cnpj: string): number {
  return guarded(() => segment.native.findCnpj(cnpj));
}

/**
 * Whether a row meets filters. Rows are stored by score, so in that order the first match behind
 * the row before it is the row itself, or it is no match.
 */
export function meets(
  segment: Segment,
  filters: AccountQuerySpec["filters"],
  row: number,
): boolean {
  const { rows } = guarded(() =>
    segment.native.select({
      clauses: clausesOf(segment, filters),
      order: [{ key: "score", descending: true }],
      method: "rank",
      seed: 0n,
      afterRow: row - 1,
      limit: 1,
    }),
  );
  return rows[0] === row;
}
