/**
 * Determines which quirk a row of a sample shows, if any. A quirk is an oddity of the real
 * registry, such as a NUL byte.
 * Invariant: quirks take turns on evenly spaced rows, so no row has two. Tests can therefore
 * compute the number of each quirk, to check an import's report.
 */

/** Quirks of an Estabelecimentos row. All occur in the real registry. */
export const ESTABLISHMENT_QUIRKS = [
  "nul_byte",
  "doubled_quotes",
  "backslash_before_quote",
  "newline_in_field",
  "semicolon_in_field",
  "blank_line_after",
  "date_invalid",
  "date_far_future",
  "date_before_1800",
  "date_one_day_late",
  "status_date_zero",
  "row_twice",
  "cnpj_twice",
  "check_digits_wrong",
  "branch_alphanumeric",
  "flag_disagrees",
  "country_unknown",
  "reason_unknown",
  "municipality_newest",
  "municipality_foreign",
  "cnae_discontinued",
  "cnae_not_informed",
  "cnae_97_secondary",
  "area_leading_zeros",
  "area_zero",
  "phone_zero",
  "phone_5_digits",
  "phone_7_digits",
  "email_junk",
  "postal_code_7_digits",
  "postal_code_blank",
  "postal_code_junk",
  "accents",
  "spaces",
  "only_spaces",
  "special_status",
] as const;

/** Quirks of a company. They affect Empresas, and an alphanumeric root affects all files. */
export const COMPANY_QUIRKS = [
  "root_alphanumeric",
  "company_missing",
  "company_twice",
  "phantom_before",
  "phantom_after",
  "size_empty",
  "nature_not_informed",
  "capital_thousands_dots",
  "capital_sentinel",
  "capital_bank",
  "qualification_unknown",
  "entity_single_space",
  "name_empty",
  "name_quotes",
  "name_backslash",
  "cpf_formatted",
] as const;

/** Quirks of a Simples row. */
export const SIMPLES_QUIRKS = ["simples_orphan", "flags_blank", "mei_date_empty"] as const;

/** Quirk of an Estabelecimentos row. */
export type EstablishmentQuirk = (typeof ESTABLISHMENT_QUIRKS)[number];
/** Quirk of a company. */
export type CompanyQuirk = (typeof COMPANY_QUIRKS)[number];
/** Quirk of a Simples row. */
export type SimplesQuirk = (typeof SIMPLES_QUIRKS)[number];

/** Rows between two quirks in a large sample. One row in about 18,000 has a given quirk. */
const SPACING = 500;

/** Returns the rows between quirks. A small sample has fewer, so that each quirk occurs. */
export function quirkSpacing(rows: number, quirks: number): number {
  return Math.max(1, Math.min(SPACING, Math.floor(rows / (quirks + 1))));
}

/** Returns the index of the quirk of row `row` (from 0), or -1. */
export function quirkAt(row: number, rows: number, quirks: number): number {
  const spacing = quirkSpacing(rows, quirks);
  if (row % spacing !== spacing - 1) return -1;
  return Math.floor(row / spacing) % quirks;
}

/** Returns how often each quirk of a list occurs in the first `rows` rows, in list order. */
export function quirkCounts(rows: number, quirks: number): number[] {
  const shown = Math.floor(rows / quirkSpacing(rows, quirks));
  return Array.from(
    { length: quirks },
    (_, quirk) => Math.floor(shown / quirks) + (quirk < shown % quirks ? 1 : 0),
  );
}

/** Returns how often each quirk occurs in a sample of this size. */
export function expectedQuirks(establishments: number, companies: number): Record<string, number> {
  const lists = [
    [ESTABLISHMENT_QUIRKS, establishments],
    [COMPANY_QUIRKS, companies],
    [SIMPLES_QUIRKS, companies],
  ] as const;
  const counts: Record<string, number> = {};
  for (const [list, rows] of lists) {
    const numbers = quirkCounts(rows, list.length);
    for (const [index, quirk] of list.entries()) counts[quirk] = numbers[index] as number;
  }
  return counts;
}
