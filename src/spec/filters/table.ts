/**
 * Lists the filters of a spec, one row for each, and the parts of the console's form that they
 * belong to. The schemas, the normal form, the identity of a spec, the check for specs that are too
 * broad, and the console's queries are derived from these rows.
 * Invariant: no code runs here, so that the browser can load this file. Code for the other parts
 * (docs/contributing.md, "Add a filter") does not compile until each row has an entry.
 */
import type { TSchema } from "typebox";
import type { OptionalData } from "../catalog.ts";
import type { OutputField } from "../fields.ts";
import { COMPANY_SIZE_CODES, REGISTRATION_STATUSES, SECONDARY_CNAE_MODES } from "../fields.ts";
import type { Shapes } from "../shapes.ts";
import { RECORD_FILTERS, WIDER, WIDER_CONTACTS } from "./wider.ts";

/** The groups of filters, in the order of a spec. */
export const FILTER_GROUPS = ["industry", "geo", "company", "contact", "lists"] as const;

/** Groups that are absent from the normal form if none of their members is set. */
export const OPTIONAL_GROUPS: readonly FilterGroup[] = ["lists"];

/** Sections of the console's form, in the order in which they are shown. */
export const SECTIONS = [
  "activity",
  "lists",
  "place",
  "company",
  "opened",
  "contact",
  "record",
  "capital",
  "name",
] as const;

/** Roles of words that the translator converts to filters. */
export const FILTER_ROLES = [
  "activity",
  "place",
  "date",
  "status",
  "size",
  "regime",
  "headquarters",
  "contact",
  "capital",
  "nature",
  "name",
  "list",
] as const;

/** A filter as users see it. */
interface PartRow {
  /** Section of the console's form that contains the part. */
  readonly section: (typeof SECTIONS)[number];
  /** Role that the translator assigns to the words of the part. */
  readonly role: (typeof FILTER_ROLES)[number];
}

/** The filters as users see them, in display order. Some consist of two members of a spec. */
export const PARTS = {
  cnae: { section: "activity", role: "activity" },
  cnae_exclude: { section: "activity", role: "activity" },
  cnae_secondary: { section: "activity", role: "activity" },
  text_hints: { section: "name", role: "name" },
  uf: { section: "place", role: "place" },
  municipality: { section: "place", role: "place" },
  district: { section: "place", role: "place" },
  postal_code: { section: "place", role: "place" },
  area_code: { section: "place", role: "place" },
  registration_status: { section: "company", role: "status" },
  company_size: { section: "company", role: "size" },
  legal_nature: { section: "capital", role: "nature" },
  headquarters: { section: "company", role: "headquarters" },
  branches: { section: "company", role: "headquarters" },
  establishments: { section: "company", role: "headquarters" },
  simples: { section: "company", role: "regime" },
  mei: { section: "company", role: "regime" },
  started: { section: "opened", role: "date" },
  share_capital: { section: "capital", role: "capital" },
  email: { section: "contact", role: "contact" },
  phone: { section: "contact", role: "contact" },
  any_contact: { section: "contact", role: "contact" },
  mobile: { section: "contact", role: "contact" },
  landline: { section: "contact", role: "contact" },
  own_domain: { section: "contact", role: "contact" },
  email_shared: { section: "contact", role: "contact" },
  phone_shared: { section: "contact", role: "contact" },
  phone_number: { section: "contact", role: "contact" },
  email_address: { section: "contact", role: "contact" },
  status_changed: { section: "record", role: "date" },
  status_reason: { section: "record", role: "status" },
  simples_excluded: { section: "record", role: "regime" },
  mei_excluded: { section: "record", role: "regime" },
  sanction: { section: "record", role: "status" },
  federal_debt: { section: "record", role: "status" },
  federal_debt_total: { section: "record", role: "capital" },
  federal_debt_kind: { section: "record", role: "status" },
  owned_by: { section: "record", role: "list" },
  owned_companies: { section: "record", role: "list" },
  owner_companies: { section: "record", role: "list" },
  contact_missing: { section: "contact", role: "contact" },
  lists: { section: "lists", role: "list" },
  lists_exclude: { section: "lists", role: "list" },
} as const satisfies Readonly<Record<string, PartRow>>;

/** How to explain that an account meets a filter. */
interface Reason {
  readonly name: string;
  /** The fact about the account that is shown. `met` shows only that the filter is met. */
  readonly shows:
    | OutputField
    | "activity"
    | "secondary"
    | "hint"
    | "wanted_phone"
    | "wanted_email"
    | "met";
}

/** One member of a spec's filters. */
interface FilterShape {
  readonly group: (typeof FILTER_GROUPS)[number];
  readonly member: string;
  /** The filter that users see. Null for a member that only modifies another filter. */
  readonly part: keyof typeof PARTS | null;
  /** Set for filters that narrow a search. A spec without any of these is too broad. */
  readonly narrows?: true;
  /** Import data that the filter needs and older snapshots lack. */
  readonly needs?: OptionalData;
  /** Output fields whose values the filter reveals. A plan must include all of them. */
  readonly reveals?: readonly OutputField[];
  /** Schema of the normal form. */
  readonly normal: (shape: Shapes) => TSchema;
  /** Schema of accepted input, if it differs from the normal form. */
  readonly input?: (shape: Shapes) => TSchema;
  readonly reason?: Reason;
}

