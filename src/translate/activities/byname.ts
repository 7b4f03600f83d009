/**
 * Finds activities by their official names. Input: the words of a sentence that no earlier step
 * claimed. Output: the activities whose official texts contain these words, and unknown requested
 * activities with the nearest known ones.
 * Invariant: only words that occur in the chosen texts are claimed. A text is chosen only if it
 * contains most of the words and only a few texts fit equally well. An unknown requested activity
 * has no codes.
 */
import { catalogLookup, punctuateCnae } from "../../spec/catalog.ts";
import { isFillerWord } from "../fillers.ts";
import { negatorOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import { nearestTrades } from "../spelling/spellwords.ts";
import { isGiveaway } from "../unmapped.ts";
import { joins } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import type { ActivityContext, FoundActivity } from "./activity.ts";
import { spelled } from "./cnaecodes.ts";
import { type RankedCode, rankDescriptions } from "./officialtexts.ts";
import { ROLES_BEFORE, type TradeRole } from "./roles.ts";

/** A text is chosen if its score is at least this share of the best score. */
const SCORE_SHARE = 0.85;
/** Maximum chosen texts; if more fit, the words are too general. */
const CHOSEN_MAX = 4;
const NEAREST_MAX = 6;
/** Minimum share of the words, weighted by rarity, that a text must contain. */
const EXPLAINED_MIN = 0.7;
/** Texts that contain a smaller share are not suggested. */
const OFFERED_MIN = 0.25;
/**
 * `DISTINCTIVE_MAX`: a run of adjacent words names no activity if more than this many of its words
 * are searched. `RUNS_MAX`: only this many runs of a sentence are read.
 */
const DISTINCTIVE_MAX = 12;
const RUNS_MAX = 12;
/** General words for a company ("empresa", "ramo") that lead to the name of an activity. */
const LEADS = new Set(
  (
    "empresa companhia firma negocio estabelecimento ramo area setor segmento atividade comercio " +
    "company business cnpj prestador prestadora servico"
  ).split(" "),
);
/** Words that begin a condition other than an activity. */
const OTHERWISE = new Set("com sem que with without por para cujo cuja".split(" "));

/** Adjacent tokens [from, to) that no earlier step has read. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly role: TradeRole | null;
  /** Positions of the tokens that are searched in the official texts. */
  readonly distinctive: readonly number[];
}

/**
 * Finds activities in the words that no earlier step has read, and marks their tokens as read.
 * `others` is true if an earlier step found activities.
 */
export function findByName(context: ActivityContext, others: boolean): FoundActivity[] {
  const found: FoundActivity[] = [];
  for (const run of runsOf(context.sentence).slice(0, RUNS_MAX)) {
    const isRequested = isWanted(context, run, others || found.length > 0);
    if (!isRequested && run.distinctive.length < 2) continue;
    const whole = choose(context, run);
    const parts = whole === null ? partsOf(context.sentence, run) : [];
    const chosen =
      whole === null ? parts.map((part) => ({ part, one: choose(context, part) })) : [];
    if (whole !== null) found.push(whole);
    else if (parts.length > 1 && chosen.some(({ one }) => one !== null)) {
      for (const { part, one } of chosen) {
        const activity = one ?? (isRequested ? unknown(context, part) : null);
        if (activity !== null) found.push(activity);
      }
    } else if (isRequested) found.push(unknown(context, run));
  }
  return found;
}

/**
 * Returns the longest runs of words that no earlier step has read. Punctuation and the words of
 * other conditions end a run.
 */
function runsOf(sentence: Sentence): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < sentence.tokens.length; at++) {
    const from = at;
    while (goesOn(sentence, at)) at++;
    const run = runOf(sentence, from, at);
    if (run !== null) runs.push(run);
  }
  return runs;
}

function goesOn(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  return token?.kind === "word" && sentence.free(at) && !isGiveaway(token);
}

function runOf(sentence: Sentence, start: number, end: number): Run | null {
  let from = start;
  while (from < end && isFiller(sentence, from) && roleAt(sentence, from) === null) from++;
  const lead = from < end ? roleAt(sentence, from) : null;
  const distinctive: number[] = [];
  for (let at = lead?.to ?? from; at < end; at++) {
    if (!isFiller(sentence, at) && sentence.folded(at).length > 2) distinctive.push(at);
  }
  const to = (distinctive.at(-1) ?? -1) + 1;
  return distinctive.length === 0 || distinctive.length > DISTINCTIVE_MAX
    ? null
    : { from, to, role: lead?.value ?? null, distinctive };
}

function roleAt(sentence: Sentence, at: number) {
  return ROLES_BEFORE.longest(sentence.tokens, at, (index) => sentence.free(index));
}

/** Splits a run at "e" and "ou"; the role of the first part applies to all. */
function partsOf(sentence: Sentence, { from, to, role }: Run): Run[] {
  const parts: Run[] = [];
  let start = from;
  for (let at = from; at <= to; at++) {
    if (at < to && !["e", "ou", "and", "or"].includes(sentence.folded(at))) continue;
    const part = runOf(sentence, start, at);
    if (part !== null) parts.push({ ...part, role: part.role ?? role });
    start = at + 1;
  }
  return parts;
}

