/**
 * Activities that exclude each other. What comes in: the activities of a sentence. What goes out:
 * the same without exclusions of what is asked for by name.
 * Invariant: "bares e restaurantes exceto fast food" keeps its restaurants, and "restaurantes
 * exceto pizzarias" never becomes an empty search: what the registry has one code for is said not
 * to be told apart. Apart because it is a stage of its own, behind all others.
 */
import type { Segment } from "../../search/segment.ts";
import { catalogLookup } from "../../spec/catalog.ts";
import type { Notes } from "../notes.ts";
import { contradict } from "../numbers/bounds.ts";
import { wordsOf } from "../words/phrases.ts";
import type { FoundActivity } from "./activity.ts";

/** Takes out of exclusions the codes that are wanted by name, with a note. */
export function dropUntellable(
  { segment, notes }: { readonly segment: Segment; readonly notes: Notes },
  activities: readonly FoundActivity[],
): FoundActivity[] {
  if (!activities.some(({ excluded }) => excluded)) return [...activities];
  const lookup = catalogLookup(segment.catalog);
  const wanted = activities.filter(({ excluded }) => !excluded);
  return activities.flatMap((one) => {
    if (!one.excluded || one.codes.length === 0) return [one];
    const below = new Set(one.codes.flatMap((code) => lookup.cnae(code)));
    const named = (code: string) => {
      const all = lookup.cnae(code);
      return all.length > 0 && all.every((each) => below.has(each));
    };
    // The first code is what a name means before all else; of the others some may be left out.
    const mains = wanted.filter(({ codes }) => {
      // A code that was typed is meant as it is, as long as something is left.
      const kept = one.certainty === 1 ? codes : codes.slice(0, 1);
      return kept.length > 0 && kept.every(named);
    });
    const [other] = mains;
    if (other === undefined) return [one];
    if (wordsOf(one.words).join(" ") === wordsOf(other.words).join(" ")) {
      contradict(notes, { words: one.words, start: one.start, end: one.end });
      return [];
    }
    const kept = new Set(mains.flatMap(({ codes: [main = ""] }) => lookup.cnae(main)));
    const left = one.codes.filter((code) => lookup.cnae(code).every((each) => !kept.has(each)));
    notes.leave(
      "not_told_apart",
      {
        pt: `A Receita não diferencia “${one.words}” de “${other.words}”.`,
        en: `The registry does not tell "${one.words}" from "${other.words}".`,
      },
      { words: one.words, start: one.start, end: one.end },
    );
    return left.length === 0 ? [] : [{ ...one, codes: left }];
  });
}
