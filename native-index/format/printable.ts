/**
 * Text that may be shown. What comes in: text from files that nobody vouches for. What goes out:
 * whether it is one line of printable characters, such a line made of it, or a quotation of it.
 * Invariant: a printable text has no control characters, no line or paragraph separators, no marks
 * that turn the direction of writing, and no half of a character; so it is one line in a log, a
 * header, a terminal.
 */

const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;
/** Nearly every text is of these alone, and they are found several times as fast. */
const LATIN = /^[\x20-\x7e\xa0-\xff]*$/;
/** A whole CSI sequence of terminals (ECMA-48, 5.4), such as ESC [31m for red. */
const CSI = "\\x1b\\[[0-?]*[ -/]*[@-~]";
const ALL_UNPRINTABLE = new RegExp(`(?:${CSI}|${UNPRINTABLE.source}|\\s)+`, "gu");

/** Characters of a value that a message shows. */
const QUOTED_MAX = 40;

/** Whether a text is one line of printable characters. */
export function isPrintable(text: string): boolean {
  return LATIN.test(text) || !UNPRINTABLE.test(text);
}

/** One printable line: what is none is a blank, and so are several blanks and CSI sequences. */
export function printable(text: string): string {
  return text.replace(ALL_UNPRINTABLE, " ").trim();
}

/** A value of somebody's JSON, as a message may show it. */
export function quoted(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  const shown = Array.from(value.slice(0, 2 * QUOTED_MAX), (one) => {
    return isPrintable(one) ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  }).join("");
  return shown.length > QUOTED_MAX ? `"${shown.slice(0, QUOTED_MAX)}…"` : `"${shown}"`;
}
