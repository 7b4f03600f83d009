/**
 * Opens copies of fixtures in whose index region some bytes were changed.
 * Invariant: all checksums match the changed bytes, so that only other checks can reject the file.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { crc32c, type NativeSegment, openSegment } from "../../../native-index/napi/engine.ts";
import { partsIn } from "./parts-decode.ts";
import type { Region } from "./region-decode.ts";
import type { Fixture } from "./region-fixture.ts";

const BLOCK_BYTES = 65_536;

/** Returns the offset in the file at which an optional part begins. */
export function startOfPart(region: Region, magic: string): number {
  const part = partsIn(region).get(magic) ?? assert.fail(`no ${magic}`);
  return part.byteOffset - region.file.byteOffset;
}

/** Opens a copy of a fixture at `file` with some bytes changed and all checksums updated. */
export function openForged(
  { fixture, region }: { readonly fixture: Pick<Fixture, "directory">; readonly region: Region },
  file: string,
  change: (bytes: Buffer) => void,
): NativeSegment {
  const bytes = Buffer.from(region.file);
  change(bytes);
  const { offset, length } = fixture.directory;
  const blocks = region.entries.find(({ kind }) => kind === 12) ?? assert.fail("no BLOCKS");
  for (let at = 0; at < blocks.offset; at += BLOCK_BYTES) {
    const sum = crc32c(bytes.subarray(at, Math.min(at + BLOCK_BYTES, blocks.offset)));
    bytes.writeUInt32LE(sum, blocks.offset + (at / BLOCK_BYTES) * 4);
  }
  const sums = bytes.subarray(blocks.offset, blocks.offset + blocks.length);
  bytes.writeBigUInt64LE(BigInt(crc32c(sums)), offset + 40);
  writeFileSync(file, bytes);
  return openSegment(file, {
    offset,
    length,
    crc32c: crc32c(bytes.subarray(offset, offset + length)),
  });
}
