/**
 * What a renderer is. What comes in: the segment, the spec and how many rows there will be, then
 * the rows in batches. What goes out: the bytes of the file, in order, through `write`.
 * Invariant: the bytes depend on snapshot and spec alone, not on the sizes of the batches; a
 * renderer holds a bounded part of the file, whatever the number of rows.
 */
import type { ChangeKind } from "../../changes/kinds.ts";
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
