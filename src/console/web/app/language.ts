/**
 * Holds the language of the screen, a signal on which words and formats depend. preferences.ts sets
 * it.
 * Invariant: free of the DOM, so that formats and words can be tested without a browser.
 */
import { signal } from "@preact/signals";

/** Languages with a table of words. */
export type ScreenLanguage = "pt" | "en";

/** The current language. */
export const language = signal<ScreenLanguage>("pt");
