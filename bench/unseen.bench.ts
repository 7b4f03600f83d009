/**
 * A file of labelled sentences at its first run against a snapshot.
 * Command: `npm run bench -- unseen --file FILE.jsonl --snapshot FILE.peneira [--misses]`.
 * Output: how many are right, honest, flagged, silent, and right and run, by `group` (a language).
 * Invariant: nothing is fitted or changed. Right: every labelled field is so, and what is labelled
 * as unmapped is named. Of the others, flagged: refused; honest: run, and something is named as not
 * understood, warned of, or doubtful; silent: run without such a sign.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openSegment, type Segment } from "../src/search/segment.ts";
import { foldDistrict } from "../src/spec/districtname.ts";
import { isUncertain } from "../src/translate/confidence.ts";
import { translate } from "../src/translate/translate.ts";
import {
  FIELDS,
  judge,
  type LabelledSentence,
  normalizedForJudging,
} from "../test/support/translate/sentences.ts";

const { values } = parseArgs({
  options: {
    file: { type: "string" },
    snapshot: { type: "string" },
    misses: { type: "boolean", default: false },
  },
});

/** A sentence whose label may name districts, as `IBGE code:name`. */
type Unseen = LabelledSentence & { readonly expect: { readonly district?: readonly string[] } };

/** What became of a sentence. */
type Verdict = "right" | "honest" | "flagged" | "silent";

interface Judged {
  readonly sentence: Unseen;
  readonly verdict: Verdict;
  readonly run: boolean;
  readonly wrong: readonly string[];
}

const COLUMNS = ["right", "honest", "flagged", "silent"] as const;

if (values.file === undefined || values.snapshot === undefined) {
  process.stdout.write("unseen: skipped, it needs --file FILE.jsonl and --snapshot FILE\n");
  process.exit(0);
}
const lines = readFileSync(values.file, "utf8").split("\n");
const sentences = lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
const segment = await openSegment(values.snapshot);
const judged = (sentences as readonly Unseen[]).map((one) => judgedOf(one, segment));
segment.close();
const groups = [...new Set(judged.map(({ sentence }) => sentence.group))].sort();
const rows = [
  rowOf("all", judged),
  ...groups.map((group) =>
    rowOf(
      group,
      judged.filter(({ sentence }) => sentence.group === group),
    ),
  ),
];
const misses = values.misses ? judged.filter(({ verdict }) => verdict !== "right") : [];
const told = misses.map(
  ({ sentence, verdict, wrong }) => `  ${verdict} [${wrong.join(" ")}]: ${sentence.text}`,
);
process.stdout.write(`${[...rows, ...told].join("\n")}\n`);

function judgedOf(sentence: Unseen, on: Segment): Judged {
  const { spec, doubts } = translate(sentence.text, on);
  const { explain } = spec;
  const run = !isUncertain(explain.confidence);
  const { fields, unmapped } = judge(sentence, spec, on);
  const wrong: string[] = FIELDS.filter((field) => field !== "unmapped" && !fields[field]);
  if (unmapped.missed > 0) wrong.push("unmapped");
  if (districtsOf(sentence, spec, on)) wrong.push("district");
  // A sentence that must not be run is right if it is refused.
  const isRefusal = sentence.expect.uncertain === true;
  const isRight = isRefusal ? !run : wrong.length === 0;
  const signs = explain.unmapped_constraints.filter(({ code }) => code !== "own_offer").length;
  const isSaid = signs + explain.warnings.length + doubts.length > 0;
  const verdict = isRight ? "right" : !run ? "flagged" : isSaid ? "honest" : "silent";
  return { sentence, verdict, run: isRefusal ? !run : run, wrong };
}

/** True if the districts are others than those of the label. */
function districtsOf({ expect }: Unseen, spec: unknown, on: Segment): boolean {
  const { geo } = normalizedForJudging(spec, on).filters;
  const found = (geo.district_any_of ?? []).map(({ municipality_ibge: ibge, name }) => {
    return `${ibge}:${foldDistrict(name)}`;
  });
  const wanted = (expect.district ?? []).map((one) => {
    const [ibge = "", name = ""] = one.split(":");
    return `${ibge}:${foldDistrict(name)}`;
  });
  return [...found].sort().join() !== [...wanted].sort().join();
}

function rowOf(name: string, all: readonly Judged[]): string {
  const share = (count: number) =>
    `${count} = ${all.length === 0 ? 0 : Math.round((100 * count) / all.length)} %`;
  const cells = COLUMNS.map((column) => {
    return `${column} ${share(all.filter(({ verdict }) => verdict === column).length)}`;
  });
  const run = all.filter((one) => one.run);
  const both = run.filter(({ verdict }) => verdict === "right").length;
  const of = run.length === 0 ? 0 : Math.round((1000 * both) / run.length) / 10;
  return `${name} (${all.length}): ${cells.join(", ")}; right and run ${share(both)}; of those run ${of} % right`;
}
