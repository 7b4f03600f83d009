/**
 * Suggests a known word for an unknown one. Input: the word and all candidates. Output: the nearest
 * candidate, or nothing if none is near enough.
 * Invariant: deterministic. If several candidates are equally near, the first one is returned.
 */
import { distance } from "fastest-levenshtein";

/** Number added to the edit distance if only a part of a name matches. */
const PART_PENALTY = 0.5;

/** Returns the end of a message: `; did you mean X?`, or `otherwise` without a match. */
export function didYouMean(word: string, known: readonly string[], otherwise = ""): string {
  const nearest = nearestOf(word, known);
  return nearest === undefined ? otherwise : `; did you mean ${nearest}?`;
}

/** Returns the nearest known word, or undefined. Compares whole names and their parts. */
function nearestOf(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, word.length / 4);
  for (const candidate of known) {
    const edits = distanceTo(word.toLowerCase(), candidate.toLowerCase());
    if (best === undefined ? edits > least : edits >= least) continue;
    best = candidate;
    least = edits;
  }
  return best;
}

function distanceTo(word: string, candidate: string): number {
  const whole = distance(word, candidate);
  const parts = candidate.split(/[._]/);
  if (parts.length === 1) return whole;
  return Math.min(whole, ...parts.map((part) => distance(word, part) + PART_PENALTY));
}
