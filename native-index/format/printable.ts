/**
 * Makes text from untrusted files safe to show.
 * Invariant: a printable text has no control characters, no line or paragraph separators, no
 * bidirectional control characters, and no lone surrogates; so it is one line in a log, a header,
 * or a terminal.
 */

const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;
/** Fast path: nearly every text has only these characters, and this test is much faster. */
const LATIN = /^[\x20-\x7e\xa0-\xff]*$/;
/** A whole CSI sequence of terminals (ECMA-48, 5.4), such as ESC [31m for red. */
const CSI = "\\x1b\\[[0-?]*[ -/]*[@-~]";
const ALL_UNPRINTABLE = new RegExp(`(?:${CSI}|${UNPRINTABLE.source}|\\s)+`, "gu");

/** Maximum characters of a value shown in a message. */
const QUOTED_MAX = 40;

/** Returns true if a text is one line of printable characters. */
export function isPrintable(text: string): boolean {
  return LATIN.test(text) || !UNPRINTABLE.test(text);
}

/** Returns one printable line; runs of unprintable characters and blanks become a blank. */
export function printable(text: string): string {
  return text.replace(ALL_UNPRINTABLE, " ").trim();
}

/** Formats a value of untrusted JSON for a message. */
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
