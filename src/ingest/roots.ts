/**
 * Company roots as numbers: 8 characters in base 36, below 36^8 < 2^42; and their partitions.
 * Invariant: a root has the same partition in every file and in the addon (scan/row_scan.h). Apart
 * because the import and its twin (test/support/ingest) share it.
 */
import { BRANCHES } from "../dump/cnpj.ts";

/** Partition of a root, shared by all rows of a company. */
export function partitionOf(root: number, partitions: number): number {
  const high = Math.floor(root / BRANCHES);
  const low = root % BRANCHES;
  let hash = Math.imul(high ^ Math.imul(low, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % partitions;
}

/** Number of the base-36 digits in `bytes[start..end)`; they must be 0-9 and A-Z. */
export function readBase36(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let p = start; p < end; p++) {
    const byte = bytes[p] as number;
    value = value * 36 + (byte < 58 ? byte - 48 : byte - 55);
  }
  return value;
}
