/**
 * The curated lexicon of activities. Input: its table and its names by code, from files of the
 * built program or, when run from sources, from the entries. Output: trade names with codes, goods
 * names with codes by role, and common names by code.
 * Invariant: read once, at the first translation. `codes` are a name's main meanings, `also` its
 * other possible meanings. Names are spelled as in the lexicon.
 */
import { readTable } from "../../location.ts";
import { lazy } from "../../scheduling/lazy.ts";
import type { PhraseBook } from "../words/phrases.ts";
import { PhraseTable } from "../words/phrasetable.ts";
import { makeLexiconData } from "./lexicondata.ts";
import { type CalledBy, entryNamesByCode } from "./lexiconentries.ts";
import { type Goods, type LexiconChoice, ROLES_BEFORE, type TradeRole } from "./roles.ts";

/** True in a built program, whose files hold the tables (src/executable/bundle.mjs). */
declare const BUILD_TABLES: boolean | undefined;

interface Lexicon {
  readonly trades: PhraseTable<LexiconChoice>;
  readonly goods: PhraseTable<Goods>;
  /** Role phrases that come before their goods, as in "fábrica de móveis". */
  readonly roles: PhraseBook<TradeRole>;
}

/** Returns the lexicon, which is built at the first call. */
export const lexicon = lazy(makeLexicon);

/** Builds the lexicon's tables for faster lookups. */
export function speedUpLexicon(): void {
  const { trades, goods } = lexicon();
  trades.speedUp();
  goods.speedUp();
}

function makeLexicon(): Lexicon {
  // The condition compares the build constant literally, so that the bundler can drop
  // `makeLexiconData`.
  const { trades, goods } =
    typeof BUILD_TABLES === "boolean"
      ? { trades: readTable("trades.txt"), goods: readTable("goods.txt") }
      : makeLexiconData();
  return { trades: new PhraseTable(trades), goods: new PhraseTable(goods), roles: ROLES_BEFORE };
}

/** Returns the common names of every code, prefix, or section. */
export function namesByCode(): ReadonlyMap<string, CalledBy> {
  if (typeof BUILD_TABLES !== "boolean") return entryNamesByCode();
  return new Map(JSON.parse(readTable("names.json")) as (readonly [string, CalledBy])[]);
}
