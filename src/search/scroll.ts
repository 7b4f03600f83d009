/**
 * All rows of an answer, batch after batch. What comes in: a segment and a normalized spec. What
 * goes out: row ids in the order of the answer, until the spec's limit or the last match.
 * Invariant: the rows are those of the pages of the same search joined; memory does not grow with
 * their number.
 */
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Segment } from "./segment.ts";

/** The rows of an answer. */
export interface Scroll {
  /** Exact number of matches, whatever the limit. */
  readonly matches: number;
  /** Number of rows that will come: the smaller of limit and matches. */
  readonly rowCount: number;
  /** Row ids in order; each batch has 1 to `BATCH_ROWS` rows. May be begun once. */
  batches(): Generator<Uint32Array, void>;
}

/** Most rows of a batch. */
export const BATCH_ROWS = 65_536;

/** Prepares the rows of an answer; runs nothing but the exact count. */
export function scroll(_segment: Segment, _spec: AccountQuerySpec): Scroll {
  throw new Error("being written");
}
