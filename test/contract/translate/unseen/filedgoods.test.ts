/**
 * Proves that phrases about goods lead, with confidence, to the activity in which IBGE includes
 * these goods. The phrases are about growing, gathering, making, or selling the same goods, about
 * goods for a purpose, and about machines with operators. For unknown goods no other activity is
 * suggested. Customers named in a phrase are not activities. Does not prove that a phrase has no
 * further codes, which unseen sentences measure.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { translate } from "../../../../src/translate/translate.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";
import { FILED_GOODS } from "../../../support/translate/filed-goods.ts";

describe("goods and what is done with them", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    sample = await makeSampleSnapshot(500, 21);
    segment = await openSegment(sample.snapshot);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  const read = (text: string) => {
    const { filters, explain } = translate(text, segment).spec;
    const { industry, geo } = filters as {
      industry?: { cnae_any_of?: readonly string[] };
      geo?: object;
    };
    const codes = (industry?.cnae_any_of ?? []).map((code) => code.replace(/\D/g, ""));
    return { codes, geo: geo ?? {}, explain };
  };

  for (const [sector, rows] of Object.entries(FILED_GOODS)) {
    it(`lead to where they are filed: ${sector}`, () => {
      assert.ok(rows.length > 10);
      for (const [text, code] of rows) {
        const { codes, explain } = read(`${text} em Recife`);
        assert.ok(codes.includes(code), `${text}: ${codes.join(" ")} without ${code}`);
        assert.ok(explain.confidence > 0.8, `${text}: ${explain.confidence}`);
      }
    });
  }

  it("replace the activity that the goods have without the purpose", () => {
    for (const [text, codes] of [
      ["fabricação de remédios", "2110600 2121101 2123800"],
      ["fabricação de remédios para uso veterinário", "2122000"],
      ["conserto de máquinas para padarias", "3314719"],
      ["aluguel de tratores agrícolas", "7731400"],
      ["aluguel de tratores agrícolas com operador", "0161099"],
      ["loja de medicamentos para cães e gatos", "4771704"],
    ] as const) {
      assert.equal(read(`${text} em Recife`).codes.toSorted().join(" "), codes, text);
    }
  });

  it("are unknown if nothing grows them, and refuse is collected", () => {
    for (const text of ["cultivo de cerveja", "plantação de tijolos"]) {
      const { codes, explain } = read(text);
      assert.deepEqual(codes, [], text);
      assert.equal(explain.confidence, 0, text);
      assert.deepEqual(
        explain.unmapped_constraints.map(({ code }) => code),
        ["unknown_activity"],
      );
    }
    assert.deepEqual(read("coleta de lixo").codes, ["3811400"]);
    assert.deepEqual(read("coleta de óleo usado").codes, ["3812200"]);
  });

  it("are not their customers", () => {
    const { codes, explain } = read("software para padarias em Recife");
    assert.ok(!codes.includes("2862300") && codes.includes("6201501"), codes.join(" "));
    assert.deepEqual(
      explain.unmapped_constraints.map(({ code }) => code),
      ["audience"],
    );
  });

  it("grow in other states than the one in their name", () => {
    const nuts = read("castanha-do-pará em Recife");
    assert.deepEqual(nuts.geo, read("padarias em Recife").geo);
    assert.deepEqual(nuts.codes, ["4729699"]);
    assert.notDeepEqual(read("castanha de caju no Pará").geo, {});
  });
});
