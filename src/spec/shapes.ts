/**
 * Building blocks for the schemas of filters: JSON Schemas (2020-12) with their static types.
 * Invariant: every list and text is bounded by the limits of a spec.
 */
import Type from "typebox";
import { SPEC_LIMITS } from "./limits.ts";
import { LIST_ID, LISTS_MAX } from "./listids.ts";

const list = { maxItems: SPEC_LIMITS.arrayLengthMax } as const;
const contacts = { maxItems: SPEC_LIMITS.contactsMax } as const;

/** Returns the schema of an enum of literals, with its static type. */
export function oneOf<const Values extends readonly (string | number)[]>(
  values: Values,
  description: string,
) {
  return Type.Enum([...values] as Values[number][], { description });
}

/** A boolean, default false. */
export const flag = (description: string) => Type.Boolean({ description, default: false });
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const DAY = "^\\d{4}-\\d{2}-\\d{2}$";
const PARTIAL_DAY = "^\\d{4}(-\\d{2}(-\\d{2})?)?$";
const day = Type.String({ pattern: DAY });
const partialDay = Type.String({
  pattern: PARTIAL_DAY,
  description: "YYYY-MM-DD, YYYY-MM or YYYY (their first day).",
});
const phrases = (description: string, schema = Type.String()) =>
  Type.Array(schema, { maxItems: SPEC_LIMITS.textHintsMax, description });

const contactsSent = (description: string) =>
  orNull(
    Type.Array(Type.String({ maxLength: SPEC_LIMITS.stringLengthMax }), {
      ...contacts,
      description,
    }),
  );
const capital = (description: string) =>
  Type.Number({ minimum: 0, maximum: SPEC_LIMITS.shareCapitalMax, description });
const only = (description: string) => Type.Literal(true, { description });
const count = (description: string) =>
  Type.Integer({ minimum: 1, maximum: SPEC_LIMITS.countMax, description });
const unlessUsed = (what: Described) => `${DESCRIPTIONS[what]} Absent unless used.`;

/** Functions from which the schemas of filters are built. */
export const SHAPES = {
  oneOf,
  /** One of several words, with a description that explains them. */
  explained: <const Values extends readonly string[]>(values: Values, what: Described) =>
    oneOf(values, DESCRIPTIONS[what]),
  flag,
  /** True, or absent. */
  only,
  onlyWider: (what: Described) => only(unlessUsed(what)),
  /** Schema of the member in a request, without a default: the normal form may omit it. */
  onlyWiderSent: (what: Described) => Type.Boolean({ description: DESCRIPTIONS[what] }),
  orNull,
  phrases: (description: string) => phrases(description),
  phrasesSent: (what: Described) =>
    phrases(DESCRIPTIONS[what], Type.String({ maxLength: SPEC_LIMITS.stringLengthMax })),
  optIn: (what: string) =>
    Type.Union([Type.Boolean(), Type.Null()], {
      description: `null: no filter; false: known not to be ${what}.`,
      default: null,
    }),
  list: <Schema extends Type.TSchema>(schema: Schema) => Type.Array(schema, list),
  codes: (pattern: string, description: string) =>
    Type.Array(Type.String({ pattern }), { ...list, description }),
  listIds: (what: Described) =>
    Type.Array(Type.String({ pattern: LIST_ID.source }), {
      maxItems: LISTS_MAX,
      description: unlessUsed(what),
    }),
  listIdsSent: (what: Described) =>
    Type.Array(Type.String(), { maxItems: LISTS_MAX, description: DESCRIPTIONS[what] }),
  districts: (description: string) =>
    Type.Array(
      Type.Object(
        {
          municipality_ibge: Type.String({ pattern: "^\\d{7}$" }),
          name: Type.String({ minLength: 1 }),
        },
        { additionalProperties: false },
      ),
      { maxItems: SPEC_LIMITS.districtsMax, description },
    ),
  districtsSent: (what: Described) =>
    Type.Array(
      Type.Object(
        {
          municipality_ibge: Type.String(),
          name: Type.String({ maxLength: SPEC_LIMITS.stringLengthMax }),
        },
        { additionalProperties: false },
      ),
      { maxItems: SPEC_LIMITS.districtsMax, description: DESCRIPTIONS[what] },
    ),
  phones: () =>
    Type.Array(Type.String({ pattern: "^\\+55\\d{9,11}$" }), {
      ...contacts,
      description: "Numbers as +55, area code and number, sorted. Absent unless used.",
    }),
  phonesSent: () =>
    contactsSent(
      "One of the phones is among these, in any spelling with an area code. A mobile of 8 digits " +
        "gets a leading 9, as the import does.",
    ),
  emails: () =>
    Type.Array(Type.String({ minLength: 6, maxLength: 254 }), {
      ...contacts,
      description: "Addresses in lower case, sorted. Absent unless used.",
    }),
  emailsSent: () => contactsSent("The e-mail is among these; case does not count."),
  texts: (description: string) =>
    Type.Array(Type.String({ maxLength: SPEC_LIMITS.stringLengthMax }), { ...list, description }),
  textsOf: (what: Described) =>
    Type.Array(Type.String({ maxLength: SPEC_LIMITS.stringLengthMax }), {
      ...list,
      description: DESCRIPTIONS[what],
    }),
  numbersOrTexts: (what: Described) =>
    Type.Array(Type.Union([Type.Integer(), Type.String()]), {
      ...list,
      description: DESCRIPTIONS[what],
    }),
  day: () => orNull(day),
  partialDay: () => orNull(partialDay),
  dayWider: (what: Described) => Type.String({ pattern: DAY, description: unlessUsed(what) }),
  dayWiderSent: (what: Described) =>
    orNull(Type.String({ pattern: PARTIAL_DAY, description: DESCRIPTIONS[what] })),
  /** Schema of a member that is true, false, or absent. */
  eitherWider: (what: Described) => Type.Boolean({ description: unlessUsed(what) }),
  eitherWiderSent: (what: Described) =>
    Type.Union([Type.Boolean(), Type.Null()], { description: DESCRIPTIONS[what] }),
  roots: () =>
    Type.Array(Type.String({ pattern: "^[0-9A-Z]{8}$" }), {
      maxItems: SPEC_LIMITS.rootsMax,
      description: unlessUsed("owned_by_any_of"),
    }),
  rootsSent: () =>
    orNull(
      Type.Array(Type.String({ maxLength: SPEC_LIMITS.stringLengthMax }), {
        maxItems: SPEC_LIMITS.rootsMax,
        description: DESCRIPTIONS.owned_by_any_of,
      }),
    ),
  depth: () =>
    Type.Integer({
      minimum: 2,
      maximum: SPEC_LIMITS.depthMax,
      description: unlessUsed("owned_by_depth"),
    }),
  depthSent: () =>
    orNull(
      Type.Integer({
        minimum: 1,
        maximum: SPEC_LIMITS.depthMax,
        description: DESCRIPTIONS.owned_by_depth,
      }),
    ),
  countWider: (what: Described) => count(unlessUsed(what)),
  countWiderSent: (what: Described) => orNull(count(DESCRIPTIONS[what])),
  capital,
  capitalWider: (what: Described) => capital(unlessUsed(what)),
  capitalWiderSent: (what: Described) => orNull(capital(DESCRIPTIONS[what])),
};

