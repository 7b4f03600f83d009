/**
 * Proves: JSON bodies and the pages of public file shares are parsed in linear time, for any
 * repeated character. For a text of double length, the JSON scanner reads twice the characters. A
 * page of megabytes is parsed or rejected quickly.
 * Does not prove the same for XML (xmlreader.test.ts) and for lists (lists/longtexts.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseIndexPage, parseJsonIndex } from "../../../src/download/listings/indexpage.ts";
import { ListingFault } from "../../../src/download/listings/xml.ts";
import { JsonFault, JsonScanner } from "../../../src/text/json-scanner.ts";

/** Texts that become invalid only at their last character, so they are scanned completely. */
const BODIES: Readonly<Record<string, (length: number) => string>> = {
  "a long text": (length) => `["${"x".repeat(length)}"`,
  "a text of escapes": (length) => `["${"\\u0041\\n".repeat(length / 8)}"`,
  "a long number": (length) => `[${"1".repeat(length)}`,
  "many lines": (length) => `[${"\n".repeat(length)}1`,
  "many values": (length) => `[${"1,".repeat(length / 2)}1`,
  "many objects": (length) => `[${'{"a":1},'.repeat(length / 8)}1`,
  "deep values": (length) => `[${`${"[".repeat(30)}${"]".repeat(30)},`.repeat(length / 61)}1`,
};

describe("the scanner of JSON", () => {
  for (const [what, made] of Object.entries(BODIES)) {
    it(`scans twice the characters for twice as much of ${what}`, () => {
      const [one = 0, two = 0] = [50_000, 100_000].map((length) => charactersRead(made(length)));
      assert.ok(one >= 2_000 && two < 2.2 * one, `${one} and ${two} characters`);
    });
  }
});

/** Counts the characters that parsing the text scans, both one by one and by patterns. */
function charactersRead(text: string): number {
  const { charCodeAt, indexOf } = String.prototype;
  const { test } = RegExp.prototype;
  let read = 0;
  String.prototype.charCodeAt = function (at) {
    read++;
    return charCodeAt.call(this, at);
  };
  String.prototype.indexOf = function (sought, from = 0) {
    const found = indexOf.call(this, sought, from);
    read += (found < 0 ? this.length : found) - from;
    return found;
  };
  RegExp.prototype.test = function (subject) {
    const from = this.lastIndex;
    const found = test.call(this, subject);
    read += Math.max(1, this.lastIndex - from);
    return found;
  };
  try {
    new JsonScanner(text).scan();
    throw new Error("the text was to be refused");
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  } finally {
    Object.assign(String.prototype, { charCodeAt, indexOf });
    RegExp.prototype.test = test;
  }
  return read;
}

describe("the page of a share", () => {
  const parts = [
    ...["<", "<a ", "<a href=", "<a href='", "<!--", "<script>", "</script ", "<title>", "'", '"'],
    ...["<a href=x>", " ", "&#", "&amp", "<h1", "<script></script"],
  ];
  it("of two million odd characters is read or rejected quickly", () => {
    const folder = new URL("https://share.example/a/");
    for (const part of parts) {
      const text = `<html><a href="b/">${part.repeat(2_000_000 / part.length)}`;
      const begun = performance.now();
      for (const read of [parseIndexPage, parseJsonIndex]) {
        for (const page of [text, `[{"name":"${text}`]) {
          try {
            read(page, folder);
          } catch (error) {
            assert.ok(error instanceof ListingFault, String(error));
          }
        }
      }
      const ms = performance.now() - begun;
      assert.ok(ms < 15_000, `${JSON.stringify(part)}: ${ms} ms`);
    }
  });
});
