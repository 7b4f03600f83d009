/**
 * Selects members of filters: those that are set, those of a group, and those that together form
 * one filter for users.
 * Invariant: this file knows each filter only by its row in the table. The browser loads it too.
 */
import { FILTERS, type FilterGroup, type FilterName, PARTS, type PartName } from "./table.ts";

/** Any row. */
export type AnyRow = (typeof FILTERS)[number];

/** The members of filters, by group. Their values may have any type. */
type GroupedMembers = Readonly<Record<Exclude<FilterGroup, "lists">, object>> & {
  readonly lists?: object | undefined;
};

interface GroupRows {
  readonly rows: readonly AnyRow[];
  readonly names: readonly FilterName[];
}

function groupRows(group: FilterGroup): GroupRows {
  const rows: readonly AnyRow[] = FILTERS.filter((row) => row.group === group);
  return { rows, names: rows.map(({ member }) => member) };
}

const ROWS_OF: Readonly<Record<FilterGroup, GroupRows>> = {
  industry: groupRows("industry"),
  geo: groupRows("geo"),
  company: groupRows("company"),
  contact: groupRows("contact"),
  lists: groupRows("lists"),
};

/** Names of the parts, in the order in which they are shown. */
export const PART_NAMES = Object.keys(PARTS) as PartName[];

const ROWS_OF_PART: ReadonlyMap<PartName, readonly AnyRow[]> = new Map(
  PART_NAMES.map((name) => [name, FILTERS.filter(({ part }) => part === name)]),
);

/** Returns the rows of a group and their names, in the order of a spec. */
export function rowsOf(group: FilterGroup): GroupRows {
  return ROWS_OF[group];
}

/** The rows that together form one filter for users. */
export function rowsOfPart(name: PartName): readonly AnyRow[] {
  return ROWS_OF_PART.get(name) ?? [];
}

/** Returns the value of a filter, or undefined if it is absent. */
export function memberOf(filters: GroupedMembers, { group, member }: AnyRow): unknown {
  return (filters[group] as Readonly<Record<string, unknown>> | undefined)?.[member];
}

/** True if a filter is set. */
export function isSet(filters: GroupedMembers, row: AnyRow): boolean {
  const value = memberOf(filters, row);
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== row.unset;
}

/** True if one of a part's members is set. */
export function isPartSet(filters: GroupedMembers, name: PartName): boolean {
  return rowsOfPart(name).some((row) => isSet(filters, row));
}

type Groups = Record<Exclude<FilterGroup, "lists">, Record<string, unknown>> & {
  lists?: Record<string, unknown>;
};

/** Returns filter members in the order of a spec. Omits those whose `valueFor` is undefined. */
export function membersBy(rows: readonly AnyRow[], valueFor: (row: AnyRow) => unknown): Groups {
  const groups: Groups = { industry: {}, geo: {}, company: {}, contact: {} };
  for (const row of rows) {
    const value = valueFor(row);
    if (value === undefined) continue;
    if (row.group === "lists") groups.lists = { ...groups.lists, [row.member]: value };
    else groups[row.group][row.member] = value;
  }
  return groups;
}

/** Returns all members of filters in the order of a spec; absent ones remain absent. */
export function inOrder(filters: GroupedMembers): GroupedMembers {
  return {
    industry: orderedGroup(filters.industry, ROWS_OF.industry),
    geo: orderedGroup(filters.geo, ROWS_OF.geo),
    company: orderedGroup(filters.company, ROWS_OF.company),
    contact: orderedGroup(filters.contact, ROWS_OF.contact),
    ...(filters.lists === undefined ? {} : { lists: orderedGroup(filters.lists, ROWS_OF.lists) }),
  };
}

function orderedGroup(group: object, { names }: GroupRows): object {
  const ordered: Record<string, unknown> = {};
  for (const name of names) {
    const value = (group as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) ordered[name] = value;
  }
  return ordered;
}
