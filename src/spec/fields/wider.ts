/**
 * The wider output fields, which help choose accounts to contact; they end the table (`table.ts`).
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
    counted: true,
    unwatched: "derived",
    description: "Number of companies with this e-mail address; 1: only this company.",
  },
  {
    name: "phone_1_shared",
    stored: { type: "number", column: "phone_1_shared", table: "number" },
    shown: { heading: "Companies of the phone", group: "contact", width: 12 },
    contact: true,
    counted: true,
    unwatched: "derived",
    description: "Number of companies that have the first phone as one of their phones.",
  },
  {
    name: "phone_2_shared",
    stored: { type: "number", column: "phone_2_shared", table: "number" },
    shown: { heading: "Companies of the second phone", group: "contact", width: 12 },
    contact: true,
    counted: true,
    unwatched: "derived",
    description: "Number of companies that have the second phone as one of their phones.",
  },
  {
    name: "establishments",
    stored: { type: "number", column: "establishments", table: "number" },
    shown: { heading: "Establishments", group: "company", width: 14 },
    counted: true,
    unwatched: "derived",
    description: "Active establishments of the company in the snapshot.",
  },
  {
    name: "email_own_domain",
    stored: { type: "flag", column: "email_own_domain" },
    shown: { heading: "Own e-mail domain", group: "contact", width: 10 },
    contact: true,
    counted: true,
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
] as const;