/** Readers that return a value even if the filter is unset. */
type AlwaysRead = "flag" | "mode";

/** All other readers. Each is a method in read.ts. */
type ReadIfSet =
  | "areaCodes"
  | "capital"
  | "cnaes"
  | "count"
  | "date"
  | "debtKinds"
  | "depth"
  | "districts"
  | "either"
  | "emails"
  | "hints"
  | "ibges"
  | "listIds"
  | "missing"
  | "natures"
  | "only"
  | "optIn"
  | "phones"
  | "postalPrefixes"
  | "reasons"
  | "roots"
  | "sanctions"
  | "secondaryCnaes"
  | "sizes"
  | "statuses"
  | "toms"
  | "ufs";

/** Name of a reader of values. */
export type ReadName = AlwaysRead | ReadIfSet;

/** The value that a member has if it is not set, and the name of the reader for its normal form. */
type Form =
  /**
   * A member that is absent if it is not set. All filters added after the first version are of this
   * form, so that older specs stay the same.
   */
  | { readonly unset: undefined; readonly read: ReadIfSet }
  /**
   * A member that has this value if it is not set. The filters of the first version are of this
   * form.
   */
  | { readonly unset: readonly [] | false | null | string; readonly read: ReadName };

const CNAE = "^\\d{4}-\\d/\\d{2}$";
const OWN_DAYS = { name: "started_on", shows: "started_on" } as const;
const OWN_CAPITAL = { name: "share_capital", shows: "share_capital" } as const;

