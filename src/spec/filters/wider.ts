/**
 * The wider filters, which help choose accounts to contact; their rows are among those of their
 * groups in the table (`table.ts`).
 * Invariant: a filter that a spec does not set is absent from its normal form.
 */
import type { Described, Shapes } from "../shapes.ts";

const CNAE = "^\\d{4}-\\d/\\d{2}$";

/** A row for true, or absent. */
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

/** A row for a number from 1 on, counted at import. */
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

/** The rows by their members. */
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

/** The rows of contacts, in the order of a spec. */
export const WIDER_CONTACTS = [
  WIDER.require_mobile,
  WIDER.require_landline,
  WIDER.require_own_domain,
  WIDER.email_shared_max,
  WIDER.phone_shared_max,
  WIDER.phone_any_of,
  WIDER.email_any_of,
] as const;
