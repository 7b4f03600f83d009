/**
 * Proves that the console's pickers find activities, municipalities, and legal natures by code,
 * name, and colloquial words, with any accents. The results have a fixed order, and whole groups
 * can be picked.
 * Does not prove: that the server's catalog is complete (contract/console/catalog.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CatalogAnswer } from "../../../src/console/web/app/answers.ts";
import { CatalogBook } from "../../../src/console/web/find/catalog.ts";

const CATALOG: CatalogAnswer = {
  snapshot: "2026-10",
  activities: [
    activity("1091-1/02", "Padaria e confeitaria com predominância de produção própria", 90, [
      "padarias",
      "panificadora",
    ]),
    activity("4721-1/02", "Padaria e confeitaria com predominância de revenda", 200, ["padarias"]),
    activity("4721-1/03", "Comércio varejista de laticínios e frios", 50, []),
    activity("4789-0/04", "Comércio varejista de animais vivos", 70, ["pet shop", "petshop"]),
    activity("8630-5/04", "Atividade odontológica", 120, ["dentistas", "consultório odontológico"]),
    activity("5611-2/02", "Bares e padarias com predominância de produção", 0, ["padarias"]),
    activity("8888-8/88", "Atividade Econônica não informada", 9, []),
  ],
  prefixes: [
    { code: "G", description: "Comércio; reparação de veículos", accounts: 320 },
    { code: "47", description: "Comércio varejista", accounts: 320 },
    { code: "472", description: null, accounts: 250 },
    { code: "4721-1", description: "Comércio varejista de produtos de padaria", accounts: 250 },
    { code: "86", description: "Atividades de atenção à saúde humana", accounts: 120 },
  ],
  municipalities: [
    { ibge: "3550308", tom: "7107", name: "SAO PAULO", uf: "SP", accounts: 500 },
    { ibge: "3106200", tom: "4123", name: "BELO HORIZONTE", uf: "MG", accounts: 200 },
    { ibge: "4306106", tom: "8631", name: "CRUZ ALTA", uf: "RS", accounts: 10 },
    { ibge: "4219507", tom: "8383", name: "XAXIM", uf: "SC", accounts: 5 },
    { ibge: "3303500", tom: "5869", name: "NOVA IGUACU", uf: "RJ", accounts: 20 },
  ],
  states: [{ uf: "SP", name: "São Paulo", accounts: 500 }],
  status_reasons: { pt: {}, en: {} },
  used_reasons: ["01"],
  lacks: [],
  legal_natures: [
    { code: "2062", description: "Sociedade Empresária Limitada", accounts: 60 },
    { code: "2135", description: "Empresário (Individual)", accounts: 90 },
  ],
  examples: { pt: [], en: [] },
};

function activity(code: string, description: string, accounts: number, terms: string[]) {
  return { code, description, short: null, terms, accounts };
}

const BOOK = new CatalogBook(CATALOG);
const activities = (text: string) => BOOK.searchActivities(text, 10).map(({ code }) => code);
const cities = (text: string, states: string[] = []) =>
  BOOK.searchMunicipalities(text, 10, states).map(({ name }) => name);

describe("activities", () => {
  it("are found by name without accents, the exact lexicon match first", () => {
    assert.deepEqual(activities("padarias"), ["4721-1/02", "1091-1/02"]);
    assert.deepEqual(activities("LATICINIOS"), ["4721-1/03"]);
    assert.deepEqual(activities("confeit propria"), ["1091-1/02"]);
    assert.deepEqual(activities("nothing of the kind"), []);
  });

  it("without a name match are found by their codes", () => {
    assert.deepEqual(activities("5611-2/02"), ["5611-2/02"]);
    assert.deepEqual(activities("predominancia de producao"), ["1091-1/02"]);
  });

  it("are found by colloquial words, with the matched word", () => {
    const [found] = BOOK.searchActivities("dentis", 5);
    assert.equal(found?.code, "8630-5/04");
    assert.equal(found?.term, "dentistas");
    assert.equal(BOOK.searchActivities("odontologica", 5)[0]?.term, undefined);
    assert.deepEqual(activities("pet shop"), ["4789-0/04"]);
  });

  it("are found by code in any spelling, wide before narrow", () => {
    const wide = ["47", "472", "4721-1", "4721-1/02", "4789-0/04", "4721-1/03"];
    assert.deepEqual(activities("47"), wide);
    assert.equal(activities("4721-1/02")[0], "4721-1/02");
    assert.equal(activities("47211")[0], "4721-1");
  });

  it("can be selected by whole groups, which show what they contain", () => {
    const group = BOOK.searchActivities("47", 10).find(({ code }) => code === "47");
    assert.deepEqual(group?.codes, ["4721-1/02", "4721-1/03", "4789-0/04"]);
    assert.equal(
      BOOK.searchActivities("86", 10).some(({ code }) => code === "86"),
      false,
    );
  });

  it("have names, as do groups", () => {
    assert.equal(BOOK.activityName("8630-5/04"), "Atividade odontológica");
    assert.equal(BOOK.activityName("47"), "Comércio varejista");
    assert.equal(BOOK.activityName("G"), "Comércio; reparação de veículos");
    assert.equal(BOOK.activityName("0000-0/00"), null);
  });
});

describe("municipalities", () => {
  it("are found without accents, those with most accounts first", () => {
    assert.deepEqual(cities("são paulo"), ["SAO PAULO"]);
    assert.deepEqual(cities("iguaçu"), ["NOVA IGUACU"]);
    assert.deepEqual(cities(""), CATALOG.municipalities.map(({ name }) => name).sort(byAccounts));
  });

  it("are found with their state, and only in given states", () => {
    assert.deepEqual(cities("belo mg"), ["BELO HORIZONTE"]);
    assert.deepEqual(cities("belo", ["SP"]), []);
    assert.deepEqual(cities("", ["SC", "RS"]), ["CRUZ ALTA", "XAXIM"]);
  });

  it("are found by either code", () => {
    assert.equal(BOOK.municipality("3106200")?.name, "BELO HORIZONTE");
    assert.equal(BOOK.municipality("7107")?.name, "SAO PAULO");
    assert.equal(BOOK.municipality("1"), undefined);
  });
});

it("finds legal natures by code and name", () => {
  const natures = (text: string) => BOOK.searchNatures(text, 5).map(({ code }) => code);
  assert.deepEqual(natures("empresari"), ["2135", "2062"]);
  assert.deepEqual(natures("206"), ["2062"]);
  assert.equal(BOOK.natureName("2135"), "Empresário (Individual)");
});

function byAccounts(one: string, other: string): number {
  const accounts = (name: string) =>
    CATALOG.municipalities.find((city) => city.name === name)?.accounts ?? 0;
  return accounts(other) - accounts(one);
}
