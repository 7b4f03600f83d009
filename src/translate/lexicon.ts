/**
 * The curated lexicon of activities. What comes in: data/lexicon. What goes out: names of trades
 * with their codes, names of goods with codes by what is done with them, and the words for that.
 * Invariant: read once, when the first sentence is translated; names of several entries have the
 * codes of all, those of the first entry first.
 */
import goodsCommerce from "../../data/lexicon/goods-commerce.json" with { type: "json" };
import goodsIndustry from "../../data/lexicon/goods-industry.json" with { type: "json" };
import goodsServices from "../../data/lexicon/goods-services.json" with { type: "json" };
import tradesCommerce from "../../data/lexicon/trades-commerce.json" with { type: "json" };
import tradesIndustry from "../../data/lexicon/trades-industry.json" with { type: "json" };
import tradesServices from "../../data/lexicon/trades-services.json" with { type: "json" };
import { Phrases } from "./phrases.ts";

/** What can be done with goods. */
export const TRADE_ROLES = [
  "retail",
  "wholesale",
  "make",
  "repair",
  "rent",
  "agent",
  "install",
] as const;

/** One of them. */
export type TradeRole = (typeof TRADE_ROLES)[number];

/** Codes of goods by what is done with them; likeliest first. */
export type Goods = Readonly<Partial<Record<TradeRole, readonly string[]>>>;

/** Codes as the lexicon has them: 7 digits, or a prefix or section for all below it. */
export type Codes = readonly string[];

/** Words that say what is done with the goods that follow. */
const ROLE_WORDS: Readonly<Record<TradeRole, string>> = {
  retail:
    "loja|loja especializada|comércio|comércio varejista|varejo|varejista|revenda|revendedor|" +
    "revendedora|vendedor|vendedora|venda|casa|ponto de venda|shop|store|vende|comerciante|" +
    "empório|boutique|lojista|magazine|comércio e varejo",
  wholesale:
    "atacado|atacadista|distribuidor|distribuidora|distribuição|comércio atacadista|importador|" +
    "importadora|importação|exportador|exportadora|fornecedor|fornecedora|wholesale|distributor",
  make:
    "fábrica|fabricante|fabricação|indústria|produtor|produtora|produção|confecção|manufatura|" +
    "cultivo|plantação|plantio|plantador|criação|criador|criadouro|extração|mineração|" +
    "beneficiamento|processamento|fazenda|lavoura|cultivador|factory|manufacturer|fabrica|produz",
  repair:
    "conserto|manutenção|reparo|reparação|assistência técnica|assistência|oficina|conserta|" +
    "restauração|reforma|técnico|repair",
  rent: "aluguel|locadora|locação|aluga|arrendamento|rental",
  agent: "representante|representante comercial|representação|representação comercial|agente",
  install: "instalação|instalador|instaladora|montagem|montador|montadora|instala",
};

/** The lexicon, ready to be looked into. */
export interface Lexicon {
  readonly trades: Phrases<Codes>;
  readonly goods: Phrases<Goods>;
  readonly roles: Phrases<TradeRole>;
}

interface Entry {
  readonly names: readonly string[];
  readonly codes?: Codes;
}

let made: Lexicon | null = null;

/** The lexicon; made when it is first asked for. */
export function lexicon(): Lexicon {
  made ??= makeLexicon();
  return made;
}

function makeLexicon(): Lexicon {
  const trades = new Phrases<Codes>();
  const tradeEntries: readonly Entry[] = [...tradesServices, ...tradesCommerce, ...tradesIndustry];
  for (const { names, codes = [] } of tradeEntries) {
    for (const name of names) trades.add(name, codes, union);
  }
  const goods = new Phrases<Goods>();
  const goodsEntries: readonly (Entry & Goods)[] = [
    ...goodsCommerce,
    ...goodsServices,
    ...goodsIndustry,
  ];
  for (const { names, ...rest } of goodsEntries) {
    for (const name of names) goods.add(name, rest, joinGoods);
  }
  const roles = new Phrases<TradeRole>();
  for (const role of TRADE_ROLES) {
    for (const name of ROLE_WORDS[role].split("|")) roles.add(name, role);
  }
  return { trades, goods, roles };
}

function union(old: Codes, added: Codes): Codes {
  return [...new Set([...old, ...added])];
}

function joinGoods(old: Goods, added: Goods): Goods {
  const joined: Partial<Record<TradeRole, readonly string[]>> = { ...old };
  for (const role of TRADE_ROLES) {
    const codes = union(old[role] ?? [], added[role] ?? []);
    if (codes.length > 0) joined[role] = codes;
  }
  return joined;
}
