/**
 * The sequence of a search: plan, execute, collect, project. What comes in: a segment and a
 * normalized spec. What goes out: the accounts of one page as JSON bytes, with the exact total.
 * Invariant: search, lead search, export, count and command line all go this way, so that what
 * was previewed is what is exported; what is found off the main thread is what is found at once.
 */

import type { FacetName } from "../spec/facets.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import {
  type AccountSlices,
  accountSlices,
  EXPLAINED_SLICE_ROWS,
  SLICE_ROWS,
} from "./accountslices.ts";
import { type AsidePage, type AsideRequest, countsAside, pageAside } from "./aside.ts";
import { facets as countFacets, type Facets } from "./facet.ts";
import { collect, companyPage, execute } from "./page.ts";
import { matchClauses, plan } from "./plan.ts";
import { type Projector, projector } from "./project.ts";
import { guarded, type Segment } from "./segment.ts";
import { type TextRoom, type WholePage, wholePage } from "./wholepage.ts";

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
  if (later === null) return pageNow(segment, asked);
  return later.then((ahead) => pageNow(segment, { ...asked, room: null, ahead }));
}

function pageNow(segment: Segment, asked: PageAsked & Pick<EngineRequest, "ahead">): FoundPage {
  const { spec, facets: names, ahead = null } = asked;
  const found =
    spec.limit <= WHOLE_ACCOUNTS_MAX
      ? search(segment, asked)
      : largePage(searchSliced(segment, asked));
  const counted = ahead === null && names !== null ? facets(segment, spec, names) : null;
  return { ...found, facets: ahead?.facets ?? counted };
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
