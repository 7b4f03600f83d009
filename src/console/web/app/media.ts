/**
 * How much room there is. What comes in: the window. What goes out: signals of its width class.
 * Invariant: the same bounds as in the sheets of style/find; follows the window as it changes.
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

/** Room for the filters beside the results. */
export const railed: ReadonlySignal<boolean> = follow("(min-width: 1024px)");

/** Room for one account beside the results, too. */
export const wide: ReadonlySignal<boolean> = follow("(min-width: 1200px)");

/** A phone, or a window as narrow. */
export const narrow: ReadonlySignal<boolean> = follow("(max-width: 767px)");

/** A finger rather than a mouse: rows are as high as a finger needs. */
export const coarse: ReadonlySignal<boolean> = follow("(pointer: coarse)");
