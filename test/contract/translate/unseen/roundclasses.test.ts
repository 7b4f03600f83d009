/**
 * Proves rules that were added after three sets of unseen sentences. They concern names of chains
 * of shops, requests without a filter, lists of towns, nouns shared by several trades, dates that
 * share a year, and postal codes. Does not prove that all unseen sentences of these kinds are
 * right.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { municipalityOfPostal } from "../../../../src/translate/places/postalcities.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

describe("classes of three rounds", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());
  const filtersOf = (text: string) => probe.spec(text).filters;

  for (const [text, words] of [
    ["Havan SC", "havan"],
    ["Havan stores in Pará", "havan"],
    ["lojas da Zorblin em Santa Catarina", "zorblin"],
    ["LOJAS DA ZORBLIN EM SANTA CATARINA", "zorblin"],
    ["filiais do assaí no nordeste", "assai"],
    ["farmácias Pague Menos no Piauí, só as filiais", "pague menos"],
    ["Lojas Americanas fechadas no Nordeste", "americanas"],
    ["sucursales de Zorblin en Rio Grande do Sul", "zorblin"],
  ] as const) {
    it(`reads the name of a chain in "${text}"`, () => {
      const { industry, geo } = filtersOf(text);
      assert.deepEqual(industry.text_hints, [words]);
      assert.ok(geo.uf_any_of.length > 0);
      assert.ok(!isUncertain(probe.spec(text).explain.confidence));
    });
  }

  for (const text of [
    "filiais em Recife",
    "lojas da Bahia com telefone",
    "stores in Belém",
    "clothing stores Caputira MG",
    "farmácias em Boa Vista",
    "condomínios em Águas Claras DF",
  ]) {
    it(`reads no name in "${text}"`, () => {
      assert.deepEqual(filtersOf(text).industry.text_hints, []);
    });
  }

  for (const [text, code] of [
    ["vinícolas em Bento Gonçalves que exportam para a China", "foreign_trade"],
    ["wineries in Bento Gonçalves that import from Argentina", "foreign_trade"],
    ["bodegas de vino en Bento Gonçalves que exporten", "foreign_trade"],
    ["borracharia 24 horas em Dourados", "opening_hours"],
    ["borracharia 24h em Dourados", "opening_hours"],
    ["empresas de TI em Florianópolis que estão contratando", "hiring"],
    ["law firms in Belém that are hiring", "hiring"],
    ["hoteles boutique en Paraty", "kind"],
    ["construtoras do lucro presumido no Paraná", "tax_regime"],
    ["padarias em Belém com faturamento acima de 1 milhão", "revenue"],
    ["bakeries in Belém with over 100 employees", "employees"],
  ] as const) {
    it(`names ${code} in "${text}"`, () => {
      const { explain, filters } = probe.spec(text);
      const codes = explain.unmapped_constraints.map((note) => (note as { code: string }).code);
      assert.deepEqual(codes, [code]);
      assert.ok(filters.industry.cnae_any_of.length > 0);
      assert.deepEqual(
        filters.geo.uf_any_of.filter((uf) => uf === "EX"),
        [],
      );
    });
  }

  it("reads importers without a trade before them as an activity", () => {
    assert.deepEqual(filtersOf("empresas que importam vinho").industry.cnae_any_of, ["4635-4/99"]);
  });

  for (const [text, cities] of [
    ["salinas em Mossoró, Macau e Areia Branca", ["2401107", "2407203", "2408003"]],
    ["granjas em rio verde, jatai e mineiros", ["5211909", "5213103", "5218805"]],
    ["imobiliárias torres, capao da canoa e tramandai", ["4304630", "4321501", "4321600"]],
    ["padarias em petrolina e juazeiro da bahia", ["2611101", "2918407"]],
  ] as const) {
    it(`reads towns of one state in "${text}"`, () => {
      assert.deepEqual([...filtersOf(text).geo.municipality_ibge_any_of].sort(), cities);
    });
  }

  for (const [text, codes] of [
    ["primary and secondary schools in Belém", ["8513900", "8520100"]],
    ["wine and beer wholesalers in Belém", ["4635402", "4635499"]],
    ["laboratorios que fabrican medicamentos en Belém", ["21"]],
  ] as const) {
    it(`reads the shared words of "${text}"`, () => {
      const found = filtersOf(text).industry.cnae_any_of.map((code) => code.replace(/\D/g, ""));
      const isFound = (code: string) => found.some((one) => one.startsWith(code));
      assert.ok(codes.every(isFound), found.join());
    });
  }

  for (const [text, days] of [
    ["abertas entre 5 de março e 10 de abril de 2024", ["2024-03-05", "2024-04-11"]],
    ["abertas entre 5 e 20 de março de 2024", ["2024-03-05", "2024-03-21"]],
    ["abertas de 20 de dezembro a 10 de janeiro de 2024", ["2023-12-20", "2024-01-11"]],
    ["abertas de 05/03 a 10/04/2024", ["2024-03-05", "2024-04-11"]],
    ["abertas entre março e junho de 2024", ["2024-03-01", "2024-07-01"]],
  ] as const) {
    it(`shares the year in "${text}"`, () => {
      const { company } = filtersOf(`padarias ${text}`);
      assert.deepEqual([company.started_after, company.started_before], days);
    });
  }

  it("names a closing date, and searches the closed companies", () => {
    const { filters, explain } = probe.spec("padarias em Belém fechadas em 2025");
    assert.deepEqual(filters.company.registration_status_any_of, [8]);
    assert.equal(filters.company.started_after, null);
    const codes = explain.unmapped_constraints.map((note) => (note as { code: string }).code);
    assert.deepEqual(codes, []);
    const { status_since, status_before } = filters.company;
    assert.deepEqual([status_since, status_before], ["2025-01-01", "2026-01-01"]);
  });

  it("measures a distance from the municipality of a postal code", () => {
    const { segment } = probe;
    const prefixes = Array.from({ length: 90 }, (_, i) => String(10_000 + 1_000 * i));
    const code = prefixes.find((one) => municipalityOfPostal(segment, one) !== null) ?? "";
    const ibge = municipalityOfPostal(segment, code) ?? "";
    const city = segment.catalog.municipalities.find((one) => one.ibge === ibge);
    const reported = filtersOf(`padarias a 30 km do CEP ${code}`).geo.municipality_ibge_any_of;
    const named = filtersOf(`padarias a 30 km de ${city?.name}/${city?.uf}`).geo;
    assert.ok(reported.includes(ibge), `${code}: ${reported.join()}`);
    assert.deepEqual(reported, named.municipality_ibge_any_of);
    const { explain } = probe.spec("padarias a 30 km do CEP 00000-000");
    assert.ok(isUncertain(explain.confidence));
  });
});
