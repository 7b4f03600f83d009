/**
 * Proves: the characters that spreadsheets skip before a formula are the same for exports, which
 * the addon writes, and for sheets that become CSV, which TypeScript writes. Both lists are read
 * from the source text, and compared for every code point.
 * Does not prove: that a formula is guarded (contract/export/converted, unit/native-index).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

type Range = readonly [first: number, last: number];

const CODES = 0x110000;
/** Ends of the part of a source that holds the list. */
const NATIVE = ["constexpr Range kInvisible[] = {", "\n};"] as const;
const SCRIPT = ["const SKIPPED =", ";\n"] as const;

function partOf(path: string, [begin, end]: readonly [string, string]): string {
  const source = readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const at = source.indexOf(begin) + begin.length;
  assert.ok(at >= begin.length, `${path} has the list`);
  return source.slice(at, source.indexOf(end, at));
}

/** Returns the code points of some ranges, one byte each. */
function setOf(ranges: readonly Range[]): Uint8Array {
  const codes = new Uint8Array(CODES);
  for (const [first, last] of ranges) codes.fill(1, first, last + 1);
  return codes;
}

const hex = (text: string | undefined) => Number.parseInt(text ?? "", 16);

it("is one list of characters in both languages", () => {
  const native = [
    ...partOf("native-index/render/rows_csv.cc", NATIVE).matchAll(/\{0x(\w+), 0x(\w+)\}/g),
  ];
  const path = "src/export/enrichment/sheettocsv.ts";
  const script = [
    ...partOf(path, SCRIPT).matchAll(/\\\\u\{?([0-9a-f]+)\}?(?:-\\\\u\{?([0-9a-f]+)\}?)?/g),
  ];
  assert.ok(native.length > 20 && script.length > 20, `${native.length}, ${script.length} ranges`);
  // In the addon, ASCII is a condition and not a part of the list.
  const ascii: readonly Range[] = [
    [0, 0x20],
    [0x7f, 0x7f],
  ];
  const ranges = native.map(([, first, last]): Range => [hex(first), hex(last)]);
  const one = setOf([...ascii, ...ranges]);
  const other = setOf(script.map(([, first, last]): Range => [hex(first), hex(last ?? first)]));
  const differing: string[] = [];
  for (let code = 0; code < CODES && differing.length < 20; code++) {
    if (one[code] !== other[code]) differing.push(code.toString(16));
  }
  assert.deepEqual(differing, []);
});
