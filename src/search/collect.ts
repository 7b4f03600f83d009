/**
 * Turns what was executed into a page. What comes in: a plan and a selection. What goes out: row
 * ids, exact total, whether more follow, and the row the next page begins after.
 * Invariant: walking all pages yields every match exactly once, in the order of the plan; ties
 * are impossible because every order ends on a unique key.
 */
import { strict as assert } from "node:assert";
import type { Selection, Work } from "../../native-index/napi/engine.ts";
import type { Plan } from "./plan.ts";

/** One page of row ids. */
export interface Page {
  readonly rows: Uint32Array;
  /** Exact number of matches of the query, not of the page. */
  readonly total: number;
  readonly more: boolean;
  /** Row that the next page begins after: the last one of the page, -1 when it is empty. */
  readonly lastRow: number;
  readonly work: Work;
}

/** Collects a page and checks what must hold between its parts. */
export function collect(plan: Plan, selection: Selection): Page {
  const { rows, more, work } = selection;
  assert(rows.length <= plan.matches, "a page holds at most all matches");
  assert(!(more && rows.length === 0), "an empty page is the last one");
  return { rows, total: plan.matches, more, lastRow: rows.at(-1) ?? -1, work };
}
