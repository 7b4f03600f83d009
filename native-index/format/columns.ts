/**
 * The one table of stored columns (name, Arrow type, and row-record slot), the posting dimensions,
 * the sort orders, and the string tables.
 * Invariant: `column_list.h` is generated from this file (`native-index/headers.mjs`). The addon
 * and this file compute the same fingerprint, which every snapshot carries, so a file with other
 * columns is never served.
 */

/** Fixed-length types; the row record has a slot for each of their values. */
type FixedType =
  | "uint8"
  | "uint16"
  | "uint32"
  | "int64"
  | "date32"
  | "dictionary8"
  | "dictionary16"
  | "dictionary16_uint32";

/**
 * How Arrow stores a column. The values of `dictionary8` and `dictionary16` are Utf8. Those of
 * `dictionary16_uint32` are numbers, and a higher code means a higher number.
 */
export type ColumnType = FixedType | "utf8" | "bool" | "list_dictionary16";

interface StoredColumn<Type extends ColumnType> {
  readonly name: string;
  readonly type: Type;
  readonly nullable: boolean;
}

/** A column with a slot in the fixed part of the row record (`native-index/builder/record.ts`). */
interface SlotColumn<Type extends ColumnType> extends StoredColumn<Type> {
  /** Byte offset of the value in a row record. */
  readonly slot: number;
}

/**
 * A stored column. The code of a value in a dictionary column is its position (ordinal) in the
 * sorted dictionary.
 */
export type Column =
  | SlotColumn<FixedType | "utf8">
  | StoredColumn<"utf8" | "bool" | "list_dictionary16">;

/** Every stored column in file order. Native code refers to a column by its index in this list. */
export const COLUMNS = [
  { name: "cnpj", type: "utf8", nullable: false, slot: 12 },
  { name: "legal_name", type: "utf8", nullable: true },
  { name: "trade_name", type: "utf8", nullable: true },
  { name: "headquarters", type: "bool", nullable: false },
  { name: "registration_status", type: "uint8", nullable: true, slot: 26 },
  { name: "registration_status_date", type: "date32", nullable: true, slot: 48 },
  { name: "registration_status_reason", type: "dictionary8", nullable: true, slot: 29 },
  { name: "started_on", type: "date32", nullable: true, slot: 44 },
  { name: "cnae_primary", type: "dictionary16", nullable: true, slot: 40 },
  { name: "cnae_secondary", type: "list_dictionary16", nullable: false },
  { name: "legal_nature", type: "dictionary16", nullable: true, slot: 32 },
  { name: "company_size_code", type: "dictionary8", nullable: true, slot: 27 },
  { name: "share_capital_cents", type: "int64", nullable: true, slot: 56 },
  { name: "simples_opt_in", type: "bool", nullable: false },
  { name: "mei_opt_in", type: "bool", nullable: false },
  { name: "uf", type: "dictionary8", nullable: true, slot: 28 },
  { name: "municipality_ibge", type: "dictionary16", nullable: true, slot: 36 },
  { name: "municipality_tom", type: "dictionary16", nullable: true, slot: 34 },
  { name: "district", type: "utf8", nullable: true },
  { name: "street", type: "utf8", nullable: true },
  { name: "street_number", type: "utf8", nullable: true },
  { name: "address_complement", type: "utf8", nullable: true },
  { name: "postal_code", type: "uint32", nullable: true, slot: 52 },
  { name: "country_code", type: "dictionary16", nullable: true, slot: 38 },
  { name: "foreign_city", type: "utf8", nullable: true },
  { name: "email", type: "utf8", nullable: true },
  { name: "phone_1", type: "int64", nullable: true, slot: 64 },
  { name: "phone_2", type: "int64", nullable: true, slot: 72 },
  { name: "sanctioned", type: "bool", nullable: true },
  { name: "score", type: "uint16", nullable: false, slot: 4 },
  { name: "score_contactable", type: "uint16", nullable: false, slot: 6 },
  { name: "score_newest", type: "uint16", nullable: false, slot: 8 },
  { name: "score_established", type: "uint16", nullable: false, slot: 10 },
  // Since version 2; files of version 1 have only the columns above (`versions.ts`).
  { name: "email_shared", type: "dictionary16_uint32", nullable: true, slot: 80 },
  { name: "phone_1_shared", type: "dictionary16_uint32", nullable: true, slot: 84 },
  { name: "phone_2_shared", type: "dictionary16_uint32", nullable: true, slot: 88 },
  { name: "establishments", type: "dictionary16_uint32", nullable: false, slot: 92 },
  { name: "email_own_domain", type: "bool", nullable: true },
  // Since version 3.
  { name: "simples_excluded_on", type: "date32", nullable: true, slot: 96 },
  { name: "mei_excluded_on", type: "date32", nullable: true, slot: 100 },
  { name: "in_cnep", type: "bool", nullable: true },
  { name: "in_cepim", type: "bool", nullable: true },
  { name: "federal_debt", type: "bool", nullable: true },
  { name: "federal_debt_cents", type: "int64", nullable: true, slot: 104 },
  { name: "federal_debt_fgts", type: "bool", nullable: true },
  { name: "federal_debt_social_security", type: "bool", nullable: true },
  { name: "federal_debt_other", type: "bool", nullable: true },
] as const satisfies readonly Column[];

