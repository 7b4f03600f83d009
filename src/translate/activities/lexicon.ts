/**
 * The curated lexicon of activities. Input: its table and its names by code, which are made when
 * the program is built, or from the sources when it runs from them. Output: names of trades with
 * their codes, names of goods with codes by what is done with them, and the names that people give
 * to a code.
 * Invariant: read once, when the first sentence is translated; `codes` are what a name means,
 * `also` what else it may mean. Names stand as the lexicon writes them.
 */
import { lazy } from "../../scheduling/lazy.ts";
import type { PhraseBook } from "../words/phrases.ts";
import { PhraseTable } from "../words/phrasetable.ts";
import { makeLexiconData } from "./lexicondata.ts";
import { type CalledBy, entryNamesByCode } from "./lexiconentries.ts";
import { type Goods, type LexiconChoice, ROLES_BEFORE, type TradeRole } from "./roles.ts";

/** The lexicon as the bundler puts it in (src/executable/bundle.mjs). */
declare const BUILD_TRADES: string | undefined;
declare const BUILD_GOODS: string | undefined;
// Constants of the module, so that no function is compiled whose text is a million letters long.
const TRADES = typeof BUILD_TRADES === "string" ? BUILD_TRADES : "";
const GOODS = typeof BUILD_GOODS === "string" ? BUILD_GOODS : "";

/** The lexicon, ready to be looked into. */
interface Lexicon {
  readonly trades: PhraseTable<LexiconChoice>;
  readonly goods: PhraseTable<Goods>;
  /** Words for what is done with the goods behind them. */
  readonly roles: PhraseBook<TradeRole>;
}

/** Returns the lexicon, which is made on first use. */
export const lexicon = lazy(makeLexicon);

/** Makes the tables that speed up lookups in the lexicon. */
export function speedUpLexicon(): void {
  const { trades, goods } = lexicon();
  trades.speedUp();
  goods.speedUp();
}

function makeLexicon(): Lexicon {
  // Told where the bundler sees it, which leaves out then what would make the texts.
  const { trades, goods } =
    typeof BUILD_TRADES === "string" ? { trades: TRADES, goods: GOODS } : makeLexiconData();
  return { trades: new PhraseTable(trades), goods: new PhraseTable(goods), roles: ROLES_BEFORE };
}

/** Pairs as JSON, which the bundler puts in (src/executable/bundle.mjs). */
declare const BUILD_NAMES: string | undefined;
const NAMES = typeof BUILD_NAMES === "string" ? BUILD_NAMES : "";

/** What every code, prefix or section is called. */
export function namesByCode(): ReadonlyMap<string, CalledBy> {
  if (typeof BUILD_NAMES !== "string") return entryNamesByCode();
  return new Map(JSON.parse(NAMES) as (readonly [code: string, CalledBy])[]);
}
