/**
 * Runs a plan. What comes in: a plan and the row after which the page begins. What goes out: the
 * row ids of the page in order, and whether a further row follows.
 * Invariant: a damaged or truncated snapshot ends as `snapshot_unavailable`, never as rows.
 */
import type { Selection } from "../../native-index/napi/engine.ts";
import type { Plan } from "./plan.ts";
import { guarded, type Segment } from "./segment.ts";

/** Which rows of the answer are wanted. */
export interface PageRequest {
  /** Row id of the last row of the page before; -1 for the first page. */
  readonly afterRow: number;
  /** Rows wanted, 1-50,000. */
  readonly limit: number;
}

/** Runs the plan for one page. */
export function execute(segment: Segment, plan: Plan, page: PageRequest): Selection {
  const { clauses, order, method, seed } = plan;
  return guarded(() => segment.native.select({ clauses, order, method, seed, ...page }));
}
