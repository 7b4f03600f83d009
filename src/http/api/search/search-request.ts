/**
 * Search requests: parses a body into a normalized request, in which each list's id is bound to a
 * revision of the list. Invariant: the request is charged before any expensive work. An error names
 * every mistake in the body, including unknown and duplicate facets. The error for a spec that is
 * too broad names the missing filters and the exact number of matches.
 */
import { type Plan, specRowsMax } from "../../../access/plans.ts";
import { AppError, type Mistake } from "../../../errors.ts";
import { FORMATS } from "../../../export/formats/format.ts";
import type { Segment } from "../../../search/segment.ts";
import { FACET_PAIRS_MAX, FACETS, type FacetName, type FacetPair } from "../../../spec/facets.ts";
import { DEFAULT_FIELDS, EXPORT_FORMATS } from "../../../spec/fields.ts";
import {
  type NormalizeContext,
  normalizeSpec,
  resultHash,
  resultHashOfText,
  tooBroad,
} from "../../../spec/normalize.ts";
import { isJsonObject, parseJson, shown } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { costOf, limitOf } from "../../server/admission.ts";
import {
  type BodyObject,
  type Computation,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
  whenReady,
  withBodyMistakes,
} from "../../server/body.ts";
import { weakTag } from "../../server/respond.ts";
import type { Engine, QueryContext } from "../../server/service.ts";
import { searchPrefix } from "./page-answer.ts";

/** Default accounts per page. */
export const SEARCH_LIMIT_DEFAULT = 100;

/** A parsed search request. */
export interface SearchRequest {
  /** The spec, in which each list's id is replaced by its current revision. */
  readonly spec: AccountQuerySpec;
  readonly resultHash: string;
  readonly cursor: string | null;
  /** Pointers of the missing filters, or null if the spec is narrow enough. */
  readonly missing: readonly string[] | null;
  /** Requested facets, or null. */
  readonly facets: readonly FacetName[] | null;
  /** Answer header with the entity tag. */
  readonly headers: { readonly ETag: string };
  /** The answer's text from `"snapshot"` to the start of the accounts (page-answer.ts). */
  readonly prefix: Uint8Array;
  /** Units that were charged. */
  readonly cost: number;
  /** The spec as sent, with the ids of its lists. If it names none, this is the same as `spec`. */
  readonly unbound: AccountQuerySpec;
}

const MEMBERS = ["spec", "limit", "cursor", "output", "facets"];
/** Members allowed only for a first page. Further pages get them from their cursor. */
const FIRST_PAGE_MEMBERS = ["limit", "output"];

/** Members next to a spec, and whether the spec may name lists. */
interface SearchOptions {
  readonly limit?: unknown;
  readonly output?: unknown;
  readonly listsKnown?: boolean;
}

/**
 * Returns the normalization context of a search. All contexts share one object shape. Each spread
 * would create another shape, which is slow to read.
 */
export function searchContext(
  segment: Segment,
  plan: Plan,
  { limit, output, listsKnown = false }: SearchOptions = {},
): NormalizeContext {
  const cap = plan.limits.search_limit;
  return {
    catalog: segment.catalog,
    limitDefault: Math.min(SEARCH_LIMIT_DEFAULT, cap),
    limitCap: cap,
    fullAllowed: false,
    listsKnown,
    allowedFields: plan.fields,
    defaultFields: DEFAULT_FIELDS,
    mode: "search",
    bodyLimit: limit,
    bodyOutput: output,
  };
}

/** Returns the context for a spec that is only counted, in the form of a search or export. */
export function anySpecContext(
  { plan, secondaryCnaeFull }: Pick<ReadTask, "plan" | "secondaryCnaeFull">,
  segment: Pick<Segment, "catalog">,
  input: unknown,
): NormalizeContext {
  return {
    catalog: segment.catalog,
    // The limits of a search, so that the returned spec can be sent to the search route.
    limitDefault: limitsFor(input, plan).limitDefault,
    limitCap: specRowsMax(plan),
    fullAllowed: plan.secondaryCnaeFull && secondaryCnaeFull,
    allowedFields: plan.fields,
    defaultFields: DEFAULT_FIELDS,
    mode: "either",
  };
}

