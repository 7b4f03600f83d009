/**
 * The query as a value (filters, order, and ranking) in canonical form, and its conversion to a
 * spec, the form in which it is sent.
 * Invariant: equivalent queries have the same JSON. The canonical form drops only duplicates. A
 * query is never changed in place.
 */
import { type AnyRow, memberOf, membersBy } from "../../../spec/filters/members.ts";
import { FILTERS } from "../../../spec/filters/table.ts";
import type { Filters, SortKeySent, Spec } from "../app/answers.ts";

/** The find view's query. */
export interface Query {
  filters: Filters;
  sort: SortKeySent[];
  scoring: { strategy: string; random_seed: number | null };
}

/** A spec as the console sends it. The server adds the defaults. */
export interface SentSpec extends Query {
  kind: "account_query";
  spec_version: "2.0";
  entity: "company";
  [more: string]: unknown;
}

/** The server's limits; a test compares them. */
export const BOUNDS = {
  sentence: 2_000,
  nameWords: 20,
  nameWordsLength: 80,
  sortKeys: 3,
  shareCapital: 90_000_000_000_000,
  activities: 1_400,
  count: 4_294_967_295,
} as const;

/** The default order. */
const BY_SCORE: SortKeySent = { field: "score", direction: "desc" };

/**
 * Rows of the filter table that a query stores. The other rows (without `part`) only modify these,
 * and occur only in specs.
 */
const ROWS: readonly AnyRow[] = FILTERS.filter(({ part }) => part !== null);

/** Returns the query for everything. */
export function emptyQuery(): Query {
  return {
    // Drafts change in place, so each has its own lists.
    filters: filtersBy(({ unset }) => (Array.isArray(unset) ? [] : unset)),
    sort: [{ ...BY_SCORE }],
    scoring: { strategy: "balanced", random_seed: null },
  };
}

/** Returns the canonical form: sorted lists without duplicates, and no unused optional members. */
export function tidyQuery({ filters, sort, scoring }: Query): Query {
  return {
    filters: filtersBy((row) => tidyValue(memberOf(filters, row), row)),
    sort: (sort.length === 0 ? [BY_SCORE] : sort).map(({ field, direction }) => ({
      field,
      direction,
    })),
    scoring: { strategy: scoring.strategy, random_seed: scoring.random_seed },
  };
}

function filtersBy(valueFor: (row: AnyRow) => unknown): Filters {
  return membersBy(ROWS, valueFor) as Filters;
}

function tidyValue(value: unknown, { unset }: AnyRow): unknown {
  if (!Array.isArray(value)) return value;
  return value.length === 0 && unset === undefined ? undefined : ascending(value);
}

/**
 * Sorts values as strings. For codes, this is also their numeric order, because all codes in a list
 * have the same length.
 */
function ascending<Value>(list: readonly Value[]): Value[] {
  const keyed = new Map(list.map((value) => [keyOf(value), value]));
  return [...keyed.keys()].sort().map((key) => keyed.get(key) as Value);
}

/** Returns a value as a string. A district becomes its municipality and its name. */
function keyOf(value: unknown): string {
  return typeof value === "object" && value !== null ? Object.values(value).join(" ") : `${value}`;
}

/** True if two queries are equal, including the order of results. */
export function sameQuery(one: Query, other: Query): boolean {
  return JSON.stringify(tidyQuery(one)) === JSON.stringify(tidyQuery(other));
}

/** True if two queries have the same filters. The order of results may differ. */
export function sameFilters(one: Query, other: Query): boolean {
  return JSON.stringify(tidyQuery(one).filters) === JSON.stringify(tidyQuery(other).filters);
}

/** True if a query filters nothing. */
export function isEmpty(query: Query): boolean {
  return sameFilters(query, emptyQuery());
}

/** Reads a normalized spec. */
export function queryOf({
  filters,
  sort,
  scoring,
}: Pick<Spec, "filters" | "sort" | "scoring">): Query {
  return structuredClone(tidyQuery({ filters, sort, scoring }));
}

/** Filter members that hold days. */
const DAY_MEMBERS = [
  ...(["started_after", "started_before", "status_since", "status_before"] as const),
  ...(["simples_excluded_since", "simples_excluded_before"] as const),
  ...(["mei_excluded_since", "mei_excluded_before"] as const),
];

/** Replaces the days of a query by the days of another query, for members that both queries set. */
export function withDaysOf(query: Query, { filters }: Query): Query {
  const next = structuredClone(query);
  for (const member of DAY_MEMBERS) {
    const day = filters.company[member];
    if (day != null && next.filters.company[member] != null) next.filters.company[member] = day;
  }
  return next;
}

const LIST_MEMBERS = ["any_of", "exclude"] as const;

/** Adds the lists of another query, except lists that the query itself names. */
export function withListsOf(query: Query, { filters }: Query): Query {
  if (filters.lists === undefined) return structuredClone(query);
  const { lists = {} } = query.filters;
  const named = new Set(LIST_MEMBERS.flatMap((member) => lists[member] ?? []));
  return listed(query, (member) => [
    ...(lists[member] ?? []),
    ...(filters.lists?.[member] ?? []).filter((id) => !named.has(id)),
  ]);
}

/** Removes the lists that another query names for the same member. */
export function withoutListsOf(query: Query, { filters }: Query): Query {
  return listed(query, (member) => {
    const gone = new Set(filters.lists?.[member]);
    return (query.filters.lists?.[member] ?? []).filter((id) => !gone.has(id));
  });
}

function listed(query: Query, idsOf: (member: (typeof LIST_MEMBERS)[number]) => string[]): Query {
  const next = structuredClone(query);
  const lists: NonNullable<Filters["lists"]> = {};
  for (const member of LIST_MEMBERS) {
    const ids = idsOf(member);
    if (ids.length > 0) lists[member] = ids;
  }
  if (Object.keys(lists).length === 0) delete next.filters.lists;
  else next.filters.lists = lists;
  return tidyQuery(next);
}

/** Builds a query's spec; `extra` has additional members, such as `output`. */
export function specOf(query: Query, extra: Record<string, unknown> = {}): SentSpec {
  return {
    kind: "account_query",
    spec_version: "2.0",
    entity: "company",
    ...tidyQuery(query),
    ...extra,
  };
}

/** Resets the member at a pointer of a query's spec to its unset value. */
export function clearPointer(draft: Query, pointer: string): void {
  const path = pointer.split("/").slice(1);
  const member = path.at(-1);
  if (member === undefined) return;
  const inside = (root: unknown) =>
    path.slice(0, -1).reduce((node, name) => (node as Branch | undefined)?.[name], root as unknown);
  const target = inside(draft) as Branch | undefined;
  const blank = inside(emptyQuery()) as Branch | undefined;
  if (target === undefined) return;
  if (blank?.[member] === undefined) delete target[member];
  else target[member] = blank[member];
}

type Branch = Record<string, unknown>;
