/**
 * Goods and what is done with them. What comes in: a sentence and a place in it. What goes out:
 * the activities of the goods that stand there, by what is done with them.
 * Invariant: what is done holds for all goods that are joined ("loja de roupas e calçados");
 * without a word for it retail is meant before wholesale, manufacture, representation and repair.
 */

import { joins, type Match } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Token } from "../words/tokens.ts";
import { lexicon } from "./lexicon.ts";
import {
  type Goods,
  type LexiconChoice,
  ORIGINS,
  QUALIFIERS,
  ROLES_BEFORE,
  ROLES_BEHIND,
  TRADE_ROLES,
  type TradeRole,
} from "./roles.ts";

/** Activities that were read from tokens up to, not including, `to`. */
export interface GoodsReading extends LexiconChoice {
  readonly to: number;
  /** How sure it is that these are meant, 0-1. */
  readonly certainty: number;
  /** Whether nobody said what is done with the goods. */
  readonly assumed?: true;
}

/** What joins goods of a list, and what may follow that: "de roupas e de calçados". */
const LIST = new Set(["e", "ou", "and", "or", "&", ",", "/"]);
const OF = new Set("de do da dos das of os as o a".split(" "));

/** Most words of goods. */
const NAME_MAX = 6;
/** How many words that change nothing may stand between what is done and the goods. */
const BETWEEN_MAX = 4;

/** "fábrica de móveis", "loja online de roupas, calçados e bolsas"; null where no goods follow. */
export function readGoodsBehindRole(sentence: Sentence, at: number): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const role = ROLES_BEFORE.longest(sentence.tokens, at, free);
  if (role === null) return null;
  const { goods } = lexicon();
  const readings: LexiconChoice[] = [];
  let end = -1;
  for (let next = firstGoods(sentence, role.to); next >= 0; next = nextGoods(sentence, end)) {
    const named = namedTogether(sentence, { at, to: role.to, next });
    if (named !== null) {
      readings.push(named);
      end = named.to;
      continue;
    }
    const match = goods.longest(sentence.tokens, next, free);
    const done = match?.value[role.value];
    const own = done === undefined ? fallback(match, end) : ofOrigin(sentence, at, done);
    if (match === null || own === undefined) break;
    readings.push(own);
    end = match.to;
  }
  if (end < 0) return null;
  // "wholesale food distributors" says twice what is done.
  const again = ROLES_BEHIND.longest(sentence.tokens, end, free);
  const to = again !== null && again.value === role.value ? again.to : end;
  return { ...united(readings), to, certainty: 0.95 };
}

/** "fábrica de roupas e calçados" is what "fábrica de roupas" and "fábrica de calçados" are. */
function namedTogether(
  sentence: Sentence,
  { at, to, next }: { readonly at: number; readonly to: number; readonly next: number },
): (LexiconChoice & { readonly to: number }) | null {
  const { trades, goods } = lexicon();
  const tokens = [
    ...sentence.tokens.slice(at, to),
    ...sentence.tokens.slice(next, next + NAME_MAX),
  ];
  const ahead = to - at;
  const free = (index: number) => sentence.free(index < ahead ? at + index : next + index - ahead);
  const match = trades.longest(tokens, 0, free);
  const end = match === null ? next : next + match.to - ahead;
  const bare = goods.longest(sentence.tokens, next, (index) => sentence.free(index));
  return match === null || end <= next || end < (bare?.to ?? next)
    ? null
    : { ...match.value, to: end };
}

/**
 * Goods that cannot be dealt with in that way are taken for what is usual, where they are
 * first.
 */
function fallback(match: Match<Goods> | null, end: number): LexiconChoice | undefined {
  return end < 0 && match !== null ? usual(match.value) : undefined;
}

/** "plantação de café" is the field, "fábrica de café" the roastery: words that say where from. */
function ofOrigin(sentence: Sentence, at: number, choice: LexiconChoice): LexiconChoice {
  const origin = ORIGINS.longest(sentence.tokens, at);
  if (origin === null) return choice;
  const all = [...choice.codes, ...choice.also];
  const codes = (choice.codes.some((code) => origin.value.test(code)) ? choice.codes : all).filter(
    (code) => origin.value.test(code),
  );
  if (codes.length === 0) return choice;
  return { codes, also: all.filter((code) => !codes.includes(code)) };
}

/** Where goods begin behind a role, or -1; words that change nothing may stand between. */
function firstGoods(sentence: Sentence, from: number): number {
  const { goods } = lexicon();
  let skipped = 0;
  for (let at = from; at < sentence.tokens.length && skipped <= BETWEEN_MAX; at++) {
    const token = sentence.tokens[at];
    if (token?.kind === "mark") return -1;
    if (joins(token)) continue;
    if (sentence.free(at) && goods.longest(sentence.tokens, at, (i) => sentence.free(i)) !== null) {
      return at;
    }
    const owner = sentence.owner(at);
    const aside = owner === "size" || owner === "status" || owner === "regime";
    if (!aside && !QUALIFIERS.has(token?.key ?? "") && !QUALIFIERS.has(token?.folded ?? "")) {
      return -1;
    }
    skipped++;
  }
  return -1;
}

