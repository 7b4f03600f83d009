/**
 * Checksums of the blobs in the state: CRC-32C (RFC 3720, appendix B.4) of their bytes.
 * Invariant: every table with blobs has a row in `BLOBS`, and each of its rows holds the checksum
 * of all of its blobs in the column `checksum`. SQLite checks structure and kinds of values only,
 * so a flipped bit in a blob is another valid blob to it.
 */
import { crc32c } from "../../native-index/napi/engine.ts";

/** Name of the SQL function: `blob_checksum(blob, …)`. Every connection has it. */
export const CHECKSUM_FUNCTION = "blob_checksum";

/** A table whose rows hold blobs. */
interface BlobTable {
  readonly table: string;
  readonly blobs: readonly string[];
}

/** Every table with blobs. `test/contract/store/blobs.test.ts` compares it with the schema. */
export const BLOBS: readonly BlobTable[] = [
  { table: "keys", blobs: ["hash"] },
  { table: "users", blobs: ["password_hash", "password_salt"] },
  { table: "sessions", blobs: ["hash"] },
  { table: "list_entries", blobs: ["entries"] },
  { table: "exported_entries", blobs: ["entries"] },
];

/** Thrown when the bytes of a blob are not those that were written. */
export class BlobDamage extends Error {}

/** Returns the checksum of some blobs, in their order. */
export function blobChecksum(...blobs: readonly Uint8Array[]): number {
  return blobs.reduce((sum, blob) => crc32c(blob, sum), 0);
}

/** Throws `BlobDamage` if blobs of `table` differ from what was written. */
export function checkBlobs(table: string, checksum: number | null, ...blobs: Uint8Array[]): void {
  if (checksum === blobChecksum(...blobs)) return;
  throw new BlobDamage(`a row of ${table} does not match its checksum`);
}
