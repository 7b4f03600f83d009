/**
 * Defines the roles of goods (made, sold, repaired) and the choices of codes that a name can mean.
 * Output: the words that name a role before the goods ("fábrica de móveis") and after them ("roupas
 * no atacado"), the code prefixes of each role, and functions that merge two choices. In a choice,
 * the likeliest code comes first.
 * Invariant: every role has words before and after goods. A word has one role in each position. A
 * code is in a choice only once.
 */
import { Phrases } from "../words/phrases.ts";

/** The roles that a trade can have for its goods. */
export const TRADE_ROLES = [
  "retail",
  "wholesale",
  "make",
  "repair",
  "rent",
  "agent",
  "install",
] as const;

/** A role of a trade. */
export type TradeRole = (typeof TRADE_ROLES)[number];

type RoleWords = Readonly<Record<TradeRole, string>>;

const BEFORE: RoleWords = {
  retail:
    "loja|loja especializada|comércio|comércio varejista|varejo|varejista|revenda|revendedor|" +
    "revendedora|vendedor|vendedora|venda|casa|ponto de venda|shop|store|vende|vendem|vendam|" +
    "vendendo|comerciante|empório|boutique|lojista|magazine|comércio e varejo|comercializa|" +
    "comercializam|comercialização|compra e venda|quiosque|sells|sell|selling|retailer|" +
    "retail|seller|dealer|loja virtual|loja online|e-commerce|revendem|venden",
  wholesale:
    "atacado|atacadista|distribuidor|distribuidora|distribuição|comércio atacadista|importador|" +
    "importadora|importação|exportador|exportadora|exportação|fornecedor|fornecedora|wholesale|" +
    "distributor|wholesaler|distribui|distribuem|importa|importam|exporta|exportam|fornece|" +
    "distribute|distributes|distributing|trading|importing|exporting|supplying|" +
    "fornecem|venda por atacado|comércio por atacado|importer|exporter|supplier",
  make:
    "fábrica|fabricante|fabricação|indústria|produtor|produtora|produção|confecção|manufatura|" +
    "make|making|manufacture|produce|produces|producing|generate|generates|generating|" +
    "gera|geram|gerem|gerando|geradora|gerador|grow|grows|growing|raise|raising|" +
    "cultivo|plantação|plantio|plantador|criação|criador|criadouro|extração|mineração|" +
    "beneficiamento|processamento|fazenda|lavoura|cultivador|factory|manufacturer|fabrica|produz|" +
    "fabricam|fabriquem|produzem|produzam|fazem|manufacturing|maker|makes|producer|fabricando|" +
    "industrialização|cultiva|cultivam|plantam|plantan|farm|elabora|elaboram|elaboran|fabrican|" +
    "producen|" +
    "processa|processam|procesan|beneficiadora|beneficiador|beneficia|beneficiam|processadora|" +
    "coleta|extrativismo|extrativista|extrai|extraem|factories|grower|breeder|processor|" +
    "build|builds|building|builder|constroem|construindo|construyen",
  repair:
    "conserto|manutenção|reparo|reparação|assistência técnica|assistência|oficina|conserta|" +
    "restauração|reforma|técnico|repair|consertam|reparam|manutenção e reparo|" +
    "manutenção e conserto|conserto e manutenção|manutenção e reparação|reparos|repairs|" +
    "oficina de conserto|oficina de reparação|oficina de reparo|oficina de manutenção|" +
    "fix|fixes|fixing|repairing|" +
    "maintenance|faz manutenção|fazem manutenção|fazem conserto",
  rent:
    "aluguel|locadora|locação|aluga|arrendamento|rental|alugam|aluguem|loca|locam|" +
    "aluguel e locação|rent|hire|rents|alquilan",
  agent:
    "representante|representante comercial|representação|representação comercial|agente|" +
    "representante de vendas|representantes de venda|representam|sales agent|sales representative",
  install:
    "instalação|instalador|instaladora|montagem|montador|montadora|instala|instalam|colocação|" +
    "colocador|instalação e montagem|installation|installer|install|installs|installing|" +
    "instalação e manutenção",
};

const BEHIND: RoleWords = {
  retail: "varejo|varejista|store|shop|retailer|dealer|à venda|venda a varejo|retail|seller|outlet",
  wholesale:
    "atacado|atacadista|atacadão|por atacado|wholesale|wholesaler|distributor|distribuidora|" +
    "importer|exporter|supplier|venda por atacado|para revenda|trader|distribution",
  make:
    "indústria|fabricator|builder|manufacturer|maker|factory|factories|producer|manufacturing|" +
    "fabricante|" +
    "fabricação própria|farm|grower|farmer|farming|plantation|orchard|grove|ranch|ranches|" +
    "rancher|breeder|mill|processor|processing|processing plant|plant|quarry|quarries|" +
    "quarrying|mine|mining|miner|production",
  repair: "conserto|manutenção|assistência técnica|repair|repair shop|maintenance|reparo",
  rent: "aluguel|locação|alugar|locar|rental|hire|for rent|rent",
  agent: "representante|representação|sales agent|sales representative",
  install: "instalação|installation|installer|instalador",
};

