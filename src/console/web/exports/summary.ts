/**
 * A spec's filters as one line of phrases, most significant first, and the address that runs it.
 * Invariant: every filter that is set is named. Without the catalog, codes replace names, so that
 * nothing waits for it.
 */

import { isPartSet, PART_NAMES } from "../../../spec/filters/members.ts";
import type { PartName } from "../../../spec/filters/table.ts";
import type { Spec } from "../app/answers.ts";
import { words } from "../app/words.ts";
import { encodeAddress } from "../find/address.ts";
import type { CatalogBook } from "../find/catalog.ts";
import { describeFilter } from "../find/filters/filterwords.ts";
import { queryOf } from "../find/question.ts";

/** The most significant filters, in the order of natural speech; the others follow. */
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

/** Joins a spec's phrases; "all accounts" without filters. */
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
  return phrases.length === 0 ? commands.everything : phrases.join(" · ");
}

/** Returns the address that runs a spec on the snapshot served. */
export function addressOfSpec(spec: Spec, sentence: string, book: CatalogBook | null): string {
  const address = { query: queryOf(spec), sentence, month: null };
  return encodeAddress(address, book?.lookup ?? null);
}
