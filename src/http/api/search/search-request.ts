/**
 * Search requests: from the bytes of a body to a normalized request, bound to its lists.
 * Invariant: the request is charged before anything expensive is done with it, and a refusal names
 * every mistake in the body, also a facet that is unknown or there twice; the refusal of a spec
 * that is too broad names the missing filters and the exact number of matches.
 */
import { type Plan, specRowsMax } from "../../../access/plans.ts";
import { AppError } from "../../../errors.ts";
import type { Segment } from "../../../search/segment.ts";
import { FACETS, type FacetName } from "../../../spec/facets.ts";
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
import type { Engine, Question } from "../../server/service.ts";
import { searchPrefix } from "./page-answer.ts";

/** Accounts in a page where no limit is given. */
export const SEARCH_LIMIT_DEFAULT = 100;

/** A search request after reading. */
export interface SearchRequest {
  /** Where it names lists: bound to what these hold. */
  readonly spec: AccountQuerySpec;
  readonly resultHash: string;
  readonly cursor: string | null;
  /** Pointers of the filters that are missing, or null when the spec is narrow enough. */
  readonly missing: readonly string[] | null;
  /** Facets that are asked for, or null. */
  readonly facets: readonly FacetName[] | null;
  /** The header of the answer, which has its entity tag. */
  readonly headers: { readonly ETag: string };
  /** The answer's text from `"snapshot"` up to where the accounts begin (page-answer.ts). */
  readonly prefix: Uint8Array;
  /** Units that it was charged. */
  readonly cost: number;
  /** The spec with the ids of its lists, as it was sent; the same as `spec` if it names none. */
  readonly unbound: AccountQuerySpec;
}

const MEMBERS = ["spec", "limit", "cursor", "output", "facets"];
/** Members that belong to the first page and are part of the cursor from then on. */
const FIRST_PAGE_MEMBERS = ["limit", "output"];

/** What is sent beside a spec, and whether it may name lists. */
interface BesideSpec {
  readonly limit?: unknown;
  readonly output?: unknown;
  readonly listsKnown?: boolean;
}

/**
 * What a plan lets a search of a snapshot be normalized by, with what is sent beside the spec. One
 * shape for all of them: what is spread and added to has another each time, and is slow to read.
 */
