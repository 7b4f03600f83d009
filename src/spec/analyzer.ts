/**
 * Splits any text (a company name, a text hint) into folded words.
 * Invariant: folding a word again changes nothing. native-index/format/analyzer.cc does the same
 * for UTF-8 text and returns the same words. This header is the specification of both. Code points
 * are read one at a time, in order, without prior normalization:
 *
 * 1. U+0030-39 (0-9) and U+0061-7A (a-z) stay; U+0041-5A (A-Z) become lower case (+32).
 * 2. U+00AA becomes `a`, U+00BA becomes `o`.
 * 3. U+00C0-U+024F and U+1E00-U+1EFF follow FOLD_LATIN and FOLD_ADDITIONAL below, one character
 *    of the table for each code point, in order: a letter a-z = that letter; `1` = "ae",
 *    `2` = "oe", `3` = "ss", `4` = "th", `5` = "ij"; `.` = separator; `=` = unchanged.
 * 4. U+0300-U+036F (combining marks) vanish: they neither separate words nor appear in them.
 * 5. Separators: every other code point below U+0250; U+02B0-02FF; U+2000-2BFF; U+3000-303F;
 *    U+D800-F8FF; U+FE00-FFFF; U+1F000-1FAFF; U+E0000-10FFFF; in UTF-8 also every byte that is
 *    not part of a well-formed sequence, in UTF-16 every lone surrogate.
 * 6. Every other code point stays as it is (no case folding outside Latin).
 *
 * A word is a maximal run of remaining characters between separators; an empty run is no word. The
 * tables are the canonical decomposition without marks, in lower case (Unicode 15). They also
 * contain letters that do not decompose but that people write without their stroke or ligature.
 */

/** First code point of FOLD_LATIN. */
const LATIN_FIRST = 0xc0;
/** First code point of FOLD_ADDITIONAL. */
const ADDITIONAL_FIRST = 0x1e00;

/** U+00C0-U+024F, 400 entries; see rule 3. */
const FOLD_LATIN =
  "aaaaaa1ceeeeiiiidnooooo.ouuuuy43aaaaaa1ceeeeiiiidnooooo.ouuuuy4y" +
  "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii55jjkkklllllll" +
  "lllnnnnnnnnnoooooo22rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs" +
  "================================oo=============uu===============" +
  "=============aaiioouuuuuuuuuu=aaaa11==ggkkoooo==j===gg==nnaa11oo" +
  "aaaaeeeeiiiioooorrrruuuusstt==hh======aaeeooooooooyy============" +
  "================";

/** U+1E00-U+1EFF, 256 entries; see rule 3. */
const FOLD_ADDITIONAL =
  "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm" +
  "mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv" +
  "wwwwwwwwwwxxxxyyzzzzzzhtwy=s==3=aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee" +
  "eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy======";

/** Letters that the digits in the tables stand for. */
const TWO_LETTERS: Readonly<Record<string, string>> = {
  "1": "ae",
  "2": "oe",
  "3": "ss",
  "4": "th",
  "5": "ij",
};

/** Ranges of rule 5 from U+0250 on, both ends included. */
const SEPARATOR_RANGES: readonly (readonly [number, number])[] = [
  [0x2b0, 0x2ff],
  [0x2000, 0x2bff],
  [0x3000, 0x303f],
  [0xd800, 0xf8ff],
  [0xfe00, 0xffff],
  [0x1f000, 0x1faff],
  [0xe0000, 0x10ffff],
];

/** Folded form of each code point below U+0250. Null stands for a separator. */
const FOLD_LOW: readonly (string | null)[] = Array.from({ length: 0x250 }, (_, codePoint) => {
  if (codePoint >= LATIN_FIRST) return foldByTable(FOLD_LATIN, codePoint, LATIN_FIRST);
  if (codePoint === 0xaa) return "a";
  if (codePoint === 0xba) return "o";
  const character = String.fromCharCode(codePoint).toLowerCase();
  return /^[0-9a-z]$/.test(character) ? character : null;
});

/** Folds a code point through one of the two tables of rule 3. */
function foldByTable(table: string, codePoint: number, first: number): string | null {
  const entry = table.charAt(codePoint - first);
  if (entry === ".") return null;
  if (entry === "=") return String.fromCodePoint(codePoint);
  return TWO_LETTERS[entry] ?? entry;
}

/** Folds a code point from U+0250 on. Returns null for a separator, "" for a combining mark. */
function foldHigh(codePoint: number): string | null {
  if (codePoint >= 0x300 && codePoint <= 0x36f) return "";
  if (codePoint >= ADDITIONAL_FIRST && codePoint < ADDITIONAL_FIRST + FOLD_ADDITIONAL.length) {
    return foldByTable(FOLD_ADDITIONAL, codePoint, ADDITIONAL_FIRST);
  }
  for (const [from, to] of SEPARATOR_RANGES) {
    if (codePoint >= from && codePoint <= to) return null;
  }
  return String.fromCodePoint(codePoint);
}

/** Folds a code point by the rules above. Returns null for a separator, "" for a combining mark. */
export function foldCodePoint(codePoint: number): string | null {
  return codePoint < 0x250 ? (FOLD_LOW[codePoint] ?? null) : foldHigh(codePoint);
}

/** Splits a text into folded words, in order, with repeats. Linear in the length of the text. */
export function analyzeWords(text: string): string[] {
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    const folded = foldCodePoint(character.codePointAt(0) ?? 0);
    if (folded !== null) {
      word += folded;
    } else if (word !== "") {
      words.push(word);
      word = "";
    }
  }
  if (word !== "") words.push(word);
  return words;
}