/** Type of the building blocks. */
export type Shapes = typeof SHAPES;

/** Long descriptions of filters; the browser imports the type of their names only. */
const DESCRIPTIONS = {
  branches_only: "Branches only; refused together with headquarters_only.",
  establishments: "Active establishments of the company, inclusive.",
  require_mobile: "Has a mobile: nine digits, the first is 9.",
  require_landline: "Has a landline: seven or eight digits.",
  require_own_domain: "Has an e-mail outside the public mail providers.",
  email_shared_max: "Maximum number of companies with the same e-mail; 1: not shared.",
  phone_shared_max: "Like email_shared_max, for phones; of two, the less shared one counts.",
  any_of: "In one of these lists.",
  exclude: "In none of these lists.",
  cnae_any_of:
    "NNNN-N/NN, 7 digits, a prefix of 2 to 5 digits, or a section letter A-U; expanded to " +
    "the known subclasses.",
  cnae_exclude: "The same spellings; these activities are left out.",
  cnae_secondary_any_of:
    "Secondary activities, spelled as in cnae_any_of, regardless of secondary_cnae_mode.",
  secondary_cnae_mode:
    "off: primary activity only. fallback: secondary matches follow all primary ones. " +
    "full: either. A search accepts only off.",
  text_hints: "Phrases of up to 80 characters; every word of one of them must be in a name.",
  registration_status_any_of:
    "1 void (nula), 2 active, 3 suspended, 4 unfit, 8 closed; integers, or 02. " +
    "Empty: all, closed ones included.",
  company_size_code_any_of: "00 not informed, 01 micro, 03 small, 05 other; strings or integers.",
  district_any_of: "One of these districts; accents and case are ignored.",
  status_since: "Day of the status, from this day on.",
  status_before: "Day of the status, before this day.",
  status_reason_any_of: "Reasons of the status, such as 01 (voluntary closing).",
  simples_excluded_since: "Excluded from Simples Nacional, from this day on.",
  simples_excluded_before: "Excluded from Simples Nacional before this day.",
  mei_excluded_since: "Ceased to be a MEI, from this day on.",
  mei_excluded_before: "Ceased to be a MEI before this day.",
  sanction_any_of: "On one of these lists: ceis, cnep, cepim; each needs its import.",
  sanction_any_of_normal: "Lists of sanctions, sorted. Absent unless used.",
  federal_debt_min: "Total of its debts in PGFN's list in reais, inclusive; needs its import.",
  federal_debt_max: "Like federal_debt_min; companies without debt are left out.",
  federal_debt_any_of: "Has one of these debts (other: neither of the two); needs PGFN's list.",
  federal_debt_any_of_normal: "Kinds of debt, sorted. Absent unless used.",
  has_federal_debt: "Is a debtor in PGFN's list; needs its import.",
  owned_by_any_of:
    "One of these companies (CNPJ or root) is its partner; needs corporate partners.",
  owned_by_depth: "Max steps from the owner to the company; default 1.",
  owned_companies_min: "Is a partner of at least this many companies.",
  owned_companies_max: "Is a partner of at most this many companies, or of none.",
  owner_companies_min: "At least this many companies are its partners.",
  owner_companies_max: "At most this many companies are its partners, or none.",
  missing_any_of: "Lacks one of these: email, phone, mobile, any (neither e-mail nor phone).",
  missing_any_of_normal: "Kinds of contact, sorted. Absent unless used.",
} as const;

/** Name of a description in this file. It describes a filter or both ends of an interval. */
export type Described = keyof typeof DESCRIPTIONS;
