/**
 * The renderer of a file, and the order in which its pieces are cut and written.
 * Input: the segment, the spec and how many rows there will be, then the rows in batches.
 * Output: the bytes of the file, in order, through `write`.
 * Invariant: the bytes depend on snapshot and spec alone, not on the sizes of the batches, because
 * pieces are cut to one size. A renderer holds a bounded part of the file, and a bounded number of
 * pieces is being made or waits. If a piece cannot be made, the work ends at its turn, and none
 * after it is written.
 */
import type { ChangeKind } from "../../changes/kinds.ts";
import type { ChangeEntry } from "../../changes/query.ts";
import type { Segment } from "../../search/segment.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";

/** What a file is made from. */
export interface RenderContext {
  readonly segment: Segment;
  /** Normalized in the mode `export`. */
  readonly spec: AccountQuerySpec;
  /** Rows that will come: the smaller of limit and matches. */
  readonly rowCount: number;
  /** Exact number of matches, whatever the limit. */
  readonly matches: number;
  /**
   * Asked before each piece: whether pieces may be rendered on other processors, before it is
   * their turn to be written. Never where not given.
   */
  readonly spare?: () => boolean;
  /** Where the rows are changes: since when, and which. */
  readonly changes?: ChangesContext;
}

/** What a file of changes says of itself beside the rest. */
interface ChangesContext {
  readonly older: Segment;
  readonly kinds: readonly ChangeKind[];
  readonly watch: readonly string[];
}

/** One file being written: `begin` once, `rows` for each batch in order, `end` once. */
export interface Renderer<Batch = Uint32Array> {
  begin(): void | Promise<void>;
  /** Takes row ids, or changes; they may be changed afterwards. */
  rows(batch: Batch): void | Promise<void>;
  end(): void | Promise<void>;
  /** Frees what is held when the work ends early, also after a throw; nothing is called after. */
  abort?(): void;
}

/** Cuts batches into pieces of one size; holds at most one piece. */
export interface Slices<Batch> {
  /** Takes a batch and hands out the pieces that are full; each is valid until the next one. */
  add(batch: Batch): Iterable<Batch>;
  /** The last piece; may be empty. */
  rest(): Batch;
}

/**
 * Opens a renderer; `write` may throw the system's error, which ends the work. The bytes that it
 * gets are good until it returns: the next ones may come in the same memory.
 */
export type OpenRenderer = (context: RenderContext, write: (bytes: Uint8Array) => void) => Renderer;

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

/** Two keep two processors busy while the third piece is hashed and written. */
const AHEAD = 2;

/** Writes pieces in turn; a piece is its bytes, or what says more of them. */
export class WrittenInTurn<Piece extends object = Uint8Array> {
  readonly #write: (piece: Piece) => void;
  readonly #pieces: Promise<Piece>[] = [];

  constructor(write: (piece: Piece) => void) {
    this.#write = write;
  }

  /** Takes a piece that is being made; waits for the oldest where there are too many. */
  later(piece: Promise<Piece>): void | Promise<void> {
    // Whoever waits for it hears of its failure; without this, nobody waiting ends the process.
    piece.catch(() => {});
    this.#pieces.push(piece);
    if (this.#pieces.length > AHEAD) return this.#oldest();
  }

  /** Makes a piece and writes it, behind all that came before. */
  now(make: () => Piece): void | Promise<void> {
    if (this.#pieces.length === 0) return this.#write(make());
    return this.rest().then(() => this.#write(make()));
  }

  /** Writes what is still being made. */
  async rest(): Promise<void> {
    while (this.#pieces.length > 0) await this.#oldest();
  }

  async #oldest(): Promise<void> {
    const piece = await this.#pieces.shift();
    if (piece !== undefined) this.#write(piece);
  }
}
