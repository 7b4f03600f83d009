/**
 * Additional output fields, which help users choose accounts to contact. They are the last rows of
 * the table of fields (`table.ts`).
 */

/** The rows, in the public order. */
export const WIDER_FIELDS = [
  {
    name: "phone_1_kind",
    stored: { type: "phone_kind", column: "phone_1" },
    shown: { heading: "Kind of phone", group: "contact", width: 13 },
    contact: true,
    unwatched: "derived",
    description: "Kind of the first phone: mobile or landline; null if neither.",
  },
  {
    name: "phone_2_kind",
    stored: { type: "phone_kind", column: "phone_2" },
    shown: { heading: "Kind of second phone", group: "contact", width: 20 },
    contact: true,
    unwatched: "derived",
    description: "Kind of the second phone: mobile or landline; null if neither.",
  },
  {
    name: "email_shared",
    stored: { type: "number", column: "email_shared", table: "number" },
    shown: { heading: "Companies of the e-mail", group: "contact", width: 12 },
    contact: true,
    needs: "counts",
    unwatched: "derived",
    description: "Number of companies with this e-mail address; 1: only this company.",
  },
  {
    name: "phone_1_shared",
    stored: { type: "number", column: "phone_1_shared", table: "number" },
    shown: { heading: "Companies of the phone", group: "contact", width: 12 },
    contact: true,
    needs: "counts",
    unwatched: "derived",
    description: "Number of companies that have the first phone as one of their phones.",
  },
  {
    name: "phone_2_shared",
    stored: { type: "number", column: "phone_2_shared", table: "number" },
    shown: { heading: "Companies of the second phone", group: "contact", width: 12 },
    contact: true,
    needs: "counts",
    unwatched: "derived",
    description: "Number of companies that have the second phone as one of their phones.",
  },
  {
    name: "establishments",
    stored: { type: "number", column: "establishments", table: "number" },
    shown: { heading: "Establishments", group: "company", width: 14 },
    needs: "counts",
    unwatched: "derived",
    description: "Active establishments of the company in the snapshot.",
  },
  {
    name: "email_own_domain",
    stored: { type: "flag", column: "email_own_domain" },
    shown: { heading: "Own e-mail domain", group: "contact", width: 10 },
    contact: true,
    needs: "counts",
    unwatched: "derived",
    description:
      "Whether the e-mail's domain is not a public mail provider's; null without e-mail.",
  },
  {
    name: "whatsapp",
    stored: { type: "whatsapp", column: "phone_1" },
    shown: { heading: "WhatsApp", group: "contact", width: 28, sheet: 30 },
    contact: true,
    unwatched: "derived",
    description: "Link that opens WhatsApp with the first mobile phone; null if there is none.",
  },
  {
    name: "simples_excluded_on",
    stored: { type: "date", column: "simples_excluded_on" },
    shown: { heading: "Left Simples on", group: "regime", width: 13 },
    needs: "exclusions",
    description: "Day on which the company was excluded from Simples Nacional, YYYY-MM-DD.",
  },
  {
    name: "mei_excluded_on",
    stored: { type: "date", column: "mei_excluded_on" },
    shown: { heading: "Left MEI on", group: "regime", width: 13 },
    needs: "exclusions",
    description: "Day on which the company ceased to be a MEI, YYYY-MM-DD.",
  },
  {
    name: "in_cnep",
    stored: { type: "flag", column: "in_cnep" },
    shown: { heading: "In the CNEP", group: "rank", width: 11 },
    unwatched: "listed",
    description: "Whether a punishment in CNEP is in force; null if not imported.",
  },
  {
    name: "in_cepim",
    stored: { type: "flag", column: "in_cepim" },
    shown: { heading: "In the CEPIM", group: "rank", width: 12 },
    unwatched: "listed",
    description: "Whether it is barred from agreements (CEPIM); null if not imported.",
  },
  {
    name: "federal_debt",
    stored: { type: "flag", column: "federal_debt" },
    shown: { heading: "Federal debt", group: "rank", width: 12 },
    unwatched: "listed",
    description:
      "Whether PGFN lists it as a debtor of the federal government; null if not imported.",
  },
  {
    name: "federal_debt_total",
    stored: { type: "cents", column: "federal_debt_cents" },
    shown: { heading: "Federal debt (R$)", group: "rank", width: 16, sheet: 16 },
    unwatched: "listed",
    description:
      "Sum in reais, to the cent, of the registered debts of which it is the main debtor; null " +
      "without debt.",
  },
  {
    name: "federal_debt_fgts",
    stored: { type: "flag", column: "federal_debt_fgts" },
    shown: { heading: "Debt to the FGTS", group: "rank", width: 11 },
    unwatched: "listed",
    description: "Whether it owes to the severance fund (FGTS); null if not imported.",
  },
  {
    name: "federal_debt_social_security",
    stored: { type: "flag", column: "federal_debt_social_security" },
    shown: { heading: "Debt to social security", group: "rank", width: 14 },
    unwatched: "listed",
    description: "Whether it owes social security contributions; null if not imported.",
  },
  {
    name: "federal_debt_other",
    stored: { type: "flag", column: "federal_debt_other" },
    shown: { heading: "Other federal debt", group: "rank", width: 12 },
    unwatched: "listed",
    description: "Whether it owes other federal taxes or fines; null if not imported.",
  },
  {
    name: "owned_companies",
    stored: { type: "number", column: "cnpj", counted: "owned_companies" },
    shown: { heading: "Companies it owns", group: "company", width: 12 },
    unwatched: "listed",
    description: "Companies of which it is a partner; null if not imported.",
  },
  {
    name: "owner_companies",
    stored: { type: "number", column: "cnpj", counted: "owner_companies" },
    shown: { heading: "Companies that own it", group: "company", width: 12 },
    unwatched: "listed",
    description: "Companies that are its partners; null if not imported.",
  },
] as const;
