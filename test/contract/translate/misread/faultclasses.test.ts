/**
 * Guards against kinds of errors that sentences by other people revealed. Each row pairs such a
 * sentence with an equivalent that was never misread. Proves that both have the same filters,
 * order, and limit. Does not prove that the second sentence is right, which the tables of the other
 * suites do.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../../support/translate/probe.ts";

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
    ["panaderías en Porto Alegre y Canoas", "padarias em Porto Alegre e em Canoas"],
  ],
  "a word of asking is no trade": [
    ["bota aí padarias em Natal", "padarias em Natal"],
    ["taca aí as padarias de Natal", "padarias em Natal"],
    ["bota aí 50 padarias em Natal", "50 padarias em Natal"],
    ["vendo caixas: 50 padarias em Natal", "50 padarias em Natal"],
    ["padarias em Natal, beleza?", "padarias em Natal"],
    ["padarias em Natal, ok?", "padarias em Natal"],
    ["alguém tem padarias em Natal?", "padarias em Natal"],
    ["dá uma olhada nas padarias de Natal", "padarias em Natal"],
    ["pesquisa da faculdade: padarias em Natal", "padarias em Natal"],
  ],
  "joined words share their head": [
    [
      "lojas de material elétrico e hidráulica em Natal",
      "lojas de material elétrico e lojas de material hidráulico em Natal",
    ],
    [
      "lojas de material elétrico e hidráulico em Natal",
      "lojas de material elétrico e lojas de material hidráulico em Natal",
    ],
    ["padarias no varejo em Natal", "padarias em Natal"],
    ["padarias em Natal no varejo", "padarias em Natal"],
  ],
  "Spanish words are read as what they mean": [
    ["bodegas en Natal", "vinícolas em Natal"],
    ["proveedores de trigo en Paraná", "fornecedores de trigo no Paraná"],
    ["padarias con la palabra sol en el nombre", "padarias com sol no nome"],
    ["bakeries with the word sol in the name", "padarias com sol no nome"],
    ["me pasas las panaderías de Natal", "padarias em Natal"],
    ["panaderías en Natal abiertas la semana pasada", "padarias em Natal abertas semana passada"],
  ],
  "chat spelling is read as the words that it stands for": [
    ["loja d tinta em natal", "loja de tinta em Natal"],
    ["fabrica d gelo em natal", "fábrica de gelo em Natal"],
    ["padaria em natal c mais d 5 anos", "padaria em Natal com mais de 5 anos"],
    ["padaria em natal ñ mei", "padaria em Natal que não seja MEI"],
    ["padaria em natal n mei", "padaria em Natal que não seja MEI"],
    ["qro padarias em natal, tks", "padarias em Natal"],
    ["preciso mt de padarias em natal vlw", "padarias em Natal"],
    ["padarias em natal cm telefone", "padarias em Natal com telefone"],
    ["padarias em natal abertas dps d 2020", "padarias em Natal abertas depois de 2020"],
  ],
  "signs and short forms compare as words do": [
    ["padarias em Natal abertas >= 2021", "padarias em Natal abertas desde 2021"],
    ["padarias em Natal abertas > 2021", "padarias em Natal abertas depois de 2021"],
    ["padarias em Natal abertas < 2021", "padarias em Natal abertas antes de 2021"],
    ["padarias em Natal +5 anos", "padarias em Natal com mais de 5 anos"],
    ["padarias em Natal > 5 anos", "padarias em Natal com mais de 5 anos"],
    ["padarias em Natal < 3 anos", "padarias em Natal com menos de 3 anos"],
    ["padarias em Natal, idade: 5 anos ou mais", "padarias em Natal com 5 anos ou mais"],
    ["padarias em Natal max. 3 anos", "padarias em Natal com até 3 anos"],
    ["bakeries in Natal up to 3 years old", "padarias em Natal com até 3 anos"],
    ["padarias em Natal com > 5 lojas", "padarias em Natal com mais de 5 lojas"],
    ["padarias em Natal capital +200 mil", "padarias em Natal com capital acima de 200 mil"],
    ["padarias em Natal capital >= R$ 200.000", "padarias em Natal com capital acima de 200 mil"],
    ["padarias em Natal com capital <= 50 mil", "padarias em Natal com capital até 50 mil"],
    ["padarias em Natal cap. social > 50k", "padarias em Natal com capital acima de 50 mil"],
    [
      "padarias em Natal com capital acima de 100 mil por favor",
      "padarias em Natal com capital acima de 100 mil",
    ],
    ["padarias em Natal abertas no último mês", "padarias em Natal abertas no último 1 mês"],
    ["padarias em Natal abertas ontem", "bakeries in Natal opened yesterday"],
    ["padarias em Natal abertas esta semana", "bakeries in Natal opened this week"],
    ["padarias em Natal 2018 a 2020", "padarias em Natal abertas de 2018 a 2020"],
    ["padarias do Simples abertas desde 2021", "padarias abertas desde 2021, do Simples"],
    ["padarias em Natal, nenhum MEI", "padarias em Natal que não sejam MEI"],
    ["padarias em Natal nenhuma filial", "padarias em Natal sem filial"],
  ],
  "contacts are asked for in every form": [
    ["padarias em Natal telefone preenchido", "padarias em Natal com telefone"],
    ["padarias em Natal (telefone e e-mail)", "padarias em Natal com telefone e e-mail"],
    ["padarias em Natal telefone + e-mail", "padarias em Natal com telefone e e-mail"],
    [
      "padarias em Natal com tanto telefone quanto e-mail",
      "padarias em Natal com telefone e e-mail",
    ],
    ["padarias em Natal com endereço de email", "padarias em Natal com e-mail"],
  ],
  "a name behind a word for an establishment is no trade and no place": [
    ["filiais da Casas Bahia em Salvador", "filiais com casas bahia no nome em Salvador"],
    ["filiais da Magazine Luiza no Paraná", "filiais com magazine luiza no nome no Paraná"],
    ["lojas da rede Pague Menos em Natal", "empresas com pague menos no nome em Natal"],
    ["restaurantes da rede Madero em Natal", "restaurantes com madero no nome em Natal"],
    ["filiais de São Paulo", "filiais em São Paulo"],
    ["lojas da Bahia", "lojas na Bahia"],
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

  it("names a whole quarter and never searches the town in it", () => {
    for (const text of [
      "padarias em Jardim da Luz, Goiânia",
      "padarias em jardim das palmeiras, cuiabá",
      "padarias em Alto da Boa Vista, Rio de Janeiro",
      "bakeries in Vila Mariana",
    ]) {
      const { filters, explain } = probe.translate(text).spec as unknown as {
        filters: { geo?: { municipality_ibge_any_of?: readonly string[] } };
        explain: { confidence: number };
      };
      assert.ok((filters.geo?.municipality_ibge_any_of ?? []).length <= 1, text);
      assert.equal(explain.confidence, 0, text);
    }
  });

  it("searches the makers and sellers of a cooperative's goods, and no shops", () => {
    for (const text of ["cooperativas de café", "coffee cooperatives"]) {
      const { industry } = probe.translate(text).spec.filters as unknown as {
        industry: { cnae_any_of: readonly string[] };
      };
      const codes = industry.cnae_any_of;
      assert.ok(codes.includes("0134-2/00") && codes.includes("4621-4/00"), text);
      assert.ok(!codes.some((code) => /^(?:47|56)/.test(code)), text);
    }
  });

  it("names a CNPJ and does not run what no filter accepts", () => {
    for (const text of ["filiais do CNPJ 11.222.333/0001-81", "padarias menos 11222333000181"]) {
      const { unmapped_constraints: notes, confidence } = probe.translate(text).spec.explain;
      assert.ok(
        notes.some(({ code }) => code === "company_number"),
        text,
      );
      assert.equal(confidence, 0, text);
    }
  });

  it("prefers the district of a city to a town of the same state, and reports it", () => {
    const { filters } = probe.translate("padarias em Liberdade, Belo Horizonte")
      .spec as unknown as {
      filters: { geo?: { municipality_ibge_any_of?: readonly string[] } };
    };
    assert.deepEqual(filters.geo?.municipality_ibge_any_of, ["3106200"]);
  });
});
