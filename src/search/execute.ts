/**
 * Runs a plan. What comes in: a plan and the row after which the page begins. What goes out: the
 * row ids of the page in order, and whether a further row follows.
 * Invariant: a damaged or truncated snapshot ends as `snapshot_unavailable`, never as rows.
 */
import type { Selection } from "../../native-index/engine.ts";
import { AppError } from "../errors.ts";
import type { Plan } from "./plan.ts";
import type { Segment } from "./segment.ts";

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

/** Runs a native call; damage of the snapshot becomes the public 503. */
export function guarded<Value>(call: () => Value): Value {
  try {
    return call();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new AppError(
      "snapshot_unavailable",
      "The snapshot file is damaged; the operator must replace it.",
      { cause: error },
    );
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SNAPSHOT_DAMAGED";
}
