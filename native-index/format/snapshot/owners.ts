/**
 * OWNERS, an optional part of the index region: which company is a partner of which. Input: pairs
 * of company roots with the day and the qualification of the partner. Output: the bytes of the
 * part; and from such bytes, the companies that a company owns, and its owners.
 * Invariant: a pair occurs once; persons are in no pair. Bytes are untrusted: their numbers are
 * checked when the part is read.
 *
 * The head has "PNOWNERS", the version, the number of pairs, and the length (u32, u32, u64 at 8,
 * 12, and 24). Then come arrays: f64 owner, f64 owned (roots in base 36; pairs ascend by owner,
 * then by owned), i32 since (days, or -2^31), u32 byOwned (pairs by owned, then by owner), u8
 * qualification (255 if none). Zeros fill up to a multiple of 8.
 */

const MAGIC = "PNOWNERS";
const VERSION = 1;
const HEAD_BYTES = 32;
const PAIRS_AT = 12;
const LENGTH_AT = 24;
/** Bytes of a pair. */
const PAIR_BYTES = 25;

/** A day or qualification that is not known. */
const NO_DAY = -(2 ** 31);
const NO_QUALIFICATION = 255;

/** A company that is a partner of (owns a part of) another company. */
export interface OwnerPair {
  /** The roots of both companies, as numbers whose base-36 digits are the root's characters. */
  readonly owner: number;
  readonly owned: number;
  /** Days since 1970-01-01; null if unknown. */
  readonly since: number | null;
  /** The registry's code for the kind of partner, 0 to 99; null if unknown. */
  readonly qualification: number | null;
}

/** Returns the 8 characters of a root, given as a number. */
export function rootText(root: number): string {
  return root.toString(36).toUpperCase().padStart(8, "0");
}

/** Returns a root as a number, given its 8 characters. */
export function rootNumber(root: string): number {
  return Number.parseInt(root, 36);
}

/** Encodes pairs, given in any order. If a pair is repeated, the earliest day is stored. */
export function encodeOwners(pairs: readonly OwnerPair[]): Buffer {
  const dayOf = ({ since }: OwnerPair) => since ?? Number.POSITIVE_INFINITY;
  const sorted = [...pairs].sort(
    (a, b) => a.owner - b.owner || a.owned - b.owned || (dayOf(a) < dayOf(b) ? -1 : 1),
  );
  const once = sorted.filter((pair, i) => {
    const before = sorted[i - 1];
    return before?.owner !== pair.owner || before.owned !== pair.owned;
  });
  const count = once.length;
  const length = Math.ceil((HEAD_BYTES + PAIR_BYTES * count) / 8) * 8;
  const bytes = Buffer.alloc(length);
  bytes.write(MAGIC, "latin1");
  bytes.writeUInt32LE(VERSION, 8);
  bytes.writeUInt32LE(count, PAIRS_AT);
  bytes.writeBigUInt64LE(BigInt(length), LENGTH_AT);
  const views = viewsOf(bytes, count);
  for (const [i, { owner, owned, since, qualification }] of once.entries()) {
    views.owner[i] = owner;
    views.owned[i] = owned;
    views.since[i] = since ?? NO_DAY;
    views.qualification[i] = qualification ?? NO_QUALIFICATION;
    views.byOwned[i] = i;
  }
  const { owner, owned } = views;
  views.byOwned.sort(
    (a, b) =>
      (owned[a] as number) - (owned[b] as number) || (owner[a] as number) - (owner[b] as number),
  );
  return bytes;
}

interface Views {
  readonly owner: Float64Array;
  readonly owned: Float64Array;
  readonly since: Int32Array;
  readonly byOwned: Uint32Array;
  readonly qualification: Uint8Array;
}

function viewsOf({ buffer, byteOffset }: Uint8Array, count: number): Views {
  let at = byteOffset + HEAD_BYTES;
  const next = (bytes: number): number => {
    at += bytes * count;
    return at - bytes * count;
  };
  return {
    owner: new Float64Array(buffer, next(8), count),
    owned: new Float64Array(buffer, next(8), count),
    since: new Int32Array(buffer, next(4), count),
    byOwned: new Uint32Array(buffer, next(4), count),
    qualification: new Uint8Array(buffer, next(1), count),
  };
}

/** The pairs of a snapshot. */
export class Owners {
  /** Number of pairs. */
  readonly size: number;
  readonly #views: Views;

