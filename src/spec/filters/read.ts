/**
 * What comes in: the `filters` object of a spec, as sent. What goes out: its groups in normal
 * form: codes in their full spelling, lists ascending without repeats, defaults filled in, and the
 * municipalities named, for the warning about states.
 * Invariant: every row of the table is read, in its order; no element is dropped: each becomes at
 * least one code, or leaves a mistake behind. An extension that is not used does not appear.
 */
import {
  type CatalogLookup,
  type CatalogMunicipality,
  type Lacked,
  notCounted,
} from "../catalog.ts";
import type { OutputField } from "../fields.ts";
import type { SpecReader } from "../reader.ts";
import type { AccountQuerySpec } from "../schema.ts";
import { rowsOf } from "./members.ts";
import {
  FILTER_GROUPS,
  type FilterGroup,
  type FilterName,
  type FilterRow,
  OPTIONAL_GROUPS,
} from "./table.ts";
import { type ReadName, ValueReader } from "./values.ts";

type Filters = AccountQuerySpec["filters"];
type Members = Record<string, unknown>;

/** Filters in normal form, and what the rest of normalization wants to know about them. */
interface ReadFilters {
  readonly filters: Filters;
  /** Every municipality named by IBGE or TOM code, repeats possible. */
  readonly municipalities: readonly CatalogMunicipality[];
}

/** Two ends of an interval. */
interface Interval {
  readonly from: FilterName;
  /** What is wrong with the two; null where nothing is. */
  readonly wrong: (from: unknown, to: unknown) => string | null;
}

/** By the second of the two; both are set when they are looked at. */
const INTERVALS: Readonly<Partial<Record<FilterName, Interval>>> = {
  started_before: {
    from: "started_after",
    wrong: (after, before) =>
      (after as string) < (before as string)
        ? null
        : `Must be after started_after (${after}): the interval holds no day.`,
  },
  establishments_max: {
    from: "establishments_min",
    wrong: (min, max) =>
      (min as number) <= (max as number) ? null : `Must not be below establishments_min (${min}).`,
  },
  share_capital_max: {
    from: "share_capital_min",
    wrong: (min, max) =>
      (min as number) <= (max as number) ? null : `Must not be below share_capital_min (${min}).`,
  },
};

/** Members that leave nothing where both are set; looked at with the second of the two. */
const CONTRARY: Readonly<Partial<Record<FilterName, FilterName>>> = {
  branches_only: "headquarters_only",
};

/** Reads the `filters` object of a spec; mistakes go to the reader's log. */
export function readFilters(
  value: unknown,
  pointer: string,
  reader: SpecReader,
  known: { readonly lookup: CatalogLookup; readonly allowedFields: readonly string[] },
): ReadFilters {
  const members = reader.object(value, pointer, FILTER_GROUPS);
  const group = new GroupReader(reader, new ValueReader(reader, known.lookup), known);
  const filters: Partial<Record<FilterGroup, Members>> = {};
  for (const name of FILTER_GROUPS) {
    const read = group.read(name, members[name], `${pointer}/${name}`);
    if (Object.keys(read).length > 0 || !OPTIONAL_GROUPS.includes(name)) filters[name] = read;
  }
  return {
    filters: filters as Filters satisfies ReadAsSchema,
    municipalities: group.municipalities,
  };
}

/** Reads the groups of one spec; lives as long as one call of `readFilters`. */
class GroupReader {
  readonly #reader: SpecReader;
  readonly #values: ValueReader;
  readonly #lookup: CatalogLookup;
  readonly #allowedFields: readonly string[];

  constructor(
    reader: SpecReader,
    values: ValueReader,
    known: { readonly lookup: CatalogLookup; readonly allowedFields: readonly string[] },
  ) {
    this.#reader = reader;
    this.#values = values;
    this.#lookup = known.lookup;
    this.#allowedFields = known.allowedFields;
  }

  get municipalities(): readonly CatalogMunicipality[] {
    return this.#values.municipalities;
  }

  read(group: FilterGroup, value: unknown, pointer: string): Members {
    const rows = rowsOf(group);
    const sent = this.#reader.object(value, pointer, rows.names);
    const members: Members = {};
    for (const row of rows.rows) {
      const { member, read, unset } = row;
      const given = sent[member];
      if (given === undefined) {
        if (unset !== undefined) members[member] = Array.isArray(unset) ? [] : unset;
        continue;
      }
      const at = `${pointer}/${member}`;
      const normal: unknown = this.#values[read](given, at);
      if (unset === undefined && isNothing(normal)) continue;
      members[member] = normal;
      if ("needs" in row) this.#checkSnapshot(row.needs, member, at);
      if ("reveals" in row) this.#checkFields(row.reveals, at);
      this.#checkInterval(member, members, at);
      this.#checkContrary(member, members, at);
    }
    return members;
  }

  #checkSnapshot(needs: Lacked, member: FilterName, pointer: string): void {
    if (!this.#lookup.lacks(needs)) return;
    this.#reader.mistake(pointer, "not_in_snapshot", notCounted(member));
  }

  /** A filter by a value is as good as the value: a plan that withholds it has no such filter. */
  #checkFields(reveals: readonly OutputField[], pointer: string): void {
    const withheld = reveals.filter((field) => !this.#allowedFields.includes(field));
    if (withheld.length === 0) return;
    const detail = () =>
      `The plan does not offer ${withheld.join(" and ")}, nor a filter by what stands there.`;
    this.#reader.mistake(pointer, "field_not_allowed", detail);
  }

  #checkContrary(member: FilterName, members: Members, pointer: string): void {
    const other = CONTRARY[member];
    if (other === undefined || members[other] !== true) return;
    const wrong = `Cannot go with ${other}: no account meets both. Leave out one of them.`;
    this.#reader.mistake(pointer, "contradiction", wrong);
  }

  #checkInterval(member: FilterName, members: Members, pointer: string): void {
    const interval = INTERVALS[member];
    if (interval === undefined) return;
    const [from, to] = [members[interval.from] ?? null, members[member] ?? null];
    const wrong = from === null || to === null ? null : interval.wrong(from, to);
    if (wrong !== null) this.#reader.mistake(pointer, "empty_interval", wrong);
  }
}

function isNothing(normal: unknown): boolean {
  return normal === undefined || normal === null || (Array.isArray(normal) && normal.length === 0);
}

/** What a method of the reader gives in the end. */
type Read<Name extends ReadName> =
  ReturnType<ValueReader[Name]> extends infer Made ? Exclude<Made, undefined> : never;

/** The filters as the table's methods read them: what a schema says must be what is read. */
type ReadAsSchema = {
  readonly [Group in FilterGroup]?: {
    readonly [Row in Extract<FilterRow, { group: Group }> as Row["member"]]?:
      | Read<Row["read"]>
      | undefined;
  };
};
