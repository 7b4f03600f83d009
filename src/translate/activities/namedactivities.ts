/**
 * What companies do whose names hold a word. What comes in: words that nobody knows as an activity.
 * What goes out: the activities that are far commoner among companies with such a word in their
 * names than among all, counted in the snapshot itself.
 * Invariant: exact counts of active accounts, the same for the same snapshot; only ever offered,
 * never searched; a few words at most are looked for, one that many names hold tells nothing.
 */
import { TABLES } from "../../../native-index/format/columns.ts";
import { clausesOf } from "../../search/clauses.ts";
import { guarded, type Segment } from "../../search/segment.ts";
import { analyzeWords } from "../../spec/analyzer.ts";
import { CNAE_NOT_INFORMED, punctuateCnae } from "../../spec/catalog.ts";
import { DEFAULT_FIELDS } from "../../spec/fields.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { normalizeSpec } from "../../spec/normalize.ts";
import { COMMON_WORDS } from "../spelling/commonwords.ts";

/** Words that are looked for, and their length; a filter takes no longer ones. */
const WORDS_MAX = 3;
const LETTERS_MIN = 4;
const LETTERS_MAX = SPEC_LIMITS.textHintLengthMax;
/** Activities that are offered for all words together. */
const OFFERED_MAX = 6;
/** An activity has so many accounts with the word, and this share of them, at least. */
const ACCOUNTS_MIN = 5;
const SHARE_MIN = 0.08;
/** And is so many times commoner among them than among all accounts. */
const LIFT_MIN = 4;

/** Accounts by activity (`NNNN-N/NN`), and how many there are. */
interface Counts {
  readonly all: number;
  readonly byCode: ReadonlyMap<string, number>;
}

/** Codes of activities that words of names tell of, likeliest first. */
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
      const told = accounts >= ACCOUNTS_MIN && accounts >= SHARE_MIN * own.all;
      if (!told || accounts < LIFT_MIN * expected) continue;
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
