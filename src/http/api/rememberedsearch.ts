/**
 * Searches that are answered from memory. What comes in: a search; later its answer. What goes out:
 * the same answer again, with the id of the new request and its own time.
 * Invariant: whatever is checked, charged, refused or counted for a search is so for one that is
 * remembered, in the same order; only what the engine would find and render again is not asked of
 * it. What is remembered cannot have become wrong: a snapshot never changes, plans and secrets are
 * those of the process, and the cursors in the request and the answer are bound to the tenant.
 */
import type { Segment } from "../../search/segment.ts";
import { unchanged } from "../server/etag.ts";
import { joined, LentBytes, lend } from "../server/lentbytes.ts";
import { type HttpAnswer, JSON_TYPE } from "../server/respond.ts";
import type { KeptResponse } from "../server/responsememory.ts";
import type { Reply } from "../server/routetable.ts";
import type { KeyCall } from "../server/service.ts";
import { headOf, tookMs } from "./pagetext.ts";
import { isSmall } from "./search-request.ts";

/** What answering from memory needs of a service. */
export type RememberingPart = "clock" | "pressure" | "responses" | "telemetry";

/** Answers a search that is remembered, charged as ever; null for any other. Throws refusals. */
export function rememberedSearch(
  call: KeyCall<RememberingPart>,
  segment: Segment,
  startMs: number,
): HttpAnswer | null {
  const { responses, pressure, clock, telemetry } = call.service;
  if (!isSmall(call.body)) return null;
  const kept = responses.find(call, segment);
  if (kept === null) return null;
  telemetry.remembered();
  call.spend(kept.cost);
  if (kept.dear) pressure.refuse("first");
  const { ETag: tag = "" } = kept.headers;
  return unchanged(call, tag) ?? sent(call, kept, tookMs(clock, startMs));
}

function sent({ requestId }: KeyCall, kept: KeptResponse, took: number): HttpAnswer {
  const { bytes, headers, accounts } = kept;
  const parts = { head: headOf(requestId), prefix: bytes, accounts: NOTHING, tail: [`${took}}`] };
  return { status: 200, type: JSON_TYPE, body: lend(parts) ?? joined(parts), headers, accounts };
}

const NOTHING = new Uint8Array(0);

/** Passes an answer on and remembers it, if it is a page whose bytes are all there. */
export function remembering(
  call: KeyCall<"responses">,
  segment: Segment,
  reply: Reply,
  paid: Pick<KeptResponse, "cost" | "dear">,
): Reply {
  if (reply instanceof Promise) {
    return reply.then((answer) => remembering(call, segment, answer, paid));
  }
  const { status, body, headers, accounts } = reply;
  const whole = body instanceof LentBytes ? body.bytes : body;
  if (status !== 200 || headers === undefined || accounts === undefined) return reply;
  if (!(whole instanceof Uint8Array)) return reply;
  // The time is a number, the last value there is.
  const end = whole.lastIndexOf(COLON) + 1;
  const bytes = new Uint8Array(whole.subarray(headOf(call.requestId).length, end));
  call.service.responses.keep(call, segment, { bytes, headers, accounts, ...paid });
  return reply;
}

const COLON = ":".charCodeAt(0);
