/**
 * Merges the console's texts of each language for tests: texts of the first page, and texts that
 * load later.
 * Invariant: no area of texts is in both tables.
 */
import { words as enFirst } from "../../../src/console/web/strings/en.ts";
import { lazyWords as enLater } from "../../../src/console/web/strings/later-en.ts";
import { lazyWords as ptLater } from "../../../src/console/web/strings/later-pt.ts";
import { words as ptFirst } from "../../../src/console/web/strings/pt.ts";

/** Merges the tables, which are separate only because they load at different times. */
function joined<First extends typeof enFirst, Later extends typeof enLater>(
  first: First,
  later: Later,
) {
  return {
    ...first,
    ...later,
    lists: { ...first.lists, ...later.listViews },
    charts: { ...first.charts, usage: later.usage },
  };
}

/** All English words. */
export const englishWords = joined(enFirst, enLater);
/** All Portuguese words. */
export const portugueseWords = joined(ptFirst, ptLater);
