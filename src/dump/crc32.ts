/**
 * What comes in: bytes and the checksum of the bytes before them.
 * What goes out: the CRC-32 of the zip format (IEEE 802.3, reflected polynomial 0xEDB88320).
 * Invariant: `crc32(b, crc32(a)) === crc32(a + b)`; Node's own function is used where it exists
 * (20.15 and later), and the table gives the same numbers where it does not.
 */
import * as zlib from "node:zlib";

const TABLE = new Uint32Array(256).map((_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 by table, one byte at a time: the fallback, and the twin in tests. */
export function crc32ByTable(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** CRC-32 of `bytes` that follow bytes with the checksum `before`. */
export const crc32: (bytes: Uint8Array, before?: number) => number =
  typeof zlib.crc32 === "function" ? zlib.crc32 : crc32ByTable;
