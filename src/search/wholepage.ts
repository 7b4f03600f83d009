/**
 * Pages that the addon finds and renders in one call. What comes in: a question in the order of the
 * rows, of one phase, of accounts as they are. What goes out: the page with its text.
 * Invariant: the same page, total and text as by `plan`, `execute`, `collect` and `project`; any
 * other question is none of these, and gives null. The addon reads a question once, so the request
 * is kept beside its spec, which never changes; the total is that of the call, kept nowhere here.
 */
import { strict as assert } from "node:assert";
import { PAGE_FACTS, type WholePageRequest } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { isRankOrder, phasesOf, type QueryPlan, rankPlan } from "./plan.ts";
import { guarded, type Segment } from "./segment.ts";

/** A question, and which of its accounts are wanted of it. */
interface PageWish {
  readonly spec: AccountQuerySpec;
  readonly fields: readonly string[];
  readonly afterRow: number;
}

/** A page with its text. */
export interface WholePage {
  /** Text of a JSON array, UTF-8. */
  readonly accounts: Uint8Array;
  /** Accounts in it. */
  readonly count: number;
  /** Accounts that match, whether or not one per company is wanted. */
  readonly total: number;
  readonly more: boolean;
  /** Row that the next page begins after; the cursor carries it. */
  readonly lastRow: number;
  readonly plan: QueryPlan;
}

/** A request that the addon knows, and for what it was made. */
interface Known {
  readonly segment: Segment;
  readonly fields: readonly string[];
  readonly request: WholePageRequest;
}

const requests = new WeakMap<AccountQuerySpec, Known>();
/** What the addon tells of a page; read before anything else is called. */
const facts = new Float64Array(Object.keys(PAGE_FACTS).length);

/** The page, or null for a question that takes more than one call. */
export function wholePage(segment: Segment, wish: PageWish): WholePage | null {
  const request = requestOf(segment, wish);
  if (request === null) return null;
  const accounts = guarded(() => segment.native.wholePage(request, wish.afterRow, facts));
  const total = facts[PAGE_FACTS.matches] as number;
  const count = facts[PAGE_FACTS.rows] as number;
  const lastRow = facts[PAGE_FACTS.lastRow] as number;
  const more = facts[PAGE_FACTS.more] === 1;
  assert(count <= total, "a page holds at most all matches");
  assert(!(more && count === 0), "an empty page is the last one");
  return { accounts, count, total, more, lastRow, plan: rankPlan(request, total) };
}

function requestOf(segment: Segment, { spec, fields }: PageWish): WholePageRequest | null {
  const known = requests.get(spec);
  if (known !== undefined && known.segment === segment && known.fields === fields) {
    return known.request;
  }
  const [phase, second] = phasesOf(segment, spec);
  if (phase === undefined || second !== undefined || !isRankOrder(phase.order)) return null;
  const { clauses, order, seed } = phase;
  const page = { method: "rank", afterRow: -1, limit: spec.limit } as const;
  const request: WholePageRequest = { clauses, order, seed, ...page, fields: [...fields] };
  requests.set(spec, { segment, fields, request });
  return request;
}
