/**
 * What a NativeSegment does with entries of lists, as types. What comes in: nothing. What goes out:
 * the part of its face that napi/segment/lists.cc makes.
 * Invariant: as that of handles.ts. Apart because handles.ts is long enough without it.
 */
import type { Clause, NativeRowList } from "./clauses.ts";

/** Entries of some rows, and the position of the order by CNPJ behind the last of them. */
interface EntrySlice {
  readonly entries: Uint8Array;
  readonly next: number;
}

/** What a snapshot has of the entries of a list. */
interface EntryRows {
  /** The rows as a portable Roaring bitmap. */
  readonly roaring: Uint8Array;
  readonly rows: number;
  /** Entries of which the snapshot has a row. */
  readonly found: number;
}

/** The methods for lists. */
export interface ListHandle {
  /**
   * The rows of entries of a list (native-index/query/find/entries.h: eight bytes each,
   * little-endian, ascending), off the main thread.
   */
  entryRowsAside(entries: Uint8Array): Promise<EntryRows>;
  /**
   * The rows of packed blocks of a list (src/lists/packed.ts), one after the other, and rows that
   * are known already; off the main thread.
   */
  blockRowsAside(blocks: Uint8Array, known: NativeRowList | null): Promise<EntryRows>;
  /**
   * Entries of the rows whose bits are set (row r is bit r % 8 of byte r / 8), ascending, from a
   * position of the order by CNPJ on, at most so many; and the position behind the last of them.
   */
  entriesOfBits(bits: Uint8Array, from: number, most: number): EntrySlice;
  /** Entries of all matches, of their companies where wanted; ascending, off the main thread. */
  matchEntriesAside(clauses: readonly Clause[], companies: boolean): Promise<Uint8Array>;
  /** Entries of rows, ascending, each once. */
  entriesOf(rows: Uint32Array): Uint8Array;
}
