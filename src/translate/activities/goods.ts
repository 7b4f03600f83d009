/**
 * Goods and their roles (made, sold, repaired). Input: a sentence and a position. Output: the
 * activities of the goods there, by role.
 * Invariant: a role applies to all joined goods ("loja de roupas e calçados"). Without a role,
 * retail comes before wholesale, manufacture, representation, and repair.
 */

import { joins, type Match } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Token } from "../words/tokens.ts";
import { lexicon } from "./lexicon.ts";
import { productAt } from "./productadjectives.ts";
import {
  GATHERED,
  GATHERING,
  type Goods,
  GROWING,
  type LexiconChoice,
  ORIGINS,
  QUALIFIERS,
  ROLES_AFTER,
  ROLES_BEFORE,
  TRADE_ROLES,
  type TradeRole,
} from "./roles.ts";

/** Activities read from the tokens before `to`. */
export interface GoodsReading extends LexiconChoice {
  readonly to: number;
  /** Certainty of the codes, 0-1. */
  readonly certainty: number;
  /** True if the goods have no word for their role, such as "shop" or "factory". */
  readonly assumed?: true;
}

/**
 * `LIST` holds the words that join goods in a list; `OF` holds the words that may follow them, as
 * in "de roupas e de calçados".
 */
const LIST = new Set(["e", "ou", "and", "or", "&", ",", "/"]);
const OF = new Set("de do da dos das of os as o a".split(" "));

/** Maximum number of words that name goods. */
const NAME_MAX = 6;
/** Maximum number of words such as "online" between a role and its goods. */
const BETWEEN_MAX = 4;

/** Reads "fábrica de móveis", "loja online de roupas, calçados e bolsas"; null without goods. */
export function readGoodsAfterRole(sentence: Sentence, at: number): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const role = ROLES_BEFORE.longest(sentence.tokens, at, free);
  if (role === null) return null;
  const both = readTwoRoles(sentence, at, role);
  if (both !== null) return both;
  const { goods } = lexicon();
  const readings: LexiconChoice[] = [];
  const bought: (LexiconChoice | undefined)[] = [];
  let end = -1;
  for (let next = firstGoods(sentence, role.to); next >= 0; next = nextGoods(sentence, end)) {
    const named = namedTogether(sentence, { at, to: role.to, next });
    if (named !== null) {
      readings.push(named);
      bought.push(goods.longest(sentence.tokens, next, free)?.value.wholesale);
      end = named.to;
      continue;
    }
    const match = goods.longest(sentence.tokens, next, free);
    const done = match?.value[role.value];
    const isFirst = end < 0;
    const own =
      done === undefined
        ? fallback(match, isFirst ? role.value : null)
        : (suppliedBy(sentence, at, match) ?? ofOrigin(sentence, at, done));
    if (match === null || own === undefined) break;
    readings.push(own);
    bought.push(match.value.wholesale);
    end = match.to;
  }
  if (end < 0) return null;
  let behind = /^(?:no|por)$/.test(sentence.folded(end)) && free(end) ? end + 1 : end;
  // "al por mayor" is read as "por de atacado".
  if (behind > end && sentence.folded(behind) === "de") behind++;
  const again = ROLES_AFTER.longest(sentence.tokens, behind, free);
  // "quem vende EPI no atacado" sells wholesale.
  const isWholesale = role.value === "retail" && again?.value === "wholesale";
  const wholesale = isWholesale ? bought.filter((one) => one !== undefined) : [];
  if (wholesale.length === readings.length && again !== null) {
    return { ...united(wholesale), to: again.to, certainty: 0.95 };
  }
  // In "wholesale food distributors", the role is written twice.
  const to = again !== null && again.value === role.value ? again.to : end;
  return { ...united(readings), to, certainty: 0.95 };
}

