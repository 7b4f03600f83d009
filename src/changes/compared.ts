/**
 * Builds the columns of a file of changes that contain old and new values. Input: entries of a
 * change list, and the watched fields. Output: two columns for each compared group of fields
 * (status, address, contact, Simples, and MEI).
 * Invariant: only the spec and the watched fields determine which columns exist. Every row has the
 * status. Another group has values only in rows in which one of its watched fields differs, and
 * only of watched fields, because a plan may lack the others. If a snapshot lacks the account, its
 * cells are empty.
 */
import type { ExtraColumn } from "../../native-index/napi/engine.ts";
import { guarded, type Segment } from "../search/segment.ts";
import { fieldsOfGroup } from "../spec/fields/groups.ts";
import type { LabelLanguage } from "../spec/fields/words.ts";
import type { OutputField } from "../spec/fields.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { ChangeList } from "./list.ts";
import type { ChangeEntry } from "./query.ts";

const COMPARED = ["status", "address", "contact", "simples", "mei"] as const;

/** A group of fields whose values are compared. */
type WatchedGroup = (typeof COMPARED)[number];

/** Options that determine the columns and the format of their cells. */
export interface ComparedOptions {
  readonly watch: readonly OutputField[];
  readonly groups: readonly WatchedGroup[];
  /** Language of a file for people. */
  readonly labels?: LabelLanguage | undefined;
}

/**
 * Returns the groups that a file compares. These are the groups with a watched field. The status is
 * also compared if the spec is restricted to saved lists.
 */
export function comparedGroups(
  { filters }: AccountQuerySpec,
  watch: readonly OutputField[],
): WatchedGroup[] {
  const isListed = (filters.lists?.any_of ?? []).length > 0;
  return COMPARED.filter((group) => {
    return (group === "status" && isListed) || fieldsOf(group, watch).length > 0;
  });
}

/** Returns the names of a group's columns. */
export function comparedNames(group: WatchedGroup): readonly [before: string, after: string] {
  return [`${group}_before`, `${group}_after`];
}

/** Returns the columns of the groups, each with one value for every entry. */
export function comparedCells(
  { older, newer }: ChangeList,
  entries: readonly ChangeEntry[],
  { watch, groups, labels }: ComparedOptions,
): ExtraColumn[] {
  return groups.flatMap((group) => {
    const fields = fieldsOf(group, watch);
    const shown = entries.map(({ changed }) => {
      return group === "status" || fields.some((field) => changed.includes(field));
    });
    const read = group === "status" ? STATUS_FIELDS : withDerived(fields);
    const cells = (segment: Segment, rows: readonly number[]) => {
      const wanted = rows.map((row, at) => (shown[at] ? row : -1));
      return valuesOf(segment, wanted, read, labels).map((values) => {
        return values && CELLS[group](values, labels);
      });
    };
    const [before, after] = comparedNames(group);
    const then = entries.map(({ rowOlder }) => rowOlder);
    const now = entries.map(({ rowNewer }) => rowNewer);
    return [
      { name: before, kind: "text", values: cells(older, then) },
      { name: after, kind: "text", values: cells(newer, now) },
    ];
  });
}

const STATUS_FIELDS: readonly OutputField[] = ["registration_status"];

function fieldsOf(group: WatchedGroup, watch: readonly OutputField[]): OutputField[] {
  return fieldsOfGroup(group).filter((field) => watch.includes(field));
}

/** Adds `municipality_name` to the codes of municipalities, because files show the name. */
function withDerived(fields: readonly OutputField[]): readonly OutputField[] {
  const isPlace = fields.some((field) => field.startsWith("municipality_"));
  return isPlace ? [...fields, "municipality_name"] : fields;
}

type Values = Readonly<Record<string, unknown>>;
type Cell = (values: Values, labels: LabelLanguage | undefined) => string | null;

const CELLS: Readonly<Record<WatchedGroup, Cell>> = {
  status: ({ registration_status: status }) => joined([status]),
  address: addressCell,
  contact: ({ email, phone_1, phone_2 }) => joined([email, phone_1, phone_2]),
  simples: (values, labels) => {
    return optionCell(values.simples_opt_in, values.simples_excluded_on, labels);
  },
  mei: (values, labels) => optionCell(values.mei_opt_in, values.mei_excluded_on, labels),
};

function addressCell(values: Values): string | null {
  const { street, street_number: number, address_complement: more, district } = values;
  const { municipality_name: city, uf, foreign_city: abroad, country_code: country } = values;
  const place = [city, uf].filter((part) => part != null).join("/") || null;
  return joined([street, number, more, district, place, values.postal_code, abroad, country]);
}

/** Words before the day on which a company left Simples or MEI. */
const LEFT_ON = { pt: "saída em", en: "left on" } as const;

function optionCell(
  isIn: unknown,
  leftOn: unknown,
  labels: LabelLanguage | undefined,
): string | null {
  const day = leftOn != null && labels !== undefined ? `${LEFT_ON[labels]} ${leftOn}` : leftOn;
  return joined([isIn, day]);
}

function joined(values: readonly unknown[]): string | null {
  const parts = values.filter((value) => value != null && value !== "");
  return parts.length === 0 ? null : parts.join(", ");
}

/** Returns the values of a segment's rows, as a file shows them, or null for row -1. */
function valuesOf(
  { native }: Segment,
  rows: readonly number[],
  fields: readonly OutputField[],
  labels: LabelLanguage | undefined,
): (Values | null)[] {
  const there = Uint32Array.from(rows.filter((row) => row >= 0));
  if (there.length === 0) return rows.map(() => null);
  const request = {
    ...({ format: "jsonl", fields, extra: [], labels, delimiter: ",", firstNumber: 2 } as const),
  };
  const lines = Buffer.from(guarded(() => native.renderRows(there, request))).toString();
  const values = lines.trimEnd().split("\n");
  let at = 0;
  return rows.map((row) => (row < 0 ? null : (JSON.parse(values[at++] as string) as Values)));
}
