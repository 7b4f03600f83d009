/**
 * Activities that exclude each other. What comes in: the activities of a sentence. What goes out:
 * the same without exclusions that would take away all of what is wanted.
 * Invariant: "restaurantes exceto pizzarias" never becomes an empty search: where the registry has
 * one code for both, the exclusion is said to be impossible. Apart because it is a stage of its
 * own, behind all others.
 */
import type { Segment } from "../../search/segment.ts";
import { catalogLookup } from "../../spec/catalog.ts";
import type { Notes } from "../notes.ts";
import type { FoundActivity } from "./activity.ts";

/** Drops exclusions that cover a wanted activity completely, with a note. */
export function dropUntellable(
  { segment, notes }: { readonly segment: Segment; readonly notes: Notes },
  activities: readonly FoundActivity[],
): FoundActivity[] {
  if (!activities.some(({ excluded }) => excluded)) return [...activities];
  const lookup = catalogLookup(segment.catalog);
  const below = ({ codes }: FoundActivity) => codes.flatMap((code) => lookup.cnae(code));
  const wanted = activities
    .filter(({ excluded, codes }) => !excluded && codes.length > 0)
    .map((other) => ({ other, codes: below(other) }));
  return activities.filter((one) => {
    if (!one.excluded || one.codes.length === 0) return true;
    const without = new Set(below(one));
    const covered = wanted.find(({ codes }) => codes.every((code) => without.has(code)))?.other;
    if (covered === undefined) return true;
    notes.leave(
      "not_told_apart",
      {
        pt: `O registro não distingue "${one.words}" de "${covered.words}".`,
        en: `The registry does not tell "${one.words}" from "${covered.words}".`,
      },
      { words: one.words, start: one.start, end: one.end },
    );
    return false;
  });
}