/** Returns the limits of a search, or of an export if the spec has an export format. */
export function limitsFor(input: unknown, plan: Plan): { limitDefault: number; limitCap: number } {
  const output = isJsonObject(input) ? input.output : undefined;
  const format = isJsonObject(output) ? output.format : undefined;
  const searchLimit = plan.limits.search_limit;
  const exportRows = specRowsMax(plan);
  return EXPORT_FORMATS.some((known) => known === format)
    ? { limitDefault: exportRows, limitCap: exportRows }
    : { limitDefault: Math.min(SEARCH_LIMIT_DEFAULT, searchLimit), limitCap: searchLimit };
}

/** Reads a spec in the form of a search or an export. */
export function readAnySpec(
  task: ReadTask,
  segment: Pick<Segment, "catalog">,
  body: BodyObject,
): { readonly spec: AccountQuerySpec; readonly warnings: readonly string[] } {
  const { spec: input } = body.members;
  const { listsKnown } = task;
  const { spec, warnings } = withBodyMistakes(body, () =>
    normalizeSpec(input, { ...anySpecContext(task, segment, input), listsKnown }),
  );
  return { spec, warnings };
}

/** A search request before its lists are bound. */
interface ReadSearch extends Pick<SearchRequest, "cost" | "cursor" | "facets"> {
  readonly spec: AccountQuerySpec;
  /** The complete request, or null if it names lists. */
  readonly whole: SearchRequest | null;
}

/** Parses and charges a request. Throws `AppError` with every mistake in it. */
export const SEARCH: Computation<ReadTask, ReadSearch> = {
  name: "search",
  run({ body: bytes, plan, listsKnown }, segment, payer) {
    const body = readBody(bytes, MEMBERS);
    const { spec: input, limit, output, facets: named } = body.members;
    const cost = costOf({ spec: input, facets: named, limit: pageOf(limit, input, plan) });
    payer.spend(cost);
    const cursor = readCursor(body, FIRST_PAGE_MEMBERS);
    const facets = readFacets(body);
    const context = searchContext(segment, plan, { limit, output, listsKnown });
    const { spec } = withBodyMistakes(body, () => normalizeSpec(input, context));
    const read = { cost, cursor, facets, spec };
    const isBound = spec.filters.lists === undefined;
    return { ...read, whole: isBound ? requestOf(segment, read, spec) : null };
  },
};

/**
 * Parses and charges a search request, and replaces the ids of lists in its spec by their current
 * revisions. A small body is parsed on this thread.
 */
export function prepareSearch(
  call: QueryContext<ReadPart>,
  segment: Segment,
): SearchRequest | Promise<SearchRequest> {
  return whenReady(readRequest(call, segment, SEARCH), (read) => {
    if (read.whole !== null) return read.whole;
    return whenReady(bindLists(call, segment, read.spec), (bound) =>
      requestOf(segment, read, bound),
    );
  });
}

function requestOf(
  segment: Segment,
  { cost, cursor, facets, spec: unbound }: Omit<ReadSearch, "whole">,
  spec: AccountQuerySpec,
): SearchRequest {
  const missing = tooBroad(unbound)?.missing ?? null;
  const explain = JSON.stringify(unbound.explain);
  const { prefix, specText } = searchPrefix(segment, JSON.stringify(unbound));
  const hash = spec === unbound ? resultHashOfText(spec, specText, explain) : resultHash(spec);
  const parts = { spec, resultHash: hash, cursor, facets, explain };
  const headers = { ETag: tagOf(parts, segment.snapshotId) };
  return { spec, unbound, resultHash: hash, cursor, missing, facets, headers, prefix, cost };
}

/** Replaces list ids in the spec by current revisions. Throws `list_not_found`. */
export function bindLists(
  { service: { listed }, identity }: QueryContext<"listed">,
  segment: Segment,
  spec: AccountQuerySpec,
): AccountQuerySpec | Promise<AccountQuerySpec> {
  if (listed === null || spec.filters.lists === undefined) return spec;
  return listed.bind(identity.tenantId, segment, spec);
}

/** Parts of a request that determine its entity tag. */
interface TagParts extends Pick<SearchRequest, "spec" | "resultHash" | "cursor" | "facets"> {
  /** Notes of the spec as JSON. */
  readonly explain: string;
}

