/**
 * What a person may want to choose among. What comes in: a translation and the spec it became.
 * What
 * goes out: for every place in the text that may stand for several activities, and for words that
 * nobody knows, activities with the number of accounts that each alone would match.
 * Invariant: counts are exact and are those of the same spec with that one activity; a translation
 * has at most `COUNTS_MAX` of them.
 */
import { TABLES } from "../../native-index/format/columns.ts";
import { countMatches } from "../search/searcher.ts";
import { guarded, type Segment } from "../search/segment.ts";
import { catalogLookup, cnaeDigits } from "../spec/catalog.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { FoundActivity } from "./activities/activity.ts";
import { activitiesOfNames } from "./activities/namedactivities.ts";
import type { Translation } from "./translate.ts";
import type { Words } from "./words/sentence.ts";

/** One activity that the words may mean. */
interface SuggestedActivity {
  readonly code: string;
  readonly description: string;
  readonly matches: number;
}

/** Words with the activities that they may mean, likeliest first. */
export interface Suggestion extends Words {
  readonly activities: readonly SuggestedActivity[];
}

/** Most activities of one suggestion; a whole section has hundreds. */
const ACTIVITIES_MAX = 12;
/** Most counts of one translation. */
const COUNTS_MAX = 48;

/** The suggestions of a translation; `spec` is its normalized spec. */
export function suggestionsOf(
  segment: Segment,
  { activities }: Pick<Translation, "activities">,
  spec: AccountQuerySpec,
): Suggestion[] {
  const suggestions: Suggestion[] = [];
  let left = COUNTS_MAX;
  for (const found of activities) {
    const own = subclassesOf(segment, found);
    const unknown = found.codes.length === 0 && !found.excluded && !found.secondary;
    const told = unknown ? activitiesOfNames(segment, found.words) : [];
    const codes = [...new Set([...told, ...own])].slice(0, Math.min(ACTIVITIES_MAX, left));
    if (found.excluded || found.secondary || codes.length < (found.codes.length === 0 ? 1 : 2))
      continue;
    const { words, start, end } = found;
    const descriptions = guarded(() => segment.native.table(TABLES.indexOf("cnae_description")));
    const counted = codes.map((code) => counts(segment, spec, code, descriptions));
    suggestions.push({ words, start, end, activities: counted });
    left -= codes.length;
  }
  return suggestions;
}

/**
 * The subclasses of an activity, likeliest first: those that are meant before those that may
 * be; of
 * a prefix or section those with most accounts first.
 */
function subclassesOf(
  segment: Segment,
  { codes, also }: Pick<FoundActivity, "codes" | "also">,
): string[] {
  const lookup = catalogLookup(segment.catalog);
  const expanded = [...codes, ...also].flatMap((code) => {
    const below = lookup.cnae(code);
    if (below.length < 2) return below;
    const sizes = accountsByCode(segment);
    const size = (one: string) => sizes.get(cnaeDigits(one)) ?? 0;
    return [...below].sort((a, b) => size(b) - size(a) || (a < b ? -1 : 1));
  });
  return [...new Set(expanded)];
}

const sizesOf = new WeakMap<Segment, ReadonlyMap<string, number>>();

/** Accounts of a snapshot by primary activity (7 digits); counted once. */
function accountsByCode(segment: Segment): ReadonlyMap<string, number> {
  const known = sizesOf.get(segment);
  if (known !== undefined) return known;
  const [counted] = guarded(() => segment.native.facets([], ["cnae"]));
  const codes = segment.native.table(TABLES.indexOf("cnae_primary"));
  const sizes = new Map(codes.map((code, at) => [code, counted?.[at] ?? 0]));
  sizesOf.set(segment, sizes);
  return sizes;
}

function counts(
  segment: Segment,
  spec: AccountQuerySpec,
  code: string,
  descriptions: readonly string[],
): SuggestedActivity {
  const industry = { ...spec.filters.industry, cnae_any_of: [code] };
  const matches = countMatches(segment, { ...spec, filters: { ...spec.filters, industry } });
  const at = segment.codeOf("cnae_primary", cnaeDigits(code));
  return { code, description: descriptions[at] ?? "", matches };
}
