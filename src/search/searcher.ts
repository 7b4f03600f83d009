/**
 * Runs every search: plans the query, executes it, collects a page, and renders it. This file is
 * the only entry to the engine. Input: a segment and a normalized spec. Output: the accounts of one
 * page as JSON bytes, with the exact total, directly or as a promise.
 * Invariant: search, lead search, export, count, and command line all use this file, so a preview
 * equals the export. Every path returns the same page, total, and text. A page in the stored row
 * order takes one addon call. A page in another order takes several calls, which run off the main
 * thread if they are expensive. One query at a time runs off the main thread, so that the thread
 * pool remains available for files and passwords. Tenants take turns. If too many queries wait, new
 * ones are refused.
 */

import { strict as assert } from "node:assert";
import {
  PAGE_FACTS,
  type RenderedPageRequest,
  type Selection,
} from "../../native-index/napi/engine.ts";
import { FairQueue, type QueueBounds } from "../scheduling/fairqueue.ts";
import type { FacetName } from "../spec/facets.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { facets as countFacets, type Facets, facetsAsync, facetsWork, fitTurn } from "./facet.ts";
import { CompanyWalk, collect, companyPage, execute, type Page, type PageRequest } from "./page.ts";
import { isRankOrder, matchClauses, phasesOf, plan, type QueryPlan, rankPlan } from "./plan.ts";
import {
  type AccountSlices,
  accountSlices,
  EXPLAINED_SLICE_ROWS,
  type Projector,
  projector,
  SLICE_ROWS,
} from "./project.ts";
import { guarded, type Segment } from "./segment.ts";

/** A search page request. */
export interface EngineRequest extends PageQuery {
  readonly fields: readonly string[];
  readonly explain: boolean;
  /** Renders the rows, if present. `fields` and `explain` are then ignored. */
  readonly project?: Projector | undefined;
  /** Results for this page that were already computed; they are not computed again. */
  readonly prepared?: PreparedPage | null;
  /**
   * Memory into which the text of the page is written. If null, memory is allocated for the text.
   */
  readonly room?: OutputBuffer | null;
}

/** The rendered accounts of a page, with the total of the answer and the plan. */
export type SearchAnswer = RenderedPage;

/** Like `SearchAnswer`, but the accounts are rendered only when they are read. */
export interface SlicedAnswer extends Omit<SearchAnswer, "accounts" | "count" | "placed"> {
  /** The accounts of the page. They can be rendered only while the segment is open. */
  readonly slices: AccountSlices;
}

/** A page request with the facets to count over all matches. Null counts none. */
export interface FacetedPageRequest extends Omit<EngineRequest, "prepared"> {
  readonly facets: readonly FacetName[] | null;
}

/** A page whose accounts are text or, if the page is large, are rendered in chunks on demand. */
export interface FoundPage extends Omit<SearchAnswer, "accounts"> {
  readonly accounts: Uint8Array | AccountSlices;
  readonly facets: Facets | null;
}

/** The number of matches of a spec, and their counts by facet. */
export interface MatchCounts {
  readonly total: number;
  readonly facets: Facets | null;
}

/** A page with more accounts than this is streamed in chunks. */
export const UNSTREAMED_ACCOUNTS_MAX = 512;

/**
 * Returns a page directly if it is quick. Otherwise returns a promise: the page is found off the
 * main thread, and tenants take turns. The text of such a page is allocated and does not use
 * `room`. Throws like `search`.
 */
export function page(
  segment: Segment,
  request: FacetedPageRequest,
  tenantId: string,
): FoundPage | Promise<FoundPage> {
  const later = pageAsync(segment, request, request.facets, tenantId);
  if (later === null) {
    if (isRanked(segment, request.spec)) return pageNow(segment, request);
    const walked = walkedPage(segment, request);
    if (walked !== null) return pageNow(segment, { ...request, prepared: walked });
  }
  const found = later ?? runAsync(segment, request, request.facets, tenantId);
  return found.then((prepared) => pageNow(segment, { ...request, room: null, prepared }));
}

