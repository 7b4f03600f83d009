/**
 * The JSON Schemas (2020-12) of the lead query 1.0, the flat spec that people write by hand: as
 * sent, and in normal form with its static type.
 * Invariant: translate/leads/leadquery.ts accepts only LEAD_INPUT_SCHEMA and returns only
 * LEAD_SCHEMA; tests verify both.
 */
import Type from "typebox";
import {
  COMPANY_SIZE_CODES,
  REGISTRATION_STATUSES,
  SORT_DIRECTIONS,
  SORT_FIELDS,
} from "./fields.ts";
import { SPEC_LIMITS } from "./limits.ts";

/** Limits of a lead query, in addition to those of every spec. */
export const LEAD_LIMITS = {
  /** Elements of a list. */
  listMax: 10_000,
  /** Maximum number of activities in one list that are given by name and not by code. */
  activityNamesMax: 100,
} as const;

/** Members of a lead query, in the order of its normal form. */
export const LEAD_MEMBERS = [
  "kind",
  "spec_version",
  "activities",
  "exclude_activities",
  "cities",
  "states",
  "regions",
  "districts",
  "sizes",
  "status",
  "opened_after",
  "opened_before",
  "min_share_capital",
  "has_email",
  "has_phone",
  "only_headquarters",
  "simples",
  "mei",
  "name_contains",
  "sort",
  "limit",
  "one_per_company",
] as const;

const closed = { additionalProperties: false } as const;
const list = { maxItems: LEAD_LIMITS.listMax } as const;
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const codes = (pattern: string, description: string) =>
  Type.Array(Type.String({ pattern }), { ...list, description });
const date = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" });
const flag = (description: string) => orNull(Type.Boolean({ description }));
const capital = Type.Number({ minimum: 0, maximum: SPEC_LIMITS.shareCapitalMax });
const limit = Type.Integer({ minimum: 1, maximum: SPEC_LIMITS.searchLimitMax });
const district = Type.Object(
  {
    municipality_ibge: Type.String({ pattern: "^\\d{7}$" }),
    name: Type.String({ minLength: 1 }),
  },
  closed,
);
const sortKey = Type.Object(
  { field: Type.Enum([...SORT_FIELDS]), direction: Type.Enum([...SORT_DIRECTIONS]) },
  closed,
);

/** Normal form of a lead query: codes for names, states for regions, and all defaults. */
export const LEAD_SCHEMA = Type.Object(
  {
    kind: Type.Literal("lead_query"),
    spec_version: Type.Literal("1.0"),
    activities: codes("^\\d{4}-\\d/\\d{2}$", "Subclasses as NNNN-N/NN, sorted."),
    exclude_activities: codes("^\\d{4}-\\d/\\d{2}$", "Subclasses left out, sorted."),
    cities: codes("^(\\d{7}|\\d{4})$", "IBGE codes; TOM codes of places without one."),
    states: codes("^[A-Z]{2}$", "States, those of the regions included, sorted."),
    regions: Type.Array(Type.String(), { maxItems: 0, description: "They became states." }),
    districts: Type.Optional(
      Type.Array(district, {
        maxItems: SPEC_LIMITS.districtsMax,
        description: "Municipalities with folded names, sorted. Absent unless used.",
      }),
    ),
    sizes: Type.Array(Type.Enum([...COMPANY_SIZE_CODES]), list),
    status: Type.Array(Type.Enum([...REGISTRATION_STATUSES]), {
      ...list,
      description: "Empty: any.",
    }),
    opened_after: orNull(date),
    opened_before: orNull(date),
    min_share_capital: orNull(capital),
    has_email: flag("Both null: an e-mail address or a phone is needed."),
    has_phone: flag("Both null: an e-mail address or a phone is needed."),
    only_headquarters: Type.Boolean(),
    simples: flag("null: no filter."),
    mei: flag("null: no filter."),
    name_contains: Type.Array(Type.String(), { maxItems: SPEC_LIMITS.textHintsMax }),
    sort: Type.Array(sortKey, { maxItems: SPEC_LIMITS.sortKeysMax }),
    limit,
    one_per_company: Type.Boolean(),
  },
  { ...closed, description: "Lead query, normalized." },
);

/** A lead query in normal form. */
export type LeadQuery = Type.Static<typeof LEAD_SCHEMA>;

const text = Type.String({ maxLength: SPEC_LIMITS.stringLengthMax });
const textOrNumber = Type.Union([text, Type.Integer()]);
const oneOrMore = (schema: Type.TSchema, maxItems: number, description: string) =>
  Type.Union([schema, Type.Array(schema, { maxItems })], { description });
