/**
 * Facets of things that an account has or has not. What comes in: filters with their total, and
 * what counts filters. What goes out: the same facet that a pass over all matches gives.
 * Invariant: exact, value by value and in the same order; costs a few counts, which are
 * intersections of stored sets, where a pass over a million matches costs 10 ms and more.
 */
import type { Facet, FacetName, FacetValue } from "../search/facet.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";

type Filters = AccountQuerySpec["filters"];

/** Facets that can be had by counting. */
export const FLAG_FACETS = ["mei", "simples", "contact"] as const satisfies readonly FacetName[];

/** Name of such a facet. */
export type FlagFacet = (typeof FLAG_FACETS)[number];

/** Filters and how to count them. */
export interface Counted {
  readonly filters: Filters;
  /** Exact number of matches of these or other filters. */
  readonly count: (filters: Filters) => number;
}

/** Whether a facet can be had by counting. */
export function isFlagFacet(name: FacetName): name is FlagFacet {
  return FLAG_FACETS.some((flag) => flag === name);
}

/** The facet of the matches of filters. */
export function flagFacet(name: FlagFacet, counted: Counted): Facet {
  const values = name === "contact" ? contacts(counted) : choices(`${name}_opt_in`, counted);
  const found = values.filter(({ count }) => count > 0);
  found.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return { values: found, other: { values: 0, count: 0 }, missing: 0 };
}

function choices(
  member: "mei_opt_in" | "simples_opt_in",
  { filters, count }: Counted,
): FacetValue[] {
  const total = count(filters);
  const chosen = filters.company[member];
  if (chosen !== null) return [{ value: chosen, count: total }];
  const having = count({ ...filters, company: { ...filters.company, [member]: true } });
  return [
    { value: true, count: having },
    { value: false, count: total - having },
  ];
}

function contacts({ filters, count }: Counted): FacetValue[] {
  const having = (member: keyof Filters["contact"]) =>
    count({ ...filters, contact: { ...filters.contact, [member]: true } });
  const email = having("require_email");
  const phone = having("require_phone");
  const any = having("require_any_contact");
  return [
    { value: "none", count: count(filters) - any },
    { value: "email", count: any - phone },
    { value: "phone", count: any - email },
    { value: "email_and_phone", count: email + phone - any },
  ];
}
