/**
 * The response cache: rendered pages as bytes.
 * Invariant: a hit requires the same body bytes, route, tenant, plan, and served snapshot. The
 * pages together never exceed `bytesMax`. The least recently used are evicted. Bytes that differ
 * between answers (request id, time) are not stored.
 */
import { strict as assert } from "node:assert";
import type { Plan } from "../../access/plans.ts";
import type { Segment } from "../../search/segment.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { HttpAnswer } from "./respond.ts";

/** Measured overhead of an entry in bytes: objects, a place in the map, and fragmentation. */
export const ENTRY_BYTES = 1_280;

/** Pairs of hashes in the repeat detector. A new hash replaces the older of its pair. */
const PAIRS = 8192;
/** FNV-1a, of 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A cached page. */
export interface CachedPage {
  /** The body without its first and last values (request id and time), which differ each time. */
  readonly bytes: Uint8Array;
  readonly headers: Required<HttpAnswer>["headers"];
  /** Number of accounts on the page. Each use of the cached page adds it to the client's usage. */
  readonly accounts: number;
  /** Units charged on each hit. */
  readonly cost: number;
  /** True if the request is shed under overload. */
  readonly expensive: boolean;
  /** Saved lists that the page depends on, or null. */
  readonly lists: BoundLists | null;
}

/** Saved lists of a request, with their revisions when the page was rendered. */
export interface BoundLists {
  /** The spec as sent, with the ids of lists. */
  readonly spec: AccountQuerySpec;
  /** The lists of the bound spec as JSON. */
  readonly bound: string;
}

interface Entry {
  readonly key: string;
  readonly plan: Plan;
  readonly page: CachedPage;
  readonly size: number;
}

interface CacheRequest {
  readonly body: Uint8Array;
  readonly plan: Plan;
  readonly identity: { readonly tenantId: string };
}

/** Caches pages of the served snapshot. */
export class ResponseCache {
  readonly #bytesMax: number;
  /** Entries by key, the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #repeats = new RepeatDetector();
  /** The most recently used entry, which is already the map's last, so it need not be moved. */
  #youngest: Entry | null = null;
  #segment: Segment | null = null;
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  /** Body of the latest miss. */
  #missed: Uint8Array | null = null;

  /** If `bytesMax` is 0, nothing is cached or counted. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** True if caching is on. */
  get on(): boolean {
    return this.#bytesMax > 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get hits(): number {
    return this.#hits;
  }

  get misses(): number {
    return this.#misses;
  }

  /** Evicts everything. Only pages of this segment are cached from now on. */
  serve(segment: Segment | null): void {
    this.#entries.clear();
    this.#youngest = null;
    this.#bytes = 0;
    this.#segment = segment;
  }

  /** Returns a page, or null on a miss, if the snapshot is damaged, or if `isCurrent` is false. */
  find<Request extends CacheRequest>(
    request: Request,
    segment: Segment,
    endpoint: string,
    isCurrent: (lists: BoundLists, request: Request, segment: Segment) => boolean,
  ): CachedPage | null {
    if (!this.on) return null;
    const entry = this.#entryOf(request, segment, endpoint);
    const page = entry?.page ?? null;
    if (page === null || (page.lists !== null && !isCurrent(page.lists, request, segment))) {
      this.#misses++;
      this.#missed = request.body;
      return null;
    }
    this.#hits++;
    return page;
  }

  /** Reverts a miss for this body, because another thread looks it up again and counts it. */
  takeBackMiss(body: Uint8Array | null): void {
    if (body !== null && body === this.#missed) this.#misses--;
    this.#missed = null;
  }

  /**
   * True if a page should be stored, because the same tenant sent the same bytes before. Most
   * bodies never repeat. The hash includes the sender, because timing must not reveal another
   * tenant's requests.
   */
  repeats({ body, identity }: CacheRequest, segment: Segment): boolean {
    if (!this.on || segment !== this.#segment) return false;
    return this.#repeats.cameBefore(body, identity.tenantId);
  }

  /** Stores a page if it fits. Its bytes must never change. */
  put(request: CacheRequest, segment: Segment, endpoint: string, page: CachedPage): void {
    if (segment !== this.#segment || segment.native.poisoned()) return;
    const key = keyOf(request, endpoint);
    const size = page.bytes.byteLength + key.length + ENTRY_BYTES;
    if (size > this.#bytesMax) return;
    const before = this.#entries.get(key);
    if (before !== undefined) this.#remove(before);
    this.#makeRoom(size);
    this.#youngest = { key, plan: request.plan, page, size };
    this.#entries.set(key, this.#youngest);
    this.#bytes += size;
    assert(this.#bytes <= this.#bytesMax, "the response cache is bounded");
  }

  #entryOf(request: CacheRequest, segment: Segment, endpoint: string): Entry | null {
    if (segment !== this.#segment || segment.native.poisoned()) return null;
    const entry = this.#entries.get(keyOf(request, endpoint));
    if (entry === undefined || entry.plan !== request.plan) return null;
    if (entry !== this.#youngest) {
      // A map keeps the order of insertion, so inserting an entry again makes it the youngest.
      this.#entries.delete(entry.key);
      this.#entries.set(entry.key, entry);
      this.#youngest = entry;
    }
    return entry;
  }

  #makeRoom(size: number): void {
    for (const entry of this.#entries.values()) {
      if (this.#bytes + size <= this.#bytesMax) return;
      this.#remove(entry);
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.key);
    this.#bytes -= entry.size;
  }
}

/** Detects repeated bodies in fixed memory, for caching only. Collisions cause false hits. */
export class RepeatDetector {
  readonly #hashes = new Int32Array(2 * PAIRS);

  /** Returns true if the sender sent the same body before. Records the body. */
  cameBefore(body: Uint8Array, sender: string): boolean {
    const hash = hashOf(body, sender);
    const pair = 2 * (hash & (PAIRS - 1));
    if (this.#hashes[pair] === hash) return true;
    const isOlder = this.#hashes[pair + 1] === hash;
    this.#hashes[pair + 1] = this.#hashes[pair] as number;
    this.#hashes[pair] = hash;
    return isOlder;
  }
}

/** Returns the hash of a sender and a body. The hash is never 0, because 0 marks an empty slot. */
function hashOf(body: Uint8Array, sender: string): number {
  let hash = BASIS;
  for (let at = 0; at < sender.length; at++) {
    hash = Math.imul(hash ^ sender.charCodeAt(at), PRIME);
  }
  for (let at = 0; at < body.length; at++) hash = Math.imul(hash ^ (body[at] as number), PRIME);
  return hash === 0 ? 1 : hash;
}

/**
 * Returns one key made of route, plan, tenant, and body. Plan and tenant have length prefixes. Each
 * byte of the body is one character.
 */
function keyOf({ plan, identity: { tenantId }, body }: CacheRequest, endpoint: string): string {
  const { buffer, byteOffset, byteLength } = body;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
  return `${endpoint}:${plan.name.length}:${plan.name}${tenantId.length}:${tenantId}${text}`;
}