/** Returns the tag of a page, from the snapshot, the whole spec, and the revisions of its lists. */
function tagOf(parts: TagParts, snapshotId: string): string {
  const { spec, resultHash: hash, explain, cursor, facets } = parts;
  const { lists } = spec.filters;
  const named = lists === undefined ? [] : [JSON.stringify(lists)];
  const further = [String(spec.limit), explain, cursor ?? "", String(facets), ...named];
  return weakTag(["search", snapshotId, hash, ...further]);
}

/** Returns the accounts per page that the body or its spec requests. */
export function pageOf(limit: unknown, spec: unknown, plan: Plan): number {
  const own = isJsonObject(spec) ? spec.limit : undefined;
  return limitOf([limit, own], plan.limits.search_limit);
}

/** Returns the cursor in a body, or null if none can be read. */
export function cursorOf(body: Uint8Array): string | null {
  try {
    const value = parseJson(body) as { readonly cursor?: unknown } | null;
    return typeof value?.cursor === "string" ? value.cursor : null;
  } catch {
    // The mistake is ignored here, because parsing the whole body reports it.
    return null;
  }
}

/** Reads the cursor. If the body has one, each of `firstPageMembers` in the body is a mistake. */
export function readCursor(
  { members, mistakes }: BodyObject,
  firstPageMembers: readonly string[],
): string | null {
  const { cursor } = members;
  if (cursor === undefined) return null;
  if (typeof cursor !== "string") {
    const detail = "Send next_cursor of the previous response unchanged, or no cursor.";
    mistakes.push({ pointer: "/cursor", code: "invalid_cursor", detail });
  }
  for (const name of firstPageMembers) {
    if (members[name] === undefined) continue;
    const detail = `Leave ${name} out: with a cursor, the spec that you send sets it.`;
    mistakes.push({ pointer: `/${name}`, code: "not_with_cursor", detail });
  }
  return typeof cursor === "string" ? cursor : null;
}

/** Reads the facets in a body. Returns null if there are none. */
export function readFacets(body: BodyObject): readonly FacetName[] | null {
  return readFacetNames(body, null);
}

/** Reads facets and pairs of facets. */
export function readFacetPairs(body: BodyObject): {
  readonly names: readonly FacetName[] | null;
  readonly pairs: readonly FacetPair[];
} {
  const pairs: FacetPair[] = [];
  return { names: readFacetNames(body, pairs), pairs };
}

function readPair(
  [first, second, ...more]: readonly unknown[],
  pointer: string,
  mistakes: Mistake[],
  pairs: FacetPair[],
): void {
  const note = (code: string, detail: string) => mistakes.push({ pointer, code, detail });
  const one = FACETS.find((facet) => facet === first);
  const two = FACETS.find((facet) => facet === second);
  if (one === undefined || two === undefined || more.length > 0) {
    note("unknown_value", `A pair is two names of facets; known are ${FACETS.join(", ")}.`);
  } else if (one === two) {
    note("duplicate", `A pair has two different facets, not ${one} twice.`);
  } else if (pairs.length === FACET_PAIRS_MAX) {
    note("too_many", `At most ${FACET_PAIRS_MAX} pairs are counted in one request.`);
  } else if (pairs.some((pair) => pair[0] === one && pair[1] === two)) {
    note("duplicate", `The pair of ${one} and ${two} is there twice.`);
  } else {
    pairs.push([one, two]);
  }
}

/** Reads facet names, and pairs of them if `pairs` is given. Returns null if there are none. */
function readFacetNames(
  { members, mistakes }: BodyObject,
  pairs: FacetPair[] | null,
): readonly FacetName[] | null {
  const { facets } = members;
  if (facets === undefined) return null;
  if (!Array.isArray(facets)) {
    const detail = `facets must be an array of names, not ${shown(facets)}.`;
    mistakes.push({ pointer: "/facets", code: "wrong_type", detail });
    return null;
  }
  const names: FacetName[] = [];
  for (const [at, name] of facets.entries()) {
    const pointer = `/facets/${at}`;
    if (pairs !== null && Array.isArray(name)) {
      readPair(name, pointer, mistakes, pairs);
      if (at > FACETS.length + FACET_PAIRS_MAX) break;
      continue;
    }
    const known = FACETS.find((facet) => facet === name);
    if (known === undefined) {
      const detail = `${shown(name)} is not a facet; known are ${FACETS.join(", ")}.`;
      mistakes.push({ pointer, code: "unknown_value", detail });
      // The loop stops here, because the list may have thousands of wrong names.
      if (at > FACETS.length) break;
    } else if (names.includes(known)) {
      mistakes.push({ pointer, code: "duplicate", detail: `${known} is there twice.` });
    } else {
      names.push(known);
    }
  }
  return names.length === 0 ? null : names;
}

