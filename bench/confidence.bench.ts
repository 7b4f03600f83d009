/**
 * What the confidence of a translation is worth, and the weights that it is made with.
 * Command: `npm run bench -- confidence [--accounts 200000] [--fit]`. Output: a reliability table of
 * sentences that had no part in the fit; with --fit the weights of a logistic regression.
 * Invariant: the held-out half and its half of the generated requests are only measured. A word that
 * no stage knows, put in next to the activity, asks for something narrower.
 */
import { parseArgs } from "node:util";
import { openSegment, type Segment } from "../src/search/segment.ts";
import { MEASURE_NAMES, measuresOf, UNCERTAIN_BELOW } from "../src/translate/confidence.ts";
import { translate } from "../src/translate/translate.ts";
import { generateRequests } from "../test/support/translate/requests.ts";
import {
  halfOf,
  judge,
  type LabelledSentence,
  loadLater,
  loadSentences,
} from "../test/support/translate/sentences.ts";
import { makeCorpus } from "./questions/corpus.ts";
import { type Example, fitted, noisy, reliability } from "./translate/translate-fit.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "200000" },
    fit: { type: "boolean", default: false },
  },
});

const REQUESTS = 4_000;
const SEED = 11;

const segment = await openSegment(makeCorpus(Number(values.accounts)).snapshot);
const cities = segment.catalog.municipalities.flatMap(({ ibge, uf, name }) =>
  ibge === null || uf === null || uf === "EX" ? [] : [{ ibge, name, uf }],
);
const requests = generateRequests(REQUESTS, SEED, cities);
const later = (["further", "fresh", "sixty", "second", "third"] as const).flatMap(loadLater);
const people = [...loadSentences("development"), ...later];
const known = examplesOf(
  [...people, ...requests.filter((one) => halfOf(one) === "development")],
  segment,
);
const apart = examplesOf(
  [...loadSentences("held-out"), ...requests.filter((one) => halfOf(one) === "held-out")],
  segment,
);

const lines = values.fit ? fitted(known, MEASURE_NAMES) : [];
process.stdout.write(`${[...lines, ...reliability(apart, UNCERTAIN_BELOW)].join("\n")}\n`);
segment.close();

/** Each sentence as it is, and some with a word put in that no stage knows. */
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
  const right = judge(sentence, spec, on).right && sentence.expect.uncertain !== true;
  return { right, confidence: spec.explain.confidence, measures: measuresOf(features) };
}
