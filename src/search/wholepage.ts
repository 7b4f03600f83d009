/**
 * Pages that the addon finds and renders in one call. What comes in: a question in the order of the
 * rows, of one phase, of accounts as they are. What goes out: the page with its text.
 * Invariant: the same page, total and text as by `plan`, `execute`, `collect` and `project`; any
 * other question is none of these, and gives null. The addon reads a question once, so the request
 * is kept beside its spec, which never changes; the total is that of the call, kept nowhere here.
 * To whoever asks for it the text is lent, in memory that the next such page is written to.
 */
import { strict as assert } from "node:assert";
import { PAGE_FACTS, type WholePageRequest } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { packedPage } from "./packedpage.ts";
import { isRankOrder, phasesOf, type QueryPlan, rankPlan } from "./plan.ts";
import type { Segment } from "./segment.ts";

/** A question, and which of its accounts are wanted of it. */
interface PageOptions {
  readonly spec: AccountQuerySpec;
  readonly fields: readonly string[];
  readonly afterRow: number;
  /** Whether the text may be lent until the next one is: for whoever copies or sends it at once. */
  readonly lends?: boolean;
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
export function wholePage(segment: Segment, options: PageOptions): WholePage | null {
  const request = requestOf(segment, options);
  if (request === null) return null;
  const accounts = textOf(segment, request, options);
  const total = facts[PAGE_FACTS.matches] as number;
  const count = facts[PAGE_FACTS.rows] as number;
  const lastRow = facts[PAGE_FACTS.lastRow] as number;
  const more = facts[PAGE_FACTS.more] === 1;
  assert(count <= total, "a page holds at most all matches");
  assert(!(more && count === 0), "an empty page is the last one");
  return { accounts, count, total, more, lastRow, plan: rankPlan(request, total) };
}

/** Memory of its own for each text lies outside of the heap, and costs more than to write it. */
const room = new Uint8Array(64 * 1024);

function textOf(segment: Segment, request: WholePageRequest, options: PageOptions): Uint8Array {
  const { afterRow, lends = false } = options;
  // Reads of a handle are guarded in their place (segment.ts), so this needs no guard of its own.
  const text = lends
    ? segment.native.wholePage(request, afterRow, facts, room)
    : segment.native.wholePage(request, afterRow, facts);
  return typeof text === "number" ? new Uint8Array(room.buffer, 0, text) : text;
}

function requestOf(segment: Segment, { spec, fields }: PageOptions): WholePageRequest | null {
  const known = requests.get(spec);
  if (known !== undefined && known.segment === segment && known.fields === fields) {
    return known.request;
  }
  const [phase, second] = phasesOf(segment, spec);
  if (phase === undefined || second !== undefined || !isRankOrder(phase.order)) return null;
  const { clauses, order, seed } = phase;
  const { limit } = spec;
  const request: WholePageRequest = {
    clauses,
    order,
    seed,
    method: "rank",
    afterRow: -1,
    limit,
    fields: [...fields],
    packed: packedPage(clauses, limit),
  };
  requests.set(spec, { segment, fields, request });
  return request;
}
