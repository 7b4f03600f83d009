/**
 * Proves: the columns that the addon makes of rows have the values that a search returns, for all
 * fields and rows in any order. The test decodes the buffers itself. The types are the documented
 * ones. A value that is missing leaves its place empty, and a validity bitmap exists only if some
 * value is missing.
 * Does not prove: that files made of these columns are right (unit/export/parquet.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type {
  ColumnBuffers,
  FieldColumn,
  NativeSegment,
} from "../../../native-index/napi/engine.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import {
  ALL_FIELDS,
  accountsOf,
  openRowFixtures,
  type RowFixtures,
  someRows,
} from "../../support/native-index/rows-fixture.ts";
import { typeOf } from "../../support/native-index/rows-twin.ts";

let hostile: NativeSegment;
let random: NativeSegment;
let fixtures: RowFixtures;

before(async () => {
  fixtures = await openRowFixtures();
  ({ hostile, random } = fixtures);
});
after(() => fixtures.dispose());

/** Decodes a column's buffers into the values that JSON shows. */
function decodeColumn(column: Omit<FieldColumn, "field">): unknown[] {
  const { type, length, buffers, child } = column;
  const { validity, nullCount, data } = buffers;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const items = child === null ? [] : decodeColumn({ type: "utf8", child: null, ...child });
  const bit = (bits: Uint8Array, i: number) => (((bits[i >> 3] as number) >> (i & 7)) & 1) === 1;
  const bounds = offsetsOf(buffers, type, length);
  const read = (i: number): unknown => {
    const [from, to] = [bounds[i] as number, bounds[i + 1] as number];
    if (type === "utf8") return Buffer.from(data.subarray(from, to)).toString();
    if (type === "list<utf8>") return items.slice(from, to);
    if (type === "bool") return bit(data, i);
    if (type === "int32") return view.getInt32(4 * i, true);
    if (type === "float64") return view.getFloat64(8 * i, true);
    return view.getInt32(4 * i, true);
  };
  const values = Array.from({ length }, (_, i) => {
    if (validity === null || bit(validity, i)) return read(i);
    // A slot without a value is empty or zero.
    const hollow = read(i);
    assert(hollow === "" || hollow === 0 || hollow === false, `${hollow} is no empty slot`);
    return null;
  });
  assert.equal(nullCount, values.filter((value) => value === null).length);
  assert.equal(validity === null, nullCount === 0);
  if (validity !== null) assert.equal(validity.length, Math.ceil(length / 8));
  const width = { bool: 1 / 8, int32: 4, date32: 4, float64: 8, utf8: 0, "list<utf8>": 0 }[type];
  if (width > 0) assert.equal(data.length, Math.ceil(length * width));
  return values;
}

function offsetsOf({ offsets, data }: ColumnBuffers, type: string, length: number): number[] {
  const variable = type === "utf8" || type === "list<utf8>";
  assert.equal(offsets !== null, variable);
  if (offsets === null) return [];
  const bytes = Buffer.from(offsets);
  assert.equal(bytes.length, 4 * (length + 1));
  const bounds = Array.from({ length: length + 1 }, (_, i) => bytes.readInt32LE(4 * i));
  assert.equal(bounds[0], 0);
  if (type === "utf8") assert.equal(bounds.at(-1), data.length);
  return bounds;
}

/** Returns the days since 1970 of a date in JSON, whose year may have seven digits. */
function daysOf(date: string): number {
  const [, year, month, day] = /^(-?\d+)-(\d\d)-(\d\d)$/.exec(date) as RegExpExecArray;
  // Shifts the year by a multiple of 400 years (146,097 days), because Date handles only a limited
  // range of years.
  const eras = Math.floor((Number(year) - 1970) / 400);
  const time = Date.UTC(Number(year) - eras * 400, Number(month) - 1, Number(day));
  return time / 86_400_000 + eras * 146_097;
}

describe("columns of rows", () => {
  it("equal what a search shows, for all fields and for rows in any order", () => {
    const dice = seededRandom(31);
    const cases = [0, 1, 8, 63, 64, 65, 777].flatMap((count) =>
      [hostile, random].map((segment) => [segment, someRows(segment, count, dice)] as const),
    );
    for (const [segment, rows] of cases) {
      const accounts = accountsOf(segment, rows, ALL_FIELDS);
      const columns = segment.columnsOf(rows, ALL_FIELDS);
      assert.deepEqual(
        columns.map(({ field }) => field),
        ALL_FIELDS,
      );
      for (const column of columns) {
        const { field, type, length } = column;
        assert.equal(type, typeOf(field), field);
        assert.equal(length, rows.length);
        const expected = accounts.map(({ [field]: value }) =>
          type === "date32" && value !== null ? daysOf(String(value)) : value,
        );
        assert.deepEqual(decodeColumn(column), expected, field);
      }
    }
  });

  it("arrive in the requested order, with equal bytes for equal rows", () => {
    const rows = Uint32Array.of(5, 900, 2);
    const [uf, again, cnpj] = random.columnsOf(rows, ["uf", "uf", "cnpj"]);
    assert.deepEqual(uf, again);
    assert.equal(cnpj?.field, "cnpj");
    assert.deepEqual(random.columnsOf(rows, []), []);
  });

  it("are rejected for nonexistent rows and fields", () => {
    const one = Uint32Array.of(0);
    assert.throws(() => random.columnsOf(Uint32Array.of(3000), ["uf"]), /no row 3000/);
    assert.throws(() => random.columnsOf(one, ["salary"]), /no field "salary"/);
    assert.throws(() => random.columnsOf([0] as unknown as Uint32Array, []), /Uint32Array/);
  });
});
