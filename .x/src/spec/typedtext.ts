/**
 * Normalizes typed search text: full-width letters, digits, and signs, as East Asian keyboards
 * write them, become plain ones.
 * Invariant: nothing else changes, and the length stays. The analyzer (src/spec/analyzer.ts), which
 * makes the words of the index, interprets all other signs. Apart because HTTP and the command line
 * use it.
 */

/** ！ to ～, the printable ASCII characters in full width, and the ideographic space. */
const FULL_WIDTH = /[\uff01-\uff5e\u3000]/g;

/** Replaces full-width characters of a text. */
export function plainText(typed: string): string {
  return typed.replace(FULL_WIDTH, (character) => character.normalize("NFKC"));
}
