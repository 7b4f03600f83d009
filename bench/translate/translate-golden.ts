/**
 * Measures the activities found for queries that are labeled with every acceptable code. Input: the
 * lines of the set and a segment. Output: recall, precision, and coverage next to the published
 * figures of the best other system. Invariant: only sums are shown, so nothing can be tuned to
 * single queries. A prefix is replaced by its subclasses, those with the most active accounts
 * first, as users see them. Recall includes the codes that are only offered as alternatives, ranked
 * after the searched codes. Precision and coverage include only the searched codes.
 */
import { existsSync, readFileSync } from "node:fs";
import { facets } from "../../src/search/searcher.ts";
import type { Segment } from "../../src/search/segment.ts";
import { catalogLookup } from "../../src/spec/catalog.ts";
import { DEFAULT_FIELDS } from "../../src/spec/fields.ts";
import { normalizeSpec } from "../../src/spec/normalize.ts";
import { translate } from "../../src/translate/translate.ts";

/** A query with every code that is right for it. */
interface Query {
  readonly query: string;
  readonly acceptable: readonly string[];
}

/** Published figures of the best other system for these queries. It uses a language model. */
const RIVAL = { recall1: 0.758, recall5: 0.955, mrr: 0.831, precision: 0.849, coverage: 0.875 };

/**
 * Returns the lines of a table with the figures of both systems. If the file is missing, returns
 * one line that says so.
 */
export function goldenTable(path: string, segment: Segment): string[] {
  if (!existsSync(path)) return [`golden queries: skipped, there is no ${path}`];
  const lines = readFileSync(path, "utf8").trim().split("\n");
  const queries = lines.map((line) => JSON.parse(line) as Query);
  const shown = shownFirst(segment);
  const sums = { recall1: 0, recall5: 0, mrr: 0, precision: 0, coverage: 0 };
  for (const { query, acceptable } of queries) {
    const { codes, ranked } = shown(query);
    const rank = ranked.findIndex((code) => acceptable.includes(code));
    const right = codes.filter((code) => acceptable.includes(code)).length;
    sums.recall1 += rank === 0 ? 1 : 0;
    sums.recall5 += rank >= 0 && rank < 5 ? 1 : 0;
    sums.mrr += rank < 0 ? 0 : 1 / (rank + 1);
    sums.precision += codes.length === 0 ? 0 : right / codes.length;
    sums.coverage += right / acceptable.length;
  }
  const rows = Object.entries(sums).map(([name, sum]) => {
    const rival = RIVAL[name as keyof typeof RIVAL].toFixed(3);
    return `  ${name.padEnd(10)} ${(sum / queries.length).toFixed(3)}   rival ${rival}`;
  });
  return [`golden: activities of ${queries.length} queries`, ...rows];
}

/**
 * `codes` are the subclasses that a query searches. `ranked` are the same, followed by those that
 * are only offered as alternatives.
 */
interface Shown {
  readonly codes: readonly string[];
  readonly ranked: readonly string[];
}

/** Returns a function that finds the subclasses of a query in the order that users see. */
function shownFirst(segment: Segment): (query: string) => Shown {
  const lookup = catalogLookup(segment.catalog);
  const active = activeAccounts(segment);
  const below = (code: string) =>
    [...lookup.cnae(code)].sort((a, b) => (active.get(b) ?? 0) - (active.get(a) ?? 0));
  return (query) => {
    const { activities } = translate(query, segment);
    const codes = [...new Set(activities.flatMap((found) => found.codes.flatMap(below)))];
    const also = activities.flatMap((found) => found.also.flatMap(below));
    return { codes, ranked: [...new Set([...codes, ...also])] };
  };
}

function activeAccounts(of: Segment): ReadonlyMap<string, number> {
  const { spec } = normalizeSpec(
    { filters: { company: { registration_status_any_of: [2] } } },
    {
      catalog: of.catalog,
      ...{ limitDefault: 1, limitCap: 1, mode: "search", fullAllowed: false },
      ...{ allowedFields: DEFAULT_FIELDS, defaultFields: DEFAULT_FIELDS },
    },
  );
  const counted = facets(of, spec, ["cnae_subclass"]).cnae_subclass?.values ?? [];
  return new Map(counted.map(({ value, count }) => [String(value), count]));
}
