/**
 * What is asked, as a value. What comes in: filters, order and strategy as a person sets them, or
 * a normalized spec. What goes out: the same in one canonical form, and the spec to send.
 * Invariant: two queries that ask the same are equal as JSON; nothing is dropped but repeats,
 * and a query is never altered in place.
 */
import { type AnyRow, memberOf, membersBy } from "../../../spec/filters/members.ts";
import { FILTERS } from "../../../spec/filters/table.ts";
import type { Filters, SortKeySent, Spec } from "../app/answers.ts";

/** What the find view asks. */
export interface Query {
  filters: Filters;
  sort: SortKeySent[];
  scoring: { strategy: string; random_seed: number | null };
}

/** A spec as it is sent: the server fills in the rest. */
export interface SentSpec extends Query {
  kind: "account_query";
  spec_version: "2.0";
  entity: "company";
  [more: string]: unknown;
}

/** Bounds that the server sets; held equal to its own by a test. */
export const BOUNDS = {
  sentence: 2_000,
  nameWords: 20,
  nameWordsLength: 80,
  sortKeys: 3,
  shareCapital: 90_000_000_000_000,
  activities: 1_400,
  count: 4_294_967_295,
} as const;

/** The order where none is chosen. */
const BY_SCORE: SortKeySent = { field: "score", direction: "desc" };

/** The rows of the table that a query has; what only says how they are meant stays with specs. */
const ROWS: readonly AnyRow[] = FILTERS.filter(({ part }) => part !== null);

/** The query that asks for everything. */
export function emptyQuery(): Query {
  return {
    // A draft may be altered in place, so that each has lists of its own.
    filters: filtersBy(({ unset }) => (Array.isArray(unset) ? [] : unset)),
    sort: [{ ...BY_SCORE }],
    scoring: { strategy: "balanced", random_seed: null },
  };
}

/** The canonical form: lists ascending without repeats, extensions only where they are used. */
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

/** Codes of one length, or texts: as numbers they have the same order as in letters. */
function ascending<Value>(list: readonly Value[]): Value[] {
  const keyed = new Map(list.map((value) => [keyOf(value), value]));
  return [...keyed.keys()].sort().map((key) => keyed.get(key) as Value);
}

/** A value as text; of a district its municipality and name. */
function keyOf(value: unknown): string {
  return typeof value === "object" && value !== null ? Object.values(value).join(" ") : `${value}`;
}

/** Whether two queries ask the same, order included. */
export function sameQuery(one: Query, other: Query): boolean {
  return JSON.stringify(tidyQuery(one)) === JSON.stringify(tidyQuery(other));
}

/** Whether two queries have the same filters; the order does not count. */
export function sameFilters(one: Query, other: Query): boolean {
  return JSON.stringify(tidyQuery(one).filters) === JSON.stringify(tidyQuery(other).filters);
}

/** Whether a query filters nothing. */
export function isEmpty(query: Query): boolean {
  return sameFilters(query, emptyQuery());
}

/** What a normalized spec asks. */
export function queryOf({ filters, sort, scoring }: Spec): Query {
  return structuredClone(tidyQuery({ filters, sort, scoring }));
}

/** Lists of a filter, in and out of which accounts are to be. */
const LIST_MEMBERS = ["any_of", "exclude"] as const;

/** A query with the lists of another one added, but for those that it names itself. */
export function withListsOf(query: Query, { filters }: Query): Query {
  if (filters.lists === undefined) return structuredClone(query);
  const { lists = {} } = query.filters;
  const named = new Set(LIST_MEMBERS.flatMap((member) => lists[member] ?? []));
  return listed(query, (member) => [
    ...(lists[member] ?? []),
    ...(filters.lists?.[member] ?? []).filter((id) => !named.has(id)),
  ]);
}

/** A query without the lists that another one names, each as it names it. */
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

/** The spec of a query; `extra` are further members, such as `output`. */
export function specOf(query: Query, extra: Record<string, unknown> = {}): SentSpec {
  return {
    kind: "account_query",
    spec_version: "2.0",
    entity: "company",
    ...tidyQuery(query),
    ...extra,
  };
}

/** Sets the member of a query's spec that a pointer names back to what filters nothing. */
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
