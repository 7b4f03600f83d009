/**
 * Caches counts: the exact number of matches and their facets, by snapshot and filters.
 * Invariant: a count depends only on the snapshot and the normalized filters, and both are in the
 * cache key. The cache is bounded and evicts the least recently used filters.
 */

import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { whenReady } from "../http/server/body.ts";
import type { Engine } from "../http/server/service.ts";
import type { Facet } from "../search/facet.ts";
import type { Segment } from "../search/segment.ts";
import type { FacetName } from "../spec/facets.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";

type Filters = AccountQuerySpec["filters"];

/** Max cached filters per snapshot; all facets of one filter take about 100 kB. */
const CACHED_MAX = 256;

/** Matches from which facets are counted one by one, each up to 20 ms for five million. */
export const MANY_MATCHES = 200_000;

interface CachedCounts {
  total: number | null;
  readonly facets: Map<FacetName, Facet>;
}

const caches = new WeakMap<Segment, Map<string, CachedCounts>>();

/** Counts of one snapshot. */
export class Counts {
  readonly #engine: Engine;
  readonly #segment: Segment;
  readonly #asker: string;
  readonly #cache: Map<string, CachedCounts>;

  /** `tenantId`: the tenant in whose turn counts run off the main thread. */
  constructor(engine: Engine, segment: Segment, tenantId: string) {
    this.#engine = engine;
    this.#segment = segment;
    this.#asker = tenantId;
    this.#cache = caches.get(segment) ?? new Map();
    caches.set(segment, this.#cache);
  }

  /** Returns the exact number of matches of the spec with `filters` instead of its own filters. */
  total(spec: AccountQuerySpec, filters: Filters = spec.filters): number | Promise<number> {
    const cached = this.#cached(filters);
    if (cached.total !== null) return cached.total;
    return whenReady(this.#counts({ ...spec, filters }, null), ({ total }) => {
      cached.total = total;
      return total;
    });
  }

  /** Counts the facets that are not yet cached for these filters. */
  async count(
    spec: AccountQuerySpec,
    names: readonly FacetName[],
    filters: Filters = spec.filters,
  ): Promise<void> {
    const missing = this.unknown(names, filters);
    if (missing.length === 0) return;
    const counted = await this.#counts({ ...spec, filters }, missing);
    const { facets } = this.#cached(filters);
    for (const name of missing) facets.set(name, counted.facets?.[name] as Facet);
  }

  /** Returns the facets for these filters; call `count` first. */
  facets(names: readonly FacetName[], filters: Filters): Readonly<Record<string, Facet>> {
    const { facets } = this.#cached(filters);
    assert.deepEqual(this.unknown(names, filters), [], "facets are counted before they are read");
    return Object.fromEntries(names.map((name) => [name, facets.get(name) as Facet]));
  }

  /** Returns the facets that are not yet cached. */
  unknown(names: readonly FacetName[], filters: Filters): FacetName[] {
    const { facets } = this.#cached(filters);
    return names.filter((name) => !facets.has(name));
  }

  #counts(spec: AccountQuerySpec, names: readonly FacetName[] | null) {
    return this.#engine.counts(this.#segment, spec, names, this.#asker);
  }

  #cached(filters: Filters): CachedCounts {
    const key = createHash("sha256").update(JSON.stringify(filters)).digest("base64");
    const cached = this.#cache.get(key) ?? { total: null, facets: new Map() };
    // Maps keep insertion order, so inserting an entry again makes it the newest.
    this.#cache.delete(key);
    if (this.#cache.size >= CACHED_MAX)
      this.#cache.delete(this.#cache.keys().next().value as string);
    this.#cache.set(key, cached);
    return cached;
  }
}
