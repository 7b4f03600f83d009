/**
 * Sorted entries in blocks. What comes in: the blocks of a list in order, and sorted entries to add
 * to it or to take away. What goes out: the blocks that are replaced, what replaces them, and how
 * many entries that was.
 * Invariant: a block without a change stays as it is, so that what is written does not grow with
 * the list; entries ascend within a block and from block to block, each once.
 */
import { bytesOf, pairsOf } from "./packed.ts";

/** Most entries of a block: 32 KiB. */
export const BLOCK_ENTRIES = 4_096;

/** A block as it is stored. */
interface StoredBlock {
  readonly id: number;
  readonly entries: Uint8Array;
}

/** What becomes of the blocks of a list. */
interface BlockChange {
  readonly replaced: readonly number[];
  readonly made: readonly Uint8Array[];
  /** Entries that were added, or taken away. */
  readonly changed: number;
}

/** What is done with entries. */
export type BlockVerb = "add" | "remove";

/** Changes blocks. `entries` ascend, each once. */
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
    // What lies before the first entry of a block belongs to the block before it.
    if (before !== null) change(before.stored, before.own, lowerBound(sent, from, own));
    before = { stored, own };
  }
  const end = sent.length / 2;
  change(before?.stored ?? null, before?.own ?? new Uint32Array(), end);
  return { replaced, made, changed };
}

/** Whether the pair at a place of one list lies before, at or behind that of another. */
export function comparePairs(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  const high = (a[i * 2 + 1] as number) - (b[j * 2 + 1] as number);
  return high !== 0 ? high : (a[i * 2] as number) - (b[j * 2] as number);
}

/** First place from one on whose pair is not below the first one of a block. */
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

/** The union of two sorted lists, or the first without the second. */
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

/** Cuts entries into blocks of about the same length. */
export function split(pairs: Uint32Array): Uint32Array[] {
  const count = pairs.length / 2;
  const parts = Math.ceil(count / BLOCK_ENTRIES);
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * count) / parts);
    const to = Math.floor(((part + 1) * count) / parts);
    return pairs.subarray(from * 2, to * 2);
  });
}
