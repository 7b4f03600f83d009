/**
 * Proves: the record scanner splits bytes into the same records as a simple parser of strings, for
 * random content and any chunks. Each irregularity of the dump's format is read as documented. Each
 * rejection names file, line, and reason.
 * Does not prove: anything about zips (dump-archive) or about the meaning of values (dump-values).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FIELD_BYTES_MAX, RecordScanner } from "../../../src/dump/records.ts";
import { CommandError } from "../../../src/errors.ts";

interface Outcome {
  records: string[][];
  lines: number[];
  error: string | null;
}

/**
 * Scans Latin-1 text that is cut into chunks at `cuts`. If the scan fails, its error message
 * follows the records found before.
 */
function scan(text: string, columns: number, cuts: readonly number[] = []): Outcome {
  const bytes = Buffer.from(text, "latin1");
  const scanner = new RecordScanner("Test.zip (M)", columns);
  const outcome: Outcome = { records: [], lines: [], error: null };
  const take: Parameters<RecordScanner["push"]>[1] = (record) => {
    const { starts, ends } = record;
    const fields = Array.from(starts, (start, i) =>
      Buffer.from(record.bytes.subarray(start, ends[i])).toString("latin1"),
    );
    outcome.records.push(fields);
    outcome.lines.push(record.line);
  };
  const places = [0, ...[...cuts].map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)];
  try {
    for (const [i, from] of places.entries()) {
      scanner.push(Uint8Array.from(bytes.subarray(from, places[i + 1] ?? bytes.length)), take);
    }
    scanner.end(take);
  } catch (error) {
    assert.ok(error instanceof CommandError);
    outcome.error = error.message;
  }
  return outcome;
}

/** Reference implementation: parses the whole text with one sticky regular expression. */
function parse(text: string): string[][] {
  const clean = text.replaceAll("\0", "");
  const pattern = /"((?:[^"]|"")*)"(;|\r?\n|$)/y;
  const records: string[][] = [];
  let fields: string[] = [];
  while (pattern.lastIndex < clean.length) {
    if (fields.length === 0) {
      const blank = /(?:\r?\n)*/y;
      blank.lastIndex = pattern.lastIndex;
      blank.exec(clean);
      pattern.lastIndex = blank.lastIndex;
      if (pattern.lastIndex >= clean.length) break;
    }
    const match = pattern.exec(clean);
    assert.ok(match, "the twin only reads valid text");
    fields.push((match[1] as string).replaceAll('""', '"'));
    if (match[2] !== ";") {
      records.push(fields);
      fields = [];
    }
  }
  return records;
}

const COLUMNS = 3;
const character = fc.constantFrom(...'abc019 ;;""\n\r\\\0,\u00e3\u00c7\u00ff\'');
const field = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(""));
const ending = fc.constantFrom("\n", "\r\n", "\n\n", "\r\n\r\n\n");
const row = fc.tuple(fc.tuple(field, field, field), ending);
const cuts = fc.array(fc.nat(4000), { maxLength: 20 });

function write(
  rows: readonly (readonly [readonly string[], string])[],
  isOpenEnded: boolean,
): string {
  const text = rows
    .map(([fields, end]) => fields.map((f) => `"${f.replaceAll('"', '""')}"`).join(";") + end)
    .join("");
  return isOpenEnded ? text.replace(/[\r\n]+$/, "") : text;
}

test("splits random rows like a regular expression and as written, for any cuts", () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 8 }),
      fc.boolean(),
      cuts,
      (rows, isOpenEnded, places) => {
        const text = write(rows, isOpenEnded);
        const outcome = scan(text, COLUMNS, places);
        assert.equal(outcome.error, null);
        assert.deepEqual(outcome.records, parse(text));
        assert.deepEqual(
          outcome.records,
          rows.map(([fields]) => fields.map((f) => f.replaceAll("\0", ""))),
        );
      },
    ),
    { numRuns: 600, seed: 1 },
  );
});

test("yields the same outcome, errors included, for any cuts of random bytes", () => {
  const junk = fc.array(fc.constantFrom(...'ab;"\n\r\0\u00ef'), { maxLength: 60 });
  let refused = 0;
  fc.assert(
    fc.property(junk, cuts, (parts, places) => {
      const text = parts.join("");
      const whole = scan(text, 2);
      if (whole.error !== null) refused++;
      assert.deepEqual(scan(text, 2, places), whole);
    }),
    { numRuns: 2000, seed: 2 },
  );
  assert.ok(refused > 100, "the property must see refusals");
});

