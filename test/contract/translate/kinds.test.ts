/**
 * Proves that a word for a kind of company that no code distinguishes (imports, private, organic)
 * is reported, never silently dropped. It lowers the confidence only a little. Does not prove that
 * every such word is known.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { translate } from "../../../src/translate/translate.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

/**
 * Codes of notes about words that no activity distinguishes, and about imports and exports,
 * for which there is no filter.
 */
const CODES = new Set(["kind_not_separated", "foreign_trade"]);

describe("kinds that the registry does not separate", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    sample = await makeSampleSnapshot(500, 22);
    segment = await openSegment(sample.snapshot);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  const kindsOf = (text: string) => {
    const { explain } = translate(text, segment).spec;
    const all = [...explain.assumptions, ...explain.unmapped_constraints];
    const reported = all.filter(({ code }) => CODES.has(code));
    const others = explain.unmapped_constraints.filter(({ code }) => !CODES.has(code));
    return { words: reported.map(({ words }) => words), others, explain };
  };

  it("are reported", () => {
    for (const [text, kind] of [
      ["importadores de pneus em Recife", "importadores"],
      ["wine importers in Recife", "importers"],
      ["exportadoras de frutas em Recife", "exportadoras"],
      ["importadores de juguetes en Recife", "importadores"],
      ["fazendas orgânicas em Recife", "orgânicas"],
      ["organic farms in Recife", "organic"],
      ["produtores orgânicos em Recife", "orgânicos"],
      ["escolas públicas em Recife", "públicas"],
      ["private schools in Recife", "private"],
      ["public schools in Recife", "public"],
      ["universidades públicas em Recife", "públicas"],
      ["tradutores juramentados em Recife", "juramentados"],
      ["empresas de seguridad privada en Recife", "privada"],
      ["restaurantes japoneses em Recife", "japoneses"],
      ["colegios bilingües en Recife", "bilingües"],
    ] as const) {
      const { words, others, explain } = kindsOf(text);
      assert.deepEqual(words, [kind], text);
      assert.deepEqual(others, [], text);
      assert.ok(explain.confidence > 0.85, `${text}: ${explain.confidence}`);
    }
  });

  it("are not reported if the registry separates them", () => {
    for (const text of [
      "fábricas de adubo orgânico em Recife",
      "educação infantil em Recife",
      "escolas em Recife",
    ]) {
      assert.deepEqual(kindsOf(text).words, [], text);
    }
  });
});
