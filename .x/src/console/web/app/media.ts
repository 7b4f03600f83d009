/**
 * Signals of the window's width class and pointer.
 * Invariant: same bounds as in the sheets of style/find; the signals follow the window.
 */
import { type ReadonlySignal, signal } from "@preact/signals";

function follow(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener("change", () => {
    matches.value = list.matches;
  });
  return matches;
}

/** Room for filters next to the results. */
export const railed: ReadonlySignal<boolean> = follow("(min-width: 1024px)");

/** Room for an account next to the results. */
export const wide: ReadonlySignal<boolean> = follow("(min-width: 1200px)");

/** A phone, or a window as narrow. */
export const narrow: ReadonlySignal<boolean> = follow("(max-width: 767px)");

/** A finger, not a mouse: rows are taller. */
export const coarse: ReadonlySignal<boolean> = follow("(pointer: coarse)");
