/**
 * A signal that the user opened the district box.
 * Invariant: once set it stays. Apart because the button is on the first page, and the box that
 * takes the focus from it is not.
 */
import { type Signal, signal } from "@preact/signals";

/** Set by the button for the box. */
export const districtsWanted: Signal<boolean> = signal(false);
