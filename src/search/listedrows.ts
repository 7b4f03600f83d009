/**
 * The rows of the lists that a spec names. What comes in: the lists of a spec's filters, a segment,
 * and what it has of them. What goes out: the same to whoever makes clauses.
 * Invariant: lists without rows of a segment are never taken for empty ones: that is an error.
 * Apart because clauses must not know how lists become rows, nor whoever does that how clauses are
 * made.
 */
import { strict as assert } from "node:assert";
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Segment } from "./segment.ts";

/** The lists of a spec. */
export type SpecLists = NonNullable<AccountQuerySpec["filters"]["lists"]>;

/** Rows by the member of the filters. */
type ListedRows = Readonly<Record<keyof SpecLists, readonly NativeRowList[]>>;

const known = new WeakMap<SpecLists, WeakMap<Segment, ListedRows>>();

/** Says what a segment has of the lists of a spec. */
export function giveListedRows(lists: SpecLists, segment: Segment, rows: ListedRows): void {
  const bySegment = known.get(lists) ?? new WeakMap<Segment, ListedRows>();
  bySegment.set(segment, rows);
  known.set(lists, bySegment);
}

/** Says that some of the lists of a spec have the rows that they have in it. */
export function keepListedRows(some: SpecLists, all: SpecLists): void {
  const bySegment = known.get(all);
  if (bySegment !== undefined) known.set(some, bySegment);
}

/** What a segment has of the lists of a spec. */
export function listedRows(lists: SpecLists, segment: Segment): ListedRows {
  const rows = known.get(lists)?.get(segment);
  assert(rows !== undefined, "lists become rows before a spec that names them is asked");
  return rows;
}
