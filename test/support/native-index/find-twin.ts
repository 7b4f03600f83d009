/**
 * The slow reference implementation of the search by name. Input: the names of rows in rank order,
 * and typed words. Output: the matching rows, each with the class of its match.
 * Invariant: shares only the word analyzer with the addon, which has a separate reference
 * implementation. It computes complete tables of edit distances and scans all rows, without posting
 * lists or a vocabulary.
 */
import { analyzeWords } from "../../../src/spec/analyzer.ts";

/** The members of a row that the search by name reads. */
export interface NamedRow {
  readonly legal_name: string | null;
  readonly trade_name: string | null;
}

/**
 * A matching row and the class of its match: 0 if a name begins with the text, 1 for whole words, 2
 * for prefixes, 3 for an edit distance of one, and 4 for two.
 */
export type FindMatch = readonly [row: number, fit: number];

/** Minimum letters of a word that may match as a prefix. The last word has no minimum. */
const BEGINNING_LETTERS = 3;
/** Number of candidate rows whose names are checked for beginning with the text. */
const BEGINNINGS_READ = 4_096;
const EDITS_MAX = 2;

/**
 * Returns the edit distance of two words in code points. Swapping two neighbors counts as one edit.
 * It computes the complete table.
 */
export function distance(one: string, other: string): number {
  const a = [...one];
  const b = [...other];
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number) => (table[i] as number[])[j] as number;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const put = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isChanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const changed = isChanged ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      (table[i] as number[])[j] = Math.min(put, at(i - 1, j) + 1, at(i, j - 1) + 1, changed);
    }
  }
  return at(a.length, b.length);
}

/** The names of all rows, split into words once. */
export class FindTwin {
  readonly #names: readonly (readonly string[][])[];

  constructor(rows: readonly NamedRow[]) {
    this.#names = rows.map((row) =>
      [row.legal_name, row.trade_name].map((name) => analyzeWords(name ?? "")),
    );
  }

  /** Returns the first matching rows, ordered by class, and within a class in row order. */
  fitting(
    words: readonly string[],
    { limit, keeps }: { limit: number; keeps: (row: number) => boolean },
  ): FindMatch[] {
    const fits: FindMatch[] = [];
    const nearest = new Map<string, number>();
    let candidates = 0;
    for (const [row, names] of this.#names.entries()) {
      if (!keeps(row)) continue;
      const found = fitOf(names, words, { looks: candidates < BEGINNINGS_READ, nearest });
      if (holdsText(names.flat(), words)) candidates++;
      if (found !== null) fits.push([row, found]);
    }
    return fits.sort((a, b) => a[1] - b[1] || a[0] - b[0]).slice(0, limit);
  }
}

/** Returns true if the last typed word occurs as a prefix, and the others as whole words. */
function holdsText(all: readonly string[], words: readonly string[]): boolean {
  const last = words.at(-1) as string;
  const first = words.slice(0, -1);
  return first.every((one) => all.includes(one)) && all.some((word) => word.startsWith(last));
}

/**
 * Returns the class of a row's match, or null if it does not match. The map `nearest` caches
 * distances between words.
 */
function fitOf(
  names: readonly string[][],
  words: readonly string[],
  { looks, nearest }: { looks: boolean; nearest: Map<string, number> },
): number | null {
  const all = names.flat();
  const begins = names.some((name) => name.join(" ").startsWith(words.join(" ")));
  if (looks && begins) return 0;
  if (words.every((word) => all.includes(word))) return 1;
  let sum = 0;
  for (const [i, word] of words.entries()) {
    sum += editsOf(all, { typed: word, isLast: i === words.length - 1, nearest });
    if (sum > EDITS_MAX) return null;
  }
  return 2 + sum;
}

/** Returns the minimum edit distance from a typed word to a word of the names. */
function editsOf(
  all: readonly string[],
  request: { typed: string; isLast: boolean; nearest: Map<string, number> },
): number {
  const { typed, isLast, nearest } = request;
  const letters = [...typed].length;
  const mayBegin = isLast || letters >= BEGINNING_LETTERS;
  const most = letters >= 8 ? 2 : letters >= 4 ? 1 : 0;
  if (all.some((word) => (mayBegin ? word.startsWith(typed) : word === typed))) return 0;
  if (most === 0) return EDITS_MAX + 1;
  const found = all.map((word) => {
    const key = `${typed} ${word}`;
    const known = nearest.get(key) ?? distance(typed, word);
    nearest.set(key, known);
    return known;
  });
  const least = Math.min(...found);
  return least <= most ? least : EDITS_MAX + 1;
}
