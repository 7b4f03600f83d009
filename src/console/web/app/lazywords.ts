/**
 * Holds the words of all views except the first page, as a signal.
 * Invariant: importing this file waits until the words are loaded, so no view is drawn without
 * them.
 * Separate from words.ts because the first page must not wait for them.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { LaterWords } from "../strings/later-en.ts";
import { lazyTable, loadLazyWords } from "./words.ts";

await loadLazyWords();

/** The current language's table: `lazyWords.value.<area>.<key>`. */
export const lazyWords: ReadonlySignal<LaterWords> = computed(() => {
  if (lazyTable.value === null) throw new Error("the later words are not loaded yet");
  return lazyTable.value;
});
