/**
 * A text as somebody typed it to find an account. What comes in: any text. What goes out: the same
 * in plain letters, digits and signs where they were typed in full width, as East Asian keyboards
 * do. Invariant: nothing else is changed, and the length stays: what other signs stand for, the
 * analyzer says (src/spec/analyzer.ts), whose words are those of the index. Apart because HTTP and
 * the command line read what is typed.
 */

/** ！ to ～, the printable characters of ASCII in full width, and the room between them. */
const FULL_WIDTH = /[\uff01-\uff5e\u3000]/g;

/** A text without characters in full width. */
export function plainText(typed: string): string {
  return typed.replace(FULL_WIDTH, (character) => character.normalize("NFKC"));
}
