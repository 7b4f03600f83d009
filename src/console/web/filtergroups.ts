/**
 * The filters in groups as the form shows them. What comes in: a query. What goes out: how many
 * filters of a group are set, and the query without them.
 * Invariant: every member of the filters belongs to exactly one group; both ends of a span count
 * as one filter.
 */
import { clearPointer, emptyQuery, type Query } from "./question.ts";

/** Names of the groups, in the order of the form; the order of results is none of them. */
export const GROUPS = [
  "activity",
  "place",
  "company",
  "opened",
  "contact",
  "capital",
  "name",
] as const;

/** Name of a group. */
export type GroupName = (typeof GROUPS)[number];

/** The filters of each group: members of the spec that are one filter together. */
const FILTERS: Readonly<Record<GroupName, readonly (readonly string[])[]>> = {
  activity: [["industry/cnae_any_of"], ["industry/cnae_exclude"]],
  place: [
    ["geo/uf_any_of"],
    ["geo/municipality_ibge_any_of", "geo/municipality_tom_any_of"],
    ["geo/postal_code_prefix_any_of"],
    ["geo/area_code_any_of"],
  ],
  company: [
    ["company/registration_status_any_of"],
    ["company/company_size_code_any_of"],
    ["company/headquarters_only"],
    ["company/simples_opt_in"],
    ["company/mei_opt_in"],
  ],
  opened: [["company/started_after", "company/started_before"]],
  contact: [["contact/require_email"], ["contact/require_phone"], ["contact/require_any_contact"]],
  capital: [
    ["company/share_capital_min", "company/share_capital_max"],
    ["company/legal_nature_any_of"],
  ],
  name: [["industry/text_hints"]],
};

/** Number of filters of a group that are set. */
export function countSet(query: Query, group: GroupName): number {
  return FILTERS[group].filter((members) => members.some((path) => isSet(query, path))).length;
}

/** Number of all filters that are set. */
export function countAll(query: Query): number {
  return GROUPS.reduce((sum, group) => sum + countSet(query, group), 0);
}

/** Takes the filters of a group out of a draft. */
export function clearGroup(draft: Query, group: GroupName): void {
  for (const path of FILTERS[group].flat()) clearPointer(draft, `/filters/${path}`);
}

const BLANK = emptyQuery();

function isSet(query: Query, path: string): boolean {
  const [group = "", member = ""] = path.split("/");
  const at = ({ filters }: Query) =>
    (filters as unknown as Record<string, Record<string, unknown>>)[group]?.[member];
  const value = at(query);
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== at(BLANK);
}
