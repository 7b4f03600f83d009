/**
 * Writes a zip file with one member, from packed chunks in order, each with any whole number of
 * rows.
 * Invariant: chunks are independent. The same chunks give the same bytes. No time or machine is
 * stored. Source: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header) to 4.3.16 (end record).
 */
import { type FileHandle, open } from "node:fs/promises";
import { crc32, crc32Joined } from "../../crc32.ts";
import { Deflater, STREAM_END } from "./deflate.ts";

const MAX_32 = 0xffffffff;

interface ZipOptions {
  readonly member: string;
  /** `YYYY-MM-DD`, the member's date. */
  readonly date: string;
  /** True to write the 64-bit form, which members over 4 GiB need. */
  readonly isZip64: boolean;
}

/** Writes one zip. */
export class ZipWriter {
  private readonly options: ZipOptions;
  private readonly handle: FileHandle;
  private crc = 0;
  private bytes = 0;
  private packedBytes = 0;
  private position = 0;

  private constructor(handle: FileHandle, options: ZipOptions) {
    this.handle = handle;
    this.options = options;
  }

  /** Creates the file; fails if it exists. */
  static async create(path: string, options: ZipOptions): Promise<ZipWriter> {
    const writer = new ZipWriter(await open(path, "wx"), options);
    await writer.append(writer.localHeader());
    return writer;
  }

  /** Adds a piece. */
  async write(piece: Piece): Promise<void> {
    if (piece.bytes === 0) return;
    this.crc = crc32Joined(this.crc, piece.crc, piece.bytes);
    this.bytes += piece.bytes;
    await this.appendPacked(piece.packed);
  }

  /** Ends the member, writes the directory, and makes the file durable. */
  async close(): Promise<void> {
    await this.appendPacked(STREAM_END);
    if (!this.options.isZip64 && this.position > MAX_32) {
      throw new Error("a member over 4 GiB needs isZip64");
    }
    const directoryAt = this.position;
    await this.append(this.directory(directoryAt));
    const header = this.localHeader();
    await this.handle.write(header, 0, header.length, 0);
    await this.handle.sync();
    await this.handle.close();
  }

  /** Closes the file without finishing it. */
  async abort(): Promise<void> {
    await this.handle.close();
  }

  private async appendPacked(packed: Uint8Array): Promise<void> {
    this.packedBytes += packed.length;
    await this.append(packed);
  }

  private async append(bytes: Uint8Array): Promise<void> {
    await this.handle.write(bytes, 0, bytes.length, this.position);
    this.position += bytes.length;
  }

  /** Returns version, flags, method, time, date, CRC, and sizes, equal in both headers. */
  private shared(): Buffer {
    const { isZip64, date } = this.options;
    const [year, month, day] = date.split("-").map(Number) as [number, number, number];
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(isZip64 ? 45 : 20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt16LE(((year - 1980) << 9) | (month << 5) | day, 8);
    fields.writeUInt32LE(this.crc, 10);
    fields.writeUInt32LE(isZip64 ? MAX_32 : this.packedBytes, 14);
    fields.writeUInt32LE(isZip64 ? MAX_32 : this.bytes, 18);
    fields.writeUInt16LE(Buffer.byteLength(this.options.member), 22);
    fields.writeUInt16LE(isZip64 ? 20 : 0, 24);
    return fields;
  }

  private extra(): Buffer {
    if (!this.options.isZip64) return Buffer.alloc(0);
    const extra = Buffer.alloc(20);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(16, 2);
    extra.writeBigUInt64LE(BigInt(this.bytes), 4);
    extra.writeBigUInt64LE(BigInt(this.packedBytes), 12);
    return extra;
  }

  private localHeader(): Buffer {
    const name = Buffer.from(this.options.member);
    return Buffer.concat([Buffer.from("PK\x03\x04"), this.shared(), name, this.extra()]);
  }

  private directory(at: number): Buffer {
    const shared = this.shared();
    const entry = Buffer.concat([
      Buffer.from("PK\x01\x02"),
      shared.subarray(0, 2),
      shared,
      Buffer.alloc(14),
      Buffer.from(this.options.member),
      this.extra(),
    ]);
    const end = Buffer.alloc(22);
    end.write("PK\x05\x06");
    end.writeUInt16LE(1, 8);
    end.writeUInt16LE(1, 10);
    end.writeUInt32LE(entry.length, 12);
    end.writeUInt32LE(this.options.isZip64 ? MAX_32 : at, 16);
    return Buffer.concat([entry, this.zip64End(at, entry.length), end]);
  }

  private zip64End(at: number, length: number): Buffer {
    if (!this.options.isZip64) return Buffer.alloc(0);
    const end = Buffer.alloc(56 + 20);
    end.write("PK\x06\x06");
    end.writeBigUInt64LE(44n, 4);
    end.writeUInt16LE(45, 12);
    end.writeUInt16LE(45, 14);
    end.writeBigUInt64LE(1n, 24);
    end.writeBigUInt64LE(1n, 32);
    end.writeBigUInt64LE(BigInt(length), 40);
    end.writeBigUInt64LE(BigInt(at), 48);
    end.write("PK\x06\x07", 56);
    end.writeBigUInt64LE(BigInt(at + length), 64);
    end.writeUInt32LE(1, 72);
    return end;
  }
}

/** A packed part of a member. */
export interface Piece {
  readonly packed: Uint8Array;
  /** Length and CRC-32 before packing. */
  readonly bytes: number;
  readonly crc: number;
}

/** Compresses the first `length` bytes. */
export function packWith(deflater: Deflater, bytes: Uint8Array, length: number): Piece {
  // A copy, because the packer's memory is reused.
  const packed = deflater.pack(bytes, length).slice();
  return { packed, bytes: length, crc: crc32(bytes.subarray(0, length)) };
}

/** Compresses bytes of any length. */
export function packChunk(bytes: Uint8Array): Piece {
  return packWith(new Deflater(bytes.length), bytes, bytes.length);
}
