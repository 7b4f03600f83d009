/**
 * The table of the curated lexicon. Input: the lexicon's entries. Output: names of trades and of
 * goods in their lookup form.
 * Invariant: a name in several entries has the codes of the first entry. The codes of the other
 * entries are possible meanings. Plurals that the analyzer does not reduce are also names.
 * In a separate file because it runs at build time; a built program contains only the table.
 */
import { Phrases } from "../words/phrases.ts";
import { type PhraseText, phraseText } from "../words/phrasetable.ts";
import { type GoodsEntry, goodsEntries, tradeEntries } from "./lexiconentries.ts";
import {
  type Goods,
  joinChoices,
  joinGoods,
  type LexiconChoice,
  TRADE_ROLES,
  type TradeRole,
} from "./roles.ts";

/** The lexicon as texts; values of `trades` are `LexiconChoice`s, values of `goods` are `Goods`. */
interface LexiconData {
  readonly trades: PhraseText;
  readonly goods: PhraseText;
}

/** Builds the table. */
export function makeLexiconData(): LexiconData {
  const trades = new Phrases<LexiconChoice>();
  for (const { name, value } of tradeNames()) addForms(trades, name, value, joinChoices);
  const goods = new Phrases<Goods>();
  for (const { name, value } of goodsNames()) addForms(goods, name, value, joinGoods);
  return { trades: phraseText(trades), goods: phraseText(goods) };
}

interface Named<Value> {
  readonly name: string;
  readonly value: Value;
}

function* tradeNames(): Generator<Named<LexiconChoice>> {
  for (const { names, codes, also = [] } of tradeEntries()) {
    for (const name of names) yield { name, value: { codes, also } };
  }
}

function* goodsNames(): Generator<Named<Goods>> {
  for (const entry of goodsEntries()) {
    const value = goodsOf(entry);
    for (const name of entry.names) yield { name, value };
  }
}

/** Last letters of words whose plurals the analyzer does not reduce: bakeries, boxes, contábeis. */
const ODD_LAST = "yhxnil";
/** Matches words like "contábil", whose plural the analyzer wrongly reduces to "-el". */
const UNSTRESSED_IL = /[áéíóúâêô]\p{L}*il$/u;
const ODD_PLURAL = /([^aeiou]y|ch|sh|x|n|i)$/;

/** Adds a name, and its plural if the analyzer does not reduce it to the name. */
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
  // Fast path: the last letter rules out most names.
  if (!ODD_LAST.includes(name.charAt(name.length - 1))) return null;
  if (UNSTRESSED_IL.test(name)) return `${name.slice(0, -2)}eis`;
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