/** First digits of the codes of each role. */
export const ROLE_DIVISIONS: Readonly<Record<TradeRole, readonly string[]>> = {
  retail: ["47", "45", "56"],
  wholesale: ["46", "45"],
  make: ["0", "1", "2", "30", "31", "32"],
  repair: ["33", "452", "4543", "95"],
  rent: ["77", "68"],
  agent: ["461", "45"],
  install: ["43", "332", "42"],
};

/**
 * Words that may stand between a role and its goods and change neither: "loja online de roupas".
 */
export const QUALIFIERS = new Set(
  (
    "especializado especializada especialista geral online virtual fisica fisico proprio propria " +
    "local varejista varejo atacadista industrial artesanal profissional todo toda tipo " +
    "variedade venda comercio artigo produto novo nova diversos diverso autorizada autorizado " +
    "ramo segmento setor handmade homemade handcrafted"
  ).split(" "),
);

function phrasesOf(words: RoleWords): Phrases<TradeRole> {
  const phrases = new Phrases<TradeRole>();
  for (const role of TRADE_ROLES) {
    for (const name of words[role].split("|")) phrases.add(name, role);
  }
  return phrases;
}

/** Phrases that name the role of the goods after them: "fábrica de". */
export const ROLES_BEFORE = phrasesOf(BEFORE);

/** Phrases that name the role of the goods before them: "no atacado". */
export const ROLES_AFTER = phrasesOf(BEHIND);

/** Prefixes of codes of agriculture, mining, and manufacturing. */
const FIELD = /^0[1-3]/;
const MINE = /^0[5-9]/;
const PLANT = /^([1-2]|3[0-3])/;
/**
 * `WILD` matches codes of native forests and waters, where goods are gathered. `RAW` matches these
 * and also fields and mines.
 */
const WILD = /^0(22|3)/;
const RAW = /^0/;

/**
 * Words for growing. If the goods have no code for cultivation, the activity is unknown. These
 * words never mean manufacture.
 */
export const GROWING = new Set(
  (
    "cultivo cultivos plantacao plantio plantador lavoura cultivador cultiva cultivam plantam " +
    "plantan"
  ).split(" "),
);
/**
 * Words for gathering forest products. They mean something else before goods that no forest yields:
 * "coleta de lixo" is refuse collection.
 */
export const GATHERING = new Set("coleta extrativismo extrativista extrativistas".split(" "));
/** Code for gathering other products of native forests. */
export const GATHERED = "0220999";

/** Maps words for an origin of goods, such as a field or a mine, to a pattern for its codes. */
export const ORIGINS = new Phrases<RegExp>();
for (const [words, origin] of [
  [
    "cultivo|plantação|plantio|plantador|criação|criador|criadouro|fazenda|lavoura|cultivador|" +
      "grow|grows|growing|raise|raising|cultiva|cultivam|plantam|plantan|farm|grower|viveiro|" +
      "farmer|farming|" +
      "plantation|orchard|grove|ranch|" +
      "ranches|rancher|breeder",
    FIELD,
  ],
  ["coleta|extrativismo|extrativista", WILD],
  ["extração|extrai|extraem", RAW],
  ["mineração|lavra|jazida|quarry|quarries|quarrying|mine|mining|miner", MINE],
  [
    "fábrica|fabricante|fabricação|indústria|manufatura|factory|manufacturer|fabrica|fabricam|" +
      "industrialização|beneficiamento|processamento|beneficiadora|beneficiador|beneficia|" +
      "beneficiam|processadora|manufacturing|confecção|factories|mill|" +
      "processor|processing|processing plant|plant",
    PLANT,
  ],
] as const) {
  for (const name of words.split("|")) ORIGINS.add(name, origin);
}

/** Codes in the lexicon: 7 digits, or a prefix or section that stands for all codes below it. */
export type Codes = readonly string[];

/** The meanings of a name, likeliest first. */
export interface LexiconChoice {
  /** Main meanings, searched. */
  readonly codes: Codes;
  /** Codes that the name might also mean; they are only suggested. */
  readonly also: Codes;
}

/** The meanings of a goods name, by role. */
export type Goods = Readonly<Partial<Record<TradeRole, LexiconChoice>>>;

/** Merges two choices. The codes of the second become possible meanings. */
export function joinChoices(first: LexiconChoice, second: LexiconChoice): LexiconChoice {
  const rest = [...first.also, ...second.codes, ...second.also];
  const also = [...new Set(rest)].filter((code) => !first.codes.includes(code));
  return { codes: first.codes, also };
}

/** Merges two goods names. In a role that both have, codes of `added` only become possible. */
export function joinGoods(old: Goods, added: Goods): Goods {
  const joined: Partial<Record<TradeRole, LexiconChoice>> = { ...old };
  for (const role of TRADE_ROLES) {
    const [first, second] = [old[role], added[role]];
    if (second === undefined) continue;
    joined[role] = first === undefined ? second : joinChoices(first, second);
  }
  return joined;
}
