/**
 * CRC-32 of the zip format (IEEE 802.3, reflected polynomial 0xEDB88320), computed in one call or
 * in several.
 * Invariant: `crc32(b, crc32(a)) === crc32(a + b)`. Node's own function is used if it exists (20.15
 * and later), else a table. `crc32Joined` computes the checksum of two joined parts from their
 * checksums.
 */
import * as zlib from "node:zlib";

const POLYNOMIAL = 0xedb88320;

const TABLE = new Uint32Array(256).map((_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? POLYNOMIAL ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Computes CRC-32 by table, byte by byte: the fallback, and the reference in tests. */
export function crc32ByTable(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Computes the CRC-32 of `bytes`; `before` is the checksum of preceding bytes. */
export const crc32: (bytes: Uint8Array, before?: number) => number =
  typeof zlib.crc32 === "function" ? zlib.crc32 : crc32ByTable;

/** Returns the product of two polynomials modulo the CRC polynomial. The highest bit is x^0. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) sum ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return sum;
}

/** Returns x^(8 · length), the factor of a checksum that `length` more bytes follow. */
function powerOfBytes(length: number): number {
  let square = 0x00800000;
  let power = 0x80000000;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = product(square, power);
    square = product(square, square);
  }
  return power;
}

/** Returns the CRC-32 of two joined parts from their checksums and the second part's length. */
export function crc32Joined(first: number, second: number, length: number): number {
  return (product(powerOfBytes(length), first) ^ second) >>> 0;
}
