/**
 * Measures the time of translations. Input: texts and a segment. Output: lines with the times of
 * single sentences and of the slowest repeated texts of 2,000 characters.
 * Invariant: every text is translated a hundred times and must give the same bytes each time.
 */
import { strict as assert } from "node:assert";
import type { Segment } from "../../src/search/segment.ts";
import { TEXT_MAX } from "../../src/spec/schema.ts";
import { translate } from "../../src/translate/translate.ts";
import { randomFrom, randomShape, repeated, SHAPES } from "../../test/support/translate/shapes.ts";
import { formatUs } from "../measure.ts";

const REPEATS = 100;
const SHAPE_REPEATS = 9;
const RANDOM_SHAPES = 200;
const SLOWEST = 5;

/** Times sentences, each of which is translated a hundred times. */
export function sentenceTimes(texts: readonly string[], segment: Segment): string[] {
  const times: number[] = [];
  const medians = texts.map((text) => {
    const first = JSON.stringify(translate(text, segment));
    const own = Array.from({ length: REPEATS }, () => {
      const from = performance.now();
      const translation = translate(text, segment);
      const took = (performance.now() - from) * 1000;
      assert.equal(JSON.stringify(translation), first, `${text} varies`);
      return took;
    });
    times.push(...own);
    return at(own, 0.5);
  });
  const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => formatUs(at(times, share)));
  return [
    `${texts.length} texts, ${REPEATS} times each, the same bytes every time`,
    `  p50 ${p50}, p99 ${p99}, worst ${worst}; slowest sentence ${formatUs(at(medians, 1))}`,
  ];
}

/**
 * Returns lines with the times of the slowest repeated texts of 2,000 characters, and their ratio
 * to the times of 1,000 characters. Each time is the processor time of the quickest run, which
 * other programs disturb least.
 */
export function shapeTimes(segment: Segment): string[] {
  const random = randomFrom(17);
  const shapes = [...SHAPES, ...Array.from({ length: RANDOM_SHAPES }, () => randomShape(random))];
  const timed = shapes.map((shape) => {
    const [half = 0, whole = 0] = [TEXT_MAX / 2, TEXT_MAX].map((length) => {
      const text = repeated(shape, length);
      const runs = Array.from({ length: SHAPE_REPEATS }, () =>
        processorUs(() => translate(text, segment)),
      );
      return Math.min(...runs);
    });
    return { shape, whole, growth: whole / half };
  });
  timed.sort((a, b) => b.whole - a.whole);
  const rows = timed.slice(0, SLOWEST).map(({ shape, whole, growth }) => {
    const name = JSON.stringify(shape.slice(0, 40));
    return `  ${formatUs(whole).padEnd(8)} ${growth.toFixed(1)} times that of half: ${name}`;
  });
  return [`2,000 characters of ${shapes.length} shapes, processor time`, ...rows];
}

function processorUs(call: () => unknown): number {
  const from = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(from);
  return user + system;
}

function at(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] as number;
}
