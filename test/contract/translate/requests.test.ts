/**
 * Proves: the phrases below, with which people begin or end a request, do not change its meaning,
 * and none of their words is reported as unknown. If the same words are part of the name of a
 * trade, they count. Does not prove that people use no other phrases.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openProbe, type Probe } from "../../support/translate/probe.ts";

/** Phrases with which people request companies. X stands for the companies. */
const FRAMES = (
  "por gentileza, X|X, por favorzinho|oi, tudo certo? X|olá pessoal, X|e aí, X|" +
  "fala pessoal, X|boa noite, tudo bem com vocês? X|bom dia equipe, X|caros, X|" +
  "senhores, X|prezados senhores, X|estou atrás de X|tô procurando X|to atras de X|" +
  "tava querendo X|estamos em busca de X|estou em busca de X|a gente quer X|" +
  "a gente precisa de X|meu chefe pediu X|minha equipe precisa de X|" +
  "nosso time comercial quer X|o time de vendas precisa de X|para o time comercial: X|" +
  "preciso urgente de X|preciso o quanto antes de X|se puder me passe X|" +
  "se der, me manda X|me indica X|me indique X|me recomenda X|me sugere X|me arranja X|" +
  "me fala X|me diz X|me dá X|me dê X|me dá uma lista de X|vocês têm X|vocês teriam X|" +
  "tem como me mandar X|tem como ver X|dá pra ver X|dá para listar X|" +
  "seria possível obter X|seria possível me enviar X|poderia por favor me enviar X|" +
  "poderiam me fornecer X|pode me ajudar a achar X|consegue levantar X|" +
  "consegue me passar X|gostaria de saber X|gostaria de prospectar X|" +
  "gostaria de contatar X|quero entrar em contato com X|quero falar com X|" +
  "quero vender para X|quero fazer uma campanha para X|quero fazer um mailing de X|" +
  "quero montar um mailing com X|quero montar uma base de X|preciso de uma base com X|" +
  "preciso de uma planilha de X|preciso de uma planilha com X|gera uma planilha de X|" +
  "gere um relatório de X|exporta X|exportar X|baixar X|quero baixar X|extrair X|" +
  "faça um levantamento de X|levantamento de X|pesquisa de X|catálogo de X|cadastro de X|" +
  "relação completa de X|lista completa de X|lista atualizada de X|lista com todas as X|" +
  "todas as X que existem|X existentes|X cadastradas|X disponíveis|" +
  "X registradas na receita federal|X com dados completos|X com todos os dados|" +
  "X, obrigado desde já|X, muito obrigada|X, agradeço|X, agradecido|X, valeu|X vlw|" +
  "X, abraços|X, atenciosamente|X, att|X, aguardo|X, aguardo retorno|X, no aguardo|" +
  "X para prospecção|X para prospectar|X pra vender|X para oferecer nossos produtos|" +
  "X para ligar amanhã|X para contato comercial|X para fazer parceria|X para eu ligar|" +
  "X por gentileza|quantas X existem|quantas são as X|qual o total de X|total de X|" +
  "número de X|quantidade de X|lista de empresas do tipo X|empresas que são X|" +
  "negócios como X|estabelecimentos do ramo de X|empresas do segmento de X|" +
  "empresas atuantes no ramo de X|procura-se X|busca: X|filtro: X|pesquisar: X|leads: X|" +
  "leads quentes de X|leads qualificados de X|prospects: X|clientes em potencial: X|" +
  "possíveis clientes: X|i'm looking for X|i am searching for X|can you find X|" +
  "could you list X|could you please send me X|would like to get X|i'd like X|" +
  "we are interested in X|show me all X|give me a list of X|a list of all X|" +
  "list all the X you have|X please|X, thanks a lot|X, thank you very much|" +
  "how many X are there|what are the X|which X are there|busco X|estoy buscando X|" +
  "necesito una lista de X|me gustaría ver X|quisiera X|muéstrame todas las X|" +
  "¿cuántas X hay?|por favor envíame X"
).split("|");

