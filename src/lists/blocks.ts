/**
 * Stores the sorted entries of a list in blocks. Input: the blocks of a list in order, and sorted
 * entries to add or remove. Output: the blocks that changed, the blocks that replace them, and the
 * number of changed entries.
 * Invariant: unchanged blocks are not rewritten, so the cost of a write does not grow with the
 * list. Entries ascend within and across blocks, without repeats. Unpacking returns the
 * entries that were packed. native-index/query/find/cnpj.cc reads the same format.
 *
 * A block is a sequence of varints (seven bits per byte, lowest first; all but the last byte have
 * the top bit set). The first varint is the number of entries. Each entry begins with (root -
 * preceding root) * 4 + form. The root is the first eight characters of the CNPJ, as a number. Form
 * 0 is the order (establishment number) after the preceding one, as in most first establishments.
 * Form 1 is a whole company. Form 2 is another order, and (order - preceding order) follows. With
 * each new root, the preceding order is 0. cnpj.h defines root and order. An account takes one to
 * three bytes instead of eight.
 */
/** Max entries of a block. Unpacked, they take 32 KiB. */
export const BLOCK_ENTRIES = 4_096;

interface StoredBlock {
  readonly id: number;
  readonly entries: Uint8Array;
}

interface BlockChange {
  readonly replaced: readonly number[];
  readonly made: readonly Uint8Array[];
  /** Entries added or removed. */
  readonly changed: number;
}

/** Operation on entries. */
export type BlockVerb = "add" | "remove";

/** Adds `entries` (ascending, without repeats) to blocks, or removes them. */
export function changeBlocks(
  blocks: Iterable<StoredBlock>,
  entries: Uint8Array,
  verb: BlockVerb,
): BlockChange {
  const sent = pairsOf(entries);
  const replaced: number[] = [];
  const made: Uint8Array[] = [];
  let changed = 0;
  let from = 0;
  const change = (stored: StoredBlock | null, own: Uint32Array, to: number) => {
    const merged = mergePairs(own, sent.subarray(from * 2, to * 2), verb);
    from = to;
    const difference = Math.abs(merged.length - own.length) / 2;
    if (difference === 0) return;
    changed += difference;
    if (stored !== null) replaced.push(stored.id);
    made.push(...split(merged).map(bytesOf));
  };
  let before: { readonly stored: StoredBlock; readonly own: Uint32Array } | null = null;
  for (const stored of blocks) {
    const own = pairsOf(stored.entries);
    // Entries before a block's first entry belong to the preceding block.
    if (before !== null) change(before.stored, before.own, lowerBound(sent, from, own));
    before = { stored, own };
  }
  const end = sent.length / 2;
  change(before?.stored ?? null, before?.own ?? new Uint32Array(), end);
  return { replaced, made, changed };
}

/**
 * Compares pair `i` of `a` with pair `j` of `b`; returns a negative number, 0, or a positive one.
 */
export function comparePairs(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  const high = (a[i * 2 + 1] as number) - (b[j * 2 + 1] as number);
  return high !== 0 ? high : (a[i * 2] as number) - (b[j * 2] as number);
}

