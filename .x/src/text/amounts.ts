/**
 * Singular and plural of counted words.
 * Invariant: only 1 takes the singular.
 */

/** Returns `request` for 1, else `requests`; `more` is an irregular plural. */
export function wordFor(count: number, one: string, more = `${one}s`): string {
  return count === 1 ? one : more;
}
