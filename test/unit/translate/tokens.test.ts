/**
 * Proves how a text is cut into tokens and how words are reduced to keys, which are the same for
 * singular and plural. For any text, the tokens occur in it in order, and the text between them has
 * no meaning. The search for names reads few tokens.
 * Does not prove the meaning of words, nor speed.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Phrases, wordsOf } from "../../../src/translate/words/phrases.ts";
import { Sentence } from "../../../src/translate/words/sentence.ts";
import {
  englishSingulars,
  otherGenders,
  plainForms,
  reduce,
  type Token,
  tokenize,
} from "../../../src/translate/words/tokens.ts";

/** Texts with the folded forms of their tokens. */
const CUTS: readonly (readonly [text: string, ...folded: string[]])[] = [
  ["Padarias em São Paulo", "padarias", "em", "sao", "paulo"],
  ["pet-shop, self-service", "pet", "shop", ",", "self", "service"],
  ["caixa d'água", "caixa", "d", "agua"],
  ["caixa d’água", "caixa", "d", "agua"],
  ["bares/restaurantes", "bares", "/", "restaurantes"],
  ["bed & breakfast", "bed", "e", "breakfast"],
  ["P&D", "p", "e", "d"],
  ["e-mail", "e", "mail"],
  ["R$ 1.500,00", "r", "$", "1.500,00"],
  ["R$100mil", "r", "$", "100", "mil"],
  ["nº 5 e N.º 6", "numero", "5", "e", "n", ".", "o", "6"],
  ["1º lugar", "1", "o", "lugar"],
  ["cnae 5611-2/01", "cnae", "5611-2/01"],
  ["de 2018-2020.", "de", "2018-2020", "."],
  ["veja https://exemplo.com.br/a?b=c, ok", "veja", "https://exemplo.com.br/a?b=c", ",", "ok"],
  ["(www.exemplo.com)", "(", "www.exemplo.com", ")"],
  ["mande a fulano@exemplo.com.", "mande", "a", "fulano@exemplo.com", "."],
  ["padarias @padaria", "padarias", "@", "padaria"],
  ["T.I. em S.P, E.P.P.", "ti", "em", "sp", ",", "epp"],
  ["Ltda. e S.A. (S/A)", "ltda", "e", "sa", "(", "sa", ")"],
  ["no P.R. Com tel. fixo", "no", "pr", ".", "com", "tel", "fixo"],
  ["R.H.\nem SP", "rh", ".", "em", "sp"],
  ["a.b.cd e a.é.", "a", ".", "b", ".", "cd", "e", "a", ".", "e", "."],
  ["fim.Com telefone", "fim", ".", "com", "telefone"],
  ["🍞padarias🥖 em SP", "🍞", "padarias", "🥖", "em", "sp"],
  ["👨‍🍳 chefs", "👨", "🍳", "chefs"],
  ["pada\u200bria\ufeff em\u00a0SP", "padaria", "em", "sp"],
  ["pa\u00addaria", "padaria"],
  ["Sa\u0303o Jose\u0301", "sao", "jose"],
  ["\u0301 solto", "solto"],
  ["ｐａｄａｒｉａ", "padaria"],
  ["𝐩𝐚𝐝𝐚𝐫𝐢𝐚", "padaria"],
  ["падария em SP", "падария", "em", "sp"],
  ["面包店 padaria", "面包店", "padaria"],
  ["a\u2028b\u3000c\td", "a", "b", "c", "d"],
  ["padarias – MG — SP", "padarias", "–", "mg", "—", "sp"],
  ["\ud800padaria\udc00", "\ud800", "padaria", "\udc00"],
  ["cnpj 12.ABC.345/01DE-35.", "cnpj", "12.abc.345/01de-35", "."],
  ["12abc34501de35, AB.CDE.345/01DE-35", "12abc34501de35", ",", "ab.cde.345/01de-35"],
  ["9,9938275000138E+13 em SP", "9,9938275000138e+13", "em", "sp"],
  ["SUPERMERCADO12 de 1.5e6", "supermercado", "12", "de", "1.5e6"],
  ["", ...[]],
  [" -'’ \u200b", ...[]],
];

/** Pairs of plural and singular that must have the same key. */
const NUMBERS = (
  "bares:bar alugueis:aluguel paes:pao caes:cao maes:mae maos:mao graos:grao hoteis:hotel " +
  "moveis:movel imoveis:imovel automoveis:automovel jardins:jardim atacadistas:atacadista " +
  "saloes:salao corretores:corretor luzes:luz cruzes:cruz lojas:loja jornais:jornal " +
  "animais:animal funis:funil barris:barril azuis:azul farois:farol lencois:lencol " +
  "papeis:papel aneis:anel pasteis:pastel coqueteis:coquetel texteis:textil fosseis:fossil " +
  "repteis:reptil taxis:taxi sushis:sushi biquinis:biquini trens:trem itens:item bens:bem " +
  "armazens:armazem viagens:viagem mulheres:mulher flores:flor gases:gas meses:mes paises:pais " +
  "ingleses:ingles portugueses:portugues voos:voo pneus:pneu museus:museu degraus:degrau " +
  "acucares:acucar hifens:hifen leis:lei reis:rei bois:boi boxes:box clinicas:clinica " +
  "restaurantes:restaurante escolas:escola padarias:padaria irmaos:irmao coracoes:coracao " +
  "alemaes:alemao capitaes:capitao sais:sal dificeis:dificil uteis:util hospitais:hospital"
).split(" ");

