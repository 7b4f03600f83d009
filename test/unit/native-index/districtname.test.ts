/**
 * Proves that the addon (for UTF-8) folds names of districts like the reference implementation in
 * TypeScript (for UTF-16). Every code point is tested alone, inside a name, and between words, and
 * so are random texts. Folding a folded name changes nothing, and some names from the registry have
 * the expected results.
 * Does not prove that letters fold as they should (unit/spec/analyzer.test.ts).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldDistrict as foldNative } from "../../../native-index/napi/engine.ts";
import { districtTitle, foldDistrict } from "../../../src/spec/districtname.ts";

test("folds every code point alike, and leaves folded names", () => {
  for (let from = 0; from < 0x110000; from += 0x400) {
    let text = "";
    for (let codePoint = from; codePoint < from + 0x400; codePoint++) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      const character = String.fromCodePoint(codePoint);
      text += `x${character}y ${character} ${character}${character}9 `;
    }
    const folded = foldDistrict(text);
    assert.equal(foldNative(text), folded, `from U+${from.toString(16)}`);
    assert.equal(foldDistrict(folded), folded);
  }
});

test("folds random texts alike", () => {
  const letters = fc.constantFrom(..." .-AZaz09çÇßŒªº\u0301\u00d7\u00a0\u2003\t漢\u{1f600}ẞ\u0000");
  const text = fc.array(fc.oneof(letters, fc.string({ unit: "binary" })), { maxLength: 40 });
  fc.assert(
    fc.property(text, (parts) => {
      const joined = parts.join("");
      assert.equal(foldNative(joined), foldDistrict(joined));
    }),
    { numRuns: 3000, seed: 1 },
  );
});

test("folds known names", () => {
  const folded = [
    ["JARDIM SÃO LUÍS", "jardim sao luis"],
    ["  Jardim   sao\tLuis ", "jardim sao luis"],
    ["JD. SAO LUIZ", "jd. sao luiz"],
    ["Cidade Nova (2ª etapa)", "cidade nova (2a etapa)"],
    ["Vila D'Ávila", "vila d'avila"],
    [" \u00a0 ", ""],
  ] as const;
  for (const [name, wanted] of folded) {
    assert.equal(foldDistrict(name), wanted);
    assert.equal(foldNative(name), wanted);
  }
  assert.equal(foldNative("a\ud800b"), foldDistrict("a\ud800b"));
});

test("formats a folded name like a heading", () => {
  assert.equal(districtTitle("jardim das flores"), "Jardim das Flores");
  assert.equal(districtTitle("de lourdes 2"), "De Lourdes 2");
});
