/**
 * The words of the views behind the first page. What comes in: the language. What goes out: its
 * table as a signal.
 * Invariant: whoever imports this waits until the words are there; so no view is drawn without.
 * Apart because the first page must not wait for them.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { LaterWords } from "../strings/later-en.ts";
import { laterTable, loadLaterWords } from "./words.ts";

await loadLaterWords();

/** The table of the present language: `laterWords.value.<area>.<key>`. */
export const laterWords: ReadonlySignal<LaterWords> = computed(() => {
  if (laterTable.value === null) throw new Error("the later words are not loaded yet");
  return laterTable.value;
});
