/**
 * Adjectives of products: "cooperativas leiteiras", "indústria calçadista", "fazendas cafeeiras".
 * Input: a sentence and a position. Output: the product's noun if its adjective is there, directly
 * after a word for a cooperative or for makers.
 * Invariant: an adjective is read only after such a word, because most also have another meaning
 * alone ("leiteira" is a jug, "fruteira" a bowl).
 * On its own because it is a word list.
 */
import type { Sentence } from "../words/sentence.ts";
import { reduce, type Token } from "../words/tokens.ts";

/** Adjectives in the masculine singular, in Portuguese and Spanish, with the product's noun. */
const ADJECTIVES: readonly (readonly [adjectives: string, noun: string])[] = [
  ["leiteiro lechero", "leite"],
  ["cafeeiro cafeicultor cafetalero cafetero", "cafe"],
  ["arrozeiro arrocero", "arroz"],
  ["algodoeiro algodonero", "algodao"],
  ["acucareiro azucarero", "acucar"],
  ["canavieiro", "cana"],
  ["cacaueiro cacaotero", "cacau"],
  ["madeireiro maderero", "madeira"],
  ["pesqueiro pesquero", "peixe"],
  ["calcadista", "calcado"],
  ["moveleiro", "movel"],
  ["triticola triguero", "trigo"],
  ["sojicultor sojero", "soja"],
  ["fumageiro fumicultor tabacalero", "fumo"],
  ["apicola", "mel"],
  ["avicola", "frango"],
  ["suinicola suinocultor porcino", "suino"],
  ["citricola citricultor", "laranja"],
  ["vinicola vitivinicola", "vinho"],
  ["fruticola fruticultor", "fruta"],
  ["horticola", "hortalica"],
  ["cervejeiro cervecero", "cerveja"],
  ["ceramista oleiro", "ceramica"],
  ["seringueiro", "borracha"],
  ["pecuarista ganadero", "gado"],
];

const NOUNS: ReadonlyMap<string, string> = new Map(
  ADJECTIVES.flatMap(([words, noun]) => words.split(" ").map((word) => [word, noun] as const)),
);

/** Words for cooperatives and makers, which such an adjective describes. */
const MAKERS = new Set(
  (
    "cooperativa cooperativas industria industrias fabrica fabricas fazenda fazendas finca " +
    "fincas granja granjas produtor produtora produtores produtoras productor productora " +
    "productores productoras associacao associacoes asociacion asociaciones"
  ).split(" "),
);

/**
 * Returns possible masculine forms of a feminine adjective such as "leiteira" or "cafeicultora".
 */
function genders(word: string): readonly string[] {
  return [word.replace(/a$/, "o"), word.replace(/a$/, "")];
}

/** Returns a token with the product's noun if its adjective is at `at`, otherwise null. */
export function productAt(sentence: Sentence, at: number): Token | null {
  const token = sentence.tokens[at];
  if (token?.kind !== "word" || !MAKERS.has(sentence.folded(at - 1))) return null;
  const one = token.folded.replace(/(?<=r)e?s$|s$/, "");
  const noun = [one, ...genders(one)]
    .map((word) => NOUNS.get(word))
    .find((each) => each !== undefined);
  return noun === undefined ? null : { ...token, folded: noun, key: reduce(noun) };
}
