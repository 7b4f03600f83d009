/**
 * The words on screen. What comes in: a language. What goes out: its table as a signal, so that a
 * switch redraws everything that shows words.
 * Invariant: a table is loaded before anything is drawn; both tables have the same keys, since the
 * Portuguese one is typed by the English one. The later words, where they are loaded, are those of
 * the same language. No component holds text of its own.
 */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import type { ScreenWords } from "../strings/en.ts";
import type { LaterWords } from "../strings/later-en.ts";
import { language, type ScreenLanguage } from "./language.ts";

const first = signal<ScreenWords | null>(null);
const later = signal<LaterWords | null>(null);

/** The table of the present language: `words.value.<area>.<key>`. */
export const words: ReadonlySignal<ScreenWords> = computed(() => {
  if (first.value === null) throw new Error("no language is loaded yet");
  return first.value;
});

/**
 * The words behind the first page. Null until a view that has some is loaded: such views import
 * them from laterwords.ts, where they are never null.
 */
export const laterTable: ReadonlySignal<LaterWords | null> = later;

/** Loads a language and switches to it, with the later words where they are loaded. */
export async function speak(wanted: ScreenLanguage): Promise<void> {
  const { words: table } =
    wanted === "pt" ? await import("../strings/pt.ts") : await import("../strings/en.ts");
  // Asked last: the later words of the language before may have come while the first were awaited.
  const more = later.peek() === null ? null : await laterOf(wanted);
  batch(() => {
    first.value = table;
    if (more !== null) later.value = more;
    language.value = wanted;
  });
}

/** Loads the later words of the present language; a switch meanwhile is followed. */
export async function loadLaterWords(): Promise<void> {
  while (later.peek() === null) {
    const wanted = language.peek();
    const table = await laterOf(wanted);
    if (wanted === language.peek()) later.value = table;
  }
}

async function laterOf(wanted: ScreenLanguage): Promise<LaterWords> {
  const { laterWords } =
    wanted === "pt"
      ? await import("../strings/later-pt.ts")
      : await import("../strings/later-en.ts");
  return laterWords;
}