/** Pairs of words that must have different keys. */
const APART = (
  "mae:mao cao:cai gas:gaz pais:pai mes:meso care:car sale:sal tenis:teni vinho:vi pao:pai " +
  "casa:caso porta:porto banca:banco bolo:bola loja:lojo sala:sal lei:leite rei:rel boi:bol " +
  "marinha:mar cozinha:coza galinha:galo"
).split(" ");

describe("tokenize", () => {
  it("cuts every text of the table", () => {
    for (const [text, ...folded] of CUTS) {
      const tokens = tokenize(text);
      assert.deepEqual(
        tokens.map((token) => token.folded),
        folded,
        JSON.stringify(text),
      );
    }
  });

  it("distinguishes words, numbers, and marks", () => {
    const kinds = tokenize("3 bares, 1.5 & x@y.com 🍞").map(({ kind }) => kind);
    assert.deepEqual(kinds, ["number", "word", "mark", "number", "word", "word", "mark"]);
  });

  const pieces = fc.constantFrom(
    ...CUTS.map(([text]) => text),
    ..."áã\u0301\u200b\u00ad\ud83c\udf5e-'’&@.:/_º%\n\u2028\u{1d41f}".split(""),
    ...["http://", "www.", ".com.br", "nº", "R$", "½", "ß", "İ", "ﬁ", "Ⅷ", "①"],
  );
  const texts = fc.oneof(
    fc.string({ maxLength: 200, unit: "binary" }),
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join("")),
  );

  it("returns tokens that are in the text, in order, with nothing lost between them", () => {
    fc.assert(
      fc.property(texts, (text) => {
        let end = 0;
        const between: string[] = [];
        for (const token of tokenize(text)) {
          assert.ok(token.start >= end && token.end > token.start);
          const written = text.slice(token.start, token.end);
          assert.ok([written, written.replace(/[/.]/g, "")].includes(token.text));
          assert.ok(token.folded !== "" && token.key !== "");
          between.push(text.slice(end, token.start));
          end = token.end;
        }
        between.push(text.slice(end));
        assert.match(between.join(""), /^[\s\p{Cc}\p{Cf}\p{Mn}\-‐‑'’‘`´]*$/u);
      }),
      { numRuns: 3_000 },
    );
  });

  it("reads composed and decomposed letters, and any case, alike", () => {
    fc.assert(
      fc.property(fc.constantFrom(...CUTS.map(([text]) => text)), (text) => {
        const folded = (other: string) => tokenize(other).map((token) => token.folded);
        assert.deepEqual(folded(text.normalize("NFD")), folded(text.normalize("NFC")));
      }),
    );
    const words = (text: string) => tokenize(text).map(({ key }) => key);
    assert.deepEqual(words("SALÕES DE BELEZA"), words("salao de beleza"));
  });
});

describe("reduce", () => {
  it("reduces the singular and the plural to one key", () => {
    for (const pair of NUMBERS) {
      const [plural = "", singular = ""] = pair.split(":");
      assert.equal(reduce(plural), reduce(singular), pair);
    }
  });

  it("reduces different words to different keys", () => {
    for (const pair of APART) {
      const [one = "", other = ""] = pair.split(":");
      assert.notEqual(reduce(one), reduce(other), pair);
    }
  });

  it("accepts any word, of any length", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (word) => {
        assert.ok(reduce(word).length <= word.length + 1);
        assert.ok(plainForms(word).length <= 4 && otherGenders(word).length <= 4);
      }),
    );
  });
});

