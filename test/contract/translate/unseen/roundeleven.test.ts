/**
 * Proves rules that rounds 11 to 18 of unseen sentences required, each with other words than
 * theirs: negating words in names of towns, contacts that no other company has, lacking contacts in
 * English, numbers of persons, opening hours, closings, and wholesale behind the goods.
 * Does not prove that every such phrase is understood.
 */
import assert from "node:assert/strict";
import { after, before, describe, it, mock } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { DistrictNames } from "../../../../src/translate/places/districts/districtnames.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

describe("rules of rounds 11 to 18", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  /** Returns the filters, or "refused" if the sentence does not run. */
  const filtersOf = (text: string) => {
    const { filters, explain } = probe.spec(text);
    return isUncertain(explain.confidence) ? "refused" : filters;
  };
  const same = (text: string, plain: string) =>
    assert.deepEqual(filtersOf(text), filtersOf(plain), `${text} | ${plain}`);
  const specOf = (text: string) => probe.spec(text);

  it("read a district whose name has that of a town, without its city", () => {
    // The sample's districts are invented, so one of Rio de Janeiro is put in here.
    const homesOf = (name: string) =>
      /^(?:barra|praia) da (?:tijuca|barra)$/i.test(name)
        ? new Map([["3304557", { names: [name.toLowerCase()], accounts: 1_000_000 }]])
        : new Map();
    const lookUp = (_: Iterable<string>, names: readonly string[]) => names.map(homesOf);
    const mocks = (["within", "among"] as const).map((method) =>
      mock.method(DistrictNames.prototype, method, lookUp),
    );
    try {
      for (const name of ["Barra da Tijuca", "barra da tijuca"]) {
        const { geo } = specOf(`óticas na ${name} com telefone`).filters;
        assert.deepEqual(geo.district_any_of, [
          { municipality_ibge: "3304557", name: "barra da tijuca" },
        ]);
      }
      assert.equal(filtersOf("óticas na Barra da Xurupita"), "refused");
    } finally {
      for (const one of mocks) one.mock.restore();
    }
  });

  it("keep the negating words of a town's name", () => {
    for (const join of ["e", "ou"]) {
      const { geo } = specOf(`óticas em Petrópolis ${join} Juiz de Fora`).filters;
      assert.equal(geo.municipality_ibge_any_of.length, 2);
      const { geo: turned } = specOf(`óticas em Juiz de Fora ${join} Petrópolis`).filters;
      assert.equal(turned.municipality_ibge_any_of.length, 2);
    }
    const { geo } = specOf("óticas em Carazinho e Não-Me-Toque").filters;
    assert.equal(geo.municipality_ibge_any_of.length, 2);
    const outside = specOf("óticas em Minas Gerais, exceto Juiz de Fora").filters.geo;
    assert.ok(!outside.municipality_ibge_any_of.includes("3136702"));
    assert.ok(outside.municipality_ibge_any_of.length > 800);
  });

  it("read names of towns of which some words lack their accent", () => {
    same("óticas em niteroi e sao gonçalo", "óticas em Niterói e São Gonçalo");
    assert.deepEqual(specOf("frota própria de ônibus").filters.geo.municipality_ibge_any_of, []);
  });

  it("bound the companies that share a contact, by every verb", () => {
    for (const phrase of [
      "e-mail que não se repita em mais de 4 empresas",
      "e-mail que apareça em no máximo 4 empresas",
      "an email used by no more than 4 companies",
    ]) {
      const { contact } = specOf(
        `óticas em Natal com ${phrase}`.replace("com an", "with an"),
      ).filters;
      assert.equal(contact.email_shared_max, 4, phrase);
    }
    for (const phrase of ["nenhum outro CNPJ", "nenhuma outra empresa", "outras empresas"]) {
      const text = `óticas em Natal com telefone que não se repita em ${phrase}`;
      assert.equal(specOf(text).filters.contact.phone_shared_max, 1, text);
    }
  });

  it("read lacking contacts in English and Spanish", () => {
    same("opticians in Natal missing an email", "opticians in Natal without email");
    same("opticians in Natal lacking a phone", "opticians in Natal without phone");
    same("opticians with neither phone nor email", "opticians without phone or email");
    same("ópticas en Natal sin ningún contacto", "óticas em Natal sem nenhum contato");
    same("opticians in Natal that list a phone number", "opticians in Natal with phone");
    same("óticas em Natal com pelo menos um telefone", "óticas em Natal com telefone");
    same("óticas em Natal sem e-mail no cadastro", "óticas em Natal sem e-mail");
  });

  it("report persons, opening hours, and insolvency whole", () => {
    for (const [text, words] of [
      ["hotéis em Natal com mais de 80 funcionários", "mais de 80 funcionários"],
      ["schools in Natal with more than 300 students", "more than 300 students"],
      ["call centers in Natal hiring more than 90 people", "hiring more than 90 people"],
      ["opticians in Natal open on weekends", "open on weekends"],
      ["óticas em Natal em recuperação judicial", "em recuperação judicial"],
    ] as const) {
      assert.deepEqual(probe.unmapped(text), [words]);
      assert.notEqual(filtersOf(text), "refused", text);
    }
  });

  it("leave out what stands between a verb and its 'de fora'", () => {
    same("óticas em Natal deixando as filiais de fora", "óticas em Natal, exceto filiais");
    same(
      "clothing stores in Natal, no jewelry stores",
      "clothing stores in Natal except jewelry stores",
    );
    same("quarries in Natal, no MEI please", "quarries in Natal except MEI");
  });

  it("give the day of a closing to the status", () => {
    for (const verb of ["encerraram as atividades", "encerraram suas operações", "fecharam"]) {
      const { company } = specOf(`óticas em Natal que ${verb} em 2023`).filters;
      assert.deepEqual(company.registration_status_any_of, [8]);
      assert.equal(company.status_since, "2023-01-01");
      assert.equal(company.started_after, null);
    }
  });

  it("give a day behind contacts and lists to the status before them", () => {
    for (const [text, status] of [
      ["óticas baixadas sem e-mail desde 2024 em SP", 8],
      ["óticas inaptas com telefone em SP desde 2024", 4],
      ["closed opticians in Natal with phone since 2024", 8],
    ] as const) {
      const { company } = specOf(text).filters;
      assert.deepEqual(company.registration_status_any_of, [status], text);
      assert.equal(company.status_since, "2024-01-01", text);
    }
    const { company } = specOf("óticas baixadas com e-mail, abertas em 2020").filters;
    assert.deepEqual([company.started_after, company.status_since], ["2020-01-01", undefined]);
  });

  it("sell wholesale if the goods are followed by it", () => {
    same("quem vende brinquedo no atacado em Natal", "atacadistas de brinquedos em Natal");
    same("quem vende parafuso por atacado em Natal", "atacadistas de parafusos em Natal");
  });

  it("read a secondary activity behind its mark, and work as what the list is for", () => {
    const { industry } = specOf(
      "hotéis em Natal que tenham como atividade secundária o aluguel de carros",
    ).filters;
    assert.deepEqual(industry.cnae_secondary_any_of, ["7711-0/00"]);
    same("óticas em Natal, pra um trabalho da faculdade", "óticas em Natal");
    same("opticians in Natal, for my master's thesis", "opticians in Natal");
    same("Para cotação da Secretaria de Obras: óticas em Natal", "óticas em Natal");
  });

  it("count requested companies behind a list and before an order", () => {
    assert.equal(specOf("uma listagem com 300 óticas em Natal").limit, 300);
    assert.equal(specOf("óticas em Natal, me mostra 30, começando pelas mais novas").limit, 30);
    assert.equal(specOf("óticas em Natal, só uma loja").filters.company.establishments_max, 1);
  });
});
