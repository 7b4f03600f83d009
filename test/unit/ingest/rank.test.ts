/**
 * Proves: the addon sorts the row records of a range by rank. The result has the records of all
 * files with corrected counts, like that of the reference implementation in TypeScript. A batch
 * writes its buffers to the file exactly as `finish` returns them, and the next batch uses the same
 * memory. Parts of a file that were read no longer use disk space. Corrections for nonexistent
 * rows, and calls in the wrong order, are rejected.
 * Does not prove that a snapshot is right (twin.test.ts), nor that the corrections are
 * (shared-values.test.ts).
 */
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { RECORD, SLOTS } from "../../../native-index/builder/record.ts";
import { createBatch, createRange, rankRecords } from "../../../native-index/napi/engine.ts";
import type { NativeBatch } from "../../../native-index/napi/import-handles.ts";
import { correctRows } from "../../../src/ingest/shared-values.ts";
import {
  bucketBytes,
  extentsOf,
  readBucket,
  type SpillFile,
  SpillWriter,
  takeBucket,
} from "../../../src/ingest/spill.ts";
import { MiniWorkspace } from "../../support/dump/mini.ts";
import {
  encodeRecords,
  FIXTURE_NUMBERS,
  randomRows,
  seededRandom,
} from "../../support/native-index/fixture-rows.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const FILES = 3;
const RANGES = 4;
const random = seededRandom(11);
const below = (end: number) => Math.floor(random() * end);

/**
 * Writes row records to spill files (temporary files), each into a random range. For every third
 * record, also writes a correction of one of its counts.
 */
function spilled(name: string, rows: number, slotBytes = 2048) {
  const records = encodeRecords(randomRows(5, rows));
  const writers = Array.from({ length: FILES }, (_, file) => {
    return new SpillWriter(space.path(`${name}-${file}`), RANGES, slotBytes);
  });
  const corrections = new SpillWriter(space.path(`${name}-corrections`), RANGES, 256);
  const ends = new Map<string, number>();
  for (let at = 0; at < records.length; ) {
    const length = records.readUInt32LE(at + RECORD.length);
    const [file, range] = [below(FILES), below(RANGES)];
    const writer = writers[file] as SpillWriter;
    const to = writer.reserve(range, length);
    writer.bytes.set(records.subarray(at, at + length), to);
    const offset = ends.get(`${file} ${range}`) ?? 0;
    ends.set(`${file} ${range}`, offset + length);
    if (below(3) === 0) correct(corrections, range, [file, offset, SLOTS.phone_1_shared, 150]);
    at += length;
  }
  return { files: writers.map((writer) => writer.close()), corrections: corrections.close() };
}

function correct(writer: SpillWriter, range: number, numbers: readonly number[]): void {
  const at = writer.reserve(range, 16);
  for (const [i, number] of numbers.entries()) writer.view.setUint32(at + 4 * i, number, true);
}

/** Reference implementation: reads a range's records and corrects them in TypeScript. */
function corrected(files: readonly SpillFile[], corrections: SpillFile, range: number): Buffer {
  const starts: number[] = [];
  const parts = files.map((file) => {
    const part = Buffer.alloc(bucketBytes(file, range));
    readBucket(file, range, part, 0);
    return part;
  });
  for (let i = 0; i < FILES; i++) starts.push(Buffer.concat(parts.slice(0, i)).length);
  const records = Buffer.concat(parts);
  const fixes = Buffer.alloc(bucketBytes(corrections, range));
  readBucket(corrections, range, fixes, 0);
  const view = (bytes: Buffer) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  correctRows(view(records), view(fixes), starts);
  return records;
}

/** Returns the column buffers that a batch has written, in the form of `finish`. */
async function written(batch: NativeBatch) {
  const path = space.path("batch");
  writeFileSync(path, "");
  const columns = batch.seal();
  const head = Buffer.from("head");
  let end = head.length;
  const place = (length = 0) => {
    end += length;
    return end - length;
  };
  const parts = columns.flatMap(({ validity, offsets, data }) => [validity, offsets, data]);
  const places = Float64Array.from(parts, (part) => place(part?.byteLength));
  await batch.writeSealed({ path, head, offset: 0, places });
  const bytes = readFileSync(path);
  assert.equal(bytes.length, end);
  assert.equal(bytes.toString("latin1", 0, 4), "head");
  const at = (i: number) => {
    const length = parts[i]?.byteLength;
    const start = places[i] as number;
    return length === undefined ? null : Uint8Array.from(bytes.subarray(start, start + length));
  };
  return columns.map(({ nullCount }, i) => {
    return { nullCount, validity: at(3 * i), offsets: at(3 * i + 1), data: at(3 * i + 2) };
  });
}