  /** Opens the part OWNERS (partnerships of companies). @throws Error that describes the damage */
  constructor(part: Uint8Array) {
    // Copies the bytes if necessary, because numbers of eight bytes must be aligned.
    const bytes = part.byteOffset % 8 === 0 ? part : part.slice();
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (head.length < HEAD_BYTES) throw new Error("OWNERS is too short");
    this.size = head.readUInt32LE(PAIRS_AT);
    if (head.length < HEAD_BYTES + PAIR_BYTES * this.size) throw new Error("OWNERS is cut off");
    this.#views = viewsOf(head, this.size);
    this.#check();
  }

  #check(): void {
    const { owner, owned, byOwned } = this.#views;
    for (let i = 0; i < this.size; i++) {
      if ((byOwned[i] as number) >= this.size) throw new Error("OWNERS names an unknown pair");
      if (i === 0) continue;
      const order = (owner[i] as number) - (owner[i - 1] as number);
      const isRising =
        order > 0 || (order === 0 && (owned[i] as number) > (owned[i - 1] as number));
      if (!isRising) throw new Error("the pairs of OWNERS do not ascend");
    }
  }

  /**
   * Returns the pairs in which a company is the owner, in ascending order of `owned`. Includes only
   * pairs in which `owned` is above `after`.
   */
  owns(owner: number, after = -1): Range {
    const { owner: owners, owned } = this.#views;
    const end = firstFrom(this.size, (i) => (owners[i] as number) > owner);
    const start = firstFrom(end, (i) => {
      const order = (owners[i] as number) - owner;
      return order > 0 || (order === 0 && (owned[i] as number) > after);
    });
    return { start, end, pair: (i) => this.#pair(i) };
  }

  /**
   * Returns the pairs in which a company is owned, in ascending order of `owner`. Includes only
   * pairs in which `owner` is above `after`.
   */
  ownersOf(company: number, after = -1): Range {
    const { owner, owned, byOwned } = this.#views;
    const ownedAt = (i: number) => owned[byOwned[i] as number] as number;
    const end = firstFrom(this.size, (i) => ownedAt(i) > company);
    const start = firstFrom(end, (i) => {
      const order = ownedAt(i) - company;
      return order > 0 || (order === 0 && (owner[byOwned[i] as number] as number) > after);
    });
    return { start, end, pair: (i) => this.#pair(byOwned[i] as number) };
  }

  /**
   * Returns the companies that any of `roots` owns directly or through other companies, in at most
   * `depth` steps. They are in ascending order. In a cycle, a company owns itself.
   */
  reachedFrom(roots: readonly number[], depth: number): number[] {
    const found = new Set<number>();
    const expanded = new Set(roots);
    let frontier: readonly number[] = [...expanded];
    for (let step = 0; step < depth && frontier.length > 0; step++) {
      const next: number[] = [];
      for (const root of frontier) {
        const { start, end } = this.owns(root);
        for (let i = start; i < end; i++) {
          const owned = this.#views.owned[i] as number;
          found.add(owned);
          if (expanded.has(owned)) continue;
          expanded.add(owned);
          next.push(owned);
        }
      }
      frontier = next;
    }
    return [...found].sort((a, b) => a - b);
  }

  /**
   * Returns the companies that own `least` to `most` companies, in ascending order. If `direction`
   * is `owners`, returns the companies that have `least` to `most` owners.
   */
  withMany(direction: "owns" | "owners", least: number, most: number): number[] {
    const { owner, owned, byOwned } = this.#views;
    const rootAt = (i: number): number =>
      direction === "owns" ? (owner[i] as number) : (owned[byOwned[i] as number] as number);
    const found: number[] = [];
    for (let start = 0; start < this.size; ) {
      const root = rootAt(start);
      let end = start + 1;
      while (end < this.size && rootAt(end) === root) end++;
      if (end - start >= least && end - start <= most) found.push(root);
      start = end;
    }
    return found;
  }

  #pair(at: number): OwnerPair {
    const { owner, owned, since, qualification } = this.#views;
    const day = since[at] as number;
    const code = qualification[at] as number;
    return {
      owner: owner[at] as number,
      owned: owned[at] as number,
      since: day === NO_DAY ? null : day,
      qualification: code === NO_QUALIFICATION ? null : code,
    };
  }
}

/** Consecutive pairs. `pair(at)` returns the pair at an index in [`start`, `end`). */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly pair: (at: number) => OwnerPair;
}

/** Returns the first index below `end` for which `isBeyond` is true; `end` if there is none. */
function firstFrom(end: number, isBeyond: (index: number) => boolean): number {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBeyond(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
