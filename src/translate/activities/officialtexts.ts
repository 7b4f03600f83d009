/**
 * Searches the official texts of activities: the names in the snapshot's table, and optionally
 * descriptors published by IBGE. Input: words, or a position in a sentence. Output: the activity
 * whose whole text begins at the position. For words, codes ranked by how well their best text fits
 * (BM25), with the share of the words that this text contains.
 * Invariant: a text that is matched as a whole has at least two words. It also matches in spoken
 * order: "cultivo de arroz" for IBGE's "ARROZ; CULTIVO DE". A text shared by many activities
 * matches none. Equal scores are ordered by code. Retail and services come before wholesale,
 * manufacture, representation, and repair, unless the words name one of these roles. The
 * descriptors stay the same array until they are replaced, so that each index is built once.
 * Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), k1 1.2, b 0.75.
 */
import { TABLES } from "../../../native-index/format/columns.ts";
import type { Descriptor } from "../../dump/activities.ts";
import { lazyByKey } from "../../scheduling/lazy.ts";
import type { Segment } from "../../search/segment.ts";
import { CNAE_NOT_INFORMED } from "../../spec/catalog.ts";
import { joinsText, Phrases, wordsOf } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import type { GoodsReading } from "./goods.ts";
import { ROLE_DIVISIONS, type TradeRole } from "./roles.ts";

let used: readonly Descriptor[] = [];

/**
 * Returns the descriptors in use, or an empty array if no file was loaded. Returns the same array
 * until the descriptors are replaced.
 */
export function descriptorsInUse(): readonly Descriptor[] {
  return used;
}

/** Sets the descriptors for all later translations; meant to be called at process start. */
export function useDescriptors(descriptors: readonly Descriptor[]): void {
  used = descriptors;
}

/**
 * Official texts with their codes. Texts with the same first word are indexed when that word is
 * first looked up.
 */
interface Texts {
  readonly phrases: Phrases<readonly string[]>;
  readonly waiting: Waitlist<WholeText>;
}

/** A text in spoken word order, and its code. */
interface WholeText {
  readonly phrase: string;
  readonly code: string;
}

/**
 * Maximum number of activities that share a text; a text shared by more identifies none of them.
 */
const CODES_MAX = 4;
/** Minimum number of words in a text. Single words are left to the lexicon. */
const WORDS_MIN = 2;
/** Cached texts, keyed by the descriptor list. */
const made = new WeakMap<readonly Descriptor[], (segment: Segment) => Texts>();

/** Indexes all texts of a segment now, so that lookups need not. */
export function speedUpTexts(segment: Segment): void {
  textsOf(segment).waiting.bringAll();
}

/** Returns the activity whose official text begins at a token, or null. */
export function readOfficial(
  segment: Segment,
  sentence: Sentence,
  at: number,
): GoodsReading | null {
  const { phrases, waiting } = textsOf(segment);
  waiting.bring(sentence.tokens[at]?.key ?? "");
  const match = phrases.longest(sentence.tokens, at, (index) => sentence.free(index));
  if (match === null || match.words < WORDS_MIN || match.value.length > CODES_MAX) return null;
  const certainty = match.value.length > 1 ? 0.9 : 0.95;
  return { codes: match.value, also: [], to: match.to, certainty };
}

function textsOf(segment: Segment): Texts {
  const descriptors = descriptorsInUse();
  let texts = made.get(descriptors);
  if (texts === undefined) {
    texts = lazyByKey((one: Segment) => makeTexts(one, descriptors));
    made.set(descriptors, texts);
  }
  return texts(segment);
}

function makeTexts(segment: Segment, descriptors: readonly Descriptor[]): Texts {
  const codes = segment.native.table(TABLES.indexOf("cnae_primary"));
  const names = segment.native.table(TABLES.indexOf("cnae_description"));
  const known = new Set(codes.filter((code) => code !== CNAE_NOT_INFORMED));
  const own = codes.map((code, at) => ({ code, texts: [names[at] ?? ""] }));
  const each = [...own, ...descriptors]
    .filter(({ code }) => known.has(code))
    .flatMap(({ code, texts }) => texts.map((text) => ({ code, text })));
  const phrases = new Phrases<readonly string[]>();
  const waiting = new Waitlist<WholeText>(({ phrase, code }) => {
    phrases.add(phrase, [code], (old) => (old.includes(code) ? old : [...old, code]));
  });
  const firsts = new Map<string, string>();
  for (const { code, text } of each) {
    for (const phrase of text.includes(";") ? [text.replaceAll(";", " "), turned(text)] : [text]) {
      waiting.add(firstWordOf(phrase, firsts), { phrase, code });
    }
  }
  return { phrases, waiting };
}

