/**
 * Holds the words on screen as a signal, so that switching the language redraws all text.
 * Invariant: a table is loaded before anything is drawn. Both tables have the same keys, because
 * the type of the Portuguese one is that of the English one. Words that are loaded later also
 * follow the language. No component contains text.
 */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import type { ScreenWords } from "../strings/en.ts";
import type { LaterWords } from "../strings/later-en.ts";
import { language, type ScreenLanguage } from "./language.ts";

const first = signal<ScreenWords | null>(null);
const later = signal<LaterWords | null>(null);

/** The current language's table: `words.value.<area>.<key>`. */
export const words: ReadonlySignal<ScreenWords> = computed(() => {
  if (first.value === null) throw new Error("no language is loaded yet");
  return first.value;
});

/** Words that the first page does not need, or null. Views import them from lazywords.ts. */
export const lazyTable: ReadonlySignal<LaterWords | null> = later;

/** Loads a language and switches to it, with the words of later views if these are loaded. */
export async function switchLanguage(wanted: ScreenLanguage): Promise<void> {
  const { words: table } =
    wanted === "pt" ? await import("../strings/pt.ts") : await import("../strings/en.ts");
  // Checked after the await, because the later words of the old language may arrive during it.
  const more = later.peek() === null ? null : await laterOf(wanted);
  batch(() => {
    first.value = table;
    if (more !== null) later.value = more;
    language.value = wanted;
  });
}

/**
 * Loads the words of later views in the current language, even if the language changes meanwhile.
 */
export async function loadLazyWords(): Promise<void> {
  while (later.peek() === null) {
    const wanted = language.peek();
    const table = await laterOf(wanted);
    if (wanted === language.peek()) later.value = table;
  }
}

async function laterOf(wanted: ScreenLanguage): Promise<LaterWords> {
  const { lazyWords } =
    wanted === "pt"
      ? await import("../strings/later-pt.ts")
      : await import("../strings/later-en.ts");
  return lazyWords;
}
