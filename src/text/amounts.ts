/**
 * Words beside a number in a sentence. What comes in: how many there are, and the word for one.
 * What goes out: the word for so many.
 * Invariant: only 1 takes the word for one.
 */

/** `request` for 1, `requests` for any other number; `more` where an s does not make the plural. */
export function wordFor(count: number, one: string, more = `${one}s`): string {
  return count === 1 ? one : more;
}
