/**
 * Whether somebody asked for the box of districts. What comes in: a press. What goes out: a signal.
 * Invariant: once asked for it stays. Apart because the button is on the first page, and the box
 * that takes the focus from it is not.
 */
import { type Signal, signal } from "@preact/signals";

/** Set by the button in place of the box. */
export const districtsWanted: Signal<boolean> = signal(false);
