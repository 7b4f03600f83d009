/**
 * Reads pages of rows. Input: a plan, and the row that precedes the page. Output: row ids in plan
 * order, the exact total, true if more rows follow, and the row that precedes the next page.
 * Invariant: all pages together contain every match exactly once. Every order ends with a unique
 * key. With one account per company, an establishment is omitted if and only if another match of
 * its company precedes it in the whole answer. So a page does not depend on earlier pages. A
 * damaged snapshot results in the error `snapshot_unavailable`, never in rows.
 */
import { strict as assert } from "node:assert";
import type { FirstsPerCompanyRequest, Selection, Work } from "../../native-index/napi/engine.ts";
import type { QueryPlan } from "./plan.ts";
import { guarded, type Segment } from "./segment.ts";

/** The part of the answer that is requested. */
export interface PageRequest {
  /** Row id of the last row of the previous page; -1 for the first page. */
  readonly afterRow: number;
  /** Max rows, 1-50,000. */
  readonly limit: number;
}

/** Runs the plan for a page, or gives up before `walk` visits more than `meetMax` rows. */
export function execute(
  segment: Segment,
  plan: QueryPlan,
  page: PageRequest & { readonly meetMax?: number },
): Selection {
  const { clauses, order, method, seed } = plan;
  return guarded(() => segment.native.select({ clauses, order, method, seed, ...page }));
}

/** A page of row ids. */
export interface Page {
  readonly rows: Uint32Array;
  /** Exact number of matches of the query. */
  readonly total: number;
  readonly more: boolean;
  /** Row that precedes the next page: the last of this page, or -1 if it is empty. */
  readonly lastRow: number;
  readonly work: Work;
}

/** Converts a selection to a page, and asserts that the selection is consistent with the plan. */
export function collect(plan: QueryPlan, selection: Selection): Page {
  const { rows, more, gaveUp, work } = selection;
  assert(!gaveUp, "a walk that gave up is no page");
  assert(rows.length <= plan.matches, "a page holds at most all matches");
  assert(!(more && rows.length === 0), "an empty page is the last one");
  return { rows, total: plan.matches, more, lastRow: rows.at(-1) ?? -1, work };
}

/**
 * Maximum number of rows that one native call selects. It is large enough that few calls suffice to
 * skip a company with many branches.
 */
const SELECT_MAX = 65_536;
/**
 * Number of rows that a selection adds to the page, as a constant plus 1 / `SPARE_SHARE` of the
 * page. They replace omitted branches, which are few in most answers.
 */
const SPARE_ROWS = 16;
const SPARE_SHARE = 8;

/** Returns a page with one establishment per company. `more`: another company follows. */
export function companyPage(segment: Segment, plan: QueryPlan, page: PageRequest): Page {
  const walk = new CompanyWalk(plan, page);
  for (;;) {
    const selection = execute(segment, plan, walk.wanted);
    const firsts = guarded(() => segment.native.firstsPerCompany(selection.rows, walk.firsts));
    const found = walk.take(selection, firsts);
    if (found !== null) return found;
  }
}

/** Collects a page of companies from successive selections of a plan's matches. */
export class CompanyWalk {
  readonly #plan: QueryPlan;
  readonly #limit: number;
  readonly #rows: number[] = [];
  #after: number;
  #size: number;

  constructor(plan: QueryPlan, { afterRow, limit }: PageRequest) {
    this.#plan = plan;
    this.#limit = limit;
    this.#after = afterRow;
    this.#size = limit + Math.ceil(limit / SPARE_SHARE) + SPARE_ROWS;
  }

  get wanted(): PageRequest {
    return { afterRow: this.#after, limit: this.#size };
  }

  /**
   * Returns the request that finds the first establishment of each company in the selected rows.
   */
  get firsts(): FirstsPerCompanyRequest {
    const { clauses, order, seed } = this.#plan;
    return { clauses, order, seed, beginning: this.#after < 0 };
  }

  /**
   * Adds the companies of a selection to the page. `firsts` holds the first establishment of each
   * company. Returns the page when it is full or no rows follow, otherwise null.
   */
  take(selection: Selection, firsts: Uint32Array): Page | null {
    const { rows, more } = selection;
    assert(rows.length > 0 || !more, "a selection brings rows while matches are left");
    const found = this.#rows;
    const missing = this.#limit - found.length;
    const next = firsts[missing];
    for (const row of firsts.subarray(0, missing)) found.push(row);
    if (next !== undefined) {
      // The page ends at the row right before the next company, so that the next page skips no row.
      const at = rows.indexOf(next);
      const lastRow = at === 0 ? this.#after : (rows[at - 1] as number);
      return pageOf(this.#plan, selection, { rows: found, more: true, lastRow });
    }
    if (!more) {
      return pageOf(this.#plan, selection, {
        rows: found,
        more: false,
        lastRow: found.at(-1) ?? -1,
      });
    }
    this.#after = rows[rows.length - 1] as number;
    this.#size = Math.min(2 * this.#size, SELECT_MAX);
    return null;
  }
}

function pageOf(
  { matches }: QueryPlan,
  { work }: Selection,
  { rows, ...end }: { readonly rows: readonly number[]; more: boolean; lastRow: number },
): Page {
  return { rows: Uint32Array.from(rows), total: matches, work, ...end };
}
