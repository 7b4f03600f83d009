/**
 * `POST /v1/accounts/search`, and the pages of every search, from the response cache or the engine.
 * Input: a spec, with a cursor for further pages. Output: one page of accounts with the exact total
 * and the cursor of the next page.
 * Invariant: the accounts are the engine's bytes, unparsed. A cursor is valid only for its spec,
 * fields, snapshot, and tenant. A failed search is never an empty answer. A cached page passes the
 * same checks, charges, refusals, and counters in the same order. Only the engine's work is saved.
 * A cached page cannot become stale: snapshots never change, and plans and secrets last as long as
 * the process. Cursors are bound to the tenant, and a page with saved lists is used only at the
 * same revisions.
 */
import type { Projector } from "../../../search/project.ts";
import {
  type FoundPage,
  type OutputBuffer,
  UNSTREAMED_ACCOUNTS_MAX,
} from "../../../search/searcher.ts";
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import { claimsSnapshot } from "../../../spec/cursor.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { refuseWithoutStreamSlot } from "../../server/admission.ts";
import { isSmall, type ReadPart, whenReady } from "../../server/body.ts";
import {
  type HttpAnswer,
  JSON_TYPE,
  type ShapedAnswer,
  unchanged,
  written,
} from "../../server/respond.ts";
import type { BoundLists, CachedPage } from "../../server/responsecache.ts";
import type { Reply } from "../../server/routetable.ts";
import type { KeyCall, QueryContext } from "../../server/service.ts";
import { streamedBody } from "../../server/stream.ts";
import {
  type AnswerBody,
  beginShared,
  endShared,
  joined,
  SharedBytes,
  writeShared,
} from "../../server/transport/answer-body.ts";
import type { SchemaName } from "../schemas.ts";
import { cursorAfter, headOf, rowAfter, tailOf, tookMs } from "./page-answer.ts";
import { cursorOf, prepareSearch, refuseTooBroad, type SearchRequest } from "./search-request.ts";

type PageSchema = "SearchAnswer" | "LeadsAnswer";

/** Options that differ between the paging routes. */
interface PageKind<Name extends PageSchema> {
  /** Name that cursors are bound to. */
  readonly endpoint: string;
  readonly schema: Name;
  /** Return only the first matching establishment of each company. */
  readonly onePerCompany?: boolean;
  /** Renders each row in another form than that of an account. */
  readonly project?: Projector;
}

/** A requested page. */
interface PageContext<Name extends PageSchema> {
  readonly segment: Segment;
  readonly kind: PageKind<Name>;
  /** Arrival of the request, in monotonic milliseconds. */
  readonly startMs: number;
}

interface ParsedPageRequest<Name extends PageSchema = PageSchema> extends PageContext<Name> {
  readonly prepared: SearchRequest;
  /** True if the answer is sent in this turn of the event loop, so it may share its buffer. */
  readonly mayShareBuffer: boolean;
  /** Caches the answer for the next equal request. Null if the answer cannot be cached. */
  readonly keep: ((answer: HttpAnswer) => void) | null;
}

const ACCOUNTS: PageKind<"SearchAnswer"> = {
  endpoint: "accounts/search",
  schema: "SearchAnswer",
};

type PageReply = Reply<ShapedAnswer<"SearchAnswer">>;

type PagePart =
  | "clock"
  | "engine"
  | "retain"
  | "log"
  | "overload"
  | "secrets"
  | "streams"
  | "telemetry";

type SearchPart = PagePart | ReadPart | "replaced" | "segment";

/** Answers `POST /v1/accounts/search`: one page, cached if possible. */
export function searchAccounts(call: KeyCall<SearchPart | CachePart>): PageReply {
  const startMs = call.service.clock.monotonicMs();
  const segment = segmentFor(call);
  return cachedPage(call, segment, ACCOUNTS, startMs) ?? newPage(call, segment, startMs);
}

