/**
 * Reads all rows of an answer in batches, in answer order, up to the spec's limit.
 * Invariant: the rows equal the joined pages of the same search. Memory use does not grow with
 * their number: only one native selection is held (see SELECT_ROWS). If the primary matches of an
 * export reach the limit, its secondary matches are not counted.
 *
 * Work: with `rank` or an order of one key, each batch continues where the last one ended, so all
 * batches together visit each row once at most. With several keys, a batch may restart at the
 * beginning of its group of ties (native-index/query/orders/select.cc). Large batches make this
 * rare.
 */
import { strict as assert } from "node:assert";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { execute } from "./page.ts";
import { type Phase, phasesOf, planPhase, type QueryPlan, SELECT_ROWS } from "./plan.ts";
import { guarded, type Segment } from "./segment.ts";

interface Scroll {
  /**
   * Exact number of matches, even if it exceeds the limit. Reading this property also counts the
   * phases that `rowCount` leaves out.
   */
  readonly matches: number;
  /** Number of rows that `batches` yields: at most the limit and the number of matches. */
  readonly rowCount: number;
  /** Yields row ids in order, 1 to `BATCH_ROWS` in each batch. May be called only once. */
  batches(): Generator<Uint32Array, void>;
}

/** Maximum number of rows in a batch. */
export const BATCH_ROWS = 65_536;

/** Maximum numbers of rows in a batch and in a native selection. */
export interface ScrollSizes {
  readonly batchRows: number;
  /** At least `batchRows`. */
  readonly selectRows: number;
}

const SIZES: ScrollSizes = { batchRows: BATCH_ROWS, selectRows: SELECT_ROWS };

/** Maximum rows visited per selected row in a `walk` with equal values of the first key. */
const WALK_ROWS_PER_SELECTED = 16;

/** Prepares to read the rows of an answer. Nothing runs before the first use of the result. */
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

  /** Returns how many rows a native call selects: many if the next would read them again. */
  #rowsPerCall({ method, order, matches }: QueryPlan): number {
    const { batchRows, selectRows } = this.#sizes;
    if (method === "gather") return selectRows;
    if (method === "rank" || order.length === 1 || order[0]?.key === "random") return batchRows;
    // If few rows match, a call visits many rows for each match. It then selects fewer rows,
    // so that it does not take long.
    const share = Math.min(1, (WALK_ROWS_PER_SELECTED * matches) / this.#segment.accounts);
    return Math.max(batchRows, Math.ceil(selectRows * share));
  }
}
