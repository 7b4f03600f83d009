/**
 * Checksums of the blobs in the state: CRC-32C (RFC 3720, appendix B.4) of their bytes.
 * Invariant: every table with blobs is listed in `BLOBS`, and each of its rows has the checksum of
 * all its blobs in the column `checksum`. SQLite checks only structure and kinds of values, so it
 * does not notice a flipped bit in a blob.
 */
import { crc32c } from "../../native-index/napi/engine.ts";

/** Name of the SQL function `blob_checksum(blob, …)`. Every connection has it. */
export const CHECKSUM_FUNCTION = "blob_checksum";

interface BlobTable {
  readonly table: string;
  readonly blobs: readonly string[];
}

/** All tables with blobs. `test/contract/store/blobs.test.ts` compares it with the schema. */
export const BLOBS: readonly BlobTable[] = [
  { table: "keys", blobs: ["hash"] },
  { table: "users", blobs: ["password_hash", "password_salt"] },
  { table: "sessions", blobs: ["hash"] },
  { table: "list_entries", blobs: ["entries"] },
  { table: "exported_entries", blobs: ["entries"] },
  { table: "webhooks", blobs: ["seed", "old_seed"] },
];

/** Thrown if the bytes of a blob do not match its checksum. */
export class BlobDamage extends Error {}

/** Returns the checksum of the concatenated blobs. */
export function blobChecksum(...blobs: readonly Uint8Array[]): number {
  return blobs.reduce((sum, blob) => crc32c(blob, sum), 0);
}

/** Throws `BlobDamage` if blobs of `table` do not match the checksum. */
export function checkBlobs(table: string, checksum: number | null, ...blobs: Uint8Array[]): void {
  if (checksum === blobChecksum(...blobs)) return;
  throw new BlobDamage(`a row of ${table} does not match its checksum`);
}
