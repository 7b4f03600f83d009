/**
 * Checks names that people enter: of lists, keys, saved searches, tenants, and titles.
 * Invariant: two accepted names never differ only by an invisible character, and no character
 * changes the reading direction of the text around it. Errors name the character and its position.
 */

/** Matches emoji, in which the zero-width joiner and the variation selector are allowed. */
const PICTURE = "\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]*";
const EMOJI = new RegExp(`${PICTURE}(?:\\u200d${PICTURE})*`, "gu");

/**
 * Invisible characters: controls, lone surrogates, line and paragraph separators, direction marks,
 * default-ignorable code points, and the blank Braille pattern.
 */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/u;

/**
 * Describes the first character that names may not have: "the invisible character U+200B (position
 * 4)"; null if there is none. Positions count from 1.
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

/** Blanks that a reader does not see, or mistakes for a plain space. */
const ODD_BLANK = /^\s|\s$|[^\S ]|(?<=\s)\s/u;

/** Describes the first blank at an end, after a blank, or of another width; null if none. */
export function blankIn(text: string): string | null {
  const at = ODD_BLANK.exec(text)?.index;
  if (at === undefined) return null;
  const code = (text.codePointAt(at) as number).toString(16).toUpperCase().padStart(4, "0");
  const position = [...text.slice(0, at)].length + 1;
  return `a blank that is not seen as one (U+${code}, position ${position})`;
}

/** Trims a name of 1 to `lengthMax` characters. `what` is the subject of error messages. */
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
  // Only spaces at the end are removed, so that the position refers to the original text.
  const unseen = unseenIn(text.trimEnd());
  return unseen === null ? { name } : { detail: `${what} has ${unseen}. Remove it.` };
}
