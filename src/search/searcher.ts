/**
 * The one door to the engine, and the sequence of a search: plan, execute, collect, project.
 * Input: a segment and a normalized spec. Output: the accounts of one page as JSON bytes, with the
 * exact total, at once or as a promise.
 * Invariant: search, lead search, export, count and command line all go this way, so a preview is
 * what is exported. The same page, total and text come out of every way: one call of the addon for
 * pages in row order, the stages for all others, and the stages off the main thread for expensive
 * ones. Off the main thread one query runs at a time, so that the thread pool has room for files
 * and passwords; tenants take turns, and too many waiting queries are refused.
 */

import { strict as assert } from "node:assert";
import {
  PAGE_FACTS,
  type Selection,
  type WholePageRequest,
} from "../../native-index/napi/engine.ts";
import { FairQueue, type QueueBounds } from "../scheduling/fairqueue.ts";
import type { FacetName } from "../spec/facets.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { facets as countFacets, type Facets, facetsAside, facetsWork } from "./facet.ts";
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

/** One page of a search. */
export interface EngineRequest extends AsideRequest {
  readonly fields: readonly string[];
  readonly explain: boolean;
  /** Renders the rows in place of `fields` and `explain`. */
  readonly project?: Projector | undefined;
  /** What was found of this page before. */
  readonly ahead?: AsidePage | null;
  /** Where its text may be written to, if it is not to have memory of its own. */
  readonly room?: TextRoom | null;
}

/** The accounts of a page and what is known about the whole answer, however they were found. */
export type SearchAnswer = WholePage;

/** As `SearchAnswer`, with accounts that are rendered when they are asked for. */
export interface SlicedAnswer extends Omit<SearchAnswer, "accounts" | "count" | "placed"> {
  /** Needs the segment open for as long as it is asked. */
  readonly slices: AccountSlices;
}

/** A page that is asked for, with facets of all matches or null. */
export interface PageAsked extends Omit<EngineRequest, "ahead"> {
  readonly facets: readonly FacetName[] | null;
}

/** A page whose accounts are text already, or are too many for that. */
export interface FoundPage extends Omit<SearchAnswer, "accounts"> {
  readonly accounts: Uint8Array | AccountSlices;
  readonly facets: Facets | null;
}

/** Matches, and how they spread. */
export interface MatchCounts {
  readonly total: number;
  readonly facets: Facets | null;
}

/** Pages of more accounts are rendered while they are sent. */
export const WHOLE_ACCOUNTS_MAX = 512;

/**
 * One page: at once if that is quick, else off the main thread, in a turn of the tenant that asks.
 * A page that comes later has memory of its own. Throws as `search`.
 */
export function page(
  segment: Segment,
  asked: PageAsked,
  asker: string,
): FoundPage | Promise<FoundPage> {
  const later = pageAside(segment, asked, asked.facets, asker);
  if (later === null) {
    if (isRanked(segment, asked.spec)) return pageNow(segment, asked);
    const walked = walkedPage(segment, asked);
    if (walked !== null) return pageNow(segment, { ...asked, ahead: walked });
  }
  const found = later ?? aside(segment, asked, asked.facets, asker);
  return found.then((ahead) => pageNow(segment, { ...asked, room: null, ahead }));
}

function pageNow(segment: Segment, asked: PageAsked & Pick<EngineRequest, "ahead">): FoundPage {
  const { spec, facets: names, ahead = null } = asked;
  const found =
    spec.limit <= WHOLE_ACCOUNTS_MAX
      ? search(segment, asked)
      : largePage(searchSliced(segment, asked));
  const left = ahead === null || ahead.facets === null ? names : null;
  return {
    ...found,
    facets: left === null ? (ahead?.facets ?? null) : facets(segment, spec, left),
  };
}

/** True if a page has the order in which the rows are stored. */
function isRanked(segment: Segment, spec: AccountQuerySpec): boolean {
  return isRankOrder(guarded(() => phasesOf(segment, spec))[0]?.order ?? []);
}

/**
 * The page of another order, without its facets; null if it takes longer than this thread may
 * compute. How evenly the matches are spread over an order shows only when it is walked.
 */
