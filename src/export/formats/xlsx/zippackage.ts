/**
 * A ZIP package that is written sequentially. Input: small whole parts, and one large part as
 * chunks of a DEFLATE stream. Output: the bytes of the package.
 * Invariant: the same parts and chunks give the same bytes, without time or machine. Only the
 * directory entries stay in memory. No library accepts chunks compressed on other threads. The
 * bytes equal those of yazl 3.3.1. Source: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header) to
 * 4.3.16 (end record).
 */
import { crc32, crc32Joined } from "../../../dump/crc32.ts";

/** A compressed chunk of a part, with length and checksum of its uncompressed bytes. */
export interface PackedChunk {
  readonly packed: Uint8Array;
  readonly bytes: number;
  readonly crc: number;
}

interface Entry {
  readonly name: Buffer;
  readonly offset: number;
  /** False if the part is stored uncompressed. */
  readonly isPacked: boolean;
  crc: number;
  bytes: number;
  packedBytes: number;
}

const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const METHOD_DEFLATE = 8;
/** Flags: names are UTF-8; checksum and sizes follow the packed data. */
const FLAG_UTF8 = 1 << 11;
const FLAG_SIZES_AFTER = 1 << 3;
/** 1980-01-01 at midnight, the earliest date that ZIP can store. */
const EARLIEST_DATE = 0x21;
const VERSION_NEEDED = 20;
const VERSION_NEEDED_64 = 45;
/** Header values: made by Unix, format version 6.3. Owner and group may write the file. */
const MADE_BY = (3 << 8) | 63;
const FILE_MODE = (0o100664 << 16) >>> 0;

/**
 * Writes one package. Call `part` for a whole part, or `begin`, `piece`, and `endPart` for a part
 * in chunks, in any order. Call `end` last.
 */
export class ZipPackage {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #entries: Entry[] = [];
  #position = 0;

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  /** Adds an uncompressed part. */
  part(path: string, bytes: Uint8Array): void {
    const sizes = { crc: crc32(bytes), bytes: bytes.length, packedBytes: bytes.length };
    this.#open(path, { isPacked: false, ...sizes });
    this.#put(bytes);
  }

  /** Begins a part that arrives in chunks. */
  begin(path: string): void {
    this.#open(path, { isPacked: true, crc: 0, bytes: 0, packedBytes: 0 });
  }

  /** Adds the next chunk of the current part. */
  piece({ packed, bytes, crc }: PackedChunk): void {
    const entry = this.#last();
    entry.crc = crc32Joined(entry.crc, crc, bytes);
    entry.bytes += bytes;
    entry.packedBytes += packed.length;
    this.#put(packed);
  }

  /** Ends the current part. */
  endPart(): void {
    const entry = this.#last();
    const { crc, bytes, packedBytes } = entry;
    const isWide = is64(entry);
    const descriptor = Buffer.alloc(isWide ? 24 : 16);
    descriptor.write("PK\x07\x08", "latin1");
    descriptor.writeUInt32LE(crc, 4);
    putNumber(descriptor, { at: 8, isWide, value: packedBytes });
    putNumber(descriptor, { at: isWide ? 16 : 12, isWide, value: bytes });
    this.#put(descriptor);
  }

  end(): void {
    const from = this.#position;
    for (const entry of this.#entries) this.#put(directoryEntry(entry));
    this.#put(endRecords(this.#entries.length, from, this.#position - from));
  }

  #open(path: string, entry: Omit<Entry, "name" | "offset">): void {
    const opened = { ...entry, name: Buffer.from(path), offset: this.#position };
    this.#entries.push(opened);
    this.#put(localHeader(opened));
  }

  #last(): Entry {
    const entry = this.#entries.at(-1);
    if (entry?.isPacked !== true) throw new RangeError("no part was begun");
    return entry;
  }

  #put(bytes: Uint8Array): void {
    this.#write(bytes);
    this.#position += bytes.length;
  }
}

