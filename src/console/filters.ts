/**
 * The filters of a spec one by one, as people see them. What comes in: the filters of a normalized
 * spec. What goes out: those that are set, each with the members that make it, and the filters
 * without one or with one alone.
 * Invariant: what is cleared is in normal form again; what a filter means stays as it is, and lists
 * of which some are left have the rows that they had.
 */
import { keepListedRows } from "../search/rowlists.ts";
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

/** The filters that are set, in the order in which they are shown. */
export function setParts(filters: Filters): readonly PartName[] {
  return PART_NAMES.filter((name) => isPartSet(filters, name));
}

/** Names that an explanation has for what met a filter. */
export function reasonsOf(name: PartName): readonly string[] {
  return rowsOfPart(name).flatMap((row) => ("reason" in row ? [row.reason.name] : []));
}

/** Pointers of the members of a filter that are set, such as `/filters/geo/uf_any_of`. */
export function pointersOf(filters: Filters, name: PartName): string[] {
  return rowsOfPart(name)
    .filter((row) => isSet(filters, row))
    .map(({ group, member }) => `/filters/${group}/${member}`);
}

/** The filters without some of them. */
export function without(filters: Filters, names: readonly PartName[]): Filters {
  const cleared = (part: PartName | null) => part !== null && names.includes(part);
  const left = membersBy(FILTERS, (row) =>
    cleared(row.part) ? row.unset : memberOf(filters, row),
  ) as Filters;
  if (filters.lists !== undefined && left.lists !== undefined) {
    keepListedRows(left.lists, filters.lists);
  }
  return left;
}

/** One filter and no other; what a filter means (the mode of activities) stays as it is. */
export function alone(filters: Filters, wanted: PartName): Filters {
  return without(
    filters,
    PART_NAMES.filter((other) => other !== wanted),
  );
}