function walkedPage(segment: Segment, request: PageAsked): AsidePage | null {
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

/** A page whose accounts may be too many to be text at once. */
function largePage({ slices, ...rest }: SlicedAnswer): Omit<FoundPage, "facets"> {
  const accounts = slices.rowCount > WHOLE_ACCOUNTS_MAX ? slices : slices.whole();
  return { ...rest, count: slices.rowCount, accounts, placed: -1 };
}

/** Counts matches and facets, at once or later as `page`. */
export function counts(
  segment: Segment,
  spec: AccountQuerySpec,
  names: readonly FacetName[] | null,
  asker: string,
): MatchCounts | Promise<MatchCounts> {
  const later = countsAside(segment, spec, names, asker);
  if (later !== null) return later;
  // In this order, because the total is known once facets are counted.
  const counted = names === null ? null : facets(segment, spec, names);
  return { total: countMatches(segment, spec), facets: counted };
}

/** Answers one page. Throws `AppError` `snapshot_unavailable` when the file is damaged. */
export function search(segment: Segment, request: EngineRequest): SearchAnswer {
  const { onePerCompany = false, explain, project, ahead = null } = request;
  const plain = !onePerCompany && !explain && project === undefined && ahead === null;
  const whole = plain ? wholePage(segment, request) : null;
  if (whole !== null) return whole;
  const { slices, ...rest } = searchSliced(segment, request);
  return { ...rest, count: slices.rowCount, accounts: slices.whole(), placed: -1 };
}

/** As `search`; finds the rows of the page and renders none of them. */
export function searchSliced(segment: Segment, request: EngineRequest): SlicedAnswer {
  const { spec, fields, afterRow, explain, onePerCompany = false, ahead } = request;
  const planned = ahead?.plan ?? guarded(() => plan(segment, spec));
  const wanted = { afterRow, limit: spec.limit };
  const found = () =>
    onePerCompany
      ? companyPage(segment, planned, wanted)
      : collect(planned, execute(segment, planned, wanted));
  const page = ahead?.page ?? found();
  const project = request.project ?? projector(segment, fields, explain ? spec : null);
  return {
    slices: accountSlices(page.rows, project, rowsPerSlice(request)),
    total: page.total,
    more: page.more,
    lastRow: page.lastRow,
    plan: planned,
  };
}

/** What JavaScript has a part in takes ten times as long as what the addon renders alone. */
function rowsPerSlice({ explain, project }: EngineRequest): number {
  return explain || project !== undefined ? EXPLAINED_SLICE_ROWS : SLICE_ROWS;
}

/** Exact number of accounts that a spec matches. */
export function countMatches(segment: Segment, spec: AccountQuerySpec): number {
  return guarded(() => segment.native.count(matchClauses(segment, spec)));
}

/** How the matches of a spec spread over the values of fields. */
export function facets(
  segment: Segment,
  spec: AccountQuerySpec,
  names: readonly FacetName[],
): Facets {
  return countFacets(segment, matchClauses(segment, spec), names);
}

/** An account as it is rendered: the fields that were asked for. */
export type RenderedAccount = Readonly<Record<string, unknown>>;

/** The account of a CNPJ (14 characters, upper case) as a JSON value, or null. */
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

/**
 * Bounds of a queue for one kind of work, so that quick work does not wait for slow work. One task
 * runs at a time, so that the thread pool has room for files and passwords.
 */
export const ASIDE: QueueBounds = {
  running: 1,
  waiting: 256,
  waitingOfOwner: 63,
  what: "Dear questions",
};

/** Expensive queries run one at a time, in turns of the tenants. */
const queue = new FairQueue(ASIDE);

/** A page that is wanted. */
export interface AsideRequest {
  readonly spec: AccountQuerySpec;
  /** Row that the page begins after; -1 for the first page. */
  readonly afterRow: number;
  /** Of each company only the first matching establishment; see page.ts. */
  readonly onePerCompany?: boolean | undefined;
}

/** What was found of a page. */
export interface AsidePage {
  readonly plan: QueryPlan;
  readonly page: Page;
  readonly facets: Facets | null;
}

/** What was found of counts. */
interface AsideCounts {
  readonly total: number;
  readonly facets: Facets | null;
}

/** Values in the lists of a spec from which on its clauses are read and tested aside: 1 ms. */
const LISTED_MIN = 1_000;
/** Prefixes have no posting lists; each costs what so many codes cost, and more. */
const PREFIX_WEIGHT = 10;
/** Cells and rows from which on a question is counted off this thread: about a millisecond. */
const COUNTED_MIN = 250_000;
/** Matches of which many may be equal by the first of several keys, so that all are compared. */
const COMPARED_MIN = 20_000;
/** Rows that a walk along an order may meet on a thread that answers: half a millisecond. */
const WALKED_MAX = 4_096;
/** Matches from which on those of another order are compared aside: a millisecond. */
const GATHERED_MIN = 8_192;
/** Matches of which every page in every order takes well under a millisecond. */
const FEW_MATCHES = 4_096;
/** Accounts of a page that is large, in another order than that of the rows. */
const LARGE_PAGE_MIN = 512;

/** Finds a page aside, in a turn of the asking tenant; null where it is quick. */
export function pageAside(
  segment: Segment,
  request: AsideRequest,
  names: readonly FacetName[] | null,
  asker = "",
): Promise<AsidePage> | null {
  const { spec, afterRow, onePerCompany = false } = request;
  const quick = !isLong(spec) && isCounted(segment, spec) && !isSlow(segment, request);
  if (quick && !areMany(segment, spec, names)) return null;
  return aside(segment, { spec, afterRow, onePerCompany }, names, asker);
}

/** Apart, so that a page that is quick makes no closure. */
function aside(
  segment: Segment,
  { spec, afterRow, onePerCompany }: AsideRequest,
  names: readonly FacetName[] | null,
  asker: string,
): Promise<AsidePage> {
  return queue.run(asker, 1, async () => {
    // In this order, because the total is known once facets are counted.
    const facets = await facetsLater(segment, spec, names);
    const matches = await countAside(segment, spec);
    const planned = guarded(() => plan(segment, spec, matches));
    const wanted = { afterRow, limit: spec.limit };
    const page = onePerCompany
      ? await companyPageAside(segment, planned, wanted)
      : collect(planned, await selectAside(segment, planned, wanted));
    return { plan: planned, page, facets };
  });
}

/** As `companyPage`, off the main thread. */
async function companyPageAside(
  segment: Segment,
  planned: QueryPlan,
  page: PageRequest,
): Promise<Page> {
  const walk = new CompanyWalk(planned, page);
  for (;;) {
    const selection = await selectAside(segment, planned, walk.wanted);
    const firsts = await guardedLater(() =>
      segment.native.firstsAside(selection.rows, walk.firsts),
    );
    const found = walk.take(selection, firsts);
    if (found !== null) return found;
  }
}

function selectAside(
  { native }: Segment,
  { clauses, order, method, seed }: QueryPlan,
  page: PageRequest,
): Promise<Selection> {
  return guardedLater(() => native.selectAside({ clauses, order, method, seed, ...page }));
}

/** Counts aside, in a turn of the asking tenant; null where it is quick. */
export function countsAside(
  segment: Segment,
  spec: AccountQuerySpec,
  names: readonly FacetName[] | null,
  asker = "",
): Promise<AsideCounts> | null {
  if (!isLong(spec) && isCounted(segment, spec) && !areMany(segment, spec, names)) return null;
  return queue.run(asker, 1, async () => {
    const facets = await facetsLater(segment, spec, names);
    return { total: await countAside(segment, spec), facets };
  });
}

/** The number of matches; the addon remembers it. */
function countAside(segment: Segment, spec: AccountQuerySpec): Promise<number> {
  return guardedLater(() => segment.native.countAside(matchClauses(segment, spec)));
}

async function facetsLater(
  segment: Segment,
  spec: AccountQuerySpec,
  names: readonly FacetName[] | null,
): Promise<Facets | null> {
  if (names === null) return null;
  return guardedLater(() => facetsAside(segment, matchClauses(segment, spec), names));
}

/** Whether a spec has long lists. */
function isLong({ filters: { industry, geo, company } }: AccountQuerySpec): boolean {
  const prefixes = geo.postal_code_prefix_any_of?.length ?? 0;
  const listed = valuesIn(industry) + valuesIn(geo) + valuesIn(company);
  return listed + prefixes * (PREFIX_WEIGHT - 1) >= LISTED_MIN;
}

/** Values in the lists of a group of filters; found anew for each question, so nothing is made. */
function valuesIn(filters: object): number {
  let values = 0;
  for (const name in filters) {
    const value = (filters as Readonly<Record<string, unknown>>)[name];
    if (Array.isArray(value)) values += value.length;
  }
  return values;
}

/** Counts the matches, which the addon remembers; false if that takes too long on this thread. */
function isCounted(segment: Segment, spec: AccountQuerySpec): boolean {
  // Where all accounts together are too few nothing needs to be known.
  if (segment.accounts < COUNTED_MIN) return true;
  return guarded(() => segment.native.count(matchClauses(segment, spec), COUNTED_MIN)) >= 0;
}

/** Whether the order of a page may have to compare many matches, or the page is a large one. */
function isSlow(segment: Segment, { spec, onePerCompany = false }: AsideRequest): boolean {
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
  // Where all accounts together are too few nothing needs to be known; one look is for the total.
  const facets = names?.length ?? 0;
  if (names === null || segment.accounts * (facets + 1) < COUNTED_MIN) return false;
  return guarded(() => facetsWork(segment, matchClauses(segment, spec), names)) >= COUNTED_MIN;
}

/** As `guarded`, for what is found later. */
async function guardedLater<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await guarded(call);
  } catch (error) {
    return guarded(() => {
      throw error;
    });
  }
}
