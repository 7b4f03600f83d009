/**
 * What comes in: nothing. What goes out: the closed lists of the public contract, in their public
 * order: output fields, sort fields, scoring strategies, export formats, secondary CNAE modes and
 * the code lists a filter may name.
 * Invariant: every other place (snapshot columns, allowlists, CSV header, OpenAPI, status) derives
 * its list from here, so a name cannot exist in one place only.
 */

/** What a field's value is in JSON; every field but `cnpj` may be null. */
export type FieldKind = "string" | "integer" | "number" | "boolean" | "array";

/** One output field: its value, whether it reaches a person, and whether people typed it. */
export interface OutputFieldRow {
  readonly name: string;
  readonly kind: FieldKind;
  /** True for e-mail and phones, which the `free` plan does not offer. */
  readonly contact: boolean;
  /** True for text somebody typed; a spreadsheet could run it as a formula. */
  readonly freeText: boolean;
  /** One sentence for the OpenAPI document and the docs. */
  readonly description: string;
}

/** Builds a row of the table from its short form; flags are `c` contact and `t` free text. */
function field<const Name extends string>(
  name: Name,
  kind: FieldKind,
  flags: "" | "c" | "t" | "ct",
  description: string,
): OutputFieldRow & { readonly name: Name } {
  const contact = flags.includes("c");
  return { name, kind, contact, freeText: flags.includes("t"), description };
}

/** Every output field of an account, in the public order (also that of an export's columns). */
export const OUTPUT_FIELDS = [
  field("cnpj", "string", "", "Registration number, 14 characters; the first 12 may be letters."),
  field("cnpj_root", "string", "", "First 8 characters of the CNPJ: the company."),
  field("legal_name", "string", "t", "Legal name of the company."),
  field("trade_name", "string", "t", "Trade name of the establishment."),
  field("headquarters", "boolean", "", "True for the head office, false for a branch."),
  field("registration_status", "integer", "", "1 null, 2 active, 3 suspended, 4 unfit, 8 closed."),
  field("registration_status_date", "string", "", "Date of the status, YYYY-MM-DD."),
  field("registration_status_reason", "string", "", "Reason of the status, 2-digit code."),
  field("started_on", "string", "", "Date the activity started, YYYY-MM-DD."),
  field("cnae_primary", "string", "", "Primary activity, 7 digits."),
  field("cnae_primary_description", "string", "t", "Name of the primary activity."),
  field("cnae_secondary", "array", "", "Secondary activities, 7 digits each."),
  field("legal_nature", "string", "", "Legal nature, 4 digits."),
  field("legal_nature_description", "string", "t", "Name of the legal nature."),
  field("company_size_code", "string", "", "00 not informed, 01 micro, 03 small, 05 other."),
  field("share_capital", "number", "", "Share capital in reais, to the cent."),
  field("simples_opt_in", "boolean", "", "Whether the company is in Simples Nacional."),
  field("mei_opt_in", "boolean", "", "Whether the company is a MEI."),
  field("uf", "string", "", "State, two letters; EX is abroad."),
  field("municipality_ibge", "string", "", "IBGE municipality code, 7 digits."),
  field("municipality_tom", "string", "", "TOM (SIAFI) municipality code, 4 digits."),
  field("municipality_name", "string", "t", "Name of the municipality."),
  field("municipality_population", "integer", "", "Population of the municipality."),
  field("district", "string", "t", "District (bairro)."),
  field("street", "string", "t", "Street type and street."),
  field("street_number", "string", "t", "Number in the street."),
  field("address_complement", "string", "t", "Rest of the address."),
  field("postal_code", "string", "", "CEP, 8 digits."),
  field("country_code", "string", "", "Country, 3-digit code of the registry."),
  field("foreign_city", "string", "t", "City abroad."),
  field("email", "string", "ct", "E-mail address."),
  field("phone_1", "string", "c", "First phone, E.164."),
  field("phone_2", "string", "c", "Second phone, E.164."),
  field(
    "sanctioned",
    "boolean",
    "",
    "Whether a sanction in CEIS is in force; null if not imported.",
  ),
  field("score", "integer", "", "Balanced score, 0-1000; an explanation shows other ones."),
] as const;

/** Name of an output field. */
export type OutputField = (typeof OUTPUT_FIELDS)[number]["name"];

/** Names of all output fields, in the public order. */
export const OUTPUT_FIELD_NAMES: readonly OutputField[] = OUTPUT_FIELDS.map((row) => row.name);

/** The default set of every plan, used where `output.fields` is empty. */
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

/** The documented scores a result can be ordered by. */
export const SCORING_STRATEGIES = [
  "balanced",
  "contactable",
  "newest",
  "established",
  "random",
] as const;

/** Name of a scoring strategy. */
export type ScoringStrategy = (typeof SCORING_STRATEGIES)[number];

/** Formats an export can be written in. */
export const EXPORT_FORMATS = ["csv", "html", "xlsx", "parquet", "jsonl"] as const;

/** What can stand between the cells of a CSV file; the first is the default. */
export const CSV_DELIMITERS = [",", ";"] as const;

/** How secondary activity codes take part in matching. */
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