function pageNow(
  segment: Segment,
  request: FacetedPageRequest & Pick<EngineRequest, "prepared">,
): FoundPage {
  const { spec, facets: names, prepared = null } = request;
  const found =
    spec.limit <= UNSTREAMED_ACCOUNTS_MAX
      ? search(segment, request)
      : largePage(searchSliced(segment, request));
  const left = prepared === null || prepared.facets === null ? names : null;
  return {
    ...found,
    facets: left === null ? (prepared?.facets ?? null) : facets(segment, spec, left),
  };
}

/** True if the order of a spec is the stored row order. */
function isRanked(segment: Segment, spec: AccountQuerySpec): boolean {
  return isRankOrder(guarded(() => phasesOf(segment, spec))[0]?.order ?? []);
}

/**
 * Returns a page in an order other than the stored row order, without facets. Returns null if
 * finding the page takes too long on this thread. The cost is known only after rows have been
 * visited, because it depends on how the matches are distributed over the order.
 */
function walkedPage(segment: Segment, request: FacetedPageRequest): PreparedPage | null {
  const { spec, afterRow, onePerCompany = false } = request;
  const planned = guarded(() => plan(segment, spec));
  const wanted = { afterRow, limit: spec.limit };
  if (onePerCompany) {
    if (planned.method === "walk" && planned.matches >= FEW_MATCHES) return null;
    return { plan: planned, page: companyPage(segment, planned, wanted), facets: null };
  }
  const selection = execute(segment, planned, { ...wanted, meetMax: WALKED_MAX });
  if (selection.gaveUp) return null;
  return { plan: planned, page: collect(planned, selection), facets: null };
}

/** Returns a large page as chunks that are rendered on demand, and a smaller page as text. */
function largePage({ slices, ...rest }: SlicedAnswer): Omit<FoundPage, "facets"> {
  const accounts = slices.rowCount > UNSTREAMED_ACCOUNTS_MAX ? slices : slices.whole();
  return { ...rest, count: slices.rowCount, accounts, placed: -1 };
}

/** Counts matches and facets of a spec. Like `page`, returns a promise if that is expensive. */
export function counts(
  segment: Segment,
  spec: AccountQuerySpec,
  names: readonly FacetName[] | null,
  tenantId: string,
): MatchCounts | Promise<MatchCounts> {
  const later = countsAsync(segment, spec, names, tenantId);
  if (later !== null) return later;
  // The facets are counted first, because counting them also yields the total.
  const counted = names === null ? null : facets(segment, spec, names);
  return { total: countMatches(segment, spec), facets: counted };
}

/** Returns one page. Throws `AppError` `snapshot_unavailable` if the file is damaged. */
export function search(segment: Segment, request: EngineRequest): SearchAnswer {
  const { onePerCompany = false, explain, project, prepared = null } = request;
  const plain = !onePerCompany && !explain && project === undefined && prepared === null;
  const whole = plain ? renderedPage(segment, request) : null;
  if (whole !== null) return whole;
  const { slices, ...rest } = searchSliced(segment, request);
  return { ...rest, count: slices.rowCount, accounts: slices.whole(), placed: -1 };
}

/** Like `search`, but returns slices that render the accounts on demand. */
export function searchSliced(segment: Segment, request: EngineRequest): SlicedAnswer {
  const { spec, fields, afterRow, explain, onePerCompany = false, prepared } = request;
  const planned = prepared?.plan ?? guarded(() => plan(segment, spec));
  const wanted = { afterRow, limit: spec.limit };
  const found = () =>
    onePerCompany
      ? companyPage(segment, planned, wanted)
      : collect(planned, execute(segment, planned, wanted));
  const page = prepared?.page ?? found();
  const project = request.project ?? projector(segment, fields, explain ? spec : null);
  return {
    slices: accountSlices(page.rows, project, rowsPerSlice(request)),
    total: page.total,
    more: page.more,
    lastRow: page.lastRow,
    plan: planned,
  };
}

