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
 * direction, what Unicode says to ignore where it is not known, and the Braille sign without dots.
 */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/u;

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

/** Blanks of a text that a reader takes for none, or for the plain one. */
const ODD_BLANK = /^\s|\s$|[^\S ]|(?<=\s)\s/u;

/**
 * Returns the first blank that makes a name look like another one, as words for a person: at its
 * beginning or end, behind another blank, or of another width; null if there is none.
 */
export function blankIn(text: string): string | null {
  const at = ODD_BLANK.exec(text)?.index;
  if (at === undefined) return null;
  const code = (text.codePointAt(at) as number).toString(16).toUpperCase().padStart(4, "0");
  const position = [...text.slice(0, at)].length + 1;
  return `a blank that is not seen as one (U+${code}, position ${position})`;
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
