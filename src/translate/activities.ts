/**
 * The stage of activities. What comes in: a sentence, the lexicon, the official names. What goes
 * out: codes that are wanted and codes that are excluded, with how they were found.
 * Invariant: the longest known words win, and a trade before goods of the same length; what is done
 * with goods ("fábrica de", "conserto de") holds for all goods that are joined behind it; codes in
 * any spelling are taken as they are.
 */
import type { Segment } from "../search/segment.ts";
import { catalogLookup, punctuateCnae } from "../spec/catalog.ts";
import { rankDescriptions } from "./descriptions.ts";
import { type Codes, type Goods, lexicon, TRADE_ROLES, type TradeRole } from "./lexicon.ts";
import { claimNegation, negatorOf } from "./negation.ts";
import type { Notes } from "./notes.ts";
import { joins, type Match } from "./phrases.ts";
import type { Sentence, Words } from "./sentence.ts";

/** Activities of one place in the sentence, likeliest first. */
export interface FoundActivity extends Words {
  /** As a spec takes them: `NNNN-N/NN`, a prefix or a section. */
  readonly codes: readonly string[];
  readonly excluded: boolean;
  /** How sure it is that these are meant, 0-1. */
  readonly certainty: number;
}

/** What the stage works on. */
export interface ActivityContext {
  readonly segment: Segment;
  readonly sentence: Sentence;
  readonly notes: Notes;
}

/** Official names count when they fit nearly as well as the best one. */
const SCORE_GAP = 0.85;
const RANKED_MAX = 4;

/** Where the trade or goods that begin at a token end; the same index where none do. */
export function tradeEnd(sentence: Sentence, at: number): number {
  const { trades, goods } = lexicon();
  const trade = trades.longest(sentence.tokens, at);
  const good = goods.longest(sentence.tokens, at);
  return Math.max(trade?.to ?? at, good?.to ?? at);
}

/** Finds and claims every activity. */
export function findActivities(context: ActivityContext): FoundActivity[] {
  const { sentence } = context;
  const found: FoundActivity[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at) || joins(sentence.tokens[at])) continue;
    const taken = takeCode(context, at) ?? takeKnown(context, at);
    if (taken === null) continue;
    const activity = inSnapshot(context, taken.activity);
    if (activity !== null) found.push(activity);
    at = taken.to - 1;
  }
  return found.length > 0 ? found : findByName(context);
}

/** Only codes that the snapshot's table knows can be searched for. */
function inSnapshot({ segment, notes }: ActivityContext, activity: FoundActivity) {
  const lookup = catalogLookup(segment.catalog);
  const codes = activity.codes.filter((code) => lookup.cnae(code).length > 0);
  if (codes.length > 0) return { ...activity, codes };
  notes.leave(
    "unknown_activity",
    { pt: "O snapshot não tem essa atividade.", en: "The snapshot has no such activity." },
    { words: activity.words, start: activity.start, end: activity.end },
  );
  return null;
}

interface Taken {
  readonly activity: FoundActivity;
  readonly to: number;
}

/** A code in any spelling: 5611-2/01, 5611201, "CNAE 56". */
function takeCode({ sentence }: ActivityContext, at: number): Taken | null {
  const named = sentence.folded(at) === "cnae" || sentence.folded(at) === "cnaes";
  const token = sentence.tokens[named ? at + 1 : at];
  if (token?.kind !== "number") return null;
  const digits = token.text.replace(/\D/g, "");
  const whole = /^(\d{7}|\d{4}-\d\/\d{2}|\d{4}-?\d\d{2})$/.test(token.text);
  const part = named && /^\d{2,5}$/.test(digits);
  if (!whole && !part) return null;
  const to = named ? at + 2 : at + 1;
  const codes = [whole ? punctuateCnae(digits) : digits];
  return { activity: claim(sentence, { from: at, to, codes, certainty: 1 }), to };
}

