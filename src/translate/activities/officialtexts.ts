/**
 * Official texts of activities: the names in the snapshot's table, and descriptors as IBGE
 * publishes them, an optional further source. Input: the table, the descriptors in use, and words
 * or a place in a sentence. Output: the activity whose whole text is written at that place; codes
 * by how well a text of theirs fits words (BM25; the score of a code is that of its best text), and
 * how much of the words it explains.
 * Invariant: a whole text counts from two words on, also as IBGE turns it round ("ARROZ; CULTIVO
 * DE"); a text that many activities have names none. Scores are deterministic: equal ones are
 * ordered by code, and retail and services come before wholesale, manufacture, representation and
 * repair, unless the words name those. Descriptors are one list for the whole process until others
 * are used, so that indexes of it are made once.
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

/** The descriptors in use; none unless a file was given. The same array until others are used. */
export function descriptorsInUse(): readonly Descriptor[] {
  return used;
}

/** Uses descriptors for every translation from now on; meant for the start of a process. */
export function useDescriptors(descriptors: readonly Descriptor[]): void {
  used = descriptors;
}

/** Texts with their codes; those of a beginning wait until somebody looks for it. */
interface Texts {
  readonly phrases: Phrases<readonly string[]>;
  readonly waiting: Waitlist<WholeText>;
}

/** A text as it is said, and whose it is. */
interface WholeText {
  readonly said: string;
  readonly code: string;
}

/** A text of more activities than these tells none of them. */
const CODES_MAX = 4;
/** One word is a matter of the lexicon, which knows how people use it. */
const WORDS_MIN = 2;
/** By what is in use beside the official names. */
const made = new WeakMap<readonly Descriptor[], (segment: Segment) => Texts>();

/** Puts all texts of a segment in place, so that no lookup has to. */
export function speedUpTexts(segment: Segment): void {
  textsOf(segment).waiting.bringAll();
}

/** The activity whose official text begins at a token; null where none does. */
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
  const waiting = new Waitlist<WholeText>(({ said, code }) => {
    phrases.add(said, [code], (old) => (old.includes(code) ? old : [...old, code]));
  });
  const firsts = new Map<string, string>();
  for (const { code, text } of each) {
    for (const said of text.includes(";") ? [text.replaceAll(";", " "), turned(text)] : [text]) {
      waiting.add(firstWordOf(said, firsts), { said, code });
    }
  }
  return { phrases, waiting };
}

/** A first word that its letters end: white space, a comma or a hyphen stands behind it. */
const FIRST_WORD = /^[a-zA-ZÀ-ÖØ-öø-ÿ]{2,}(?=[ ,-])/;

/** The reduced word that a text is looked for by; `known` are those of words that were met. */
function firstWordOf(text: string, known: Map<string, string>): string {
  const first = FIRST_WORD.exec(text)?.[0];
  // Few texts begin with a word that joins, which does not count.
  if (first === undefined || joinsText(first)) return wordsOf(text)[0] ?? "";
  const word = known.get(first) ?? wordsOf(first)[0] ?? "";
  known.set(first, word);
  return word;
}

/** "ARROZ; CULTIVO DE" as it is said. */
function turned(text: string): string {
  const at = text.lastIndexOf(";");
  return at < 0 ? text : `${text.slice(at + 1)} ${text.slice(0, at)}`;
}

/** Items of one beginning; those before `next` are in place. */
interface Queue<Item> {
  readonly items: Item[];
  next: number;
}

/**
 * Items that are put in place when a lookup first comes where they belong. The items of one
 * beginning are put in the order in which they came, each once, all of them before anything is
 * found there. So a first sentence pays for the few texts that begin as its words do.
 */
class Waitlist<Item> {
  readonly #put: (item: Item) => void;
  readonly #queues = new Map<string, Queue<Item>>();

  /** Takes what puts an item in place. */
  constructor(put: (item: Item) => void) {
    this.#put = put;
  }

