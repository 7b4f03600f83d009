/**
 * What a person may want to choose among. What comes in: a translation and the spec it became. What
 * goes out: for every place in the text that stands for several activities, those activities with
 * the number of accounts that each alone would match.
 * Invariant: counts are exact and are those of the same spec with that one activity.
 */
import { TABLES } from "../../native-index/columns.ts";
import { countMatches } from "../search/searcher.ts";
import type { Segment } from "../search/segment.ts";
import { catalogLookup, cnaeDigits } from "../spec/catalog.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { Words } from "./sentence.ts";
import type { Translation } from "./translate.ts";

/** One activity that the words may mean. */
export interface SuggestedActivity {
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

/** The suggestions of a translation; `spec` is its normalized spec. */
export function suggestionsOf(
  segment: Segment,
  { activities }: Translation,
  spec: AccountQuerySpec,
): Suggestion[] {
  return activities
    .filter(({ excluded }) => !excluded)
    .map(({ words, start, end, codes }) => ({ words, start, end, codes: expanded(segment, codes) }))
    .filter(({ codes }) => codes.length > 1)
    .map(({ codes, ...place }) => ({
      ...place,
      activities: codes.slice(0, ACTIVITIES_MAX).map((code) => ({
        code,
        description: nameOf(segment, code),
        matches: alone(segment, spec, code),
      })),
    }));
}

/** Prefixes and sections as the subclasses below them. */
function expanded(segment: Segment, codes: readonly string[]): string[] {
  const lookup = catalogLookup(segment.catalog);
  return [...new Set(codes.flatMap((code) => lookup.cnae(code)))];
}

function alone(segment: Segment, spec: AccountQuerySpec, code: string): number {
  const industry = { ...spec.filters.industry, cnae_any_of: [code] };
  return countMatches(segment, { ...spec, filters: { ...spec.filters, industry } });
}

function nameOf(segment: Segment, code: string): string {
  const at = segment.codeOf("cnae_primary", cnaeDigits(code));
  return segment.native.table(TABLES.indexOf("cnae_description"))[at] ?? "";
}