const words = (description: string) => oneOrMore(text, LEAD_LIMITS.listMax, description);
const wordsOrNumbers = (description: string) =>
  oneOrMore(textOrNumber, LEAD_LIMITS.listMax, description);
const partialDate = (description: string) =>
  orNull(Type.String({ pattern: "^\\d{4}(-\\d{2}(-\\d{2})?)?$", description }));
const inputFlag = (description: string) =>
  Type.Union([Type.Boolean(), Type.Null()], { description });
const districtInput = Type.Union([
  text,
  Type.Object({ municipality_ibge: Type.String(), name: text }, closed),
]);
const sortInput = Type.Union([
  text,
  Type.Object(
    {
      field: Type.Enum([...SORT_FIELDS]),
      direction: Type.Optional(Type.Enum([...SORT_DIRECTIONS])),
    },
    closed,
  ),
]);

/** The lead query as a client may write it; all members are optional. */
export const LEAD_INPUT_SCHEMA = Type.Partial(
  Type.Object({
    kind: Type.Literal("lead_query"),
    spec_version: Type.Literal("1.0"),
    activities: words(
      "Names of activities (padaria, dentists) or codes: NNNN-N/NN, 7 digits, a prefix of 2 to 5 " +
        "digits, a section letter A-U.",
    ),
    exclude_activities: words("The same spellings; these activities are left out."),
    cities: wordsOrNumbers(
      "Names, with or without the state (Florianópolis, Bom Jesus/PI, Bom Jesus - PI), accents " +
        "and case do not count; or IBGE codes (7 digits, or the first 6), or TOM codes (1 to 4 " +
        "digits). If several cities have the name, the state capital is taken, or else the city " +
        "with ten times the accounts of all others, or else all; explain names the choice.",
    ),
    states: words(
      "Two letters or names; EX is abroad. With cities, accounts in either match. But a state of " +
        "one of the cities only tells which city is meant.",
    ),
    regions: words(
      "Norte, Nordeste, Centro-Oeste, Sudeste, Sul, or in English; each stands for its states.",
    ),
    districts: oneOrMore(
      districtInput,
      SPEC_LIMITS.districtsMax,
      "Accounts in one of these districts (bairros): names with their city (Savassi, Belo " +
        "Horizonte), names alone if cities has the city, or objects as in district_any_of. Then " +
        "cities and states only locate the districts.",
    ),
    sizes: wordsOrNumbers(
      "não informado (00), micro (01), pequena (03), outras (05: medium and large); in English " +
        "not informed, micro, small, other; or codes.",
    ),
    status: wordsOrNumbers(
      "nula (1), ativa (2), suspensa (3), inapta (4), baixada (8); in English null, active, " +
        "suspended, unfit, closed; or codes. Missing: active. Empty: any.",
    ),
    opened_after: partialDate("Opened on this day or later: YYYY-MM-DD, YYYY-MM or YYYY."),
    opened_before: partialDate("Opened before this day."),
    min_share_capital: orNull(
      Type.Number({
        minimum: 0,
        maximum: SPEC_LIMITS.shareCapitalMax,
        description: "Reais, at most two decimals.",
      }),
    ),
    has_email: inputFlag(
      "true: only accounts with an e-mail. Without has_email and has_phone, an account needs an " +
        "e-mail or a phone; false for one of them removes this condition.",
    ),
    has_phone: inputFlag("true: only accounts with a phone. See has_email."),
    only_headquarters: inputFlag("true: head offices only."),
    simples: inputFlag("true: in Simples Nacional; false: known not to be."),
    mei: inputFlag("true: a MEI; false: known not to be."),
    name_contains: oneOrMore(
      text,
      SPEC_LIMITS.textHintsMax,
      "Phrases; every word of one of them must be in the legal or trade name.",
    ),
    sort: oneOrMore(
      sortInput,
      SPEC_LIMITS.sortKeysMax,
      "best, newest, oldest, largest, smallest, highest_capital, lowest_capital, name, or a sort " +
        "field of an account spec, alone or with its direction.",
    ),
    limit: Type.Integer({
      minimum: 1,
      maximum: SPEC_LIMITS.searchLimitMax,
      description: "Maximum number of leads in an answer; 100 by default.",
    }),
    one_per_company: Type.Boolean({
      description: "true, the default: only the best-ranked match of each company (cnpj_root).",
    }),
  }),
  { ...closed, description: "Lead query, as a client may write it." },
);