/** Where more goods of a list may begin, or -1. */
function nextGoods(sentence: Sentence, from: number): number {
  let listed = false;
  for (let at = from; at < sentence.tokens.length && sentence.free(at); at++) {
    const token = sentence.tokens[at] as Token;
    if (LIST.has(token.folded)) listed = true;
    else if (!OF.has(token.folded)) return listed ? at : -1;
  }
  return -1;
}

/**
 * "roupas", "roupas por atacado", "car rental"; null where no goods stand. `role` is what is done
 * with the goods before, which these go on with.
 */
export function readGoods(
  sentence: Sentence,
  at: number,
  role: TradeRole | null = null,
): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const match = lexicon().goods.longest(sentence.tokens, at, free);
  if (match === null) return null;
  const behind = rolesBehind(sentence, match);
  if (behind !== null) return behind;
  const same = role === null ? undefined : match.value[role];
  if (same !== undefined) return { ...same, to: match.to, certainty: 0.9 };
  const choice = usual(match.value);
  return choice === undefined ? null : { ...choice, to: match.to, certainty: 0.8, assumed: true };
}

/** What is done with the goods before: "no atacado", "no atacado e varejo", "manufacturers". */
function rolesBehind(sentence: Sentence, { to, value }: Match<Goods>): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const readings: LexiconChoice[] = [];
  let end = to;
  for (let at = to; at < to + 8 && free(at); at++) {
    const word = sentence.folded(at);
    const listed = readings.length > 0 && (word === "e" || word === "ou" || word === "and");
    if (listed || (joins(sentence.tokens[at]) && !["e", "and", "com", "of"].includes(word)))
      continue;
    const role = ROLES_BEHIND.longest(sentence.tokens, at, free);
    const done = role === null ? undefined : value[role.value];
    const own = done === undefined ? undefined : ofOrigin(sentence, at, done);
    // "móveis e conserto de sofás" begins something else behind the goods.
    if (role === null || own === undefined || followedByOther(sentence, role.to)) break;
    readings.push(own);
    end = role.to;
    at = role.to - 1;
  }
  return readings.length === 0 ? null : { ...united(readings), to: end, certainty: 0.95 };
}

/** Those who join to make or to sell together: "cooperativas de café", "coffee cooperatives". */
const JOINED = /^(?:cooperativas?|cooperatives?)$/;

/**
 * Goods of a cooperative: those who make them and those who sell them on, and no shops; null where
 * no cooperative stands beside them.
 */
export function readGoodsOfJoined(sentence: Sentence, at: number): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const match = lexicon().goods.longest(sentence.tokens, at, free);
  if (match === null) return null;
  let before = at - 1;
  while (before > at - 4 && OF.has(sentence.folded(before))) before--;
  const isBefore = before < at - 1 && JOINED.test(sentence.folded(before));
  if (!isBefore && !JOINED.test(sentence.folded(match.to))) return null;
  const { make, wholesale, retail } = match.value;
  const made = make === undefined ? [] : [...make.codes, ...make.also];
  const codes = [...new Set([...made, ...(wholesale?.codes ?? []), ...(wholesale?.also ?? [])])];
  if (codes.length === 0) return null;
  const also = (retail?.codes ?? []).filter((code) => !codes.includes(code));
  return { codes, also, to: match.to, certainty: 0.9 };
}

/** Where words end behind an activity that only say again how it deals: "padarias no varejo". */
export function roleAgainEnd(sentence: Sentence, to: number): number {
  if (!/^(?:no|do|de|por|em|to)$/.test(sentence.folded(to)) || !sentence.free(to)) return to;
  const role = ROLES_BEHIND.longest(sentence.tokens, to + 1, (index) => sentence.free(index));
  return role === null || followedByOther(sentence, role.to) ? to : role.to;
}

/** Whether a word of what is done has its own goods behind it. */
function followedByOther(sentence: Sentence, at: number): boolean {
  if (!["de", "do", "da", "dos", "das", "of"].includes(sentence.folded(at))) return false;
  const { goods } = lexicon();
  return goods.longest(sentence.tokens, at + 1, (index) => sentence.free(index)) !== null;
}

/** Kept for each entry of the lexicon, since a list may name one good a hundred times. */
const usualOf = new WeakMap<Goods, LexiconChoice>();

/** What is done with goods when nobody says so: who sells them, else who deals with them. */
function usual(goods: Goods): LexiconChoice | undefined {
  const known = usualOf.get(goods) ?? chooseUsual(goods);
  if (known !== undefined) usualOf.set(goods, known);
  return known;
}

function chooseUsual(goods: Goods): LexiconChoice | undefined {
  const order: readonly TradeRole[] = ["retail", "rent", "make", "wholesale", "repair", "install"];
  const role = [...order, ...TRADE_ROLES].find((one) => goods[one] !== undefined);
  if (role === undefined) return undefined;
  const { codes, also } = goods[role] as LexiconChoice;
  const others = order.flatMap((one) =>
    one === role ? [] : (goods[one]?.codes.slice(0, 1) ?? []),
  );
  return {
    codes,
    also: [...new Set([...also, ...others])].filter((code) => !codes.includes(code)),
  };
}

function united(choices: readonly LexiconChoice[]): LexiconChoice {
  const codes = [...new Set(choices.flatMap((one) => one.codes))];
  const also = [...new Set(choices.flatMap((one) => one.also))];
  return { codes, also: also.filter((code) => !codes.includes(code)) };
}
