/**
 * `POST /v1/accounts/search`, and the pages of every search. What comes in: a spec, for a further
 * page with a cursor. What goes out: one page of accounts with the exact total and the cursor of
 * the next page.
 * Invariant: the accounts are the engine's bytes, unparsed; a cursor continues only the spec,
 * fields, snapshot and tenant that it was made for; a failed search is never an empty answer.
 */

import type { AccountSlices } from "../../../search/accountslices.ts";
import type { PageAhead } from "../../../search/ahead.ts";
import type { Facets } from "../../../search/facet.ts";
import type { Projector } from "../../../search/project.ts";
import type { SearchAnswer, SlicedAnswer } from "../../../search/searcher.ts";
import type { Segment } from "../../../search/segment.ts";
import type { TextRoom } from "../../../search/wholepage.ts";
import { claimsSnapshot } from "../../../spec/cursor.ts";
import type { FacetName } from "../../../spec/facets.ts";
import { type Steps, waited } from "../../../steps.ts";
import { stepwise } from "../../server/background-tasks.ts";
import { unchanged } from "../../server/etag.ts";
import { refuseWithoutPlace } from "../../server/places.ts";
import { type BareAnswer, JSON_TYPE, type ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import {
  currentSegment,
  type Engine,
  type KeyCall,
  type Question,
  timed,
} from "../../server/service.ts";
import { streamedBody } from "../../server/stream.ts";
import type { AnswerBody } from "../../server/transport/body-stream.ts";
import { beginLent, endLent, joined } from "../../server/transport/lentbytes.ts";
import { written } from "../answershape.ts";
import { refuseTooBroad } from "./breadth.ts";
import { type Cacheable, type CachePart, cachedPage, cachePage } from "./cachedpages.ts";
import { cursorAfter, rowAfter } from "./pagecursors.ts";
import { headOf, tailOf, tookMs } from "./pagetext.ts";
import { cursorOf, isSmall, prepareSearch, type SearchRequest } from "./search-request.ts";

/** Pages of more accounts are rendered while they are sent. */
export const WHOLE_ACCOUNTS_MAX = 512;

/** Schemas of the pages of accounts. */
type PageSchema = "SearchAnswer" | "LeadsAnswer";

/** What distinguishes the routes that answer pages. */
interface PageKind<Name extends PageSchema> {
  /** Name that cursors are bound to. */
  readonly endpoint: string;
  /** Name of the answer's schema. */
  readonly schema: Name;
  /** Of each company only the first matching establishment. */
  readonly onePerCompany?: boolean;
  /** Renders the rows in place of accounts. */
  readonly project?: Projector;
}

/** A page that is asked for, read and paid for. */
interface PageQuestion<Name extends PageSchema = PageSchema> {
  readonly segment: Segment;
  readonly prepared: SearchRequest;
  readonly kind: PageKind<Name>;
  /** When the request came, in monotonic milliseconds. */
  readonly startMs: number;
}

/** Where a page begins; the request was allowed. */
interface PageStart {
  readonly afterRow: number;
}

/** How a page is answered, with what was found of it aside. */
interface PageRun extends PageStart {
  readonly ahead: PageAhead | null;
  /** Whether its bytes may be lent. */
  readonly lends: boolean;
}

/** Whether steps are done in the call that began them: its answer is sent at once, so it lends. */
export interface Turn {
  readonly isFirst: boolean;
}

const LATER: Turn = { isFirst: false };

const ACCOUNTS: PageKind<"SearchAnswer"> = {
  endpoint: "accounts/search",
  schema: "SearchAnswer",
};

/** A page of accounts, at once or later. */
type PageReply = Reply<ShapedAnswer<"SearchAnswer">>;

/** What a search needs of a service. */
type SearchPart =
  | "clock"
  | "engine"
  | "hold"
  | "listed"
  | "log"
  | "pressure"
  | "replaced"
  | "secrets"
  | "segment"
  | "streams"
  | "telemetry";

/** Answers `POST /v1/accounts/search`: one page, from the response cache if it is there. */
export function searchAccounts(call: KeyCall<SearchPart | CachePart>): PageReply {
  const startMs = call.service.clock.monotonicMs();
  const segment = segmentFor(call);
  const cached = cachedPage(call, segment, ACCOUNTS, startMs);
  if (cached !== null) return cached;
  const turn = { isFirst: true };
  const reply = answerSteps(call, segment, cachedSearchSteps(call, segment, startMs, turn));
  turn.isFirst = false;
  return reply;
}

/** The same for a caller that sends the answer later: nothing is lent, and nothing cached. */
export function searchPage(call: Question<SearchPart>): PageReply {
  const startMs = call.service.clock.monotonicMs();
  const segment = segmentFor(call);
  return answerSteps(call, segment, searchSteps(call, segment, startMs));
}

function* cachedSearchSteps(
  call: KeyCall<Exclude<SearchPart, "replaced" | "segment"> | CachePart>,
  segment: Segment,
  startMs: number,
  turn: Turn,
): Steps<ShapedAnswer<"SearchAnswer">> {
  const prepared = yield* prepareSearch(call, segment);
  const question = { segment, prepared, kind: ACCOUNTS, startMs };
  const answer = yield* answerPage(call, question, turn);
  cachePage(call, cacheableOf(question), answer);
  return answer;
}

function* searchSteps(
  call: Question<Exclude<SearchPart, "replaced" | "segment">>,
  segment: Segment,
  startMs: number,
): Steps<ShapedAnswer<"SearchAnswer">> {
  const prepared = yield* prepareSearch(call, segment);
  return yield* answerPage(call, { segment, prepared, kind: ACCOUNTS, startMs });
}

/** Returns what the response cache must know of a page. */
export function cacheableOf({ segment, prepared, kind }: PageQuestion): Cacheable {
  const { cost, spec, unbound } = prepared;
  const { endpoint } = kind;
  return { segment, endpoint, cost, spec, unbound, expensive: isExpensive(prepared) };
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

/** Throws for a page that may be large, and for facets, while the server is overloaded. */
function shedExpensive({ service }: Question<"pressure">, prepared: SearchRequest): void {
  if (isExpensive(prepared)) service.pressure.refuse("first");
}

function isExpensive({ spec, facets }: SearchRequest): boolean {
  return spec.limit > WHOLE_ACCOUNTS_MAX || facets !== null;
}

/** What answering a page needs of a service. */
type PagePart =
  | "clock"
  | "engine"
  | "hold"
  | "log"
  | "pressure"
  | "secrets"
  | "streams"
  | "telemetry";

/**
 * Answers one page: an ordinary one at once, and so in the order of the requests; one that may be
 * large or dear in turns with others, so that many of them hardly delay the small ones.
 */
export function* answerPage<Name extends PageSchema>(
  call: Question<PagePart>,
  question: PageQuestion<Name>,
  turn: Turn = LATER,
): Steps<ShapedAnswer<Name>> {
  shedExpensive(call, question.prepared);
  const begun = beginPage(call, question);
  if (typeof begun !== "number") return begun;
  if (!isSmall(call.body)) yield;
  const ahead = aheadOf(call, question, begun);
  return yield* restOfPage(call, question, { afterRow: begun, ahead, turn });
}

/** The row that a page begins after, or the answer where none is needed. Throws refusals. */
function beginPage(
  call: Question<"engine" | "secrets">,
  question: PageQuestion,
): number | BareAnswer {
  const { segment, prepared } = question;
  refuseTooBroad(call.service.engine, segment, prepared);
  const afterRow = rowAfter(call, question);
  return unchanged(call, prepared.headers.ETag) ?? afterRow;
}

/** What is found of a dear page off the main thread, or null. */
function aheadOf(
  { service: { engine }, identity }: Question<"engine">,
  { segment, prepared, kind }: PageQuestion,
  afterRow: number,
): Promise<PageAhead> | null {
  if (engine.pageAhead === undefined) return null;
  const { spec, facets } = prepared;
  const wanted = { spec, afterRow, onePerCompany: kind.onePerCompany === true };
  return engine.pageAhead(segment, wanted, facets, identity.tenantId);
}

function* restOfPage<Name extends PageSchema>(
  call: Question<PagePart>,
  question: PageQuestion<Name>,
  run: PageStart & { readonly ahead: Promise<PageAhead> | null; readonly turn: Turn },
): Steps<ShapedAnswer<Name>> {
  const { service } = call;
  const { afterRow } = run;
  const ahead = yield* waited(run.ahead);
  if (beginsLarge(service.engine, question, afterRow)) {
    yield;
    // Found out at the cost of a count, not of a large page.
    refuseWithoutPlace(service.streams, call.identity.tenantId);
  }
  return answerTo(call, question, { afterRow, ahead, lends: run.turn.isFirst });
}

/** Whether this is the first page of a search and has more accounts than are rendered at once. */
function beginsLarge(
  engine: Engine,
  { segment, prepared: { spec } }: PageQuestion,
  afterRow: number,
): boolean {
  if (spec.limit <= WHOLE_ACCOUNTS_MAX || afterRow >= 0) return false;
  return engine.countMatches(segment, spec) > WHOLE_ACCOUNTS_MAX;
}

function answerTo<Name extends PageSchema>(
  call: Question<PagePart>,
  question: PageQuestion<Name>,
  run: PageRun,
): ShapedAnswer<Name> {
  const { service } = call;
  const { segment, prepared, startMs } = question;
  const head = headOf(call.requestId);
  const { prefix } = prepared;
  const room = run.lends ? beginLent(head, prefix) : null;
  const page = pageOf(call, question, run, room);
  const counted = run.ahead?.facets ?? facetsOf(call, segment, prepared);
  const next = page.more ? cursorAfter(call, question, page) : null;
  const end = tailOf(page, next, counted, tookMs(service.clock, startMs));
  if (page.placed >= 0 && room !== null) {
    const lent = endLent(room.at + page.placed, end);
    if (lent !== null) return answerOf(question, page.count, lent);
  }
  const accounts = textOf(page, room);
  if (accounts instanceof Uint8Array) {
    const body = joined({ head, prefix, accounts, tail: end });
    return answerOf(question, page.count, body);
  }
  const start = Buffer.concat([Buffer.from(head), prefix]);
  const sliced = { segment, head: start, slices: accounts, tail: Buffer.from(end.join("")) };
  return answerOf(question, page.count, streamedBody(call, sliced));
}

/** The accounts of a page as text of their own, or slice by slice. */
function textOf({ accounts, placed }: FoundPage, room: TextRoom | null) {
  if (placed < 0 || room === null || !(accounts instanceof Uint8Array)) return accounts;
  return accounts.slice(room.at, room.at + placed);
}

function answerOf<Name extends PageSchema>(
  { prepared: { headers }, kind }: PageQuestion<Name>,
  accounts: number,
  body: AnswerBody,
): ShapedAnswer<Name> {
  return written(kind.schema, { status: 200, type: JSON_TYPE, body, headers, accounts });
}

/** A page whose accounts are text already, or are too many for that. */
type FoundPage = Omit<SearchAnswer, "accounts"> & {
  readonly accounts: Uint8Array | AccountSlices;
};

function pageOf(
  call: Question<"clock" | "engine" | "telemetry">,
  { segment, prepared, kind }: PageQuestion,
  { afterRow, ahead }: PageRun,
  room: TextRoom | null,
): FoundPage {
  const { spec } = prepared;
  const { fields, include_explain: explain } = spec.output;
  const { onePerCompany, project } = kind;
  const asked = { spec, fields, afterRow, explain, ahead, onePerCompany, project, room };
  const { clock, engine, telemetry } = call.service;
  const startMs = clock.monotonicMs();
  const page =
    spec.limit <= WHOLE_ACCOUNTS_MAX
      ? engine.search(segment, asked)
      : largePage(engine.searchSliced(segment, asked));
  telemetry.engine("search", clock.monotonicMs() - startMs);
  return page;
}

/** A page whose accounts may be too many to be text at once. */
function largePage({ slices, ...page }: SlicedAnswer): FoundPage {
  const large = slices.rowCount > WHOLE_ACCOUNTS_MAX;
  const accounts = large ? slices : slices.whole();
  return { ...page, count: slices.rowCount, accounts, placed: -1 };
}

function facetsOf(
  call: Question<"clock" | "engine" | "telemetry">,
  segment: Segment,
  { facets, spec }: SearchRequest,
): Facets | null {
  // What is timed has room for a closure, which every page would leave behind.
  return facets === null ? null : timedFacets(call, segment, { facets, spec });
}

function timedFacets(
  call: Question<"clock" | "engine" | "telemetry">,
  segment: Segment,
  { facets, spec }: Pick<SearchRequest, "spec"> & { readonly facets: readonly FacetName[] },
): Facets {
  return timed(call, "facets", () => call.service.engine.facets(segment, spec, facets));
}

/** The current snapshot, or the one before it for a cursor that began there. */
export function segmentFor({ service, body }: Question<"replaced" | "segment">): Segment {
  const current = currentSegment(service);
  served = current.snapshotId;
  // The body is only looked into when there is a replaced snapshot of other content.
  return service.replaced(isOther) === null ? current : claimedSegment(service, body, current);
}

/** Content of the current snapshot; here so that the question for another makes no closure. */
let served = "";
const isOther = (snapshotId: string) => snapshotId !== served;

/** The replaced snapshot that the cursor in a body began in, or the current one. */
function claimedSegment(
  service: Question<"replaced">["service"],
  body: Uint8Array,
  current: Segment,
): Segment {
  const cursor = cursorOf(body) ?? "";
  const replaced = service.replaced((id) => id !== served && claimsSnapshot(cursor, id));
  return replaced === null || replaced.native.poisoned() ? current : replaced;
}