  /** Lets an item wait until somebody looks at its beginning. */
  add(beginning: string, item: Item): void {
    const queue = this.#queues.get(beginning);
    if (queue === undefined) this.#queues.set(beginning, { items: [item], next: 0 });
    else queue.items.push(item);
  }

  /** Puts what waits at a beginning. */
  bring(beginning: string): void {
    const queue = this.#queues.get(beginning);
    if (queue === undefined) return;
    while (queue.next < queue.items.length) this.#putNext(queue);
    this.#queues.delete(beginning);
  }

  /** Puts all of them. */
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

/** How much less likely an activity of this kind is meant when nobody says so, by division. */
const PRIORS: readonly (readonly [prefix: string, factor: number])[] = [
  ["461", 0.4],
  ["46", 0.6],
  ["33", 0.5],
  ["47", 1],
  ["45", 0.9],
];
/** Activities of another kind than the one that was asked for. */
const OTHER_ROLE = 0.3;

/** An activity with how well a text of it fits. */
export interface RankedCode {
  readonly code: string;
  /** The best has 1. */
  readonly score: number;
  /** Share of the words that the text has, weighed by how rare they are; 0-1. */
  readonly explained: number;
  /** Which of the words it has. */
  readonly words: ReadonlySet<string>;
}

/** One text of a subclass: how often it has each word, and how many it has. */
interface ScoredText {
  readonly code: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

interface Index {
  readonly texts: readonly ScoredText[];
  readonly byWord: ReadonlyMap<string, readonly number[]>;
  /** The words themselves, reduced. */
  readonly words: ReadonlySet<string>;
  readonly averageLength: number;
}

/** By what is in use beside the official names. */
const indexes = new WeakMap<readonly Descriptor[], (segment: Segment) => Index>();

/** Makes the index of the official names of a segment, if it is not made yet. */
export function makeDescriptions(segment: Segment): void {
  indexOf(segment);
}

/**
 * Ranks the activities that have at least one of the words; `role` is what is asked for, if
 * any.
 */
export function rankDescriptions(
  segment: Segment,
  words: readonly string[],
  role: TradeRole | null = null,
): RankedCode[] {
  const index = indexOf(segment);
  const asked = new Map([...new Set(words)].map((word) => [word, stemOf(word)]));
  const rarity = new Map([...asked.values()].map((stem) => [stem, rarityOf(index, stem)]));
  const whole = [...asked.values()].reduce((sum, stem) => sum + (rarity.get(stem) as number), 0);
  const best = new Map<string, { text: ScoredText; score: number }>();
  for (const [at, score] of scoresOf(index, rarity)) {
    const text = index.texts[at] as ScoredText;
    const weighed = score * priorOf(text.code, role);
    if (weighed > (best.get(text.code)?.score ?? 0)) best.set(text.code, { text, score: weighed });
  }
  const highest = Math.max(...[...best.values()].map(({ score }) => score), Number.MIN_VALUE);
  return [...best]
    .map(([code, { text, score }]) => {
      const matched = [...asked].filter(([, stem]) => text.counts.has(stem));
      const explained = matched.reduce((sum, [, stem]) => sum + (rarity.get(stem) as number), 0);
      const had = new Set(matched.map(([word]) => word));
      return { code, score: score / highest, explained: explained / whole, words: had };
    })
    .sort((a, b) => b.score - a.score || (a.code < b.code ? -1 : 1));
}

/** Whether any text has a reduced word. */
export function describesActivities(segment: Segment, word: string): boolean {
  const { words, byWord } = indexOf(segment);
  // A stem alone is no word.
  return words.has(word) || (stemOf(word) !== word && byWord.has(stemOf(word)));
}

/** BM25 of every text that has a word. */
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

/** Inverse document frequency; a word that no text has is the rarest. */
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

/** A reduced word without its gender: elétrico and elétrica, médico and médica are one. */
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

/** What a name excludes ("exceto …") is what it does not mean. */
function affirmed(text: string): string {
  return text.replace(/,?\s*(exceto|não especificad[oa]s? anteriormente).*$/i, "");
}
