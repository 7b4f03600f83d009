/**
 * Makes hostile texts: mixtures of real words and noise, and repetitions of one short text,
 * on which a slow part of the translator takes long.
 * Invariant: the same seed yields the same texts. No text is longer than 2,000 UTF-16 units.
 */
import { TEXT_MAX } from "../../../src/spec/schema.ts";

/** A deterministic source of numbers from 0 up to, not including, 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Words and phrases that the stages of the translator recognize. */
const CONDITIONS =
  "padarias|restaurantes|lojas de roupas|fábrica de móveis|conserto de celular|dentistas|bar|" +
  "clínica veterinária|cnae 5611-2/01|5611201|cnae 56|distribuidora de bebidas|calçados|" +
  "atacado de|loja de|oficina|salão de beleza|advogados|transportadora|comércio varejista|" +
  "em SP|no Paraná|em São Paulo|no estado de São Paulo|Campinas/SP|em Bom Jesus no Piauí|" +
  "no Nordeste|no Sul|interior de SP|Rio de Janeiro|em Nárnia|gaúchas|Santa Catarina|RJ|" +
  "Belo Horizonte|cidade de Recife|em Floripa|São José do Rio Preto|Goiania|Santo André|" +
  "desde 2020|antes de março de 2019|até 31/12/2020|entre 2015 e 2018|em 2021|2020-02-30|" +
  "há mais de 2 anos|com menos de 5 anos|nos últimos 6 meses|recém-abertas|novas|antigas|" +
  "mais novas primeiro|as 10 maiores|top 50|100|1.000.000|capital acima de 100 mil|" +
  "capital entre 10 mil e 1,5 milhão|capital de até R$ 5.000,00|mil|milhão|0|99/99/9999|" +
  "ativas|baixadas|inativas|suspensas|MEI|ME|EPP|Simples|fora do Simples|lucro real|matriz|" +
  "filiais|grande porte|médias|com telefone|sem e-mail|com contato|e-mail ou telefone|whatsapp|" +
  "faturamento acima de 1 milhão|10 funcionários|bairro Centro|raio de 10 km|sócios|CPF|site|" +
  "quero|empresas|que tenham|lista de|companies with phone in Recife|opened after 2019|not";

/** Words that negate or connect other words. */
const JOINTS =
  "exceto|sem|não|nem|menos|fora|só|apenas|somente|mas|e|ou|com|de|do|da|em|no|que|que não|" +
  "não só|inclusive|tirando|mais de|menos de|acima de|abaixo de|até|desde|antes de|depois de|" +
  "entre|a partir de|há|por|para|perto de|ao redor de|sejam|tenham|a|o|as|os|um|dois|,|;|.|-|/|(|)";

/** Unusual input: lone surrogates, other scripts, combining marks, and numbers of every kind. */
const NOISE = [
  ..."\u0000 \u0001 \u0008 \u000b \u001f \u007f \u0085 \u00a0 \u00ad \u200b \u200d \u2028".split(
    " ",
  ),
  ..."\ud800 \udc00 \udfff\ud83d e\u0301\u0301\u0301 \u0301 a\u0327\u0303".split(" "),
  ..."\u202e \u2066 \ufeff".split(" "),
  ..."\ufffd \uffff 😀 👩‍👩‍👧 🇧🇷 مخبز في ساو 面包店 パン屋 хлеб ﬁlial İstanbul ẞ ǅ ᾳ Ⅻ ½ ① ٣ 𝟙 𝕊ão".split(
    " ",
  ),
  ..."' \" ` ´ ’ \\ | & % $ # @ ! ? * + = ~ ^ { } [ ] < > % _ …".split(" "),
  ..."– — § ª º // -- ../ R$ \n \t \r\n".split(" "),
  ..."1.1.1.1.1 1,,2 1-2-3-4 1/2/3/4 0000 00/00/0000 31/02/2020 2020/13 99999999999999999999".split(
    " ",
  ),
  ..."1e9 1e309 0x10 -1 +5 1.000.000,00 1,000,000.00 5% 12345678901234 NaN Infinity null".split(
    " ",
  ),
  ..."__proto__ constructor toString hasOwnProperty undefined true [object $(x) <b> ';--".split(
    " ",
  ),
  "a".repeat(60),
  `${"a".repeat(40)}!`,
  "Pneumoultramicroscopicossilicovulcanoconiótico",
  "padaraia",
  "resturantes",
  "PADARIAS EM MINAS GERAIS",
];

const PIECES: readonly (readonly string[])[] = [CONDITIONS.split("|"), JOINTS.split("|"), NOISE];
const SPACES = [" ", " ", " ", " ", " ", "  ", "", ", ", "\t", "-", " e ", "/"];

function pick<Value>(list: readonly Value[], random: () => number): Value {
  return list[Math.floor(random() * list.length)] as Value;
}

