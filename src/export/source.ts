/**
 * Where the rows of a file come from, in words. What comes in: the context of an export. What goes
 * out: labels with their values.
 * Invariant: every format that tells about itself tells the same.
 */
import type { DescriptionItem } from "./describe.ts";
import type { RenderContext } from "./renderer.ts";

/** Describes snapshot, provenance and counts; `formatCount` writes a count as the format does. */
export function describeSource(
  { segment, rowCount, matches }: RenderContext,
  formatCount: (count: number) => string,
): DescriptionItem[] {
  const { rfb_snapshot, ibge_population_year, ceis_as_of_date } = segment.provenance;
  const known = (text: string) => (text === "not_available" ? "not available" : text);
  const items: readonly (readonly [label: string, value: string])[] = [
    ["Snapshot", segment.label],
    ["Reference date", segment.snapshotDate],
    ["Registry release", rfb_snapshot],
    ["Population of the year", known(ibge_population_year)],
    ["Sanctions as of", known(ceis_as_of_date)],
    ["Rows in this file", formatCount(rowCount)],
    ["Accounts that match", formatCount(matches)],
  ];
  return items.map(([label, value]) => ({ label, values: [value] }));
}
