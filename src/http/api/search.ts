/**
 * `POST /v1/accounts/search`, and the pages of every search. What comes in: a spec, for a further
 * page with a cursor. What goes out: one page of accounts with the exact total and the cursor of
 * the next page.
 * Invariant: the accounts are the engine's bytes, unparsed; a cursor continues only the spec,
 * fields, snapshot and tenant that it was made for; a failed search is never an empty answer.
 */
import type { Plan } from "../../access/plans.ts";
import type { AccountSlices } from "../../search/accountslices.ts";
import type { PageAhead } from "../../search/ahead.ts";
import type { Facets } from "../../search/facet.ts";
import type { Projector } from "../../search/project.ts";
import type { SearchAnswer } from "../../search/searcher.ts";
import type { Segment } from "../../search/segment.ts";
import { type CursorScope, claimsSnapshot, decodeCursor, encodeCursor } from "../../spec/cursor.ts";
import { fieldsHash } from "../../spec/identity.ts";
import { type Steps, waited } from "../../steps.ts";
import { stepwise } from "../server/background-tasks.ts";
import type { AnswerBody } from "../server/body-stream.ts";
import { unchanged } from "../server/etag.ts";
import { refuseWithoutPlace } from "../server/places.ts";
import { type HttpAnswer, JSON_TYPE } from "../server/respond.ts";
import type { Reply } from "../server/routetable.ts";
import { currentSegment, type Engine, type Question, timed } from "../server/service.ts";
import { streamedBody } from "../server/stream.ts";
import { refuseTooBroad } from "./breadth.ts";
import { cursorOf, isSmall, prepareSearch, type SearchRequest } from "./search-request.ts";

/** Pages of more accounts are rendered while they are sent. */
export const WHOLE_ACCOUNTS_MAX = 512;

/** What distinguishes the routes that answer pages. */
interface PageKind {
  /** Name that cursors are bound to. */
  readonly endpoint: string;
  /** Of each company only the first matching establishment. */
  readonly onePerCompany?: boolean;
  /** Renders the rows in place of accounts. */
  readonly project?: Projector;
}

/** A page that is asked for, read and paid for. */
interface PageQuestion {
  readonly segment: Segment;
  readonly prepared: SearchRequest;
  readonly kind: PageKind;
  /** When the request came, in monotonic milliseconds. */
  readonly startMs: number;
}

/** A request that was allowed, on its way to the engine. */
interface PageRun extends PageQuestion {
  readonly scope: CursorScope;
  readonly afterRow: number;
}

/** The same with what was found aside. */
interface FoundRun extends PageRun {
  readonly ahead: PageAhead | null;
}

const ACCOUNTS: PageKind = { endpoint: "accounts/search" };

/** Answers one page of a search. */
export function searchAccounts(
  call: Question<
    | "clock"
    | "engine"
    | "hold"
    | "log"
    | "pressure"
    | "replaced"
    | "secrets"
    | "segment"
    | "streams"
    | "telemetry"
  >,
): Reply {
  const startMs = call.service.clock.monotonicMs();
  const segment = segmentFor(call);
  return answerSteps(call, segment, searchSteps(call, segment, startMs));
}

function* searchSteps(
  call: Question<
    "clock" | "engine" | "hold" | "log" | "pressure" | "secrets" | "streams" | "telemetry"
  >,
  segment: Segment,
  startMs: number,
): Steps<HttpAnswer> {
  const prepared = yield* prepareSearch(call, segment);
  refuseDear(call, prepared);
  return yield* answerPage(call, { segment, prepared, kind: ACCOUNTS, startMs });
}

/** Answers in steps; the segment stays open until the last of them. */
export function answerSteps<Value>(
  { service }: Question<"hold">,
  segment: Segment,
  steps: Steps<Value>,
): Value | Promise<Value> {
  const value = stepwise(steps);
  return value instanceof Promise ? value.finally(service.hold(segment)) : value;
}

/** Throws for a page that may be large, and for facets, while there is too much to do. */
export function refuseDear(
  { service }: Question<"pressure">,
  { spec, facets }: SearchRequest,
): void {
  if (spec.limit <= WHOLE_ACCOUNTS_MAX && facets === null) return;
  service.pressure.refuse("first");
}

/**
 * Answers one page: an ordinary one at once, and so in the order of the requests; one that may be
 * large or dear in turns with others, so that many of them hardly delay the small ones.
 */
export function* answerPage(
  call: Question<"clock" | "engine" | "hold" | "log" | "secrets" | "streams" | "telemetry">,
  question: PageQuestion,
): Steps<HttpAnswer> {
  const { service } = call;
  const { segment, prepared, kind } = question;
  refuseTooBroad(service.engine, segment, prepared);
  const scope = scopeOf(call, question);
  const { cursor, tag, spec, facets } = prepared;
  const afterRow = cursor === null ? -1 : decodeCursor(cursor, scope, service.secrets.cursor);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  const run: PageRun = { ...question, scope, afterRow };
  const wanted = { spec, afterRow, onePerCompany: kind.onePerCompany === true };
  if (!isSmall(call.body)) yield;
  const ahead = yield* waited(service.engine.pageAhead?.(segment, wanted, facets) ?? null);
  if (beginsLarge(service.engine, run)) {
    yield;
    // Found out at the cost of a count, not of a large page.
    refuseWithoutPlace(service.streams, call.identity.tenantId);
  }
  return answerTo(call, { ...run, ahead });
}