/** Returns a text of random pieces. Most texts are short, and some have all 2,000 units. */
export function hostileText(random: () => number): string {
  const long = random();
  const pieces = 1 + random() * (long < 0.97 ? 2 : long < 0.998 ? 15 : 200);
  const noisy = random() < 0.2 ? 0.5 : 0.03;
  let text = "";
  for (let i = 0; i < pieces && text.length < TEXT_MAX; i++) {
    const kind = random();
    const list = PIECES[kind < noisy ? 2 : kind < noisy + 0.35 ? 1 : 0] as readonly string[];
    text += damaged(pick(list, random), random) + pick(SPACES, random);
  }
  return text.slice(0, TEXT_MAX);
}

/** Damages one piece in 25: drops, doubles, or swaps a unit, or writes capitals. */
function damaged(piece: string, random: () => number): string {
  const what = random();
  if (what > 0.04) return piece;
  const at = Math.floor(random() * piece.length);
  if (what < 0.01) return piece.slice(0, at) + piece.slice(at + 1);
  if (what < 0.02) return piece.slice(0, at) + (piece[at] ?? "") + piece.slice(at);
  if (what < 0.03) return piece.slice(at) + piece.slice(0, at);
  return piece.toUpperCase();
}

/** Short texts that, when repeated, take or might take much time to translate. */
export const SHAPES: readonly string[] = [
  ...["a", "1", "1.", "1,", "a,", ",", " ", "-", "a-", "d'", "(", ")", '"', "%", "\t", "\0", "5% "],
  ...["😀", "\ud800", "\u200d", "e\u0301", "\u0301", "مخبز ", "面包店", "abcdefghij", "A", "Sp"],
  ...[
    "exceto ",
    "nem ",
    "não ",
    "que não ",
    "não que seja ",
    "sem ",
    "mas ",
    "e ",
    "de ",
    "em ",
    "com ",
  ],
  ...["exceto MEI ", "e MEI ", "MEI, ", "MEI e ME ", "exceto MEI, ME, EPP, ", "sem telefone nem "],
  ...["não só ", "não só MEI ", "exceto SP, ", "exceto SP e ", "ou SP ", "SP ", "sp/", "em sp e "],
  ...["telefone ", "telefone, ", "telefone e ", "com telefone ou ", "grandes ", "grandes, ", "me "],
  ...["São Paulo, ", "São Paulo e ", "Bom Jesus e ", "em Bom Jesus, ", "Santo Antônio do ", "rio "],
  ...[
    "Santo ",
    "São José do ",
    "no estado da cidade de ",
    "em Xyz ",
    "em Xyz e ",
    "Xyz, ",
    "em de ",
  ],
  ...[
    "loja de ",
    "loja de roupas, ",
    "roupas, calçados e ",
    "roupas ",
    "fábrica de móveis e ",
    "casa ",
  ],
  ...[
    "conserto de ",
    "distribuidora ",
    "comércio varejista de ",
    "serviço de ",
    "aluguel e venda de ",
  ],
  ...["cnae ", "cnae 56 ", "5611-2/01 ", "5611201,", "cnae e ", "99 ", "0 ", "1 e ", "R$ 1 "],
  ...[
    "capital ",
    "capital 1 e ",
    "capital de ",
    "mil ",
    "1 mil mil ",
    "2 anos ",
    "mais de ",
    "menos de ",
  ],
  ...[
    "desde ",
    "desde 2020 e ",
    "2020 a ",
    "31/12/2020 a ",
    "entre 2015 e ",
    "até ",
    "março de ",
    "há ",
  ],
  ...[
    "recém abertas ",
    "mais nova ",
    "mais novas primeiro ",
    "top ",
    "top 5 ",
    "as 10 ",
    "um ",
    "dois ",
  ],
  ...[
    "xq zk wv ",
    "xbcdefghijklmnopqrst ",
    "padarai em Sao Paolo resturante ",
    "padarya ",
    "floripa ",
  ],
  ...["funcionários ", "10 km de ", "faturamento de ", "bairro ", "sócios, ", "site e ", "CPF do "],
  ...[
    "padarias em Minas Gerais abertas desde 2020 com e-mail, exceto MEI e ME ",
    "in ",
    "with phone ",
  ],
];

/** A shape repeated up to a length. */
export function repeated(shape: string, length: number): string {
  return shape.repeat(Math.ceil(length / shape.length)).slice(0, length);
}

/** Returns a short shape of a few random pieces. */
export function randomShape(random: () => number): string {
  let shape = "";
  for (let i = 0; i < 1 + random() * 4; i++) {
    const list = PIECES[Math.floor(random() * PIECES.length)] as readonly string[];
    shape += pick(list, random) + pick(SPACES, random);
  }
  return shape.slice(0, 80) || "a";
}
