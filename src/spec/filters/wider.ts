/**
 * The wider filters: those that sort out whom a list is for. What comes in: nothing. What goes
 * out: their rows, which stand in the table (`table.ts`) among those of their groups.
 * Invariant: as that of the table; each is absent from the normal form unless it is used.
 */
import type { Shapes } from "../shapes.ts";

const CNAE = "^\\d{4}-\\d/\\d{2}$";

/** A row of a yes that is absent where it is not said. */
function only<
  const Group extends "company" | "contact",
  const Member extends string,
  const Part extends string,
>(group: Group, { member, part, what }: { member: Member; part: Part; what: string }) {
  return {
    group,
    member,
    part,
    unset: undefined,
    normal: (shape: Shapes) => shape.only(`${what} Absent unless used.`),
    input: (shape: Shapes) => shape.onlySent(what),
    read: "only",
    reason: { name: part, shows: "met" },
  } as const;
}

/** A number from 1 on that a snapshot has counted at its import. */
function counted<
  const Group extends "company" | "contact",
  const Member extends string,
  const Part extends string,
>(group: Group, { member, part, what }: { member: Member; part: Part; what: string }) {
  return {
    group,
    member,
    part,
    unset: undefined,
    needs: "counts",
    normal: (shape: Shapes) => shape.count(`${what} Absent unless used.`),
    input: (shape: Shapes) => shape.orNull(shape.count(what)),
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
    input: (shape: Shapes) =>
      shape.orNull(
        shape.texts(
          "Secondary activities, spelled as in cnae_any_of, whatever secondary_cnae_mode says.",
        ),
      ),
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
    input: (shape: Shapes) =>
      shape.districtsSent("Any one suffices; accents, case and runs of spaces do not count."),
    read: "districts",
    reason: { name: "district", shows: "district" },
  },
  branches_only: only("company", {
    member: "branches_only",
    part: "branches",
    what: "Branches only.",
  }),
  establishments_min: counted("company", {
    member: "establishments_min",
    part: "establishments",
    what: "Active establishments of the company, inclusive.",
  }),
  establishments_max: counted("company", {
    member: "establishments_max",
    part: "establishments",
    what: "Active establishments of the company, inclusive.",
  }),
  require_mobile: only("contact", {
    member: "require_mobile",
    part: "mobile",
    what: "Has a mobile: nine digits, the first is 9.",
  }),
  require_landline: only("contact", {
    member: "require_landline",
    part: "landline",
    what: "Has a landline: seven or eight digits.",
  }),
  require_own_domain: {
    ...only("contact", {
      member: "require_own_domain",
      part: "own_domain",
      what: "Has an e-mail beside the public mail providers.",
    }),
    needs: "counts",
  },
  email_shared_max: counted("contact", {
    member: "email_shared_max",
    part: "email_shared",
    what: "At most so many companies have the same e-mail; 1 is its own.",
  }),
  any_of: {
    group: "lists",
    member: "any_of",
    part: "lists",
    unset: undefined,
    normal: (shape: Shapes) => shape.listIds("In one of these lists. Absent unless used."),
    input: (shape: Shapes) => shape.listIdsSent("In one of these lists."),
    read: "listIds",
    reason: { name: "lists", shows: "met" },
  },
  exclude: {
    group: "lists",
    member: "exclude",
    part: "lists_exclude",
    unset: undefined,
    normal: (shape: Shapes) => shape.listIds("In none of these lists. Absent unless used."),
    input: (shape: Shapes) => shape.listIdsSent("In none of these."),
    read: "listIds",
  },
  phone_shared_max: counted("contact", {
    member: "phone_shared_max",
    part: "phone_shared",
    what: "As email_shared_max; of two phones the least shared one counts.",
  }),
  phone_any_of: {
    group: "contact",
    member: "phone_any_of",
    part: "phone_number",
    unset: undefined,
    narrows: true,
    needs: "contacts",
    reveals: ["phone_1", "phone_2"],
    normal: (shape: Shapes) =>
      shape.phones("Numbers as +55, area code and number, sorted. Absent unless used."),
    input: (shape: Shapes) =>
      shape.orNull(
        shape.contactsSent("One of the phones is among these. Any spelling with an area code."),
      ),
    read: "phones",
    reason: { name: "phone_number", shows: "met" },
  },
  email_any_of: {
    group: "contact",
    member: "email_any_of",
    part: "email_address",
    unset: undefined,
    narrows: true,
    needs: "contacts",
    reveals: ["email"],
    normal: (shape: Shapes) => shape.emails("Addresses in lower case, sorted. Absent unless used."),
    input: (shape: Shapes) =>
      shape.orNull(shape.contactsSent("The e-mail is among these; case does not count.")),
    read: "emails",
    reason: { name: "email_address", shows: "met" },
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
