/**
 * Proves: an output field that is added only to the table of fields does not compile. The compiler
 * then reports the files that docs/contributing.md lists in "Add an output field", at most four. If
 * the column exists already, only the console's texts are reported. A field whose type its column
 * cannot store, or a column that no field of the dump fills, does not compile either.
 * Does not prove: that headers made from the tables are up to date
 * (unit/native-index/headers.test.ts). Only product files that import the tables of fields,
 * columns, or records are checked. `node build.mjs check` checks all others.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textOf } from "../../support/house/checkout.ts";
import { documentedFiles, wrongFiles } from "../../support/house/overlay.ts";

const FIELDS = "src/spec/fields/table.ts";
const COLUMNS = "native-index/format/columns.ts";
const WORDS = ["src/spec/fields/headings.ts", "src/spec/fields/headings-en.ts"];
const PLACES_MAX = 4;
/** Matches the imports of files that may need an entry for a new field. */
const NEAR = /from "[^"]*\/(fields(\/table)?|columns|columnset|record|headings|strings\/\w+)\.ts"/;
/** Like `NEAR`, for components, which contain no lists of fields. */
const NEAR_COMPONENT = /from "[^"]*\/(fields(\/table)?|columnset)\.ts"/;

/** Returns the text of a file with lines inserted before the line `end`, which must occur once. */
function withLines(file: string, end: string, lines: readonly string[]): string {
  const text = textOf(file);
  assert.equal(text.split(end).length, 2, end);
  return text.replace(end, `${lines.join("")}${end}`);
}

/** Returns the table of fields with more rows, as a contributor would write them. */
const fieldsWith = (...stored: readonly string[]) => ({
  [FIELDS]: withLines(
    FIELDS,
    "] as const satisfies readonly FieldRow[];",
    stored.map(
      (one, i) => `  {
    name: "never_asked_${i}",
    stored: { ${one} },
    shown: { heading: "Never asked", group: "company", width: 20 },
    description: "What nobody asked for.",
  },\n`,
    ),
  ),
});

/** The table of columns with more rows. */
const columnsWith = (...types: readonly string[]) => ({
  [COLUMNS]: withLines(
    COLUMNS,
    "] as const satisfies readonly Column[];",
    types.map((one, i) => `  { name: "never_asked_${i}", nullable: true, ${one} },\n`),
  ),
});

/** Returns the files with errors for these texts. `wanted` restricts the checked files. */
const wrongWith = (texts: Record<string, string>, wanted?: RegExp) =>
  wrongFiles({ texts, near: NEAR, nearComponent: NEAR_COMPONENT, ...(wanted ? { wanted } : {}) });

describe("a field that is only in the table", () => {
  it("causes an error where its column and its display name are missing", () => {
    const texts = fieldsWith(`type: "text", column: "never_asked_0"`);
    assert.deepEqual(wrongWith(texts, /spec\/fields\/|strings\//), [...WORDS, FIELDS]);
  });

  it(`names at most ${PLACES_MAX} places with its column, the documented ones`, () => {
    const wrong = wrongWith({
      ...fieldsWith(
        `type: "text", column: "never_asked_0"`,
        `type: "date", column: "never_asked_1"`,
      ),
      ...columnsWith(`type: "utf8"`, `type: "date32", slot: 80`),
    });
    const documented = documentedFiles("Add an output field");
    assert.deepEqual([COLUMNS, ...wrong], documented.sort());
    assert.ok(documented.length > 1 && documented.length <= PLACES_MAX, documented.join());
  });

  it("lacks only the console's texts once its column exists", () => {
    const places = new RegExp(documentedFiles("Add an output field").join("|"));
    assert.deepEqual(
      wrongWith(fieldsWith(`type: "text", column: "uf", table: "uf"`), places),
      WORDS,
    );
  });

  for (const stored of [
    `type: "date", column: "street"`,
    `type: "text", column: "uf"`,
    `type: "number", column: "uf", table: "uf"`,
  ]) {
    it(`causes an error in its own row if that contains ${stored}`, () => {
      assert.deepEqual(wrongWith(fieldsWith(stored), /spec\/fields\/table/), [FIELDS]);
    });
  }
});

describe("a column that is only in its table", () => {
  for (const [type, values] of [
    [`type: "utf8"`, "a text"],
    [`type: "int64", slot: 80`, "a number"],
  ] as const) {
    it(`causes an error in the dump reader, for ${values}`, () => {
      const wrong = wrongWith(columnsWith(type), /^(src|test\/support|native-index)\/(?!spec)/);
      assert.deepEqual(wrong, ["test/support/ingest/establishments.ts"]);
    });
  }

  it("causes an error in its own row if a record has no space for its numbers", () => {
    const wrong = wrongWith(columnsWith(`type: "date32"`), /native-index\/format\/columns/);
    assert.deepEqual(wrong, [COLUMNS]);
  });
});
