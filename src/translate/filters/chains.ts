/**
 * Recognizes names of chains after a word for their trade: "farmácias drogasil", "postos ipiranga".
 * Input: a sentence, and a position after a trade. Output: the end of a chain's name at that
 * position.
 * Invariant: a name counts only directly after a word for the chain's trade, because many names are
 * also ordinary words or places ("extra", "ipiranga"). With this rule, the name does not need
 * capital letters.
 * Separate from the readers because it is a word list.
 */
import { Phrases } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";

/** Each row matches the last word of a trade and lists the names of chains that may follow it. */
const CHAINS: readonly (readonly [trade: RegExp, names: string])[] = [
  [
    /^(?:farmacias?|drogarias?|pharmac(?:y|ies)|drugstores?|farmaceutica)$/,
    "drogasil|droga raia|raia|pague menos|ultrafarma|panvel|pacheco|drogarias pacheco|nissei|" +
      "venancio|araujo|extrafarma|drogal|preço popular|são joão|catarinense|globo|big ben|" +
      "indiana|permanente|santa lúcia|ultra popular|farma conde|rosário|drogamais|guararapes",
  ],
  [
    /^(?:supermercados?|mercados?|hipermercados?|atacarejos?|atacad(?:o|os|istas?)|supermarkets?)$/,
    "carrefour|extra|assaí|atacadão|pão de açúcar|dia|zaffari|angeloni|condor|muffato|mundial|" +
      "guanabara|savegnago|bh|verdemar|epa|mateus|nordestão|bistek|giassi|koch|fort|tenda|roldão|" +
      "makro|sams club|bretas|zona sul|prezunic|super nosso|cometa|líder|barbosa|sonda|hirota",
  ],
  [
    /^(?:postos?|combustive(?:l|is)|gasolina|gas)$/,
    "ipiranga|shell|petrobras|ale|br|texaco|raízen|graal|sim",
  ],
  [
    /^(?:bancos?|agencias?|banks?|bancarias?)$/,
    "bradesco|itaú|santander|do brasil|caixa|banrisul|sicredi|sicoob|banestes|inter|safra|btg",
  ],
  [
    /^(?:academias?|gyms?|gimnasios?)$/,
    "smart fit|smartfit|bluefit|bodytech|selfit|skyfit|pratique|panobianco|bio ritmo|just fit",
  ],
  [
    /^(?:lojas?|magazines?|departamentos?|stores?|tiendas?)$/,
    "havan|casas bahia|magazine luiza|magalu|ponto frio|renner|riachuelo|cea|marisa|" +
      "pernambucanas|americanas|leroy merlin|telhanorte|tok stok|decathlon|" +
      "centauro|netshoes|kalunga|petz|cobasi|" +
      "cacau show|boticário|o boticário|natura|quem disse berenice|hering|le lis|besni|torra|" +
      "daiso|miniso|polishop|ricardo eletro|colombo|quero quero|cassol|ferreira costa|obramax|cec",
  ],
  [
    /^(?:restaurantes?|lanchonetes?|hamburguerias?|pizzarias?|restaurants?|sorveterias?|cafes?)$/,
    "mcdonalds|burger king|bobs|habibs|subway|giraffas|spoleto|outback|madero|china in box|kfc|" +
      "pizza hut|dominos|starbucks|ragazzo|coco bambu|divino fogão|griletto|chiquinho|oakberry",
  ],
  [
    /^(?:escolas?|idiomas?|ingles|cursos?|faculdades?|schools?)$/,
    "wizard|fisk|cna|cultura inglesa|kumon|yázigi|yazigi|wise up|uptime|microlins|unip|" +
      "estácio|anhanguera|uninove|objetivo|maple bear",
  ],
  [
    /^(?:hote(?:l|is|les|ls)|pousadas?)$/,
    "ibis|accor|mercure|novotel|blue tree|bourbon|slaviero|nacional inn|fasano|hilton|marriott",
  ],
  [/^(?:petshops?|shops?|pet)$/, "petz|cobasi|petland|petlove"],
  [/^(?:locadoras?|carros?|veiculos?|rental)$/, "localiza|movida|unidas|hertz|avis|foco"],
];

const NAMES = CHAINS.map(([, names]) => {
  const phrases = new Phrases<true>();
  for (const name of names.split("|")) phrases.add(name, true);
  return phrases;
});

/** Returns the end of a chain's name directly after a word for its trade, or `at`. */
export function chainEnd(sentence: Sentence, at: number): number {
  const trade = sentence.folded(at - 1);
  for (const [i, [words]] of CHAINS.entries()) {
    if (!words.test(trade)) continue;
    const free = (index: number) => sentence.free(index);
    const match = NAMES[i]?.longest(sentence.tokens, at, free);
    if (match !== null && match !== undefined) return match.to;
  }
  return at;
}
