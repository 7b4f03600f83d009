/**
 * Signals for the width of the window and the kind of pointer.
 * Invariant: the widths equal those in the style sheets of style/find. The signals change with the
 * window.
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

/** True if the window is wide enough for filters at the side of the results. */
export const hasFilterRail: ReadonlySignal<boolean> = follow("(min-width: 1024px)");

/** True if the window is wide enough for an account at the side of the results. */
export const isWide: ReadonlySignal<boolean> = follow("(min-width: 1200px)");

/** True for a phone, or for a window that is equally narrow. */
export const narrow: ReadonlySignal<boolean> = follow("(max-width: 767px)");

/** True if the pointer is a finger. Rows are then taller. */
export const isCoarsePointer: ReadonlySignal<boolean> = follow("(pointer: coarse)");
