/**
 * Spills records between two passes into buckets on disk. Input: records of any length (multiples
 * of 4), each with a bucket number. Output: one file per task. Each bucket is stored in several
 * extents (contiguous byte ranges) of this file.
 * Invariant: records of a bucket keep their written order. A writer uses `buckets` x `slotBytes` of
 * memory, regardless of the number of records. Buckets are freed as they are read, so that two
 * passes never have all records on the disk twice.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { prefetchExtents, releaseExtents } from "../../native-index/napi/engine.ts";
import type { ExtentLists, FileExtents } from "../../native-index/napi/import-handles.ts";

/** A written spill file, as a plain value that can be sent to a worker thread. */
export interface SpillFile {
  readonly path: string;
  /**
   * Index of each bucket's first extent in `offsets` and `lengths`. The extents of bucket b end
   * before `starts[b + 1]`.
   */
  readonly starts: Uint32Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

/** Builds a spill file from extents in file order. */
export function spillFileOf(path: string, buckets: number, extents: ExtentLists): SpillFile {
  const count = extents.buckets.length;
  const starts = new Uint32Array(buckets + 1);
  for (const bucket of extents.buckets) starts[bucket + 1] = (starts[bucket + 1] as number) + 1;
  for (let b = 0; b < buckets; b++) {
    starts[b + 1] = (starts[b + 1] as number) + (starts[b] as number);
  }
  const next = starts.slice();
  const offsets = new Float64Array(count);
  const lengths = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const bucket = extents.buckets[i] as number;
    const place = next[bucket] as number;
    next[bucket] = place + 1;
    offsets[place] = extents.offsets[i] as number;
    lengths[place] = extents.lengths[i] as number;
  }
  return { path, starts, offsets, lengths };
}

/** A bucket's bytes that have not been written yet. */
interface Slot {
  bytes: Buffer;
  view: DataView;
  length: number;
}

/** Writes records into buckets of one file. */
export class SpillWriter {
  /** Memory for the record that was last reserved; valid until the next `reserve`. */
  bytes: Buffer;
  /** A view of `bytes`. */
  view: DataView;
  private readonly path: string;
  private readonly slotBytes: number;
  private readonly slots: Slot[];
  private readonly fd: number;
  private position = 0;
  private readonly extentBucket: number[] = [];
  private readonly extentOffset: number[] = [];
  private readonly extentLength: number[] = [];

  /** Creates the file at `path`. */
  constructor(path: string, buckets: number, slotBytes: number) {
    this.path = path;
    this.slotBytes = slotBytes;
    this.slots = Array.from({ length: buckets }, () => newSlot(slotBytes));
    this.fd = openSync(path, "w");
    const first = this.slots[0] as Slot;
    this.bytes = first.bytes;
    this.view = first.view;
  }

  /** Reserves space for a record; returns its offset in `bytes`, which is not zeroed. */
  reserve(bucket: number, length: number): number {
    const slot = this.slots[bucket] as Slot;
    if (slot.length + length > slot.bytes.length) {
      this.flush(bucket);
      if (length > slot.bytes.length) Object.assign(slot, newSlot(length));
    }
    this.bytes = slot.bytes;
    this.view = slot.view;
    const at = slot.length;
    slot.length += length;
    return at;
  }

  /** Writes the buffered records. Returns the file with its table of extents. */
  close(): SpillFile {
    for (let bucket = 0; bucket < this.slots.length; bucket++) this.flush(bucket);
    closeSync(this.fd);
    const extents = {
      buckets: Uint32Array.from(this.extentBucket),
      offsets: Float64Array.from(this.extentOffset),
      lengths: Uint32Array.from(this.extentLength),
    };
    return spillFileOf(this.path, this.slots.length, extents);
  }

  /** Closes the unfinished file. */
  abandon(): void {
    closeSync(this.fd);
  }

  private flush(bucket: number): void {
    const slot = this.slots[bucket] as Slot;
    if (slot.length === 0) return;
    let done = 0;
    while (done < slot.length) {
      done += writeSync(this.fd, slot.bytes, done, slot.length - done, this.position + done);
    }
    this.extentBucket.push(bucket);
    this.extentOffset.push(this.position);
    this.extentLength.push(slot.length);
    this.position += slot.length;
    slot.length = 0;
    if (slot.bytes.length > this.slotBytes) Object.assign(slot, newSlot(this.slotBytes));
  }
}

function newSlot(length: number): Slot {
  const bytes = Buffer.alloc(length);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, length), length: 0 };
}

/** Bytes of one bucket in a file. */
export function bucketBytes(file: SpillFile, bucket: number): number {
  let sum = 0;
  for (let i = file.starts[bucket] as number; i < (file.starts[bucket + 1] as number); i++) {
    sum += file.lengths[i] as number;
  }
  return sum;
}

/** Like `readBucket`; then frees the bucket's disk space, so it cannot be read again. */
export function takeBucket(
  file: SpillFile,
  bucket: number,
  target: Uint8Array,
  at: number,
): number {
  const end = readBucket(file, bucket, target, at);
  const { path, offsets, lengths } = extentsOf(file, bucket);
  if (lengths.length > 0) releaseExtents(path, offsets, lengths);
  return end;
}

/** Prefetches a bucket that will be read soon; does nothing past the last bucket. */
export function prefetchBucket(file: SpillFile, bucket: number): void {
  if (bucket + 1 >= file.starts.length) return;
  const { path, offsets, lengths } = extentsOf(file, bucket);
  if (lengths.length > 0) prefetchExtents(path, offsets, lengths);
}

/** Extents of one bucket. */
export function extentsOf(
  { path, starts, offsets, lengths }: SpillFile,
  bucket: number,
): FileExtents {
  const [first, last] = [starts[bucket], starts[bucket + 1]];
  return { path, offsets: offsets.subarray(first, last), lengths: lengths.subarray(first, last) };
}

/** Reads one bucket's records into `target` from offset `at`. Returns the offset after them. */
export function readBucket(
  file: SpillFile,
  bucket: number,
  target: Uint8Array,
  at: number,
): number {
  let end = at;
  const first = file.starts[bucket] as number;
  const last = file.starts[bucket + 1] as number;
  if (first === last) return end;
  const fd = openSync(file.path, "r");
  try {
    for (let i = first; i < last; i++) {
      const length = file.lengths[i] as number;
      const offset = file.offsets[i] as number;
      let done = 0;
      while (done < length) {
        const count = readSync(fd, target, end + done, length - done, offset + done);
        if (count === 0) throw new Error(`${file.path} is shorter than it was written`);
        done += count;
      }
      end += length;
    }
  } finally {
    closeSync(fd);
  }
  return end;
}
