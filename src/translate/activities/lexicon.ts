/**
 * The curated lexicon of activities. What comes in: its table, which is made when the program is
 * built, or from the sources when it runs from them. What goes out: names of trades with their
 * codes, and names of goods with codes by what is done with them.
 * Invariant: read once, when the first sentence is translated; `codes` are what a name means,
 * `also` what else it may mean.
 */
import { Gradual, type Steps } from "../../scheduling/steps.ts";
import type { PhraseBook } from "../words/phrases.ts";
import { PhraseTable } from "../words/phrasetable.ts";
import type { Goods, LexiconChoice } from "./choices.ts";
import { lexiconDataSteps } from "./lexicondata.ts";
import { ROLES_BEFORE, type TradeRole } from "./roles.ts";

/** The lexicon as the bundler puts it in (src/executable/tables.mjs). */
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

const made = new Gradual(makeLexicon);
const quick = new Gradual(makeQuick);

/** The lexicon; made when it is first asked for. */
export function lexicon(): Lexicon {
  return made.now();
}

/** Makes the lexicon, in steps. */
export function lexiconSteps(): Steps<Lexicon> {
  return made.steps();
}

/** Makes what the lexicon is looked up quicker with, in steps. */
export function quickLexiconSteps(): Steps<void> {
  return quick.steps();
}

function* makeLexicon(): Steps<Lexicon> {
  // Told where the bundler sees it, which leaves out then what would make the texts.
  const { trades, goods } =
    typeof BUILD_TRADES === "string" ? { trades: TRADES, goods: GOODS } : yield* lexiconDataSteps();
  return { trades: new PhraseTable(trades), goods: new PhraseTable(goods), roles: ROLES_BEFORE };
}

function* makeQuick(): Steps<void> {
  const { trades, goods } = yield* lexiconSteps();
  yield* trades.steps();
  yield* goods.steps();
}
