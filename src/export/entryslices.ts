/**
 * Changes in slices of one size. What comes in: changes in batches of any size. What goes out: the
 * same ones in order, in slices that all but the last have the same length.
 * Invariant: that of slices.ts: the slices depend on the changes alone, not on the batches.
 */
import type { ChangeEntry } from "../changes/query.ts";

/** Cuts changes into slices; holds at most one slice. */
export class EntrySlices {
  readonly #size: number;
  #held: ChangeEntry[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** Takes a batch and hands out the slices that are full. */
  *add(batch: readonly ChangeEntry[]): Generator<readonly ChangeEntry[], void> {
    for (let from = 0; from < batch.length; ) {
      const taken = batch.slice(from, from + this.#size - this.#held.length);
      this.#held.push(...taken);
      from += taken.length;
      if (this.#held.length < this.#size) return;
      const full = this.#held;
      this.#held = [];
      yield full;
    }
  }

  /** The changes of the last slice; may be none. */
  rest(): readonly ChangeEntry[] {
    return this.#held;
  }
}
