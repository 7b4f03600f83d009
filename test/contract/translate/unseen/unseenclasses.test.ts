/**
 * Proves rules that were added after two sets of unseen sentences. Public bodies are legal natures.
 * In "fábricas de A e de B", the noun "fábricas" applies to B as well. Regions have English names.
 * "New" in "new car dealership" is no date. Does not prove that all unseen sentences of these kinds
 * are right.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

describe("classes of unseen sentences", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());
  const filtersOf = (text: string) => probe.spec(text).filters;
  const codesOf = (text: string) =>
    filtersOf(text).industry.cnae_any_of.map((one) => one.replace(/\D/g, ""));

  for (const [text, natures] of [
    ["câmaras municipais de Alagoas", ["1066"]],
    ["prefeituras de Alagoas", ["1031", "1244"]],
    ["autarquias municipais de Alagoas", ["1120"]],
    ["autarquias federais de Alagoas", ["1104"]],
    ["consórcios públicos do Paraná", ["1210", "1228"]],
    ["one-person law firms in Belo Horizonte", ["2321"]],
    ["cooperativas de reciclagem de Alagoas", ["2143"]],
    ["cooperativas de Alagoas", ["2143", "2330"]],
    ["cooperativas de consumo de Alagoas", ["2330"]],
  ] as const) {
    it(`reads legal natures in "${text}"`, () => {
      const { legal_nature_any_of: found = [] } = filtersOf(text).company;
      assert.deepEqual([...found].sort(), natures);
    });
  }

  for (const [text, codes] of [
    ["companhias de teatro e de dança em Belém", ["9001901", "9001903"]],
    ["oficinas mecânicas de carro e de moto em Belém", ["4520001", "4543900"]],
    ["escuelas de idiomas y de música en Belém", ["8592903", "8593700"]],
    ["mineradoras de cobre e de brita em Belém", ["0729404", "0810099"]],
    ["mercado pet: banho e tosa em Belém", ["4789004", "9609208"]],
    ["atacado de bebidas em Belém", ["4635402", "4635499"]],
  ] as const) {
    it(`reads both trades in "${text}"`, () => assert.deepEqual(codesOf(text).sort(), codes));
  }

  it("takes the Federal District for the state", () => {
    assert.deepEqual(filtersOf("pharmacies in the Federal District").geo.uf_any_of, ["DF"]);
  });

  for (const [text, same] of [
    ["cotton farms in western Bahia", "cotton farms in Oeste da Bahia"],
    ["coffee roasters in the south of Minas Gerais", "coffee roasters in Sul de Minas"],
  ] as const) {
    it(`reads a region in "${text}"`, () => {
      assert.deepEqual(filtersOf(text).geo, filtersOf(same).geo);
      assert.ok(filtersOf(text).geo.municipality_ibge_any_of.length > 0);
    });
  }

  it("reads no date in new car dealerships", () => {
    const { industry, company } = filtersOf("new car dealerships in Belém");
    assert.deepEqual(industry.cnae_any_of, ["4511-1/01"]);
    assert.equal(company.started_after ?? null, null);
  });

  it("reads EPP behind a word for size as the small size alone", () => {
    const { company } = filtersOf("panaderías en Belém, tamaño EPP");
    assert.deepEqual(company.company_size_code_any_of, ["03"]);
  });
});
