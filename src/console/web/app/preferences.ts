/**
 * The user's preferences in this browser: language and theme. They come from localStorage, else
 * from the browser's languages and color scheme, and are stored for the next visit.
 * Invariant: without localStorage, everything works but nothing is stored. The theme `auto` follows
 * the system and sets no attribute on the page.
 */
import { signal } from "@preact/signals";
import type { ScreenLanguage } from "./language.ts";
import { switchLanguage } from "./words.ts";

/** How colors are chosen. */
export type Theme = "auto" | "light" | "dark";

const LANGUAGE_KEY = "peneira.language";
const THEME_KEY = "peneira.theme";

/** The theme chosen by the user. */
export const theme = signal<Theme>("auto");

/** Returns the stored language, else the browser's first supported one, else English. */
function preferredLanguage(): ScreenLanguage {
  const stored = read(LANGUAGE_KEY);
  if (stored === "pt" || stored === "en") return stored;
  const first = navigator.languages.find((tag) => /^(pt|en)\b/i.test(tag)) ?? navigator.language;
  return /^pt\b/i.test(first) ? "pt" : "en";
}

/** Switches and stores the language. */
export async function chooseLanguage(wanted: ScreenLanguage): Promise<void> {
  await switchLanguage(wanted);
  document.documentElement.lang = wanted === "pt" ? "pt-BR" : "en";
  keep(LANGUAGE_KEY, wanted);
}

/** Loads the first language; does not store it, because the user did not choose it. */
export async function beginLanguage(): Promise<void> {
  const wanted = preferredLanguage();
  await switchLanguage(wanted);
  document.documentElement.lang = wanted === "pt" ? "pt-BR" : "en";
}

/** Sets the stored theme; called before drawing. */
export function beginTheme(): void {
  const stored = read(THEME_KEY);
  if (stored === "light" || stored === "dark") chooseTheme(stored);
}

/** Switches and stores the theme. */
export function chooseTheme(wanted: Theme): void {
  theme.value = wanted;
  if (wanted === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", wanted);
  keep(THEME_KEY, wanted);
}

/** Reads a stored value; null if there is none or no storage. */
export function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a value for the next visit, if the browser allows it. */
export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without storage, the choice lasts until the page is left.
  }
}
