/**
 * Searches deterministically for the long texts that are slowest to translate.
 * Output: median, p99, and worst processor time of texts of 2,000 characters. For the worst texts,
 * their seed and the ratio to the time of the first 1,000 characters. Then the worst text of every
 * adversarial kind.
 * Invariant: every text is timed several times after the code is warm, and its median counts. The
 * search has a fixed number of steps, and keeps a change only if it makes the text slower.
 */
import type { Segment } from "../../src/search/segment.ts";
import { TEXT_MAX } from "../../src/spec/schema.ts";
import { translate } from "../../src/translate/translate.ts";
import {
  longText,
  mutated,
  poolsOf,
  type WordPools,
} from "../../test/support/translate/longtexts.ts";
import { repeated } from "../../test/support/translate/shapes.ts";
import { ONCE_STEEP, WORST_KINDS, worstText } from "../../test/support/translate/worsttexts.ts";
import { formatUs } from "../measure.ts";

const TEXTS = 300;
/**
 * First seed of the texts. The translator was tuned on texts of lower seeds. A change that is tuned
 * on these texts must raise this number.
 */
const FIRST_SEED = 30_000;
/** Number of texts of each adversarial kind. */
const TEXTS_OF_KIND = 10;
const REPEATS = 5;
/** The search starts from this many texts, and tries this many changes to each. */
const CLIMBED = 3;
const CLIMB_STEPS = 40;
const SHOWN = 5;

interface Timed {
  readonly name: string;
  readonly text: string;
  readonly us: number;
}

/** Returns lines with the times of long texts that consist of ordinary words. */
export function worstTimes(segment: Segment): string[] {
  const pools = poolsOf(segment);
  const seeds = Array.from({ length: TEXTS }, (_, i) => FIRST_SEED + i);
  const texts = seeds.map((seed) => longText(seed, pools, TEXT_MAX));
  for (const text of texts) translate(text, segment);
  const timed = texts.map((text, i): Timed => timeOf(`seed ${seeds[i]}`, text, segment));
  timed.sort((a, b) => a.us - b.us);
  const climbed = timed.slice(-CLIMBED).map((one) => climb(one, pools, segment));
  const worst = [...timed, ...climbed].sort((a, b) => b.us - a.us).slice(0, SHOWN);
  const share = (part: number) => formatUs(timed[Math.floor(part * (TEXTS - 1))]?.us ?? 0);
  return [
    `${TEXTS} texts of ordinary words, 2,000 characters, processor time, medians of ${REPEATS}`,
    `  p50 ${share(0.5)}, p99 ${share(0.99)}, worst ${share(1)}`,
    `  after ${CLIMB_STEPS} changes to each of the ${CLIMBED} slowest:`,
    ...worst.map((one) => rowOf(one, segment)),
    "  the slowest of every adversarial kind:",
    ...slowestOfKinds(pools, segment).map((one) => rowOf(one, segment)),
  ];
}

/**
 * Returns the slowest text of each adversarial kind. One kind repeats texts whose times once grew
 * faster than their length, to notice if they do again.
 */
function slowestOfKinds(pools: WordPools, segment: Segment): Timed[] {
  const seeds = Array.from({ length: TEXTS_OF_KIND }, (_, i) => FIRST_SEED + i);
  const kinds = Object.keys(WORST_KINDS).map((kind) =>
    seeds.map((seed) => ({
      name: `${kind}, seed ${seed}`,
      text: worstText(kind, seed, pools, TEXT_MAX),
    })),
  );
  const steep = ONCE_STEEP.map((shape) => ({
    name: "once steep",
    text: repeated(shape, TEXT_MAX),
  }));
  return [...kinds, steep]
    .map((texts) => {
      const timed = texts.map(({ name, text }) => timeOf(name, text, segment));
      return timed.reduce((one, other) => (other.us > one.us ? other : one));
    })
    .sort((a, b) => b.us - a.us);
}

function rowOf({ name, text, us }: Timed, segment: Segment): string {
  const half = timeOf(name, text.slice(0, TEXT_MAX / 2), segment).us;
  const shown = JSON.stringify(text.slice(0, 40));
  const growth = (us / half).toFixed(1);
  return `  ${formatUs(us).padEnd(8)} ${growth} times that of half: ${name}, ${shown}`;
}

/** Changes a text step by step, and keeps a change if the text becomes slower. */
function climb(first: Timed, pools: WordPools, segment: Segment): Timed {
  let best = first;
  for (let step = 0; step < CLIMB_STEPS; step++) {
    const text = mutated(best.text, step, pools);
    const one = timeOf(`${first.name} changed`, text, segment);
    if (one.us > best.us) best = timeOf(one.name, text, segment);
  }
  return best;
}

function timeOf(name: string, text: string, segment: Segment): Timed {
  const runs = Array.from({ length: REPEATS }, () => {
    const from = process.cpuUsage();
    translate(text, segment);
    const { user, system } = process.cpuUsage(from);
    return user + system;
  });
  return { name, text, us: runs.sort((a, b) => a - b)[REPEATS >> 1] as number };
}
