/**
 * Normalizes typed search text: full-width letters, digits, and signs, as East Asian keyboards
 * write them, become plain ones.
 * Invariant: no other character changes, and the length stays the same. The analyzer
 * (src/spec/analyzer.ts), which makes the words of the index, handles all other signs. Apart
 * because HTTP and the command line use it.
 */

/** Full-width forms of the printable ASCII characters (！ to ～), and the ideographic space. */
const FULL_WIDTH = /[\uff01-\uff5e\u3000]/g;

/** Replaces full-width characters of a text. */
export function plainText(typed: string): string {
  return typed.replace(FULL_WIDTH, (character) => character.normalize("NFKC"));
}
