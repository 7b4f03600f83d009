/**
 * Search requests that were read before. What comes in: the bytes of a body, the plan and the
 * segment. What goes out: the normalized request, from memory where the same bytes came before.
 * Invariant: an entry is only found for exactly the same bytes under the same plan and segment, and
 * by a tenant that sent them before: how quick an answer is, and whether it is remembered, must not
 * tell what others ask. The number of entries is bounded, and a body that comes for the first time
 * is none: most never come again, and each would outlive the collector's quick rounds.
 */
import type { Plan } from "../../access/plans.ts";
import type { Segment } from "../../search/segment.ts";
import { tooBroad } from "../../spec/breadth.ts";
import type { FacetName } from "../../spec/facets.ts";
import { DEFAULT_FIELDS } from "../../spec/fields.ts";
import { resultHash, resultHashOfText } from "../../spec/identity.ts";
import { parseJson } from "../../spec/json.ts";
import { type NormalizeContext, normalizingSteps } from "../../spec/normalize.ts";
import { isJsonObject } from "../../spec/reader.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { type Steps, waited } from "../../steps.ts";
import { type BodyObject, readBody, withBodyMistakesIn } from "../server/body.ts";
import { costOf, limitOf } from "../server/cost.ts";
import { weakTag } from "../server/etag.ts";
import type { Question } from "../server/service.ts";
import { readFacets } from "./facets.ts";
import { searchPrefix } from "./pagetext.ts";
import { SeenBodies } from "./seenbodies.ts";

/** Accounts in a page where no limit is given. */
export const SEARCH_LIMIT_DEFAULT = 100;

/** Requests kept per plan and segment, and the largest body that is kept. */
const ENTRIES_MAX = 512;
const KEPT_BYTES_MAX = 8 * 1024;
/** Tenants per entry; where more of them send the same bytes, the first ones are forgotten. */
const ASKERS_MAX = 8;

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
  /** Where it names lists: the same, bound to nothing, which is all that may be kept of it. */
  readonly unbound?: SearchRequest;
}

const MEMBERS = ["spec", "limit", "cursor", "output", "facets"];
/** Members that belong to the first page and are part of the cursor from then on. */
const FIRST_PAGE_MEMBERS = ["limit", "output"];

/** What a body is read with. */
export interface Reading {
  readonly segment: Segment;
  readonly plan: Plan;
  /** Takes what the request costs, before anything dear is done with it. */
  readonly charge: (cost: number) => void;
  /** Who asks, and what binds a spec to lists; null where there are none. */
  readonly asker: Question<"listed">;
}

/** Reads a body into a request. */
type ReadRequest<Request> = (body: Uint8Array, reading: Reading) => Steps<Request>;

/** A request with what it costs. */
export interface Kept<Request> {
  readonly request: Request;
  readonly cost: number;
}

/** What is kept: a request that names lists is kept unbound. */
interface Entry<Request> extends Kept<Request> {
  /** The tenants that sent it. */
  readonly askers: string[];
}

/** How requests that name lists are kept. */
interface ListedRequests<Request> {
  /** What is kept of one: nothing of what its lists hold. */
  unbound(request: Request): Request;
  /** What was kept, bound to its lists as they are now; null where that takes more than a look. */
  now(unbound: Request, question: Question<"listed">, segment: Segment): Request | null;
}

/** Whether a body is so small that reading it is quick, and that it is remembered. */
export function isSmall(body: Uint8Array): boolean {
  return body.byteLength <= KEPT_BYTES_MAX;
}

/** Remembers the youngest requests of one kind. */
export class PreparedRequests<Request> {
  readonly #read: ReadRequest<Request>;
  readonly #listed: ListedRequests<Request> | null;
  readonly #keeps: (request: Request) => boolean;
  /** What was asked for last: it is the youngest of its map already. */
  #youngest: Entry<Request> | null = null;
  /** The body of the last one that was not kept before, and names no lists. */
  #newBody: Uint8Array | null = null;
  readonly #caches = new WeakMap<Segment, WeakMap<Plan, Map<string, Entry<Request>>>>();
  readonly #seen = new SeenBodies();

  /** Requests that `keeps` is false of are read anew each time. */
  constructor(
    read: ReadRequest<Request>,
    listed: ListedRequests<Request> | null = null,
    keeps: (request: Request) => boolean = () => true,
  ) {
    this.#read = read;
    this.#listed = listed;
    this.#keeps = keeps;
  }