/** Ways to say where companies are. */
const PLACED = (
  "padarias que ficam em Natal|padarias situadas em Natal|padarias sediadas em Natal|" +
  "padarias instaladas em Natal|padarias localizadas na cidade de Natal|" +
  "padarias lá em Natal|padarias lá de Natal|padarias dentro de Natal|" +
  "padarias aqui em Natal|padarias aqui de Natal|padarias pela cidade de Natal|" +
  "padarias espalhadas por Natal|padarias de toda Natal|" +
  "padarias em toda a cidade de Natal|padarias que estão em Natal|" +
  "padarias que existem em Natal|padarias que operam em Natal|" +
  "padarias que funcionam em Natal|padarias funcionando em Natal|" +
  "padarias operando em Natal|padarias em funcionamento em Natal|" +
  "padarias em atividade em Natal|padarias em operação em Natal|padarias ativas em Natal|" +
  "padarias com CNPJ ativo em Natal|padarias com situação ativa em Natal|" +
  "padarias abertas em Natal|padarias ainda abertas em Natal|padarias atuantes em Natal|" +
  "padarias que atuam em Natal|padarias domiciliadas em Natal|" +
  "padarias estabelecidas em Natal|padarias do município de Natal|" +
  "padarias da cidade de Natal|padarias de Natal RN|" +
  "padarias de Natal - Rio Grande do Norte|padarias natal/rn|em Natal, padarias|" +
  "Natal: padarias|Natal RN padarias|cidade: Natal, atividade: padaria|" +
  "segmento: padarias, cidade: Natal|ramo padaria cidade Natal|padarias - Natal|" +
  "padarias (Natal)|padaria natal rn|padarias inscritas em Natal|" +
  "padarias com matriz ou filial em Natal|todo tipo de padaria em Natal|" +
  "qualquer padaria em Natal|padarias e afins em Natal|padarias, etc, em Natal|" +
  "bakeries located in Natal|bakeries based in Natal|bakeries operating in Natal|" +
  "active bakeries in Natal|bakeries in the city of Natal|all kinds of bakeries in Natal|" +
  "bakeries in Natal, Brazil|bakeries in Natal (Brazil)|bakeries that are in Natal"
).split("|");

/** Words that can begin a request, but here begin a trade or a condition. */
const PRESERVED: readonly (readonly [text: string, words: string])[] = [
  ["pesquisa de mercado em Natal", "pesquisa de mercado"],
  ["catálogo", "catálogo"],
];

const ENGLISH = new RegExp(
  "\\b(looking|find|list all|please|thank|how many|what|which|show|give|a list|like|searching|" +
    "could|interested|i'd|i'm)\\b",
);

describe("request phrases", () => {
  let probe: Probe;
  before(async () => {
    probe = await openProbe();
  });
  after(() => probe.close());
  const outcome = (text: string) => {
    const { spec } = probe.translate(text);
    return { filters: spec.filters, left: spec.explain.unmapped_constraints };
  };

  it("do not change the request", () => {
    const wanted = outcome("padarias em Natal").filters;
    for (const frame of FRAMES) {
      const english = ENGLISH.test(frame) && !/lista/.test(frame);
      const text = frame.replace("X", english ? "bakeries in Natal" : "padarias em Natal");
      assert.deepEqual(outcome(text), { filters: wanted, left: [] }, text);
    }
    for (const text of PLACED) {
      assert.deepEqual(outcome(text), { filters: wanted, left: [] }, text);
    }
  });

  it("are kept if they are the searched trade", () => {
    for (const [text, words] of PRESERVED) {
      const { parts } = probe.translate(text);
      const part = parts.find((one) => one.words.startsWith(words));
      assert.notEqual(part?.role ?? "filler", "filler", text);
    }
  });
});