/** Matches a first word before white space, a comma, or a hyphen. */
const FIRST_WORD = /^[a-zA-ZÀ-ÖØ-öø-ÿ]{2,}(?=[ ,-])/;

/** Returns the reduced first word of a text; `known` caches reduced words. */
function firstWordOf(text: string, known: Map<string, string>): string {
  const first = FIRST_WORD.exec(text)?.[0];
  // Few texts begin with a joining word; `wordsOf` ignores it.
  if (first === undefined || joinsText(first)) return wordsOf(text)[0] ?? "";
  const word = known.get(first) ?? wordsOf(first)[0] ?? "";
  known.set(first, word);
  return word;
}

/** Returns a text in spoken word order: "CULTIVO DE ARROZ" for "ARROZ; CULTIVO DE". */
function turned(text: string): string {
  const at = text.lastIndexOf(";");
  return at < 0 ? text : `${text.slice(at + 1)} ${text.slice(0, at)}`;
}

/** Items that begin with the same word. Those before `next` are already indexed. */
interface Queue<Item> {
  readonly items: Item[];
  next: number;
}

/**
 * Items that are indexed only when a lookup needs their first word. A lookup first indexes all
 * items that begin with that word, in insertion order and each once.
 */
class Waitlist<Item> {
  readonly #put: (item: Item) => void;
  readonly #queues = new Map<string, Queue<Item>>();

  /** `put` indexes an item. */
  constructor(put: (item: Item) => void) {
    this.#put = put;
  }

  add(beginning: string, item: Item): void {
    const queue = this.#queues.get(beginning);
    if (queue === undefined) this.#queues.set(beginning, { items: [item], next: 0 });
    else queue.items.push(item);
  }

  bring(beginning: string): void {
    const queue = this.#queues.get(beginning);
    if (queue === undefined) return;
    while (queue.next < queue.items.length) this.#putNext(queue);
    this.#queues.delete(beginning);
  }

  /** Indexes all items. */
  bringAll(): void {
    for (const beginning of this.#queues.keys()) this.bring(beginning);
  }

  #putNext(queue: Queue<Item>): void {
    const item = queue.items[queue.next++] as Item;
    this.#put(item);
  }
}

const K1 = 1.2;
const B = 0.75;

/** Score factors by code prefix, which lower unlikely activities if no role is named. */
const PRIORS: readonly (readonly [prefix: string, factor: number])[] = [
  ["461", 0.4],
  ["46", 0.6],
  ["33", 0.5],
  ["47", 1],
  ["45", 0.9],
];
/** Score factor for an activity whose role was not requested. */
const OTHER_ROLE = 0.3;

/** An activity and how well its best text fits. */
export interface RankedCode {
  readonly code: string;
  /** 1 for the best. */
  readonly score: number;
  /** Share of the query's words that the text contains, weighted by rarity, 0-1. */
  readonly explained: number;
  /** The query's words that the text contains. */
  readonly words: ReadonlySet<string>;
}