export function searchContext(
  segment: Segment,
  plan: Plan,
  { limit, output, listsKnown = false }: BesideSpec = {},
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

/** What a spec is normalized by that is only counted: what a search or an export would take. */
export function eitherContext(
  { plan, secondaryCnaeFull }: Pick<ReadTask, "plan" | "secondaryCnaeFull">,
  segment: Segment,
  input: unknown,
): NormalizeContext {
  return {
    catalog: segment.catalog,
    // As of a search, so that what comes back can be sent to one.
    limitDefault: limitsFor(input, plan).limitDefault,
    limitCap: specRowsMax(plan),
    fullAllowed: plan.secondaryCnaeFull && secondaryCnaeFull,
    allowedFields: plan.fields,
    defaultFields: DEFAULT_FIELDS,
    mode: "either",
  };
}

/** An export format in the spec says that it is meant for an export. */
export function limitsFor(input: unknown, plan: Plan): { limitDefault: number; limitCap: number } {
  const output = isJsonObject(input) ? input.output : undefined;
  const format = isJsonObject(output) ? output.format : undefined;
  const searchLimit = plan.limits.search_limit;
  const exportRows = specRowsMax(plan);
  return EXPORT_FORMATS.some((known) => known === format)
    ? { limitDefault: exportRows, limitCap: exportRows }
    : { limitDefault: Math.min(SEARCH_LIMIT_DEFAULT, searchLimit), limitCap: searchLimit };
}

/** Reads the spec in a body as a search or an export would take it. */
export function readEither(
  task: ReadTask,
  segment: Segment,
  body: BodyObject,
): { readonly spec: AccountQuerySpec; readonly warnings: readonly string[] } {
  const { spec: input } = body.members;
  const { listsKnown } = task;
  const { spec, warnings } = withBodyMistakes(body, () =>
    normalizeSpec(input, { ...eitherContext(task, segment, input), listsKnown }),
  );
  return { spec, warnings };
}

/** A search request whose lists are not bound yet. */
interface ReadSearch extends Pick<SearchRequest, "cost" | "cursor" | "facets"> {
  readonly spec: AccountQuerySpec;
  /** All of it, if it names no list; null if it does. */
  readonly whole: SearchRequest | null;
}

/** Reads a search request. Throws `AppError` with every mistake in it. */
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

/** Reads, charges and binds a search request, in the call if the body is small. */
export function prepareSearch(
  call: Question<ReadPart>,
  segment: Segment,
): SearchRequest | Promise<SearchRequest> {
  return whenReady(readRequest(call, segment, SEARCH), (read) => {
    if (read.whole !== null) return read.whole;
    return whenReady(boundTo(call, segment, read.spec), (bound) => requestOf(segment, read, bound));
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

/** The spec bound to the lists that it names, as they are now. Throws `list_not_found`. */
export function boundTo(
  { service: { listed }, identity }: Question<"listed">,
  segment: Segment,
  spec: AccountQuerySpec,
): AccountQuerySpec | Promise<AccountQuerySpec> {
  if (listed === null || spec.filters.lists === undefined) return spec;
  return listed.bind(identity.tenantId, segment, spec);
}

/** The parts of a request that its entity tag depends on. */
interface TagParts extends Pick<SearchRequest, "spec" | "resultHash" | "cursor" | "facets"> {
  /** The JSON of the spec's notes. */
  readonly explain: string;
}

/**
 * The tag of a page: of the snapshot, the spec with what its hash leaves out, and what its lists
 * hold.
 */
function tagOf(parts: TagParts, snapshotId: string): string {
  const { spec, resultHash: hash, explain, cursor, facets } = parts;
  const { lists } = spec.filters;
  const named = lists === undefined ? [] : [JSON.stringify(lists)];
  const further = [String(spec.limit), explain, cursor ?? "", String(facets), ...named];
  return weakTag(["search", snapshotId, hash, ...further]);
}

/** Accounts of the page that is asked for beside a spec or in it. */
export function pageOf(limit: unknown, spec: unknown, plan: Plan): number {
  const own = isJsonObject(spec) ? spec.limit : undefined;
  return limitOf([limit, own], plan.limits.search_limit);
}

/** The cursor in a body, if there is one that can be read at all. */
export function cursorOf(body: Uint8Array): string | null {
  try {
    const value = parseJson(body) as { readonly cursor?: unknown } | null;
    return typeof value?.cursor === "string" ? value.cursor : null;
  } catch {
    // What is wrong with the body is said by whoever reads all of it.
    return null;
  }
}

/** Reads the cursor; with one, what belongs to the first page is a mistake. */
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
    const detail = `Leave ${name} out: the cursor continues with that of the first page.`;
    mistakes.push({ pointer: `/${name}`, code: "not_with_cursor", detail });
  }
  return typeof cursor === "string" ? cursor : null;
}

/** Reads the facets that a body asks for; null where it asks for none. */
export function readFacets({ members, mistakes }: BodyObject): readonly FacetName[] | null {
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
    const known = FACETS.find((facet) => facet === name);
    if (known === undefined) {
      const detail = `${shown(name)} is not a facet; known are ${FACETS.join(", ")}.`;
      mistakes.push({ pointer, code: "unknown_value", detail });
      // A list of thousands of wrong names is one mistake too many already.
      if (at > FACETS.length) break;
    } else if (names.includes(known)) {
      mistakes.push({ pointer, code: "duplicate", detail: `${known} is there twice.` });
    } else {
      names.push(known);
    }
  }
  return names.length === 0 ? null : names;
}

/** A spec with the filters of which it lacks every one; null when it is narrow enough. */
interface Judged {
  readonly spec: AccountQuerySpec;
  readonly missing: readonly string[] | null;
  /** Pointer of what should have named the filters, where that is no spec. */
  readonly place?: string;
}

/** Throws `query_too_broad` for a spec without a filter that narrows it. */
export function refuseTooBroad(engine: Engine, segment: Segment, judged: Judged): void {
  const { spec, missing, place } = judged;
  if (missing === null) return;
  const filters = missing.map((name) => name.replace(/^filters\./, ""));
  const errors = missing.map((name) => ({
    pointer: place ?? `/spec/${name.replaceAll(".", "/")}`,
    code: "missing_filter",
    detail: "One filter of this kind would make the query narrow enough.",
  }));
  const detail = `Add at least one of these filters: ${filters.join(", ")}.`;
  const matches = engine.countMatches(segment, spec);
  throw new AppError("query_too_broad", detail, { errors, members: { matches } });
}

/** The exact number of matches; the engine counts a long spec off the thread that answers. */
export function matchesOf(
  { service: { engine }, identity: { tenantId } }: Question<"engine">,
  segment: Segment,
  spec: AccountQuerySpec,
): number | Promise<number> {
  return whenReady(engine.counts(segment, spec, null, tenantId), ({ total }) => total);
}
