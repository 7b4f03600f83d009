/**
 * The identity of a snapshot: a hash that stands for every byte of it. What comes in: a file, and
 * where its footer says that the digests of its blocks lie. What goes out: the identity, checked.
 * Invariant: what is given back is the hash of the digests that are in the file; that the blocks
 * have these digests is checked by whoever verifies them (`verify.ts`, the addon's `verify`).
 * Layout: `format.h`.
 */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { DigestsLocation, DirectoryLocation } from "../../napi/engine.ts";
import type { CheckedFile } from "./checked-file.ts";

/** Bytes of a digest. */
export const DIGEST_BYTES = 32;

/** Bytes that one digest covers: those of one checksum (region.ts has the same number). */
const BLOCK_BYTES = 1 << 16;

/** Digests are read this much at a time: under a millisecond of work. */
const SLICE_BYTES = 1 << 20;

const MAGIC = "PNRIDENT";

/** How many blocks there are before an offset. */
export function blocksBefore(offset: number): number {
  return Math.ceil(offset / BLOCK_BYTES);
}

/** The place of the digests as the footer's JSON has it; nothing where there are none. */
export function digestsJson({ digests }: DirectoryLocation): object {
  if (digests === undefined) return {};
  const { offset, length, sha256 } = digests;
  return { digests: { offset: String(offset), length: String(length), sha256 } };
}

/** Reads it back; nothing where a file has none. @throws CommandError where it cannot be. */
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
 * The identity, 64 hexadecimal digits, computed from the digests; lets other work have its turns.
 * @throws CommandError where it is not the one that the footer says.
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
