/**
 * JSON Schemas of requests and answers for lookups by name and by company. Part of the table in
 * schemas.ts.
 */
import Type, { type TSchema } from "typebox";
import { FITS } from "../../../search/finding.ts";
import { CNPJ_REFUSALS } from "../../../spec/cnpj/cnpjspelling.ts";
import { CONTACT_REASONS } from "../../../spec/contacts/contactrefusal.ts";
import {
  closed,
  count,
  cursor,
  hasMore,
  named,
  orNull,
  requestId,
  source,
  text,
  tookMs,
} from "../../openapi/schema-parts.ts";

const suggestion = Type.Object(
  {
    match: Type.Enum([...FITS], {
      description:
        "How it fits: cnpj its number is what was typed, or begins with the root that was; " +
        "phone, email it has what was typed; " +
        "name_start a name begins with all of the text; whole_words all words are in its names; " +
        "word_starts they are, or begin words that are; one_edit, two_edits with so many edits " +
        "in all.",
    }),
    account: named("Account", "With the fields of suggestions that the plan has."),
  },
  closed,
);

const number = Type.Object(
  {
    kind: Type.Enum(["cnpj", "root"]),
    value: text("In upper case, without punctuation."),
    check_digits_right: orNull(
      Type.Boolean({ description: "False for a mistyped CNPJ; null for a root, which has none." }),
    ),
  },
  { ...closed, description: "What the text was read as." },
);

const refused = Type.Object(
  {
    reason: Type.Enum(Object.keys(CNPJ_REFUSALS)),
    offered: Type.Optional(text("For lost_zeros: the CNPJ with its zeros.")),
  },
  { ...closed, description: "Reason why a text that looks like a number is not a CNPJ." },
);

const contact = Type.Object(
  {
    kind: Type.Enum(["phone", "email"]),
    value: text("As contact.phone_any_of or contact.email_any_of of a spec has it."),
    total: count("Accounts that have it, in all states."),
    total_in_uf: Type.Optional(count("Accounts of uf that have it; absent without uf.")),
  },
  {
    ...closed,
    description: "What the text was read as; null if it is no phone or e-mail that is looked up.",
  },
);

const contactRefused = Type.Object(
  {
    kind: Type.Enum(["phone", "email"]),
    reason: Type.Enum([...CONTACT_REASONS], {
      description:
        "field_not_allowed the plan does not include phones or e-mails; not_in_snapshot an " +
        "earlier version imported the snapshot; missing_area_code, unknown_area_code, " +
        "foreign_number the number is none of Brazil with its area code; several_contacts the " +
        "text holds more than one; too_short, too_long the phone has too few or too many digits; " +
        "email_blank, email_character, email_domain the e-mail has a blank, a wrong character, " +
        "or no proper domain.",
    }),
  },
  {
    ...closed,
    description: "Why a phone or an e-mail was not looked up; null if a CNPJ found accounts.",
  },
);

const district = Type.Object(
  {
    name: text("As the account with the best score spells it."),
    accounts: count("Accounts of any status that name it, however they spell it."),
  },
  closed,
);

/** Schemas of lookups by name. */
export const FINDING_SCHEMAS = {
  SuggestAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      provenance: named("Provenance"),
      suggestions: Type.Array(suggestion, { description: "Best first." }),
      number: orNull(number),
      refused: orNull(refused),
      contact: orNull(contact),
      contact_refused: orNull(contactRefused),
      took_ms: tookMs,
    },
    closed,
  ),
  DistrictsAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      provenance: named("Provenance"),
      municipality_ibge: text("Its 7 digits."),
      municipality_name: text("Its name."),
      uf: orNull(text("Its state.")),
      districts: Type.Array(district, { description: "In the order of the route." }),
      total: count("Districts that fit."),
      took_ms: tookMs,
    },
    closed,
  ),
  Partnerships: Type.Object(
    {
      companies: Type.Array(
        Type.Object(
          {
            cnpj_root: text("The 8 characters of the other company."),
            legal_name: orNull(text("Null if the snapshot has no account of it.")),
            qualification: orNull(text("Code of the registry, 2 digits, such as 22 for partner.")),
            qualification_name: orNull(text("Its official name, in Portuguese; null if unknown.")),
            since: orNull(text("Day on which the partner entered, YYYY-MM-DD.")),
          },
          closed,
        ),
        { description: "Ascending by root." },
      ),
      total: count("Companies of this direction."),
      next: orNull(text("Root to continue after; null at the end.")),
    },
    { ...closed, description: "Companies only; persons are never imported. Null if not imported." },
  ),
  CompanyAnswer: Type.Object(
    {
      request_id: requestId,
      ...source,
      provenance: named("Provenance"),
      cnpj_root: text("The 8 characters, in upper case."),
      accounts: Type.Array(named("Account"), { description: "Head offices first, then by CNPJ." }),
      owners: orNull(named("Partnerships")),
      owns: orNull(named("Partnerships")),
      next_cursor: cursor,
      has_more: hasMore,
      total: count("Establishments of the company."),
      took_ms: tookMs,
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
