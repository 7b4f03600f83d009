/**
 * Describes a spec's filters in one line of phrases, most significant first. Also builds the
 * address that runs the spec.
 * Invariant: every set filter is named. Until the catalog is loaded, codes replace names.
 */

import { isPartSet, PART_NAMES } from "../../../spec/filters/members.ts";
import type { PartName } from "../../../spec/filters/table.ts";
import type { Spec } from "../app/answers.ts";
import { words } from "../app/words.ts";
import { encodeAddress } from "../find/address.ts";
import type { CatalogBook } from "../find/catalog.ts";
import { describeFilter } from "../find/filters/filterwords.ts";
import { type Query, queryOf } from "../find/question.ts";

/** The most significant filters, in the order in which people say them, before all others. */
const FIRST: readonly PartName[] = [
  "cnae",
  "text_hints",
  "cnae_exclude",
  "municipality",
  "uf",
  "postal_code",
  "area_code",
  "company_size",
  "registration_status",
  "started",
  "headquarters",
  "simples",
  "mei",
];

/** Joins a spec's phrases; returns "all accounts" if there are no filters. */
export function summaryOf(
  spec: Pick<Spec, "filters" | "sort" | "scoring">,
  book: CatalogBook | null,
): string {
  const { commands } = words.value;
  const query = queryOf(spec);
  const set = [...new Set([...FIRST, ...PART_NAMES])].filter((name) => {
    return isPartSet(spec.filters, name);
  });
  const phrases = set.map((name) => describeFilter(name, query, book));
  const { secondary_cnae_mode: mode } = spec.filters.industry as { secondary_cnae_mode?: string };
  if (mode !== undefined && mode !== "off") phrases.push(commands.secondary);
  const text = phrases.join(" · ");
  return text === "" ? commands.everything : text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/** True if lists are the only filter: the user follows the companies on them. */
export function isListAlone(filters: Spec["filters"]): boolean {
  const set = PART_NAMES.filter((name) => isPartSet(filters, name));
  return set.length === 1 && set[0] === "lists";
}

/** Describes each query by the filters that not all queries share; empty without any. */
export function differences(queries: readonly Query[], book: CatalogBook | null): string[] {
  const phrases = queries.map((query) =>
    PART_NAMES.filter((name) => isPartSet(query.filters, name)).map((name) =>
      describeFilter(name, query, book),
    ),
  );
  const isShared = (phrase: string) => phrases.every((one) => one.includes(phrase));
  return phrases.map((one) => one.filter((phrase) => !isShared(phrase)).join(" · "));
}

/** Filters on days, which are fixed even if the sentence was relative ("the last 30 days"). */
const DATED: readonly PartName[] = [
  ...(["started", "status_changed", "simples_excluded", "mei_excluded"] as const),
];

/** Joins the phrases of a spec's filters on days; empty if there are none. */
export function daysOf(
  spec: Pick<Spec, "filters" | "sort" | "scoring">,
  book: CatalogBook | null,
): string {
  const query = queryOf(spec);
  const set = DATED.filter((name) => isPartSet(spec.filters, name));
  const text = set.map((name) => describeFilter(name, query, book)).join(" · ");
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Returns the address that runs a spec on the snapshot served. */
export function addressOfSpec(spec: Spec, sentence: string, book: CatalogBook | null): string {
  const address = { query: queryOf(spec), sentence, month: null };
  return encodeAddress(address, book?.lookup ?? null);
}
