/**
 * Compares the accounts that a translation finds with those that its label finds. Input: a labeled
 * sentence, its translated spec, and a segment. Output: how many accounts the translation finds,
 * the label finds, and both find.
 * Invariant: counts are exact. If a label allows several codes or specs, the result is for the one
 * closest to the translation.
 */
import { clausesOf } from "../../src/search/clauses.ts";
import { countMatches } from "../../src/search/searcher.ts";
import { guarded, type Segment } from "../../src/search/segment.ts";
import { catalogLookup } from "../../src/spec/catalog.ts";
import type { AccountQuerySpec } from "../../src/spec/schema.ts";
import {
  type Expected,
  type ExpectedCodes,
  expectationsOf,
  type LabelledSentence,
  normalizedForEvaluation,
  specOf,
} from "../../test/support/translate/sentences.ts";

/** Numbers of accounts that match the translation, the label, and both. */
export interface Rows {
  readonly found: number;
  readonly meant: number;
  readonly both: number;
}

/**
 * Counts the accounts of a translation and of its label. If the label allows several specs, counts
 * the one with the largest overlap.
 */
export function rowsOf(
  sentence: LabelledSentence,
  { spec, right }: { readonly spec: unknown; readonly right: boolean },
  segment: Segment,
): Rows {
  const actual = normalizedForEvaluation(spec, segment);
  if (right) {
    const count = countMatches(segment, actual);
    return { found: count, meant: count, both: count };
  }
  const all = expectationsOf(sentence).map((expected) => compare(expected, actual, segment));
  return all.reduce((best, one) => (overlap(one) > overlap(best) ? one : best));
}

/**
 * Returns the number of accounts that match both specs, divided by the number that match at least
 * one. Returns 1 if no account matches either.
 */
export function overlap({ found, meant, both }: Rows): number {
  const either = found + meant - both;
  return either === 0 ? 1 : both / either;
}

function compare(expected: Expected, actual: AccountQuerySpec, segment: Segment): Rows {
  const { industry } = actual.filters;
  const label = specOf(expected, segment);
  const codes = {
    cnae_any_of: closest(expected.cnae, industry.cnae_any_of, segment),
    cnae_exclude: closest(expected.cnae_exclude, industry.cnae_exclude, segment),
  };
  const closestLabel = { ...label, filters: { ...label.filters, industry: codes } };
  const meant = clausesOf(segment, normalizedForEvaluation(closestLabel, segment).filters);
  const found = clausesOf(segment, actual.filters);
  return guarded(() => ({
    found: segment.native.count(found),
    meant: segment.native.count(meant),
    both: segment.native.count([...found, ...meant]),
  }));
}

/**
 * Returns the codes that the label requires, and those of `chosen` that it allows. If the label
 * requires one of several codes, a chosen one is preferred.
 */
function closest(
  expected: ExpectedCodes | undefined,
  chosen: readonly string[],
  segment: Segment,
): string[] {
  const { must, may = [] } = expected ?? { must: [] };
  const lookup = catalogLookup(segment.catalog);
  const has = (code: string) => lookup.cnae(code).every((one) => chosen.includes(one));
  const needed = must.flatMap((group) => {
    const choices = group.split("|");
    return lookup.cnae(choices.find(has) ?? (choices[0] as string));
  });
  const allowed = [...must.flatMap((group) => group.split("|")), ...may];
  const taken = allowed.flatMap((code) => lookup.cnae(code)).filter((one) => chosen.includes(one));
  return [...new Set([...needed, ...taken])];
}