/** Apart from `searchAccounts`, because cached pages need none of these closures. */
function newPage(
  call: KeyCall<SearchPart | CachePart>,
  segment: Segment,
  startMs: number,
): PageReply {
  const context = { segment, kind: ACCOUNTS, startMs };
  const answer = (prepared: SearchRequest, mayShareBuffer: boolean) => {
    const keep = (made: HttpAnswer) => cachePage(call, cacheableOf(context, prepared), made);
    return answerPage(call, { ...context, prepared, mayShareBuffer, keep });
  };
  const prepared = prepareSearch(call, segment);
  if (!(prepared instanceof Promise)) return answer(prepared, true);
  return withRetainedSegment(
    call,
    segment,
    prepared.then((read) => answer(read, false)),
  );
}

/** Returns a page to send later, so without the shared buffer and the cache. */
export async function searchPage(
  call: QueryContext<SearchPart>,
): Promise<ShapedAnswer<"SearchAnswer">> {
  const startMs = call.service.clock.monotonicMs();
  const segment = segmentFor(call);
  const release = call.service.retain(segment);
  try {
    const prepared = await prepareSearch(call, segment);
    const context = { segment, kind: ACCOUNTS, startMs };
    return await answerPage(call, { ...context, prepared, mayShareBuffer: false, keep: null });
  } finally {
    release();
  }
}

/** Returns the data of a page that the response cache needs. */
export function cacheableOf(
  { segment, kind }: Pick<ParsedPageRequest, "segment" | "kind">,
  prepared: SearchRequest,
): Cacheable {
  const { cost, spec, unbound } = prepared;
  const { endpoint } = kind;
  return { segment, endpoint, cost, spec, unbound, expensive: isExpensive(prepared) };
}

/** Retains a segment until a value is ready. Returns the value. */
export function withRetainedSegment<Value>(
  { service }: QueryContext<"retain">,
  segment: Segment,
  value: Value | Promise<Value>,
): Value | Promise<Value> {
  return value instanceof Promise ? value.finally(service.retain(segment)) : value;
}

/** Builds an answer when a value is ready; retains the segment until then. */
export function answerWith<Value, Result>(
  call: QueryContext<"retain">,
  segment: Segment,
  value: Value | Promise<Value>,
  answer: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return withRetainedSegment(call, segment, whenReady(value, answer));
}

/** Throws if the server is overloaded and the page may be large or has facets. */
function shedExpensive({ service }: QueryContext<"overload">, prepared: SearchRequest): void {
  if (isExpensive(prepared)) service.overload.refuse("first");
}

function isExpensive({ spec, facets }: SearchRequest): boolean {
  return spec.limit > UNSTREAMED_ACCOUNTS_MAX || facets !== null;
}

/** Answers ordinary pages inline, in request order, and expensive ones asynchronously. */
export function answerPage<Name extends PageSchema>(
  call: QueryContext<PagePart>,
  question: ParsedPageRequest<Name>,
): Reply<ShapedAnswer<Name>> {
  const { segment, prepared } = question;
  const { spec } = prepared;
  shedExpensive(call, prepared);
  refuseTooBroad(call.service.engine, segment, prepared);
  const afterRow = rowAfter(call, question);
  const known = unchanged(call, prepared.headers.ETag);
  if (known !== null) return known;
  const isLarge = spec.limit > UNSTREAMED_ACCOUNTS_MAX && afterRow < 0;
  if (!isLarge) return withRetainedSegment(call, segment, foundPage(call, question, afterRow));
  refuseWithoutRoom(call, segment, spec);
  return withRetainedSegment(
    call,
    segment,
    foundPage(call, { ...question, mayShareBuffer: false }, afterRow),
  );
}

/** Throws if the page may need a stream slot and none is free. */
function refuseWithoutRoom(
  { service: { engine, streams }, identity: { tenantId } }: QueryContext<"engine" | "streams">,
  segment: Segment,
  spec: AccountQuerySpec,
): void {
  if (streams.shortage(1, tenantId) === null) return;
  if (engine.countMatches(segment, spec) > UNSTREAMED_ACCOUNTS_MAX)
    refuseWithoutStreamSlot(streams, tenantId);
}

