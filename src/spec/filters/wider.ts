/**
 * Lists additional filters: those that help users choose accounts to contact, and those over the
 * rest of the public record. Their rows are part of the table (`table.ts`), in their groups.
 * Invariant: the same as in table.ts. Each filter is absent from the normal form unless it is used.
 */
import type { Described, Shapes } from "../shapes.ts";

/** The sanction lists that a filter can name. */
export const SANCTION_NAMES = ["ceis", "cnep", "cepim"] as const;

/** The kinds of debt in PGFN's list. */
export const DEBT_KINDS = ["fgts", "social_security", "other"] as const;

/** The kinds of contact that an account may lack. */
export const MISSING_CONTACTS = ["email", "phone", "mobile", "any"] as const;

const CNAE = "^\\d{4}-\\d/\\d{2}$";

/** Returns a row for a filter that is either true or absent. */
function only<
  const Group extends "company" | "contact",
  const Member extends string,
  const Part extends string,
>(group: Group, { member, part }: { member: Member & Described; part: Part }) {
  return {
    group,
    member,
    part,
    unset: undefined,
    normal: (shape: Shapes) => shape.onlyWider(member),
    input: (shape: Shapes) => shape.onlyWiderSent(member),
    read: "only",
    reason: { name: part, shows: "met" },
  } as const;
}

/** Returns a row for a number of 1 or more that was counted at import. */
function counted<
  const Group extends "company" | "contact",
  const Member extends string,
  const Part extends string,
>(group: Group, { member, part, what }: { member: Member; part: Part; what: Described }) {
  return {
    group,
    member,
    part,
    unset: undefined,
    needs: "counts",
    normal: (shape: Shapes) => shape.countWider(what),
    input: (shape: Shapes) => shape.countWiderSent(what),
    read: "count",
    reason: { name: part, shows: "met" },
  } as const;
}

/** The rows of these filters, by member. */
export const WIDER = {
  cnae_secondary_any_of: {
    group: "industry",
    member: "cnae_secondary_any_of",
    part: "cnae_secondary",
    unset: undefined,
    narrows: true,
    normal: (shape: Shapes) =>
      shape.codes(CNAE, "Subclasses as NNNN-N/NN, sorted. Absent unless used."),
    input: (shape: Shapes) => shape.orNull(shape.textsOf("cnae_secondary_any_of")),
    read: "secondaryCnaes",
    reason: { name: "cnae_secondary", shows: "secondary" },
  },
  district_any_of: {
    group: "geo",
    member: "district_any_of",
    part: "district",
    unset: undefined,
    narrows: true,
    needs: "districts",
    normal: (shape: Shapes) =>
      shape.districts("Municipalities with folded names, sorted. Absent unless used."),
    input: (shape: Shapes) => shape.districtsSent("district_any_of"),
    read: "districts",
    reason: { name: "district", shows: "district" },
  },
  branches_only: only("company", {
    member: "branches_only",
    part: "branches",
  }),
  establishments_min: counted("company", {
    member: "establishments_min",
    part: "establishments",
    what: "establishments",
  }),
  establishments_max: counted("company", {
    member: "establishments_max",
    part: "establishments",
    what: "establishments",
  }),
  require_mobile: only("contact", {
    member: "require_mobile",
    part: "mobile",
  }),
  require_landline: only("contact", {
    member: "require_landline",
    part: "landline",
  }),
  require_own_domain: {
    ...only("contact", {
      member: "require_own_domain",
      part: "own_domain",
    }),
    needs: "counts",
  },
  email_shared_max: counted("contact", {
    member: "email_shared_max",
    part: "email_shared",
    what: "email_shared_max",
  }),
  any_of: {
    group: "lists",
    member: "any_of",
    part: "lists",
    unset: undefined,
    narrows: true,
    normal: (shape: Shapes) => shape.listIds("any_of"),
    input: (shape: Shapes) => shape.listIdsSent("any_of"),
    read: "listIds",
    reason: { name: "lists", shows: "met" },
  },
  exclude: {
    group: "lists",
    member: "exclude",
    part: "lists_exclude",
    unset: undefined,
    normal: (shape: Shapes) => shape.listIds("exclude"),
    input: (shape: Shapes) => shape.listIdsSent("exclude"),
    read: "listIds",
  },
  phone_shared_max: counted("contact", {
    member: "phone_shared_max",
    part: "phone_shared",
    what: "phone_shared_max",
  }),
  phone_any_of: {
    group: "contact",
    member: "phone_any_of",
    part: "phone_number",
    unset: undefined,
    narrows: true,
    needs: "contacts",
    reveals: ["phone_1", "phone_2"],
    normal: (shape: Shapes) => shape.phones(),
    input: (shape: Shapes) => shape.phonesSent(),
    read: "phones",
    reason: { name: "phone_number", shows: "wanted_phone" },
  },
  email_any_of: {
    group: "contact",
    member: "email_any_of",
    part: "email_address",
    unset: undefined,
    narrows: true,
    needs: "contacts",
    reveals: ["email"],
    normal: (shape: Shapes) => shape.emails(),
    input: (shape: Shapes) => shape.emailsSent(),
    read: "emails",
    reason: { name: "email_address", shows: "wanted_email" },
  },
} as const;

function dayEnd<
  const Member extends string,
  const Part extends string,
  const Shows extends string,
  const Needs extends { readonly needs?: "exclusions" },
