/**
 * Computes which rows of a long list to draw, scroll positions, and the cell to which a key moves
 * the focus.
 * Invariant: every visible row is drawn, but never more than `DRAWN_MAX` rows. All results are
 * within the bounds of the list.
 */

/** Max number of rows drawn, for any height of the window. */
export const DRAWN_MAX = 60;
/** Rows drawn above and below the visible ones, for fast scrolling. */
const OVERSCAN = 8;
/** The window moves in steps of this many rows, so that small scrolls do not redraw the list. */
const STEP = 4;

/** Scroll state of a list: lengths in CSS pixels, without sticky content above the rows. */
export interface Scrolled {
  readonly scrollTop: number;
  /** Height of the visible part. */
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
}

/** Rows from `first` to `end`, exclusive. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
}

/** Returns the rows to draw. */
export function windowOf({ scrollTop, height, rowHeight, count }: Scrolled): RowWindow {
  const top = Math.max(0, Math.min(scrollTop, Math.max(0, count * rowHeight - height)));
  const seen = Math.floor(top / rowHeight);
  const shown = Math.min(DRAWN_MAX, Math.ceil(Math.max(0, height) / rowHeight) + 1);
  // Rounding to steps may draw up to `STEP` more rows, so fewer rows are drawn above and below the
  // visible ones.
  const spare = Math.max(0, Math.min(OVERSCAN, Math.floor((DRAWN_MAX - shown - STEP) / 2)));
  const first = Math.max(0, Math.floor((seen - spare) / STEP) * STEP);
  const wanted = Math.ceil((seen + shown + spare) / STEP) * STEP;
  return { first, end: Math.min(count, wanted, first + DRAWN_MAX) };
}

/** Returns the last visible row, -1 if there is none. */
export function lastSeen({ scrollTop, height, rowHeight, count }: Scrolled): number {
  return Math.min(count, Math.ceil((scrollTop + height) / rowHeight)) - 1;
}

/** Returns the nearest scroll position at which the whole row is visible. */
export function scrollTopFor(row: number, { scrollTop, height, rowHeight }: Scrolled): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - height);
}

/** A cell and its viewport; `sticky` pixels on the left always cover the content. */
interface Sideways {
  readonly left: number;
  readonly width: number;
  readonly scrollLeft: number;
  readonly room: number;
  readonly sticky: number;
}

/** Returns the horizontal scroll position that shows the cell, or the start of a wider cell. */
export function scrollLeftFor({ left, width, scrollLeft, room, sticky }: Sideways): number {
  if (left - sticky < scrollLeft) return Math.max(0, left - sticky);
  return Math.max(scrollLeft, Math.min(left + width - room, left - sticky));
}

/** A cell of the grid; row -1 is the header. */
export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** Size of the grid. `page` is the number of rows by which Page Up and Page Down move. */
export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  readonly page: number;
  /** True if the focus can move to the header. */
  readonly header: boolean;
}

type Move = (from: CellPlace, size: GridSize) => CellPlace;

const MOVES: ReadonlyMap<string, Move> = new Map<string, Move>(
  Object.entries({
    ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
    ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
    ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
    ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
    PageUp: ({ row, column }, { page }) => ({ row: Math.max(0, row - page), column }),
    PageDown: ({ row, column }, { page }) => ({ row: row + page, column }),
    Home: ({ row }) => ({ row, column: 0 }),
    End: ({ row }, { columns }) => ({ row, column: columns - 1 }),
    "Ctrl+Home": () => ({ row: 0, column: 0 }),
    "Ctrl+End": (_, { rows, columns }) => ({ row: rows - 1, column: columns - 1 }),
  } satisfies Record<string, Move>),
);

/** Returns the cell to which a key moves the focus, or null for keys that do not move it. */
export function cellAfterKey(
  from: CellPlace,
  key: { readonly key: string; readonly ctrl: boolean },
  size: GridSize,
): CellPlace | null {
  const move = MOVES.get(`${key.ctrl ? "Ctrl+" : ""}${key.key}`);
  if (move === undefined || size.rows === 0) return null;
  const to = move(from, size);
  return {
    row: clamp(to.row, size.header ? -1 : 0, size.rows - 1),
    column: clamp(to.column, 0, size.columns - 1),
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(value, max));
}
