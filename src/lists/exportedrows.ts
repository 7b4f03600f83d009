/**
 * Adds the rows of an export to the list `exported`. Input: the written rows of one or two
 * snapshots, as bits. Output: the blocks that replace blocks of the list. They are written but not
 * yet visible.
 * Invariant: entries already in the list change nothing. Memory is bounded by the rows of the
 * snapshot, not by the export or the list. Blocks are as full as possible. This code runs in its
 * own thread, with its own connection.
 */
import type { Segment } from "../search/segment.ts";
import type { StagedBlock } from "../store/blocktable.ts";
import type { ExportedStore, StagedEntries } from "../store/exportedstore.ts";
import {
  BLOCK_ENTRIES,
  comparePairs,
  lowerBound,
  mergePairs,
  numberOf,
  packEntries,
  pairsOf,
  split,
  unpackEntries,
} from "./blocks.ts";

/** Entries per native call. */
const ENTRIES_PER_CALL = 65_536;
/**
 * If fewer than one row in 16 is set, the entries of the set rows are looked up and sorted.
 * Otherwise, all entries of the snapshot are scanned.
 */
const SPARSE = 16;
/** Blocks written per transaction. A transaction blocks other writers, so it must be short. */
const BLOCKS_PER_TRANSACTION = 64;

/** Rows of a snapshot as bits: bit r % 8 of byte r / 8 stands for row r. */
export interface WrittenRows {
  readonly segment: Segment;
  readonly bits: Uint8Array;
}

/** Thrown if `ended` returned true. The blocks written so far are deleted. */
export class StagingAborted extends Error {}

/** Returns cleared bits for the rows of a snapshot, in shared memory. */
export function noRows(segment: Segment): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(Math.ceil(segment.accounts / 8)));
}

/** Sets the bits of rows. */
export function markRows(bits: Uint8Array, rows: Iterable<number>): void {
  for (const row of rows) bits[row >>> 3] = (bits[row >>> 3] as number) | (1 << (row & 7));
}

/**
 * Writes the new blocks of a tenant's list. Returns null if there are no new entries. Throws
 * `StagingAborted`, or the database's error.
 */
export function stageExported(
  store: ExportedStore,
  tenantId: string,
  held: readonly WrittenRows[],
  ended: () => boolean = () => false,
): StagedEntries | null {
  return stageEntries(store, tenantId, entriesOf(held), ended);
}

/** Yields the list entries of rows, ascending, once each, as pairs of 32-bit numbers. */
export function entriesOf(held: readonly WrittenRows[]): Iterable<Uint32Array> {
  return unionOf(held.map((one) => eachOnce(entriesOfRows(one))));
}

/** Like `stageExported`, for ascending entries. */
export function stageEntries(
  store: ExportedStore,
  tenantId: string,
  sequence: Iterable<Uint32Array>,
  ended: () => boolean = () => false,
): StagedEntries | null {
  const pin = store.now(tenantId);
  while (store.forget(pin.list) > 0) if (ended()) throw new StagingAborted();
  const changed = new ChangedBlocks(store, store.index(pin));
  try {
    for (const entries of sequence) {
      if (ended()) throw new StagingAborted();
      changed.add(entries);
    }
    changed.end();
  } catch (error) {
    store.drop(changed.made);
    throw error;
  }
  const { replaced, made, added } = changed;
  return added === 0 ? null : { ...pin, replaced, made, added };
}

/** Yields the list entries of rows as pairs of 32-bit numbers, ascending, possibly repeated. */
function* entriesOfRows({
  segment: { native, accounts },
  bits,
}: WrittenRows): Generator<Uint32Array> {
  const rows = rowsIn(bits, Math.floor(accounts / SPARSE));
  if (rows !== null) {
    yield* slices(pairsOf(native.entriesOf(rows)));
    return;
  }
  for (let from = 0; from < accounts; ) {
    const { entries, next } = native.entriesOfBits(bits, from, ENTRIES_PER_CALL);
    if (entries.length > 0) yield pairsOf(entries);
    from = next;
  }
}

/** Removes repeats. Rows whose CNPJs differ only in their check digits have the same entry. */
function* eachOnce(entries: Iterable<Uint32Array>): Generator<Uint32Array> {
  let last: Uint32Array = NO_PAIRS;
  for (const pairs of entries) {
    const distinct = withoutRepeats(pairs, last);
    last = pairs.slice(-2);
    if (distinct.length > 0) yield distinct;
  }
}

/** Returns the entries that differ from the one before, which is `last` for the first. */
function withoutRepeats(pairs: Uint32Array, last: Uint32Array): Uint32Array {
  const isNew = (at: number) => {
    if (at > 0) return comparePairs(pairs, at, pairs, at - 1) !== 0;
    return last.length === 0 || comparePairs(pairs, 0, last, 0) !== 0;
  };
  const count = pairs.length / 2;
  let newCount = 0;
  for (let at = 0; at < count; at++) if (isNew(at)) newCount++;
  if (newCount === count) return pairs;
  const distinct = new Uint32Array(newCount * 2);
  for (let at = 0, to = 0; at < count; at++) {
    if (isNew(at)) distinct.set(pairs.subarray(at * 2, at * 2 + 2), 2 * to++);
  }
  return distinct;
}

/** Returns the rows whose bit is set; null if there are more than `most`. */
function rowsIn(bits: Uint8Array, most: number): Uint32Array | null {
  const rows = new Uint32Array(most);
  let count = 0;
  for (let byte = 0; byte < bits.length; byte++) {
    for (let left = bits[byte] as number; left !== 0; left &= left - 1) {
      if (count === most) return null;
      rows[count++] = byte * 8 + 31 - Math.clz32(left & -left);
    }
  }
  return rows.subarray(0, count);
}

