/**
 * Separates the filters of a normalized spec into those that users see. Output: the filters that
 * are set, their members, and the spec's filters without one of them or with only one.
 * Invariant: results are in normal form. The meaning of a filter does not change. If only some
 * lists remain, their attached rows remain too.
 */
import { shareListRows } from "../search/rowlists.ts";
import {
  isPartSet,
  isSet,
  memberOf,
  membersBy,
  PART_NAMES,
  rowsOfPart,
} from "../spec/filters/members.ts";
import { FILTERS, type PartName } from "../spec/filters/table.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";

type Filters = AccountQuerySpec["filters"];

/** Returns the set filters, in display order. */
export function setParts(filters: Filters): readonly PartName[] {
  return PART_NAMES.filter((name) => isPartSet(filters, name));
}

/** Returns a filter's names in an explanation. */
export function reasonsOf(name: PartName): readonly string[] {
  return rowsOfPart(name).flatMap((row) => ("reason" in row ? [row.reason.name] : []));
}

/** Returns pointers to a filter's set members, such as `/filters/geo/uf_any_of`. */
export function pointersOf(filters: Filters, name: PartName): string[] {
  return rowsOfPart(name)
    .filter((row) => isSet(filters, row))
    .map(({ group, member }) => `/filters/${group}/${member}`);
}

/** Removes some filters. */
export function without(filters: Filters, names: readonly PartName[]): Filters {
  const cleared = (part: PartName | null) => part !== null && names.includes(part);
  const left = membersBy(FILTERS, (row) =>
    cleared(row.part) ? row.unset : memberOf(filters, row),
  ) as Filters;
  if (filters.lists !== undefined && left.lists !== undefined) {
    shareListRows(left.lists, filters.lists);
  }
  return left;
}

/** Returns the filters with only one set, and the mode of secondary activities with it. */
export function alone(filters: Filters, wanted: PartName): Filters {
  return without(
    filters,
    PART_NAMES.filter((other) => other !== wanted),
  );
}
