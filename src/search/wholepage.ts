/**
 * Pages that the addon finds and renders in one call. What comes in: a question in the order of the
 * rows, of one phase, of accounts as they are. What goes out: the page with its text.
 * Invariant: the same page, total and text as by `plan`, `execute`, `collect` and `project`; any
 * other question is none of these, and gives null. Memory of its own for each text lies outside
 * of the heap, and costs more than to write it: a caller that has room for it gives that.
 */
import { strict as assert } from "node:assert";
import { PAGE_FACTS, type WholePageRequest } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { isRankOrder, phasesOf, type QueryPlan, rankPlan } from "./plan.ts";
import type { Segment } from "./segment.ts";

/** Memory of the caller that a text may be written to, from byte `at` on. */
export interface TextRoom {
  readonly memory: Uint8Array;
  readonly at: number;
}

/** A question, and which of its accounts are wanted of it. */
interface PageOptions {
  readonly spec: AccountQuerySpec;
  readonly fields: readonly string[];
  readonly afterRow: number;
  /** Where the text may be written to, if it is not to have memory of its own. */
  readonly room?: TextRoom | null;
}

/** A page with its text. */
export interface WholePage {
  /** Text of a JSON array, UTF-8; the memory of the room where it was written there. */
  readonly accounts: Uint8Array;
  /** Bytes that were written to the room, or -1 where the text has memory of its own. */
  readonly placed: number;
  /** Accounts in it. */
  readonly count: number;
  /** Accounts that match, whether or not one per company is wanted. */
  readonly total: number;
  readonly more: boolean;
  /** Row that the next page begins after; the cursor carries it. */
  readonly lastRow: number;
  readonly plan: QueryPlan;
}

/** What the addon tells of a page; read before anything else is called. */
const facts = new Float64Array(Object.keys(PAGE_FACTS).length);

/** The page, or null for a question that takes more than one call. */
export function wholePage(segment: Segment, options: PageOptions): WholePage | null {
  const request = requestOf(segment, options);
  if (request === null) return null;
  const text = textOf(segment, request, options.room ?? null);
  const total = facts[PAGE_FACTS.matches] as number;
  const count = facts[PAGE_FACTS.rows] as number;
  const lastRow = facts[PAGE_FACTS.lastRow] as number;
  const more = facts[PAGE_FACTS.more] === 1;
  assert(count <= total, "a page holds at most all matches");
  assert(!(more && count === 0), "an empty page is the last one");
  const placed = typeof text === "number" ? text : -1;
  const accounts = typeof text === "number" ? (options.room as TextRoom).memory : text;
  return { accounts, placed, count, total, more, lastRow, plan: rankPlan(request, total) };
}

/** The text, or how many bytes of it were written to the room. */
function textOf({ native }: Segment, request: WholePageRequest, room: TextRoom | null) {
  facts[PAGE_FACTS.place] = room?.at ?? 0;
  // Reads of a handle are guarded in their place (segment.ts), so this needs no guard of its own.
  return room === null
    ? native.wholePage(request, facts)
    : native.wholePage(request, facts, room.memory);
}

/** The request to the addon; null for a question that takes more than one call. */
function requestOf(segment: Segment, options: PageOptions): WholePageRequest | null {
  const { spec, fields, afterRow } = options;
  const [phase, second] = phasesOf(segment, spec);
  if (phase === undefined || second !== undefined || !isRankOrder(phase.order)) return null;
  const { clauses, order, seed } = phase;
  return { clauses, order, seed, method: "rank", afterRow, limit: spec.limit, fields };
}
