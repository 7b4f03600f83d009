/**
 * Why a status is what it is, in words. What comes in: the later words. What goes out: names by
 * code.
 * Invariant: until the words are there, none is known and codes stand for themselves; what has
 * shown them draws itself again. Apart because the first page shows no reasons and does without.
 */
import { laterTable, loadLaterWords } from "../../app/words.ts";

const NONE: Readonly<Record<string, string>> = {};

/** Names of reasons by code; the first one to ask has them loaded. */
export function reasonNames(): Readonly<Record<string, string>> {
  // What cannot be loaded is asked for again by the next cell; until then the code is shown.
  if (laterTable.value === null) loadLaterWords().catch(() => {});
  return laterTable.value?.reasons ?? NONE;
}