describe("a range of the rank order", () => {
  it("equals reading, correcting, and sorting, batch after batch", async () => {
    const { files, corrections } = spilled("rows", 3_000);
    const expected = Array.from({ length: RANGES }, (_, n) => corrected(files, corrections, n));
    const [range, batch] = [createRange(), createBatch(FIXTURE_NUMBERS)];
    for (const [number, records] of expected.entries()) {
      const order = rankRecords(records, records.length);
      const extents = files.map((file) => extentsOf(file, number));
      const count = await range.load(extents, [extentsOf(corrections, number)]);
      assert.equal(count, order.length);
      assert.ok(count > 500, `${count} rows`);
      const twin = createBatch(FIXTURE_NUMBERS);
      twin.append(records, order.subarray(100));
      batch.appendRange(range, 100, 200);
      batch.appendRange(range, 300, count - 300);
      assert.deepEqual(await written(batch), twin.finish());
    }
  });

  it("frees the disk space of consumed buckets", async () => {
    const room = (files: readonly SpillFile[]) =>
      files.reduce((sum, { path }) => sum + statSync(path).blocks, 0);
    const writer = new SpillWriter(space.path("large"), 2, 1 << 16);
    for (let i = 0; i < 400; i++) writer.bytes.fill(7, writer.reserve(i % 2, 8192));
    const large = writer.close();
    const before = room([large]);
    const one = Buffer.alloc(bucketBytes(large, 1));
    takeBucket(large, 0, Buffer.alloc(bucketBytes(large, 0)), 0);
    assert.ok(room([large]) < 0.6 * before, `${room([large])} of ${before} blocks`);
    readBucket(large, 1, one, 0);
    assert.ok(
      one.every((byte) => byte === 7 || byte === 0) && one.includes(7),
      "the other is there",
    );
    const { files } = spilled("taken", 8_000, 1 << 16);
    const rows = room(files);
    const range = createRange();
    for (let n = 0; n < RANGES; n++) {
      await range.load(
        files.map((file) => extentsOf(file, n)),
        [],
      );
    }
    assert.ok(room(files) < 0.3 * rows, `${room(files)} of ${rows} blocks`);
  });

  it("rejects corrections that name no row, and calls out of order", async () => {
    const { files } = spilled("few", 40);
    const wrong = (numbers: readonly number[]) => {
      const writer = new SpillWriter(space.path("wrong"), 1, 256);
      correct(writer, 0, numbers);
      return extentsOf(writer.close(), 0);
    };
    const rows = files.map((file) => extentsOf(file, 0));
    const range = createRange();
    const batch = createBatch(FIXTURE_NUMBERS);
    assert.throws(() => batch.appendRange(range, 0, 0), /the range is not loaded/);
    for (const numbers of [
      [FILES, 0, 0, 2],
      [FILES - 1, 2 ** 31, 2 ** 31, 2],
    ]) {
      await assert.rejects(createRange().load(rows, [wrong(numbers)]), /a correction names no row/);
    }
    const cut = { ...wrong([0, 0, 0, 2]), lengths: Uint32Array.of(15) };
    await assert.rejects(createRange().load([], [cut]), /a correction is cut off/);
    const loading = range.load(rows, []);
    assert.throws(() => range.load(rows, []), /the range is being loaded/);
    assert.throws(() => batch.appendRange(range, 0, 0), /the range is being loaded/);
    const count = await loading;
    assert.throws(() => batch.appendRange(range, 1, count), TypeError);
    batch.appendRange(range, 0, count);
    const request = { path: space.path("few"), head: new Uint8Array(), offset: 0 };
    const places = new Float64Array(0);
    assert.throws(() => batch.writeSealed({ ...request, places }), /there is no sealed batch/);
    batch.seal();
    assert.throws(() => batch.seal(), /the batch sealed before is not written yet/);
    assert.throws(() => batch.writeSealed({ ...request, places }), TypeError);
    batch.close();
    assert.equal(batch.rowCount, 0);
    range.close();
    assert.throws(() => range.load(rows, []), /the range is closed/);
    const gone = { ...(rows[0] as object), path: space.path("gone") } as (typeof rows)[0];
    await assert.rejects(createRange().load([gone], []), { code: "ENOENT", path: gone.path });
  });
});
