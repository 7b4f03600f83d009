/**
 * Proves: if the translator doubts the meaning of a sentence of the development half, it suggests
 * another sentence, which runs with other filters. Invented sentences show that the suggestion is
 * in the language of the sentence and has the filters of the other meaning. Does not prove that
 * every doubt is reported.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { ROOT } from "../../../support/house/checkout.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

const FOLDER = join(ROOT, "test/support/sentences");
/**
 * Sentences about the writer's place, with words that the suggested text must contain, and the code
 * of the place.
 */
const OWN_PLACES = [
  ["sou contador em Manaus, quero padarias", "em Manaus", "1302603"],
  ["minha empresa fica em Recife, procuro padarias", "em Recife", "2611606"],
  ["I am an accountant in Manaus and need bakeries", "in Manaus", "1302603"],
  ["our office is in Recife, we are looking for bakeries", "in Recife", "2611606"],
  ["soy contador en Manaus y busco panaderías", "en Manaus", "1302603"],
] as const;
/** Sentences that name two towns, of which one may be a district. */
const TWO_TOWNS = [
  ["padarias em Boa Vista, Campinas", "no bairro Boa Vista"],
  ["bakeries in Boa Vista, Campinas", "in the district Boa Vista"],
  ["panaderías en Boa Vista, Campinas", "en el barrio Boa Vista"],
] as const;

function texts(): string[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => readFileSync(join(FOLDER, file), "utf8").trimEnd().split("\n"))
    .map((line) => (JSON.parse(line) as { text: string }).text);
}

describe("doubts", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  it("of development sentences run with other filters", () => {
    const wrong: string[] = [];
    for (const text of texts()) {
      const own = probe.translate(text);
      for (const { query_text: other } of own.doubts) {
        const spec = probe.spec(other);
        const isSame = JSON.stringify(spec.filters) === JSON.stringify(probe.spec(text).filters);
        // If a sentence is refused for another reason, the suggested text is refused as well.
        const isRefused = isUncertain(spec.explain.confidence);
        const wasRefused = isUncertain(own.spec.explain.confidence);
        if (isSame || (isRefused && !wasRefused)) wrong.push(`${text} -> ${other}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  for (const [text, words, city] of OWN_PLACES) {
    it(`offer the speaker's place: ${text}`, () => {
      const [doubt] = probe.translate(text).doubts;
      assert.equal(doubt?.code, "own_place");
      assert.ok(doubt.query_text.includes(words), doubt.query_text);
      const { filters, explain } = probe.spec(doubt.query_text);
      assert.deepEqual(filters.geo.municipality_ibge_any_of, [city]);
      assert.ok(filters.industry.cnae_any_of.length > 0 && !isUncertain(explain.confidence));
    });
  }

  for (const [text, words] of TWO_TOWNS) {
    it(`offer a district in the language of the sentence: ${text}`, () => {
      for (const { query_text: other } of probe.translate(text).doubts) {
        assert.ok(other.includes(words), other);
      }
    });
  }
});
