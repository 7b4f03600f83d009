/**
 * The curated lexicon of activities. What comes in: data/lexicon. What goes out: names of trades
 * with their codes, and names of goods with codes by what is done with them.
 * Invariant: read once, when the first sentence is translated; `codes` are what a name means,
 * `also` what else it may mean; a name of several entries means what the first one says, and may
 * mean what the others say.
 */
import goodsCommerce from "../../../data/lexicon/goods-commerce.json" with { type: "json" };
import goodsIndustry from "../../../data/lexicon/goods-industry.json" with { type: "json" };
import goodsServices from "../../../data/lexicon/goods-services.json" with { type: "json" };
import tradesCommerce from "../../../data/lexicon/trades-commerce.json" with { type: "json" };
import tradesIndustry from "../../../data/lexicon/trades-industry.json" with { type: "json" };
import tradesServices from "../../../data/lexicon/trades-services.json" with { type: "json" };
import { Gradual, inSteps, type Steps } from "../../steps.ts";
import { Phrases } from "../words/phrases.ts";
import { ROLES_BEFORE, TRADE_ROLES, type TradeRole } from "./roles.ts";

/** Codes as the lexicon has them: 7 digits, or a prefix or section for all below it. */
export type Codes = readonly string[];

/** What a name means, likeliest first. */
export interface LexiconChoice {
  /** Meant; these are searched for. */
  readonly codes: Codes;
  /** Perhaps meant; these are only offered. */
  readonly also: Codes;
}

/** What goods mean by what is done with them. */
export type Goods = Readonly<Partial<Record<TradeRole, LexiconChoice>>>;

/** The lexicon, ready to be looked into. */
interface Lexicon {
  readonly trades: Phrases<LexiconChoice>;
  readonly goods: Phrases<Goods>;
  /** Words for what is done with the goods behind them. */
  readonly roles: Phrases<TradeRole>;
}

type RoleCodes = Partial<Record<TradeRole, Codes>>;

interface TradeEntry {
  readonly names: readonly string[];
  readonly codes: Codes;
  readonly also?: Codes;
}

interface GoodsEntry extends RoleCodes {
  readonly names: readonly string[];
  readonly also?: RoleCodes;
}

/** Names that are added in one step: about a millisecond of work. */
const STEP_NAMES = 64;

const made = new Gradual(makeLexicon);

/** The lexicon; made when it is first asked for. */
export function lexicon(): Lexicon {
  return made.now();
}

/** Makes the lexicon, in steps. */
export function lexiconSteps(): Steps<Lexicon> {
  return made.steps();
}

function* makeLexicon(): Steps<Lexicon> {
  const trades = new Phrases<LexiconChoice>();
  yield* inSteps(tradeNames(), STEP_NAMES, ({ name, value }) => {
    addForms(trades, name, value, joinChoices);
  });
  const goods = new Phrases<Goods>();
  yield* inSteps(goodsNames(), STEP_NAMES, ({ name, value }) => {
    addForms(goods, name, value, joinGoods);
  });
  return { trades, goods, roles: ROLES_BEFORE };
}

/** A name with what it stands for. */
interface Named<Value> {
  readonly name: string;
  readonly value: Value;
}

function* tradeNames(): Generator<Named<LexiconChoice>> {
  // A list of lists, since the compiler takes seconds to join the types of long literal lists.
  const lists: readonly (readonly TradeEntry[])[] = [
    tradesServices,
    tradesCommerce,
    tradesIndustry,
  ];
  for (const { names, codes, also = [] } of lists.flat()) {
    for (const name of names) yield { name, value: { codes, also } };
  }
}

function* goodsNames(): Generator<Named<Goods>> {
  const lists: readonly (readonly GoodsEntry[])[] = [goodsCommerce, goodsServices, goodsIndustry];
  for (const entry of lists.flat()) {
    const value = goodsOf(entry);
    for (const name of entry.names) yield { name, value };
  }
}

/** What an activity is called. */
export interface CalledBy {
  /** Names of trades that mean it and nothing else. */
  readonly trades: readonly string[];
  /** Names of trades that mean others too, then those of goods that are its business. */
  readonly others: readonly string[];
}

/** What every code, prefix or section is called, as the lexicon writes it. */
export function namesByCode(): ReadonlyMap<string, CalledBy> {
  const found = new Map<string, { trades: string[]; others: string[] }>();
  const called = (code: string) => {
    const known = found.get(code) ?? { trades: [], others: [] };
    found.set(code, known);
    return known;
  };
  const trades = [...tradesServices, ...tradesCommerce, ...tradesIndustry];
  for (const { names, codes } of trades) {
    const kind = codes.length === 1 ? "trades" : "others";
    for (const code of codes) called(code)[kind].push(...names);
  }
  const goods: readonly GoodsEntry[] = [...goodsCommerce, ...goodsServices, ...goodsIndustry];
  for (const entry of goods) {
    for (const role of TRADE_ROLES) {
      for (const code of entry[role] ?? []) called(code).others.push(...entry.names);
    }
  }
  return found;
}

/** Plurals that the analyzer does not undo: bakeries, salons, boxes, hortifrutis. */
const ODD_LAST = "yhxni";
const ODD_PLURAL = /([^aeiou]y|ch|sh|x|n|i)$/;

/** Adds a name; also with its plural where reducing that does not give the name again. */
function addForms<Value>(
  phrases: Phrases<Value>,
  name: string,
  value: Value,
  merge: (old: Value, added: Value) => Value,
): void {
  phrases.add(name, value, merge);
  const plural = oddPlural(name);
  if (plural !== null) phrases.add(plural, value, merge);
}

function oddPlural(name: string): string | null {
  if (name.includes("&")) return null;
  if (name.length - name.lastIndexOf(" ") <= 4) return `${name}s`;
  // Most names end otherwise, which a look at one letter tells.
  if (!ODD_LAST.includes(name.charAt(name.length - 1))) return null;
  const ending = ODD_PLURAL.exec(name)?.[1];
  if (ending === undefined) return null;
  if (ending.endsWith("y")) return `${name.slice(0, -1)}ies`;
  return ending === "n" || ending === "i" ? `${name}s` : `${name}es`;
}

function goodsOf(entry: GoodsEntry): Goods {
  const goods: Partial<Record<TradeRole, LexiconChoice>> = {};
  for (const role of TRADE_ROLES) {
    const codes = entry[role];
    if (codes !== undefined) goods[role] = { codes, also: entry.also?.[role] ?? [] };
  }
  return goods;
}

/** Two choices as one: the first is meant, the second perhaps. */
function joinChoices(first: LexiconChoice, second: LexiconChoice): LexiconChoice {
  const rest = [...first.also, ...second.codes, ...second.also];
  const also = [...new Set(rest)].filter((code) => !first.codes.includes(code));
  return { codes: first.codes, also };
}

function joinGoods(old: Goods, added: Goods): Goods {
  const joined: Partial<Record<TradeRole, LexiconChoice>> = { ...old };
  for (const role of TRADE_ROLES) {
    const [first, second] = [old[role], added[role]];
    if (second === undefined) continue;
    joined[role] = first === undefined ? second : joinChoices(first, second);
  }
  return joined;
}
