/**
 * Assigns filters to the groups of the form, counts the set filters of a query, and clears them.
 * Invariant: every filter is in exactly one group. The two ends of a range count as one filter.
 */
import { isPartSet, PART_NAMES, rowsOfPart } from "../../../../spec/filters/members.ts";
import { PARTS, type PartName, SECTIONS } from "../../../../spec/filters/table.ts";
import { clearPointer, type Query } from "../question.ts";

/**
 * Names of the groups in form order. The section for the order of results is not among them,
 * because it holds no filter.
 */
export const GROUPS = SECTIONS;

/** Name of a group. */
export type GroupName = (typeof GROUPS)[number];

function partsOf(group: GroupName): readonly PartName[] {
  return PART_NAMES.filter((name) => PARTS[name].section === group);
}

/** Counts a group's set filters. */
export function countSet({ filters }: Query, group: GroupName): number {
  return partsOf(group).filter((name) => isPartSet(filters, name)).length;
}

/** Counts all set filters. */
export function countAll(query: Query): number {
  return GROUPS.reduce((sum, group) => sum + countSet(query, group), 0);
}

/** Removes a group's filters from a draft. */
export function clearGroup(draft: Query, group: GroupName): void {
  for (const row of partsOf(group).flatMap(rowsOfPart)) {
    clearPointer(draft, `/filters/${row.group}/${row.member}`);
  }
}
