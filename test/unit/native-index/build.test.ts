/**
 * Proves that the addon has the columns of columns.ts, that CRC-32C does not depend on how bytes
 * are cut, and that records are ranked as by a plain sort. A batch returns the Arrow buffers of its
 * rows, and malformed records and arguments are rejected.
 * Does not prove: the index region (unit/native-index/build-region.test.ts), speed
 * (bench/index.bench.ts).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { RECORD, SLOTS } from "../../../native-index/builder/record.ts";
import {
  BATCH_ROWS,
  COLUMNS,
  type ColumnName,
  columnsFingerprint,
} from "../../../native-index/format/columns.ts";
import {
  type ColumnBuffers,
  crc32c,
  createBatch,
  nativeFingerprint,
  nativeVersions,
  rankRecords,
  sha256,
} from "../../../native-index/napi/engine.ts";
import {
  encodeRecords,
  FIXTURE_NUMBERS,
  type FixtureRow,
  randomRows,
} from "../../support/native-index/fixture-rows.ts";
import { slowCrc32c } from "../../support/native-index/region-twin.ts";

/** Returns the offsets of the records in a buffer, in stored order. */
function startsOf(records: Buffer): number[] {
  const starts = [];
  for (let at = 0; at < records.length; at += records.readUInt32LE(at)) starts.push(at);
  return starts;
}

test("has one fingerprint in the addon and in columns.ts", () => {
  assert.equal(nativeFingerprint(), columnsFingerprint());
});

describe("CRC-32C", () => {
  test("matches the check string, and the empty input", () => {
    assert.equal(crc32c(Buffer.from("123456789")), 0xe3069283);
    assert.equal(crc32c(new Uint8Array(0)), 0);
  });

  test("equals a bit-by-bit sum at every length and address, however it is cut", () => {
    const bytes = Buffer.from(Array.from({ length: 13_000 }, (_, i) => (i * i * 31) >>> 5));
    const places = fc.tuple(fc.nat(40), fc.nat(12_900), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(places, ([from, length, share]) => {
        const part = bytes.subarray(from, from + length);
        const cut = Math.floor(part.length * share);
        const sum = crc32c(part.subarray(cut), crc32c(part.subarray(0, cut)));
        assert.equal(sum, slowCrc32c(part));
      }),
      { numRuns: 150, seed: 2, examples: [[[1, 12_900, 0]], [[3, 12_288, 1]]] },
    );
  });
});

describe("SHA-256", () => {
  test("equals OpenSSL at every length around a block, at any address, on both paths", () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i * 31) >>> 5));
    const lengths = [...Array(200).keys(), 65_535, 65_536, 65_537];
    for (const length of lengths) {
      const part = bytes.subarray(length % 17, (length % 17) + length);
      const expected = createHash("sha256").update(part).digest();
      assert.deepEqual(Buffer.from(sha256(part)), expected, `${length} bytes`);
      assert.deepEqual(Buffer.from(sha256(part, true)), expected, `${length} bytes, portable`);
    }
    assert.match(nativeVersions().simd, /, sha256 (sha|portable)$/);
  });
});

describe("ranking", () => {
  const byRank = (a: FixtureRow, b: FixtureRow) => b.score - a.score || (a.cnpj < b.cnpj ? -1 : 1);

  test("is score descending, then cnpj ascending by bytes", () => {
    for (const seed of [1, 2, 3]) {
      // The rows have few scores and shared roots, so the last characters of the CNPJ often decide
      // the order.
      const rows = randomRows(seed, 5000).map((row) => ({ ...row, score: row.score % 4 }));
      const records = encodeRecords(rows);
      const starts = startsOf(records);
      const ranked = Array.from(rankRecords(records, records.length), (start) => {
        return rows[starts.indexOf(start)] as FixtureRow;
      });
      assert.deepEqual(ranked, [...rows].sort(byRank));
    }
  });

  test("reads only the given length, from any address", () => {
    const records = encodeRecords(randomRows(4, 3));
    const shifted = Buffer.concat([Buffer.alloc(1), records, Buffer.alloc(50, 0xff)]).subarray(1);
    assert.deepEqual(rankRecords(shifted, records.length), rankRecords(records, records.length));
    assert.equal(rankRecords(records, 0).length, 0);
  });

  test("rejects invalid records", () => {
    const records = encodeRecords(randomRows(5, 2));
    const bad = Buffer.from(records);
    bad.write("a", SLOTS.cnpj);
    assert.throws(() => rankRecords(bad, bad.length), /byte 0 has a cnpj with characters other/);
    assert.throws(() => rankRecords(records, records.length - 8), /is longer than the buffer/);
    assert.throws(() => rankRecords(records, records.length + 1), /byteLength must be a whole/);
    assert.throws(() => rankRecords([] as unknown as Uint8Array, 0), /records must be a Uint8/);
  });
});

