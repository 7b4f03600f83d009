/**
 * A page of changes. Input: the members of a body (an older month, a spec, options, and a cursor
 * for further pages). Output: a page of accounts that entered, left, or changed, with exact totals.
 * Invariant: the pages together contain each account once, by ascending CNPJ, even if another
 * snapshot is served in the meantime. If a query's change list is not ready, the query waits up to
 * `WAIT_MS`. After that, the answer states the progress. Both snapshots and the list stay open
 * until the last byte is sent.
 */

import type { RetainedList } from "../../../changes/lists.ts";
import {
  type ChangeEntry,
  type ChangePage,
  type ChangeQuery,
  type ChangeTotals,
  changePage,
  changeTotals,
} from "../../../changes/query.ts";
import { changeItems } from "../../../changes/rows.ts";
import type { AccountSlices } from "../../../search/project.ts";
import type { Segment } from "../../../search/segment.ts";
import { encodeCursor } from "../../../spec/cursor.ts";
import { costOf, limitOf, overloaded } from "../../server/admission.ts";
import type { BodyObject, ReadPart } from "../../server/body.ts";
import { JSON_TYPE, type ShapedAnswer, written } from "../../server/respond.ts";
import type { KeyCall, Service } from "../../server/service.ts";
import { streamedBody } from "../../server/stream.ts";
import { type ChangesRequest, readQuestion } from "./changes-request.ts";

/** Max time that a query waits for its change list, in milliseconds. */
const WAIT_MS = 10_000;
/** Pages with more changes than this are streamed. */
const WHOLE_ITEMS_MAX = 128;
/** Changes rendered per slice: less than a millisecond. */
const SLICE_ITEMS = 32;

/** Max number of waiting queries. Any further query would time out. */
const WAITING_MAX = 64;

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/** Opens the list that a query needs, and builds it if it does not exist. */
export function openList(
  call: Pick<KeyCall<"changeLists" | "stopping">, "service" | "finished">,
  { pair }: Pick<ChangesRequest, "pair">,
): Promise<RetainedList> {
  const { service } = call;
  const ended = () => call.finished() || service.stopping();
  return service.changeLists.open(pair, { waitMs: WAIT_MS, ended });
}

/** Returns the totals. Waits in the queue for change lists. */
export function totalsOf(
  service: Pick<Service, "clock" | "telemetry">,
  query: ChangeQuery,
): Promise<ChangeTotals> {
  return inTurn(async () => {
    const startMs = service.clock.monotonicMs();
    const totals = await changeTotals(query);
    service.telemetry.engine("changes", service.clock.monotonicMs() - startMs);
    return totals;
  });
}

/** Answers a query for changes. */
export async function answerChanges(
  call: KeyCall<
    | "changeLists"
    | "clock"
    | "retain"
    | ReadPart
    | "log"
    | "months"
    | "replaced"
    | "secrets"
    | "segment"
    | "stopping"
    | "streams"
    | "telemetry"
  >,
  body: BodyObject,
): Promise<ShapedAnswer<"ChangesAnswer">> {
  const startMs = call.service.clock.monotonicMs();
  const { spec, limit } = body.members;
  call.spend(costOf({ spec, limit: limitOf([limit], call.plan.limits.search_limit) }));
  const question = await readQuestion(call, body);
  let held: RetainedList | null = null;
  const letGo = () => {
    held?.release();
    question.pair.release();
  };
  try {
    held = await openList(call, question);
    const found = await walk(call.service, question, held);
    return rendered(call, { ...found, question, held, startMs, letGo });
  } catch (error) {
    letGo();
    throw error;
  }
}

interface Found {
  readonly totals: ChangeTotals;
  readonly page: ChangePage;
}