/** Every filter, in the order of a spec. */
export const FILTERS = [
  {
    group: "industry",
    member: "cnae_any_of",
    part: "cnae",
    unset: [],
    narrows: true,
    normal: (shape) => shape.codes(CNAE, "Subclasses as NNNN-N/NN, sorted."),
    input: (shape) => shape.textsOf("cnae_any_of"),
    read: "cnaes",
    reason: { name: "cnae", shows: "activity" },
  },
  {
    group: "industry",
    member: "cnae_exclude",
    part: "cnae_exclude",
    unset: [],
    normal: (shape) => shape.codes(CNAE, "Subclasses left out, sorted."),
    input: (shape) => shape.textsOf("cnae_exclude"),
    read: "cnaes",
  },
  {
    group: "industry",
    member: "secondary_cnae_mode",
    part: null,
    unset: "off",
    normal: (shape) => shape.explained(SECONDARY_CNAE_MODES, "secondary_cnae_mode"),
    read: "mode",
  },
  {
    group: "industry",
    member: "text_hints",
    part: "text_hints",
    unset: [],
    narrows: true,
    normal: (shape) => shape.phrases("Folded words joined by single spaces."),
    input: (shape) => shape.phrasesSent("text_hints"),
    read: "hints",
    reason: { name: "text_hint", shows: "hint" },
  },
  WIDER.cnae_secondary_any_of,
  {
    group: "geo",
    member: "uf_any_of",
    part: "uf",
    unset: [],
    narrows: true,
    normal: (shape) => shape.codes("^[A-Z]{2}$", "States in upper case, sorted."),
    input: (shape) => shape.texts("The 27 states and EX, in any case."),
    read: "ufs",
    reason: { name: "uf", shows: "uf" },
  },
  {
    group: "geo",
    member: "municipality_ibge_any_of",
    part: "municipality",
    unset: [],
    narrows: true,
    normal: (shape) => shape.codes("^\\d{7}$", "IBGE codes, 7 digits, sorted."),
    input: (shape) => shape.texts("7 digits, or 6 without the check digit."),
    read: "ibges",
    reason: { name: "municipality_ibge", shows: "municipality_ibge" },
  },
  {
    group: "geo",
    member: "municipality_tom_any_of",
    part: "municipality",
    unset: [],
    narrows: true,
    normal: (shape) => shape.codes("^\\d{4}$", "TOM codes, 4 digits, sorted."),
    input: (shape) => shape.texts("1 to 4 digits; a union with the IBGE list."),
    read: "toms",
    reason: { name: "municipality_tom", shows: "municipality_tom" },
  },
  {
    group: "geo",
    member: "postal_code_prefix_any_of",
    part: "postal_code",
    unset: undefined,
    narrows: true,
    normal: (shape) =>
      shape.codes("^[0-9]{1,8}$", "CEP prefixes, 1 to 8 digits. Absent unless used."),
    input: (shape) => shape.orNull(shape.texts("CEP prefixes, 1 to 8 digits.")),
    read: "postalPrefixes",
    reason: { name: "postal_code", shows: "postal_code" },
  },
  {
    group: "geo",
    member: "area_code_any_of",
    part: "area_code",
    unset: undefined,
    narrows: true,
    normal: (shape) =>
      shape.codes(
        "^(1[1-9]|[2-9][0-9])$",
        "Area codes of either phone, 2 digits. Absent unless used.",
      ),
    input: (shape) => shape.orNull(shape.texts("Area codes of either phone, 2 digits.")),
    read: "areaCodes",
    reason: { name: "area_code", shows: "met" },
  },
  WIDER.district_any_of,
  {
    group: "company",
    member: "registration_status_any_of",
    part: "registration_status",
    unset: [],
    normal: (shape) =>
      shape.list(
        shape.oneOf(
          REGISTRATION_STATUSES,
          "1 void (nula), 2 active, 3 suspended, 4 unfit, 8 closed.",
        ),
      ),
    input: (shape) => shape.numbersOrTexts("registration_status_any_of"),
    read: "statuses",
    reason: { name: "registration_status", shows: "registration_status" },
  },
  {
    group: "company",
    member: "company_size_code_any_of",
    part: "company_size",
    unset: [],
    normal: (shape) =>
      shape.list(shape.oneOf(COMPANY_SIZE_CODES, "00 not informed, 01 micro, 03 small, 05 other.")),
    input: (shape) => shape.numbersOrTexts("company_size_code_any_of"),
    read: "sizes",
    reason: { name: "company_size_code", shows: "company_size_code" },
  },
  {
    group: "company",
    member: "headquarters_only",
    part: "headquarters",
    unset: false,
    normal: (shape) => shape.flag("Head offices only."),
    read: "flag",
    reason: { name: "headquarters", shows: "headquarters" },
  },
  {
    group: "company",
    member: "simples_opt_in",
    part: "simples",
    unset: null,
    normal: (shape) => shape.optIn("in Simples Nacional"),
    read: "optIn",
    reason: { name: "simples_opt_in", shows: "simples_opt_in" },
  },
  {
    group: "company",
    member: "mei_opt_in",
    part: "mei",
    unset: null,
    normal: (shape) => shape.optIn("a MEI"),
    read: "optIn",
    reason: { name: "mei_opt_in", shows: "mei_opt_in" },
  },
  {
    group: "company",
    member: "started_after",
    part: "started",
    unset: null,
    normal: (shape) => shape.day(),
    input: (shape) => shape.partialDay(),
    read: "date",
    reason: OWN_DAYS,
  },
  {
    group: "company",
    member: "started_before",
    part: "started",
    unset: null,
    normal: (shape) => shape.day(),
    input: (shape) => shape.partialDay(),
    read: "date",
    reason: OWN_DAYS,
  },
  {
    group: "company",
    member: "share_capital_min",
    part: "share_capital",
    unset: undefined,
    normal: (shape) => shape.capital("Reais, inclusive. Absent unless used."),
    input: (shape) => shape.orNull(shape.capital("Reais, inclusive, at most two decimals.")),
    read: "capital",
    reason: OWN_CAPITAL,
  },
  {
    group: "company",
    member: "share_capital_max",
    part: "share_capital",
    unset: undefined,
    normal: (shape) => shape.capital("Reais, inclusive. Absent unless used."),
    input: (shape) => shape.orNull(shape.capital("Reais, inclusive, at most two decimals.")),
    read: "capital",
    reason: OWN_CAPITAL,
  },
  {
    group: "company",
    member: "legal_nature_any_of",
    part: "legal_nature",
    unset: undefined,
    normal: (shape) =>
      shape.codes("^\\d{4}$", "Legal natures, 4 digits, sorted. Absent unless used."),
    input: (shape) => shape.orNull(shape.texts("4 digits, or a prefix of 1 to 3.")),
    read: "natures",
    reason: { name: "legal_nature", shows: "legal_nature" },
  },
  WIDER.branches_only,
  WIDER.establishments_min,
  WIDER.establishments_max,
  ...RECORD_FILTERS,
  {
    group: "contact",
    member: "require_email",
    part: "email",
    unset: false,
    normal: (shape) => shape.flag("Has an e-mail."),
    read: "flag",
    reason: { name: "email", shows: "met" },
  },
  {
    group: "contact",
    member: "require_phone",
    part: "phone",
    unset: false,
    normal: (shape) => shape.flag("Has a phone."),
    read: "flag",
    reason: { name: "phone", shows: "met" },
  },
  {
    group: "contact",
    member: "require_any_contact",
    part: "any_contact",
    unset: false,
    normal: (shape) => shape.flag("Has an e-mail or a phone."),
    read: "flag",
    reason: { name: "any_contact", shows: "met" },
  },
  ...WIDER_CONTACTS,
  WIDER.any_of,
  WIDER.exclude,
] as const satisfies readonly (FilterShape & Form)[];

/** A row of the table, or the row of one name. */
export type FilterRow<Name extends FilterName = FilterName> = Extract<
  (typeof FILTERS)[number],
  { readonly member: Name }
>;

/** Name of a filter, which is its member's name; unique across groups. */
export type FilterName = (typeof FILTERS)[number]["member"];

/** Name of a group. */
export type FilterGroup = (typeof FILTER_GROUPS)[number];

/** Name of a part. */
export type PartName = keyof typeof PARTS;

/** Names of the filters that users see. All other filters only modify one of these. */
export type PartMember = Exclude<(typeof FILTERS)[number], { readonly part: null }>["member"];
