/**
 * Lists of names as the state keeps them. What comes in: the text of a column. What goes out: the
 * names in it.
 * Invariant: a column without names, and one that was never filled, have none.
 */

/** The names in a column that keeps them between commas. */
export function namesIn(column: string | null): string[] {
  return column === null || column === "" ? [] : column.split(",");
}
