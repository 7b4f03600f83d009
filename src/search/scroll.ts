/**
 * All rows of an answer, batch after batch. What comes in: a segment and a normalized spec. What
 * goes out: row ids in the order of the answer, until the spec's limit or the last match.
 * Invariant: the rows are those of the pages of the same search joined; memory does not grow with
 * their number (at most one native selection is held, see SELECT_ROWS); a phase that the limit
 * does not reach is not even counted.
 *
 * Work, in rows met: `rank` and an order of one key continue where a batch ended, so all batches
 * together meet every row at most once. An order of several keys may begin again at the start of
 * the group of ties that a call ended in (see native-index/query/orders/select.cc), so calls are
 * made large.
 */
import { strict as assert } from "node:assert";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { execute } from "./page.ts";
import { type Phase, phasesOf, planPhase, type QueryPlan, SELECT_ROWS } from "./plan.ts";
import { guarded, type Segment } from "./segment.ts";

/** The rows of an answer. */
interface Scroll {
  /** Exact number of matches, whatever the limit; counts phases that `rowCount` does not need. */
  readonly matches: number;
  /** Number of rows that will come: the smaller of limit and matches. */
  readonly rowCount: number;
  /** Row ids in order; each batch has 1 to `BATCH_ROWS` rows. May be begun once. */
  batches(): Generator<Uint32Array, void>;
}

/** Most rows of a batch. */
export const BATCH_ROWS = 65_536;

/** How much is handed out, and selected, at a time. */
export interface ScrollSizes {
  readonly batchRows: number;
  /** At least `batchRows`. */
  readonly selectRows: number;
}

const SIZES: ScrollSizes = { batchRows: BATCH_ROWS, selectRows: SELECT_ROWS };

/** Rows that one call of a walk over groups of ties should meet, per row it may select. */
const WALK_ROWS_PER_SELECTED = 16;

/** Prepares the rows of an answer; runs nothing but the exact count, when that is asked for. */
export function scroll(segment: Segment, spec: AccountQuerySpec, sizes = SIZES): Scroll {
  return new Answer(segment, spec, sizes);
}

class Answer implements Scroll {
  readonly #segment: Segment;
  readonly #limit: number;
  readonly #sizes: ScrollSizes;
  readonly #phases: readonly Phase[];
  readonly #counts: number[] = [];
  #begun = false;

  constructor(segment: Segment, spec: AccountQuerySpec, sizes: ScrollSizes) {
    this.#segment = segment;
    this.#limit = spec.limit;
    this.#sizes = sizes;
    this.#phases = phasesOf(segment, spec);
  }

  get matches(): number {
    return this.#phases.reduce((sum, _, i) => sum + this.#count(i), 0);
  }

  get rowCount(): number {
    let rows = 0;
    for (let i = 0; i < this.#phases.length && rows < this.#limit; i++) rows += this.#count(i);
    return Math.min(rows, this.#limit);
  }

  *batches(): Generator<Uint32Array, void> {
    assert(!this.#begun, "a scroll is read once");
    this.#begun = true;
    let left = this.rowCount;
    for (const phase of this.#phases) {
      if (left === 0) break;
      for (const batch of this.#batchesOf(phase, left)) {
        left -= batch.length;
        yield batch;
      }
    }
    assert(left === 0, "a scroll hands out as many rows as it announced");
  }

  /** Exact number of matches of a phase, counted when it is first needed. */
  #count(phase: number): number {
    const { clauses } = this.#phases[phase] as Phase;
    this.#counts[phase] ??= guarded(() => this.#segment.native.count(clauses));
    return this.#counts[phase];
  }

  *#batchesOf(phase: Phase, wanted: number): Generator<Uint32Array, void> {
    const { batchRows, selectRows } = this.#sizes;
    const planned = guarded(() => planPhase(this.#segment, phase, { limit: wanted, selectRows }));
    const most = this.#rowsPerCall(planned);
    let afterRow = -1;
    for (let left = Math.min(wanted, planned.matches); left > 0; ) {
      const { rows } = execute(this.#segment, planned, { afterRow, limit: Math.min(left, most) });
      assert(rows.length > 0, "a selection brings rows while there are matches left");
      for (let from = 0; from < rows.length; from += batchRows) {
        yield rows.subarray(from, from + batchRows);
      }
      left -= rows.length;
      afterRow = rows[rows.length - 1] as number;
    }
  }

  /** Rows of one native call: many where the next call begins by meeting rows again. */
  #rowsPerCall({ method, order, matches }: QueryPlan): number {
    const { batchRows, selectRows } = this.#sizes;
    if (method === "gather") return selectRows;
    if (method === "rank" || order.length === 1 || order[0]?.key === "random") return batchRows;
    // Where few rows match, a call meets many rows for each that it selects, and need not go on.
    const share = Math.min(1, (WALK_ROWS_PER_SELECTED * matches) / this.#segment.accounts);
    return Math.max(batchRows, Math.ceil(selectRows * share));
  }
}