/** Reads "produz ou vende sementes", "fabricantes e distribuidores de móveis": both roles. */
function readTwoRoles(sentence: Sentence, at: number, role: Match<TradeRole>): GoodsReading | null {
  if (!/^(?:e|ou|y|o|and|or)$/.test(sentence.folded(role.to)) || !sentence.free(role.to)) {
    return null;
  }
  const free = (index: number) => sentence.free(index);
  const second = ROLES_BEFORE.longest(sentence.tokens, role.to + 1, free);
  if (second === null) return null;
  const rest = readGoodsAfterRole(sentence, role.to + 1);
  // "importadoras e distribuidoras de laticínios"
  if (second.value === role.value) return rest;
  const next = firstGoods(sentence, second.to);
  const match = next < 0 ? null : lexicon().goods.longest(sentence.tokens, next, free);
  const own = match === null ? undefined : match.value[role.value];
  if (rest === null || match === null || own === undefined) return null;
  return { ...united([ofOrigin(sentence, at, own) ?? own, rest]), to: rest.to, certainty: 0.95 };
}

/** Reads "fábrica de roupas e calçados" as "fábrica de roupas" and "fábrica de calçados". */
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
  // In "tiendas de mascotas y veterinarias", "veterinarias" is a trade of its own, not goods of
  // "tiendas".
  const isOwn = bare === null && sentence.folded(next).endsWith("s");
  if (isOwn && trades.longest(sentence.tokens, next)?.to === end) return null;
  return match === null || end <= next || end < (bare?.to ?? next)
    ? null
    : { ...match.value, to: end };
}

/** Words for companies that make or sell goods to others. */
const SUPPLIER = /^(?:fornec|proveed|suppl(?:y|ies|iers?)$|exporta|exporters?$)/;
/** Matches codes of manufacturing, but not of farms, because a farm is not called a supplier. */
const MADE = /^(?:1|2|3[0-2])/;

/**
 * Returns wholesalers and manufacturers of goods after a word for suppliers or exporters; null for
 * other words, or if no manufacturer makes the goods.
 */
function suppliedBy(
  sentence: Sentence,
  at: number,
  match: Pick<Match<Goods>, "value"> | null,
): LexiconChoice | null {
  if (match === null || !SUPPLIER.test(sentence.folded(at))) return null;
  const { wholesale, make } = match.value;
  const made = (make?.codes ?? []).filter((code) => MADE.test(code));
  if (wholesale === undefined || made.length === 0) return null;
  return united([wholesale, { codes: made, also: [] }]);
}

/**
 * Returns the usual role of the first goods if the sentence requests retail or wholesale of
 * goods that have no such code. Returns undefined for other roles, because a seller never replaces
 * a trade that makes, repairs, rents, or installs.
 */
function fallback(match: Match<Goods> | null, role: TradeRole | null): LexiconChoice | undefined {
  const isSale = role === "retail" || role === "wholesale";
  return isSale && match !== null ? usual(match.value) : undefined;
}

/**
 * Keeps the codes of the origin that the word at `at` implies. "plantação de café" keeps the codes
 * of farms, "fábrica de café" those of factories. A crop without a code for its cultivation keeps
 * none. Returns undefined if the word cannot apply to the goods ("coleta de lixo").
 */
function ofOrigin(
  sentence: Sentence,
  at: number,
  choice: LexiconChoice,
): LexiconChoice | undefined {
  const origin = ORIGINS.longest(sentence.tokens, at);
  if (origin === null) return choice;
  const all = [...choice.codes, ...choice.also];
  const codes = (choice.codes.some((code) => origin.value.test(code)) ? choice.codes : all).filter(
    (code) => origin.value.test(code),
  );
  if (codes.length === 0) {
    const word = sentence.folded(at);
    if (GROWING.has(word)) return { codes, also: all };
    if (!GATHERING.has(word)) return choice;
    return all.some((code) => code.startsWith("0")) ? { codes: [GATHERED], also: all } : undefined;
  }
  return { codes, also: all.filter((code) => !codes.includes(code)) };
}

/** Returns the position of the goods after a role and words such as "online", or -1. */
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
    const isCondition = owner === "size" || owner === "status" || owner === "regime";
    if (!isCondition && !QUALIFIERS.has(token?.key ?? "") && !QUALIFIERS.has(token?.folded ?? "")) {
      return -1;
    }
    skipped++;
  }
  return -1;
}

/** Returns the start of the next goods in a list, or -1. */
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
 * Reads "roupas", "roupas por atacado", "car rental"; null without goods. `role` is the role of the
 * preceding goods of the list.
 */