/** A text of a subclass: word counts and length. */
interface ScoredText {
  readonly code: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

interface Index {
  readonly texts: readonly ScoredText[];
  readonly byWord: ReadonlyMap<string, readonly number[]>;
  /** The reduced words that occur in the texts. */
  readonly words: ReadonlySet<string>;
  readonly averageLength: number;
}

const indexes = new WeakMap<readonly Descriptor[], (segment: Segment) => Index>();

/** Builds the index of a segment's official names if it does not exist. */
export function makeDescriptions(segment: Segment): void {
  indexOf(segment);
}

/** Ranks activities that have any of the words; `role` is the requested role, if any. */
export function rankDescriptions(
  segment: Segment,
  words: readonly string[],
  role: TradeRole | null = null,
): RankedCode[] {
  const index = indexOf(segment);
  const stems = new Map([...new Set(words)].map((word) => [word, stemOf(word)]));
  const rarity = new Map([...stems.values()].map((stem) => [stem, rarityOf(index, stem)]));
  const whole = [...stems.values()].reduce((sum, stem) => sum + (rarity.get(stem) as number), 0);
  const best = new Map<string, { text: ScoredText; score: number }>();
  for (const [at, score] of scoresOf(index, rarity)) {
    const text = index.texts[at] as ScoredText;
    const weighed = score * priorOf(text.code, role);
    if (weighed > (best.get(text.code)?.score ?? 0)) best.set(text.code, { text, score: weighed });
  }
  const highest = Math.max(...[...best.values()].map(({ score }) => score), Number.MIN_VALUE);
  return [...best]
    .map(([code, { text, score }]) => {
      const matched = [...stems].filter(([, stem]) => text.counts.has(stem));
      const explained = matched.reduce((sum, [, stem]) => sum + (rarity.get(stem) as number), 0);
      const had = new Set(matched.map(([word]) => word));
      return { code, score: score / highest, explained: explained / whole, words: had };
    })
    .sort((a, b) => b.score - a.score || (a.code < b.code ? -1 : 1));
}

/** True if the reduced word occurs in an official text. */
export function describesActivities(segment: Segment, word: string): boolean {
  const { words, byWord } = indexOf(segment);
  // An inflected form counts if a text contains its stem. A word that is itself the stem counts
  // only if a text contains this word.
  return words.has(word) || (stemOf(word) !== word && byWord.has(stemOf(word)));
}

function scoresOf(index: Index, rarity: ReadonlyMap<string, number>): Map<number, number> {
  const scores = new Map<number, number>();
  for (const [stem, weight] of rarity) {
    for (const at of index.byWord.get(stem) ?? []) {
      const { counts, length } = index.texts[at] as ScoredText;
      const count = counts.get(stem) as number;
      const damped = K1 * (1 - B + (B * length) / index.averageLength);
      const score = (weight * count * (K1 + 1)) / (count + damped);
      scores.set(at, (scores.get(at) ?? 0) + score);
    }
  }
  return scores;
}

/** Returns the inverse document frequency; an unknown word counts as the rarest. */
function rarityOf({ texts, byWord }: Index, stem: string): number {
  const has = byWord.get(stem)?.length ?? 0;
  return Math.log(1 + (texts.length - has + 0.5) / (has + 0.5));
}

function priorOf(code: string, role: TradeRole | null): number {
  if (role !== null) {
    return ROLE_DIVISIONS[role].some((digits) => code.startsWith(digits)) ? 1 : OTHER_ROLE;
  }
  const found = PRIORS.find(([prefix]) => code.startsWith(prefix));
  if (found !== undefined) return found[1];
  return code < "34" ? 0.7 : 1;
}

/** Returns a reduced word without its gender: elétrico and elétrica become one word. */
function stemOf(word: string): string {
  return word.length > 4 && /[aeo]$/.test(word) ? word.slice(0, -1) : word;
}

function indexOf(segment: Segment): Index {
  const descriptors = descriptorsInUse();
  let index = indexes.get(descriptors);
  if (index === undefined) {
    index = lazyByKey((one: Segment) => makeIndex(one, descriptors));
    indexes.set(descriptors, index);
  }
  return index(segment);
}

function makeIndex(segment: Segment, descriptors: readonly Descriptor[]): Index {
  const codes = segment.native.table(TABLES.indexOf("cnae_primary"));
  const names = segment.native.table(TABLES.indexOf("cnae_description"));
  const own = codes.map((code, at) => ({ code, texts: [names[at] ?? ""] }));
  const inUse = new Set(codes.filter((code) => code !== CNAE_NOT_INFORMED));
  const texts: ScoredText[] = [];
  const byWord = new Map<string, number[]>();
  const words = new Set<string>();
  const all = [...own, ...descriptors].filter(({ code }) => inUse.has(code));
  const each = all.flatMap(({ code, texts: list }) => list.map((written) => ({ code, written })));
  for (const { code, written } of each) {
    const own = wordsOf(affirmed(written));
    for (const word of own) words.add(word);
    const text = textOf(code, own);
    if (text.length === 0) continue;
    for (const stem of text.counts.keys()) {
      const at = byWord.get(stem);
      if (at === undefined) byWord.set(stem, [texts.length]);
      else at.push(texts.length);
    }
    texts.push(text);
  }
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  return { texts, byWord, words, averageLength: total / Math.max(1, texts.length) };
}

function textOf(code: string, words: readonly string[]): ScoredText {
  const stems = words.map(stemOf);
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return { code, counts, length: stems.length };
}

/** Returns a name without the exclusion at its end ("exceto …"). */
function affirmed(text: string): string {
  return text.replace(/,?\s*(exceto|não especificad[oa]s? anteriormente).*$/i, "");
}
