/**
 * Proves that equivalent sentences yield the same spec. They differ in accents, capitals, number,
 * order, punctuation, and polite words. The HTTP route returns the same spec as the function. Does
 * not prove that the spec is right. The tables of other suites and the benchmark do, for one
 * sentence of each set.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startFake } from "../../support/http/fake.ts";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

/** Sets of sentences. All sentences of a set have the same meaning. */
const SETS: readonly (readonly string[])[] = [
  [
    "padarias em MG abertas desde 2020",
    "em MG, padarias abertas desde 2020",
    "abertas desde 2020, padarias em MG",
    "padarias abertas desde 2020 em MG",
    "padarias de Minas Gerais abertas desde 2020",
    "padarias no estado de Minas Gerais, abertas a partir de 2020",
    "padarias mineiras abertas desde 2020",
    "quero uma lista de padarias em MG que abriram desde 2020, por favor",
    "Padaria em Minas Gerais aberta desde 2020.",
  ],
  [
    "padarias em Goiânia com telefone",
    "com telefone, padarias em Goiânia",
    "padarias com telefone em Goiânia",
    "em Goiânia: padarias com telefone!",
    "padarias (com telefone) em Goiânia",
    "padarias que tenham telefone em Goiânia",
    "procuro padarias na cidade de Goiânia que possuam telefone",
    "padarias em Goiânia/GO com telefone",
    "padarias em Goiânia, GO, com telefone",
    "padarias em Goiânia - GO com telefone",
    "me mostre padarias em goiania com fone",
  ],
  [
    "padarias com celular em Goiânia",
    "padarias que tenham telefone celular em Goiânia",
    "em Goiânia: padarias com número de celular",
  ],
  [
    "padarias com 5 ou mais lojas em Goiânia",
    "padarias em Goiânia com pelo menos cinco unidades",
    "redes de padarias em Goiânia com mais de 4 estabelecimentos",
  ],
  [
    "salões de beleza no Paraná",
    "salão de beleza no Paraná",
    "salões de beleza paranaenses",
    "salões de beleza no estado do Paraná",
    "no Paraná, salões de beleza",
    "salões de beleza em PR",
    "lista de salões de beleza no PR",
    "busque salões  de   beleza\tno Paraná",
    "Olá, bom dia! Gostaria de salões de beleza no Paraná, obrigado.",
  ],
  [
    "restaurantes em SP exceto MEI",
    "restaurantes em SP, exceto MEI",
    "restaurantes em SP (exceto MEI)",
    "restaurantes em SP que não sejam MEI",
    "restaurantes em SP, menos MEI",
    "restaurantes não MEI em SP",
    "exceto MEI, restaurantes em SP",
    "restaurantes em SP sem MEI",
    "restaurantes em SP sem ser MEI",
    "restaurantes paulistas, tirando MEI",
  ],
  [
    "oficinas mecânicas no Sul com e-mail e telefone",
    "oficinas mecânicas no Sul com telefone e e-mail",
    "oficinas mecânicas no Sul com email e com telefone",
    "oficinas mecânicas da região Sul, com e-mail, com telefone",
    "oficina mecânica no sul com telefone e email",
    "com telefone e e-mail: oficinas mecânicas no Sul",
    "oficinas mecânicas em PR, SC e RS com e-mail e telefone",
    "oficinas mecânicas no Paraná, em Santa Catarina e no Rio Grande do Sul com e-mail e telefone",
  ],
  [
    "clínicas veterinárias com mais de 2 anos",
    "clínicas veterinárias há mais de 2 anos",
    "clínicas veterinárias há mais de dois anos",
    "clínicas veterinárias abertas há mais de 2 anos",
    "clínicas veterinárias com mais de 2 anos de mercado",
    "com mais de 2 anos, clínicas veterinárias",
    "clínica veterinária há mais de 2 anos",
    "clínicas veterinárias com mais de 24 meses",
  ],
  [
    "bares em Florianópolis e Curitiba",
    "bares em Curitiba e Florianópolis",
    "bares em Curitiba e em Florianópolis",
    "bares em Curitiba ou Florianópolis",
    "bares em Curitiba, Florianópolis",
    "bares em Floripa e Curitiba",
    "bares de Curitiba/PR e Florianópolis/SC",
    "em Curitiba e Florianópolis, bares",
    "bar em Curitiba e Florianópolis",
  ],
  [
    "farmácias com capital acima de 100 mil",
    "farmácias com capital social acima de 100 mil reais",
    "farmácias com capital superior a R$ 100.000,00",
    "farmácias com capital maior que 100.000",
    "farmácias com capital de mais de 100 mil",
    "farmácias com capital acima de cem mil reais",
    "com capital acima de 100 mil, farmácias",
    "farmácias com capital > 100 mil",
  ],
  [
    "academias abertas em 2021 no RJ",
    "academias no RJ abertas em 2021",
    "em 2021 abertas no RJ: academias",
    "academias fundadas em 2021 no RJ",
    "academias criadas em 2021 no estado do Rio de Janeiro",
    "academias fluminenses abertas em 2021",
    "academias do RJ constituídas em 2021",
  ],
  [
    "50 dentistas em Recife",
    "os 50 dentistas em Recife",
    "me traga 50 dentistas em Recife",
    "quero 50 dentistas de Recife",
    "lista de 50 dentistas em Recife",
    "em Recife, 50 dentistas",
    "até 50 dentistas em Recife",
  ],
  [
    "lojas de roupas e calçados em SC",
    "lojas de calçados e roupas em SC",
    "loja de roupas e loja de calçados em SC",
    "comércio de roupas e calçados em Santa Catarina",
    "em SC, lojas de roupas e de calçados",
    "lojas de roupa e calçado em SC",
  ],
  [
    "transportadoras optantes pelo Simples",
    "transportadoras do Simples Nacional",
    "transportadoras no Simples",
    "transportadoras que são do Simples",
    "transportadoras enquadradas no Simples Nacional",
    "transportadoras dentro do Simples",
    "transportadora optante do simples nacional",
  ],
  [
    "supermercados no Nordeste, só matriz",
    "supermercados no Nordeste, apenas matrizes",
    "só matriz, supermercados no Nordeste",
    "supermercados nordestinos que não sejam filiais",
    "supermercados do Nordeste sem filiais",
    "supermercados na região Nordeste, somente a matriz",
  ],
];