/** Returns rows per chunk, fewer if JavaScript renders them, ten times as slow as the addon. */
function rowsPerSlice({ explain, project }: EngineRequest): number {
  return explain || project !== undefined ? EXPLAINED_SLICE_ROWS : SLICE_ROWS;
}

/** Returns the exact number of accounts that match a spec. */
export function countMatches(segment: Segment, spec: AccountQuerySpec): number {
  return guarded(() => segment.native.count(matchClauses(segment, spec)));
}

/** Counts the matches of a spec by the values of each facet. */
export function facets(
  segment: Segment,
  spec: AccountQuerySpec,
  names: readonly FacetName[],
): Facets {
  return countFacets(segment, matchClauses(segment, spec), names);
}

/** The requested fields of an account, by name. */
export type RenderedAccount = Readonly<Record<string, unknown>>;

/** Returns the requested fields of the account with a CNPJ (14 characters), or null. */
export function account(
  segment: Segment,
  cnpj: string,
  fields: readonly string[],
): RenderedAccount | null {
  return guarded(() => {
    const row = segment.native.findCnpj(cnpj);
    if (row < 0) return null;
    const bytes = segment.native.renderJson(Uint32Array.of(row), fields);
    return (JSON.parse(Buffer.from(bytes).toString()) as [RenderedAccount])[0];
  });
}

/** Memory that the caller provides for a text. The text starts at byte `at`. */
export interface OutputBuffer {
  readonly memory: Uint8Array;
  readonly at: number;
}

interface PageOptions {
  readonly spec: AccountQuerySpec;
  readonly fields: readonly string[];
  readonly afterRow: number;
  /** Memory into which the text is written. If null, memory is allocated for the text. */
  readonly room?: OutputBuffer | null;
}

/** A rendered page. */
export interface RenderedPage {
  /** The accounts as a JSON array in UTF-8, in the memory of `room` unless `placed` is -1. */
  readonly accounts: Uint8Array;
  /**
   * Number of bytes that were written to `room`, or -1 if the text is in memory allocated for it.
   */
  readonly placed: number;
  /** Number of accounts on the page. */
  readonly count: number;
  /** Number of all matching accounts, even if the page lists only one per company. */
  readonly total: number;
  readonly more: boolean;
  /** Row that precedes the next page. The cursor of the next page contains this row. */
  readonly lastRow: number;
  readonly plan: QueryPlan;
}

/** Output values of each call of the addon. The next call overwrites them. */
const facts = new Float64Array(Object.keys(PAGE_FACTS).length);

/** Returns the page, or null for a query that needs more than one call. */
export function renderedPage(segment: Segment, options: PageOptions): RenderedPage | null {
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
  const accounts = typeof text === "number" ? (options.room as OutputBuffer).memory : text;
  return { accounts, placed, count, total, more, lastRow, plan: rankPlan(request, total) };
}

/** Returns the text, or the number of its bytes written to the buffer. */
function textOf({ native }: Segment, request: RenderedPageRequest, buffer: OutputBuffer | null) {
  facts[PAGE_FACTS.place] = buffer?.at ?? 0;
  // Needs no call of `guarded`, because the methods of the handle are guarded in segment.ts.
  return buffer === null
    ? native.renderedPage(request, facts)
    : native.renderedPage(request, facts, buffer.memory);
}

/** Returns the request to the addon; null for a query that needs more than one call. */
function requestOf(segment: Segment, options: PageOptions): RenderedPageRequest | null {
  const { spec, fields, afterRow } = options;
  const [phase, second] = phasesOf(segment, spec);
  if (phase === undefined || second !== undefined || !isRankOrder(phase.order)) return null;
  const { clauses, order, seed } = phase;
  return { clauses, order, seed, method: "rank", afterRow, limit: spec.limit, fields };
}

