/**
 * The rules for irregular values and rows of the dump. A cleaner (a function that parses a field)
 * returns a number even if the field is empty or breaks a rule, so that it allocates nothing.
 * Invariant: a cleaner returns a real value, ABSENT, or the code of exactly one rule. No real value
 * (dates in days, cents, keys, lengths) is below -2^31 + 1024.
 */

/**
 * All rules, with their meaning in the import report. `example` is `value` if the report may show
 * offending values, or `count` if it may only count them, because they can be personal.
 */
export const RULES = {
  /** The report shows the reason, never the row. */
  row_malformed: {
    example: "value",
    text: "The row is malformed; it is left out, as --skip-bad-rows allows.",
  },
  cnpj_invalid: {
    example: "value",
    text: "The CNPJ is not 12 letters or digits and 2 digits; the row is left out.",
  },
  cnpj_check_digits: { example: "value", text: "The CNPJ's check digits are wrong; it is kept." },
  cnpj_zeros: {
    example: "value",
    text: "The CNPJ has lost zeros in front; they are added, as its check digits confirm.",
  },
  root_zeros: {
    example: "value",
    text: "The CNPJ root of a company or Simples row has lost zeros in front; they are added.",
  },
  cnpj_duplicate: { example: "value", text: "The CNPJ occurs again; the first row stays." },
  company_duplicate: {
    example: "value",
    text: "The company occurs again; the row with a name stays.",
  },
  company_missing: {
    example: "value",
    text: "The establishment has no company row; name is null, size 00.",
  },
  simples_orphan: {
    example: "value",
    text: "The Simples row has no establishment; it is ignored.",
  },
  simples_duplicate: {
    example: "value",
    text: "The company occurs again in Simples; the first row stays.",
  },
  date_invalid: {
    example: "value",
    text: "The date does not exist in the calendar; it becomes null.",
  },
  date_early: { example: "value", text: "The date is before 1800-01-01; it becomes null." },
  date_late: {
    example: "value",
    text: "The date is over 7 days after the snapshot; it becomes null.",
  },
  capital_invalid: {
    example: "value",
    text: "The share capital is not a number; it becomes null.",
  },
  capital_too_large: {
    example: "value",
    text: "The share capital exceeds 2^53 cents; it becomes null.",
  },
  phone_area: {
    example: "count",
    text: "The phone's area code is not 11 to 99; the phone becomes null.",
  },
  phone_number: {
    example: "count",
    text: "The phone number is not 7 to 9 digits; it becomes null.",
  },
  email_invalid: { example: "count", text: "The e-mail does not look like one; it becomes null." },
  cpf_removed: { example: "count", text: "A CPF was removed from a sole trader's name." },
  trade_name_cpf_removed: {
    example: "count",
    text: "A CPF was removed from a trade name.",
  },
  text_windows: {
    example: "count",
    text: "A text has characters of Windows-1252 that ISO-8859-1 lacks; they are read as such.",
  },
  text_control: {
    example: "count",
    text: "A text has control characters or direction marks; they become blanks.",
  },
  postal_code_invalid: {
    example: "value",
    text: "The postal code is not 8 digits; it becomes null.",
  },
  status_invalid: {
    example: "value",
    text: "The registration status is unknown; it becomes null.",
  },
  headquarters_invalid: { example: "value", text: "The head office flag is neither 1 nor 2." },
  size_invalid: { example: "value", text: "The company size is unknown; it becomes 00." },
  nature_invalid: { example: "value", text: "The legal nature is not a code; it becomes null." },
  qualification_invalid: {
    example: "value",
    text: "The qualification is not a code; it becomes null.",
  },
  reason_invalid: { example: "value", text: "The status reason is not a code; it becomes null." },
  cnae_invalid: {
    example: "value",
    text: "The primary activity is not a code of 7 digits, or 6 without its zero; it becomes null.",
  },
  cnae_secondary_invalid: {
    example: "value",
    text: "A secondary activity is not a code of 7 digits, or 6 without its zero; it is left out.",
  },
  cnae_secondary_repeated: {
    example: "value",
    text: "A secondary activity occurs again in the same row; it is kept once.",
  },
  code_zeros: {
    example: "value",
    text: "A code or postal code has lost zeros in front; they are added.",
  },
  uf_invalid: { example: "value", text: "The state is not one of the 27 or EX; it becomes null." },
  municipality_invalid: {
    example: "value",
    text: "The municipality is not a code; it becomes null.",
  },
  country_invalid: { example: "value", text: "The country is not a code; it becomes null." },
  flag_invalid: {
    example: "value",
    text: "A Simples or MEI flag is not S, N or blank; it counts as no.",
  },
  flag_excluded: {
    example: "value",
    text: "A Simples or MEI flag is S, but the option was excluded later; it counts as yes.",
  },
  flag_not_excluded: {
    example: "value",
    text: "A Simples or MEI flag is N with an option date but no exclusion; it counts as no.",
  },
  cnae_unknown: {
    example: "value",
    text: "The activity is not in the Cnaes table; the code is kept.",
  },
  nature_unknown: {
    example: "value",
    text: "The nature is not in the Naturezas table; the code is kept.",
  },
  reason_unknown: {
    example: "value",
    text: "The reason is not in the Motivos table; the code is kept.",
  },
  qualification_unknown: {
    example: "value",
    text: "The qualification is not in its table; the code is kept.",
  },
  country_unknown: {
    example: "value",
    text: "The country is not in the Paises table; the code is kept.",
  },
  municipality_unknown: {
    example: "value",
    text: "The municipality has no IBGE code; that becomes null.",
  },
  /** Only for Arrow and Parquet files. In a dump, such a text makes the row malformed. */
  text_long: {
    example: "count",
    text: "A text has 65,535 bytes or more; it becomes null.",
  },
} as const satisfies Record<string, { example: "value" | "count"; text: string }>;

/** Name of a rule in the import report. */
export type Rule = keyof typeof RULES;

/** All rule names, in table order. A rule's number is its index here. */
export const RULE_NAMES = Object.keys(RULES) as readonly Rule[];

/** Returned for a field that is empty, or holds one of the registry's spellings of "nothing". */
export const ABSENT = -2147483648;

/** Smallest real value; ABSENT and the codes of rules are below it. */
const VALUE_MIN = ABSENT + 1024;

/** Returns a cleaner's code for a value that breaks this rule. */
export function oddCode(rule: Rule): number {
  return ABSENT + 1 + RULE_NAMES.indexOf(rule);
}

/** True if a cleaner's result is a value, neither absent nor irregular. */
export function isValue(answer: number): boolean {
  return answer >= VALUE_MIN;
}

/** Returns the rule of a cleaner's result, or null for a value or ABSENT. */
export function ruleOf(answer: number): Rule | null {
  if (answer >= VALUE_MIN || answer === ABSENT) return null;
  return RULE_NAMES[answer - ABSENT - 1] ?? null;
}
