/**
 * What was meant by a word that is not known. What comes in: the word and all that could stand in
 * its place. What goes out: the nearest of them, or nothing where none is near enough to be meant.
 * Invariant: the same word and list give the same answer; of equally near ones the first is taken.
 */

/** A part of a name has to be a little nearer than a whole one to be taken for what was meant. */
const PART_PENALTY = 0.5;

/** The end of a message: `; did you mean X?`, or `otherwise` where nothing is near. */
export function didYouMean(word: string, known: readonly string[], otherwise = ""): string {
  const nearest = nearestOf(word, known);
  return nearest === undefined ? otherwise : `; did you mean ${nearest}?`;
}

/** The nearest of the known words, whole or by a part between `_` and `.`; else undefined. */
function nearestOf(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, word.length / 4);
  for (const candidate of known) {
    const distance = distanceTo(word.toLowerCase(), candidate.toLowerCase());
    if (best === undefined ? distance > least : distance >= least) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

function distanceTo(word: string, candidate: string): number {
  const whole = editDistance(word, candidate);
  const parts = candidate.split(/[._]/);
  if (parts.length === 1) return whole;
  return Math.min(whole, ...parts.map((part) => editDistance(word, part) + PART_PENALTY));
}

/** Levenshtein distance, one row of the matrix at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
