/**
 * Proves that the addon's word analyzer (for UTF-8) yields the same words as the reference
 * implementation in TypeScript (for UTF-16). Every code point is tested alone, inside a word, and
 * between words, and so are random texts. Invalid UTF-8 separates words.
 * Does not prove that the rules themselves are right (unit/spec/analyzer.test.ts).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { analyze } from "../../../native-index/napi/engine.ts";
import { analyzeWords } from "../../../src/spec/analyzer.ts";

const isSurrogate = (codePoint: number) => codePoint >= 0xd800 && codePoint <= 0xdfff;

/** Returns a text with every code point of a range, between two letters and alone. */
function textOf(from: number, to: number): string {
  let text = "";
  for (let codePoint = from; codePoint < to; codePoint++) {
    if (isSurrogate(codePoint)) continue;
    const character = String.fromCodePoint(codePoint);
    text += `x${character}y ${character} ${character}${character}9 `;
  }
  return text;
}

test("folds U+0000 to U+024F alike, one at a time", () => {
  for (let codePoint = 0; codePoint < 0x250; codePoint++) {
    const text = textOf(codePoint, codePoint + 1);
    assert.deepEqual(analyze(text), analyzeWords(text), `U+${codePoint.toString(16)}`);
  }
});

test("folds every code point alike", () => {
  for (let from = 0; from < 0x110000; from += 0x400) {
    const text = textOf(from, from + 0x400);
    assert.deepEqual(analyze(text), analyzeWords(text), `from U+${from.toString(16)}`);
  }
});

test("yields the same words for random texts", () => {
  const letters = fc.constantFrom(..." .-AZaz09çÇßŒĳªº\u0301\u00d7漢\u{1f600}ẞ\u0000");
  const text = fc.array(fc.oneof(letters, fc.string({ unit: "binary" })), { maxLength: 40 });
  fc.assert(
    fc.property(text, (parts) => {
      const joined = parts.join("");
      assert.deepEqual(analyze(joined), analyzeWords(joined));
    }),
    { numRuns: 3000, seed: 1 },
  );
});

test("yields known words", () => {
  assert.deepEqual(analyze("41.273.592 JOSÉ D'ÁVILA & CIA. LTDA"), [
    ...["41", "273", "592", "jose", "d", "avila", "cia", "ltda"],
  ]);
  assert.deepEqual(analyze(""), []);
  assert.deepEqual(analyze(" -- "), []);
});

test("splits at a lone surrogate", () => {
  assert.deepEqual(analyze("a\ud800b"), ["a", "b"]);
  assert.deepEqual(analyzeWords("a\ud800b"), ["a", "b"]);
});
