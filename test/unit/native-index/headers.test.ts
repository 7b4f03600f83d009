/**
 * Proves that the C++ headers in the checkout match the tables that they are generated from, that
 * changing a table changes a header, and that the slots of a row record do not overlap.
 * Does not prove that the running addon was compiled from these headers. The addon's fingerprint
 * proves it whenever a snapshot is opened.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as record from "../../../native-index/builder/record.ts";
import * as columns from "../../../native-index/format/columns.ts";
import * as query from "../../../native-index/napi/query.ts";
import * as layout from "../../../src/dump/layout.ts";
import * as rules from "../../../src/dump/rules.ts";
import * as codes from "../../../src/ingest/dictionaries.ts";
import * as score from "../../../src/search/score.ts";
import * as reasons from "../../../src/spec/fields/reasons.ts";
import * as reasonsEn from "../../../src/spec/fields/reasons-en.ts";
import * as fields from "../../../src/spec/fields/table.ts";
import * as words from "../../../src/spec/fields/words.ts";
import * as lists from "../../../src/spec/fields.ts";
import { textOf } from "../../support/house/checkout.ts";

const { headerTexts } = (await import("../../../native-index/headers.mjs" as string)) as {
  headerTexts(tables: Record<string, unknown>): ReadonlyMap<string, string>;
};

const TABLES = {
  ...{ ...columns, ...record, ...query, ...fields },
  ...{ ...lists, ...layout, ...rules, ...codes, ...score, ...words, ...reasons, ...reasonsEn },
};

/** Returns the names of the headers that would become stale if the tables had these changes. */
function staleWith(changed: Record<string, unknown>): string[] {
  const texts = headerTexts({ ...TABLES, ...changed });
  return [...texts].filter(([file, text]) => textOf(file) !== text).map(([file]) => file);
}

describe("the generated headers", () => {
  it("match the tables", () => {
    assert.equal(headerTexts(TABLES).size, 7);
    assert.deepEqual(staleWith({}), []);
  });

  it("are stale if a field, flag, column, slot, rule, or kind differs", () => {
    const [first, ...rest] = fields.FIELDS;
    const FIELD_LIST = ["native-index/render/field_list.h"];
    assert.deepEqual(
      staleWith({ FIELDS: [...fields.FIELDS, { ...first, name: "x" }] }),
      FIELD_LIST,
    );
    assert.deepEqual(staleWith({ FIELDS: [{ ...first, freeText: true }, ...rest] }), FIELD_LIST);
    const stored = { type: "text", column: "street" };
    assert.deepEqual(staleWith({ FIELDS: [{ ...first, stored }, ...rest] }), FIELD_LIST);
    assert.deepEqual(staleWith({ FIELDS: [{ ...first, written: "unit" }, ...rest] }), FIELD_LIST);
    const VALUE_WORDS = { ...words.VALUE_WORDS, yes: ["É", "Is"] };
    assert.deepEqual(staleWith({ VALUE_WORDS }), ["native-index/render/word_list.h"]);
    const REASONS_EN = { ...reasonsEn.REASONS_EN, "00": "None" };
    assert.deepEqual(staleWith({ REASONS_EN }), ["native-index/render/word_list.h"]);
    const COLUMNS = [...columns.COLUMNS, { name: "x", type: "utf8", nullable: true }];
    assert.deepEqual(staleWith({ COLUMNS }), ["native-index/format/column_list.h"]);
    const RECORD = { ...record.RECORD, fixedLength: record.RECORD.fixedLength + 2 };
    assert.deepEqual(staleWith({ RECORD }), ["native-index/builder/record_layout.h"]);
    const QUERY_LIST = ["native-index/query/clauses/query_list.h"];
    assert.deepEqual(staleWith({ METHODS: ["walk", "rank", "gather"] }), QUERY_LIST);
    assert.deepEqual(staleWith({ RANGE_COLUMNS: query.RANGE_COLUMNS.slice(1) }), QUERY_LIST);
    assert.deepEqual(staleWith({ queryLayout: () => 1 }), QUERY_LIST);
    const DUMP_LIST = ["native-index/scan/dump_list.h"];
    assert.deepEqual(staleWith({ RULE_NAMES: [...rules.RULE_NAMES, "x_invalid"] }), DUMP_LIST);
    assert.deepEqual(staleWith({ UFS: [...lists.UFS, "ZZ"] }), DUMP_LIST);
    assert.deepEqual(staleWith({ CODE_WIDTHS: { ...codes.CODE_WIDTHS, tom: 5 } }), DUMP_LIST);
    assert.deepEqual(staleWith({ AGE_HALF_DAYS: 1 }), ["native-index/join/score_list.h"]);
  });
});

it("orders the offsets of a row record, even where a number begins", () => {
  const { RECORD, SLOT_ROWS, SLOT_BYTES } = record;
  const places = [
    ...SLOT_ROWS.map(({ name, slot, type }) => ({ name, at: slot, bytes: SLOT_BYTES[type] })),
    { name: "length", at: RECORD.length, bytes: 4 },
    { name: "flags", at: RECORD.flags, bytes: 2 },
    { name: "secondaryCount", at: RECORD.secondaryCount, bytes: 2 },
    { name: "stringLengths", at: RECORD.stringLengths, bytes: 2 * record.RECORD_STRINGS.length },
    { name: "fixedLength", at: RECORD.fixedLength, bytes: 0 },
  ].sort((one, other) => one.at - other.at);
  places.reduce((end, { name, at, bytes }) => {
    assert.equal(at, end, name);
    assert.ok(bytes === 1 || at % 2 === 0, name);
    return at + bytes;
  }, 0);
  assert.deepEqual(
    record.RECORD_STRINGS.map(record.stringLengthAt),
    record.RECORD_STRINGS.map((_, i) => RECORD.stringLengths + 2 * i),
  );
});
