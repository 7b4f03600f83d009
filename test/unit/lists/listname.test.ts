/**
 * Proves: a name of a list, of a key or a search is one line of characters that every reader shows
 * alike. Does not prove that no two lists have one name (contract/http/api/lists).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readName } from "../../../src/console/bodymembers.ts";
import { readListName } from "../../../src/lists/listname.ts";

const GOOD = ["clients", " clients ", "Fornecedores de água", "😀", "a".repeat(100)];
const BAD = ["", "  ", "a\nb", "a\u0000", "a\ud800", "\udc00a", "a\u009bm", "a".repeat(121)];

describe("a name", () => {
  it("is one line of whole characters", () => {
    for (const name of GOOD) assert.deepEqual(readListName(name), { name: name.trim() });
    for (const name of BAD) assert.ok("code" in readListName(name), JSON.stringify(name));
  });

  it("is so in the console too", () => {
    const mistakesOf = (name: string) => {
      const body = { members: { name }, mistakes: [] };
      readName(body, "name");
      return body.mistakes.length;
    };
    for (const name of GOOD) assert.equal(mistakesOf(name), 0, name);
    for (const name of BAD) assert.equal(mistakesOf(name), 1, JSON.stringify(name));
  });
});
