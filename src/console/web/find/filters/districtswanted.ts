/**
 * A signal that the user opened the district box.
 * Invariant: once set, it stays set. Separate because the first page has the button, but not the
 * box that takes its focus.
 */
import { type Signal, signal } from "@preact/signals";

/** Set by the button for the box. */
export const districtsWanted: Signal<boolean> = signal(false);