/** Name of a stored column. */
export type ColumnName = (typeof COLUMNS)[number]["name"];

/** Rows of a record batch: 16 chunks of 65,536 rows. All batches but the last are full. */
export const BATCH_ROWS = 1 << 20;

/** Rows of a chunk: the range of one Roaring container. */
export const CHUNK_ROWS = 1 << 16;

/**
 * The dimensions that have posting lists, in the order of the directory. A list's code is the
 * dictionary code of the column, with four exceptions. For `registration_status` it is the value
 * (0-8), for `flag` a `FLAG_CODES` value, for `area_code` the two digits of either phone, and for
 * `started_year` the year minus 1800.
 */
export const DIMENSIONS = [
  "cnae_primary",
  "cnae_secondary",
  "uf",
  "municipality_ibge",
  "municipality_tom",
  "registration_status",
  "company_size_code",
  "legal_nature",
  "flag",
  "area_code",
  "started_year",
] as const;

/** Name of a dimension that has posting lists. */
export type DimensionName = (typeof DIMENSIONS)[number];

/** Codes of the `flag` dimension. */
export const FLAG_CODES = {
  headquarters: 0,
  simples_opt_in: 1,
  mei_opt_in: 2,
  has_email: 3,
  has_phone: 4,
  sanctioned: 5,
  // Since version 2.
  has_mobile: 6,
  has_landline: 7,
  own_domain: 8,
  own_email: 9,
  // Since version 3.
  in_cnep: 10,
  in_cepim: 11,
  federal_debt: 12,
  email_and_phone: 13,
  email_and_mobile: 14,
} as const;

/**
 * Sort orders that the index region stores. Each is a permutation of the rows by value ascending,
 * with rows without a value last, then by cnpj ascending. `score` descending is missing here
 * because it is the row order itself.
 */
export const ORDERS = [
  "cnpj",
  "score",
  "started_on",
  "share_capital",
  "legal_name",
  "company_size",
  "municipality_population",
  "score_contactable",
  "score_newest",
  "score_established",
] as const;

/** Name of a stored sort order. */
export type OrderName = (typeof ORDERS)[number];

/**
 * String tables of the index region. Each has one string per code of a dictionary. First come the
 * tables with the values themselves, then those with texts derived from them. An empty string means
 * unknown.
 */
export const TABLES = [
  "registration_status_reason",
  "cnae_primary",
  "legal_nature",
  "company_size_code",
  "uf",
  "municipality_ibge",
  "municipality_tom",
  "country_code",
  "cnae_description",
  "legal_nature_description",
  "municipality_name",
  "municipality_population",
  "number",
] as const;

/**
 * Name of a string table. `municipality_name` has one entry per TOM code, `population` one per IBGE
 * code.
 */
export type TableName = (typeof TABLES)[number];

/** Returns FNV-1a 64 of `name:type:nullable;` over all columns, dimensions, orders, and tables. */
export function columnsFingerprint(): bigint {
  const parts = COLUMNS.map((c) => `${c.name}:${c.type}:${c.nullable ? 1 : 0};`);
  const text = `${parts.join("")}|${DIMENSIONS.join(",")}|${ORDERS.join(",")}|${TABLES.join(",")}`;
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}
