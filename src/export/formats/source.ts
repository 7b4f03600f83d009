/**
 * Where the rows of a file come from and what was asked for, in words. What comes in: the context
 * of an export. What goes out: labels with their values.
 * Invariant: every format that tells about itself tells the same; a file of changes names both
 * snapshots, the kinds and the watched fields.
 */
import { type DescriptionItem, describeFilters, describeLimit, describeSpec } from "./describe.ts";
import { registryNames } from "./names.ts";
import type { RenderContext } from "./renderer.ts";
import { toldLimit } from "./toldlimit.ts";

/** Describes snapshot, provenance and counts; `formatCount` writes a count as the format does. */
export function describeSource(
  { segment, rowCount, matches, changes }: RenderContext,
  formatCount: (count: number) => string,
): DescriptionItem[] {
  const { rfb_snapshot, ibge_population_year, ceis_as_of_date } = segment.provenance;
  const known = (text: string) => (text === "not_available" ? "not available" : text);
  const items: readonly (readonly [label: string, value: string])[] = [
    ["Snapshot", segment.label],
    ["Reference date", segment.snapshotDate],
    ...(changes === undefined
      ? []
      : ([
          ["Compared with", changes.older.label],
          ["Reference date of that", changes.older.snapshotDate],
        ] as const)),
    ["Registry release", rfb_snapshot],
    ["Population of the year", known(ibge_population_year)],
    ["Sanctions as of", known(ceis_as_of_date)],
    ["Rows in this file", formatCount(rowCount)],
    [changes === undefined ? "Accounts that match" : "Accounts that changed", formatCount(matches)],
  ];
  return items.map(([label, value]) => ({ label, values: [value] }));
}

/** Describes filters and order, of changes what is watched. */
export function describeAsked(context: RenderContext): DescriptionItem[] {
  const { segment, spec, changes } = context;
  const names = registryNames(segment);
  const limit = toldLimit(context);
  if (changes === undefined) return describeSpec(spec, names, limit);
  return [
    ...describeFilters(spec, names),
    { label: "Changes", values: changes.kinds },
    ...(changes.watch.length === 0 ? [] : [{ label: "Watched fields", values: changes.watch }]),
    { label: "Order", values: ["CNPJ, ascending"] },
    ...describeLimit(limit),
  ];
}
