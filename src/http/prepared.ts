/**
 * Search requests that were read before. What comes in: the bytes of a body, the plan and the
 * segment. What goes out: the normalized request, from memory where the same bytes came before.
 * Invariant: an entry is only found for exactly the same bytes under the same plan and segment;
 * nothing about the sender is in it; the number of entries is bounded.
 */
import type { Plan } from "../access/plans.ts";
import type { FacetName } from "../search/facet.ts";
import type { Segment } from "../search/segment.ts";
import { tooBroad } from "../spec/breadth.ts";
import { DEFAULT_FIELDS } from "../spec/fields.ts";
import { walkHash } from "../spec/identity.ts";
import { parseJson } from "../spec/json.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { type BodyObject, readBody, withBodyMistakes } from "./body.ts";
import { weakTag } from "./etag.ts";
import { readFacets } from "./facets.ts";

/** Accounts in a page where no limit is given. */
export const SEARCH_LIMIT_DEFAULT = 100;

/** Requests kept per plan and segment, and the largest body that is kept. */
const ENTRIES_MAX = 512;
const KEPT_BYTES_MAX = 8 * 1024;

/** A search request after reading. */
export interface PreparedSearch {
  readonly spec: AccountQuerySpec;
  readonly walkHash: string;
  readonly cursor: string | null;
  /** Pointers of the filters that are missing, or null when the spec is narrow enough. */
  readonly missing: readonly string[] | null;
  /** Facets that are asked for, or null. */
  readonly facets: readonly FacetName[] | null;
  /** Entity tag of the answer. */
  readonly tag: string;
  /** The answer's text from `"snapshot"` up to where the accounts begin. */
  readonly prefix: Buffer;
}

const MEMBERS = ["spec", "limit", "cursor", "output", "facets"];
/** Members that belong to the first page and are part of the cursor from then on. */
const FIRST_PAGE_MEMBERS = ["limit", "output"];

const caches = new WeakMap<Segment, WeakMap<Plan, Map<string, PreparedSearch>>>();

/** Reads a search request. Throws `AppError` with every mistake in it. */
export function prepareSearch(body: Uint8Array, segment: Segment, plan: Plan): PreparedSearch {
  if (body.byteLength > KEPT_BYTES_MAX) return readSearch(body, segment, plan);
  const cache = cacheOf(segment, plan);
  const key = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  const known = cache.get(key);
  // A map keeps the order of insertion, so putting an entry back makes it the youngest.
  if (known !== undefined) cache.delete(key);
  const prepared = known ?? readSearch(body, segment, plan);
  if (cache.size >= ENTRIES_MAX) cache.delete(cache.keys().next().value as string);
  cache.set(key, prepared);
  return prepared;
}

function cacheOf(segment: Segment, plan: Plan): Map<string, PreparedSearch> {
  const ofSegment = caches.get(segment) ?? new WeakMap<Plan, Map<string, PreparedSearch>>();
  caches.set(segment, ofSegment);
  const cache = ofSegment.get(plan) ?? new Map<string, PreparedSearch>();
  ofSegment.set(plan, cache);
  return cache;
}

function readSearch(bytes: Uint8Array, segment: Segment, plan: Plan): PreparedSearch {
  const body = readBody(bytes, MEMBERS);
  const cursor = readCursor(body);
  const facets = readFacets(body);
  const { members } = body;
  const { spec } = withBodyMistakes(body, () =>
    normalizeSpec(members.spec, {
      catalog: segment.catalog,
      limitDefault: Math.min(SEARCH_LIMIT_DEFAULT, plan.limits.search_limit),
      limitCap: plan.limits.search_limit,
      fullAllowed: false,
      allowedFields: plan.fields,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
      bodyLimit: members.limit,
      bodyOutput: members.output,
    }),
  );
  const missing = tooBroad(spec)?.missing ?? null;
  const prefix = Buffer.from(prefixText(segment, spec));
  const tag = weakTag(["search", segment.snapshotId, prefix, cursor ?? "", String(facets)]);
  return { spec, walkHash: walkHash(spec), cursor, missing, facets, tag, prefix };
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
function readCursor({ members, mistakes }: BodyObject): string | null {
  const { cursor } = members;
  if (cursor === undefined) return null;
  if (typeof cursor !== "string") {
    const detail = "Send next_cursor of the previous response unchanged, or no cursor.";
    mistakes.push({ pointer: "/cursor", code: "invalid_cursor", detail });
  }
  for (const name of FIRST_PAGE_MEMBERS) {
    if (members[name] === undefined) continue;
    const detail = `Leave ${name} out: the cursor continues with that of the first page.`;
    mistakes.push({ pointer: `/${name}`, code: "not_with_cursor", detail });
  }
  return typeof cursor === "string" ? cursor : null;
}

function prefixText(segment: Segment, spec: AccountQuerySpec): string {
  const head = {
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    spec,
  };
  return `,${JSON.stringify(head).slice(1, -1)},"accounts":`;
}
