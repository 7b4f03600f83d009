/**
 * Counts that were made before. What comes in: a snapshot and filters. What goes out: the exact
 * number of matches and their facets, from memory where the same filters came before.
 * Invariant: a count is kept under all that it depends on: the snapshot and the normalized filters;
 * the number of filters that are kept is bounded, the youngest stay.
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

/** Filters kept per snapshot; each holds at most one facet of every name, about 100 kB in all. */
const KEPT_MAX = 256;

/**
 * From so many matches on facets are counted one at a time: five million matches cost up to 20 ms
 * each, and others want to be answered in between.
 */
export const MANY_MATCHES = 200_000;

interface Kept {
  total: number | null;
  readonly facets: Map<FacetName, Facet>;
}

const caches = new WeakMap<Segment, Map<string, Kept>>();

/** Counts of one snapshot. */
export class Counts {
  readonly #engine: Engine;
  readonly #segment: Segment;
  readonly #asker: string;
  readonly #cache: Map<string, Kept>;

  /** `asker` is the tenant whose turn is taken by what is counted aside. */
  constructor(engine: Engine, segment: Segment, asker: string) {
    this.#engine = engine;
    this.#segment = segment;
    this.#asker = asker;
    this.#cache = caches.get(segment) ?? new Map();
    caches.set(segment, this.#cache);
  }

  /** Exact number of matches of a spec with these filters in place of its own. */
  total(spec: AccountQuerySpec, filters: Filters = spec.filters): number | Promise<number> {
    const kept = this.#kept(filters);
    if (kept.total !== null) return kept.total;
    return whenReady(this.#counts({ ...spec, filters }, null), ({ total }) => {
      kept.total = total;
      return total;
    });
  }

  /** Counts those facets of a spec with these filters that are not known yet. */
  async count(
    spec: AccountQuerySpec,
    names: readonly FacetName[],
    filters: Filters = spec.filters,
  ): Promise<void> {
    const missing = this.unknown(names, filters);
    if (missing.length === 0) return;
    const counted = await this.#counts({ ...spec, filters }, missing);
    const { facets } = this.#kept(filters);
    for (const name of missing) facets.set(name, counted.facets?.[name] as Facet);
  }

  /** Facets of a spec with these filters, which `count` has counted. */
  facets(names: readonly FacetName[], filters: Filters): Readonly<Record<string, Facet>> {
    const { facets } = this.#kept(filters);
    assert.deepEqual(this.unknown(names, filters), [], "facets are counted before they are read");
    return Object.fromEntries(names.map((name) => [name, facets.get(name) as Facet]));
  }

  /** Those of some facets that are still to be counted. */
  unknown(names: readonly FacetName[], filters: Filters): FacetName[] {
    const { facets } = this.#kept(filters);
    return names.filter((name) => !facets.has(name));
  }

  #counts(spec: AccountQuerySpec, names: readonly FacetName[] | null) {
    return this.#engine.counts(this.#segment, spec, names, this.#asker);
  }

  #kept(filters: Filters): Kept {
    const key = createHash("sha256").update(JSON.stringify(filters)).digest("base64");
    const kept = this.#cache.get(key) ?? { total: null, facets: new Map() };
    // A map keeps the order of insertion, so putting an entry back makes it the youngest.
    this.#cache.delete(key);
    if (this.#cache.size >= KEPT_MAX) this.#cache.delete(this.#cache.keys().next().value as string);
    this.#cache.set(key, kept);
    return kept;
  }
}
