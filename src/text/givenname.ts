/**
 * The rule for every name that a person gives: lists, keys, saved searches, tenants, titles.
 * Invariant: two names that look alike to a reader are not told apart by a character that no reader
 * sees, and no character turns the text around it. What is refused is named with its place.
 */

/**
 * Characters that belong to an emoji and are invisible alone: the joiner between two pictures and
 * the selector behind one.
 */
const PICTURE = "\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]*";
const EMOJI = new RegExp(`${PICTURE}(?:\\u200d${PICTURE})*`, "gu");

/**
 * What nobody sees: controls, halves of surrogate pairs, line and paragraph separators, marks of
 * direction, and what Unicode says to ignore where it is not known.
 */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;

/**
 * Returns the first character of a text that no name may have, as words for a person:
 * "the invisible character U+200B (position 4)"; null if there is none. Positions count characters
 * from 1.
 */
export function unseenIn(text: string): string | null {
  const plain = text.replace(EMOJI, (emoji) => "x".repeat([...emoji].length));
  let position = 0;
  for (const character of plain) {
    position++;
    if (!UNSEEN.test(character)) continue;
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    return `the invisible character U+${code} (position ${position})`;
  }
  return null;
}

/**
 * Reads a name of 1 to `lengthMax` characters, without the spaces around it; `what` begins the
 * sentence about a mistake, such as "The name".
 */
export function readGivenName(
  text: string,
  what: string,
  lengthMax: number,
): { readonly name: string } | { readonly detail: string } {
  const name = text.trim();
  const { length } = [...name];
  if (length === 0 || length > lengthMax) {
    return { detail: `${what} must have 1 to ${lengthMax} characters, on one line.` };
  }
  // The spaces around it count, so that the place is that of the text as it was given.
  const unseen = unseenIn(text.trimEnd());
  return unseen === null ? { name } : { detail: `${what} has ${unseen}. Remove it.` };
}
