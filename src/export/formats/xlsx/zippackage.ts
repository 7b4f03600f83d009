/**
 * A ZIP package that is written from its first byte to its last. What comes in: small parts as they
 * are, and one large part as pieces of a DEFLATE stream. What goes out: the bytes of the package.
 * Invariant: the same parts and pieces give the same bytes; nothing in it tells of the time or the
 * machine; only what the directory says of each part is kept in memory.
 * Why not a library: none takes pieces that were packed on other threads. The bytes of a package
 * are those that yazl 3.3.1 wrote here before.
 * Source: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header) to 4.3.16 (end record).
 */
import { crc32, crc32Joined } from "../../../dump/crc32.ts";

/** A piece of a part: its bytes packed, and of what they were their number and checksum. */
export interface PackedPiece {
  readonly packed: Uint8Array;
  readonly bytes: number;
  readonly crc: number;
}

/** What the directory says of a part. */
interface Entry {
  readonly name: Buffer;
  readonly offset: number;
  /** False for a part that is there as it is. */
  readonly isPacked: boolean;
  crc: number;
  bytes: number;
  packedBytes: number;
}

const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const METHOD_DEFLATE = 8;
/** Names are UTF-8; checksum and sizes of what is packed stand behind it. */
const FLAG_UTF8 = 1 << 11;
const FLAG_SIZES_BEHIND = 1 << 3;
/** 1980-01-01, the earliest day that ZIP knows, at midnight. */
const EARLIEST_DATE = 0x21;
const VERSION_NEEDED = 20;
const VERSION_NEEDED_64 = 45;
/** Made by Unix, version 6.3 of the format; a file that its owner and group may write. */
const MADE_BY = (3 << 8) | 63;
const FILE_MODE = (0o100664 << 16) >>> 0;

/** Writes one package: parts, or `begin`, pieces and `endPart`, in any order; then `end`. */
export class ZipPackage {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #entries: Entry[] = [];
  #position = 0;

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  /** Adds a part as it is. */
  part(path: string, bytes: Uint8Array): void {
    const sizes = { crc: crc32(bytes), bytes: bytes.length, packedBytes: bytes.length };
    this.#open(path, { isPacked: false, ...sizes });
    this.#put(bytes);
  }

  /** Begins a part that comes in pieces. */
  begin(path: string): void {
    this.#open(path, { isPacked: true, crc: 0, bytes: 0, packedBytes: 0 });
  }

  /** Adds the next piece of the part that was begun. */
  piece({ packed, bytes, crc }: PackedPiece): void {
    const entry = this.#last();
    entry.crc = crc32Joined(entry.crc, crc, bytes);
    entry.bytes += bytes;
    entry.packedBytes += packed.length;
    this.#put(packed);
  }

  /** Ends the part that was begun. */
  endPart(): void {
    const entry = this.#last();
    const { crc, bytes, packedBytes } = entry;
    const isWide = is64(entry);
    const behind = Buffer.alloc(isWide ? 24 : 16);
    behind.write("PK\x07\x08", "latin1");
    behind.writeUInt32LE(crc, 4);
    putNumber(behind, { at: 8, isWide, value: packedBytes });
    putNumber(behind, { at: isWide ? 16 : 12, isWide, value: bytes });
    this.#put(behind);
  }

  /** Writes the directory. */
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

/** Whether 32 bits do not hold a size or the place of a part. */
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

/** Flags, method, time, date, checksum, sizes and length of the name: as both headers have them. */
function shared({ name, isPacked }: Entry, crc: number, sizes: readonly [number, number]): Buffer {
  const fields = Buffer.alloc(22);
  fields.writeUInt16LE(FLAG_UTF8 | (isPacked ? FLAG_SIZES_BEHIND : 0), 0);
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

/** What stands behind the directory, which has `length` bytes from `from` on. */
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
