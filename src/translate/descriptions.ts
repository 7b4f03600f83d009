/**
 * The official names of activities as a second source. What comes in: the table of the snapshot and
 * reduced words. What goes out: codes by how well their names fit (BM25).
 * Invariant: deterministic: equal scores are told apart by code; retail and services come before
 * wholesale, manufacture, representation and repair, unless the words ask for those.
 * Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), k1 1.2, b 0.75.
 */
import { TABLES } from "../../native-index/columns.ts";
import type { Segment } from "../search/segment.ts";
import { CNAE_NOT_INFORMED } from "../spec/catalog.ts";
import { wordsOf } from "./phrases.ts";

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

/** An activity with how well its name fits; the best has 1. */
export interface RankedCode {
  readonly code: string;
  readonly score: number;
}

interface Description {
  readonly code: string;
  readonly words: readonly string[];
}

interface Index {
  readonly descriptions: readonly Description[];
  readonly byWord: ReadonlyMap<string, readonly number[]>;
  readonly averageLength: number;
}

const indexes = new WeakMap<Segment, Index>();

/** Ranks the activities whose names hold at least half of the words. */
export function rankDescriptions(segment: Segment, words: readonly string[]): RankedCode[] {
  const index = indexOf(segment);
  const unique = [...new Set(words)];
  const scores = new Map<number, { score: number; hits: number }>();
  for (const word of unique) {
    const rows = index.byWord.get(word) ?? [];
    const rarity = Math.log(
      1 + (index.descriptions.length - rows.length + 0.5) / (rows.length + 0.5),
    );
    for (const row of rows) {
      const old = scores.get(row) ?? { score: 0, hits: 0 };
      const length = (index.descriptions[row] as Description).words.length;
      const weight = (K1 + 1) / (1 + K1 * (1 - B + (B * length) / index.averageLength));
      scores.set(row, { score: old.score + rarity * weight, hits: old.hits + 1 });
    }
  }
  const ranked = [...scores]
    .filter(([, { hits }]) => hits * 2 >= unique.length)
    .map(([row, { score }]) => {
      const { code } = index.descriptions[row] as Description;
      return { code, score: score * priorOf(code) };
    })
    .sort((a, b) => b.score - a.score || (a.code < b.code ? -1 : 1));
  const best = ranked[0]?.score ?? 1;
  return ranked.map(({ code, score }) => ({ code, score: score / best }));
}

function priorOf(code: string): number {
  const found = PRIORS.find(([prefix]) => code.startsWith(prefix));
  if (found !== undefined) return found[1];
  return code < "34" ? 0.7 : 1;
}

function indexOf(segment: Segment): Index {
  const known = indexes.get(segment);
  if (known !== undefined) return known;
  const codes = segment.native.table(TABLES.indexOf("cnae_primary"));
  const texts = segment.native.table(TABLES.indexOf("cnae_description"));
  const descriptions: Description[] = [];
  const byWord = new Map<string, number[]>();
  for (const [i, code] of codes.entries()) {
    if (code === CNAE_NOT_INFORMED || (texts[i] ?? "") === "") continue;
    const words = [...new Set(wordsOf(affirmed(texts[i] as string)))];
    for (const word of words) {
      const rows = byWord.get(word) ?? [];
      rows.push(descriptions.length);
      byWord.set(word, rows);
    }
    descriptions.push({ code, words });
  }
  const total = descriptions.reduce((sum, { words }) => sum + words.length, 0);
  const index = { descriptions, byWord, averageLength: total / Math.max(1, descriptions.length) };
  indexes.set(segment, index);
  return index;
}

/** What a name excludes ("exceto …") is what it does not mean. */
function affirmed(text: string): string {
  return text.replace(/,?\s*(exceto|não especificad[oa]s? anteriormente).*$/i, "");
}