export function readGoods(
  sentence: Sentence,
  at: number,
  role: TradeRole | null = null,
): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const match = lexicon().goods.longest(sentence.tokens, at, free);
  if (match === null) return null;
  const following = rolesBehind(sentence, match) ?? sharedRole(sentence, match);
  if (following !== null) return following;
  const same = role === null ? undefined : match.value[role];
  if (same !== undefined) return { ...same, to: match.to, certainty: 0.9 };
  const choice = usual(match.value);
  return choice === undefined ? null : { ...choice, to: match.to, certainty: 0.8, assumed: true };
}

/** Reads the roles after goods: "no atacado", "no atacado e varejo", "manufacturers". */
function rolesBehind(sentence: Sentence, { to, value }: Match<Goods>): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const readings: LexiconChoice[] = [];
  let end = to;
  for (let at = roleAhead(sentence, to); at < to + 8 && free(at); at++) {
    const word = sentence.folded(at);
    const listed = readings.length > 0 && (word === "e" || word === "ou" || word === "and");
    if (listed || (joins(sentence.tokens[at]) && !["e", "and", "com", "of"].includes(word)))
      continue;
    const role = ROLES_AFTER.longest(sentence.tokens, at, free);
    const done = role === null ? undefined : value[role.value];
    const own =
      done === undefined
        ? undefined
        : (suppliedBy(sentence, at, { value }) ?? ofOrigin(sentence, at, done));
    // In "móveis e conserto de sofás", another activity follows the goods.
    if (role === null || own === undefined || followedByOther(sentence, role.to)) break;
    readings.push(own);
    end = role.to;
    at = role.to - 1;
  }
  return readings.length === 0 ? null : { ...united(readings), to: end, certainty: 0.95 };
}

/**
 * Returns the position of a role after a comma: "fabricantes" in "calzado deportivo, fabricantes en
 * Nova Serrana". Returns `to` if there is none.
 */
function roleAhead(sentence: Sentence, to: number): number {
  if (sentence.tokens[to]?.text !== "," || !sentence.free(to + 1)) return to;
  const role = ROLES_AFTER.longest(sentence.tokens, to + 1, (index) => sentence.free(index));
  const isPlural = role !== null && sentence.folded(to + 1).endsWith("s");
  if (!isPlural || OF.has(sentence.folded(role.to))) return to;
  return firstGoods(sentence, role.to) < 0 ? to + 1 : to;
}

/**
 * Reads "wine" in "wine and spirits wholesalers". The role after the second goods applies to both.
 */
function sharedRole(sentence: Sentence, { to, value }: Match<Goods>): GoodsReading | null {
  if (!/^(?:and|or)$/.test(sentence.folded(to)) || !sentence.free(to)) return null;
  const free = (index: number) => sentence.free(index);
  const isOther = sentence.folded(to + 1) === "other";
  if (isOther) return exampleOf(sentence, to + 2, { to, value });
  const other = lexicon().goods.longest(sentence.tokens, to + 1, free);
  if (other === null || rolesBehind(sentence, other) === null) return null;
  const role = ROLES_AFTER.longest(sentence.tokens, other.to, free)?.value;
  const done = role === undefined ? undefined : value[role];
  return done === undefined ? null : { ...done, to, certainty: 0.95 };
}

/**
 * Reads "tilapia" in "tilapia and other freshwater fish farms". Goods before "and other" are an
 * example of the goods after it, so the role of those goods applies.
 */
function exampleOf(
  sentence: Sentence,
  from: number,
  { to, value }: Pick<Match<Goods>, "to" | "value">,
): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  for (let at = from; at < from + OTHER_MAX && sentence.tokens[at]?.kind === "word"; at++) {
    const role = ROLES_AFTER.longest(sentence.tokens, at, free);
    const done = role === null ? undefined : value[role.value];
    if (role === null || done === undefined) continue;
    const own = ofOrigin(sentence, at, done);
    if (own === undefined) return null;
    // An example cannot have codes that its trade does not have.
    const trade = tradeWithin(sentence, from, role.to);
    const codes = own.codes.filter((code) => trade.includes(code));
    return { ...own, codes: codes.length === 0 ? own.codes : codes, to, certainty: 0.95 };
  }
  return null;
}

