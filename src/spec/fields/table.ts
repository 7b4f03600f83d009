/**
 * Lists the output fields of an account, one row for each. Other parts are derived from these rows:
 * lists of names, widths and headings of exports, the groups of the console, the fields of the
 * addon (`field_list.h`), the reference, and the fields whose changes can be watched.
 * Invariant: no code runs here, so that the browser can load this file. The type of a field is
 * one that its column can hold. Code for the other parts (docs/contributing.md, "Add an output
 * field") does not compile until each row has an entry.
 */
import type { COLUMNS, TableName } from "../../../native-index/format/columns.ts";
import type { OptionalData } from "../catalog.ts";
import { WIDER_FIELDS } from "./wider.ts";

/** Groups of fields in the field picker, in order. */
export const FIELD_GROUPS = [
  "company",
  "contact",
  "activity",
  "place",
  "address",
  "nature",
  "regime",
  "status",
  "rank",
] as const;

/** For each type of a field's values, the JSON type. */
export const FIELD_TYPES = {
  text: "string",
  flag: "boolean",
  number: "integer",
  date: "string",
  /** An amount in reais, stored in cents. */
  cents: "number",
  postal_code: "string",
  phone: "string",
  /** `mobile` or `landline`. */
  phone_kind: "string",
  /** Link to the first of the two phones that is a mobile. */
  whatsapp: "string",
  /** Codes of activities. */
  codes: "array",
} as const;

/**
 * How `output.labels` writes a value, if the field's type does not determine it. For example, a
 * CNPJ is punctuated, and a status is replaced by a word of words.ts. A word before a code keeps
 * spreadsheets from dropping its leading zeros.
 */
export type FieldWriting =
  | "cnpj"
  | "cnpj_root"
  | "unit"
  | "status"
  | "size"
  | "activity"
  | "nature"
  | "reason"
  | "city_code"
  | "country_code";

/** Names of the columns that have one of these Arrow types. */
type ColumnOf<Type> = Extract<(typeof COLUMNS)[number], { readonly type: Type }>["name"];

/** Columns of codes. The values of the codes are in a string table. */
type CodeColumn = ColumnOf<"dictionary8" | "dictionary16">;

/** The type of a field's values and where they are stored. */
export type StoredAs =
  | { readonly type: "text"; readonly column: ColumnOf<"utf8"> }
  | { readonly type: "text"; readonly column: CodeColumn; readonly table: TableName }
  | { readonly type: "flag"; readonly column: ColumnOf<"bool"> }
  | { readonly type: "number"; readonly column: ColumnOf<"uint8" | "uint16"> }
  | {
      readonly type: "number";
      readonly column: ColumnOf<"dictionary16_uint32">;
      readonly table: "number";
    }
  | {
      readonly type: "number";
      readonly column: CodeColumn;
      readonly table: "municipality_population";
    }
  /**
   * Number of the company's partnerships. It is counted in OWNERS, the section of the snapshot that
   * stores partnerships by company (the first eight characters of the CNPJ).
   */
  | {
      readonly type: "number";
      readonly column: "cnpj";
      readonly counted: "owned_companies" | "owner_companies";
    }
  | { readonly type: "date"; readonly column: ColumnOf<"date32"> }
  | { readonly type: "cents" | "phone" | "phone_kind"; readonly column: ColumnOf<"int64"> }
  | { readonly type: "whatsapp"; readonly column: "phone_1" }
  | { readonly type: "postal_code"; readonly column: ColumnOf<"uint32"> }
  | { readonly type: "codes"; readonly column: ColumnOf<"list_dictionary16"> };

/** How users see a field. */
interface ShownAs {
  /** Heading in English, in plain ASCII, so that a style sheet can contain it. */
  readonly heading: string;
  readonly group: (typeof FIELD_GROUPS)[number];
  /** Characters that fit most values; longer values wrap if space is short. */
  readonly width: number;
  /** Width in a spreadsheet, in which values do not wrap. Absent if the heading is wider. */
  readonly sheet?: number;
}

/** One output field. */
export interface FieldRow {
  readonly name: string;
  readonly stored: StoredAs;
  readonly shown: ShownAs;
  readonly written?: FieldWriting;
  /** Set for text that people typed. A spreadsheet could run such text as a formula. */
  readonly freeText?: true;
  /** Set for e-mail and phones, which the `free` plan does not include. */
  readonly contact?: true;
  /** The data that the field needs. Snapshots of earlier versions lack it. */
  readonly needs?: OptionalData;
  /**
   * The reason why changes cannot be watched: the field never changes ("identity"), or it is
   * derived from other fields or from a list.
   */
  readonly unwatched?: "identity" | "derived" | "listed";
  /** One sentence about the field, for the OpenAPI document and the docs. */
  readonly description: string;
}

