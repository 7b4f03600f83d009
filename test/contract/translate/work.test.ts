/**
 * Proves, for each kind of adversarial text, that the work for 2,000 characters stays below a
 * limit, and grows in proportion to the text. An unknown word is compared with all known words only
 * if a correction of it is likely. Does not prove how long the work takes, which the benchmark
 * measures.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TEXT_MAX } from "../../../src/spec/schema.ts";
import { SpellIndex } from "../../../src/translate/spelling/spelling.ts";
import { longText, poolsOf, type WordPools } from "../../support/translate/longtexts.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";
import { repeated } from "../../support/translate/shapes.ts";
import { allWorkOf } from "../../support/translate/work.ts";
import { ONCE_STEEP, WORST_KINDS, worstText } from "../../support/translate/worsttexts.ts";

const SEEDS = 6;
/** Maximum factor by which the work may grow if the text doubles. n log n has a factor of 2.2. */
const GROWTH_MAX = 2.5;
/** Maximum work for 2,000 characters. The most was 257,000, for a text of punctuation alone. */
const WORK_MAX = 320_000;
/** Maximum work for texts of ordinary words. Their highest count was 133,000. */
const ORDINARY_WORK_MAX = 160_000;

describe("the work for a long text", () => {
  let probe: Probe;
  let pools: WordPools;
  before(async () => {
    probe = await openProbe();
    pools = poolsOf(probe.segment);
  });
  after(() => probe.close());

  /** Returns the work of a second translation, because the first one may index names. */
  function workOf(text: string): number {
    probe.translate(text);
    return allWorkOf(() => probe.translate(text));
  }

  function tooMuch(name: string, textOf: (length: number) => string): string[] {
    const [half, whole] = [TEXT_MAX / 2, TEXT_MAX].map((length) => workOf(textOf(length))) as [
      number,
      number,
    ];
    const isSteep = whole > GROWTH_MAX * half + 500;
    return isSteep || whole > WORK_MAX ? [`${name}: ${half}, ${whole}`] : [];
  }

  it("is bounded for every adversarial kind", () => {
    const found = Object.keys(WORST_KINDS).flatMap((kind) =>
      Array.from({ length: SEEDS }, (_, seed) => seed).flatMap((seed) =>
        tooMuch(`${kind} ${seed}`, (length) => worstText(kind, seed, pools, length)),
      ),
    );
    assert.deepEqual(found, [], "work for 1,000 and 2,000 characters");
  });

  it("is bounded for texts that once took quadratic time", () => {
    const found = ONCE_STEEP.flatMap((shape) =>
      tooMuch(JSON.stringify(shape), (length) => repeated(shape, length)),
    );
    assert.deepEqual(found, [], "work for 1,000 and 2,000 characters");
  });

  it("is bounded for ordinary words in bad mixes", () => {
    const found = Array.from({ length: 3 * SEEDS }, (_, seed) => seed).flatMap((seed) => {
      const work = workOf(longText(seed, pools, TEXT_MAX));
      return work > ORDINARY_WORK_MAX ? [`seed ${seed}: ${work}`] : [];
    });
    assert.deepEqual(found, []);
  });

  it("compares an unknown word with all words only if a correction is likely", () => {
    const searches = (text: string) => searchesOf(() => probe.translate(text));
    assert.deepEqual(searches("qzxwvyk ".repeat(200)), { narrow: 1, whole: 0 });
    assert.deepEqual(searches("padaira ".repeat(200)), { narrow: 1, whole: 1 });
  });
});

/** Counts searches for similar words: `narrow` for given first letters, `whole` for all words. */
function searchesOf(call: () => unknown) {
  const counts = { narrow: 0, whole: 0 };
  const { nearest } = SpellIndex.prototype;
  SpellIndex.prototype.nearest = function (this: SpellIndex, word, limits) {
    // Searches without `distanceMax` are for activities to suggest. They have another kind of limit
    // and are not counted.
    if (limits?.distanceMax !== undefined) {
      counts[limits.initials === undefined ? "whole" : "narrow"]++;
    }
    return nearest.call(this, word, limits);
  };
  try {
    call();
  } finally {
    SpellIndex.prototype.nearest = nearest;
  }
  return counts;
}
