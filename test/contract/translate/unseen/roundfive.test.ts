/**
 * Proves rules that the fifth round of unseen sentences required: chains before an English trade,
 * turned English names, choices of legal natures, refused sizes, comparisons, limits, and trade
 * names in English and Spanish. Does not prove that unseen sentences of these kinds are right.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

describe("classes of the fifth round", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());
  const filtersOf = (text: string) => {
    const { filters, explain } = probe.spec(text);
    assert.equal(isUncertain(explain.confidence), false, text);
    return filters;
  };
  const codesOf = (text: string) =>
    filtersOf(text).industry.cnae_any_of.map((one) => one.replace(/\D/g, ""));

  for (const [text, code] of [
    ["schools of music in Belém", "8592903"],
    ["growers of coffee in Belém", "0134200"],
    ["factories of ice in Belém", "1099604"],
    ["museums and theatres in Belém", "9003500"],
    ["physios in Belém", "8650004"],
    ["builders merchants in Belém", "4744099"],
    ["toolmakers in Belém", "2543800"],
    ["fruit pulp processors in Belém", "1031700"],
    ["churches in Belém", "9491000"],
    ["iglesias en Belém", "9491000"],
    ["sindicatos en Belém", "9420100"],
    ["estaciones de servicio en Belém", "4731800"],
    ["almacenes generales en Belém", "5211701"],
    ["empresas de reciclaje en Belém", "3839499"],
    ["oftalmólogos en Belém", "8630503"],
    ["desguaces en Belém", "4530704"],
    ["tiendas de ropa interior en Belém", "4781400"],
  ] as const) {
    it(`finds the activity in "${text}"`, () => {
      assert.ok(codesOf(text).includes(code), codesOf(text).join());
    });
  }

  it("reads the name of a chain before an English trade", () => {
    assert.deepEqual(filtersOf("all Smart Fit gyms in Recife").industry.text_hints, ["smart fit"]);
    assert.deepEqual(codesOf("all Smart Fit gyms in Recife"), ["9313100"]);
  });

  it("reads no name in an adjective of a nation", () => {
    const { filters } = probe.spec("the Brazilian Portuguese bakeries in Recife");
    assert.deepEqual(filters.industry.text_hints, []);
  });

  it("ignores the possessive of a place", () => {
    const { geo } = filtersOf("Recife's hotels with a phone number");
    assert.deepEqual(geo.municipality_ibge_any_of, ["2611606"]);
  });

  it("keeps all natures of a choice", () => {
    const { company } = filtersOf("empresas em Recife, pode ser LTDA ou S/A");
    assert.deepEqual(company.legal_nature_any_of, ["2046", "2054", "2062"]);
  });

  it("keeps all other sizes when a size is refused", () => {
    const { company } = filtersOf("bakeries in Recife, not micro companies");
    assert.deepEqual(company.company_size_code_any_of, ["00", "03", "05"]);
  });

  for (const words of ["greater than", "higher than", "larger than"]) {
    it(`reads "${words}" as a lower bound of capital`, () => {
      const { company } = filtersOf(`bakeries in Recife with capital ${words} 1 million reais`);
      assert.equal(company.share_capital_min, 1_000_000);
    });
  }

  it("reads limits and counts of other words", () => {
    assert.equal(probe.spec("bakeries in Recife, limited to 100").limit, 100);
    const { company } = filtersOf("panaderías en Recife con dos o más locales");
    assert.equal(company.establishments_min, 2);
  });

  it("reads refused registrations and closed companies", () => {
    assert.equal(filtersOf("bakeries not registered as MEI in Recife").company.mei_opt_in, false);
    const { company } = filtersOf("tiendas de ropa dadas de baja en Recife");
    assert.deepEqual(company.registration_status_any_of, [8]);
  });
});