function* slices(pairs: Uint32Array): Generator<Uint32Array> {
  for (let from = 0; from < pairs.length; from += ENTRIES_PER_CALL * 2) {
    yield pairs.subarray(from, from + ENTRIES_PER_CALL * 2);
  }
}

interface Head {
  readonly from: Iterator<Uint32Array>;
  pairs: Uint32Array;
}

/** Yields the union of several ascending sequences, without repeats. */
function* unionOf(sequences: readonly Iterator<Uint32Array>[]): Generator<Uint32Array> {
  const heads = sequences.map((from): Head => ({ from, pairs: NO_PAIRS }));
  for (;;) {
    for (const head of heads) {
      if (head.pairs.length > 0) continue;
      const next = head.from.next();
      if (next.done !== true) head.pairs = next.value;
    }
    const filled = heads.filter(({ pairs }) => pairs.length > 0);
    const [first, ...others] = filled;
    if (first === undefined) return;
    // Each sequence ascends. So after the smallest of the last entries read, no sequence can yield
    // a smaller entry. The entries up to that one can be yielded.
    const ends = others.reduce(
      (least, { pairs }) => (compareEnds(pairs, least) < 0 ? pairs : least),
      first.pairs,
    );
    let union: Uint32Array = NO_PAIRS;
    for (const head of filled) {
      const to = upTo(head.pairs, ends);
      union = mergePairs(union, head.pairs.subarray(0, to * 2), "add");
      head.pairs = head.pairs.subarray(to * 2);
    }
    yield union;
  }
}

const NO_PAIRS = new Uint32Array();

function compareEnds(a: Uint32Array, b: Uint32Array): number {
  return comparePairs(a, a.length / 2 - 1, b, b.length / 2 - 1);
}

/** Returns the number of pairs that do not exceed the last pair of another sequence. */
function upTo(pairs: Uint32Array, end: Uint32Array): number {
  const last = end.subarray(end.length - 2);
  const at = lowerBound(pairs, 0, last);
  return at * 2 < pairs.length && comparePairs(pairs, at, last, 0) === 0 ? at + 1 : at;
}

/** Merges ascending entries into the blocks of a list. */
class ChangedBlocks {
  readonly replaced: number[] = [];
  readonly made: StagedBlock[] = [];
  added = 0;
  readonly #store: ExportedStore;
  /** Blocks of the list, and their first entries as pairs. */
  readonly #blocks: readonly StagedBlock[];
  readonly #firsts: Uint32Array;
  /** Index of the block that receives entries; -1 before the first block. */
  #at = -1;
  /** Old and new entries of this block. `#changed` is true if the block must be replaced. */
  #pairs: Uint32Array = NO_PAIRS;
  #changed = false;
  #waiting: Uint32Array[] = [];

  constructor(store: ExportedStore, blocks: readonly StagedBlock[]) {
    this.#store = store;
    this.#blocks = blocks;
    this.#firsts = new Uint32Array(BigUint64Array.from(blocks, ({ first }) => first).buffer);
    if (blocks.length > 0) this.#open(0);
  }

  add(entries: Uint32Array): void {
    for (let from = 0; from * 2 < entries.length; ) {
      // Entries before a block's first entry belong to the preceding block.
      const next = this.#firsts.subarray((this.#at + 1) * 2, (this.#at + 2) * 2);
      const to =
        this.#at < 0 || next.length === 0 ? entries.length / 2 : lowerBound(entries, from, next);
      if (to > from) this.#put(entries.subarray(from * 2, to * 2));
      from = to;
      if (from * 2 < entries.length) this.#goTo(entries.subarray(from * 2, from * 2 + 2));
    }
  }

  end(): void {
    this.#close();
    this.#write(1);
  }

  #put(entries: Uint32Array): void {
    const merged = mergePairs(this.#pairs, entries, "add");
    const fresh = (merged.length - this.#pairs.length) / 2;
    if (fresh === 0) return;
    this.added += fresh;
    this.#pairs = merged;
    this.#changed = true;
    // Later calls add only larger entries, so the merged entries up to the last one of this call
    // cannot change anymore.
    const final = upTo(merged, entries);
    if (final < 2 * ENTRIES_PER_CALL) return;
    const full = final - (final % BLOCK_ENTRIES);
    this.#give(merged.subarray(0, full * 2));
    this.#pairs = merged.slice(full * 2);
  }

  /** Moves to the block that an entry belongs to. */
  #goTo(entry: Uint32Array): void {
    const next = lowerBound(this.#firsts, this.#at + 1, entry);
    const first = this.#firsts.subarray(next * 2, next * 2 + 2);
    const begins = first.length > 0 && comparePairs(first, 0, entry, 0) === 0;
    this.#close();
    this.#open(begins ? next : next - 1);
  }

  #open(at: number): void {
    this.#at = at;
    this.#pairs = unpackEntries(this.#store.entriesOf((this.#blocks[at] as StagedBlock).id));
    this.#changed = false;
  }

  #close(): void {
    if (!this.#changed) return;
    if (this.#at >= 0) this.replaced.push((this.#blocks[this.#at] as StagedBlock).id);
    this.#give(this.#pairs);
  }

  #give(pairs: Uint32Array): void {
    this.#waiting.push(...split(pairs));
    this.#write(BLOCKS_PER_TRANSACTION);
  }

  /** Writes the waiting blocks if there are `least` or more. */
  #write(least: number): void {
    while (this.#waiting.length >= least) {
      const some = this.#waiting.splice(0, BLOCKS_PER_TRANSACTION);
      const ids = this.#store.stage(some.map((pairs) => packEntries(pairs)));
      ids.forEach((id, i) => {
        this.made.push({ id, first: numberOf(some[i] as Uint32Array, 0) });
      });
    }
  }
}