/** Ways to write a sentence differently without changing its meaning. */
const WRITINGS: Readonly<Record<string, (text: string) => string>> = {
  "without accents": (text) => text.normalize("NFD").replace(/\p{M}/gu, ""),
  "accents apart": (text) => text.normalize("NFD"),
  "in capitals": (text) => text.toUpperCase(),
  "in lower case": (text) => text.replace(/\p{L}+/gu, (word) => lowered(word)),
  "with space around": (text) => `  ${text.replaceAll(" ", "  ")}\n`,
  "with a full stop": (text) => `${text.replace(/[.!]$/, "")}.`,
  "as a question": (text) => `${text.replace(/[.!]$/, "")}?`,
  "in quotation marks": (text) => `"${text}"`,
};

/**
 * Returns the word in lower case. Words of two letters stay unchanged, because "SP" is a state and
 * "me" a pronoun.
 */
function lowered(word: string): string {
  return word.length === 2 ? word : word.toLowerCase();
}

describe("paraphrases", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());

  /** Returns the whole spec as JSON, without `explain`. */
  function bytes(text: string): string {
    const { explain: _, ...spec } = probe.spec(text);
    return JSON.stringify(spec);
  }

  it("of a set yield the same spec", () => {
    const wrong = SETS.flatMap(([first = "", ...others]) =>
      others
        .filter((text) => bytes(text) !== bytes(first))
        .map((text) => `${text}\n  ${bytes(text)}\n  ${bytes(first)}`),
    );
    assert.equal(wrong.join("\n"), "");
  });

  it("of different sets do not", () => {
    const specs = SETS.map(([first = ""]) => bytes(first));
    assert.equal(new Set(specs).size, SETS.length);
  });

  it("leave nothing unmapped", () => {
    const left = SETS.flat().filter((text) => probe.unmapped(text).length > 0);
    assert.deepEqual(
      left.map((text) => [text, probe.unmapped(text)]),
      [],
    );
  });

  for (const [name, write] of Object.entries(WRITINGS)) {
    it(`yield the same spec ${name}`, () => {
      const wrong = SETS.flat().filter((text) => bytes(write(text)) !== bytes(text));
      assert.deepEqual(wrong.map(write), []);
    });
  }

  it("by the endpoint yield what the function yields", async () => {
    const server = await startFake("node");
    server.load(probe.segment);
    try {
      for (const text of SETS.flat().slice(0, 60)) {
        const answer = await fetch(`${server.base}/v1/leads/translate`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            authorization: `Bearer ${server.keys.enterprise}`,
          },
          body: JSON.stringify({ query_text: text }),
        });
        const body = (await answer.json()) as Record<string, unknown>;
        assert.equal(answer.status, 200, JSON.stringify(body));
        const spec = probe.spec(text);
        assert.deepEqual(body.spec, spec);
        assert.deepEqual(body.explain, spec.explain);
        assert.deepEqual(body.parts, probe.translate(text).parts);
      }
    } finally {
      await server.close();
    }
  });
});
