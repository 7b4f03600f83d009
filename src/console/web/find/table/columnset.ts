/**
 * The columns of the table: their order and widths, the fields to request, and the sort order set
 * by a click on a heading.
 * Invariant: the first column is always the name. Only fields that the tenant's plan includes are
 * requested. A stored choice is validated, because an older version may have written it.
 */

import type { FIELD_GROUPS } from "../../../../spec/fields/table.ts";
import {
  fieldRow,
  OUTPUT_FIELD_NAMES,
  OUTPUT_FIELDS,
  type OutputField,
} from "../../../../spec/fields.ts";
import type { SortKeySent } from "../../app/answers.ts";

/** Groups of the chooser, in order. */
export const COLUMN_GROUPS = ["company", "activity", "place", "contact", "register"] as const;

/** A column: its fields, width in pixels, and sort field. */
export interface TableColumn {
  readonly id: ColumnId;
  readonly group: (typeof COLUMN_GROUPS)[number];
  readonly fields: readonly OutputField[];
  readonly width: number;
  /** Min width in a narrow window. A column without it never shrinks. */
  readonly least?: number;
  readonly sort?: string;
  /** Numbers are right-aligned, so that digits line up. */
  readonly numeric?: true;
}

/** A column before defaults. The default width is that of its field in spreadsheet files. */
type Row = Omit<TableColumn, "id" | "width"> & { readonly width?: number };

/** Returns the width in pixels for a number of characters. */
const pixelsOf = (characters: number): number => 44 + 6 * characters;

/** Columns with several fields, with their own texts, or not in the fields' usual order. */
const TABLE = {
  name: {
    group: "company",
    fields: ["legal_name", "trade_name"],
    width: 256,
    least: 200,
    sort: "legal_name",
  },
  trade_name: { group: "company", fields: ["trade_name"] },
  cnpj: { group: "company", fields: ["cnpj"], sort: "cnpj" },
  cnpj_root: { group: "company", fields: ["cnpj_root"] },
  headquarters: { group: "company", fields: ["headquarters"], width: 96 },
  opened: { group: "company", fields: ["started_on"], least: 104, sort: "started_on" },
  size: {
    group: "company",
    fields: ["company_size_code", "mei_opt_in"],
    width: 128,
    sort: "company_size",
  },
  capital: {
    group: "company",
    fields: ["share_capital"],
    sort: "share_capital",
    numeric: true,
  },
  score: { group: "company", fields: ["score"], sort: "score", numeric: true },
  activity: {
    group: "activity",
    fields: ["cnae_primary", "cnae_primary_description"],
    width: 216,
    least: 124,
  },
  cnae: { group: "activity", fields: ["cnae_primary"] },
  secondary: { group: "activity", fields: ["cnae_secondary"] },
  city: {
    group: "place",
    fields: ["municipality_name", "uf", "foreign_city"],
    width: 168,
    least: 112,
  },
  population: {
    group: "place",
    fields: ["municipality_population"],
    sort: "municipality_population",
    numeric: true,
  },
  district: { group: "place", fields: ["district"] },
  street: { group: "place", fields: ["street", "street_number", "address_complement"], width: 260 },
  postal_code: { group: "place", fields: ["postal_code"] },
  ibge: { group: "place", fields: ["municipality_ibge"] },
  tom: { group: "place", fields: ["municipality_tom"] },
  country: { group: "place", fields: ["country_code"] },
  email: { group: "contact", fields: ["email"], least: 176 },
  phone: { group: "contact", fields: ["phone_1"], least: 128 },
  second_phone: { group: "contact", fields: ["phone_2"] },
  status: { group: "register", fields: ["registration_status"], width: 108 },
  status_since: { group: "register", fields: ["registration_status_date"] },
  status_reason: { group: "register", fields: ["registration_status_reason"] },
  legal_nature: {
    group: "register",
    fields: ["legal_nature", "legal_nature_description"],
    width: 240,
  },
  simples: { group: "register", fields: ["simples_opt_in"] },
  mei: { group: "register", fields: ["mei_opt_in"] },
} as const satisfies Record<string, Row>;

/** Name of a column in this table. */
export type NamedColumn = keyof typeof TABLE;

/** Id of a column in `TABLE`, or the name of a field that no column in `TABLE` shows. */
export type ColumnId = NamedColumn | OutputField;

/**
 * Maps a group of fields to a group of the column chooser, for fields without a column in `TABLE`.
 */
const GROUP_OF: Readonly<Record<(typeof FIELD_GROUPS)[number], TableColumn["group"]>> = {
  company: "company",
  contact: "contact",
  activity: "activity",
  place: "place",
  address: "place",
  nature: "register",
  regime: "register",
  status: "register",
  rank: "register",
};

/** Returns columns for the fields that no other column shows. */
function ownColumns(rows: readonly Row[]): [OutputField, Row][] {
  const shown = new Set(rows.flatMap(({ fields }) => fields));
  return OUTPUT_FIELDS.filter(({ name }) => !shown.has(name)).map((field) => {
    const { type } = field.stored;
    const isNumber = type === "number" || type === "cents";
    const numeric = isNumber ? ({ numeric: true } as const) : {};
    return [field.name, { group: GROUP_OF[field.shown.group], fields: [field.name], ...numeric }];
  });
}

