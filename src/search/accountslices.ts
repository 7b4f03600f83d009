/**
 * The accounts of a page as text, a few at a time. What comes in: the rows of a page and what
 * renders rows. What goes out: pieces of the text of one JSON array.
 * Invariant: the pieces joined are the text that rendering all rows at once gives, byte for byte,
 * each time they are asked for; nothing is rendered before it is asked for, and nothing is kept.
 */
import type { Projector } from "./project.ts";

/** Rows that are rendered at a time: about 60 kB of text, 0.15 ms. */
export const SLICE_ROWS = 64;
/** As many with explanations take ten times as long, and everybody else waits meanwhile. */
export const EXPLAINED_SLICE_ROWS = 16;

const COMMA = 0x2c;

/** The accounts of one page. */
export interface AccountSlices {
  readonly rowCount: number;
  /** The whole text, rendered at once. */
  whole(): Uint8Array;
  /** The text in pieces, from its beginning. Throws `AppError` where the snapshot is damaged. */
  texts(): Generator<Uint8Array, void>;
}

/** Prepares the accounts of a page, so many rows to a piece of text; renders nothing yet. */
export function accountSlices(
  rows: Uint32Array,
  project: Projector,
  sliceRows = SLICE_ROWS,
): AccountSlices {
  return {
    rowCount: rows.length,
    whole: () => project(rows),
    texts: () => texts(rows, project, sliceRows),
  };
}

/** An array of each slice: all but the last lose their bracket, all but the first have a comma. */
function* texts(
  rows: Uint32Array,
  project: Projector,
  sliceRows: number,
): Generator<Uint8Array, void> {
  let from = 0;
  do {
    const text = project(rows.subarray(from, from + sliceRows));
    if (from > 0) text[0] = COMMA;
    from += sliceRows;
    yield from < rows.length ? text.subarray(0, -1) : text;
  } while (from < rows.length);
}
