/**
 * The entries of the curated lexicon. Input: data/lexicon. Output: trades and goods in order of
 * priority, and the names of every activity.
 * Invariant: names are spelled as in the data.
 */
import goodsCommerce from "../../../data/lexicon/goods-commerce.json" with { type: "json" };
import goodsIndustry from "../../../data/lexicon/goods-industry.json" with { type: "json" };
import goodsServices from "../../../data/lexicon/goods-services.json" with { type: "json" };
import goodsUsual from "../../../data/lexicon/goods-usual.json" with { type: "json" };
import tradesCommerce from "../../../data/lexicon/trades-commerce.json" with { type: "json" };
import tradesEnglish from "../../../data/lexicon/trades-english.json" with { type: "json" };
import tradesFirst from "../../../data/lexicon/trades-first.json" with { type: "json" };
import tradesForeign from "../../../data/lexicon/trades-foreign.json" with { type: "json" };
import tradesIndustry from "../../../data/lexicon/trades-industry.json" with { type: "json" };
import tradesServices from "../../../data/lexicon/trades-services.json" with { type: "json" };
import tradesSpanish from "../../../data/lexicon/trades-spanish.json" with { type: "json" };
import tradesUsual from "../../../data/lexicon/trades-usual.json" with { type: "json" };
import { type Codes, TRADE_ROLES, type TradeRole } from "./roles.ts";

type RoleCodes = Partial<Record<TradeRole, Codes>>;

/** A trade. */
interface TradeEntry {
  readonly names: readonly string[];
  readonly codes: Codes;
  readonly also?: Codes;
}

/** Goods. */
export interface GoodsEntry extends RoleCodes {
  readonly names: readonly string[];
  readonly also?: RoleCodes;
}

/** Returns all trades; a name that occurs again belongs to its first entry. */
export function tradeEntries(): readonly TradeEntry[] {
  // This is a list of lists because the compiler takes seconds to type-check one long literal list.
  const lists: readonly (readonly TradeEntry[])[] = [
    tradesFirst,
    tradesServices,
    tradesCommerce,
    tradesIndustry,
    tradesEnglish,
    tradesSpanish,
    tradesUsual,
    tradesForeign,
  ];
  return lists.flat();
}

/** All goods, likewise. */
export function goodsEntries(): readonly GoodsEntry[] {
  const lists: readonly (readonly GoodsEntry[])[] = [
    ...[goodsUsual, goodsCommerce, goodsServices, goodsIndustry],
  ];
  return lists.flat();
}

/** Names of an activity. */
export interface CalledBy {
  /** Trade names that mean only this activity. */
  readonly trades: readonly string[];
  /** Names of trades with several meanings, then names of goods that the activity deals in. */
  readonly others: readonly string[];
}

/** Returns the names of every code, prefix, or section, as in the lexicon. */
export function entryNamesByCode(): ReadonlyMap<string, CalledBy> {
  const found = new Map<string, { trades: string[]; others: string[] }>();
  const called = (code: string) => {
    const known = found.get(code) ?? { trades: [], others: [] };
    found.set(code, known);
    return known;
  };
  for (const { names, codes } of tradeEntries()) {
    const kind = codes.length === 1 ? "trades" : "others";
    for (const code of codes) called(code)[kind].push(...names);
  }
  for (const entry of goodsEntries()) {
    for (const role of TRADE_ROLES) {
      for (const code of entry[role] ?? []) called(code).others.push(...entry.names);
    }
  }
  return found;
}
