/**
 * The words of the views after the first page, as a signal.
 * Invariant: importing this waits until the words are loaded, so no view is drawn without them.
 * Apart because the first page must not wait for them.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { LaterWords } from "../strings/later-en.ts";
import { laterTable, loadLaterWords } from "./words.ts";

await loadLaterWords();

/** The current language's table: `laterWords.value.<area>.<key>`. */
export const laterWords: ReadonlySignal<LaterWords> = computed(() => {
  if (laterTable.value === null) throw new Error("the later words are not loaded yet");
  return laterTable.value;
});
