/**
 * Suggests activities that a user may choose from.
 * Input: a translation and its spec, or words that name no known activity. Output: the possible
 * activities of every ambiguous part of the text, each with the number of accounts that the search
 * would find with only this activity. For an unknown word, activities that are much more frequent
 * among companies with this word in their names.
 * Invariant: counts are exact, and there are at most `COUNTS_MAX` per translation. Statistics on
 * names are counted over the active accounts of the snapshot, for a few words. Activities found in
 * this way are only suggested, never searched. Words that occur in many names are not used.
 */
import { TABLES } from "../../native-index/format/columns.ts";
import { clausesOf } from "../search/clauses.ts";
import { countMatches } from "../search/searcher.ts";
import { guarded, type Segment } from "../search/segment.ts";
import { analyzeWords } from "../spec/analyzer.ts";
import { CNAE_NOT_INFORMED, catalogLookup, cnaeDigits, punctuateCnae } from "../spec/catalog.ts";
import { DEFAULT_FIELDS } from "../spec/fields.ts";
import { SPEC_LIMITS } from "../spec/limits.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import type { FoundActivity } from "./activities/activity.ts";
import { isUncertain } from "./confidence.ts";
import { COMMON_WORDS } from "./spelling/commonwords.ts";
import type { DoubtedText, Translation } from "./translate.ts";
import type { Words } from "./words/sentence.ts";

interface SuggestedActivity {
  readonly code: string;
  readonly description: string;
  readonly matches: number;
}

/** Words with the activities that they may mean, most likely first. */
export interface Suggestion extends Words {
  readonly activities: readonly SuggestedActivity[];
}

/** Maximum activities in one suggestion; a whole section has hundreds. */
const ACTIVITIES_MAX = 12;
/** Maximum number of counts for each translation. */
const COUNTS_MAX = 48;

/** Returns the suggestions for a translation; `spec` is its normalized spec. */
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
    const suggested = unknown ? activitiesOfNames(segment, found.words) : [];
    const codes = [...new Set([...suggested, ...own])].slice(0, Math.min(ACTIVITIES_MAX, left));
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
 * Returns the subclasses of an activity, most likely first: main meanings before other possible
 * ones. The subclasses of a prefix or section are ordered by their accounts, most first.
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

/** Another reading of some words: its text, and the number of accounts that it finds. */
export interface CountedDoubt extends DoubtedText {
  readonly matches: number;
}

/**
 * Returns the doubts of a translation. `specOf` returns the normalized spec of a text. A doubt is
 * left out if the confidence of its text is too low, or if it leads to the same filters.
 */
export function doubtsOf(
  segment: Segment,
  { doubts }: Pick<Translation, "doubts">,
  own: AccountQuerySpec,
  specOf: (text: string) => AccountQuerySpec,
): CountedDoubt[] {
  if (doubts.length === 0) return [];
  const chosen = JSON.stringify(own.filters);
  return doubts.flatMap((doubt) => {
    const spec = specOf(doubt.query_text);
    const isLost = spec.filters.lists !== undefined || isUncertain(spec.explain.confidence);
    if (isLost || JSON.stringify(spec.filters) === chosen) return [];
    return [{ ...doubt, matches: countMatches(segment, spec) }];
  });
}

const sizesOf = new WeakMap<Segment, ReadonlyMap<string, number>>();

/**
 * Returns the number of accounts with each primary activity (7 digits). Counted once per snapshot.
 */
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

/**
 * Maximum number of words that are searched, and minimum and maximum length of a word. No filter
 * takes a longer word.
 */
const WORDS_MAX = 3;
const LETTERS_MIN = 4;
const LETTERS_MAX = SPEC_LIMITS.textHintLengthMax;
/** Maximum number of activities that are suggested for all words together. */
const OFFERED_MAX = 6;
/**
 * Minimum number of accounts that have both the word and the activity, and their minimum share of
 * all accounts with the word.
 */
const ACCOUNTS_MIN = 5;
const SHARE_MIN = 0.08;
/** Minimum ratio of that share to the share that the activity has of all accounts. */
const LIFT_MIN = 4;

/** Number of accounts with a word: in total, and by activity (`NNNN-N/NN`). */
interface Counts {
  readonly all: number;
  readonly byCode: ReadonlyMap<string, number>;
}

/** Returns the activities typical for companies with these words in their names, best first. */
export function activitiesOfNames(segment: Segment, text: string): readonly string[] {
  const words = [...new Set(analyzeWords(text))]
    .filter((word) => word.length >= LETTERS_MIN && word.length <= LETTERS_MAX)
    .filter((word) => !COMMON_WORDS.has(word))
    .slice(0, WORDS_MAX);
  const scores = new Map<string, number>();
  for (const word of words) {
    const usual = allCounts(segment);
    const own = countsOf(segment, [word]);
    for (const [code, accounts] of own.byCode) {
      const expected = ((usual.byCode.get(code) ?? 0) / usual.all) * own.all;
      const isTypical = accounts >= ACCOUNTS_MIN && accounts >= SHARE_MIN * own.all;
      if (!isTypical || accounts < LIFT_MIN * expected) continue;
      scores.set(code, Math.max(scores.get(code) ?? 0, accounts / own.all));
    }
  }
  return [...scores]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, OFFERED_MAX)
    .map(([code]) => code);
}

const known = new WeakMap<Segment, Counts>();

function allCounts(segment: Segment): Counts {
  const counts = known.get(segment) ?? countsOf(segment, []);
  known.set(segment, counts);
  return counts;
}

function countsOf(segment: Segment, words: readonly string[]): Counts {
  const industry = { text_hints: words };
  const company = { registration_status_any_of: [2] };
  const { spec } = normalizeSpec(
    { filters: { industry, company } },
    {
      catalog: segment.catalog,
      ...{ limitDefault: 1, limitCap: 1, mode: "search", fullAllowed: false },
      ...{ allowedFields: DEFAULT_FIELDS, defaultFields: DEFAULT_FIELDS },
    },
  );
  const clauses = clausesOf(segment, spec.filters);
  const [counts] = guarded(() => segment.native.facets(clauses, ["cnae"]));
  const codes = guarded(() => segment.native.table(TABLES.indexOf("cnae_primary")));
  const byCode = new Map<string, number>();
  let all = 0;
  for (const [at, code] of codes.entries()) {
    const count = counts?.[at] ?? 0;
    all += count;
    if (count > 0 && code !== CNAE_NOT_INFORMED) byCode.set(punctuateCnae(code), count);
  }
  return { all, byCode };
}
