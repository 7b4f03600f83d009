/**
 * The `roaring` package as the oracle of posting lists, and its only importer: converts sorted row
 * numbers to a portable bitmap and back.
 * Invariant: bytes are those of CRoaring after run_optimize, so equality proves that the addon
 * chose the same containers and wrote them the same way.
 */
import roaring from "roaring";

/** Bytes of the portable Roaring bitmap of the rows, each container in its smallest form. */
export function portableBytes(rows: Iterable<number>): Buffer {
  const bitmap = new roaring.RoaringBitmap32(rows);
  bitmap.runOptimize();
  return Buffer.from(bitmap.serialize("portable"));
}

/** Rows of a portable Roaring bitmap. */
export function portableRows(bytes: Uint8Array): number[] {
  return roaring.RoaringBitmap32.deserialize(bytes, "portable").toArray();
}

/** Form and payload of the one container of some rows below 65,536. */
export function containerOf(lows: readonly number[]): { type: string; payload: Buffer } {
  const bytes = portableBytes(lows);
  const hasRuns = (bytes.readUInt32LE(0) & 0xffff) === 12347;
  // With runs: cookie, a byte of flags, a description. Without: cookie, count, description, offset.
  if (hasRuns) return { type: "run", payload: bytes.subarray(4 + 1 + 4) };
  return { type: lows.length > 4096 ? "bitset" : "array", payload: bytes.subarray(8 + 4 + 4) };
}