/** A name of the lexicon: a trade, or goods with what is done with them. */
function takeKnown({ sentence }: ActivityContext, at: number): Taken | null {
  const usable = (index: number) => sentence.free(index);
  const { trades, goods, roles } = lexicon();
  const trade = trades.longest(sentence.tokens, at, usable);
  const role = roles.longest(sentence.tokens, at, usable);
  const behind = role === null ? null : goodsBehind(sentence, role);
  const bare = goods.longest(sentence.tokens, at, usable);
  const best = [
    trade === null ? null : { to: trade.to, codes: trade.value, certainty: 0.95 },
    behind,
    bare === null ? null : { to: bare.to, codes: bareCodes(bare.value), certainty: 0.8 },
  ].reduce((one, other) => (other !== null && (one === null || other.to > one.to) ? other : one));
  if (best === null || best.codes.length === 0) return null;
  const codes = best.codes.map(spelling);
  const { to, certainty } = best;
  return { activity: claim(sentence, { from: at, to, codes, certainty }), to };
}

/** "loja de roupas, calçados e bolsas": the role holds for everything that is joined. */
function goodsBehind(
  sentence: Sentence,
  { to: start, value: role }: Match<TradeRole>,
): { to: number; codes: Codes; certainty: number } | null {
  const { goods } = lexicon();
  const usable = (index: number) => sentence.free(index);
  const codes: string[] = [];
  let end = -1;
  for (let at = start; at < sentence.tokens.length && sentence.free(at); ) {
    const mark = sentence.tokens[at]?.text ?? "";
    const skip = joins(sentence.tokens[at]) || (end >= 0 && (mark === "," || mark === "/"));
    if (skip) {
      at++;
      continue;
    }
    const match = goods.longest(sentence.tokens, at, usable);
    if (match === null || (end < 0 && at > start + 3)) break;
    const own = match.value[role];
    if (own === undefined && end >= 0) break;
    codes.push(...(own ?? bareCodes(match.value)));
    at = match.to;
    end = match.to;
  }
  return end < 0 ? null : { to: end, codes: [...new Set(codes)], certainty: 0.95 };
}

/** Goods without a word for what is done with them: who sells them, else who deals with them. */
function bareCodes(goods: Goods): Codes {
  const order: readonly TradeRole[] = ["retail", "rent", "make", "wholesale", "repair", "install"];
  const role = [...order, ...TRADE_ROLES].find((one) => goods[one] !== undefined);
  return role === undefined ? [] : (goods[role] as Codes);
}

function spelling(code: string): string {
  return code.length === 7 ? punctuateCnae(code) : code;
}

/** Free words that are official names of activities, when nothing else was found. */
function findByName({ segment, sentence, notes }: ActivityContext): FoundActivity[] {
  const telling = sentence.tokens
    .map((token, index) => ({ token, index }))
    .filter(({ token, index }) => sentence.free(index) && token.kind === "word" && !joins(token))
    .filter(({ token }) => token.folded.length > 3 && !GENERAL.has(token.key));
  if (telling.length === 0) return [];
  const ranked = rankDescriptions(
    segment,
    telling.map(({ token }) => token.key),
  );
  const chosen = ranked.filter(({ score }) => score >= SCORE_GAP).slice(0, RANKED_MAX);
  if (chosen.length === 0) return [];
  const from = telling[0]?.index as number;
  const to = (telling.at(-1)?.index as number) + 1;
  const codes = chosen.map(({ code }) => punctuateCnae(code));
  const activity = claim(sentence, { from, to, codes, certainty: 0.5 });
  notes.assume(
    "activity_by_name",
    {
      pt: `Atividades escolhidas pela descrição oficial: ${codes.join(", ")}.`,
      en: `Activities chosen by their official names: ${codes.join(", ")}.`,
    },
    activity,
  );
  return [activity];
}

/** Words of any request, which say nothing about an activity. */
const GENERAL = new Set(
  (
    "empresa companhia firma negocio estabelecimento cnpj lista busca procuro quero " +
    "preciso encontre liste mostre todo toda que tenham tenha possuam brasil cliente " +
    "lead contato company"
  ).split(" "),
);

interface Claim {
  readonly from: number;
  readonly to: number;
  readonly codes: readonly string[];
  readonly certainty: number;
}

function claim(sentence: Sentence, { from, to, codes, certainty }: Claim): FoundActivity {
  const negator = negatorOf(sentence, from);
  if (negator >= 0) claimNegation(sentence, negator, from);
  const words = sentence.claim(from, to, "activity");
  return { ...words, codes, certainty, excluded: negator >= 0 };
}
