/**
 * Compares the translations of one half of the project's sentences with their labels. Input: the
 * sentences and a segment. Output: the fields that are right in each translated sentence, and table
 * lines that sum them up.
 * Invariant: a field counts as requested only if the spec of "active companies" is wrong in it, so
 * defaults do not improve the figures. The confidence is tested as the probability that the
 * complete spec is right and may be run.
 */
import type { Segment } from "../../src/search/segment.ts";
import { isUncertain, UNCERTAIN_BELOW } from "../../src/translate/confidence.ts";
import { translate } from "../../src/translate/translate.ts";
import {
  type Evaluation,
  evaluate,
  FIELDS,
  type LabelledSentence,
  normalizedForEvaluation,
} from "../../test/support/translate/sentences.ts";
import { overlap, type Rows, rowsOf } from "./translate-rows.ts";

/** Result of the translation of one sentence. */
export interface EvaluatedSentence {
  readonly sentence: LabelledSentence;
  readonly evaluation: Evaluation;
  /** True for each field in which the spec of "active companies" is right. */
  readonly idle: Evaluation["fields"];
  readonly confidence: number;
  readonly rows: Rows;
  /** The spec as JSON, without its `explain` member. */
  readonly bytes: string;
}

const NOTHING = { filters: { company: { registration_status_any_of: [2] } } };
const THRESHOLDS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
const BINS = 5;

/** Translates and evaluates sentences. */
export function evaluateAll(
  sentences: readonly LabelledSentence[],
  segment: Segment,
): EvaluatedSentence[] {
  return sentences.map((sentence) => {
    const { spec } = translate(sentence.text, segment);
    const { explain, ...rest } = normalizedForEvaluation(spec, segment);
    const evaluation = evaluate(sentence, spec, segment);
    return {
      sentence,
      evaluation,
      idle: evaluate(sentence, NOTHING, segment).fields,
      confidence: explain.confidence,
      rows: rowsOf(sentence, { spec, right: evaluation.right }, segment),
      bytes: JSON.stringify(rest),
    };
  });
}

/** All tables of one half. */
export function halfTables(name: string, all: readonly EvaluatedSentence[]): string[] {
  return [
    ...overallTable(name, all),
    ...fieldTable(all),
    ...groupTable(all),
    ...refusalTable(all),
    ...calibrationTable(all),
  ];
}

function overallTable(name: string, all: readonly EvaluatedSentence[]): string[] {
  const [requested, others] = [cellsOf(all, true), cellsOf(all, false)];
  const unmapped = all.map(({ evaluation }) => evaluation.unmapped);
  const found = sum(unmapped.map((one) => one.found));
  const missed = sum(unmapped.map((one) => one.missed));
  const extra = sum(unmapped.map((one) => one.extra));
  const rows = all.map((one) => one.rows);
  const both = (side: "found" | "meant") =>
    mean(rows.map((one) => (one[side] === 0 ? 1 : one.both / one[side])));
  const families = familiesOf(all);
  return [
    `${name}: ${all.length} sentences`,
    row(
      "whole sentence right",
      share(all, ({ evaluation }) => evaluation.right),
    ),
    row(
      "fields right",
      share([...requested, ...others], (right) => right),
    ),
    row(
      "  fields that are asked for",
      share(requested, (right) => right),
    ),
    row(
      "  fields that are not",
      share(others, (right) => right),
    ),
    row("unmapped: recall", ratio(found, found + missed)),
    row("unmapped: precision", ratio(found, found + extra)),
    row(
      "same accounts as meant",
      share(rows, (one) => overlap(one) === 1),
    ),
    row("accounts: mean precision", both("found").toFixed(3)),
    row("accounts: mean recall", both("meant").toFixed(3)),
    row(
      "paraphrases of the same bytes",
      share(families, (same) => same),
    ),
  ];
}

/**
 * Returns a boolean for each field of each sentence: true if the field is right. With `requested`,
 * includes only the fields that the sentence requests, otherwise only the others.
 */
function cellsOf(all: readonly EvaluatedSentence[], requested: boolean): boolean[] {
  return all.flatMap(({ evaluation, idle }) =>
    FIELDS.filter((field) => idle[field] !== requested).map((field) => evaluation.fields[field]),
  );
}

/**
 * Returns a boolean for each sentence that is labeled as a paraphrase of another one: true if their
 * translations are equal.
 */
