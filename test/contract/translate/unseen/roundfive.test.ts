/**
 * Proves rules that were added after the fifth set of unseen sentences. They concern names of
 * chains before an English trade, English names in another word order, choices of legal natures,
 * refused sizes, comparisons, limits, and trade names in English and Spanish. Does not prove that
 * all unseen sentences of these kinds are right.
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

  it("leaves what speakers buy and the jobs they seek to their own offer", () => {
    for (const [text, code] of [
      ["I buy coffee: coffee farms in Bahia", "0134200"],
      ["tô procurando emprego de caldeireiro: caldeirarias em Camaçari", "2513600"],
      ["procuro emprego em logística e quero caldeirarias em Camaçari", "2513600"],
      ["looking for a job as a baker, list boiler shops in Camaçari", ""],
    ] as const) {
      const { explain, filters } = probe.spec(text);
      const codes = filters.industry.cnae_any_of.map((one) => one.replace(/\D/g, ""));
      if (code !== "") assert.deepEqual(codes, [code], text);
      assert.ok(!codes.includes("4721102"), text);
      assert.ok(
        explain.unmapped_constraints.some((one) => codeOf(one) === "own_offer"),
        text,
      );
    }
  });

  it("reports foreign trade without a word such as that", () => {
    for (const text of [
      "Which bakeries in Recife export to the EU?",
      "bakeries in Recife import from Spain",
    ]) {
      const { explain } = probe.spec(text);
      assert.ok(
        explain.unmapped_constraints.some((one) => codeOf(one) === "foreign_trade"),
        text,
      );
    }
  });

  it("reads every town of a list after a word for head offices", () => {
    const { geo } = filtersOf("bakeries with headquarters in Recife, Olinda or Caruaru");
    assert.equal(geo.municipality_ibge_any_of.length, 3);
    const near = probe.spec("padarias perto de Recife, Olinda e Caruaru, em Santos");
    assert.equal(isUncertain(near.explain.confidence), true);
  });

  it("takes the size in brackets, and names of micro-entrepreneurs", () => {
    const sizes = (text: string) => filtersOf(text).company.company_size_code_any_of;
    assert.deepEqual(sizes("bakeries in Recife, small size (EPP)"), ["03"]);
    assert.deepEqual(sizes("small bakeries in Recife"), ["01", "03"]);
    for (const words of ["one-person micro-entrepreneurs", "individual microentrepreneurs"]) {
      assert.equal(filtersOf(`bakeries in Recife, ${words}`).company.mei_opt_in, true, words);
    }
  });

  it("reads goods that describe the trade before them", () => {
    assert.deepEqual(codesOf("alambiques de cachaça artesanal em Recife"), ["1111901"]);
  });

  it("leaves the possessive of a word that is no place", () => {
    const { explain } = probe.spec("bakeries in Recife with the accountant's e-mail");
    const words = explain.unmapped_constraints.map((one) => JSON.stringify(one)).join();
    assert.match(words, /accountant's e-mail/);
  });
});

const codeOf = (note: unknown) => (note as { readonly code?: string }).code;
