/**
 * Pages of rows. What comes in: a plan, and the row after which the page begins. What goes out: the
 * row ids of the page in the order of the plan, the exact total, whether more follow, and the row
 * that the next page begins after.
 * Invariant: walking all pages yields every match exactly once; ties are impossible because every
 * order ends on a unique key. With one account per company an establishment is left out exactly
 * when another match of its company comes before it in the whole answer, on whatever page, so a
 * page needs to know nothing of the pages before it. A damaged or truncated snapshot ends as
 * `snapshot_unavailable`, never as rows.
 */
import { strict as assert } from "node:assert";
import type { FirstsRequest, Selection, Work } from "../../native-index/napi/engine.ts";
import type { QueryPlan } from "./plan.ts";
import { guarded, type Segment } from "./segment.ts";

/** Which rows of the answer are wanted. */
export interface PageRequest {
  /** Row id of the last row of the page before; -1 for the first page. */
  readonly afterRow: number;
  /** Rows wanted, 1-50,000. */
  readonly limit: number;
}

/** Runs the plan for one page; gives up a walk that would meet more than `meetMax` rows. */
export function execute(
  segment: Segment,
  plan: QueryPlan,
  page: PageRequest & { readonly meetMax?: number },
): Selection {
  const { clauses, order, method, seed } = plan;
  return guarded(() => segment.native.select({ clauses, order, method, seed, ...page }));
}

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
export function collect(plan: QueryPlan, selection: Selection): Page {
  const { rows, more, gaveUp, work } = selection;
  assert(!gaveUp, "a walk that gave up is no page");
  assert(rows.length <= plan.matches, "a page holds at most all matches");
  assert(!(more && rows.length === 0), "an empty page is the last one");
  return { rows, total: plan.matches, more, lastRow: rows.at(-1) ?? -1, work };
}

/** Rows of one native call at most; a company of many branches is passed in few calls. */
const SELECT_MAX = 65_536;
/** Rows that are selected beyond those wanted: most answers hold few branches. */
const SPARE_ROWS = 16;
const SPARE_SHARE = 8;

/** Finds a page of companies; `more` is exact: a further company follows. */
export function companyPage(segment: Segment, plan: QueryPlan, page: PageRequest): Page {
  const walk = new CompanyWalk(plan, page);
  for (;;) {
    const selection = execute(segment, plan, walk.wanted);
    const firsts = guarded(() => segment.native.firstsOfCompany(selection.rows, walk.firsts));
    const found = walk.take(selection, firsts);
    if (found !== null) return found;
  }
}

/** The walk over the matches of a plan that collects a page of companies. */
export class CompanyWalk {
  readonly #plan: QueryPlan;
  readonly #limit: number;
  readonly #kept: number[] = [];
  #after: number;
  #size: number;

  constructor(plan: QueryPlan, { afterRow, limit }: PageRequest) {
    this.#plan = plan;
    this.#limit = limit;
    this.#after = afterRow;
    this.#size = limit + Math.ceil(limit / SPARE_SHARE) + SPARE_ROWS;
  }

  /** The rows that are selected next. */
  get wanted(): PageRequest {
    return { afterRow: this.#after, limit: this.#size };
  }

  /** How the first establishments of companies are found among them. */
  get firsts(): FirstsRequest {
    const { clauses, order, seed } = this.#plan;
    return { clauses, order, seed, beginning: this.#after < 0 };
  }

  /** Takes the selected rows and the first ones of companies; null if the page is not full yet. */
  take(selection: Selection, firsts: Uint32Array): Page | null {
    const { rows, more } = selection;
    assert(rows.length > 0 || !more, "a selection brings rows while matches are left");
    const kept = this.#kept;
    const room = this.#limit - kept.length;
    const next = firsts[room];
    for (const row of firsts.subarray(0, room)) kept.push(row);
    if (next !== undefined) {
      // The page ends right before the next company, so that nothing is passed twice.
      const at = rows.indexOf(next);
      const lastRow = at === 0 ? this.#after : (rows[at - 1] as number);
      return pageOf(this.#plan, selection, { kept, more: true, lastRow });
    }
    if (!more) {
      return pageOf(this.#plan, selection, { kept, more: false, lastRow: kept.at(-1) ?? -1 });
    }
    this.#after = rows[rows.length - 1] as number;
    this.#size = Math.min(2 * this.#size, SELECT_MAX);
    return null;
  }
}

function pageOf(
  { matches }: QueryPlan,
  { work }: Selection,
  { kept, ...end }: { readonly kept: readonly number[]; more: boolean; lastRow: number },
): Page {
  return { rows: Uint32Array.from(kept), total: matches, work, ...end };
}
