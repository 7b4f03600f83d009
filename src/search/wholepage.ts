/**
 * Pages that the addon finds and renders in one call. What comes in: a question in the order of the
 * rows, of one phase, of accounts as they are. What goes out: the page with its text.
 * Invariant: the same page, total and text as by `plan`, `execute`, `collect` and `project`; any
 * other question is none of these, and gives null. Nothing outlives the call. Clauses go as one
 * list of numbers, the counterpart of napi/segment/wholepage.cc; those with words or lists go as
 * objects. Memory of its own for each text lies outside of the heap, and costs more than to write
 * it: a caller that has room for it gives that.
 */
import { strict as assert } from "node:assert";
import { DIMENSIONS, type DimensionName } from "../../native-index/format/columns.ts";
import {
  type Clause,
  PAGE_FACTS,
  type RangeClause,
  type WholePageRequest,
} from "../../native-index/napi/engine.ts";
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
  const text = textOf(segment, request, options);
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
function textOf(segment: Segment, request: WholePageRequest, options: PageOptions) {
  const { afterRow, room = null } = options;
  facts[PAGE_FACTS.place] = room?.at ?? 0;
  // Reads of a handle are guarded in their place (segment.ts), so this needs no guard of its own.
  return room === null
    ? segment.native.wholePage(request, afterRow, facts)
    : segment.native.wholePage(request, afterRow, facts, room.memory);
}

/** The request to the addon; null for a question that takes more than one call. */
function requestOf(segment: Segment, { spec, fields }: PageOptions): WholePageRequest | null {
  const [phase, second] = phasesOf(segment, spec);
  if (phase === undefined || second !== undefined || !isRankOrder(phase.order)) return null;
  const { clauses, order, seed } = phase;
  const { limit } = spec;
  const packed = packedPage(clauses, limit);
  return { clauses, order, seed, method: "rank", afterRow: -1, limit, fields, packed };
}

/** How a clause begins. */
const PACKED = { any: 0, none: 1, range: 2 } as const;

const DIMENSION_NUMBERS = Object.fromEntries(
  DIMENSIONS.map((name, number) => [name, number]),
) as Readonly<Record<DimensionName, number>>;

const RANGE_COLUMNS = {
  started_on: 0,
  share_capital_cents: 1,
  postal_code: 2,
  phone_1: 3,
  phone_2: 4,
  email_shared: 5,
  phone_1_shared: 6,
  phone_2_shared: 7,
  establishments: 8,
} as const satisfies Readonly<Record<RangeClause["column"], number>>;

/** The numbers of a page; the addon reads them before the next one is packed. */
const scratch = new Float64Array(512);

/** Returns the numbers of a page in row order; the next call may overwrite them. */
function packedPage(clauses: readonly Clause[], limit: number): Float64Array | undefined {
  const numbers = [limit, clauses.length];
  for (const clause of clauses) {
    if (clause.kind === "words" || clause.kind === "rows") return undefined;
    if (clause.kind === "range") {
      const { column, or: other, ranges } = clause;
      numbers.push(PACKED.range, RANGE_COLUMNS[column]);
      numbers.push(other === undefined ? 0 : RANGE_COLUMNS[other] + 1, ranges.length);
      for (const [low, high] of clause.ranges) numbers.push(low, high);
      continue;
    }
    numbers.push(clause.negated ? PACKED.none : PACKED.any, clause.any.length);
    for (const { dimension, codes } of clause.any) {
      numbers.push(DIMENSION_NUMBERS[dimension], codes.length);
      for (const code of codes) numbers.push(code);
    }
  }
  if (numbers.length > scratch.length) return new Float64Array(numbers);
  // One by one: the call that copies a list takes longer.
  for (let at = 0; at < numbers.length; at++) scratch[at] = numbers[at] as number;
  return scratch.subarray(0, numbers.length);
}
