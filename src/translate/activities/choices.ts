/**
 * What names of the lexicon mean. What comes in: codes of activities. What goes out: choices of
 * them, likeliest first, and two choices as one.
 * Invariant: a code stands in one place of a choice only.
 */
import { TRADE_ROLES, type TradeRole } from "./roles.ts";

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

/** Two choices as one: the first is meant, the second perhaps. */
export function joinChoices(first: LexiconChoice, second: LexiconChoice): LexiconChoice {
  const rest = [...first.also, ...second.codes, ...second.also];
  const also = [...new Set(rest)].filter((code) => !first.codes.includes(code));
  return { codes: first.codes, also };
}

/** What is known of goods, with what is added; the first is meant, the second perhaps. */
export function joinGoods(old: Goods, added: Goods): Goods {
  const joined: Partial<Record<TradeRole, LexiconChoice>> = { ...old };
  for (const role of TRADE_ROLES) {
    const [first, second] = [old[role], added[role]];
    if (second === undefined) continue;
    joined[role] = first === undefined ? second : joinChoices(first, second);
  }
  return joined;
}
