/**
 * Proves: the strict parser accepts the same texts as JSON.parse, except those with deep nesting,
 * duplicate names, `__proto__`, or ill-formed UTF-8. It returns the same value. A rejection names
 * its place.
 * Does not prove its speed, nor the HTTP answer to a rejected body.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError } from "../../../src/errors.ts";
import { JSON_ALL_MEMBERS_MAX, JSON_VALUES_MAX, parseJson } from "../../../src/spec/reader.ts";
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX } from "../../../src/text/json-scanner.ts";

function parse(text: string): unknown {
  return parseJson(Buffer.from(text));
}

function failure(bytes: Uint8Array | string): AppError {
  try {
    parseJson(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, "invalid_request");
    return error;
  }
  throw new Error("was accepted");
}

function hasRepeatedName(text: string): boolean {
  // Compares the number of names in the text with the number of members that JSON.parse retains.
  // The reviver is called for the root as well, so 1 is subtracted.
  let retained = -1;
  JSON.parse(text, function (this: unknown, _name, value) {
    if (!Array.isArray(this)) retained++;
    return value;
  });
  const withoutStrings = text.replace(/"(?:[^"\\]|\\.)*"/g, "S");
  return (withoutStrings.match(/:/g) ?? []).length !== retained;
}

describe("parseJson", () => {
  for (const text of [
    ...["0", "-0", "1e5", "-1.5E-3", '""', "null", " true ", "[]", "{}", "[ ]", "{ }", "[[],{}]"],
    ...['{"a":{"b":[1,2,{"c":null}]},"d":"\\u0041\\n"}', '\t\r\n["\u2028é\u{1f600}"]', "1e999"],
  ]) {
    it(`accepts ${JSON.stringify(text)} as JSON.parse does`, () => {
      assert.deepEqual(parse(text), JSON.parse(text));
    });
  }

  for (const text of [
    ...[
      "",
      " ",
      "nul",
      "truex",
      "01",
      "-",
      "+1",
      "1.",
      ".5",
      "1e",
      "0x1",
      "NaN",
      "Infinity",
      "'a'",
    ],
    ...["[1,]", "[,1]", "[1 2]", "[1", "]", "{", "}", "[}", '{"a"}', '{"a":}', '{"a":1,}', "{a:1}"],
    ...[
      '{"a":1 "b":2}',
      '"',
      '"\\',
      '"\\x"',
      '"\\u12g4"',
      '"\\u12',
      '"\t"',
      '"\u0000"',
      "1 1",
      "{}{}",
    ],
    ...["[1]\u00a0", "/**/1", "undefined"],
  ]) {
    it(`rejects ${JSON.stringify(text)} as JSON.parse does`, () => {
      assert.throws(() => JSON.parse(text));
      failure(text);
    });
  }

  it("ignores one leading byte-order mark, and rejects it anywhere else", () => {
    assert.deepEqual(parseJson(Buffer.from('\ufeff{"a":[1]}')), { a: [1] });
    for (const text of ["\ufeff\ufeff{}", "\ufeff", "{\ufeff}", "{}\ufeff"]) failure(text);
    assert.match(failure("\ufeff[1,x]").message, /line 1, column 4\.$/);
  });

  it("accepts 32 levels and rejects 33, in objects and arrays, closed or not", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    parse(nested(JSON_DEPTH_MAX));
    failure(nested(JSON_DEPTH_MAX + 1));
    failure("[".repeat(1_000_000));
    failure(`${'{"a":'.repeat(33)}1${"}".repeat(33)}`);
    parse(`${'{"a":'.repeat(32)}1${"}".repeat(32)}`);
    parse(`[${"[],".repeat(1_000)}[]]`);
  });

  it("rejects a duplicate name, also in another spelling, and names its object", () => {
    assert.equal(failure('{"a":1,"a":2}').errors[0]?.pointer, "");
    const text = '{"spec":{"sort":[0,{"x":1,"\\u0078":2}]}}';
    assert.equal(failure(text).errors[0]?.pointer, "/spec/sort/1");
    assert.match(failure(text).message, /"x" occurs twice.* line 1, column 27\./);
    const many = Array.from({ length: 500 }, (_, name) => `"n${name}":0`);
    parse(`{${many.join()}}`);
    failure(`{${many.join()},"n77":1}`);
    const most = Array.from({ length: JSON_MEMBERS_MAX }, (_, name) => `"n${name}":0`);
    parse(`[{${most.join()}},{${most.join()}}]`);
    assert.match(failure(`{${most.join()},"more":0}`).message, /1000 members/);
    parse('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}');
  });

  it("rejects __proto__ in any spelling and at any depth, but not as a value", () => {
    failure('{"__proto__":1}');
    failure('[{"\\u005f_proto__":{}}]');
    parse('{"a":"__proto__","constructor":1}');
  });

  it("accepts 120,000 values and rejects one more, in any container", () => {
    const list = (values: number, text: string) => `[${Array(values).fill(text).join(" , ")}]`;
    const most = JSON_VALUES_MAX - 1;
    for (const text of ["0", "[]", "{ }", '"a,[{:"']) {
      parse(list(most, text));
      assert.match(failure(list(most + 1, text)).message, /hold 120000 values/);
    }
    parse(list(Math.floor(most / 2), "[0]"));
    assert.match(failure(list(JSON_VALUES_MAX / 2, "[0]")).message, /hold 120000 values/);
    // The limit of values is reported even if the text has a syntax error too. The position is that
    // of the comma before the value that exceeds the limit.
    assert.match(failure(`[x,${list(most, "0")}`).message, /hold 120000 values/);
    const places = failure(`{"é":\n${list(most + 1, "0")}}`).message;
    assert.match(places, new RegExp(`line 2, column ${4 * (most - 1)}\\.$`));
  });

  it("accepts 30,000 members and rejects one more", () => {
    const objects = (count: number) => `[${Array(count).fill('{"a":{},"b":{}}').join()}]`;
    parse(objects(JSON_ALL_MEMBERS_MAX / 2));
    assert.match(failure(objects(JSON_ALL_MEMBERS_MAX / 2 + 1)).message, /hold 30000 members/);
  });

  it("rejects bytes that are not UTF-8", () => {
    for (const bytes of [
      [0xff],
      [0x22, 0xc3, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0xc0, 0x80],
    ]) {
      failure(Uint8Array.from(bytes));
    }
  });

  it("reports line and column", () => {
    assert.match(
      failure('{\n  "a": 1,\n  "b": x\n}').message,
      /expected a value, line 3, column 8/,
    );
    assert.match(failure("[1,2").message, /line 1, column 5/);
  });

  it("reads a view into a larger buffer", () => {
    const buffer = Buffer.from('xx{"a":1}yy');
    assert.deepEqual(parseJson(buffer.subarray(2, 9)), { a: 1 });
  });

  it("agrees with JSON.parse on random documents", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        if (hasRepeatedName(text) || text.includes("__proto__")) return;
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it("agrees with JSON.parse on damaged documents", () => {
    const pieces = fc.constantFrom(
      ...['"', "\\", "{", "}", "[", "]", ",", ":", "1", "-", ".", "e", "true", "null", " ", '"a"'],
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const text = parts.join("");
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          failure(text);
          return;
        }
        if (hasRepeatedName(text)) failure(text);
        else assert.deepEqual(parse(text), expected);
        accepted++;
      }),
      { numRuns: 30_000, seed: 7 },
    );
    assert.ok(accepted > 500, `${accepted} documents were valid`);
  });
});
