/**
 * Pages from the response cache.
 * Invariant: everything that is checked, charged, refused, or counted for a page is so for a cached
 * one, in the same order; only the engine's work is saved. A cached page cannot become wrong: a
 * snapshot never changes, plans and secrets are those of the process, cursors are bound to the
 * tenant, and a page with saved lists is used only while they have the same revisions.
 */
import type { Segment } from "../../../search/segment.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { isSmall } from "../../server/compute.ts";
import {
  type HttpAnswer,
  JSON_TYPE,
  type ShapedAnswer,
  unchanged,
  written,
} from "../../server/respond.ts";
import type { BoundLists, CachedPage } from "../../server/responsecache.ts";
import type { KeyCall } from "../../server/service.ts";
import { joined, LentBytes, lend } from "../../server/transport/lentbytes.ts";
import type { SchemaName } from "../schemas.ts";
import { headOf, tookMs } from "./page-answer.ts";

/** Parts of the service that cached pages need. */
export type CachePart = "clock" | "listed" | "pressure" | "responses" | "telemetry";

/** A page that may be cached. */
export interface Cacheable {
  readonly segment: Segment;
  readonly endpoint: string;
  /** Units that the request was charged. */
  readonly cost: number;
  readonly expensive: boolean;
  /** The spec that ran; bound to the revisions of its lists. */
  readonly spec: AccountQuerySpec;
  /** The same with the ids of lists, as it was sent. */
  readonly unbound: AccountQuerySpec;
}

/** Answers a request from the cache and charges it; returns null on a miss. Throws refusals. */
export function cachedPage<Name extends SchemaName>(
  call: KeyCall<CachePart>,
  segment: Segment,
  { endpoint, schema }: { readonly endpoint: string; readonly schema: Name },
  startMs: number,
): ShapedAnswer<Name> | null {
  const { responses, pressure, clock, telemetry } = call.service;
  if (!responses.on || !isSmall(call.body)) return null;
  const page = responses.find(call, segment, endpoint, isCurrent);
  if (page === null) return null;
  telemetry.remembered();
  call.spend(page.cost);
  if (page.expensive) pressure.refuse("first");
  const { ETag: tag = "" } = page.headers;
  const known = unchanged(call, tag);
  return known ?? written(schema, answerFrom(call, page, tookMs(clock, startMs)));
}

/** Apart, so that a search makes no closure. */
function isCurrent(lists: BoundLists, call: KeyCall<CachePart>, segment: Segment): boolean {
  return boundListsOf(call, segment, lists.spec) === lists.bound;
}

function answerFrom({ requestId }: KeyCall, page: CachedPage, took: number): HttpAnswer {
  const { bytes, headers, accounts } = page;
  const parts = { head: headOf(requestId), prefix: bytes, accounts: NOTHING, tail: [`${took}}`] };
  return { status: 200, type: JSON_TYPE, body: lend(parts) ?? joined(parts), headers, accounts };
}

const NOTHING = new Uint8Array(0);

/**
 * Stores an answer if the same request came before and all bytes of the answer are there. Must be
 * called in the turn in which the answer was made, because its bytes may be lent.
 */
export function cachePage(
  call: KeyCall<CachePart>,
  { segment, endpoint, cost, expensive, spec, unbound }: Cacheable,
  { status, body, headers, accounts }: HttpAnswer,
): void {
  const { responses } = call.service;
  const whole = body instanceof LentBytes ? body.bytes : body;
  if (status !== 200 || headers === undefined || accounts === undefined) return;
  if (!(whole instanceof Uint8Array) || !isSmall(call.body)) return;
  if (!responses.repeats(call, segment)) return;
  let lists: BoundLists | null = null;
  if (unbound.filters.lists !== undefined) {
    const bound = JSON.stringify(spec.filters.lists);
    // Several lists are never compared in one step, so such a page would never be found.
    if (boundListsOf(call, segment, unbound) !== bound) return;
    lists = { spec: unbound, bound };
  }
  // The time is a number, the last value there is.
  const end = whole.lastIndexOf(COLON) + 1;
  const bytes = new Uint8Array(whole.subarray(headOf(call.requestId).length, end));
  responses.put(call, segment, endpoint, { bytes, headers, accounts, cost, expensive, lists });
}

const COLON = ":".charCodeAt(0);

/** Returns the lists of a spec with their revisions now, as JSON; null if that needs a wait. */
function boundListsOf(
  { service: { listed }, identity }: KeyCall<"listed">,
  segment: Segment,
  spec: AccountQuerySpec,
): string | null {
  const bound = listed?.boundNow(identity.tenantId, segment, spec) ?? null;
  return bound === null ? null : JSON.stringify(bound.filters.lists);
}
