/**
 * The columns of the table. What comes in: what the plan allows, what somebody chose before. What
 * goes out: which columns there are, in which order and width, the fields to ask for, the order
 * that a click on a header stands for.
 * Invariant: the first column is always the name; only fields that the plan allows are asked for;
 * what a browser kept is read with suspicion, as an older version may have written it.
 */

import type { FIELD_GROUPS } from "../../../../spec/fields/table.ts";
import {
  fieldRow,
  OUTPUT_FIELD_NAMES,
  OUTPUT_FIELDS,
  type OutputField,
} from "../../../../spec/fields.ts";
import type { SortKeySent } from "../../app/answers.ts";

/** Groups of the chooser, in its order. */
export const COLUMN_GROUPS = ["company", "activity", "place", "contact", "register"] as const;

/** One column: the fields it is made of, its width in pixels, what it is sorted by. */
export interface TableColumn {
  readonly id: ColumnId;
  readonly group: (typeof COLUMN_GROUPS)[number];
  readonly fields: readonly OutputField[];
  readonly width: number;
  /** How narrow it may become where the window is; else it stays as it is. */
  readonly least?: number;
  readonly sort?: string;
  /** Numbers are set to the right, so that their digits stand below each other. */
  readonly numeric?: true;
}

/** A column without a width is as wide as its field; others show words that a file has not. */
type Row = Omit<TableColumn, "id" | "width"> & { readonly width?: number };

/** Pixels of a column that shows a field of so many characters as it is. */
const pixelsOf = (characters: number): number => 44 + 6 * characters;

/** Columns of more than one field, or with words or a place of their own. */
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

/** Name of a column that stands in the table of columns. */
export type NamedColumn = keyof typeof TABLE;

/** Name of a column; one that shows a single field as it is can have the name of the field. */
export type ColumnId = NamedColumn | OutputField;

/** The group in which the chooser has the column of a field that stands in no other. */
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

/** Columns of the fields that no other column shows, so that none is left out. */
function ownColumns(rows: readonly Row[]): [OutputField, Row][] {
  const shown = new Set(rows.flatMap(({ fields }) => fields));
  return OUTPUT_FIELDS.filter(({ name }) => !shown.has(name)).map((field) => {
    const isNumber = field.kind === "integer" || field.kind === "number";
    const numeric = isNumber ? ({ numeric: true } as const) : {};
    return [field.name, { group: GROUP_OF[field.shown.group], fields: [field.name], ...numeric }];
  });
}

/** Every column, in the order of the chooser. */
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
/** What somebody who sells looks at. */
export const DEFAULT_COLUMNS: readonly ColumnId[] = [
  ...(["name", "cnpj", "phone", "email", "city", "activity", "opened"] as const),
];
/** What a row of two lines shows; asked for always, so that turning a phone asks for nothing. */
const COMPACT_COLUMNS: readonly ColumnId[] = ["name", "city", "activity", "email", "phone"];
/** Bounds of a width that somebody drags. */
export const COLUMN_WIDTH = { min: 64, max: 640, step: 16 } as const;

/** Which columns are shown, in order, and the widths that differ from what is usual. */
export interface ColumnChoice {
  readonly shown: readonly ColumnId[];
  readonly widths: Readonly<Partial<Record<ColumnId, number>>>;
}

/** The column of a name. */
export function columnOf(id: ColumnId): TableColumn {
  return BY_ID.get(id) as TableColumn;
}

/** Whether the plan allows what a column is named after: all of its fields would be empty else. */
export function isAllowed(column: TableColumn, allowed: ReadonlySet<string>): boolean {
  return column.fields.some((field) => allowed.has(field));
}

/** The columns to draw: those chosen that the plan allows. */
export function drawnColumns(choice: ColumnChoice, allowed: ReadonlySet<string>): TableColumn[] {
  return choice.shown.map(columnOf).filter((column) => isAllowed(column, allowed));
}

/** The width of a column in pixels. */
export function widthOf(column: TableColumn, choice: ColumnChoice): number {
  return choice.widths[column.id] ?? column.width;
}

/** How narrow a column may become in pixels; one that somebody dragged stays as it is. */
export function leastOf(column: TableColumn, choice: ColumnChoice): number {
  return choice.widths[column.id] ?? column.least ?? column.width;
}

/** The fields to ask for, in the public order, so that the order of columns does not count. */
export function fieldsOf(choice: ColumnChoice, allowed: ReadonlySet<string>): string[] {
  const ids = [...DEFAULT_COLUMNS, ...COMPACT_COLUMNS, ...choice.shown];
  const wanted = new Set(["cnpj", ...ids.flatMap((id) => columnOf(id).fields)]);
  return OUTPUT_FIELD_NAMES.filter((field) => wanted.has(field) && allowed.has(field));
}

/** What a browser kept, as far as it can be used; the usual columns for anything else. */
export function readChoice(text: string | null): ColumnChoice {
  const kept = parsed(text);
  const ids = Array.isArray(kept.shown) ? kept.shown : DEFAULT_COLUMNS;
  const known = new Set(ids.filter((id): id is ColumnId => BY_ID.has(String(id))));
  known.delete(FIRST_COLUMN);
  const widths: Partial<Record<ColumnId, number>> = {};
  for (const [id, width] of Object.entries(Object(kept.widths) as Record<string, unknown>)) {
    if (BY_ID.has(id) && typeof width === "number") widths[id as ColumnId] = boundedWidth(width);
  }
  return { shown: [FIRST_COLUMN, ...known], widths };
}

function parsed(text: string | null): { shown?: unknown; widths?: unknown } {
  try {
    return Object(JSON.parse(text ?? "{}"));
  } catch {
    // What is no JSON was not written here; the usual columns take its place.
    return {};
  }
}

/** A width within its bounds. */
export function boundedWidth(width: number): number {
  return Math.round(Math.max(COLUMN_WIDTH.min, Math.min(width, COLUMN_WIDTH.max)));
}

/** Moves a shown column by some places; the first one keeps its place. */
export function movedColumn(shown: readonly ColumnId[], id: ColumnId, by: number): ColumnId[] {
  const from = shown.indexOf(id);
  const to = Math.max(1, Math.min(from + by, shown.length - 1));
  if (from < 1 || from === to) return [...shown];
  const rest = shown.filter((other) => other !== id);
  return [...rest.slice(0, to), id, ...rest.slice(to)];
}

/** The usual order, which an empty list stands for. */
const USUAL_SORT: SortKeySent = { field: "score", direction: "desc" };
/** Sorted upwards at the first click; everything else begins with the largest or youngest. */
const UPWARDS: readonly string[] = ["legal_name", "cnpj"];

/** How a column is sorted at present; null where it is not what the order begins with. */
export function sortedBy(
  sort: readonly SortKeySent[],
  field: string,
): SortKeySent["direction"] | null {
  const key = sort[0] ?? USUAL_SORT;
  return key.field === field ? key.direction : null;
}

/** The order after a click on a header: one way, the other way, then the usual order again. */
export function nextSort(sort: readonly SortKeySent[], field: string): SortKeySent[] {
  const present = sortedBy(sort, field);
  const first = UPWARDS.includes(field) ? "asc" : "desc";
  if (present === null) return [{ field, direction: first }];
  if (present !== first) return [];
  return [{ field, direction: first === "asc" ? "desc" : "asc" }];
}
