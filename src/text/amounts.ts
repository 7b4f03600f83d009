/**
 * Returns the singular or plural of a counted word.
 * Invariant: only the number 1 takes the singular.
 */

/**
 * Returns the word for a count: `one` for 1, otherwise `more`. The default for `more` adds an "s".
 */
export function wordFor(count: number, one: string, more = `${one}s`): string {
  return count === 1 ? one : more;
}