/**
 * Bounds of a queue for one kind of work. Separate queues keep quick work from waiting for slow
 * work. One task at a time runs, so that the thread pool remains available for files and passwords.
 */
export const ASYNC_QUEUE_BOUNDS: QueueBounds = {
  running: 1,
  waiting: 256,
  waitingOfOwner: 63,
  what: "Dear questions",
};

/** Runs expensive queries one at a time; tenants take turns. */
const queue = new FairQueue(ASYNC_QUEUE_BOUNDS);

/** A page request. */
export interface PageQuery {
  readonly spec: AccountQuerySpec;
  /** Row that precedes the page; -1 for the first page. */
  readonly afterRow: number;
  /** If true, the page has only the first matching establishment of each company; see page.ts. */
  readonly onePerCompany?: boolean | undefined;
}

/** Results found for a page. */
export interface PreparedPage {
  readonly plan: QueryPlan;
  readonly page: Page;
  readonly facets: Facets | null;
}

interface PreparedCounts {
  readonly total: number;
  readonly facets: Facets | null;
}

/** Number of listed values from which clauses are tested off this thread: about 1 ms. */
const LISTED_MIN = 1_000;
/** A postal-code prefix counts as this many listed values, because it has no posting list. */
const PREFIX_WEIGHT = 10;
/** Number of column values from which a count runs off this thread: about 1 ms of work. */
const COUNTED_MIN = 250_000;
/** Number of matches from which several sort keys are expensive: the first may be equal in many. */
const COMPARED_MIN = 20_000;
/** Maximum rows that a request thread may visit to fill a page, which takes 0.5 ms. */
const WALKED_MAX = 4_096;
/** Number of matches from which `gather`, which compares all, runs off this thread: 1 ms. */
const GATHERED_MIN = 8_192;
/**
 * If a query has fewer matches than this, every page in any order takes well under a millisecond.
 */
const FEW_MATCHES = 4_096;
/** Min accounts of a page that counts as large. */
const LARGE_PAGE_MIN = 512;

/** Finds a page off this thread, queued fairly among tenants. Returns null if the page is quick. */
export function pageAsync(
  segment: Segment,
  request: PageQuery,
  names: readonly FacetName[] | null,
  tenantId = "",
): Promise<PreparedPage> | null {
  const { spec, afterRow, onePerCompany = false } = request;
  const quick = !isLong(spec) && isCounted(segment, spec) && !isSlow(segment, request);
  if (quick && !areMany(segment, spec, names)) return null;
  return runAsync(segment, { spec, afterRow, onePerCompany }, names, tenantId);
}

/** A separate function, so that a quick page does not create the closures below. */
function runAsync(
  segment: Segment,
  { spec, afterRow, onePerCompany }: PageQuery,
  names: readonly FacetName[] | null,
  tenantId: string,
): Promise<PreparedPage> {
  return queue.run(tenantId, 1, async () => {
    // Counts facets first, which also yields the total.
    const facets = await facetsDeferred(segment, spec, names);
    const matches = await countAsync(segment, spec);
    const planned = guarded(() => plan(segment, spec, matches));
    const wanted = { afterRow, limit: spec.limit };
    const page = onePerCompany
      ? await companyPageAsync(segment, planned, wanted)
      : collect(planned, await selectAsync(segment, planned, wanted));
    return { plan: planned, page, facets };
  });
}

/** Like `companyPage`, off the main thread. */
async function companyPageAsync(
  segment: Segment,
  planned: QueryPlan,
  page: PageRequest,
): Promise<Page> {
  const walk = new CompanyWalk(planned, page);
  for (;;) {
    const selection = await selectAsync(segment, planned, walk.wanted);
    const firsts = await guardedAsync(() =>
      segment.native.firstsPerCompanyAsync(selection.rows, walk.firsts),
    );
    const found = walk.take(selection, firsts);
    if (found !== null) return found;
  }
}

