/**
 * Proves: the fold tables equal Unicode's canonical decomposition in lower case without marks, plus
 * the listed letters. Every character range named in the module's header separates words, vanishes,
 * or stays, as the header says. Folding a folded text changes nothing, and composed and decomposed
 * Latin text fold equally.
 * Does not prove that the native implementation agrees (unit/native-index/analyzer.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { analyzeWords, foldCodePoint } from "../../../src/spec/analyzer.ts";

/** Letters that do not decompose, and their common replacements. */
const WRITTEN_OUT: Readonly<Record<string, string>> = {
  ...{ ª: "a", º: "o", ß: "ss", ẞ: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th" },
  ...{ ł: "l", ħ: "h", ŧ: "t", ı: "i", ĳ: "ij", ŀ: "l", ĸ: "k", ŉ: "n", ŋ: "n", ſ: "s" },
};

/** Applies the header's rule for Latin letters by means of JavaScript's Unicode data. */
function decomposed(character: string): string {
  const base = character
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  return WRITTEN_OUT[base] ?? base;
}

describe("foldCodePoint", () => {
  it("keeps digits and letters and separates all other ASCII", () => {
    for (let code = 0; code < 0x80; code++) {
      const character = String.fromCharCode(code);
      const expected = /[0-9A-Za-z]/.test(character) ? character.toLowerCase() : null;
      assert.equal(foldCodePoint(code), expected, `U+${code.toString(16)}`);
    }
  });

  it("separates Latin-1 signs and folds its letters and ordinals", () => {
    for (let code = 0x80; code <= 0xff; code++) {
      const character = String.fromCharCode(code);
      const letter = code >= 0xc0 ? !"×÷".includes(character) : "ªº".includes(character);
      assert.equal(foldCodePoint(code), letter ? decomposed(character) : null, character);
    }
  });

  it("folds all of Latin Extended-A to ASCII", () => {
    for (let code = 0x100; code <= 0x17f; code++) {
      const character = String.fromCharCode(code);
      assert.equal(foldCodePoint(code), decomposed(character), character);
      assert.match(foldCodePoint(code) ?? "", /^[a-z]{1,2}$/, character);
    }
  });

  it("folds what decomposes to ASCII in the further Latin blocks and keeps the rest", () => {
    for (const [first, last] of [
      [0x180, 0x24f],
      [0x1e00, 0x1eff],
    ] as const) {
      for (let code = first; code <= last; code++) {
        const character = String.fromCharCode(code);
        const folded = decomposed(character);
        const expected = /^[a-z]{1,2}$/.test(folded) ? folded : character;
        assert.equal(foldCodePoint(code), expected, character);
      }
    }
  });

  it("drops combining marks", () => {
    for (let code = 0x300; code <= 0x36f; code++) assert.equal(foldCodePoint(code), "");
  });

  it("separates at the listed ranges, bounds included, and keeps adjacent characters", () => {
    for (const [first, last] of [
      [0x2b0, 0x2ff],
      [0x2000, 0x2bff],
      [0x3000, 0x303f],
      [0xd800, 0xf8ff],
      [0xfe00, 0xffff],
      [0x1f000, 0x1faff],
      [0xe0000, 0x10ffff],
    ] as const) {
      for (const code of [first, last, Math.floor((first + last) / 2)]) {
        assert.equal(foldCodePoint(code), null, code.toString(16));
      }
      for (const code of [first - 1, last + 1]) {
        if (code >= 0x110000 || (code >= 0x300 && code <= 0x36f)) continue;
        if (code === 0x10000) assert.equal(foldCodePoint(code), String.fromCodePoint(code));
        assert.notEqual(foldCodePoint(code), null, code.toString(16));
      }
    }
  });
});

describe("analyzeWords", () => {
  for (const [text, words] of [
    ["PADARIA SÃO JOSÉ LTDA", ["padaria", "sao", "jose", "ltda"]],
    ["D'ÁVILA & CIA. - ME", ["d", "avila", "cia", "me"]],
    ["12ª VARA, 3º ANDAR", ["12a", "vara", "3o", "andar"]],
    ["Straße Łódź Æther œuvre", ["strasse", "lodz", "aether", "oeuvre"]],
    ["A\u0301gua e\u0301", ["agua", "e"]],
    ["a\u0000b\u00a0c\u2019d\u{1f600}e\ud800f", ["a", "b", "c", "d", "e", "f"]],
    ["日本 Ёж", ["日本", "Ёж"]],
    ["41.273.592 FULANO", ["41", "273", "592", "fulano"]],
    ["sim SIM", ["sim", "sim"]],
    ["", []],
    [" -\u0301- ", []],
  ] as const) {
    it(JSON.stringify(text), () => {
      assert.deepEqual(analyzeWords(text), words);
    });
  }

  it("is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const words = analyzeWords(text);
        assert.deepEqual(analyzeWords(words.join(" ")), words);
        assert.ok(words.every((word) => word !== ""));
      }),
      { numRuns: 5_000 },
    );
  });

  it("returns the same words for composed and decomposed Latin text", () => {
    const latin = fc.integer({ min: 0x20, max: 0x17f }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.array(latin, { maxLength: 40 }), (characters) => {
        const text = characters.join("");
        assert.deepEqual(analyzeWords(text.normalize("NFD")), analyzeWords(text));
      }),
      { numRuns: 2_000 },
    );
  });
});