>(row: { member: Member & Described; part: Part; shows: Shows; needs: Needs }) {
  return {
    group: "company",
    member: row.member,
    part: row.part,
    unset: undefined,
    ...row.needs,
    normal: (shape: Shapes) => shape.dayWider(row.member),
    input: (shape: Shapes) => shape.dayWiderSent(row.member),
    read: "date",
    reason: { name: row.part, shows: row.shows },
  } as const;
}

function debtEnd<const Member extends "federal_debt_min" | "federal_debt_max">(member: Member) {
  return {
    group: "company",
    member,
    part: "federal_debt_total",
    unset: undefined,
    needs: "debts",
    normal: (shape: Shapes) => shape.capitalWider(member),
    input: (shape: Shapes) => shape.capitalWiderSent(member),
    read: "capital",
    reason: { name: "federal_debt_total", shows: "federal_debt_total" },
  } as const;
}

function partnersEnd<const Member extends string, const Part extends string>(row: {
  member: Member & Described;
  part: Part;
}) {
  return {
    ...counted("company", { ...row, what: row.member }),
    needs: "partners",
  } as const;
}

const STATUS_DAY = {
  part: "status_changed",
  shows: "registration_status_date",
  needs: {},
} as const;
const SIMPLES_DAY = {
  part: "simples_excluded",
  shows: "simples_excluded_on",
  needs: { needs: "exclusions" },
} as const;
const MEI_DAY = {
  part: "mei_excluded",
  shows: "mei_excluded_on",
  needs: { needs: "exclusions" },
} as const;

/** The rows about status, regimes, public lists, and owners, in the order of a spec. */
export const RECORD_FILTERS = [
  dayEnd({ member: "status_since", ...STATUS_DAY }),
  dayEnd({ member: "status_before", ...STATUS_DAY }),
  {
    group: "company",
    member: "status_reason_any_of",
    part: "status_reason",
    unset: undefined,
    normal: (shape: Shapes) =>
      shape.codes("^\\d{2}$", "Reasons of the status, 2 digits, sorted. Absent unless used."),
    input: (shape: Shapes) => shape.orNull(shape.textsOf("status_reason_any_of")),
    read: "reasons",
    reason: { name: "status_reason", shows: "registration_status_reason" },
  },
  dayEnd({ member: "simples_excluded_since", ...SIMPLES_DAY }),
  dayEnd({ member: "simples_excluded_before", ...SIMPLES_DAY }),
  dayEnd({ member: "mei_excluded_since", ...MEI_DAY }),
  dayEnd({ member: "mei_excluded_before", ...MEI_DAY }),
  {
    group: "company",
    member: "sanction_any_of",
    part: "sanction",
    unset: undefined,
    normal: (shape: Shapes) =>
      shape.list(shape.explained(SANCTION_NAMES, "sanction_any_of_normal")),
    input: (shape: Shapes) => shape.orNull(shape.textsOf("sanction_any_of")),
    read: "sanctions",
    reason: { name: "sanction", shows: "met" },
  },
  {
    group: "company",
    member: "has_federal_debt",
    part: "federal_debt",
    unset: undefined,
    needs: "debts",
    normal: (shape: Shapes) => shape.eitherWider("has_federal_debt"),
    input: (shape: Shapes) => shape.eitherWiderSent("has_federal_debt"),
    read: "either",
    reason: { name: "federal_debt", shows: "met" },
  },
  debtEnd("federal_debt_min"),
  debtEnd("federal_debt_max"),
  {
    group: "company",
    member: "federal_debt_any_of",
    part: "federal_debt_kind",
    unset: undefined,
    needs: "debts",
    normal: (shape: Shapes) =>
      shape.list(shape.explained(DEBT_KINDS, "federal_debt_any_of_normal")),
    input: (shape: Shapes) => shape.orNull(shape.textsOf("federal_debt_any_of")),
    read: "debtKinds",
    reason: { name: "federal_debt_kind", shows: "met" },
  },
  {
    group: "company",
    member: "owned_by_any_of",
    part: "owned_by",
    unset: undefined,
    narrows: true,
    needs: "partners",
    normal: (shape: Shapes) => shape.roots(),
    input: (shape: Shapes) => shape.rootsSent(),
    read: "roots",
    reason: { name: "owned_by", shows: "met" },
  },
  {
    group: "company",
    member: "owned_by_depth",
    part: "owned_by",
    unset: undefined,
    normal: (shape: Shapes) => shape.depth(),
    input: (shape: Shapes) => shape.depthSent(),
    read: "depth",
  },
  partnersEnd({ member: "owned_companies_min", part: "owned_companies" }),
  partnersEnd({ member: "owned_companies_max", part: "owned_companies" }),
  partnersEnd({ member: "owner_companies_min", part: "owner_companies" }),
  partnersEnd({ member: "owner_companies_max", part: "owner_companies" }),
] as const;

/** The rows of contacts, in the order of a spec. */
export const WIDER_CONTACTS = [
  WIDER.require_mobile,
  WIDER.require_landline,
  WIDER.require_own_domain,
  WIDER.email_shared_max,
  WIDER.phone_shared_max,
  WIDER.phone_any_of,
  WIDER.email_any_of,
  {
    group: "contact",
    member: "missing_any_of",
    part: "contact_missing",
    unset: undefined,
    normal: (shape: Shapes) =>
      shape.list(shape.explained(MISSING_CONTACTS, "missing_any_of_normal")),
    input: (shape: Shapes) => shape.orNull(shape.textsOf("missing_any_of")),
    read: "missing",
    reason: { name: "contact_missing", shows: "met" },
  },
] as const;
