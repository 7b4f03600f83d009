/**
 * Proves, for 200 sentences labeled before their first run: in each language, at least as many are
 * wholly right as at the last review, and their confidence is calibrated. Does not prove how often
 * new sentences are right. The first run of such a set measures that (docs/translate.md).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";
import { evaluate, loadLater } from "../../../support/translate/sentences.ts";

/** Minimum number of right sentences, and number of all sentences, by language. */
const RIGHT_MIN = { pt: [109, 120], en: [48, 50], es: [27, 30] } as const;
/** Like `RIGHT_MIN`, for a later set of 200 sentences, written without the lexicon. */
const SECOND_MIN = { pt: [116, 120], en: [48, 50], es: [30, 30] } as const;
/** Like `RIGHT_MIN`, for a third, still later set of 100 sentences. */
const THIRD_MIN = { pt: [47, 50], en: [29, 30], es: [18, 20] } as const;
/** Minimum number of sentences in a range of confidence for the range to be checked. */
const BAND_MIN = 20;
const OFF_MAX = 0.05;
const BANDS = [0.4, 0.6, 0.8, 0.9, 0.95, 1.01];

describe("200 further sentences", () => {
  let probe: Probe;
  let seen: readonly { group: string; right: boolean; confidence: number; text: string }[];
  before(async () => {
    probe = await openProbe();
    seen = loadLater("further").map((sentence) => {
      const { spec } = probe.translate(sentence.text);
      const { right } = evaluate(sentence, spec, probe.segment);
      const { text, group } = sentence;
      return { text, group, right, confidence: spec.explain.confidence };
    });
  });
  after(() => probe.close());

  for (const [language, [least, all]] of Object.entries(RIGHT_MIN)) {
    it(`are as right as they were in ${language}`, () => {
      const own = seen.filter(({ group }) => group === language);
      const wrong = own.filter(({ right }) => !right).map(({ text }) => text);
      assert.equal(own.length, all);
      assert.ok(own.length - wrong.length >= least, wrong.join("\n"));
    });
  }

  for (const [file, least] of [
    ["second", SECOND_MIN],
    ["third", THIRD_MIN],
  ] as const) {
    for (const [language, [rightMin, all]] of Object.entries(least)) {
      it(`are extended by later ones, the ${file}, as right as they were in ${language}`, () => {
        const own = loadLater(file).filter(({ group }) => group === language);
        const wrong = own.filter((sentence) => {
          const { spec } = probe.translate(sentence.text);
          return !evaluate(sentence, spec, probe.segment).right;
        });
        assert.equal(own.length, all);
        const texts = wrong.map(({ text }) => text);
        assert.ok(own.length - wrong.length >= rightMin, texts.join("\n"));
      });
    }
  }

  it("are extended by 61 and 60 fresh ones, all of them right since their first run", () => {
    const wrong = [...loadLater("fresh"), ...loadLater("sixty")].filter((sentence) => {
      const { spec } = probe.translate(sentence.text);
      if (sentence.expect.uncertain) return !isUncertain(spec.explain.confidence);
      return !evaluate(sentence, spec, probe.segment).right;
    });
    assert.deepEqual(
      wrong.map(({ text }) => text),
      [],
    );
  });

  it("have calibrated confidence", () => {
    for (const [i, from] of BANDS.slice(0, -1).entries()) {
      const to = BANDS[i + 1] as number;
      const band = seen.filter(({ confidence }) => confidence >= from && confidence < to);
      if (band.length < BAND_MIN) continue;
      const mean = band.reduce((sum, { confidence }) => sum + confidence, 0) / band.length;
      const right = band.filter((one) => one.right).length / band.length;
      const report = `${from}: ${mean} said, ${right} right of ${band.length}`;
      assert.ok(Math.abs(mean - right) <= OFF_MAX, report);
    }
  });
});
