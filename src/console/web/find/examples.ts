/**
 * Sentences to begin with. What comes in: the catalog. What goes out: those of the present
 * language, and the one that the empty box shows.
 * Invariant: each finds something in the snapshot that is served.
 * Apart because the box, the overview and what is not understood show them.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import { language } from "../app/language.ts";
import { catalog } from "./catalog.ts";

/** How many there are at most. */
export const EXAMPLES = 3;

/** The sentences; empty until the catalog is loaded. */
export const examples: ReadonlySignal<readonly string[]> = computed(
  () => catalog.value?.catalog.examples[language.value] ?? [],
);

/** One to show in the empty box; null until it is known. */
export const exampleShown: ReadonlySignal<string | null> = computed(
  () => examples.value[0] ?? null,
);