/** Whether this is the first page of a search and has more accounts than are rendered at once. */
function beginsLarge(engine: Engine, { segment, prepared: { spec }, afterRow }: PageRun): boolean {
  if (spec.limit <= WHOLE_ACCOUNTS_MAX || afterRow >= 0) return false;
  return engine.countMatches(segment, spec) > WHOLE_ACCOUNTS_MAX;
}

function answerTo(
  call: Question<"clock" | "engine" | "hold" | "log" | "secrets" | "streams" | "telemetry">,
  run: FoundRun,
): HttpAnswer {
  const { service } = call;
  const { segment, prepared, scope, startMs } = run;
  const page = pageOf(call, run);
  const counted = run.ahead?.facets ?? facetsOf(call, segment, prepared);
  const next = page.more
    ? encodeCursor({ ...scope, lastRow: page.lastRow }, service.secrets.cursor)
    : null;
  const head = `{"request_id":"${call.requestId}"`;
  const tookMs = Math.round((service.clock.monotonicMs() - startMs) * 1000) / 1000;
  const tail = tailOf(page, { next, counted, tookMs });
  const answer = (body: AnswerBody): HttpAnswer => {
    const headers = { ETag: prepared.tag };
    return { status: 200, type: JSON_TYPE, body, headers, accounts: page.count };
  };
  const { accounts } = page;
  if (accounts instanceof Uint8Array) return answer(join(head, prepared.prefix, accounts, tail));
  const start = Buffer.concat([Buffer.from(head), prepared.prefix]);
  return answer(streamedBody(call, { segment, head: start, slices: accounts, tail }));
}

/** A page whose accounts are text already, or are too many for that. */
type FoundPage = Omit<SearchAnswer, "accounts"> & {
  readonly accounts: Uint8Array | AccountSlices;
};

function pageOf(
  call: Question<"clock" | "engine" | "telemetry">,
  { segment, prepared, kind, afterRow, ahead }: FoundRun,
): FoundPage {
  const { spec } = prepared;
  const { engine } = call.service;
  const { fields, include_explain: explain } = spec.output;
  const { endpoint: _, ...how } = kind;
  const request = { spec, fields, afterRow, explain, ahead, ...how };
  return timed(call, "search", () => {
    if (spec.limit <= WHOLE_ACCOUNTS_MAX) return engine.search(segment, request);
    const { slices, ...page } = engine.searchSliced(segment, request);
    const large = slices.rowCount > WHOLE_ACCOUNTS_MAX;
    const accounts = large ? slices : slices.whole();
    return { ...page, count: slices.rowCount, accounts };
  });
}

function facetsOf(
  call: Question<"clock" | "engine" | "telemetry">,
  segment: Segment,
  { facets, spec }: SearchRequest,
): Facets | null {
  if (facets === null) return null;
  return timed(call, "facets", () => call.service.engine.facets(segment, spec, facets));
}

/** The current snapshot, or the one before it for a cursor that began there. */
export function segmentFor({ service, body }: Question<"replaced" | "segment">): Segment {
  const current = currentSegment(service);
  let cursor: string | null = null;
  const replaced = service.replaced((snapshotId) => {
    // The body is only looked into when there is a replaced snapshot of other content.
    if (snapshotId === current.snapshotId) return false;
    cursor ??= cursorOf(body) ?? "";
    return claimsSnapshot(cursor, snapshotId);
  });
  return replaced === null || replaced.native.poisoned() ? current : replaced;
}

/** What follows the accounts. */
function tailOf(
  { more, total }: FoundPage,
  end: { readonly next: string | null; readonly counted: Facets | null; readonly tookMs: number },
): Buffer {
  // A cursor is base64url and a request id is checked: neither needs escaping.
  const cursor = end.next === null ? "null" : `"${end.next}"`;
  const facets = end.counted === null ? "" : `"facets":${JSON.stringify(end.counted)},`;
  return Buffer.from(
    `,"next_cursor":${cursor},"has_more":${more},"total":${total},${facets}` +
      `"took_ms":${end.tookMs}}`,
  );
}

/** Joins the parts of the answer into one run of bytes. */
function join(head: string, prefix: Buffer, accounts: Uint8Array, tail: Buffer): Buffer {
  const length = head.length + prefix.length + accounts.byteLength + tail.length;
  const bytes = Buffer.allocUnsafe(length);
  bytes.write(head, 0, "latin1");
  bytes.set(prefix, head.length);
  bytes.set(accounts, head.length + prefix.length);
  bytes.set(tail, length - tail.length);
  return bytes;
}

/** What cursors of this request are bound to. */
function scopeOf(call: Question, { segment, prepared, kind }: PageQuestion): CursorScope {
  return {
    snapshotId: segment.snapshotId,
    specHash: prepared.resultHash,
    fieldsHash: allowedFieldsHash(call.plan),
    binding: [call.identity.tenantId, kind.endpoint],
  };
}

const fieldHashes = new WeakMap<Plan, string>();

/** The hash of what a plan allows, made once. */
export function allowedFieldsHash(plan: Plan): string {
  const hash = fieldHashes.get(plan) ?? fieldsHash(plan.fields);
  fieldHashes.set(plan, hash);
  return hash;
}
