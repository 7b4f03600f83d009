/**
 * The closed lists of the public contract, in their public order: output fields, sort fields,
 * scoring strategies, export formats, secondary CNAE modes, and the code lists of filters.
 * Invariant: every other place (snapshot columns, allowlists, CSV header, OpenAPI, status) derives
 * its list from here, so all places have the same names. The output fields are the rows of
 * fields/table.ts.
 */
import { FIELD_TYPES, FIELDS, type FieldRow } from "./fields/table.ts";

/** Name of an output field. */
export type OutputField = (typeof FIELDS)[number]["name"];

/** Type of a field's JSON value. The value of every field except `cnpj` may also be null. */
export type FieldKind = (typeof FIELD_TYPES)[keyof typeof FIELD_TYPES];

/** One output field: its table row, and the type of its JSON value. */
interface OutputFieldRow extends FieldRow {
  readonly name: OutputField;
  readonly kind: FieldKind;
}

/** Every output field of an account, in the public order, that of the columns in an export. */
export const OUTPUT_FIELDS: readonly OutputFieldRow[] = FIELDS.map((row) => ({
  ...row,
  kind: FIELD_TYPES[row.stored.type],
}));

/** Names of all output fields, in the public order. */
export const OUTPUT_FIELD_NAMES: readonly OutputField[] = FIELDS.map(({ name }) => name);

/** Returns the row of an output field. */
export function fieldRow(name: OutputField): OutputFieldRow {
  return ROWS.get(name) as OutputFieldRow;
}

const ROWS: ReadonlyMap<string, OutputFieldRow> = new Map(
  OUTPUT_FIELDS.map((row) => [row.name, row]),
);

/** The fields returned under every plan if `output.fields` is empty. */
export const DEFAULT_FIELDS: readonly OutputField[] = [
  "cnpj",
  "legal_name",
  "uf",
  "municipality_ibge",
  "cnae_primary",
];

/** Fields a result can be sorted by. */
export const SORT_FIELDS = [
  "score",
  "started_on",
  "share_capital",
  "legal_name",
  "cnpj",
  "company_size",
  "municipality_population",
] as const;

/** Name of a sort field. */
export type SortField = (typeof SORT_FIELDS)[number];

/** Directions of a sort key. */
export const SORT_DIRECTIONS = ["asc", "desc"] as const;

/** The documented scores by which results can be ordered. */
export const SCORING_STRATEGIES = [
  "balanced",
  "contactable",
  "newest",
  "established",
  "random",
] as const;

/** Formats an export can be written in. */
export const EXPORT_FORMATS = ["csv", "html", "xlsx", "parquet", "jsonl"] as const;

/** Formats of text files; only these can be compressed. */
export const TEXT_FORMATS: readonly string[] = ["csv", "html", "jsonl"];

/** Ways to compress a text file. The first one is the default. */
export const COMPRESSIONS = ["none", "gzip", "zstd"] as const;

/** Compression of a text file, which may be "none". */
export type Packing = (typeof COMPRESSIONS)[number];

/** Compression of a file that is compressed. */
export type Compression = Exclude<Packing, "none">;

/** Delimiters between the cells of a CSV file; the first is the default. */
export const CSV_DELIMITERS = [",", ";"] as const;

/** Modes in which a search also matches secondary activity codes. */
export const SECONDARY_CNAE_MODES = ["off", "fallback", "full"] as const;

/** Name of a secondary CNAE mode. */
export type SecondaryCnaeMode = (typeof SECONDARY_CNAE_MODES)[number];

/** Codes of `registration_status`: null, active, suspended, unfit, closed. */
export const REGISTRATION_STATUSES = [1, 2, 3, 4, 8] as const;

/** Codes of `company_size_code`: not informed, micro, small, other. */
export const COMPANY_SIZE_CODES = ["00", "01", "03", "05"] as const;

/** The 27 states and EX (abroad), in alphabetical order. */
export const UFS = [
  ..."AC AL AM AP BA CE DF ES EX GO MA MG MS MT".split(" "),
  ..."PA PB PE PI PR RJ RN RO RR RS SC SE SP TO".split(" "),
] as readonly string[];
