/**
 * Translates labeled sentences that the translator was not tuned on. Input: a file, or a folder of
 * files, and a snapshot. Output: for each `group`, how many sentences are right, honest, flagged,
 * silent, and both right and run, and the reliability of the confidence. With `misses`, also the
 * sentences that are wrong or needlessly refused.
 * Invariant: nothing is fitted or changed. A sentence is right if every labeled field is right and
 * every part labeled as unmapped is reported. Every other sentence is flagged (refused), honest
 * (run with a doubt or warning), or silent (run without one).
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openSegment, type Segment } from "../../src/search/segment.ts";
import { catalogLookup } from "../../src/spec/catalog.ts";
import { isUncertain, UNCERTAIN_BELOW } from "../../src/translate/confidence.ts";
import { translate } from "../../src/translate/translate.ts";
import {
  evaluate,
  FIELDS,
  type LabelledSentence,
  normalizedForEvaluation,
} from "../../test/support/translate/sentences.ts";
import { reliability } from "./translate-fit.ts";

/** Outcome of a sentence. */
type Verdict = "right" | "honest" | "flagged" | "silent";

interface EvaluatedSentence {
  readonly sentence: LabelledSentence;
  readonly verdict: Verdict;
  readonly run: boolean;
  readonly confidence: number;
  readonly wrong: readonly string[];
}

const COLUMNS = ["right", "honest", "flagged", "silent"] as const;

/** Returns the lines of the table and, with `misses`, of the sentences that are not right. */
export async function unseenTable(
  file: string,
  snapshot: string,
  misses: boolean,
): Promise<string[]> {
  const sentences = filesOf(file).flatMap((one) => {
    const lines = readFileSync(one, "utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  });
  const segment = await openSegment(snapshot);
  const evaluated = (sentences as readonly LabelledSentence[]).map((one) =>
    evaluatedOf(one, segment),
  );
  segment.close();
  const groups = [...new Set(evaluated.map(({ sentence }) => sentence.group))].sort();
  const own = (name: string) => evaluated.filter(({ sentence }) => sentence.group === name);
  const wrong = misses ? evaluated.filter(({ verdict }) => verdict !== "right") : [];
  const needless = misses
    ? evaluated.filter(({ verdict, run }) => verdict === "right" && !run)
    : [];
  // Sentences that must be refused are left out, because their confidence is not a probability of
  // being right.
  const rated = evaluated.filter(({ sentence }) => sentence.expect.uncertain !== true);
  return [
    rowOf("all", evaluated),
    ...groups.map((name) => rowOf(name, own(name))),
    ...reliability(
      rated.map(({ verdict, confidence }) => {
        return { right: verdict === "right", confidence, measures: [] };
      }),
      UNCERTAIN_BELOW,
    ),
    ...wrong.map((one) => `  ${one.verdict} [${one.wrong.join(" ")}]: ${one.sentence.text}`),
    ...needless.map(({ sentence }) => `  refused: ${sentence.text}`),
  ];
}

/** Returns a file, or the labeled files of a folder. */
function filesOf(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => name.endsWith(".jsonl"));
  return names.sort().map((name) => join(path, name));
}

function evaluatedOf(sentence: LabelledSentence, on: Segment): EvaluatedSentence {
  const { spec, doubts } = translate(sentence.text, on);
  const { explain } = spec;
  const run = !isUncertain(explain.confidence);
  const { fields, unmapped } = evaluate(sentence, spec, on);
  const wrong: string[] = FIELDS.filter((field) => field !== "unmapped" && !fields[field]);
  if (unmapped.missed > 0) wrong.push("unmapped");
  if (fields.district && isOnlyHome(sentence, spec, on)) drop(wrong, ["municipality", "uf"]);
  // A sentence that must not be run is right if it is refused.
  const isRefusal = sentence.expect.uncertain === true;
  const isRight = isRefusal ? !run : wrong.length === 0;
  const signs = explain.unmapped_constraints.filter(({ code }) => code !== "own_offer").length;
  const isReported = signs + explain.warnings.length + doubts.length > 0;
  const verdict = isRight ? "right" : !run ? "flagged" : isReported ? "honest" : "silent";
  return { sentence, verdict, run: isRefusal ? !run : run, confidence: explain.confidence, wrong };
}

/** Returns true if the spec names districts, and only cities and states of these districts. */
function isOnlyHome({ expect }: LabelledSentence, spec: unknown, on: Segment): boolean {
  const { geo } = normalizedForEvaluation(spec, on).filters;
  const homes = new Set((geo.district_any_of ?? []).map((one) => one.municipality_ibge));
  if (homes.size === 0 || (expect.municipality ?? expect.uf ?? []).length > 0) return false;
  const lookup = catalogLookup(on.catalog);
  const states = new Set([...homes].map((ibge) => lookup.municipalityByIbge(ibge)?.uf));
  const isHome = geo.municipality_ibge_any_of.every((ibge) => homes.has(ibge));
  return isHome && geo.uf_any_of.every((uf) => states.has(uf));
}

function drop(list: string[], names: readonly string[]): void {
  for (const name of names) if (list.includes(name)) list.splice(list.indexOf(name), 1);
}

function rowOf(name: string, all: readonly EvaluatedSentence[]): string {
  const share = (count: number) =>
    `${count} = ${all.length === 0 ? 0 : Math.round((100 * count) / all.length)} %`;
  const cells = COLUMNS.map((column) => {
    return `${column} ${share(all.filter(({ verdict }) => verdict === column).length)}`;
  });
  const run = all.filter((one) => one.run);
  const both = run.filter(({ verdict }) => verdict === "right").length;
  const of = run.length === 0 ? 0 : Math.round((1000 * both) / run.length) / 10;
  const last = `right and run ${share(both)}; of those run ${of} % right`;
  return `${name} (${all.length}): ${cells.join(", ")}; ${last}`;
}
