/**
 * Expensive answers, found off the main thread. What comes in: a question as the searcher takes it.
 * What goes out: the plan and the rows of its page, or its counts; null for an ordinary question,
 * which is answered quicker than it could be handed over.
 * Invariant: what is found is what the searcher would find at once; one question is worked on at a
 * time, so that the thread pool has room for files and passwords; tenants take turns, and too many
 * that wait are refused.
 */
import type { Selection } from "../../native-index/napi/engine.ts";
import { FairQueue, type QueueBounds } from "../scheduling/fairqueue.ts";
import type { FacetName } from "../spec/facets.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { type Facets, facetsAside, facetsWork } from "./facet.ts";
import { CompanyWalk, collect, type Page, type PageRequest } from "./page.ts";
import { matchClauses, plan, type QueryPlan } from "./plan.ts";
import { guarded, type Segment } from "./segment.ts";

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

/** Values in the lists of a spec from which on its clauses are read and tested aside: 5 ms. */
const LISTED_MIN = 5_000;
/** Prefixes have no posting lists; each costs what so many codes cost, and more. */
const PREFIX_WEIGHT = 10;
/** Cells and rows that are counted aside: from one to four milliseconds, whatever the registry. */
const COUNTED_MIN = 1_000_000;
/** Matches of which many may be equal by the first of several keys, so that all are compared. */
const COMPARED_MIN = 20_000;
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
  const quick = !isLong(spec) && !isSlow(segment, request);
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
    const facets = await countFacets(segment, spec, names);
    await countAside(segment, spec);
    const planned = guarded(() => plan(segment, spec));
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
  if (!isLong(spec) && !areMany(segment, spec, names)) return null;
  return queue.run(asker, 1, async () => {
    const facets = await countFacets(segment, spec, names);
    return { total: await countAside(segment, spec), facets };
  });
}

/** The number of matches; the addon remembers it. */
function countAside(segment: Segment, spec: AccountQuerySpec): Promise<number> {
  return guardedLater(() => segment.native.countAside(matchClauses(segment, spec)));
}

async function countFacets(
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

/** Whether the order of a page may have to compare many matches, or the page is a large one. */
function isSlow(segment: Segment, { spec, onePerCompany = false }: AsideRequest): boolean {
  const isLarge = spec.limit >= LARGE_PAGE_MIN;
  if (spec.sort.length < 2 && !isLarge) return false;
  const { method, order, matches } = guarded(() => plan(segment, spec));
  if (matches < FEW_MATCHES) return false;
  if (isLarge && onePerCompany) return true;
  if (method === "rank") return false;
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
