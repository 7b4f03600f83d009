/**
 * Proves: a body came before when the same sender sent the same bytes, and not when another sender
 * did or other bytes came; what is known of some hundreds outlives some thousands; a number of
 * bodies beyond all room is taken without more memory.
 * Does not prove what is kept of a body that comes again (contract/http/api/keptsearch.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeenBodies } from "../../../../src/http/api/seenbodies.ts";

const body = (text: string) => new Uint8Array(Buffer.from(text));

describe("bodies that came", () => {
  it("are known by the same bytes of the same sender", () => {
    const seen = new SeenBodies();
    for (const text of ["", "a", "ab", "ba"]) {
      assert.equal(seen.cameBefore(body(text), "one"), false, text);
      assert.equal(seen.cameBefore(body(text), "one"), true, text);
      assert.equal(seen.cameBefore(body(text), "other"), false, text);
    }
  });

  it("are known for a while among others, and forgotten at last", () => {
    const seen = new SeenBodies();
    const texts = Array.from({ length: 300 }, (_, at) => `{"spec":${at}}`);
    for (const text of texts) seen.cameBefore(body(text), "one");
    for (let at = 0; at < 1_000; at++) seen.cameBefore(body(`another ${at}`), "one");
    const known = texts.filter((text) => seen.cameBefore(body(text), "one")).length;
    assert.ok(known >= 290, `${known} of 300`);
    for (let at = 0; at < 200_000; at++) seen.cameBefore(body(`${at}`), "one");
    const left = texts.filter((text) => seen.cameBefore(body(text), "one")).length;
    assert.ok(left <= 3, `${left} of 300`);
  });
});
