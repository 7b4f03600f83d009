/**
 * Answers that were given before, kept as bytes. What comes in: a question and, where nothing is
 * kept for it, its answer. What goes out: the kept answer, for the same question only.
 * Invariant: an answer is found for exactly the same bytes of a body, by the same tenant, under the
 * same plan, of the snapshot that is served; those of another snapshot are gone in the moment in
 * which it is served. All that is kept together never takes more than `bytesMax`: whatever was not
 * asked for the longest leaves first. What differs from one answer to the next is not in it.
 */
import { strict as assert } from "node:assert";
import type { Plan } from "../../access/plans.ts";
import type { Segment } from "../../search/segment.ts";
import type { HttpAnswer } from "./respond.ts";

/** What an entry takes beside its bytes and its key, measured: objects, their places, fragments. */
export const ENTRY_BYTES = 1_280;

/** What is kept of an answer. */
export interface KeptResponse {
  /** The body without its first member, the id of the request, and its last value, the time. */
  readonly bytes: Uint8Array;
  readonly headers: Required<HttpAnswer>["headers"];
  /** Accounts in it; they count as read each time. */
  readonly accounts: number;
  /** What the request costs, each time. */
  readonly cost: number;
  /** Whether it is refused while the server has too much to do. */
  readonly dear: boolean;
}

/** A kept answer and what it takes. */
interface Entry {
  readonly key: string;
  readonly plan: Plan;
  readonly response: KeptResponse;
  readonly size: number;
}

/** What tells questions apart. */
interface Asked {
  readonly body: Uint8Array;
  readonly plan: Plan;
  readonly identity: { readonly tenantId: string };
}

/** Keeps answers of the snapshot that is served. */
export class ResponseMemory {
  readonly #bytesMax: number;
  /** The one that was not asked for the longest comes first. */
  readonly #entries = new Map<string, Entry>();
  /** What was asked for last: it is the last of the map already. */
  #youngest: Entry | null = null;
  #segment: Segment | null = null;
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  /** With 0 bytes nothing is kept, and nothing counted. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether there is one at all. */
  get on(): boolean {
    return this.#bytesMax > 0;
  }

  /** Bytes that all entries take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Questions that were answered from here. */
  get hits(): number {
    return this.#hits;
  }

  /** Questions that were not. */
  get misses(): number {
    return this.#misses;
  }

  /** Forgets everything; answers of this segment, and of no other, are kept from now on. */
  serve(segment: Segment | null): void {
    this.#entries.clear();
    this.#youngest = null;
    this.#bytes = 0;
    this.#segment = segment;
  }

  /** The answer that is kept for a question, or null. A damaged snapshot has none. */
  find(asked: Asked, segment: Segment): KeptResponse | null {
    if (!this.on) return null;
    const entry = this.#entryOf(asked, segment);
    if (entry === null) this.#misses++;
    else this.#hits++;
    return entry?.response ?? null;
  }

  /** Keeps the answer to a question, where there is room for it; its bytes must never change. */
  keep(asked: Asked, segment: Segment, response: KeptResponse): void {
    if (segment !== this.#segment || segment.native.poisoned()) return;
    const key = keyOf(asked);
    const size = response.bytes.byteLength + key.length + ENTRY_BYTES;
    if (size > this.#bytesMax) return;
    const before = this.#entries.get(key);
    if (before !== undefined) this.#remove(before);
    this.#makeRoom(size);
    this.#youngest = { key, plan: asked.plan, response, size };
    this.#entries.set(key, this.#youngest);
    this.#bytes += size;
    assert(this.#bytes <= this.#bytesMax, "the memory of responses is bounded");
  }

  #entryOf(asked: Asked, segment: Segment): Entry | null {
    if (segment !== this.#segment || segment.native.poisoned()) return null;
    const entry = this.#entries.get(keyOf(asked));
    if (entry === undefined || entry.plan !== asked.plan) return null;
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

/** Plan, tenant and body; each byte of the body is a character. Lengths keep the parts apart. */
function keyOf({ plan, identity: { tenantId }, body }: Asked): string {
  const { buffer, byteOffset, byteLength } = body;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
  return `${plan.name.length}:${plan.name}${tenantId.length}:${tenantId}${text}`;
}
