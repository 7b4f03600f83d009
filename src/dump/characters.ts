/**
 * Characters of the registry's texts: Windows-1252, which is ISO-8859-1 with quotation marks and
 * dashes in the bytes 80 to 9F, or UTF-8.
 * Invariant: the only decoder of registry text (test/unit/house/tidy-text.test.ts). What it gives
 * holds no control character and no mark that turns the direction of text, so that it is harmless
 * on a terminal and in a file.
 * Source: https://encoding.spec.whatwg.org/#windows-1252; Unicode 16, categories Cc and Bidi_Control.
 */

/**
 * Code points of the bytes 80 to 9F; those below A0 are the five that Windows-1252 lacks. Written
 * down, because the TextDecoder of Node 20 takes Windows-1252 for ISO-8859-1.
 */
export const WINDOWS_1252: readonly number[] = [
  ...[0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021],
  ...[0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f],
  ...[0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014],
  ...[0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178],
];

/** White space that is no control here: tab to carriage return. */
const isWhite = (code: number) => code >= 9 && code <= 13;

/** True for controls but white space, and for marks that embed, override or isolate a direction. */
export function isControl(code: number): boolean {
  if (code < 0x20) return !isWhite(code);
  if (code < 0x7f) return false;
  if (code < 0xa0) return true;
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/** `isControl`, for texts: white space is taken out of the class. */
const CONTROLS = /(?![\t-\r])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** Characters that become a blank, and blanks. */
const BLANKS = /[\p{Cc}\u0020\u00a0\u202a-\u202e\u2066-\u2069]+/gu;

/** True if a text has a character for which `isControl` holds. */
export function hasControls(text: string): boolean {
  return CONTROLS.test(text);
}

/** Returns a text with single blanks in place of white space and controls, none at its ends. */
export function squeezed(text: string): string {
  return text.replace(BLANKS, " ").replace(/^ | $/g, "");
}

/** Decodes registry text, with its white space and controls as they are. */
export function decoded(bytes: Uint8Array, utf8: boolean): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (utf8) return text.toString("utf8");
  return text
    .toString("latin1")
    .replace(/[\u0080-\u009f]/g, (byte) =>
      String.fromCharCode(WINDOWS_1252[byte.charCodeAt(0) - 0x80] as number),
    );
}