/** Returns the activities that a run names and marks the run as read; null if no text fits. */
function choose(context: ActivityContext, run: Run): FoundActivity | null {
  const { segment, sentence, notes } = context;
  const ranked = rankDescriptions(segment, keysOf(sentence, run), run.role);
  const best = ranked[0];
  const chosen = ranked.filter(({ score }) => score >= SCORE_SHARE);
  if (best === undefined || best.explained < EXPLAINED_MIN || chosen.length > CHOSEN_MAX)
    return null;
  const had = new Set(chosen.flatMap(({ words }) => [...words]));
  const taken = run.distinctive.filter((at) => had.has(sentence.tokens[at]?.key ?? ""));
  const lead = run.role === null ? [] : [run.from];
  const codes = chosen.map(({ code }) => punctuateCnae(code));
  const activity = claimed(sentence, [...lead, ...taken], {
    codes,
    also: offered(ranked).filter((code) => !codes.includes(code)),
    certainty: certaintyOf(best, chosen.length, run),
  });
  notes.assume(
    "activity_by_name",
    {
      pt: `Atividades escolhidas pela descrição oficial: ${codes.join(", ")}.`,
      en: `Activities chosen by their official names: ${codes.join(", ")}.`,
    },
    activity,
  );
  return activity;
}

/**
 * Returns the certainty, 0-1. It is lower if the text lacks some of the words, if several texts
 * were chosen, or if the run has a single search word.
 */
function certaintyOf({ explained }: RankedCode, choices: number, { distinctive }: Run): number {
  const base = distinctive.length > 1 ? 0.8 : 0.6;
  return Math.round(base * explained * (1 - 0.1 * (choices - 1)) * 100) / 100;
}

/** True if the words around a run show that it requests an activity. Required for a single word. */
function isWanted({ sentence }: ActivityContext, run: Run, others: boolean): boolean {
  // In "material de construção em Marabá que vende fiado", "vende fiado" is a condition on the
  // trade named earlier.
  if (run.role !== null && others && isThatBehind(sentence, run.from)) return false;
  if (run.role !== null || isLed(sentence, run.from)) return true;
  return !others && isSubject(sentence, run);
}

/** True if a run follows "que" and the token before "que" belongs to an activity or a place. */
function isThatBehind(sentence: Sentence, from: number): boolean {
  if (!/^(?:que|that|which|who)$/.test(sentence.folded(from - 1))) return false;
  return ["activity", "place"].includes(sentence.owner(from - 2) ?? "");
}

/** Returns an unknown requested activity with the nearest known ones, and marks its run as read. */
function unknown(context: ActivityContext, run: Run): FoundActivity {
  const { segment, sentence, notes } = context;
  const keys = keysOf(sentence, run);
  const named = offered(rankDescriptions(segment, keys, run.role));
  const lookup = catalogLookup(segment.catalog);
  const near = nearestTrades(keys).filter((code) => lookup.cnae(code).length > 0);
  const also = [...new Set([...near.map(spelled), ...named])].slice(0, NEAREST_MAX);
  const tokens = Array.from({ length: run.to - run.from }, (_, i) => run.from + i);
  const activity = claimed(sentence, tokens, { codes: [], also, certainty: 0 }, "unmapped");
  notes.addUnmapped(
    "unknown_activity",
    { pt: "Atividade desconhecida.", en: "Unknown activity." },
    { words: activity.words, start: activity.start, end: activity.end },
  );
  return activity;
}

/** True if words such as "empresas de …" or "no ramo de …" lead to an activity. */
function isLed(sentence: Sentence, from: number): boolean {
  let at = from - 1;
  if (!["de", "do", "da", "dos", "das", "of"].includes(sentence.folded(at))) return false;
  while (at >= 0 && joins(sentence.tokens[at])) at--;
  const token = sentence.tokens[at];
  return token !== undefined && (LEADS.has(token.key) || LEADS.has(token.folded));
}

/** True if the sentence begins with the run, which is then its subject. */
function isSubject(sentence: Sentence, { from }: Run): boolean {
  if (OTHERWISE.has(sentence.folded(from - 1))) return false;
  for (let at = 0; at < from; at++) {
    const owner = sentence.owner(at);
    if (owner === "limit" || owner === "negation" || owner === "filler") continue;
    if (owner !== null || !isFiller(sentence, at)) return false;
  }
  return true;
}

function offered(ranked: readonly RankedCode[]): string[] {
  return ranked
    .filter(({ explained }) => explained >= OFFERED_MIN)
    .slice(0, NEAREST_MAX)
    .map(({ code }) => punctuateCnae(code));
}

function keysOf(sentence: Sentence, { distinctive }: Run): string[] {
  return distinctive.map((at) => sentence.tokens[at]?.key ?? "");
}

function isFiller(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  return token === undefined || isFillerWord(token);
}

/** Marks the tokens, which need not be adjacent, and their negator as read, as one activity. */
function claimed(
  sentence: Sentence,
  tokens: readonly number[],
  found: Pick<FoundActivity, "codes" | "also" | "certainty">,
  role: "activity" | "unmapped" = "activity",
): FoundActivity {
  const from = tokens[0] as number;
  const negator = negatorOf(sentence, from);
  if (negator >= 0) claimNegation(sentence, negator, from);
  for (const at of tokens) sentence.claim(at, at + 1, role);
  const words = sentence.words(from, (tokens.at(-1) as number) + 1);
  return { ...words, ...found, excluded: negator >= 0 };
}