async function walk(
  service: Pick<Service, "clock" | "telemetry">,
  { bound: spec, kinds, watch, from, limit }: ChangesRequest,
  { list }: RetainedList,
): Promise<Found> {
  const query = { list, spec, kinds, watch };
  const totals = await totalsOf(service, query);
  const page = await inTurn(async () => {
    const startMs = service.clock.monotonicMs();
    const part = await changePage(query, { from, limit });
    service.telemetry.engine("changes", service.clock.monotonicMs() - startMs);
    return part;
  });
  return { totals, page };
}

/** A page that was found and is being rendered. */
interface Rendering extends Found {
  readonly question: ChangesRequest;
  readonly held: RetainedList;
  readonly startMs: number;
  /** Releases the snapshots and the list. */
  readonly letGo: () => void;
}

/** Renders a small page immediately, and streams a large page. */
function rendered(
  call: KeyCall<"clock" | "retain" | "log" | "secrets" | "streams">,
  rendering: Rendering,
): ShapedAnswer<"ChangesAnswer"> {
  const { question, held, page, letGo } = rendering;
  const { head, tail } = frameOf(call, rendering);
  const slices = itemSlices(held, page.entries, question.spec.output.fields);
  const start = { status: 200, type: JSON_TYPE, accounts: page.entries.length } as const;
  if (page.entries.length <= WHOLE_ITEMS_MAX) {
    const items = slices.whole();
    letGo();
    return written("ChangesAnswer", { ...start, body: Buffer.concat([head, items, tail]) });
  }
  const body = streamedBody(call, { segment: question.pair.newer, head, slices, tail });
  const done = () => {
    body.done();
    letGo();
  };
  return written("ChangesAnswer", { ...start, body: { ...body, done } });
}

/** Returns the text before and after the list of changes. */
function frameOf(
  call: KeyCall<"clock" | "secrets">,
  rendering: Rendering,
): { head: Buffer; tail: Buffer } {
  const { question, held, totals, page, startMs } = rendering;
  const { spec, kinds, watch, scope, warnings } = question;
  const { older, newer } = held.list;
  const { clock, secrets } = call.service;
  const lastRow = page.next;
  const cursor = page.more ? encodeCursor({ ...scope, lastRow }, secrets.cursor) : null;
  const before = {
    request_id: call.requestId,
    since: sourceOf(older),
    until: sourceOf(newer),
    ...{ spec, kinds, watch, totals, count: page.entries.length },
  };
  const tail = {
    next_cursor: cursor,
    has_more: page.more,
    warnings,
    provenance: newer.provenance,
    took_ms: Math.round((clock.monotonicMs() - startMs) * 1000) / 1000,
  };
  return {
    head: Buffer.from(`${JSON.stringify(before).slice(0, -1)},"changes":`),
    tail: Buffer.from(`,${JSON.stringify(tail).slice(1)}`),
  };
}

function sourceOf({ label, snapshotDate }: Segment) {
  return { snapshot: label, snapshot_date: snapshotDate };
}

/** Returns the text of the list of changes in slices. */
function itemSlices(
  { list }: RetainedList,
  entries: readonly ChangeEntry[],
  fields: readonly string[],
): AccountSlices {
  const text = (some: readonly ChangeEntry[]) => JSON.stringify(changeItems(list, some, fields));
  return {
    rowCount: entries.length,
    whole: () => Buffer.from(text(entries)),
    *texts() {
      for (let from = 0; from < entries.length; from += SLICE_ITEMS) {
        const part = text(entries.slice(from, from + SLICE_ITEMS)).slice(1, -1);
        yield Buffer.from(`${from === 0 ? "[" : ","}${part}`);
      }
      yield Buffer.from("]");
    },
  };
}

/**
 * Runs tasks on change lists one after another. Each turn of the event loop scans at most one slice
 * of a list, regardless of the queries waiting, so small requests are hardly delayed. Throws
 * `overloaded` if too many wait.
 */
async function inTurn<Value>(task: () => Promise<Value>): Promise<Value> {
  if (waiting >= WAITING_MAX) throw overloaded();
  waiting++;
  const turn = last.then(task);
  last = turn.catch(() => {});
  try {
    return await turn;
  } finally {
    waiting--;
  }
}
