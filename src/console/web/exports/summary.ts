/**
 * What a spec finds, in one line for people. What comes in: a spec, and the catalog where it is
 * loaded. What goes out: phrases, the most telling first; the address that asks the same.
 * Invariant: every filter that is set is named. Without the catalog codes stand for names, so that
 * nothing waits for it.
 */
import { encodeAddress } from "../address.ts";
import type { Filters, Spec } from "../answers.ts";
import type { CatalogBook } from "../catalogbook.ts";
import { describeFilter } from "../filterwords.ts";
import { queryOf } from "../question.ts";
import { words } from "../words.ts";

/** Whether a filter is set, by its name; in the order in which a person would tell them. */
const IS_SET: readonly (readonly [name: string, set: (filters: Filters) => boolean])[] = [
  ["cnae", ({ industry }) => industry.cnae_any_of.length > 0],
  ["text_hints", ({ industry }) => industry.text_hints.length > 0],
  ["cnae_exclude", ({ industry }) => industry.cnae_exclude.length > 0],
  [
    "municipality",
    ({ geo }) => geo.municipality_ibge_any_of.length + geo.municipality_tom_any_of.length > 0,
  ],
  ["uf", ({ geo }) => geo.uf_any_of.length > 0],
  ["postal_code", ({ geo }) => (geo.postal_code_prefix_any_of ?? []).length > 0],
  ["area_code", ({ geo }) => (geo.area_code_any_of ?? []).length > 0],
  ["company_size", ({ company }) => company.company_size_code_any_of.length > 0],
  ["registration_status", ({ company }) => company.registration_status_any_of.length > 0],
  ["started", ({ company }) => company.started_after !== null || company.started_before !== null],
  ["headquarters", ({ company }) => company.headquarters_only],
  ["simples", ({ company }) => company.simples_opt_in !== null],
  ["mei", ({ company }) => company.mei_opt_in !== null],
  ["legal_nature", ({ company }) => (company.legal_nature_any_of ?? []).length > 0],
  [
    "share_capital",
    ({ company }) =>
      company.share_capital_min !== undefined || company.share_capital_max !== undefined,
  ],
  ["email", ({ contact }) => contact.require_email],
  ["phone", ({ contact }) => contact.require_phone],
  ["any_contact", ({ contact }) => contact.require_any_contact],
];

/** The phrases of a spec joined; all accounts where nothing is filtered. */
export function summaryOf(spec: Spec, book: CatalogBook | null): string {
  const { exports } = words.value;
  const query = queryOf(spec);
  const set = IS_SET.filter(([, isSet]) => isSet(spec.filters));
  const phrases = set.map(([name]) => describeFilter(name, query, book));
  const { secondary_cnae_mode: mode } = spec.filters.industry as { secondary_cnae_mode?: string };
  if (mode !== undefined && mode !== "off") phrases.push(exports.secondary);
  return phrases.length === 0 ? exports.everything : phrases.join(" · ");
}

/** The address that asks what a spec asks, of whatever snapshot is served. */
export function addressOfSpec(spec: Spec, sentence: string, book: CatalogBook | null): string {
  const address = { query: queryOf(spec), sentence, month: null };
  return encodeAddress(address, book?.lookup ?? null);
}
