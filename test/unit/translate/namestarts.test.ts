/**
 * Proves: each name is returned exactly once, by the look-up of its first word or by `rest`, which
 * returns the others. This holds for any order of calls. When no names are left, further calls of
 * `rest` cost nothing.
 * Does not prove which names a sentence finds (placenames.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NameStarts } from "../../../src/translate/places/placevocabulary.ts";

const NAMES = ["abaete", "abaira", "do bom jesus", "zabele", "d'oeste", "abare"];
const starts = () =>
  new NameStarts(NAMES.length, NAMES.join("\n"), (at) => NAMES[at]?.split(" ").at(-1) as string);

function all(names: NameStarts): number[] {
  return [...names.rest()];
}

describe("names by their beginnings", () => {
  it("are returned once", () => {
    const names = starts();
    assert.equal(names.waits("abacate"), true);
    assert.deepEqual([...names.taken("abacate")].sort(), [0, 1, 5]);
    assert.equal(names.waits("abacate"), false);
    assert.deepEqual([...names.taken("aba")], []);
    assert.deepEqual(all(names).sort(), [2, 3, 4]);
    assert.deepEqual(all(names), []);
  });

  it("are returned once if the rest is interrupted and requested again", () => {
    const names = starts();
    const found: number[] = [];
    for (const name of names.rest()) if (found.push(name) === 2) break;
    assert.ok(found.length < NAMES.length);
    assert.deepEqual([...found, ...all(names)].sort(), [0, 1, 2, 3, 4, 5]);
  });

  it("cost nothing if none is left", () => {
    const names = starts();
    let looks = 0;
    const looked = () => looks++;
    assert.equal([...names.rest(looked)].length, NAMES.length);
    assert.ok(looks > NAMES.length, "every beginning is looked at once");
    looks = 0;
    // Guards against a former defect: each of these calls visited 19,684 empty first words.
    for (let i = 0; i < 1_000; i++) assert.deepEqual([...names.rest(looked)], []);
    assert.equal(looks, 0);
  });
});
