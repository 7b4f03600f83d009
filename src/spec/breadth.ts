/**
 * What comes in: a normalized spec. What goes out: whether it is too broad to be answered, and
 * which filters would narrow it.
 * Invariant: a spec with one filter that narrows (filters/table.ts) is never too broad, however
 * many accounts it matches.
 */
import { type AnyRow, isSet } from "./filters/members.ts";
import { FILTERS } from "./filters/table.ts";
import type { AccountQuerySpec } from "./schema.ts";

/** Filters of which at least one is needed. */
export const NARROWING: readonly AnyRow[] = FILTERS.filter((row) => "narrows" in row);

/** The missing filters of a spec that is too broad; null for every other spec. */
export function tooBroad({ filters }: AccountQuerySpec): { readonly missing: string[] } | null {
  if (NARROWING.some((row) => isSet(filters, row))) return null;
  return { missing: NARROWING.map(({ group, member }) => `filters.${group}.${member}`) };
}