function foundPage<Name extends PageSchema>(
  call: QueryContext<PagePart>,
  question: ParsedPageRequest<Name>,
  afterRow: number,
): Reply<ShapedAnswer<Name>> {
  const { segment, prepared, kind, mayShareBuffer } = question;
  const { clock, engine, telemetry } = call.service;
  const { spec, facets, prefix } = prepared;
  const { fields, include_explain: explain } = spec.output;
  const { onePerCompany, project } = kind;
  const room = mayShareBuffer ? beginShared(headOf(call.requestId), prefix) : null;
  const request = { spec, fields, facets, afterRow, explain, onePerCompany, project, room };
  const startMs = clock.monotonicMs();
  const page = engine.page(segment, request, call.identity.tenantId);
  if (!(page instanceof Promise)) {
    telemetry.engine("search", clock.monotonicMs() - startMs);
    return respond(call, question, page, room);
  }
  return page.then((found) => {
    telemetry.engine("search", clock.monotonicMs() - startMs);
    return respond(call, question, found, null);
  });
}

function respond<Name extends PageSchema>(
  call: QueryContext<PagePart>,
  question: ParsedPageRequest<Name>,
  page: FoundPage,
  buffer: OutputBuffer | null,
): ShapedAnswer<Name> {
  const { prepared, kind, keep } = question;
  const body = bodyOf(call, question, page, buffer);
  const { headers } = prepared;
  const made = { status: 200, type: JSON_TYPE, body, headers, accounts: page.count };
  keep?.(made);
  return written(kind.schema, made);
}

function bodyOf(
  call: QueryContext<PagePart>,
  question: ParsedPageRequest,
  page: FoundPage,
  buffer: OutputBuffer | null,
): AnswerBody {
  const { segment, prepared, startMs } = question;
  const head = headOf(call.requestId);
  const { prefix } = prepared;
  const next = page.more ? cursorAfter(call, question, page) : null;
  const tail = tailOf(page, next, page.facets, tookMs(call.service.clock, startMs));
  if (page.placed >= 0 && buffer !== null) {
    const shared = endShared(buffer.at + page.placed, tail);
    if (shared !== null) return shared;
  }
  const accounts = textOf(page, buffer);
  if (accounts instanceof Uint8Array) return joined({ head, prefix, accounts, tail });
  const start = Buffer.concat([Buffer.from(head), prefix]);
  const sliced = { segment, head: start, slices: accounts, tail: Buffer.from(tail.join("")) };
  return streamedBody(call, sliced);
}

/**
 * Returns the accounts of a page. If they were written into the shared buffer, returns their part
 * of it. Otherwise returns them unchanged.
 */
function textOf({ accounts, placed }: FoundPage, buffer: OutputBuffer | null) {
  if (placed < 0 || buffer === null || !(accounts instanceof Uint8Array)) return accounts;
  return accounts.slice(buffer.at, buffer.at + placed);
}

/** Returns the snapshot on which the body's cursor began, or else the current one. */
export function segmentFor({ service, body }: QueryContext<"replaced" | "segment">): Segment {
  const current = currentSegment(service);
  served = current.snapshotId;
  // The body is searched for a cursor only while a replaced snapshot is still open.
  return service.replaced(isOther) === null ? current : claimedSegment(service, body, current);
}

/** Content id of the current snapshot; kept in the module to avoid a closure per request. */
let served = "";
const isOther = (snapshotId: string) => snapshotId !== served;

/** Returns the replaced snapshot of the body's cursor, or the current one without a cursor. */
function claimedSegment(
  service: QueryContext<"replaced">["service"],
  body: Uint8Array,
  current: Segment,
): Segment {
  const cursor = cursorOf(body) ?? "";
  const replaced = service.replaced((id) => id !== served && claimsSnapshot(cursor, id));
  return replaced === null || replaced.native.poisoned() ? current : replaced;
}