/** Every column, in chooser order. */
export const COLUMNS: readonly TableColumn[] = [
  ...Object.entries<Row>(TABLE),
  ...ownColumns(Object.values(TABLE)),
].map(([id, row]) => ({
  id: id as ColumnId,
  width: pixelsOf(fieldRow(row.fields[0] as OutputField).shown.width),
  ...row,
}));

const BY_ID: ReadonlyMap<string, TableColumn> = new Map(
  COLUMNS.map((column) => [column.id, column]),
);

/** The column that always comes first. */
export const FIRST_COLUMN: ColumnId = "name";
/** Columns useful for sales. */
export const DEFAULT_COLUMNS: readonly ColumnId[] = [
  ...(["name", "cnpj", "phone", "email", "city", "activity", "opened"] as const),
];
/** Columns of two-line rows. They are always requested, so rotating a phone needs no request. */
const COMPACT_COLUMNS: readonly ColumnId[] = ["name", "city", "activity", "email", "phone"];
/** Bounds of a dragged width. */
export const COLUMN_WIDTH = { min: 64, max: 640, step: 16 } as const;

/** The visible columns in order, and the widths that the user has changed. */
export interface ColumnChoice {
  readonly shown: readonly ColumnId[];
  readonly widths: Readonly<Partial<Record<ColumnId, number>>>;
}

/** Finds a column. */
export function columnOf(id: ColumnId): TableColumn {
  return BY_ID.get(id) as TableColumn;
}

/** True if the tenant's plan includes any field of the column. Other columns would be empty. */
export function isAllowed(column: TableColumn, allowed: ReadonlySet<string>): boolean {
  return column.fields.some((field) => allowed.has(field));
}

/** Returns the chosen columns that the plan allows. */
export function drawnColumns(choice: ColumnChoice, allowed: ReadonlySet<string>): TableColumn[] {
  return choice.shown.map(columnOf).filter((column) => isAllowed(column, allowed));
}

/** Returns the width of a column in pixels. */
export function widthOf(column: TableColumn, choice: ColumnChoice): number {
  return choice.widths[column.id] ?? column.width;
}

/** Returns a column's min width in pixels. A width set by dragging is fixed. */
export function leastOf(column: TableColumn, choice: ColumnChoice): number {
  return choice.widths[column.id] ?? column.least ?? column.width;
}

/** Returns the fields to request, in API order, so that moving a column causes no request. */
export function fieldsOf(choice: ColumnChoice, allowed: ReadonlySet<string>): string[] {
  const ids = [...DEFAULT_COLUMNS, ...COMPACT_COLUMNS, ...choice.shown];
  const wanted = new Set(["cnpj", ...ids.flatMap((id) => columnOf(id).fields)]);
  return OUTPUT_FIELD_NAMES.filter((field) => wanted.has(field) && allowed.has(field));
}

/** Parses a stored choice; replaces invalid parts by the defaults. */
export function readChoice(text: string | null): ColumnChoice {
  const stored = parsed(text);
  const ids = Array.isArray(stored.shown) ? stored.shown : DEFAULT_COLUMNS;
  const known = new Set(ids.filter((id): id is ColumnId => BY_ID.has(String(id))));
  known.delete(FIRST_COLUMN);
  const widths: Partial<Record<ColumnId, number>> = {};
  for (const [id, width] of Object.entries(Object(stored.widths) as Record<string, unknown>)) {
    if (BY_ID.has(id) && typeof width === "number") widths[id as ColumnId] = boundedWidth(width);
  }
  return { shown: [FIRST_COLUMN, ...known], widths };
}

function parsed(text: string | null): { shown?: unknown; widths?: unknown } {
  try {
    return Object(JSON.parse(text ?? "{}"));
  } catch {
    // Invalid JSON was not written by this code, so the defaults apply.
    return {};
  }
}

/** Clamps a width. */
export function boundedWidth(width: number): number {
  return Math.round(Math.max(COLUMN_WIDTH.min, Math.min(width, COLUMN_WIDTH.max)));
}

/** Moves a visible column by `by` positions. The first column stays. */
export function movedColumn(shown: readonly ColumnId[], id: ColumnId, by: number): ColumnId[] {
  const from = shown.indexOf(id);
  const to = Math.max(1, Math.min(from + by, shown.length - 1));
  if (from < 1 || from === to) return [...shown];
  const rest = shown.filter((other) => other !== id);
  return [...rest.slice(0, to), id, ...rest.slice(to)];
}

/** The default order, which an empty list also denotes. */
const USUAL_SORT: SortKeySent = { field: "score", direction: "desc" };
/** Fields that the first click sorts ascending. Others start with the largest or newest value. */
const UPWARDS: readonly string[] = ["legal_name", "cnpj"];

/** Returns a column's direction, or null if it is not the first sort key. */
export function sortedBy(
  sort: readonly SortKeySent[],
  field: string,
): SortKeySent["direction"] | null {
  const key = sort[0] ?? USUAL_SORT;
  return key.field === field ? key.direction : null;
}

/**
 * Returns the order after a click on a heading: one direction, then the other, then the default.
 */
export function nextSort(sort: readonly SortKeySent[], field: string): SortKeySent[] {
  const present = sortedBy(sort, field);
  const first = UPWARDS.includes(field) ? "asc" : "desc";
  if (present === null) return [{ field, direction: first }];
  if (present !== first) return [];
  return [{ field, direction: first === "asc" ? "desc" : "asc" }];
}
