/**
 * The words on screen. What comes in: a language. What goes out: its table as a signal, so that a
 * switch redraws everything that shows words.
 * Invariant: a table is loaded before anything is drawn; both tables have the same keys, since the
 * Portuguese one is typed by the English one. No component holds text of its own.
 */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import type { ScreenWords } from "../strings/en.ts";
import { language, type ScreenLanguage } from "./language.ts";

const table = signal<ScreenWords | null>(null);

/** The table of the present language: `words.value.<area>.<key>`. */
export const words: ReadonlySignal<ScreenWords> = computed(() => {
  if (table.value === null) throw new Error("no language is loaded yet");
  return table.value;
});

/** Loads a language and switches to it. */
export async function speak(wanted: ScreenLanguage): Promise<void> {
  const loaded =
    wanted === "pt" ? await import("../strings/pt.ts") : await import("../strings/en.ts");
  batch(() => {
    table.value = loaded.words;
    language.value = wanted;
  });
}
