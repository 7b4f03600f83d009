/**
 * Proves rules that were added after the sixth set of unseen sentences, each with words that the
 * set did not have. They concern explanations in brackets, adjectives of products, purposes without
 * their goods, exclusions before "não", and examples before "and other". They also concern names of
 * chains after their trade, highways, parts of cities, and reasons for a list.
 * Does not prove: that every such phrase is understood.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

describe("rules of the sixth round", () => {
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
  const codesOf = (text: string) => probe.spec(text).filters.industry.cnae_any_of;

  it("read goods of the trade in brackets as an explanation", () => {
    for (const [trade, goods] of [
      ["padarias", "pães e bolos"],
      ["olarias", "tijolos e telhas"],
      ["sapatarias", "sapatos e sandálias"],
      ["óticas", "óculos e lentes"],
      ["papelarias", "cadernos, canetas"],
    ]) {
      for (const rest of ["em Natal", "em MG, com e-mail", "do Paraná abertas desde 2020"]) {
        same(`${trade} (${goods}) ${rest}`, `${trade} ${rest}`);
      }
    }
  });

  it("report other words in brackets as a kind, and keep trades, places, and exclusions", () => {
    assert.deepEqual(probe.unmapped("research institutes (natural sciences) in Natal"), [
      "natural sciences",
    ]);
    same("aviação agrícola (xyzzy de quaxel) em MT", "aviação agrícola em MT");
    same("padarias (Recife)", "padarias em Recife");
    assert.notDeepEqual(codesOf("clínicas (odontologia) em Natal"), codesOf("clínicas em Natal"));
    same("lojas (roupas e calçados) em Natal", "lojas de roupas e calçados em Natal");
  });

  it("read adjectives of products only after cooperatives and makers", () => {
    for (const [adjective, goods] of [
      ["leiteiras", "leite"],
      ["cafeeiras", "café"],
      ["cacaueiras", "cacau"],
      ["madeireiras", "madeira"],
      ["pesqueiras", "peixe"],
    ]) {
      same(`cooperativas ${adjective} em MG`, `cooperativas de ${goods} em MG`);
    }
    same(
      "cooperativas lecheras de Paraná con teléfono",
      "cooperativas de leite do PR com telefone",
    );
    assert.deepEqual(codesOf("fazendas cafeeiras em MG"), ["0134-2/00"]);
    assert.notDeepEqual(codesOf("leiteiras em MG"), codesOf("fazendas leiteiras em MG"));
  });

  it("give an exclusion the goods named before", () => {
    for (const except of ["tirando as", "menos as", "exceto as"]) {
      const text = `distribuidoras de medicamentos em Goiânia ${except} de uso veterinário`;
      assert.deepEqual(probe.spec(text).filters.industry.cnae_exclude, ["4644-3/02"], text);
    }
    const { industry } = probe.spec("floriculturas (viveiros não) em Natal").filters;
    assert.deepEqual(
      [industry.cnae_any_of, industry.cnae_exclude],
      [["4789-0/02"], ["0142-3/00", "0210-1/06"]],
    );
  });

  it("read goods before 'and other' as an example", () => {
    assert.deepEqual(codesOf("tilapia and other freshwater fish farms in Rondônia"), ["0322-1/01"]);
    assert.ok(codesOf("rice and other cereal growers in RS").includes("0111-3/01"));
  });

  it("read a chain in small letters after its trade, but not a city", () => {
    for (const [trade, chain] of [
      ["farmácias", "drogasil"],
      ["farmácias", "pague menos"],
      ["academias", "smart fit"],
      ["lojas", "havan"],
    ]) {
      for (const place of ["no RS", "em Natal", "sc"]) {
        const { text_hints: hints } = probe.spec(`${trade} ${chain} ${place}`).filters.industry;
        assert.deepEqual(hints, [chain], `${trade} ${chain} ${place}`);
      }
    }
    const { text_hints: hints } = probe.spec("postos ipiranga em Natal").filters.industry;
    assert.deepEqual(hints, ["ipiranga"]);
    same("mercados bh", "mercados em Belo Horizonte");
    same("mercados colombo", "mercados em Colombo");
    same("supermercados grandes em SP", "grandes supermercados em SP");
  });

  it("report highways, and refuse one without another place", () => {
    for (const road of ["BR-101", "BR 101", "br-116"]) {
      same(`motéis na ${road} em Sergipe`, "motéis em Sergipe");
      assert.equal(filtersOf(`motéis na ${road}`), "refused");
    }
    same("postos na SP-330", "postos em SP");
    assert.deepEqual(probe.unmapped("postos na BR 101 em Sergipe"), ["BR 101"]);
  });

  it("report parts of cities and reasons, and search the city", () => {
    same("fábricas de motos no polo industrial de Manaus", "fábricas de motos em Manaus");
    same("cafes in shopping malls of Natal", "cafes in Natal");
    for (const why of ["pra vistoria da secretaria", "para reunião", "para um levantamento"]) {
      same(`ferro velho em Natal ${why}`, "ferro velho em Natal");
    }
  });

  it("refuse a question about a fact, and search companies that deal in it", () => {
    assert.equal(filtersOf("qual a previsão do tempo pra amanhã em Cuiabá?"), "refused");
    assert.deepEqual(codesOf("empresas de previsão do tempo em SP"), ["7490-1/99"]);
  });

  it("quote the clause of what was not understood", () => {
    const text = "padarias em Natal que faturem mais de 10 milhões por ano";
    assert.deepEqual(probe.unmapped(text), ["que faturem mais de 10 milhões por ano"]);
    same("armazéns de Natal que estejam contratando", "armazéns de Natal");
    same("materiais de construção em Natal que vende fiado", "materiais de construção em Natal");
    same("criadores de gado em Natal; quem já usa energia solar", "criadores de gado em Natal");
  });

  it("order 'top N' by capital if that is the only measure named", () => {
    const sorted = (text: string) => probe.spec(text).sort.map(({ field }) => field);
    assert.equal(
      sorted("top 10 empresas de Goiás com capital acima de 1 milhão")[0],
      "share_capital",
    );
    assert.notEqual(sorted("top 10 empresas de Goiás")[0], "share_capital");
  });
});
