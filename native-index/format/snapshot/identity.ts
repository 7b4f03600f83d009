/**
 * The identity of a snapshot: a hash that covers every byte of it.
 * Input: a file, and the location of its block digests from the footer. Output: the checked
 * identity.
 * Invariant: the identity is the hash of the digests in the file. Verification checks that the
 * blocks match these digests (`verify.ts`, the addon's `verify`). Layout: `format.h`.
 */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { DigestsLocation, DirectoryLocation } from "../../napi/engine.ts";
import type { CheckedFile } from "./checked-file.ts";

/** Bytes of a digest. */
export const DIGEST_BYTES = 32;

/** Bytes that one digest covers. One checksum covers as many (region.ts has the same number). */
const BLOCK_BYTES = 1 << 16;

/** Digests are read in slices of this size, each of which takes less than a millisecond. */
const SLICE_BYTES = 1 << 20;

const MAGIC = "PNRIDENT";

/** Number of blocks before an offset. */
export function blocksBefore(offset: number): number {
  return Math.ceil(offset / BLOCK_BYTES);
}

/** Returns the member of the footer's JSON that locates the digests; empty if there are none. */
export function digestsJson({ digests }: DirectoryLocation): object {
  if (digests === undefined) return {};
  const { offset, length, sha256 } = digests;
  return { digests: { offset: String(offset), length: String(length), sha256 } };
}

/** Parses the location of the digests; empty if there are none. @throws CommandError if invalid. */
export function readDigests(
  file: CheckedFile,
  json: unknown,
  directory: DirectoryLocation,
): Pick<DirectoryLocation, "digests"> {
  if (json === undefined) return {};
  const { offset: from, length: bytes, sha256 } = (json ?? {}) as Record<string, unknown>;
  const [offset, length] = [from, bytes].map((text) =>
    typeof text === "string" && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN,
  ) as [number, number];
  const isSound =
    [offset, length].every(Number.isSafeInteger) &&
    offset >= directory.offset + directory.length &&
    length === DIGEST_BYTES * blocksBefore(offset) &&
    offset <= file.footerOffset - length &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256);
  if (!isSound) file.refuse("its footer is damaged (the digests lie outside of the file)");
  return { digests: { offset, length, sha256: sha256 as string } };
}

/**
 * Returns the identity (64 hexadecimal digits), computed from the digests. Lets other events run in
 * between.
 * @throws CommandError if the identity in the footer is different
 */
export async function identityOf(file: CheckedFile, digests: DigestsLocation): Promise<string> {
  const { offset, length, sha256 } = digests;
  const head = Buffer.alloc(16, MAGIC, "latin1");
  head.writeBigUInt64LE(BigInt(offset), MAGIC.length);
  const hash = createHash("sha256").update(head);
  for (let at = 0; at < length; at += SLICE_BYTES) {
    hash.update(file.read(offset + at, Math.min(SLICE_BYTES, length - at)));
    await setImmediate();
  }
  const found = hash.digest("hex");
  if (found !== sha256) file.refuse("its digests are damaged");
  return found;
}