  /** The request in a body, charged. Throws `AppError` with every mistake in it. */
  *of(question: Question<"listed">, segment: Segment): Steps<Request> {
    const { body, plan, identity } = question;
    if (!isSmall(body)) {
      yield;
      const charge = (units: number) => question.spend(units);
      return yield* this.#read(body, { segment, plan, charge, asker: question });
    }
    const known = this.kept(question, segment);
    if (known !== null) return known.request;
    let cost = 0;
    const charge = (units: number) => {
      cost = units;
      question.spend(units);
    };
    const request = yield* this.#read(body, { segment, plan, charge, asker: question });
    if (!this.#keeps(request) || !this.#seen.cameBefore(body, identity.tenantId)) return request;
    // Whose lists they are, and what they hold now, does not stand in the body.
    const kept = isListed(request) ? this.#listed?.unbound(request) : request;
    if (kept === undefined) return request;
    this.#keep(question, segment, { request: kept, cost });
    this.#newBody = kept === request ? body : null;
    return request;
  }

  #keep({ body, plan, identity }: Question, segment: Segment, kept: Kept<Request>): void {
    const cache = this.#cacheOf(segment, plan);
    const askers = (cache.get(keyOf(body))?.askers ?? []).filter((id) => id !== identity.tenantId);
    this.#youngest = { ...kept, askers: [...askers, identity.tenantId].slice(-ASKERS_MAX) };
    cache.delete(keyOf(body));
    if (cache.size >= ENTRIES_MAX) cache.delete(cache.keys().next().value as string);
    cache.set(keyOf(body), this.#youngest);
  }

  /** What was kept of this very question, and not before; null where nothing was. */
  keptNow({ body }: Question): Kept<Request> | null {
    return body === this.#newBody ? this.#youngest : null;
  }

  /** The request in a body that came before, charged; null where it did not, or is forgotten. */
  kept(question: Question<"listed">, segment: Segment): Kept<Request> | null {
    const { body, plan, identity } = question;
    if (!isSmall(body)) return null;
    const key = keyOf(body);
    const cache = this.#cacheOf(segment, plan);
    const known = cache.get(key);
    if (known === undefined || !known.askers.includes(identity.tenantId)) return null;
    const isBound = !isListed(known.request);
    const request = isBound ? known.request : this.#listed?.now(known.request, question, segment);
    if (request === undefined || request === null) return null;
    question.spend(known.cost);
    if (known !== this.#youngest) {
      // A map keeps the order of insertion, so putting an entry back makes it the youngest.
      cache.delete(key);
      cache.set(key, known);
      this.#youngest = known;
    }
    return isBound ? known : { request, cost: known.cost };
  }

  #cacheOf(segment: Segment, plan: Plan): Map<string, Entry<Request>> {
    const ofSegment = this.#caches.get(segment) ?? new WeakMap<Plan, Map<string, Entry<Request>>>();
    this.#caches.set(segment, ofSegment);
    const cache = ofSegment.get(plan) ?? new Map<string, Entry<Request>>();
    ofSegment.set(plan, cache);
    return cache;
  }
}

/** The body that a key was made of last: a new one is asked for again and again. */
let lastKey: { readonly body: Uint8Array; readonly text: string } | null = null;

/** A body as a key; each of its bytes is a character. */
function keyOf(body: Uint8Array): string {
  if (lastKey?.body === body) return lastKey.text;
  // Of a buffer, as bodies of requests are, without another one over the same bytes.
  const { buffer, byteOffset, byteLength } = body;
  const bytes = body instanceof Buffer ? body : Buffer.from(buffer, byteOffset, byteLength);
  lastKey = { body, text: bytes.toString("latin1") };
  return lastKey.text;
}

const searches = new PreparedRequests<SearchRequest>(readSearch, {
  unbound: (request) => request.unbound ?? request,
  now: (unbound, question, segment) => (unbound as Prepared).now(question, segment),
});

/** Reads and charges a search request. Throws `AppError` with every mistake in it. */
export function prepareSearch(call: Question<"listed">, segment: Segment): Steps<SearchRequest> {
  return searches.of(call, segment);
}

/** The same where it was read before; null where it was not. */
export function keptSearch(call: Question<"listed">, segment: Segment): Kept<SearchRequest> | null {
  return searches.kept(call, segment);
}

/**
 * The same of a question that was read just now, and whose request is kept from now on as it is;
 * null of any other.
 */
