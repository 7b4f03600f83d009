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

/** Stems of adjectives, in Portuguese and Spanish, with the product's noun. */
const STEMS: readonly (readonly [stems: string, noun: string])[] = [
  ["leiteir lecher lact laticin", "leite"],
  ["cafeeir cafeicultor cafetaler cafeter", "cafe"],
  ["arrozeir arrocer orizicol", "arroz"],
  ["algodoeir algodoner", "algodao"],
  ["acucareir azucarer sucroalcooleir", "acucar"],
  ["canavieir caner", "cana"],
  ["cacaueir cacaoter cacaoer", "cacau"],
  ["madeireir maderer", "madeira"],
  ["pesqueir pesquer", "peixe"],
  ["calcadist", "calcado"],
  ["moveleir", "movel"],
  ["triticol trigueir triguer", "trigo"],
  ["sojicultor sojer sojicol", "soja"],
  ["fumageir fumicultor tabacaler tabaquer", "fumo"],
  ["apicol", "mel"],
  ["avicol", "frango"],
  ["suinicol suinocultor porcin", "suino"],
  ["bananeir bananer bananicultor", "banana"],
  ["citricol citricultor", "laranja"],
  ["vinicol vitivinicol vitivinicultor", "vinho"],
  ["fruticol fruticultor fruter", "fruta"],
  ["horticol hortifrutigranjeir", "hortalica"],
  ["cervejeir cervecer", "cerveja"],
  ["ceramist oleir", "ceramica"],
  ["milheir maicer", "milho"],
  ["seringalist seringueir caucher", "borracha"],
  ["pecuarist ganader", "gado"],
];

const NOUNS: ReadonlyMap<string, string> = new Map(
  STEMS.flatMap(([stems, noun]) => stems.split(" ").map((stem) => [stem, noun] as const)),
);

/** Words for cooperatives and makers, which such an adjective describes. */
const MAKERS = new Set(
  (
    "cooperativa cooperativas industria industrias fabrica fabricas fazenda fazendas finca " +
    "fincas granja granjas produtor produtora produtores produtoras productor productora " +
    "productores productoras associacao associacoes asociacion asociaciones"
  ).split(" "),
);

/** Returns the product's noun in place of its adjective at a token, or null. */
export function productAt(sentence: Sentence, at: number): Token | null {
  const token = sentence.tokens[at];
  if (token?.kind !== "word" || !MAKERS.has(sentence.folded(at - 1))) return null;
  const stem = token.folded.replace(/(?:as?|os?|es|e)$/, "");
  const noun = NOUNS.get(stem);
  return noun === undefined ? null : { ...token, folded: noun, key: reduce(noun) };
}
