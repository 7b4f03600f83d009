/**
 * The filters in groups as the form shows them. What comes in: a query. What goes out: how many
 * filters of a group are set, and the query without them.
 * Invariant: every filter of the table is in exactly one group; both ends of a span count as one
 * filter.
 */
import { isPartSet, PART_NAMES, rowsOfPart } from "../../../../spec/filters/members.ts";
import { PARTS, type PartName, SECTIONS } from "../../../../spec/filters/table.ts";
import { clearPointer, type Query } from "../question.ts";

/** Names of the groups, in the order of the form; the order of results is none of them. */
export const GROUPS = SECTIONS;

/** Name of a group. */
export type GroupName = (typeof GROUPS)[number];

function partsOf(group: GroupName): readonly PartName[] {
  return PART_NAMES.filter((name) => PARTS[name].section === group);
}

/** Number of filters of a group that are set. */
export function countSet({ filters }: Query, group: GroupName): number {
  return partsOf(group).filter((name) => isPartSet(filters, name)).length;
}

/** Number of all filters that are set. */
export function countAll(query: Query): number {
  return GROUPS.reduce((sum, group) => sum + countSet(query, group), 0);
}

/** Takes the filters of a group out of a draft. */
export function clearGroup(draft: Query, group: GroupName): void {
  for (const row of partsOf(group).flatMap(rowsOfPart)) {
    clearPointer(draft, `/filters/${row.group}/${row.member}`);
  }
}
