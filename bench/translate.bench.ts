/**
 * Measures the quality and speed of the translation of sentences into queries.
 * Command: `npm run bench -- translate [--accounts 1000000] [--golden FILE] [--half development]
 * [--misses]`. `--unseen FILE --snapshot FILE [--misses]` translates the labeled sentences of a
 * file or folder instead. `--confidence` only measures the confidence, and `--fit` also fits it.
 * Output: recall and precision of the activities found for a public set of labeled queries, next to
 * the best other system. For each half of the project's own sentences: right fields, right
 * sentences, accounts found, refusals, and calibration of the confidence. Then the time for a
 * sentence, and for texts of 2,000 characters.
 * Invariant: nothing is tuned on the held-out half or on the public set, so no option shows their
 * errors.
 */
import { parseArgs } from "node:util";
import { openSegment } from "../src/search/segment.ts";
import { translate } from "../src/translate/translate.ts";
import { warmTranslation } from "../src/translate/warmup.ts";
import { HALVES, loadSentences } from "../test/support/translate/sentences.ts";
import { makeCorpus } from "./questions/corpus.ts";
import { confidenceTable } from "./translate/translate-confidence.ts";
import { goldenTable } from "./translate/translate-golden.ts";
import { evaluateAll, halfTables, missesOf } from "./translate/translate-half.ts";
import { sentenceTimes, shapeTimes } from "./translate/translate-times.ts";
import { unseenTable } from "./translate/translate-unseen.ts";
import { worstTimes } from "./translate/translate-worst.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    golden: { type: "string", default: "../shared/eval/golden_cnae.jsonl" },
    half: { type: "string" },
    misses: { type: "boolean", default: false },
    unseen: { type: "string" },
    snapshot: { type: "string" },
    confidence: { type: "boolean", default: false },
    fit: { type: "boolean", default: false },
  },
});

if (values.misses && values.half === "held-out") {
  process.stderr.write("single misses are shown of the development half only\n");
  process.exit(2);
}
const halves = HALVES.filter((half) => values.half === undefined || half === values.half);
if (halves.length === 0) {
  process.stderr.write(`--half takes ${HALVES.join(" or ")}\n`);
  process.exit(2);
}
const print = (lines: readonly string[]) => process.stdout.write(`${lines.join("\n")}\n\n`);

if (values.unseen !== undefined) {
  if (values.snapshot === undefined) {
    process.stderr.write("--unseen needs --snapshot FILE.peneira\n");
    process.exit(2);
  }
  print(await unseenTable(values.unseen, values.snapshot, values.misses));
  process.exit(0);
}

const segment = await openSegment(makeCorpus(Number(values.accounts)).snapshot);
if (values.confidence) {
  print(confidenceTable(segment, values.fit));
  process.exit(0);
}
// Warms up as a server does after its start.
await warmTranslation(segment);
const from = performance.now();
translate("padarias em MG", segment);
print([`first sentence ${(performance.now() - from).toFixed(0)} ms`]);
print(goldenTable(values.golden, segment));
for (const half of halves) {
  const evaluated = evaluateAll(loadSentences(half), segment);
  print(halfTables(half, evaluated));
  if (values.misses && half === "development") print(missesOf(evaluated));
}
const texts = halves.flatMap((half) => loadSentences(half).map(({ text }) => text));
print(sentenceTimes(texts, segment));
print(shapeTimes(segment));
print(worstTimes(segment));
segment.close();