/** True if a size or the offset of a part needs more than 32 bits. */
function is64({ bytes, packedBytes, offset }: Entry): boolean {
  return bytes >= MAX_32 || packedBytes >= MAX_32 || offset >= MAX_32;
}

function putNumber(
  out: Buffer,
  { at, isWide, value }: { readonly at: number; readonly isWide: boolean; readonly value: number },
): void {
  if (isWide) out.writeBigUInt64LE(BigInt(value), at);
  else out.writeUInt32LE(value, at);
}

/** Returns the fields common to both headers, from flags to name length. */
function shared({ name, isPacked }: Entry, crc: number, sizes: readonly [number, number]): Buffer {
  const fields = Buffer.alloc(22);
  fields.writeUInt16LE(FLAG_UTF8 | (isPacked ? FLAG_SIZES_AFTER : 0), 0);
  fields.writeUInt16LE(isPacked ? METHOD_DEFLATE : 0, 2);
  fields.writeUInt16LE(EARLIEST_DATE, 6);
  fields.writeUInt32LE(crc, 8);
  fields.writeUInt32LE(sizes[0], 12);
  fields.writeUInt32LE(sizes[1], 16);
  fields.writeUInt16LE(name.length, 20);
  return fields;
}

function localHeader(entry: Entry): Buffer {
  const { name, crc, bytes, packedBytes } = entry;
  const head = Buffer.alloc(6);
  head.write("PK\x03\x04", "latin1");
  head.writeUInt16LE(VERSION_NEEDED, 4);
  return Buffer.concat([head, shared(entry, crc, [packedBytes, bytes]), Buffer.alloc(2), name]);
}

function directoryEntry(entry: Entry): Buffer {
  const { name, crc, bytes, packedBytes, offset } = entry;
  const isWide = is64(entry);
  const head = Buffer.alloc(8);
  head.write("PK\x01\x02", "latin1");
  head.writeUInt16LE(MADE_BY, 4);
  head.writeUInt16LE(isWide ? VERSION_NEEDED_64 : VERSION_NEEDED, 6);
  const wide = Buffer.alloc(isWide ? 28 : 0);
  if (isWide) {
    wide.writeUInt16LE(1, 0);
    wide.writeUInt16LE(24, 2);
    for (const [i, value] of [bytes, packedBytes, offset].entries()) {
      wide.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
    }
  }
  const sizes: [number, number] = isWide ? [MAX_32, MAX_32] : [packedBytes, bytes];
  const tail = Buffer.alloc(16);
  tail.writeUInt16LE(wide.length, 0);
  tail.writeUInt32LE(FILE_MODE, 8);
  tail.writeUInt32LE(isWide ? MAX_32 : offset, 12);
  return Buffer.concat([head, shared(entry, crc, sizes), tail, name, wide]);
}

/** Returns the records after the directory, which has `length` bytes at `from`. */
function endRecords(entries: number, from: number, length: number): Buffer {
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(Math.min(entries, MAX_16), 8);
  end.writeUInt16LE(Math.min(entries, MAX_16), 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(Math.min(from, MAX_32), 16);
  if (from < MAX_32) return end;
  const wide = Buffer.alloc(56 + 20);
  wide.write("PK\x06\x06", "latin1");
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE(MADE_BY, 12);
  wide.writeUInt16LE(VERSION_NEEDED_64, 14);
  wide.writeBigUInt64LE(BigInt(entries), 24);
  wide.writeBigUInt64LE(BigInt(entries), 32);
  wide.writeBigUInt64LE(BigInt(length), 40);
  wide.writeBigUInt64LE(BigInt(from), 48);
  wide.write("PK\x06\x07", 56, "latin1");
  wide.writeBigUInt64LE(BigInt(from + length), 64);
  wide.writeUInt32LE(1, 72);
  return Buffer.concat([wide, end]);
}
