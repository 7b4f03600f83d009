/**
 * Proves classes of faults that sentences of strangers showed: each row is a sentence and one that
 * means the same and was never misread; their filters, order, and limit must agree. Does not prove
 * the second sentence right: the tables of the other suites do.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

type Rows = readonly (readonly [text: string, like: string])[];

const CLASSES: Readonly<Record<string, Rows>> = {
  "Pará is a state in every position, and para a preposition": [
    ["padarias no Norte exceto Acre e Pará", "padarias em AM, AP, RO, RR e TO"],
    ["padarias no Norte menos Pará", "padarias em AC, AM, AP, RO, RR e TO"],
    ["padarias no norte exceto para", "padarias em AC, AM, AP, RO, RR e TO"],
    ["padarias no norte tirando o pará", "padarias em AC, AM, AP, RO, RR e TO"],
    ["padarias no Brasil exceto Pará", "padarias no Brasil exceto PA"],
    ["padarias fora do Pará", "padarias no Brasil exceto PA"],
    ["bakeries in the north except Pará", "padarias em AC, AM, AP, RO, RR e TO"],
    ["bakeries in Para", "padarias em PA"],
    ["PADARIAS NO PARÁ", "padarias em PA"],
    ["Acre, Pará e Amapá: padarias", "padarias em AC, AP e PA"],
    ["padarias no acre e para", "padarias em AC e PA"],
    ["padarias em Pará de Minas", "padarias em Pará de Minas/MG"],
    ["padarias em Xinguara, Pará", "padarias em Xinguara/PA"],
    ["lista para padarias em Natal", "padarias em Natal"],
    ["quero, para hoje, padarias em Natal", "padarias em Natal"],
  ],
  "a place is read once, as its longest name": [
    ["padarias na zona franca de Manaus", "padarias em Manaus"],
  ],
};

describe("classes of faults", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  function factsOf(text: string) {
    const { filters, limit, sort } = probe.translate(text).spec;
    const { geo, ...rest } = filters as { geo?: Readonly<Record<string, unknown>> };
    const sorted = Object.entries(geo ?? {}).map(([name, list]) => {
      return [name, Array.isArray(list) ? [...list].sort() : list];
    });
    return { geo: Object.fromEntries(sorted), rest, limit, sort };
  }

  for (const [name, rows] of Object.entries(CLASSES)) {
    it(name, () => {
      for (const [text, like] of rows) assert.deepEqual(factsOf(text), factsOf(like), text);
    });
  }

  it("names a quarter whole and never searches the town in it", () => {
    for (const text of [
      "padarias em Jardim da Luz, Goiânia",
      "padarias em jardim das palmeiras, cuiabá",
      "padarias em Alto da Boa Vista, Rio de Janeiro",
      "bakeries in Vila Mariana",
    ]) {
      const { filters, explain } = probe.translate(text).spec as {
        filters: { geo?: { municipality_ibge_any_of?: readonly string[] } };
        explain: { confidence: number };
      };
      assert.ok((filters.geo?.municipality_ibge_any_of ?? []).length <= 1, text);
      assert.equal(explain.confidence, 0, text);
    }
  });

  it("takes the district of a city before a town of the same state, and says so", () => {
    const { filters } = probe.translate("padarias em Liberdade, Belo Horizonte").spec as {
      filters: { geo?: { municipality_ibge_any_of?: readonly string[] } };
    };
    assert.deepEqual(filters.geo?.municipality_ibge_any_of, ["3106200"]);
  });
});