describe("forms of words", () => {
  it("proposes the base words of a diminutive", () => {
    for (const [small, plain] of [
      ["barzinho", "bar"],
      ["lojinha", "loja"],
      ["lojinhas", "loja"],
      ["padariazinha", "padaria"],
      ["salaozinho", "salao"],
      ["saloezinhos", "salao"],
      ["hoteizinhos", "hotel"],
      ["paezinhos", "pao"],
      ["restaurantezinho", "restaurante"],
      ["lanchonetezinha", "lanchonete"],
      ["botequinho", "boteco"],
      ["farmacinha", "farmacia"],
      ["arrozinho", "arroz"],
      ["docinho", "doce"],
      ["barzitos", "bar"],
    ] as const) {
      assert.ok(plainForms(small).includes(plain), `${small}: ${plainForms(small).join(" ")}`);
    }
  });

  it("proposes nothing for words that only look like diminutives", () => {
    const words =
      "vizinho moinho vinho linho caminho golfinho cozinha galinha farinha marinha campinas " +
      "onibus lapis ourives tenis gas oculos mes rainha sardinha pinho ninho linha minha tinha " +
      "toucinho espinho focinho campainha vizinhas moinhos andorinhas";
    for (const word of words.split(" ")) assert.deepEqual(plainForms(word), [], word);
  });

  it("proposes the other gender of professions and of nothing else", () => {
    for (const [his, hers] of [
      ["advogado", "advogada"],
      ["contador", "contadora"],
      ["engenheiro", "engenheira"],
      ["medico", "medica"],
      ["cabeleireiro", "cabeleireira"],
      ["psicologo", "psicologa"],
      ["veterinario", "veterinaria"],
    ] as const) {
      assert.ok(otherGenders(his).includes(hers), his);
      assert.ok(otherGenders(hers).includes(his), hers);
    }
    assert.ok(otherGenders("contadoras").includes("contador"));
    assert.ok(otherGenders("contadores").includes("contadora"));
    for (const word of "dentista porta porto banco banca casa bolo bola loja sala".split(" ")) {
      assert.deepEqual(otherGenders(word), [], word);
    }
  });

  it("proposes English singulars", () => {
    assert.deepEqual(englishSingulars("bakeries"), ["bakery"]);
    assert.deepEqual(englishSingulars("churches"), ["church"]);
    assert.deepEqual(englishSingulars("padarias"), []);
  });
});

/** Returns the tokens behind a proxy that counts how many of them are read. */
function counted(tokens: readonly Token[]): { tokens: readonly Token[]; looks: () => number } {
  let looks = 0;
  const proxy = new Proxy(tokens, {
    get(target, name, receiver) {
      if (typeof name === "string" && /^\d+$/.test(name)) looks++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { tokens: proxy, looks: () => looks };
}

describe("Phrases", () => {
  it("finds the longest name, over joining words and marks of joining", () => {
    const names = new Phrases<string>();
    for (const name of ["casa", "casa de carnes", "casa de carnes finas", "pet shop"]) {
      names.add(name, name);
    }
    const longest = (text: string) => names.longest(tokenize(text), 0)?.value ?? null;
    assert.equal(longest("casa das carnes em SP"), "casa de carnes");
    assert.equal(longest("casa & carne fina"), "casa de carnes finas");
    assert.equal(longest("Pet-Shops"), "pet shop");
    assert.equal(longest("casa, carnes"), "casa");
    assert.equal(longest("loja"), null);
    assert.deepEqual(wordsOf("casa das carnes"), ["casa", "carne"]);
    assert.deepEqual(wordsOf("de"), ["de"]);
  });

  it("reads no more tokens than the longest name and a few joining words allow", () => {
    const names = new Phrases<number>();
    names.add("a1b um dois tres", 1);
    names.add("casa carne fina", 2);
    const text = `casa ${"de ".repeat(1_000)}carne`;
    const { tokens, looks } = counted(tokenize(text));
    assert.equal(names.longest(tokens, 0), null);
    assert.ok(looks() <= 10, `${looks()} looks`);
    const many = counted(tokenize("casa de carne ".repeat(300)));
    for (let at = 0; at < 900; at++) names.longest(many.tokens, at);
    assert.ok(many.looks() <= 900 * 10, `${many.looks()} looks`);
  });

  it("knows the continuations of a name", () => {
    const names = new Phrases<number>();
    names.add("casa de carnes", 1);
    names.add("casa nova", 2);
    const tokens = tokenize("uma casa de x");
    assert.deepEqual(names.continuations(tokens, 1, 3), ["carne", "nova"]);
    assert.deepEqual(names.continuations(tokens, 0, 1), []);
  });
});

describe("Sentence", () => {
  it("keeps the text and the position of a word that is read as another", () => {
    const sentence = new Sentence("em Curtiba, SP");
    sentence.readAs(1, "curitiba");
    const { text, folded, key, start, end } = sentence.tokens[1] as Token;
    assert.deepEqual([text, folded, key, start, end], ["Curtiba", "curitiba", "curitiba", 3, 10]);
    assert.equal(sentence.folded(1), "curitiba");
    assert.deepEqual(sentence.words(0, 2), { words: "em Curtiba", start: 0, end: 10 });
  });

  it("assigns each token to the first who claims it", () => {
    const sentence = new Sentence("bares em SP");
    sentence.claim(0, 1, "activity");
    sentence.claim(0, 3, "place");
    assert.deepEqual(
      [0, 1, 2].map((at) => sentence.owner(at)),
      ["activity", "place", "place"],
    );
    assert.equal(sentence.owner(3), null);
    assert.equal(sentence.free(3), false);
  });
});
