/**
 * What was meant by a word that is not known. What comes in: the word and all that could stand in
 * its place. What goes out: the nearest of them, or nothing where none is near enough to be meant.
 * Invariant: the same word and list give the same answer; of equally near ones the first is taken.
 */
import { distance } from "fastest-levenshtein";

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
