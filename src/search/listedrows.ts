/**
 * Holds the rows of a spec's saved lists.
 * Invariant: a list without rows in a segment is an error, never an empty list. Apart because
 * clauses need not know how lists become rows.
 */
import { strict as assert } from "node:assert";
import type { NativeRowList } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Segment } from "./segment.ts";

/** Saved lists of a spec. */
export type SpecLists = NonNullable<AccountQuerySpec["filters"]["lists"]>;

type ListedRows = Readonly<Record<keyof SpecLists, readonly NativeRowList[]>>;

const known = new WeakMap<SpecLists, WeakMap<Segment, ListedRows>>();

/** Sets the rows of a spec's lists in a segment. */
export function giveListedRows(lists: SpecLists, segment: Segment, rows: ListedRows): void {
  const bySegment = known.get(lists) ?? new WeakMap<Segment, ListedRows>();
  bySegment.set(segment, rows);
  known.set(lists, bySegment);
}

/** Lets some of the lists of a spec share the rows of all of them. */
export function keepListedRows(some: SpecLists, all: SpecLists): void {
  const bySegment = known.get(all);
  if (bySegment !== undefined) known.set(some, bySegment);
}

/** The rows of a spec's lists in a segment. */
export function listedRows(lists: SpecLists, segment: Segment): ListedRows {
  const rows = known.get(lists)?.get(segment);
  assert(rows !== undefined, "lists become rows before a spec that names them is asked");
  return rows;
}
