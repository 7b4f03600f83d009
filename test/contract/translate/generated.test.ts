/**
 * Proves that generated requests are translated to what they were generated from (trade, place,
 * every condition; conditions without a filter are named). Confidence is calibrated on requests and
 * sentences that it was not fitted with. Does not prove how right people's own sentences are: first
 * runs on unseen sentences do (docs/translate.md).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SEED, tries } from "../../support/run/scale.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";
import { generateRequests } from "../../support/translate/requests.ts";
import { evaluate, halfOf, loadSentences } from "../../support/translate/sentences.ts";

/**
 * Minimum fractions of right translations of plain requests, of requests with a condition without a
 * filter, and of requests with a typing error.
 */
const RIGHT_MIN: Readonly<Record<string, number>> = {
  ...{ "pt plain": 0.97, "en plain": 0.97 },
  ...{ "pt left": 0.95, "en left": 0.9 },
  ...{ "pt slip": 0.88, "en slip": 0.7 },
};
/** Number of wrong translations to show. */
const SHOWN = 12;
/** Minimum number of sentences of a kind. The fraction in fewer sentences means nothing. */
const KIND_MIN = 20;

/**
 * Bounds of the bands of confidence for sentences that run. In each band, the mean confidence must
 * agree with the fraction of right translations.
 */
const BANDS = [0.4, 0.6, 0.8, 0.9, 0.95, 1.01];
const OFF_MAX = 0.05;

function keepsItsWord(all: readonly { right: boolean; confidence: number }[]): void {
  for (const [i, from] of BANDS.slice(0, -1).entries()) {
    const to = BANDS[i + 1] as number;
    const band = all.filter(({ confidence }) => confidence >= from && confidence < to);
    if (band.length < KIND_MIN) continue;
    const predicted = band.reduce((sum, { confidence }) => sum + confidence, 0) / band.length;
    const right = band.filter((one) => one.right).length / band.length;
    const report = `${from}: ${predicted} said, ${right} right of ${band.length}`;
    assert.ok(Math.abs(predicted - right) <= OFF_MAX, report);
  }
}

describe("generated requests", () => {
  let probe: Probe;
  let seen: readonly { group: string; right: boolean; confidence: number; text: string }[];
  before(async () => {
    probe = await openProbe();
    const cities = probe.segment.catalog.municipalities.flatMap(({ ibge, uf, name }) =>
      ibge === null || uf === null || uf === "EX" ? [] : [{ ibge, name, uf }],
    );
    seen = generateRequests(tries("generated requests"), SEED, cities).map((request) => {
      const { text, group } = request;
      const { spec } = probe.translate(text);
      const { right } = evaluate(request, spec, probe.segment);
      return { text, group, right, confidence: spec.explain.confidence };
    });
  });
  after(() => probe.close());

  it("have calibrated confidence, outside the fitted ones", () => {
    keepsItsWord(seen.filter((one) => halfOf(one) === "held-out"));
  });

  it("leave the held-out sentences their calibrated confidence", () => {
    keepsItsWord(
      loadSentences("held-out").map((sentence) => {
        const { spec } = probe.translate(sentence.text);
        const { right } = evaluate(sentence, spec, probe.segment);
        const meant = right && sentence.expect.uncertain !== true;
        return { right: meant, confidence: spec.explain.confidence };
      }),
    );
  });

  it("are translated to what they were generated from", () => {
    for (const [kind, least] of Object.entries(RIGHT_MIN)) {
      const own = seen.filter(({ group }) => group === kind);
      if (own.length < KIND_MIN) continue;
      const wrong = own.filter(({ right }) => !right).map(({ text }) => text);
      const share = 1 - wrong.length / own.length;
      assert.ok(share >= least, `${kind}: ${share}\n${wrong.slice(0, SHOWN).join("\n")}`);
    }
  });
});
