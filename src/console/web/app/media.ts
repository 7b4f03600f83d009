/**
 * Signals of the window's width class and pointer.
 * Invariant: the bounds equal those in the sheets of style/find; the signals follow the window.
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

/** True if filters fit next to the results. */
export const railed: ReadonlySignal<boolean> = follow("(min-width: 1024px)");

/** True if an account fits next to the results. */
export const wide: ReadonlySignal<boolean> = follow("(min-width: 1200px)");

/** True for a phone, or for a window that is equally narrow. */
export const narrow: ReadonlySignal<boolean> = follow("(max-width: 767px)");

/** True for a finger as pointer, for which rows are taller. */
export const coarse: ReadonlySignal<boolean> = follow("(pointer: coarse)");
