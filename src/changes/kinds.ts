/**
 * The kinds of account changes, the fields that can be watched, and groups of these fields.
 * Invariant: names only. Apart because the browser console loads it too, without Node or the addon.
 * Each watchable field belongs to one group.
 */
import { fieldRow, OUTPUT_FIELD_NAMES, type OutputField } from "../spec/fields.ts";

/** Every kind of change. */
export const CHANGE_KINDS = ["entered", "left", "changed"] as const;

/** A kind of change. */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Watchable fields if both snapshots know the sanctions, in field order. */
export const WATCHABLE_FIELDS = OUTPUT_FIELD_NAMES.filter(
  (name) => fieldRow(name).unwatched === undefined,
);

/** Groups of watchable fields by the name in `changed_any_of`. */
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
  simples: ["simples_opt_in"],
  mei: ["mei_opt_in"],
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