/** A spec and its missing filters, which are null if the spec is narrow enough. */
interface BreadthInput {
  readonly spec: AccountQuerySpec;
  readonly missing: readonly string[] | null;
  /** Pointer for errors if the filters do not come from a spec. */
  readonly place?: string;
}

/** Throws `query_too_broad`, with the number of matches, if filters are missing. */
export function refuseTooBroad(engine: Engine, segment: Segment, input: BreadthInput): void {
  const { spec, missing, place } = input;
  if (missing === null) return;
  const filters = missing.map((name) => name.replace(/^filters\./, ""));
  const errors = missing.map((name, at) => ({
    pointer: place ?? `/spec/${name.replaceAll(".", "/")}`,
    code: "missing_filter",
    detail: `A filter ${filters[at]} would make the query narrow enough.`,
  }));
  const detail = `Add at least one of these filters: ${filters.join(", ")}.`;
  const matches = engine.countMatches(segment, spec);
  throw new AppError("query_too_broad", detail, { errors, members: { matches } });
}

/** Returns the exact number of matches. Long specs are counted off the main thread. */
export function matchesOf(
  { service: { engine }, identity: { tenantId } }: QueryContext<"engine">,
  segment: Segment,
  spec: AccountQuerySpec,
): number | Promise<number> {
  return whenReady(engine.counts(segment, spec, null, tenantId), ({ total }) => total);
}

/**
 * Returns the value of a member, which must be null or one of `names`. Returns null if the member
 * is missing. Any other value is reported as a mistake.
 */
export function readChoice<Name extends string>(
  { members, mistakes }: BodyObject,
  member: "labels" | "layout",
  names: readonly Name[],
): Name | null {
  const sent = members[member];
  if (sent === undefined || sent === null) return null;
  const known = names.find((name) => name === sent);
  if (known !== undefined) return known;
  const detail = `Must be one of ${names.join(", ")}, or null, not ${shown(sent)}.`;
  mistakes.push({ pointer: `/${member}`, code: "unknown_value", detail });
  return null;
}

/** Formats of a file. */
export type FileFormat = "csv" | "xlsx";

/** Media types with their parameters. */
export const CONTENT_TYPES = {
  csv: FORMATS.csv.contentType,
  xlsx: FORMATS.xlsx.contentType,
} as const;

/** Media types of answers as files, without parameters. */
export const FILE_TYPES = Object.values(CONTENT_TYPES).map((type) => type.split(";")[0] as string);

/** Returns the format that a client prefers. Calls without headers (agents, console) get JSON. */
export function wantedFormat(call: object): FileFormat | "json" {
  const request = call as Partial<{ header(name: "accept"): string | undefined }>;
  const accept = request.header?.("accept") ?? "";
  let best: FileFormat | "json" = "json";
  let weight = 0;
  for (const range of accept.toLowerCase().split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((one) => one.startsWith("q="))?.slice(2);
    const own = quality === undefined ? 1 : Number(quality);
    const format = formatOf(type);
    if (format === null || !(own > weight)) continue;
    [best, weight] = [format, own];
  }
  return best;
}

function formatOf(type: string): FileFormat | "json" | null {
  if (type === FILE_TYPES[0]) return "csv";
  if (type === FILE_TYPES[1]) return "xlsx";
  return ["application/json", "application/*", "*/*"].includes(type) ? "json" : null;
}

/** Returns the error for a member that only applies to files. */
export function notOfJson(member: "labels" | "layout"): AppError {
  const detail = `${member} needs a file: send Accept: ${FILE_TYPES.join(" or ")}.`;
  const errors = [{ pointer: `/${member}`, code: "not_with_json", detail }];
  return new AppError("invalid_request", detail, { errors });
}
