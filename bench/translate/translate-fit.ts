/**
 * Fits and measures the confidence of translations with a logistic regression. Input: examples,
 * each with its measures and marked as right or wrong. Output: the weights, and a table that
 * compares the stated confidence with the fraction of right translations. Also makes texts with an
 * inserted unknown word.
 * Invariant: the result is deterministic. Only the bias can be positive, so every measure lowers
 * the confidence.
 */
import type { Translation } from "../../src/translate/translate.ts";

/** A translation that is known to be right or wrong. */
export interface Example {
  readonly right: boolean;
  readonly confidence: number;
  readonly measures: readonly number[];
}

const ROUNDS = 4_000;
const RATE = 0.5;
/**
 * Prior weight of each measure, which counts as much as `PRIOR_COUNT` translations. The weights
 * come from trials with sentences written by others, which have more unknown words than the
 * project's own (docs/translate.md).
 */
const PRIOR: Readonly<Record<string, number>> = {
  ...{
    near: -5.5,
    named: -5,
    common: -1.2,
    rare: -2.6,
    several: -1.5,
    doubts: -1.5,
    nothing: -1.2,
  },
};
const PRIOR_COUNT = 40;

/** Fits the bias and the weights by gradient descent. Returns lines with the results. */
export function fitted(all: readonly Example[], names: readonly string[]): string[] {
  // A confidence of 0 marks a translation that is refused for a reason other than its measures.
  const some = all.filter(({ confidence }) => confidence > 0);
  const weights = names.map(() => -0.1);
  let bias = 3;
  for (let round = 0; round < ROUNDS; round++) {
    const slope = names.map(() => 0);
    let lift = 0;
    for (const { right, measures } of some) {
      const off = (right ? 1 : 0) - chance(bias, weights, measures);
      lift += off;
      for (const [i, measure] of measures.entries()) slope[i] = (slope[i] ?? 0) + off * measure;
    }
    bias += (RATE * lift) / some.length;
    for (const [i, weight] of weights.entries()) {
      const drawn = ((PRIOR[names[i] ?? ""] ?? 0) - weight) * (PRIOR_COUNT / 10);
      weights[i] = Math.min(0, weight + (RATE * 4 * ((slope[i] ?? 0) + drawn)) / some.length);
    }
  }
  const rows = names.map((name, i) => {
    const seen = some.filter(({ measures }) => (measures[i] ?? 0) > 0);
    const right = seen.filter((one) => one.right).length;
    return `  ${name}: ${(weights[i] ?? 0).toFixed(2)}, seen ${seen.length}, right ${right}`;
  });
  return [`fitted with ${some.length} translations`, `  bias: ${bias.toFixed(2)}`, ...rows, ""];
}

function chance(bias: number, weights: readonly number[], measures: readonly number[]): number {
  const sum = measures.reduce((all, measure, i) => all + measure * (weights[i] ?? 0), bias);
  return 1 / (1 + Math.exp(-sum));
}

const BANDS = [0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.01];

/**
 * Returns the lines of a table. Each compares the mean stated confidence of a range with the
 * fraction of right translations in it. The last line is for all translations at or above
 * `threshold`.
 */
export function reliability(all: readonly Example[], threshold: number): string[] {
  const rows = BANDS.slice(0, -1).map((from, i) => {
    const to = BANDS[i + 1] as number;
    const own = all.filter(({ confidence }) => confidence >= from && confidence < to);
    const predicted = own.reduce((sum, { confidence }) => sum + confidence, 0) / own.length;
    const band = `${from.toFixed(2)} to ${Math.min(1, to).toFixed(2)}`;
    return `  ${band}: ${own.length}, said ${percent(predicted)}, right ${percent(rightOf(own))}`;
  });
  const run = all.filter(({ confidence }) => confidence >= threshold);
  const refused = all.filter(({ confidence, right }) => confidence < threshold && right);
  return [
    `reliability of ${all.length} translations`,
    ...rows,
    `  run (from ${threshold}): ${run.length}, right ${percent(rightOf(run))}`,
    `  refused though right: ${percent(refused.length / all.length)}`,
  ];
}

function rightOf(all: readonly Example[]): number {
  return all.filter(({ right }) => right).length / all.length;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Words of no language. */
const RARE = ["zorblin", "quaxel", "trumvak", "plendor", "vorsim"];

/**
 * Inserts an unknown word after the activity of every eighth text, as users narrow a request. The
 * `text` of the others is null.
 */
export function noisy(
  text: string,
  number: number,
  { parts }: Translation,
): { readonly text: string | null; readonly changes: boolean } {
  const word = RARE[number % RARE.length] as string;
  const activity = parts.find(({ role }) => role === "activity");
  if (number % 8 !== 0 || activity === undefined) return { text: null, changes: false };
  const { end } = activity;
  return { text: `${text.slice(0, end)} ${word}${text.slice(end)}`, changes: true };
}
