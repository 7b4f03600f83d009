/**
 * Proves that sentences reworded as people do mean the same as a plain one, and run: other orders,
 * telegraphic lists, verbs, and reasons. Each set stands for a kind of rewording that once lost a
 * place, a contact, or an exclusion. Does not prove that the plain sentence is read right; the
 * other suites do.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUncertain } from "../../../../src/translate/confidence.ts";
import { notesOf, openProbe, type Probe } from "../../../support/translate/probe.ts";

/** Kinds of rewordings, each with sets of sentences that mean the same as their first. */
const KINDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "name two cities without a preposition": [
    [
      "óticas em Cariacica e em Serra",
      "óticas cariacica e serra",
      "ÓTICAS CARIACICA E SERRA",
      "óticas, Cariacica e Serra",
      "óticas de cariacica e serra",
      "Cariacica, Serra, óticas",
    ],
    [
      "óticas em Dourados e em Naviraí",
      "óticas, dourados e naviraí",
      "ÓTICAS, DOURADOS E NAVIRAÍ",
      "Dourados e Naviraí, óticas",
    ],
  ],
  "name contacts between commas": [
    [
      "óticas em Belém com celular e e-mail",
      "óticas, Belém, celular, e-mail",
      "Belém, óticas, e-mail, celular",
    ],
    ["tanneries with phone and email", "tanneries, phone, email"],
    ["óticas em Belém com celular", "óticas em Belém, contato por celular"],
    [
      "óticas em Belém com telefone e e-mail",
      "óticas em belem telefone e email obrigatorios",
      "óticas em Belém, e-mail e telefone obrigatórios",
    ],
  ],
  "leave something out": [
    [
      "óticas em Belém, exceto MEI",
      "óticas em Belém, deixando de fora MEI",
      "óticas em Belém, deixar de fora os MEI",
      "óticas em Belém e deixa MEI de fora",
      "óticas em Belém, quero deixar MEI de fora",
      "óticas em Belém, leave out MEI",
      "ópticas en Belém, dejando fuera MEI",
    ],
    ["opticians in Belém, no branches", "opticians in Belém, leave branches out"],
    [
      "opticians in Belém or Manaus that are not MEI",
      "opticians in Belém or Manaus, MEI no",
      "opticians in Belém or Manaus without being MEI",
      "opticians that are not MEI, cities Belém and Manaus",
    ],
  ],
  "name a trade as what companies do": [
    [
      "construção civil em Belém",
      "empresas de construção civil em Belém",
      "empresas do setor de construção civil em Belém",
      "empresas do ramo da construção civil em Belém",
    ],
    ["limpeza predial em Belém", "empresas que fazem limpeza predial em Belém"],
    ["locação de andaimes em Belém", "quem realiza locação de andaimes em Belém"],
  ],
  "count branches": [
    [
      "óticas em Belém com mais de 4 filiais",
      "óticas em Belém, mais de quatro filiais",
      "ÓTICAS BELÉM MAIS DE 4 FILIAIS",
      "óticas em Belém com número de filiais acima de 4",
    ],
    ["óticas no Pará com mais de uma loja", "óticas no Pará, mais de 1 loja"],
  ],
  "bound the capital": [
    [
      "óticas em Belém com capital social entre 20 mil e 200 mil",
      "óticas em Belém, capital social entre vinte mil e duzentos mil reais",
      "óticas em Belém cujo capital social esteja entre R$ 20.000,00 e R$ 200.000,00",
    ],
  ],
  "lack every contact": [
    [
      "óticas em Belém sem nenhum contato",
      "óticas de Belém que não têm nenhum contato no cadastro",
      "óticas em Belém que não possuam nenhuma informação de contato",
    ],
  ],
  "name a postal code or a region": [
    ["óticas no CEP 66010", "óticas cujo CEP comece com 66010", "óticas na faixa de CEP 66010"],
    [
      "opticians in the Northeast of Brazil",
      "opticians northeast Brazil",
      "NORTHEAST BRAZIL, OPTICIANS",
      "opticians in the Northeast region",
      "opticians in Brazil's Northeast",
    ],
    ["óticas no Sul", "óticas nos três estados do Sul", "óticas nos 3 estados do Sul"],
  ],
  "name words of the name": [
    [
      "óticas em Belém com Estrela no nome",
      "óticas em Belém que levam Estrela no nome",
      'óticas em Belém em cujo nome aparece "Estrela"',
      "óticas em Belém, nome com Estrela",
    ],
  ],
  "name a day or a rating": [
    [
      "opticians in Belém founded before 1995",
      "opticians in Belém founded prior to 1995",
      "opticians in Belém founded before the year 1995",
    ],
    ["opticians in Belém rated 4 stars", "opticians in Belém, 4 stars and up"],
  ],
  "order, or name a contact first": [
    [
      "opticians in Belém by capital descending",
      "opticians in Belém in descending order of capital",
    ],
    ["opticians in Belém with any contact", "with any contact: opticians in Belém"],
  ],
  "say why they want it": [
    ["opticians in Belém", "for my accounting office, opticians in Belém"],
    [
      "óticas em Belém",
      "óticas em Belém, vou visitar pessoalmente",
      "óticas em Belém? preciso comprar armações",
      "óticas em Belém, pra prospecção da minha empresa de software",
      "galera, tenho uma empresa de software fiscal em Manaus e to atras de óticas em Belém",
      "preciso pra um trabalho da faculdade de uma lista com óticas em Belém",
    ],
  ],
};

describe("rewordings", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  /** Returns the spec as JSON, without `explain`. */
  function bytes(text: string): string {
    const { explain: _, ...spec } = probe.spec(text);
    return JSON.stringify(spec);
  }

  for (const [kind, sets] of Object.entries(KINDS)) {
    it(`that ${kind} mean the same, and run`, () => {
      const wrong = sets.flatMap(([first = "", ...others]) =>
        [first, ...others].filter((text) => {
          const { confidence } = probe.spec(text).explain;
          return bytes(text) !== bytes(first) || isUncertain(confidence);
        }),
      );
      assert.deepEqual(
        wrong.map((text) => `${text}: ${probe.spec(text).explain.confidence} ${bytes(text)}`),
        [],
      );
    });
  }

  it("never search everywhere if the people of an unknown town are named", () => {
    const { explain } = probe.spec("óticas xurupitenses com e-mail");
    assert.ok(isUncertain(explain.confidence), JSON.stringify(explain));
  });

  it("name the debts to the state without a town", () => {
    const spec = probe.spec("óticas em Belém com dívida na União");
    assert.deepEqual(spec.filters.geo.municipality_ibge_any_of, ["1501402"]);
    assert.deepEqual(
      notesOf(spec, "unmapped_constraints").map(({ code }) => code),
      ["not_imported"],
    );
  });
});
