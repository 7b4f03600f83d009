/**
 * Groups the output fields for filtering changes (`changed_any_of`).
 * Invariant: each field whose changes can be watched belongs to one group. A published group always
 * keeps its fields. The browser console loads this table too.
 */
import type { OutputField } from "../fields.ts";

/** For each name in `changed_any_of`, the watchable fields of the group. */
const GROUPS = {
  status: ["registration_status", "registration_status_date", "registration_status_reason"],
  address: [
    "uf",
    "municipality_ibge",
    "municipality_tom",
    "district",
    "street",
    "street_number",
    "address_complement",
    "postal_code",
    "country_code",
    "foreign_city",
  ],
  contact: ["email", "phone_1", "phone_2"],
  activity: ["cnae_primary", "cnae_secondary"],
  name: ["legal_name", "trade_name"],
  simples: ["simples_opt_in", "simples_excluded_on"],
  mei: ["mei_opt_in", "mei_excluded_on"],
  size: ["company_size_code"],
  capital: ["share_capital"],
  nature: ["legal_nature"],
  headquarters: ["headquarters"],
  opened: ["started_on"],
  sanctions: ["sanctioned"],
} as const satisfies Readonly<Record<string, readonly OutputField[]>>;

/** Name of a group. */
export type ChangeGroup = keyof typeof GROUPS;

/** Names of all groups. */
export const CHANGE_GROUPS = Object.keys(GROUPS) as readonly ChangeGroup[];

/** Returns the fields of a group. */
export function fieldsOfGroup(group: ChangeGroup): readonly OutputField[] {
  return GROUPS[group];
}