/** Returns the first position, starting at `from`, whose pair is not below a block's first pair. */
export function lowerBound(sent: Uint32Array, from: number, block: Uint32Array): number {
  let low = from;
  let high = sent.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePairs(sent, middle, block, 0) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the union of two sorted lists, or the first list without the second. */
export function mergePairs(own: Uint32Array, sent: Uint32Array, verb: BlockVerb): Uint32Array {
  if (sent.length === 0) return own;
  const merged = new Uint32Array(own.length + (verb === "add" ? sent.length : 0));
  let length = 0;
  const put = (from: Uint32Array, at: number) => {
    merged[length] = from[at * 2] as number;
    merged[length + 1] = from[at * 2 + 1] as number;
    length += 2;
  };
  let j = 0;
  for (let i = 0; i * 2 < own.length; ) {
    const order = j * 2 < sent.length ? comparePairs(own, i, sent, j) : -1;
    if (order > 0) {
      if (verb === "add") put(sent, j);
      j++;
      continue;
    }
    if (order < 0 || verb === "add") put(own, i);
    if (order === 0) j++;
    i++;
  }
  for (; verb === "add" && j * 2 < sent.length; j++) put(sent, j);
  return merged.subarray(0, length);
}

/** Splits entries into blocks of about equal length. */
export function split(pairs: Uint32Array): Uint32Array[] {
  const count = pairs.length / 2;
  const parts = Math.ceil(count / BLOCK_ENTRIES);
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * count) / parts);
    const to = Math.floor(((part + 1) * count) / parts);
    return pairs.subarray(from * 2, to * 2);
  });
}

const ORDER_BITS = 21;
const ORDER_MASK = 2 ** ORDER_BITS - 1;
/** The high 32 bits of an entry are its root divided by this number, rounded down. */
const HIGH_ROOTS = 2 ** (32 - ORDER_BITS);
const FORMS = 4;
const NEXT = 0;
const COMPANY = 1;
const FURTHER = 2;
/** Maximum bytes of a packed entry (46 bits of root, 22 of order) and of a number of entries. */
const ENTRY_MAX = 11;
const COUNT_MAX = 5;

/** Packs ascending entries without repeats. */
export function packEntries(pairs: Uint32Array): Uint8Array {
  const count = pairs.length / 2;
  const bytes = new Uint8Array(COUNT_MAX + count * ENTRY_MAX);
  let at = putNumber(bytes, 0, count);
  let root = 0;
  let order = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const low = pairs[i] as number;
    const ownRoot = (pairs[i + 1] as number) * HIGH_ROOTS + Math.floor(low / 2 ** ORDER_BITS);
    const ownOrder = low & ORDER_MASK;
    if (ownRoot !== root) order = 0;
    const form = ownOrder === order + 1 ? NEXT : ownOrder === 0 ? COMPANY : FURTHER;
    at = putNumber(bytes, at, (ownRoot - root) * FORMS + form);
    if (form === FURTHER) at = putNumber(bytes, at, ownOrder - order);
    root = ownRoot;
    order = ownOrder;
  }
  return bytes.slice(0, at);
}

function putNumber(bytes: Uint8Array, at: number, number: number): number {
  let rest = number;
  let next = at;
  while (rest >= 0x80) {
    bytes[next++] = (rest % 0x80) + 0x80;
    rest = Math.floor(rest / 0x80);
  }
  bytes[next++] = rest;
  return next;
}

/** Returns the entries of one block. Throws if the block is malformed. */
export function unpackEntries(bytes: Uint8Array): Uint32Array {
  const reader = new Reader(bytes);
  const pairs = new Uint32Array(reader.number() * 2);
  let root = 0;
  let order = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const head = reader.number();
    const gap = Math.floor(head / FORMS);
    const form = head % FORMS;
    if (gap > 0) order = 0;
    root += gap;
    order = form === NEXT ? order + 1 : form === COMPANY ? 0 : order + reader.number();
    pairs[i] = (root % HIGH_ROOTS) * 2 ** ORDER_BITS + order;
    pairs[i + 1] = Math.floor(root / HIGH_ROOTS);
  }
  return pairs;
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let number = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error("a block of a list is cut off");
      number += (byte % 0x80) * unit;
      if (byte < 0x80) return number;
    }
  }
}

/** Returns entries of eight bytes each as pairs of 32-bit words. */
export function pairsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

/** Returns pairs of 32-bit words as entries of eight bytes each. */
export function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns the number of the entry at position `at`, as stored in the database. */
export function numberOf(pairs: Uint32Array, at: number): bigint {
  return (BigInt(pairs[at * 2 + 1] as number) << 32n) | BigInt(pairs[at * 2] as number);
}
