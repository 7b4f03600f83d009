/**
 * Proves: for a word that the lexicon does not contain, the translator suggests activities that are
 * much more common among companies with this word in their names. A slow count over all rows finds
 * the same activities. They are suggested with exact counts and never searched. Does not prove that
 * real names reveal activities.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { analyzeWords } from "../../../src/spec/analyzer.ts";
import { punctuateCnae } from "../../../src/spec/catalog.ts";
import { COMMON_WORDS } from "../../../src/translate/spelling/commonwords.ts";
import { activitiesOfNames, suggestionsOf } from "../../../src/translate/suggestions.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

/** Number of words to try, beginning with the most common. */
const WORDS = 400;

describe("activities suggested by words of names", () => {
  let probe: Probe;
  let sample: SampleSnapshot;
  const byWord = new Map<string, Map<string, number>>();
  const usual = new Map<string, number>();
  before(async () => {
    probe = await openProbe();
    sample = await makeSampleSnapshot(3_000, 5);
    for (const row of decodeSnapshot(sample.snapshot).rows) {
      if (row.registration_status !== 2) continue;
      const code = punctuateCnae(String(row.cnae_primary));
      usual.set(code, (usual.get(code) ?? 0) + 1);
      const names = `${row.legal_name ?? ""} ${row.trade_name ?? ""}`;
      for (const word of new Set(analyzeWords(names))) {
        const counts = byWord.get(word) ?? new Map<string, number>();
        counts.set(code, (counts.get(code) ?? 0) + 1);
        byWord.set(word, counts);
      }
    }
  });
  after(() => {
    probe.close();
    sample.dispose();
  });
  const sum = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((total, count) => total + count, 0);

  /** Reference implementation: returns the same result by scanning every row. */
  function slowly(word: string): string[] {
    const counts = byWord.get(word) ?? new Map<string, number>();
    const [own, all] = [sum(counts), sum(usual)];
    return [...counts]
      .filter(([code, count]) => {
        const expected = ((usual.get(code) ?? 0) / all) * own;
        return (
          !code.startsWith("8888") && count >= 5 && count >= 0.08 * own && count >= 4 * expected
        );
      })
      .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
      .slice(0, 6)
      .map(([code]) => code);
  }

  it("are those of a slow count", () => {
    const words = [...byWord]
      .filter(([word]) => word.length >= 4 && !COMMON_WORDS.has(word))
      .sort(([a, one], [b, other]) => sum(other) - sum(one) || (a < b ? -1 : 1))
      .slice(0, WORDS)
      .map(([word]) => word);
    let reported = 0;
    for (const word of words) {
      const offered = activitiesOfNames(probe.segment, word);
      assert.deepEqual(offered, slowly(word), word);
      reported += Number(offered.length > 0);
    }
    assert.ok(reported >= 10, String(reported));
  });

  it("are offered and not searched, and few words are looked up", () => {
    const [word = ""] =
      [...byWord].find(([one]) => {
        const { spec } = probe.translate(`empresas de ${one}`);
        const unknown = spec.explain.unmapped_constraints.some(
          (n) => n.code === "unknown_activity",
        );
        return one.length >= 4 && unknown && slowly(one).length > 0;
      }) ?? [];
    assert.notEqual(word, "");
    const translation = probe.translate(`empresas de ${word}`);
    const spec = probe.spec(`empresas de ${word}`);
    assert.deepEqual(spec.filters.industry.cnae_any_of, []);
    const [suggestion] = suggestionsOf(probe.segment, translation, spec);
    const codes = suggestion?.activities.map(({ code }) => code) ?? [];
    assert.deepEqual(codes.slice(0, slowly(word).length), slowly(word));
    const text = `abcd ${"xyzw ".repeat(3)} ${word}`;
    assert.deepEqual(activitiesOfNames(probe.segment, text), slowly(word));
    const many = `abcde bcdef cdefg ${word}`;
    assert.deepEqual(activitiesOfNames(probe.segment, many), [], "the fourth is not read");
    const long = `${"x".repeat(81)} ${"y".repeat(300)} abcde bcdef ${word}`;
    assert.deepEqual(activitiesOfNames(probe.segment, long), slowly(word), "long ones");
  });
});
