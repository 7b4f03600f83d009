/**
 * Proves for any text of up to 2,000 UTF-16 units: it is translated without an error, every word is
 * in exactly one part, and every note quotes the text. Normalizing the spec changes nothing. The
 * same text yields the same bytes. The work grows no faster than the text. Does not prove: that a
 * translation is right (the tables and the benchmark do).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { TEXT_MAX } from "../../../src/spec/schema.ts";
import type { Part, TranslationExplain } from "../../../src/translate/translate.ts";
import { tokenize } from "../../../src/translate/words/tokens.ts";
import { tries } from "../../support/run/scale.ts";
import { longText, poolsOf } from "../../support/translate/longtexts.ts";
import { NOTE_LISTS, openProbe, type Probe } from "../../support/translate/probe.ts";
import {
  hostileText,
  randomFrom,
  randomShape,
  repeated,
  SHAPES,
} from "../../support/translate/shapes.ts";
import { lookUpsOf } from "../../support/translate/work.ts";

const TEXTS = tries("hostile texts");
/** Normalization is checked for one text in ten, because it takes as long as translating. */
const WHOLE_EVERY = 10;
/** Milliseconds that a translation of any 2,000 characters may take, as promised. */
const WORST_MS = 20;
/** Number of long texts of ordinary words for which the translator's steps are counted. */
const LONG_TEXTS = tries("long texts");
/** Maximum factor by which the work may grow for twice the length. n log n gives 2.2. */
const GROWTH_MAX = 2.4;

describe("any text", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  /** Checks all properties that hold for every text. `whole` includes normalization. */
  function checkText(text: string, whole = true): void {
    const { parts, spec } = probe.translate(text);
    checkParts(text, parts);
    checkNotes(text, spec.explain);
    if (!whole) return;
    const once = probe.normalize(spec);
    assert.deepEqual(once.warnings, [], "warnings of the normalization");
    const bytes = JSON.stringify(once.spec);
    assert.equal(JSON.stringify(probe.normalize(once.spec).spec), bytes, "normalized twice");
  }

  it("keeps every promise: strings of any UTF-16 units", () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const anything = fc.oneof(
      fc.string({ maxLength: 300, unit }),
      fc.string({ maxLength: 300, unit: "binary" }),
      fc.string({ maxLength: TEXT_MAX, unit: "grapheme" }).map((text) => text.slice(0, TEXT_MAX)),
      fc.integer({ min: 0, max: 2 ** 31 }).map((seed) => hostileText(randomFrom(seed))),
    );
    const options = { numRuns: 500, seed: 20_261_005 };
    fc.assert(
      fc.property(anything, (text) => checkText(text)),
      options,
    );
  });

  it(`keeps every promise: ${TEXTS} texts of real words and noise`, () => {
    const random = randomFrom(5);
    for (let i = 0; i < TEXTS; i++) {
      const text = hostileText(random);
      try {
        checkText(text, i % WHOLE_EVERY === 0);
      } catch (error) {
        throw new Error(`text ${i}: ${JSON.stringify(text)}`, { cause: error });
      }
    }
  });

  it("keeps every promise: shapes that fill 2,000 units", () => {
    for (const shape of SHAPES) {
      try {
        checkText(repeated(shape, TEXT_MAX));
      } catch (error) {
        throw new Error(`shape ${JSON.stringify(shape)}`, { cause: error });
      }
    }
  });

  it("yields the same bytes for the same text", () => {
    const random = randomFrom(11);
    const texts = Array.from({ length: 500 }, () => hostileText(random));
    const all = () => texts.map((text) => JSON.stringify(probe.translate(text)));
    const first = all();
    texts.reverse();
    assert.deepEqual(all().reverse(), first, "in the other order");
  });

  it("works at most in proportion to the text's length", () => {
    const random = randomFrom(7);
    const shapes = [...SHAPES, ...Array.from({ length: 80 }, () => randomShape(random))];
    const steep = shapes.flatMap((shape) => {
      const [half, whole] = [1_000, 2_000].map((length) =>
        lookUpsOf(() => probe.translate(repeated(shape, length))),
      ) as [number, number];
      return whole > GROWTH_MAX * half + 500 ? [`${JSON.stringify(shape)}: ${half} ${whole}`] : [];
    });
    assert.deepEqual(steep, [], "steps for 1,000 and 2,000 units");
  });

  it("works at most in proportion to the length of a text of ordinary words", () => {
    const pools = poolsOf(probe.segment);
    const steep = Array.from({ length: LONG_TEXTS }, (_, seed) => seed).flatMap((seed) => {
      const text = longText(seed, pools, TEXT_MAX / 2);
      const [once, twice] = [text, `${text.slice(0, -1)} ${text}`].map((one) =>
        lookUpsOf(() => probe.translate(one)),
      ) as [number, number];
      return twice > GROWTH_MAX * once + 500 ? [`seed ${seed}: ${once} ${twice}`] : [];
    });
    assert.deepEqual(steep, [], "steps for a text, and for it twice");
  });

  it(`takes under ${WORST_MS} ms for 2,000 units`, () => {
    const random = randomFrom(13);
    const shapes = [...SHAPES, ...Array.from({ length: 40 }, () => randomShape(random))];
    const slow = shapes.flatMap((shape) => {
      const text = repeated(shape, TEXT_MAX);
      const ms = quickestMs(() => probe.translate(text));
      return ms > WORST_MS ? [`${JSON.stringify(shape)}: ${ms.toFixed(1)} ms`] : [];
    });
    assert.deepEqual(slow, []);
  });
});

/** Checks that parts are in order, quote the text, and together have every word and number once. */
function checkParts(text: string, parts: readonly Part[]): void {
  let end = 0;
  let next = 0;
  const tokens = tokenize(text).filter(({ kind }) => kind !== "mark");
  for (const part of parts) {
    assert.ok(part.start >= end && part.end > part.start, "parts overlap");
    assert.ok(part.words === text.slice(part.start, part.end), "a part misquotes the text");
    end = part.end;
    const token = tokens[next];
    assert.ok(token === undefined || token.start >= part.start, "a word is in no part");
    while ((tokens[next]?.end ?? Number.POSITIVE_INFINITY) <= part.end) next++;
  }
  assert.ok(next === tokens.length, "a word behind the last part");
}

/**
 * Checks that notes quote the text, and that every request for which no filter exists has its words
 * in a note.
 */
function checkNotes(text: string, explain: TranslationExplain): void {
  assert.ok(explain.confidence >= 0 && explain.confidence <= 1, "confidence");
  for (const list of NOTE_LISTS) {
    for (const { words, start, end } of explain[list]) {
      assert.ok(words === undefined || words === text.slice(start, end), `${list} misquotes`);
      assert.ok(words !== "" && (words !== undefined || list !== "unmapped_constraints"), list);
    }
  }
}

/** Returns the shortest processor time of several runs, which others disturb least. */
function quickestMs(call: () => unknown): number {
  let quickest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 12 && (run < 2 || quickest > WORST_MS / 2); run++) {
    const from = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(from);
    quickest = Math.min(quickest, (user + system) / 1000);
  }
  return quickest;
}