function selectAsync(
  { native }: Segment,
  { clauses, order, method, seed }: QueryPlan,
  page: PageRequest,
): Promise<Selection> {
  return guardedAsync(() => native.selectAsync({ clauses, order, method, seed, ...page }));
}

/** Counts off this thread, queued fairly among tenants. Returns null if the count is quick. */
export function countsAsync(
  segment: Segment,
  spec: AccountQuerySpec,
  names: readonly FacetName[] | null,
  tenantId = "",
): Promise<PreparedCounts> | null {
  if (!isLong(spec) && isCounted(segment, spec) && !areMany(segment, spec, names)) return null;
  return queue.run(tenantId, 1, async () => {
    const facets = await facetsDeferred(segment, spec, names);
    return { total: await countAsync(segment, spec), facets };
  });
}

/** Returns the number of matches, which the addon caches. */
function countAsync(segment: Segment, spec: AccountQuerySpec): Promise<number> {
  return guardedAsync(() => segment.native.countAsync(matchClauses(segment, spec)));
}

async function facetsDeferred(
  segment: Segment,
  spec: AccountQuerySpec,
  names: readonly FacetName[] | null,
): Promise<Facets | null> {
  if (names === null) return null;
  return guardedAsync(() => facetsAsync(segment, matchClauses(segment, spec), names));
}

/** Returns true if a spec has long lists. */
function isLong({ filters: { industry, geo, company } }: AccountQuerySpec): boolean {
  const prefixes = geo.postal_code_prefix_any_of?.length ?? 0;
  const listed = valuesIn(industry) + valuesIn(geo) + valuesIn(company);
  return listed + prefixes * (PREFIX_WEIGHT - 1) >= LISTED_MIN;
}

/** Returns the number of values in the lists of a filter group, without allocating memory. */
function valuesIn(filters: object): number {
  let values = 0;
  for (const name in filters) {
    const value = (filters as Readonly<Record<string, unknown>>)[name];
    if (Array.isArray(value)) values += value.length;
  }
  return values;
}

/** Counts the matches, which the addon caches; returns false if that takes too long here. */
function isCounted(segment: Segment, spec: AccountQuerySpec): boolean {
  // With so few accounts, any count is quick.
  if (segment.accounts < COUNTED_MIN) return true;
  return guarded(() => segment.native.count(matchClauses(segment, spec), COUNTED_MIN)) >= 0;
}

/** Returns true if a page is large or its order may compare many matches. */
function isSlow(segment: Segment, { spec, onePerCompany = false }: PageQuery): boolean {
  const isLarge = spec.limit >= LARGE_PAGE_MIN;
  if (!isLarge && isRanked(segment, spec)) return false;
  const { method, order, matches } = guarded(() => plan(segment, spec));
  if (matches < FEW_MATCHES) return false;
  if (isLarge && onePerCompany) return true;
  if (method === "rank") return false;
  if (method === "gather" && matches >= GATHERED_MIN) return true;
  return order.length > 1 ? matches >= COMPARED_MIN : isLarge;
}

function areMany(
  segment: Segment,
  spec: AccountQuerySpec,
  names: readonly FacetName[] | null,
): boolean {
  if (names === null) return false;
  if (!fitTurn(segment, names)) return true;
  // With so few accounts, any count is quick. Each facet and the total may read every account,
  // hence the `+ 1`.
  if (segment.accounts * (names.length + 1) < COUNTED_MIN) return false;
  return guarded(() => facetsWork(segment, matchClauses(segment, spec), names)) >= COUNTED_MIN;
}

/** Like `guarded`, for promises. */
async function guardedAsync<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await guarded(call);
  } catch (error) {
    return guarded(() => {
      throw error;
    });
  }
}
