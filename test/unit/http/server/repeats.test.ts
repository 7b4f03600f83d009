/**
 * Proves that the repeat detector reports a body if the same sender sent the same bytes before, and
 * not if another sender did; that it remembers hundreds of bodies among thousands, and takes any
 * number of them without more memory.
 * Does not prove what is cached of a repeated body (contract/http/api/cachedpages.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RepeatDetector } from "../../../../src/http/server/responsecache.ts";

const body = (text: string) => new Uint8Array(Buffer.from(text));

describe("bodies that came", () => {
  it("are known by the same bytes of the same sender", () => {
    const seen = new RepeatDetector();
    for (const text of ["", "a", "ab", "ba"]) {
      assert.equal(seen.cameBefore(body(text), "one"), false, text);
      assert.equal(seen.cameBefore(body(text), "one"), true, text);
      assert.equal(seen.cameBefore(body(text), "other"), false, text);
    }
  });

  it("are known for a while among others, and forgotten at last", () => {
    const seen = new RepeatDetector();
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