/** Every output field, in the public order, which is also the order of the columns in an export. */
export const FIELDS = [
  {
    name: "cnpj",
    stored: { type: "text", column: "cnpj" },
    written: "cnpj",
    shown: { heading: "CNPJ", group: "company", width: 18, sheet: 20 },
    unwatched: "identity",
    description: "Registration number, 14 characters; the first 12 may be letters.",
  },
  {
    name: "cnpj_root",
    stored: { type: "text", column: "cnpj" },
    written: "cnpj_root",
    shown: { heading: "CNPJ root", group: "company", width: 11, sheet: 11 },
    unwatched: "identity",
    description: "First 8 characters of the CNPJ: the company.",
  },
  {
    name: "legal_name",
    stored: { type: "text", column: "legal_name" },
    shown: { heading: "Legal name", group: "company", width: 34, sheet: 42 },
    freeText: true,
    description: "Legal name of the company.",
  },
  {
    name: "trade_name",
    stored: { type: "text", column: "trade_name" },
    shown: { heading: "Trade name", group: "company", width: 28, sheet: 32 },
    freeText: true,
    description: "Trade name of the establishment.",
  },
  {
    name: "headquarters",
    stored: { type: "flag", column: "headquarters" },
    written: "unit",
    shown: { heading: "Head office", group: "company", width: 7 },
    description: "True for the head office, false for a branch.",
  },
  {
    name: "registration_status",
    stored: { type: "number", column: "registration_status" },
    written: "status",
    shown: { heading: "Status", group: "status", width: 7 },
    description: "1 void (nula), 2 active, 3 suspended, 4 unfit, 8 closed.",
  },
  {
    name: "registration_status_date",
    stored: { type: "date", column: "registration_status_date" },
    shown: { heading: "Status since", group: "status", width: 13 },
    description: "Date of the status, YYYY-MM-DD.",
  },
  {
    name: "registration_status_reason",
    stored: {
      type: "text",
      column: "registration_status_reason",
      table: "registration_status_reason",
    },
    written: "reason",
    shown: { heading: "Reason of the status", group: "status", width: 10 },
    description: "Reason of the status, 2-digit code.",
  },
  {
    name: "started_on",
    stored: { type: "date", column: "started_on" },
    shown: { heading: "Started on", group: "company", width: 13 },
    description: "Date the activity started, YYYY-MM-DD.",
  },
  {
    name: "cnae_primary",
    stored: { type: "text", column: "cnae_primary", table: "cnae_primary" },
    written: "activity",
    shown: { heading: "Primary activity", group: "activity", width: 10 },
    description: "Primary activity, 7 digits.",
  },
  {
    name: "cnae_primary_description",
    stored: { type: "text", column: "cnae_primary", table: "cnae_description" },
    shown: { heading: "Name of the activity", group: "activity", width: 36, sheet: 42 },
    freeText: true,
    unwatched: "derived",
    description: "Name of the primary activity.",
  },
  {
    name: "cnae_secondary",
    stored: { type: "codes", column: "cnae_secondary" },
    written: "activity",
    shown: { heading: "Secondary activities", group: "activity", width: 24, sheet: 32 },
    description: "Secondary activities, 7 digits each.",
  },
  {
    name: "legal_nature",
    stored: { type: "text", column: "legal_nature", table: "legal_nature" },
    written: "nature",
    shown: { heading: "Legal nature", group: "nature", width: 8 },
    description: "Legal nature, 4 digits.",
  },
  {
    name: "legal_nature_description",
    stored: { type: "text", column: "legal_nature", table: "legal_nature_description" },
    shown: { heading: "Name of the nature", group: "nature", width: 28, sheet: 32 },
    freeText: true,
    unwatched: "derived",
    description: "Name of the legal nature.",
  },
  {
    name: "company_size_code",
    stored: { type: "text", column: "company_size_code", table: "company_size_code" },
    written: "size",
    shown: { heading: "Size", group: "nature", width: 6 },
    description: "00 not informed, 01 micro, 03 small, 05 other.",
  },
  {
    name: "share_capital",
    stored: { type: "cents", column: "share_capital_cents" },
    shown: { heading: "Share capital (R$)", group: "nature", width: 16, sheet: 16 },
    description: "Share capital in reais, to the cent.",
  },
  {
    name: "simples_opt_in",
    stored: { type: "flag", column: "simples_opt_in" },
    shown: { heading: "Simples", group: "regime", width: 9 },
    description: "Whether the company is in Simples Nacional.",
  },
  {
    name: "mei_opt_in",
    stored: { type: "flag", column: "mei_opt_in" },
    shown: { heading: "MEI", group: "regime", width: 7 },
    description: "Whether the company is a MEI.",
  },
  {
    name: "uf",
    stored: { type: "text", column: "uf", table: "uf" },
    shown: { heading: "State", group: "place", width: 6, sheet: 6 },
    description: "State, two letters; EX is abroad.",
  },
  {
    name: "municipality_ibge",
    stored: { type: "text", column: "municipality_ibge", table: "municipality_ibge" },
    shown: { heading: "IBGE code", group: "place", width: 9 },
    description: "IBGE municipality code, 7 digits.",
  },
  {
    name: "municipality_tom",
    stored: { type: "text", column: "municipality_tom", table: "municipality_tom" },
    written: "city_code",
    shown: { heading: "TOM code", group: "place", width: 7 },
    description: "TOM (SIAFI) municipality code, 4 digits.",
  },
  {
    name: "municipality_name",
    stored: { type: "text", column: "municipality_tom", table: "municipality_name" },
    shown: { heading: "Municipality", group: "place", width: 20, sheet: 24 },
    freeText: true,
    unwatched: "derived",
    description: "Name of the municipality.",
  },
  {
    name: "municipality_population",
    stored: { type: "number", column: "municipality_ibge", table: "municipality_population" },
    shown: { heading: "Population", group: "place", width: 12 },
    unwatched: "derived",
    description: "Population of the municipality.",
  },
  {
    name: "district",
    stored: { type: "text", column: "district" },
    shown: { heading: "District", group: "address", width: 18, sheet: 22 },
    freeText: true,
    description: "District (bairro).",
  },
  {
    name: "street",
    stored: { type: "text", column: "street" },
    shown: { heading: "Street", group: "address", width: 28, sheet: 32 },
    freeText: true,
    description: "Street type and street.",
  },
  {
    name: "street_number",
    stored: { type: "text", column: "street_number" },
    shown: { heading: "Number", group: "address", width: 9 },
    freeText: true,
    description: "Number in the street.",
  },
  {
    name: "address_complement",
    stored: { type: "text", column: "address_complement" },
    shown: { heading: "Complement", group: "address", width: 22, sheet: 24 },
    freeText: true,
    description: "Rest of the address.",
  },
  {
    name: "postal_code",
    stored: { type: "postal_code", column: "postal_code" },
    shown: { heading: "Postal code", group: "address", width: 10 },
    description: "CEP, 8 digits.",
  },
  {
    name: "country_code",
    stored: { type: "text", column: "country_code", table: "country_code" },
    written: "country_code",
    shown: { heading: "Country", group: "address", width: 9 },
    description: "Country, 3-digit code of the registry.",
  },
  {
    name: "foreign_city",
    stored: { type: "text", column: "foreign_city" },
    shown: { heading: "City abroad", group: "address", width: 18, sheet: 24 },
    freeText: true,
    description: "City abroad.",
  },
  {
    name: "email",
    stored: { type: "text", column: "email" },
    shown: { heading: "E-mail", group: "contact", width: 30, sheet: 32 },
    freeText: true,
    contact: true,
    description: "E-mail address.",
  },
  {
    name: "phone_1",
    stored: { type: "phone", column: "phone_1" },
    shown: { heading: "Phone", group: "contact", width: 16, sheet: 17 },
    contact: true,
    description: "First phone, E.164.",
  },
  {
    name: "phone_2",
    stored: { type: "phone", column: "phone_2" },
    shown: { heading: "Second phone", group: "contact", width: 16, sheet: 17 },
    contact: true,
    description: "Second phone, E.164.",
  },
  {
    name: "sanctioned",
    stored: { type: "flag", column: "sanctioned" },
    shown: { heading: "Sanctioned", group: "rank", width: 11 },
    description: "Whether a sanction in CEIS, the federal list, is in force; null if not imported.",
  },
  {
    name: "score",
    stored: { type: "number", column: "score" },
    shown: { heading: "Balanced score", group: "rank", width: 9 },
    unwatched: "derived",
    description: "Score of the strategy `balanced`, 0-1000; an explanation shows the others.",
  },
  ...WIDER_FIELDS,
] as const satisfies readonly FieldRow[];

/** Fields that only the addon reads, to explain a score; clients cannot request them. */
export const HIDDEN_FIELDS = [
  { name: "score_contactable", stored: { type: "number", column: "score_contactable" } },
  { name: "score_newest", stored: { type: "number", column: "score_newest" } },
  { name: "score_established", stored: { type: "number", column: "score_established" } },
] as const satisfies readonly Pick<FieldRow, "name" | "stored">[];
