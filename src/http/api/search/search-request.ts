/**
 * Search requests: from the bytes of a body to a normalized request, bound to its lists.
 * Invariant: the request is charged before anything expensive is done with it, and a refusal names
 * every mistake in the body, also a facet that is unknown or there twice; the refusal of a spec
 * that is too broad names the missing filters and the exact number of matches.
 */
import type { Plan } from "../../../access/plans.ts";
import { AppError } from "../../../errors.ts";
import { atOnce, type Steps, waited } from "../../../scheduling/steps.ts";
import type { Segment } from "../../../search/segment.ts";
import { tooBroad } from "../../../spec/breadth.ts";
import { FACETS, type FacetName } from "../../../spec/facets.ts";
import { DEFAULT_FIELDS } from "../../../spec/fields.ts";
import { resultHash, resultHashOfText } from "../../../spec/identity.ts";
import { parseJson } from "../../../spec/json.ts";
import { type NormalizeContext, normalizingSteps } from "../../../spec/normalize.ts";
import { isJsonObject, shown } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { laterResult, stepwise } from "../../server/background-tasks.ts";
import { type BodyObject, readBody, withBodyMistakesIn } from "../../server/body.ts";
import { costOf, limitOf } from "../../server/cost.ts";
import { weakTag } from "../../server/respond.ts";
import type { Engine, Question } from "../../server/service.ts";
import { searchPrefix } from "./page-answer.ts";

/** Accounts in a page where no limit is given. */
export const SEARCH_LIMIT_DEFAULT = 100;

/** Largest body that is parsed inline and cached, in bytes. */
const SMALL_BYTES_MAX = 8 * 1024;

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
  /** The answer's text from `"snapshot"` up to where the accounts begin (pagetext.ts). */
  readonly prefix: Buffer;
  /** Units that it was charged. */
  readonly cost: number;
  /** The spec with the ids of its lists, as it was sent; the same as `spec` if it names none. */
  readonly unbound: AccountQuerySpec;
}

const MEMBERS = ["spec", "limit", "cursor", "output", "facets"];
/** Members that belong to the first page and are part of the cursor from then on. */
const FIRST_PAGE_MEMBERS = ["limit", "output"];

/** Returns true if the body is small enough to parse inline and to cache. */
export function isSmall(body: Uint8Array): boolean {
  return body.byteLength <= SMALL_BYTES_MAX;
}

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

/** A body that was read and charged. */
interface AskedSearch {
  readonly body: BodyObject;
  readonly cost: number;
  readonly cursor: string | null;
  readonly facets: readonly FacetName[] | null;
}

/**
 * Parses, charges and normalizes a search request: a small one at once, unless the rows of its
 * lists have to be made. Throws `AppError` with every mistake in it.
 */
export function prepareSearch(
  call: Question<"listed">,
  segment: Segment,
): SearchRequest | Promise<SearchRequest> {
  if (!isSmall(call.body)) return prepareLarge(call, segment);
  const asked = readSearch(call);
  const unbound = atOnce(normalizedSearch(call, segment, asked));
  const spec = boundTo(call, segment, unbound);
  return spec instanceof Promise
    ? spec.then((bound) => requestOf(segment, asked, unbound, bound))
    : requestOf(segment, asked, unbound, spec);
}

/** The same in turns with others. */
async function prepareLarge(call: Question<"listed">, segment: Segment): Promise<SearchRequest> {
  const asked = await laterResult(() => readSearch(call));
  const unbound = await laterResult(() => stepwise(normalizedSearch(call, segment, asked)));
  const spec = await boundTo(call, segment, unbound);
  return laterResult(() => requestOf(segment, asked, unbound, spec));
}

function readSearch(call: Question<"listed">): AskedSearch {
  const body = readBody(call.body, MEMBERS);
  const { members } = body;
  const limit = pageOf(members.limit, members.spec, call.plan);
  const cost = costOf({ spec: members.spec, facets: members.facets, limit });
  call.spend(cost);
  return { body, cost, cursor: readCursor(body, FIRST_PAGE_MEMBERS), facets: readFacets(body) };
}

function* normalizedSearch(
  { service, plan }: Question<"listed">,
  segment: Segment,
  { body }: AskedSearch,
): Steps<AccountQuerySpec> {
  const { spec: input, limit, output } = body.members;
  const context = searchContext(segment, plan, {
    limit,
    output,
    listsKnown: service.listed !== null,
  });
  const { spec } = yield* withBodyMistakesIn(body, () => normalizingSteps(input, context));
  return spec;
}

function requestOf(
  segment: Segment,
  { cost, cursor, facets }: AskedSearch,
  unbound: AccountQuerySpec,
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
function boundTo(
  { service: { listed }, identity }: Question<"listed">,
  segment: Segment,
  spec: AccountQuerySpec,
): AccountQuerySpec | Promise<AccountQuerySpec> {
  if (listed === null || spec.filters.lists === undefined) return spec;
  return listed.bind(identity.tenantId, segment, spec);
}

/** As `boundTo`, in steps. */
export function* boundSteps(
  call: Question<"listed">,
  segment: Segment,
  spec: AccountQuerySpec,
): Steps<AccountQuerySpec> {
  return yield* waited(boundTo(call, segment, spec));
}

/** The lists of who asks by their names, for sentences; undefined where nobody has any. */
export function listNamesOf({ service: { listed }, identity }: Question<"listed">) {
  return listed === null ? undefined : () => listed.names(identity.tenantId);
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
      const detail = `${shown(name)} is no facet; known are ${FACETS.join(", ")}.`;
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
