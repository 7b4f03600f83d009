/**
 * Proves: a pasted list is sent to the server line by line, unchanged, or as a file if it is a
 * table. No line is lost.
 * Does not prove: how the server reads it (unit/lists/upload.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPasted } from "../../../src/console/web/lists/pasted.ts";

describe("text pasted into a list", () => {
  for (const [text, cnpjs] of [
    ["11.222.333/0001-81\n11222333000181", ["11.222.333/0001-81", "11222333000181"]],
    ["11222333000181; 11.222.333/0001-81", ["11222333000181; 11.222.333/0001-81"]],
    ["11222333000181, 22333444000181 ,x", ["11222333000181, 22333444000181 ,x"]],
    ["11222333\t22333444", ["11222333\t22333444"]],
    ["\r\n 11222333 \r\n\r\nnothing at all", ["11222333", "nothing at all"]],
    ["1,12224E+13", ["1,12224E+13"]],
  ] as const) {
    it(`is parsed from ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readPasted(text), { cnpjs });
    });
  }

  it("is empty if it is only white space", () => assert.equal(readPasted(" \n\t"), null));

  it("is a file if it is a table with words", async () => {
    const table = "Nome;CNPJ\nPadaria;11222333000181";
    const pasted = readPasted(table);
    assert.ok(pasted !== null && "file" in pasted);
    assert.equal(await pasted.file.text(), table);
    assert.equal(pasted.file.type, "text/csv");
  });

  it("is a file if it is very long", () => {
    const pasted = readPasted("11222333\n".repeat(30_000));
    assert.ok(pasted !== null && "file" in pasted);
  });
});
