/**
 * The filters of a spec one by one. What comes in: the filters of a normalized spec. What goes out:
 * those that are set, each with the members that make it, and the filters without one or with one
 * alone.
 * Invariant: every member of the filters belongs to one row of the table; what is cleared is in
 * normal form again.
 */
import type { AccountQuerySpec } from "../spec/schema.ts";

type Filters = AccountQuerySpec["filters"];
type Group = keyof Filters;
type Groups = Record<Group, Record<string, unknown>>;

/** One filter as people see it. */
export interface FilterPart {
  readonly name: string;
  /** Members that make it, such as `geo/uf_any_of`. */
  readonly members: readonly (readonly [group: Group, member: string])[];
  /** Names that an explanation has for what met it. */
  readonly matched: readonly string[];
}

/** Members in normal form where they filter nothing; the extensions are then absent. */
const UNSET: Readonly<Record<Group, Readonly<Record<string, unknown>>>> = {
  industry: { cnae_any_of: [], cnae_exclude: [], text_hints: [] },
  geo: { uf_any_of: [], municipality_ibge_any_of: [], municipality_tom_any_of: [] },
  company: {
    registration_status_any_of: [],
    company_size_code_any_of: [],
    headquarters_only: false,
    simples_opt_in: null,
    mei_opt_in: null,
    started_after: null,
    started_before: null,
  },
  contact: { require_email: false, require_phone: false, require_any_contact: false },
};

function part(
  name: string,
  group: Group,
  members: readonly string[],
  matched: readonly string[],
): FilterPart {
  return { name, members: members.map((member) => [group, member] as const), matched };
}

/** Every filter, in the order in which they are told. */
export const FILTER_PARTS: readonly FilterPart[] = [
  part("cnae", "industry", ["cnae_any_of"], ["cnae"]),
  part("cnae_exclude", "industry", ["cnae_exclude"], []),
  part("text_hints", "industry", ["text_hints"], ["text_hint"]),
  part("uf", "geo", ["uf_any_of"], ["uf"]),
  part(
    "municipality",
    "geo",
    ["municipality_ibge_any_of", "municipality_tom_any_of"],
    ["municipality_ibge", "municipality_tom"],
  ),
  part("postal_code", "geo", ["postal_code_prefix_any_of"], ["postal_code"]),
  part("area_code", "geo", ["area_code_any_of"], ["area_code"]),
  part("registration_status", "company", ["registration_status_any_of"], ["registration_status"]),
  part("company_size", "company", ["company_size_code_any_of"], ["company_size_code"]),
  part("legal_nature", "company", ["legal_nature_any_of"], ["legal_nature"]),
  part("headquarters", "company", ["headquarters_only"], ["headquarters"]),
  part("simples", "company", ["simples_opt_in"], ["simples_opt_in"]),
  part("mei", "company", ["mei_opt_in"], ["mei_opt_in"]),
  part("started", "company", ["started_after", "started_before"], ["started_on"]),
  part("share_capital", "company", ["share_capital_min", "share_capital_max"], ["share_capital"]),
  part("email", "contact", ["require_email"], ["email"]),
  part("phone", "contact", ["require_phone"], ["phone"]),
  part("any_contact", "contact", ["require_any_contact"], ["any_contact"]),
];

/** The filters that are set. */
export function setParts(filters: Filters): readonly FilterPart[] {
  return FILTER_PARTS.filter(({ members }) => members.some((place) => isSet(filters, place)));
}

/** Pointers of the members of a filter that are set, such as `/filters/geo/uf_any_of`. */
export function pointersOf(filters: Filters, { members }: FilterPart): string[] {
  return members
    .filter((place) => isSet(filters, place))
    .map(([group, member]) => `/filters/${group}/${member}`);
}

/** The filters without some of them. */
export function without(filters: Filters, parts: readonly FilterPart[]): Filters {
  const copy = copyOf(filters);
  for (const { members } of parts) {
    for (const [group, member] of members) {
      const unset = UNSET[group][member];
      if (unset === undefined) delete copy[group][member];
      else copy[group][member] = unset;
    }
  }
  return copy as unknown as Filters;
}

/** One filter and no other; what a filter means (the mode of activities) stays as it is. */
export function alone(filters: Filters, wanted: FilterPart): Filters {
  return without(
    filters,
    FILTER_PARTS.filter((other) => other !== wanted),
  );
}

function copyOf({ industry, geo, company, contact }: Filters): Groups {
  return {
    industry: { ...industry },
    geo: { ...geo },
    company: { ...company },
    contact: { ...contact },
  };
}

function isSet(filters: Filters, [group, member]: readonly [Group, string]): boolean {
  const value = (filters as unknown as Groups)[group][member];
  return Array.isArray(value) ? value.length > 0 : value !== UNSET[group][member];
}
