/**
 * Folds names of districts for comparison.
 * Invariant: folding a folded name changes nothing. native-index/format/analyzer.cc does the same
 * for UTF-8 text and returns the same result for every text. This header is the specification of
 * both. Code points are read one at a time, in order, without prior normalization:
 *
 * 1. White space (U+0009-000D, U+0020, U+00A0, U+2000-200A, U+2028, U+2029, U+202F,
 *    U+205F, U+3000) separates: a run of it is one space, and none at either end.
 * 2. Characters that the analyzer of words folds (analyzer.ts) are folded as there: case and
 *    accents go, combining marks vanish.
 * 3. Word separators other than white space stay as they are: "JD. SAO LUIZ" is another district
 *    than "JD SAO LUIZ". A lone surrogate, in UTF-8 a byte that is not part of a well-formed
 *    sequence, becomes U+FFFD.
 */
import { foldCodePoint } from "./analyzer.ts";

const SPACES: ReadonlySet<number> = new Set([
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
  ...Array.from({ length: 11 }, (_, i) => 0x2000 + i),
]);

/** Returns the folded form of a name, "" for white space. Takes time linear in the length. */
export function foldDistrict(text: string): string {
  let folded = "";
  let spaced = false;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (SPACES.has(codePoint)) {
      spaced = true;
      continue;
    }
    const part = foldCodePoint(codePoint) ?? unfolded(codePoint, character);
    if (part === "") continue;
    if (spaced && folded !== "") folded += " ";
    spaced = false;
    folded += part;
  }
  return folded;
}

function unfolded(codePoint: number, character: string): string {
  return codePoint >= 0xd800 && codePoint <= 0xdfff ? "\u{FFFD}" : character;
}

/** Words that stay lower case inside a name. */
const SMALL: ReadonlySet<string> = new Set(["da", "das", "de", "do", "dos", "e"]);

/** Returns a folded name with capitals: "Jardim das Flores" for "jardim das flores". */
export function districtTitle(folded: string): string {
  const words = folded.split(" ").map((word, i) => {
    if (i > 0 && SMALL.has(word)) return word;
    return word.replace(/^\p{Letter}/u, (letter) => letter.toUpperCase());
  });
  return words.join(" ");
}
