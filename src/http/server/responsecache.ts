/**
 * The response cache: pages that were answered before, as bytes.
 * Invariant: a page is found only for the same bytes of a body on the same route, by the same
 * tenant under the same plan, of the snapshot that is served. All pages together never take more
 * than `bytesMax`; the least recently used ones are evicted. Bytes that differ from one answer to
 * the next (request id, time) are not stored.
 */
import { strict as assert } from "node:assert";
import type { Plan } from "../../access/plans.ts";
import type { Segment } from "../../search/segment.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { HttpAnswer } from "./respond.ts";

/** Memory of an entry besides its bytes and its key, measured: objects, map slots, fragments. */
export const ENTRY_BYTES = 1_280;

/** Pairs of hashes of the repeat detector; a pair forgets its older one. */
const PAIRS = 8192;
/** FNV-1a, of 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A cached page. */
export interface CachedPage {
  /** The body without its first member, the id of the request, and its last value, the time. */
  readonly bytes: Uint8Array;
  readonly headers: Required<HttpAnswer>["headers"];
  /** Accounts in it; they count as read each time. */
  readonly accounts: number;
  /** Units that the request is charged, each time. */
  readonly cost: number;
  /** True if the request is refused while the server is overloaded. */
  readonly expensive: boolean;
  /** The saved lists that the page depends on, or null. */
  readonly lists: BoundLists | null;
}

/** The saved lists of a request, and their revisions when the page was rendered. */
export interface BoundLists {
  /** The spec as the client sent it, with the ids of lists. */
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

/** The parts of a request that identify a page. */
interface CacheRequest {
  readonly body: Uint8Array;
  readonly plan: Plan;
  readonly identity: { readonly tenantId: string };
}

/** Caches pages of the snapshot that is served. */
export class ResponseCache {
  readonly #bytesMax: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #repeats = new RepeatDetector();
  /** The most recently used entry; it is the last of the map already. */
  #youngest: Entry | null = null;
  #segment: Segment | null = null;
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  /** Body of the request that was counted as a miss last. */
  #missed: Uint8Array | null = null;

  /** With 0 bytes nothing is cached, and nothing counted. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** False if nothing is cached at all. */
  get on(): boolean {
    return this.#bytesMax > 0;
  }

  /** Bytes of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Requests that found their page. */
  get hits(): number {
    return this.#hits;
  }

  /** Requests that did not. */
  get misses(): number {
    return this.#misses;
  }

  /** Evicts everything; only pages of this segment are cached from now on. */
  serve(segment: Segment | null): void {
    this.#entries.clear();
    this.#youngest = null;
    this.#bytes = 0;
    this.#segment = segment;
  }

  /**
   * Returns the page of a request, or null if none is cached, if the snapshot is damaged, or if
   * `isCurrent` is false for the page's lists.
   */
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

  /** Takes the miss of a request back that another thread looks up again. */
  takeBackMiss(body: Uint8Array | null): void {
    if (body !== null && body === this.#missed) this.#misses--;
    this.#missed = null;
  }

  /**
   * True if a page of this request is worth storing: the same tenant sent the same bytes before.
   * Most bodies never come again. The sender is part of the hash, because the speed of an answer
   * must not reveal the requests of another tenant.
   */
  repeats({ body, identity }: CacheRequest, segment: Segment): boolean {
    if (!this.on || segment !== this.#segment) return false;
    return this.#repeats.cameBefore(body, identity.tenantId);
  }

  /** Stores a page if it fits; its bytes must never change. */
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
      // A map keeps the order of insertion, so putting an entry back makes it the youngest.
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

/**
 * Detects repeated bodies in fixed memory. A collision of hashes may report a new body as repeated,
 * so only caching may depend on it.
 */
export class RepeatDetector {
  readonly #hashes = new Int32Array(2 * PAIRS);

  /** Returns true if the sender sent the same body before, and notes that it did now. */
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

/** Returns the hash of a sender and a body; never that of an empty slot. */
function hashOf(body: Uint8Array, sender: string): number {
  let hash = BASIS;
  for (let at = 0; at < sender.length; at++) {
    hash = Math.imul(hash ^ sender.charCodeAt(at), PRIME);
  }
  for (let at = 0; at < body.length; at++) hash = Math.imul(hash ^ (body[at] as number), PRIME);
  return hash === 0 ? 1 : hash;
}

/**
 * Returns route, plan, tenant and body as one key; each byte of the body is a character. Lengths
 * keep the parts apart.
 */
function keyOf({ plan, identity: { tenantId }, body }: CacheRequest, endpoint: string): string {
  const { buffer, byteOffset, byteLength } = body;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
  return `${endpoint}:${plan.name.length}:${plan.name}${tenantId.length}:${tenantId}${text}`;
}