export function newlyKeptSearch(call: Question): Kept<SearchRequest> | null {
  return searches.keptNow(call);
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

function* readSearch(bytes: Uint8Array, reading: Reading): Steps<SearchRequest> {
  const { segment, plan, charge, asker } = reading;
  const body = readBody(bytes, MEMBERS);
  const { members } = body;
  const limit = pageOf(members.limit, members.spec, plan);
  charge(costOf({ spec: members.spec, facets: members.facets, limit }));
  if (!isSmall(bytes)) yield;
  const cursor = readCursor(body, FIRST_PAGE_MEMBERS);
  const facets = readFacets(body);
  const { limit: bodyLimit, output } = members;
  const listsKnown = asker.service.listed !== null;
  const context = searchContext(segment, plan, { limit: bodyLimit, output, listsKnown });
  const { spec } = yield* withBodyMistakesIn(body, () => normalizingSteps(members.spec, context));
  const bound = yield* boundSteps(asker, segment, spec);
  if (!isSmall(bytes)) yield;
  const missing = tooBroad(spec)?.missing ?? null;
  const explain = JSON.stringify(spec.explain);
  const { prefix, specText } = searchPrefix(segment, JSON.stringify(spec));
  const hash = resultHashOfText(spec, specText, explain);
  const parts = { spec, resultHash: hash, cursor, missing, facets, prefix, explain };
  const request = new Prepared(parts, segment.snapshotId);
  return bound === spec ? request : request.boundTo(bound);
}

/** The spec bound to the lists that it names, as they are now. Throws `list_not_found`. */
export function* boundSteps(
  { service: { listed }, identity }: Question<"listed">,
  segment: Segment,
  spec: AccountQuerySpec,
): Steps<AccountQuerySpec> {
  if (listed === null || spec.filters.lists === undefined) return spec;
  return yield* waited(listed.bind(identity.tenantId, segment, spec));
}

/** The lists of who asks by their names, for sentences; undefined where nobody has any. */
export function listNamesOf({ service: { listed }, identity }: Question<"listed">) {
  return listed === null ? undefined : () => listed.names(identity.tenantId);
}

/** Whether a request names lists. */
function isListed(request: unknown): boolean {
  return (request as Partial<SearchRequest>).spec?.filters.lists !== undefined;
}

/** What is read of a request. */
interface ReadParts extends Omit<SearchRequest, "headers" | "unbound"> {
  /** The JSON of the spec's notes. */
  readonly explain: string;
}

/** A request, which knows itself bound to lists. */
class Prepared implements SearchRequest {
  readonly spec: AccountQuerySpec;
  readonly resultHash: string;
  readonly cursor: string | null;
  readonly missing: readonly string[] | null;
  readonly facets: readonly FacetName[] | null;
  readonly headers: SearchRequest["headers"];
  readonly prefix: Buffer;
  readonly explain: string;
  readonly unbound?: Prepared;
  readonly #snapshotId: string;
  /** By the bound spec, which is gone with the rows of its lists. */
  #bounds: WeakMap<AccountQuerySpec, Prepared> | null = null;

  constructor(parts: ReadParts, snapshotId: string, unbound?: Prepared) {
    this.spec = parts.spec;
    this.resultHash = parts.resultHash;
    this.cursor = parts.cursor;
    this.missing = parts.missing;
    this.facets = parts.facets;
    this.prefix = parts.prefix;
    this.explain = parts.explain;
    this.#snapshotId = snapshotId;
    if (unbound !== undefined) this.unbound = unbound;
    this.headers = { ETag: tagOf(parts, snapshotId) };
  }

  /** The same of a bound spec. */
  boundTo(bound: AccountQuerySpec): Prepared {
    this.#bounds ??= new WeakMap();
    const known = this.#bounds.get(bound);
    if (known !== undefined) return known;
    const parts = { ...this, spec: bound, resultHash: resultHash(bound) };
    const made = new Prepared(parts, this.#snapshotId, this);
    this.#bounds.set(bound, made);
    return made;
  }

  /** Bound to its lists as they are now; null where that takes more than a look. */
  now({ service, identity }: Question<"listed">, segment: Segment): Prepared | null {
    const bound = service.listed?.boundNow(identity.tenantId, segment, this.spec) ?? null;
    return bound === null ? null : this.boundTo(bound);
  }
}

/**
 * The tag of a page: of the snapshot, the spec with what its hash leaves out, and what its lists
 * hold.
 */
function tagOf(parts: ReadParts, snapshotId: string): string {
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
