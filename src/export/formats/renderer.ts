/**
 * The renderer of a file, and the order in which its chunks are cut and written. Input: the
 * segment, the spec, the row count, then the rows in batches. Output: the bytes in order, to
 * `write`.
 * Invariant: the bytes depend only on snapshot and spec, not on batch sizes, because chunks have a
 * fixed size. A renderer holds a bounded part of the file, and a bounded number of chunks in
 * progress. If a chunk fails, no later chunk is written.
 */
import type { ChangeKind } from "../../changes/kinds.ts";
import type { ChangeEntry } from "../../changes/query.ts";
import type { Segment } from "../../search/segment.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";

/** Input of a renderer. */
export interface RenderContext {
  readonly segment: Segment;
  /** Spec, normalized in the mode `export`. */
  readonly spec: AccountQuerySpec;
  /** Number of rows of the file: the smaller of limit and matches. */
  readonly rowCount: number;
  /** Exact number of matches, regardless of the limit. */
  readonly matches: number;
  /**
   * Called before each chunk. Returns true if an idle processor may render the chunk. If missing,
   * all chunks are rendered on this thread.
   */
  readonly spare?: () => boolean;
  /** Set if the rows are changes. */
  readonly changes?: ChangesContext;
}

interface ChangesContext {
  readonly older: Segment;
  readonly kinds: readonly ChangeKind[];
  readonly watch: readonly string[];
}

/** Writes one file: call `begin` once, `rows` for each batch in order, and `end` once. */
export interface Renderer<Batch = Uint32Array> {
  begin(): void | Promise<void>;
  /** Adds row ids or changes. The caller may modify them afterwards. */
  rows(batch: Batch): void | Promise<void>;
  end(): void | Promise<void>;
  /** Frees resources if the work ends early, even after a throw. No other call may follow. */
  abort?(): void;
}

/** Cuts batches into chunks of one size; buffers at most one chunk. */
export interface Slices<Batch> {
  /** Adds a batch and yields the full chunks. A chunk is valid until the next is yielded. */
  add(batch: Batch): Iterable<Batch>;
  /** Returns the last chunk, which may be empty. */
  rest(): Batch;
}

/**
 * Opens a renderer. `write` may throw the system's error, which ends the work. The bytes passed to
 * it are valid only during the call, because the memory is reused.
 */
export type OpenRenderer = (context: RenderContext, write: (bytes: Uint8Array) => void) => Renderer;

/** Cuts rows into slices; buffers at most one slice. */
export class RowSlices {
  readonly #slice: Uint32Array;
  #held = 0;

  constructor(size: number) {
    this.#slice = new Uint32Array(size);
  }

  /** Adds a batch and yields the full slices. A slice is valid until the next is yielded. */
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

  /** Returns the rows of the last slice, which may be empty. */
  rest(): Uint32Array {
    return this.#slice.subarray(0, this.#held);
  }
}

/** Cuts changes into slices; buffers at most one slice. */
export class EntrySlices {
  readonly #size: number;
  #held: ChangeEntry[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** Adds a batch and yields the full slices. */
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

  /** Returns the changes of the last slice, which may be empty. */
  rest(): readonly ChangeEntry[] {
    return this.#held;
  }
}

/** Max chunks in progress: two keep two processors busy while a third is hashed and written. */
const AHEAD = 2;

/** Writes chunks in order. A chunk is its bytes, or an object with them. */
export class OrderedWriter<Piece extends object = Uint8Array> {
  readonly #write: (piece: Piece) => void;
  readonly #pieces: Promise<Piece>[] = [];

  constructor(write: (piece: Piece) => void) {
    this.#write = write;
  }

  /** Adds a chunk in progress. Waits for the oldest if there are too many. */
  later(piece: Promise<Piece>): void | Promise<void> {
    // The failure is reported when awaited. This prevents an unhandled rejection until then.
    piece.catch(() => {});
    this.#pieces.push(piece);
    if (this.#pieces.length > AHEAD) return this.#oldest();
  }

  /** Makes a chunk and writes it after all earlier chunks. */
  now(make: () => Piece): void | Promise<void> {
    if (this.#pieces.length === 0) return this.#write(make());
    return this.rest().then(() => this.#write(make()));
  }

  /** Waits for all chunks in progress and writes them. */
  async rest(): Promise<void> {
    while (this.#pieces.length > 0) await this.#oldest();
  }

  async #oldest(): Promise<void> {
    const piece = await this.#pieces.shift();
    if (piece !== undefined) this.#write(piece);
  }
}
