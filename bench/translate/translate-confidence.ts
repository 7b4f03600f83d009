/**
 * Measures the confidence of translations, and fits its weights. Output: the weights if requested,
 * then a table that compares stated confidence with results, for sentences outside the fit.
 * Invariant: the held-out half of the sentences, and the half of the generated requests that
 * belongs to it, are only measured. An unknown word next to the activity counts as a narrower
 * request, so running such a sentence is wrong.
 */
import type { Segment } from "../../src/search/segment.ts";
import { MEASURE_NAMES, measuresOf, UNCERTAIN_BELOW } from "../../src/translate/confidence.ts";
import { translate } from "../../src/translate/translate.ts";
import { generateRequests } from "../../test/support/translate/requests.ts";
import {
  evaluate,
  halfOf,
  type LabelledSentence,
  loadLater,
  loadSentences,
} from "../../test/support/translate/sentences.ts";
import { type Example, fitted, noisy, reliability } from "./translate-fit.ts";

const REQUESTS = 4_000;
const SEED = 11;

/** Returns the lines of the table. */
export function confidenceTable(segment: Segment, fit: boolean): string[] {
  const cities = segment.catalog.municipalities.flatMap(({ ibge, uf, name }) =>
    ibge === null || uf === null || uf === "EX" ? [] : [{ ibge, name, uf }],
  );
  const requests = generateRequests(REQUESTS, SEED, cities);
  const half = (name: "development" | "held-out") => requests.filter((one) => halfOf(one) === name);
  const later = (["further", "fresh", "sixty", "second", "third"] as const).flatMap(loadLater);
  const people = [...loadSentences("development"), ...later];
  const known = fit ? examplesOf([...people, ...half("development")], segment) : [];
  const apart = examplesOf([...loadSentences("held-out"), ...half("held-out")], segment);
  const lines = fit ? fitted(known, MEASURE_NAMES) : [];
  return [...lines, "not fitted:", ...reliability(apart, UNCERTAIN_BELOW)];
}

/**
 * Returns each sentence unchanged, and some sentences a second time with an inserted word that the
 * translator does not know.
 */
function examplesOf(sentences: readonly LabelledSentence[], on: Segment): Example[] {
  return sentences.flatMap((sentence, at) => {
    const plain = exampleOf(sentence, sentence.text, on);
    const { text, changes } = noisy(sentence.text, at, translate(sentence.text, on));
    if (!plain.right || text === null) return [plain];
    const { spec, features } = translate(text, on);
    const { confidence } = spec.explain;
    return [plain, { right: !changes, confidence, measures: measuresOf(features) }];
  });
}

function exampleOf(sentence: LabelledSentence, text: string, on: Segment): Example {
  const { spec, features } = translate(text, on);
  const right = evaluate(sentence, spec, on).right && sentence.expect.uncertain !== true;
  return { right, confidence: spec.explain.confidence, measures: measuresOf(features) };
}