/** Returns the codes of the longest trade that ends at a token. */
function tradeWithin(sentence: Sentence, from: number, to: number): readonly string[] {
  for (let at = from; at < to; at++) {
    const trade = lexicon().trades.longest(sentence.tokens, at, (index) => sentence.free(index));
    if (trade !== null && trade.to >= to) return trade.value.codes;
  }
  return [];
}

/** Maximum words between "and other" and the role. */
const OTHER_MAX = 5;

/** Matches associations whose members make or sell goods jointly: "cooperativas de café". */
const JOINED = /^(?:cooperativas?|cooperatives?|associac(?:ao|oes)|asociacion(?:es)?)$/;

/**
 * Reads goods next to a word for a cooperative. The main codes are makers and wholesalers; shops
 * are only suggested. Returns null if no cooperative is next to the goods.
 */
export function readGoodsOfJoined(sentence: Sentence, at: number): GoodsReading | null {
  const free = (index: number) => sentence.free(index);
  const match = lexicon().goods.longest(sentence.tokens, at, free);
  if (match === null) return null;
  let before = at - 1;
  while (before > at - 4 && OF.has(sentence.folded(before))) before--;
  const isBefore = before < at - 1 && JOINED.test(sentence.folded(before));
  if (!isBefore && !JOINED.test(sentence.folded(match.to))) return null;
  return joinedReading(match.value, match.to);
}

function joinedReading({ make, wholesale, retail }: Goods, to: number): GoodsReading | null {
  const made = make === undefined ? [] : [...make.codes, ...make.also];
  const codes = [...new Set([...made, ...(wholesale?.codes ?? []), ...(wholesale?.also ?? [])])];
  if (codes.length === 0) return null;
  const also = (retail?.codes ?? []).filter((code) => !codes.includes(code));
  return { codes, also, to, certainty: 0.9 };
}

/**
 * Reads "leiteiras" in "cooperativas leiteiras" as the product that the adjective stands for, milk.
 */
export function readProductOfJoined(sentence: Sentence, at: number): GoodsReading | null {
  const own = productAt(sentence, at);
  if (own === null || !JOINED.test(sentence.folded(at - 1))) return null;
  const goods = lexicon().goods.longest([own], 0)?.value;
  return goods === undefined ? null : joinedReading(goods, at + 1);
}

/**
 * Reads a noun and an adjective that stands for its product: "fazendas cafeeiras", "indústria
 * calçadista". The role is making.
 */
export function readProducts(sentence: Sentence, at: number): GoodsReading | null {
  const next = sentence.free(at) && sentence.free(at + 1) ? productAt(sentence, at + 1) : null;
  const made = next === null ? undefined : lexicon().goods.longest([next], 0)?.value.make;
  const choice = made === undefined ? undefined : ofOrigin(sentence, at, made);
  if (choice === undefined || choice.codes.length === 0) return null;
  return { ...choice, to: at + 2, certainty: 0.95 };
}

/**
 * Returns the end of words that repeat the role of the activity before them: "no varejo" in
 * "padarias no varejo". Returns `to` if there are none.
 */
export function roleAgainEnd(sentence: Sentence, to: number): number {
  if (!/^(?:no|do|de|por|em|to)$/.test(sentence.folded(to)) || !sentence.free(to)) return to;
  const role = ROLES_AFTER.longest(sentence.tokens, to + 1, (index) => sentence.free(index));
  return role === null || followedByOther(sentence, role.to) ? to : role.to;
}

/** True if a role has its own goods after it. */
function followedByOther(sentence: Sentence, at: number): boolean {
  if (!["de", "do", "da", "dos", "das", "of"].includes(sentence.folded(at))) return false;
  const { goods } = lexicon();
  return goods.longest(sentence.tokens, at + 1, (index) => sentence.free(index)) !== null;
}

/** Cached by lexicon entry, because a list may name the same goods a hundred times. */
const usualOf = new WeakMap<Goods, LexiconChoice>();

/** Returns the default role of goods: sellers first, then other roles. */
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
