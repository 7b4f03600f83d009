/**
 * The reference implementation of `native-index/join/shared_values.cc`, byte for byte, in plain
 * TypeScript.
 * Input: for every joined row the values, the company, and the row's position. Output and
 * invariant: those of src/ingest/shared-values.ts.
 *
 * An entry, little endian, padded to a multiple of 8:
 * - 0 u32 length   4 u32 offset of the row in its range   8 f64 root of the company
 * - 16 u16 range  18 u16 offset of the count in the row    20 u32 bytes of the value, then these
 */
import { SLOTS } from "../../../native-index/builder/record.ts";
import {
  CORRECTION_BYTES,
  type CountResult,
  type CountTask,
  type RowPlace,
} from "../../../src/ingest/shared-values.ts";
import { bucketBytes, readBucket, type SpillFile, SpillWriter } from "../../../src/ingest/spill.ts";

const ENTRY = { length: 0, offset: 4, root: 8, range: 16, slot: 18, bytes: 20, value: 24 };

/** FNV-1a of bytes, with a final mix. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let p = from; p < to; p++) hash = Math.imul(hash ^ (bytes[p] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Writes a value of a row to the spill file. */
export function spillValue(
  writer: SpillWriter,
  value: Uint8Array,
  row: RowPlace & { readonly slot: number; readonly root: number; readonly buckets: number },
): void {
  const used = ENTRY.value + value.length;
  const length = (used + 7) & ~7;
  const at = writer.reserve(hashOf(value, 0, value.length) % row.buckets, length);
  const { view, bytes } = writer;
  view.setUint32(at + ENTRY.length, length, true);
  view.setUint32(at + ENTRY.offset, row.offset, true);
  view.setFloat64(at + ENTRY.root, row.root, true);
  view.setUint16(at + ENTRY.range, row.range, true);
  view.setUint16(at + ENTRY.slot, row.slot, true);
  view.setUint32(at + ENTRY.bytes, value.length, true);
  bytes.set(value, at + ENTRY.value);
  bytes.fill(0, at + used, at + length);
}

/** Counts a bucket. */
export function countHere({ bucket, values, path, ranges, slotBytes }: CountTask): CountResult {
  const entries = values.map((spill) => bucketOf(spill, bucket));
  const companies = new Map<string, Set<number>>();
  for (const bytes of entries) {
    eachEntry(bytes, (at, view) => {
      const key = keyOf(bytes, at, view);
      const known = companies.get(key) ?? new Set();
      companies.set(key, known.add(view.getFloat64(at + ENTRY.root, true)));
    });
  }
  const writer = new SpillWriter(path, ranges, slotBytes);
  entries.forEach((bytes, partition) => {
    eachEntry(bytes, (at, view) => {
      const count = companies.get(keyOf(bytes, at, view))?.size ?? 1;
      if (count === 1) return;
      const to = writer.reserve(view.getUint16(at + ENTRY.range, true), CORRECTION_BYTES);
      writer.view.setUint32(to, partition, true);
      writer.view.setUint32(to + 4, view.getUint32(at + ENTRY.offset, true), true);
      writer.view.setUint32(to + 8, view.getUint16(at + ENTRY.slot, true), true);
      writer.view.setUint32(to + 12, count, true);
    });
  });
  const counts = [...new Set([...companies.values()].map(({ size }) => size))];
  return { corrections: writer.close(), counts: Uint32Array.from(counts).sort() };
}

function eachEntry(bytes: Buffer, take: (at: number, view: DataView) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += view.getUint32(at, true)) take(at, view);
}

/** Returns a key for a value. An e-mail and a phone never have the same key. */
function keyOf(bytes: Buffer, at: number, view: DataView): string {
  const length = view.getUint32(at + ENTRY.bytes, true);
  const isEmail = view.getUint16(at + ENTRY.slot, true) === SLOTS.email_shared;
  const value = bytes.toString("latin1", at + ENTRY.value, at + ENTRY.value + length);
  return `${isEmail ? "e" : "p"}${value}`;
}

function bucketOf(spill: SpillFile, bucket: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(bucketBytes(spill, bucket));
  readBucket(spill, bucket, bytes, 0);
  return bytes;
}
