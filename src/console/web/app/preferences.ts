/**
 * What the user prefers in this browser. What comes in: localStorage, the browser's languages and
 * its colour scheme. What goes out: the language to begin with, the theme as a signal, and both
 * kept for the next visit.
 * Invariant: works without localStorage (then nothing is kept); the theme `auto` follows the
 * system and leaves no attribute on the page.
 */
import { signal } from "@preact/signals";
import type { ScreenLanguage } from "./language.ts";
import { speak } from "./words.ts";

/** How the colours are chosen. */
export type Theme = "auto" | "light" | "dark";

const LANGUAGE_KEY = "peneira.language";
const THEME_KEY = "peneira.theme";

/** The theme chosen by the user. */
export const theme = signal<Theme>("auto");

/** The language kept here, else the first one of the browser that there is, else English. */
function preferredLanguage(): ScreenLanguage {
  const kept = read(LANGUAGE_KEY);
  if (kept === "pt" || kept === "en") return kept;
  const first = navigator.languages.find((tag) => /^(pt|en)\b/i.test(tag)) ?? navigator.language;
  return /^pt\b/i.test(first) ? "pt" : "en";
}

/** Switches the language and keeps the choice. */
export async function chooseLanguage(wanted: ScreenLanguage): Promise<void> {
  await speak(wanted);
  document.documentElement.lang = wanted === "pt" ? "pt-BR" : "en";
  keep(LANGUAGE_KEY, wanted);
}

/** Loads the first language without keeping it: nobody chose it yet. */
export async function beginLanguage(): Promise<void> {
  const wanted = preferredLanguage();
  await speak(wanted);
  document.documentElement.lang = wanted === "pt" ? "pt-BR" : "en";
}

/** Sets the theme kept here; called before anything is drawn. */
export function beginTheme(): void {
  const kept = read(THEME_KEY);
  if (kept === "light" || kept === "dark") chooseTheme(kept);
}

/** Switches the theme and keeps the choice. */
export function chooseTheme(wanted: Theme): void {
  theme.value = wanted;
  if (wanted === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", wanted);
  keep(THEME_KEY, wanted);
}

/** Reads what a view kept in this browser; null where there is nothing or no storage. */
export function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps something for the next visit, where the browser allows it. */
export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser may refuse storage; the choice then holds for this page.
  }
}
