/**
 * What comes in: bytes of a member, any whole number of rows.
 * What goes out: a piece: the bytes packed, and what the zip's directory has to know of them.
 * Invariant: pieces do not depend on each other; those of a member, written one after the other,
 * are the member.
 */
import { crc32 } from "../crc32.ts";
import { Deflater } from "./zip/deflate.ts";

/** A packed part of a member. */
export interface Piece {
  readonly packed: Uint8Array;
  /** Length and CRC-32 of what was packed. */
  readonly bytes: number;
  readonly crc: number;
}

/** Makes a piece of the first `length` bytes. */
export function packWith(deflater: Deflater, bytes: Uint8Array, length: number): Piece {
  // Apart from the packer's memory, which is used again.
  const packed = deflater.pack(bytes, length).slice();
  return { packed, bytes: length, crc: crc32(bytes.subarray(0, length)) };
}

/** Makes a piece of bytes of any length. */
export function packPiece(bytes: Uint8Array): Piece {
  return packWith(new Deflater(bytes.length), bytes, bytes.length);
}
