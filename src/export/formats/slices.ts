/**
 * Slices of one size. What comes in: row ids, or changes, in batches of any size. What goes out:
 * the same ones in order, in slices that all but the last have the same length.
 * Invariant: the slices depend on what is in the batches alone, so that a format whose bytes depend
 * on how many rows are rendered at once gives the same file however the rows came.
 */
import type { ChangeEntry } from "../../changes/query.ts";

/** Cuts rows into slices; holds at most one slice. */
export class RowSlices {
  readonly #slice: Uint32Array;
  #held = 0;

  constructor(size: number) {
    this.#slice = new Uint32Array(size);
  }

  /** Takes a batch and hands out the slices that are full; each is valid until the next one. */
  *add(batch: Uint32Array): Generator<Uint32Array, void> {
    for (let from = 0; from < batch.length; ) {
      const taken = batch.subarray(from, from + this.#slice.length - this.#held);
      this.#slice.set(taken, this.#held);
      this.#held += taken.length;
      from += taken.length;
      if (this.#held < this.#slice.length) return;
      this.#held = 0;
      yield this.#slice;
    }
  }

  /** The rows of the last slice; may be none. */
  rest(): Uint32Array {
    return this.#slice.subarray(0, this.#held);
  }
}

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