type CachePart = "clock" | "listed" | "overload" | "responses" | "telemetry";

interface Cacheable {
  readonly segment: Segment;
  readonly endpoint: string;
  /** Units charged for the request. */
  readonly cost: number;
  readonly expensive: boolean;
  /** The executed spec, in which each list's id is replaced by its current revision. */
  readonly spec: AccountQuerySpec;
  /** The spec as sent, with the ids of lists. */
  readonly unbound: AccountQuerySpec;
}

/** Answers a request from the cache and charges it. Returns null on a miss. Throws refusals. */
export function cachedPage<Name extends SchemaName>(
  call: KeyCall<CachePart>,
  segment: Segment,
  { endpoint, schema }: { readonly endpoint: string; readonly schema: Name },
  startMs: number,
): ShapedAnswer<Name> | null {
  const { responses, overload, clock, telemetry } = call.service;
  if (!responses.on || !isSmall(call.body)) return null;
  const page = responses.find(call, segment, endpoint, isCurrent);
  if (page === null) return null;
  telemetry.remembered();
  call.spend(page.cost);
  if (page.expensive) overload.refuse("first");
  const { ETag: tag = "" } = page.headers;
  const known = unchanged(call, tag);
  return known ?? written(schema, answerFrom(call, page, tookMs(clock, startMs)));
}

/** Apart from `cachedPage`, so that a search creates no closure. */
function isCurrent(lists: BoundLists, call: KeyCall<CachePart>, segment: Segment): boolean {
  return boundListsOf(call, segment, lists.spec) === lists.bound;
}

function answerFrom({ requestId }: KeyCall, page: CachedPage, took: number): HttpAnswer {
  const { bytes, headers, accounts } = page;
  const parts = { head: headOf(requestId), prefix: bytes, accounts: NOTHING, tail: [`${took}}`] };
  return {
    status: 200,
    type: JSON_TYPE,
    body: writeShared(parts) ?? joined(parts),
    headers,
    accounts,
  };
}

const NOTHING = new Uint8Array(0);

/**
 * Caches an answer if the same request came before and the whole answer is in memory. Must be
 * called in the turn that built the answer, because its buffer may be shared.
 */
export function cachePage(
  call: KeyCall<CachePart>,
  { segment, endpoint, cost, expensive, spec, unbound }: Cacheable,
  { status, body, headers, accounts }: HttpAnswer,
): void {
  const { responses } = call.service;
  const whole = body instanceof SharedBytes ? body.bytes : body;
  if (status !== 200 || headers === undefined || accounts === undefined) return;
  if (!(whole instanceof Uint8Array) || !isSmall(call.body)) return;
  if (!responses.repeats(call, segment)) return;
  let lists: BoundLists | null = null;
  if (unbound.filters.lists !== undefined) {
    const bound = JSON.stringify(spec.filters.lists);
    // Pages with several lists are not cached, because only one list can be compared synchronously.
    if (boundListsOf(call, segment, unbound) !== bound) return;
    lists = { spec: unbound, bound };
  }
  // The last member of the answer is `took_ms`. The cached bytes end before its number.
  const end = whole.lastIndexOf(COLON) + 1;
  const bytes = new Uint8Array(whole.subarray(headOf(call.requestId).length, end));
  responses.put(call, segment, endpoint, { bytes, headers, accounts, cost, expensive, lists });
}

const COLON = ":".charCodeAt(0);

/**
 * Returns the current revisions of a spec's lists as JSON. Returns null if the rows of the list are
 * not cached, or if the spec names several lists.
 */
function boundListsOf(
  { service: { listed }, identity }: KeyCall<"listed">,
  segment: Segment,
  spec: AccountQuerySpec,
): string | null {
  const bound = listed?.boundNow(identity.tenantId, segment, spec) ?? null;
  return bound === null ? null : JSON.stringify(bound.filters.lists);
}