function familiesOf(all: readonly EvaluatedSentence[]): boolean[] {
  const byText = new Map(all.map((one) => [one.sentence.text, one.bytes]));
  return all.flatMap(({ sentence, bytes }) =>
    sentence.same_as === undefined ? [] : [byText.get(sentence.same_as) === bytes],
  );
}

function fieldTable(all: readonly EvaluatedSentence[]): string[] {
  const rows = FIELDS.map((field) => {
    const requested = all.filter(({ idle }) => !idle[field]);
    const others = all.filter(({ idle }) => idle[field]);
    const right = ({ evaluation }: EvaluatedSentence) => evaluation.fields[field];
    return row(`  ${field}`, `${share(requested, right)}   ${share(others, right)}`);
  });
  return ["  field: right where asked for, right where not", ...rows];
}

function groupTable(all: readonly EvaluatedSentence[]): string[] {
  const groups = [...new Set(all.map(({ sentence }) => sentence.group))].sort();
  const rows = groups.map((group) => {
    const members = all.filter(({ sentence }) => sentence.group === group);
    return row(
      `  ${group}`,
      share(members, ({ evaluation }) => evaluation.right),
    );
  });
  return ["  group: whole sentence right", ...rows];
}

function refusalTable(all: readonly EvaluatedSentence[]): string[] {
  const must = all.filter(({ sentence }) => sentence.expect.uncertain === true);
  const free = all.filter(({ sentence }) => sentence.expect.uncertain !== true);
  const rows = THRESHOLDS.map((threshold) => {
    const refused = ({ confidence }: EvaluatedSentence) => confidence < threshold;
    const others = all.filter((one) => !refused(one));
    const cells = [
      share(free, refused),
      share(must, (one) => !refused(one)),
      share(others, ({ evaluation }) => evaluation.right),
    ];
    const mark = threshold === UNCERTAIN_BELOW ? "*" : " ";
    return `  ${mark} below ${threshold.toFixed(1)}`.padEnd(34) + cells.join("   ");
  });
  const needless = free.filter(({ evaluation }) => evaluation.right);
  return [
    "  refused: wrongly, missed, right among the others (* is the threshold)",
    ...rows,
    row(
      "  refused although right",
      share(needless, (one) => isUncertain(one.confidence)),
    ),
  ];
}

/**
 * Returns the Brier score (mean squared error of the confidence) and the expected calibration error
 * (ECE, with bins of equal width, weighted by size).
 */
function calibrationTable(all: readonly EvaluatedSentence[]): string[] {
  const points = all.map(({ confidence, evaluation, sentence }) => ({
    confidence,
    right: evaluation.right && sentence.expect.uncertain !== true ? 1 : 0,
  }));
  const bins = Array.from({ length: BINS }, (_, bin) =>
    points.filter(({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)) === bin),
  );
  const gaps = bins.map((bin) => {
    const predicted = mean(bin.map(({ confidence }) => confidence));
    return { count: bin.length, predicted, right: mean(bin.map(({ right }) => right)) };
  });
  const rows = gaps.map(({ count, predicted, right }, bin) => {
    const range = `${(bin / BINS).toFixed(1)}-${((bin + 1) / BINS).toFixed(1)}`;
    return row(`  ${range}  ${count} sentences`, `${predicted.toFixed(3)}   ${right.toFixed(3)}`);
  });
  const errors = gaps.map(({ count, predicted, right }) => count * Math.abs(predicted - right));
  const squares = points.map(({ confidence, right }) => (confidence - right) ** 2);
  return [
    "  confidence: said, right",
    ...rows,
    row("  Brier", mean(squares).toFixed(3)),
    row("  ECE", ratio(sum(errors), points.length).slice(0, 5)),
  ];
}

/** Returns the errors of one half, sentence by sentence. */
export function missesOf(all: readonly EvaluatedSentence[]): string[] {
  return all
    .filter(({ evaluation }) => !evaluation.right)
    .map(({ sentence, evaluation, confidence }) => {
      const wrong = FIELDS.filter((field) => !evaluation.fields[field]).join(" ");
      return `[${sentence.group}] ${sentence.text}: ${wrong} (${confidence})`;
    });
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(32)} ${value}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function ratio(part: number, whole: number): string {
  return whole === 0 ? "none" : `${(part / whole).toFixed(3)} (${part}/${whole})`;
}

function share<Value>(all: readonly Value[], holds: (one: Value) => boolean): string {
  return ratio(all.filter(holds).length, all.length);
}