/** Decodes a row's value from the buffers of a column, in the form that a fixture row has. */
function storedValue(name: ColumnName, { validity, offsets, data }: ColumnBuffers, row: number) {
  const bit = (bytes: Uint8Array) => (((bytes[row >> 3] as number) >> (row & 7)) & 1) === 1;
  if (validity !== null && !bit(validity)) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const offset = (i: number) => Buffer.from(offsets as Uint8Array).readInt32LE(4 * i);
  switch (COLUMNS.find((column) => column.name === name)?.type) {
    case "utf8":
      return Buffer.from(data).toString("utf8", offset(row), offset(row + 1));
    case "list_dictionary16": {
      const length = offset(row + 1) - offset(row);
      return Array.from({ length }, (_, i) => view.getUint16(2 * (offset(row) + i), true));
    }
    case "bool":
      return bit(data);
    case "uint8":
    case "dictionary8":
      return view.getUint8(row);
    case "uint16":
    case "dictionary16":
    case "dictionary16_uint32":
      return view.getUint16(2 * row, true);
    case "uint32":
      return view.getUint32(4 * row, true);
    case "date32":
      return view.getInt32(4 * row, true);
    default:
      return view.getBigInt64(8 * row, true);
  }
}

describe("a record batch", () => {
  const rows = randomRows(6, 1001);
  const records = encodeRecords(rows);
  const starts = Uint32Array.from(startsOf(records)).reverse();

  test("has the rows in the order of the starts, nulls counted, buffers exact", () => {
    const batch = createBatch(FIXTURE_NUMBERS);
    batch.append(records, starts.subarray(0, 300));
    batch.append(records, starts.subarray(300));
    assert.equal(batch.rowCount, 1001);
    const columns = batch.finish();
    const expected = [...rows].reverse();
    COLUMNS.forEach(({ name }, number) => {
      const column = columns[number] as ColumnBuffers;
      const values = expected.map((_, row) => storedValue(name, column, row));
      assert.deepEqual(
        values,
        expected.map((row) => row[name]),
        name,
      );
      const nulls = values.filter((value) => value === null).length;
      assert.equal(column.nullCount, nulls, name);
      assert.equal(column.validity?.length ?? null, nulls > 0 ? 126 : null, name);
      if (column.offsets !== null) assert.equal(column.offsets.length, 4 * 1002, name);
    });
  });

  test("zeroes the slots of nulls and the tails of bitmaps", () => {
    const empty = randomRows(7, 3).map((row) => ({ ...row, started_on: null, phone_1: null }));
    const bytes = encodeRecords(empty);
    const batch = createBatch(FIXTURE_NUMBERS);
    batch.append(bytes, Uint32Array.from(startsOf(bytes)));
    const columns = batch.finish();
    for (const [number, { name, type }] of COLUMNS.entries()) {
      const { data, validity } = columns[number] as ColumnBuffers;
      if (name === "started_on") assert.deepEqual(data, new Uint8Array(12));
      if (name === "phone_1") assert.deepEqual(data, new Uint8Array(24));
      for (const bitmap of [validity, type === "bool" ? data : null]) {
        if (bitmap !== null) assert.equal((bitmap[0] as number) >> 3, 0, name);
      }
    }
  });

  test("is empty after finish and can be filled again", () => {
    const batch = createBatch(FIXTURE_NUMBERS);
    batch.append(records, starts);
    const first = batch.finish();
    assert.equal(batch.rowCount, 0);
    batch.append(records, starts);
    assert.deepEqual(batch.finish(), first);
    const none = batch.finish();
    assert.ok(none.every(({ data, nullCount }) => data.length === 0 && nullCount === 0));
  });

  test("accepts at most 2^20 rows", () => {
    const batch = createBatch(FIXTURE_NUMBERS);
    batch.append(records, new Uint32Array(BATCH_ROWS).fill(starts[0] as number));
    assert.throws(() => batch.append(records, starts.subarray(0, 1)), /at most 1048576 rows/);
    assert.equal(batch.rowCount, BATCH_ROWS);
  });

  test("rejects records whose lengths do not fit", () => {
    const one = encodeRecords(randomRows(8, 1));
    const damage = (at: number, value: number, bytes: 2 | 4) => {
      const copy = Buffer.from(one);
      copy.writeUIntLE(value, at, bytes);
      return copy;
    };
    const at = Uint32Array.of(0);
    const append = (bytes: Buffer) => createBatch(FIXTURE_NUMBERS).append(bytes, at);
    assert.throws(() => append(damage(RECORD.length, one.length + 8, 4)), /longer than the buffer/);
    assert.throws(() => append(damage(RECORD.length, 0, 4)), /wrong length/);
    assert.throws(() => append(damage(RECORD.length, one.length - 4, 4)), /wrong length/);
    assert.throws(() => append(damage(RECORD.secondaryCount, 60_000, 2)), /do not add up/);
    assert.throws(() => append(damage(RECORD.stringLengths + 4, 65_000, 2)), /do not add up/);
    assert.throws(() => append(one.subarray(0, 90)), /cut off/);
    assert.throws(
      () => createBatch(FIXTURE_NUMBERS).append(one, Uint32Array.of(one.length)),
      /cut off/,
    );
  });

  test("is not mistaken for another object", () => {
    const { append } = createBatch(FIXTURE_NUMBERS);
    assert.throws(() => append.call({}, records, starts), /this must be a record batch/);
  });
});
