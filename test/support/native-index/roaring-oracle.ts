/**
 * Converts sorted row numbers to a portable bitmap and back. It is the only file that imports the
 * `roaring` package, which serves as the independent implementation for posting lists.
 * Invariant: the bytes are those of CRoaring after run_optimize. Equality therefore proves that the
 * addon chose the same containers and wrote them in the same way.
 */
import roaring from "roaring";

/** Returns the rows as a portable Roaring bitmap, with each container in its smallest form. */
export function portableBytes(rows: Iterable<number>): Buffer {
  const bitmap = new roaring.RoaringBitmap32(rows);
  bitmap.runOptimize();
  return Buffer.from(bitmap.serialize("portable"));
}

/** Rows of a portable Roaring bitmap. */
export function portableRows(bytes: Uint8Array): number[] {
  return roaring.RoaringBitmap32.deserialize(bytes, "portable").toArray();
}

/** Returns the form and payload of the container of these rows, all below 65,536. */
export function containerOf(lows: readonly number[]): { type: string; payload: Buffer } {
  const bytes = portableBytes(lows);
  const hasRuns = (bytes.readUInt32LE(0) & 0xffff) === 12347;
  // A bitmap with runs begins with a cookie, a byte of flags, and a description. One without runs
  // begins with cookie, count, description, and offset.
  if (hasRuns) return { type: "run", payload: bytes.subarray(4 + 1 + 4) };
  return { type: lows.length > 4096 ? "bitset" : "array", payload: bytes.subarray(8 + 4 + 4) };
}
