/**
 * A signal that is true once the user has opened the district box.
 * Invariant: once set, it stays set. Separate from the district box because the first page has only
 * the button that opens the box. The box then takes the focus.
 */
import { type Signal, signal } from "@preact/signals";

/** The button sets this signal, and the box reads it. */
export const districtsWanted: Signal<boolean> = signal(false);