test("yields the same records for one byte at a time", () => {
  const text = '"a";"x ""y"" z"\r\n\n"\\";"1;2\n3"';
  const everywhere = Array.from({ length: text.length }, (_, i) => i);
  assert.deepEqual(scan(text, 2, everywhere), scan(text, 2));
});

const quirks: [name: string, text: string, records: string[][], lines: number[]][] = [
  ["NUL bytes are dropped", '"a\0b";"\0"\n', [["ab", ""]], [1]],
  ["`;` inside quotes stays", '"QUADRA 13;LOTE 28";"x"\n', [["QUADRA 13;LOTE 28", "x"]], [1]],
  ["a doubled quote is one", '"""C"" -BECO";"a"""\n', [['"C" -BECO', 'a"']], [1]],
  ["only doubled quotes", '"""""";""""\n', [['""', '"']], [1]],
  ["a backslash escapes nothing", '"LTDA\\";"x"\n', [["LTDA\\", "x"]], [1]],
  [
    "a newline inside quotes stays",
    '"A\nB";"x"\n"c";"d"\n',
    [
      ["A\nB", "x"],
      ["c", "d"],
    ],
    [1, 3],
  ],
  [
    "blank lines are skipped and counted",
    '\n\n"a";"b"\n\n\n"c";"d"\n\n',
    [
      ["a", "b"],
      ["c", "d"],
    ],
    [3, 6],
  ],
  [
    "CRLF ends a row",
    '"a";"b"\r\n"c";"d"\r\n',
    [
      ["a", "b"],
      ["c", "d"],
    ],
    [1, 2],
  ],
  [
    "the last newline may be missing",
    '"a";"b"\n"c";"d"',
    [
      ["a", "b"],
      ["c", "d"],
    ],
    [1, 2],
  ],
  [
    "fields without quotes are taken",
    'a;b\n"c";\n',
    [
      ["a", "b"],
      ["c", ""],
    ],
    [1, 2],
  ],
  ["an empty file has no rows", "", [], []],
  ["ISO-8859-1 bytes stay", '"PRA\u00c7A";"S\u00c3O"\n', [["PRA\u00c7A", "S\u00c3O"]], [1]],
];

for (const [name, text, records, lines] of quirks) {
  test(name, () => assert.deepEqual(scan(text, 2), { records, lines, error: null }));
}

test("drops a UTF-8 mark and sets the encoding", () => {
  const scanner = new RecordScanner("Test.zip", 1);
  const seen: string[] = [];
  const take: Parameters<RecordScanner["push"]>[1] = (record) => {
    seen.push(`${record.encoding}:${record.ends[0]! - record.starts[0]!}`);
  };
  scanner.push(Buffer.from('\u{feff}"\u00e3"\n'), take);
  scanner.end(take);
  assert.deepEqual(seen, ["utf8:2"]);
});

const refusals: [name: string, text: string, line: number, reason: RegExp][] = [
  ["too few columns", '"a";"b"\n"c"\n', 2, /1 column where 2 belong/],
  ["too many columns", '"a";"b"\n\n"A\nB";"b";"c"\n', 3, /3 columns where 2 belong/],
  ["a quote that never closes", '"a";"b"\n"c";"d\n', 2, /ends inside a quoted field/],
  ["text after a closing quote", '"a";"b"\n"c"x;"d"\n', 2, /text follows a closing quote/],
  [
    "a closing quote that was lost, where the row begins",
    '"a";"b"\n"c";"d\n"e";"f"\n',
    2,
    /text follows .*\(the row begins here, the text is on line 3\)$/,
  ],
  ["a carriage return alone", '"a";"b"\r"c";"d"\n', 1, /text follows a closing quote/],
  ["an endless field", `"a";"${"x".repeat(FIELD_BYTES_MAX + 1)}"\n`, 1, /more than 60,000 bytes/],
  ["a quote lost for long", `"a";"${"x".repeat(FIELD_BYTES_MAX + 9)}`, 1, /more than 60,000/],
  ["UTF-16", '\u00ff\u00fe"\0a\0"\0', 1, /UTF-16/],
];

for (const [name, text, line, reason] of refusals) {
  test(`rejects ${name}, with position and line`, () => {
    const { error } = scan(text, 2);
    assert.match(error ?? "", reason);
    assert.ok(error?.startsWith(`Test.zip (M), line ${line}: `), error ?? "no error");
  });
}

test("accepts a field of exactly the maximum length", () => {
  const { records, error } = scan(`"${"x".repeat(FIELD_BYTES_MAX)}";""\n`, 2);
  assert.equal(error, null);
  assert.equal(records[0]?.[0]?.length, FIELD_BYTES_MAX);
});
