/**
 * The language of the screen. What comes in: nothing; preferences.ts sets it. What goes out: a
 * signal that words and formats follow.
 * Invariant: free of the DOM, so that formats and words can be tested without a browser.
 */
import { signal } from "@preact/signals";

/** Languages that have a table of words. */
export type ScreenLanguage = "pt" | "en";

/** The language shown at present. */
export const language = signal<ScreenLanguage>("pt");
