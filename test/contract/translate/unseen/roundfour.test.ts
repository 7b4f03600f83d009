/**
 * Proves rules that were added after the fourth set of unseen sentences. They concern "Minas" among
 * places, ranges of postal codes, amounts before "de capital", parts of states in English and
 * Spanish, goods that the writer buys, and plurals of nouns in "-il". A linear scan checks every
 * range. Does not prove that all unseen sentences of these kinds are right.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { districtsOf } from "../../../../src/search/districts.ts";
import { gazetteerOf } from "../../../../src/translate/places/gazetteer.ts";
import { prefixesOf } from "../../../../src/translate/places/numbered.ts";
import { seededRandom } from "../../../support/native-index/fixture-rows.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

describe("classes of the fourth round", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());
  const filtersOf = (text: string) => probe.spec(text).filters;
  const codesOf = (text: string) => filtersOf(text).industry.cnae_any_of;
  const bakeries = () => codesOf("padarias em Recife");

  for (const [text, states] of [
    ["padarias, Minas e Espírito Santo", ["ES", "MG"]],
    ["padarias em São Paulo, Minas e Rio", ["MG", "RJ", "SP"]],
    ["padarias em sp e minas", ["MG", "SP"]],
    ["bakeries in São Paulo and Minas", ["MG", "SP"]],
  ] as const) {
    it(`reads Minas as the state in "${text}"`, () => {
      const { geo } = filtersOf(text);
      assert.deepEqual([...geo.uf_any_of].sort(), states);
      assert.deepEqual(codesOf(text), bakeries());
    });
  }

  it("excludes the state after a word of exclusion", () => {
    for (const text of [
      "padarias exceto Minas",
      "panaderías en todo Brasil salvo São Paulo, Río de Janeiro y Minas",
    ]) {
      const { geo, industry } = filtersOf(text);
      assert.ok(!geo.uf_any_of.includes("MG") && geo.uf_any_of.includes("GO"), text);
      assert.deepEqual(industry.cnae_exclude, [], text);
    }
  });

  for (const text of ["minas de ouro em Goiás", "minas e pedreiras em Goiás"]) {
    it(`reads mines in "${text}"`, () => {
      assert.deepEqual(filtersOf(text).geo.uf_any_of, ["GO"]);
      assert.ok(codesOf(text).some((code) => code.startsWith("07")));
    });
  }

  for (const [text, prefixes] of [
    ["padarias CEPs 89800 a 89809", ["8980"]],
    ["padarias com CEP de 01000-000 até 05999-999", ["01", "02", "03", "04", "05"]],
    ["padarias com CEP entre 01000 e 01999", ["01"]],
    ["panaderías, códigos postales 89800 a 89809", ["8980"]],
    ["bakeries with zip codes 89800 to 89801", ["89800", "89801"]],
  ] as const) {
    it(`covers the range in "${text}"`, () => {
      assert.deepEqual(filtersOf(text).geo.postal_code_prefix_any_of, prefixes);
      assert.deepEqual(probe.unmapped(text), []);
    });
  }

  it("covers exactly the codes of any range, with no prefix that another contains", () => {
    const random = seededRandom(20261130);
    const below = (most: number) => Math.floor(random() * most);
    for (let round = 0; round < 300; round++) {
      const digits = 1 + below(4);
      const first = below(10 ** digits);
      const last = first + below(10 ** digits - first);
      const written = (code: number) => String(code).padStart(digits, "0");
      const prefixes = prefixesOf(written(first), written(last));
      for (let code = 0; code < 10 ** digits; code++) {
        const fits = prefixes.filter((prefix) => written(code).startsWith(prefix)).length;
        assert.equal(fits, code >= first && code <= last ? 1 : 0, `${first}-${last}: ${code}`);
      }
    }
  });

  for (const [text, bounds] of [
    ["padarias com R$ 2.000.000,00 ou mais de capital", [2_000_000, null]],
    ["padarias com 100 mil+ de capital", [100_000, null]],
    ["padarias com 500 mil ou menos de capital social", [null, 500_000]],
  ] as const) {
    it(`reads the bound in "${text}"`, () => {
      const { company } = filtersOf(text);
      const read = [company.share_capital_min ?? null, company.share_capital_max ?? null];
      assert.deepEqual(read, bounds);
    });
  }

  for (const [text, same] of [
    ["bakeries in southern Bahia", "padarias no sul da Bahia"],
    ["bakeries in the south of Bahia", "padarias no sul da Bahia"],
    ["bakeries in northern Minas Gerais", "padarias no norte de Minas Gerais"],
    ["bakeries in southwestern Paraná", "padarias no sudoeste do Paraná"],
    ["bakeries in the north coast of São Paulo", "padarias no litoral norte de São Paulo"],
    ["panaderías en la isla de Marajó", "padarias na ilha do Marajó"],
  ] as const) {
    it(`reads "${text}" like "${same}"`, () => {
      const own = filtersOf(text).geo.municipality_ibge_any_of;
      assert.ok(own.length > 0);
      assert.deepEqual(own, filtersOf(same).geo.municipality_ibge_any_of);
    });
  }

  it("does not search the South for the south zone of a city", () => {
    const { geo } = filtersOf("bakeries in the south zone of São Paulo");
    assert.deepEqual([geo.municipality_ibge_any_of, geo.uf_any_of], [["3550308"], []]);
  });

  for (const [text, bought] of [
    ["preciso comprar pães com padarias de Recife", "pães"],
    ["quero orçar móveis com padarias de Recife", "móveis"],
    ["Prefeitura do interior procura padarias em Recife", "Prefeitura do interior"],
  ] as const) {
    it(`separates what the speaker says of himself in "${text}"`, () => {
      assert.deepEqual(codesOf(text), bakeries());
      assert.deepEqual(filtersOf(text).geo.municipality_ibge_any_of, ["2611606"]);
      assert.deepEqual(probe.unmapped(text), [bought]);
    });
  }

  it("knows plurals of words that end in an unstressed -il", () => {
    assert.deepEqual(codesOf("escritórios contábeis"), codesOf("escritório contábil"));
  });

  it("reads a district before its city in brackets as it does before a comma", () => {
    const names = districtsOf(probe.segment, { ibge: "2611606", typed: "", limit: 10_000 });
    const { places } = gazetteerOf(probe.segment);
    let read = 0;
    for (const { name } of names.districts) {
      const plain = filtersOf(`padarias em ${name}, Recife`).geo;
      const isTown = (places.named(name)?.cities.length ?? 0) > 0;
      if (!isTown || (plain.district_any_of ?? []).length === 0) continue;
      assert.deepEqual(filtersOf(`padarias em ${name} (Recife)`).geo, plain, name);
      read++;
    }
    assert.ok(read > 0);
  });
});
