/**
 * Checks every byte of a snapshot.
 * Input: an opened snapshot. Output: a list of all damage, with locations.
 * Invariant: nothing is mapped or served. The opener has checked footer, directory, metadata, and
 * identity. This checks one CRC-32C and one SHA-256 per 64 KiB block (older files have no SHA-256).
 * No checksum covers the footer. So its bytes must equal the writer's encoding of its content, and
 * its block lists must match a walk over the messages.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { crc32c, sha256 } from "../../napi/engine.ts";
import { decodeBlocks, decodeFooter, encodeFooter } from "../arrow/arrow.ts";
import type { FooterParts, MessageBlock } from "../arrow/arrow-parts.ts";
import { CheckedFile } from "./checked-file.ts";
import { INDEX_KEY } from "./footer.ts";
import { blocksBefore, DIGEST_BYTES } from "./identity.ts";
import { BLOCK_BYTES, SECTION, type SnapshotSection } from "./region.ts";
import type { OpenedSnapshot } from "./snapshot.ts";
import { columnsOf } from "./versions.ts";

/** Number of blocks that are read in one step: 4 MiB. */
const BLOCKS_PER_TRANSACTION = 64;

/** Maximum problems listed; more would add no information. */
const PROBLEMS_MAX = 20;

/** A damaged place of a snapshot. */
export interface Damage {
  readonly block: number;
  /** First byte of the damaged block. */
  readonly offset: number;
  /** Section of the block; null if the block is in the Arrow stream before the index. */
  readonly section: SnapshotSection | null;
}

/** Result of a check. */
export interface Verification {
  readonly blocks: number;
  readonly damaged: readonly Damage[];
  /** False if the footer is damaged, or does not list the messages in the file. */
  readonly footerAgrees: boolean;
}

/** Checks all blocks. Calls `onBlocks` with the number of blocks checked so far. */
export async function verifySnapshot(
  snapshot: OpenedSnapshot,
  onBlocks: (done: number) => void,
): Promise<Verification> {
  const section = snapshot.sections.find(({ kind }) => kind === SECTION.blocks);
  if (section === undefined) throw new RangeError("the opener lets no such file pass");
  const file = new CheckedFile(snapshot.path);
  const isRight = comparison(snapshot, section, file);
  const end = Math.max(section.offset, snapshot.directory.digests?.offset ?? 0);
  const blocks = blocksBefore(end);
  const damaged: Damage[] = [];
  const bytes = Buffer.alloc(BLOCKS_PER_TRANSACTION * BLOCK_BYTES);
  const fd = openSync(snapshot.path, "r");
  try {
    for (let first = 0; first < blocks; first += BLOCKS_PER_TRANSACTION) {
      const start = first * BLOCK_BYTES;
      const length = Math.min(bytes.length, end - start);
      if (readSync(fd, bytes, 0, length, start) < length) file.refuse("it is cut off");
      for (let at = 0; at < length; at += BLOCK_BYTES) {
        const block = first + at / BLOCK_BYTES;
        const right = isRight(block, bytes.subarray(at, Math.min(at + BLOCK_BYTES, length)));
        if (right || damaged.length >= PROBLEMS_MAX) continue;
        damaged.push({ block, offset: start + at, section: sectionAt(snapshot, start + at) });
      }
      onBlocks(Math.min(blocks, first + BLOCKS_PER_TRANSACTION));
      await new Promise(setImmediate);
    }
  } finally {
    closeSync(fd);
  }
  return { blocks, damaged, footerAgrees: damaged.length > 0 || footerAgrees(snapshot, file) };
}

/** Returns a function that compares the bytes of a block with its checksum and its digest. */
function comparison(
  { directory: { digests } }: OpenedSnapshot,
  section: SnapshotSection,
  file: CheckedFile,
): (block: number, bytes: Buffer) => boolean {
  const sums = file.read(section.offset, section.length);
  if (section.length !== 4 * blocksBefore(section.offset)) file.refuse("its checksums are cut off");
  const known = digests === undefined ? null : file.read(digests.offset, digests.length);
  return (block, bytes) => {
    // Only these bytes have checksums. Digests also cover bytes after them.
    const summed = bytes.subarray(0, Math.max(0, section.offset - block * BLOCK_BYTES));
    if (summed.length > 0 && crc32c(summed) !== sums.readUInt32LE(4 * block)) return false;
    const at = block * DIGEST_BYTES;
    return known === null || known.subarray(at, at + DIGEST_BYTES).equals(sha256(bytes));
  };
}

function sectionAt(snapshot: OpenedSnapshot, offset: number): SnapshotSection | null {
  const touched = snapshot.sections.filter((section) => {
    return section.offset < offset + BLOCK_BYTES && section.offset + section.length > offset;
  });
  return touched.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** True if the footer has the bytes that the writer makes, and lists the messages in the file. */
function footerAgrees(snapshot: OpenedSnapshot, file: CheckedFile): boolean {
  try {
    return footerMatches(snapshot, file);
  } catch (error) {
    // The decoder throws these errors on damaged bytes.
    if (error instanceof RangeError || error instanceof TypeError) return false;
    throw error;
  }
}

function footerMatches(snapshot: OpenedSnapshot, file: CheckedFile): boolean {
  const end = file.read(snapshot.footerOffset, snapshot.bytes - snapshot.footerOffset);
  const footer = end.subarray(0, -10);
  const listed = decodeBlocks(footer);
  return (
    end.equals(writtenAgain(snapshot, footer, listed)) &&
    isPadding(snapshot, file) &&
    messagesAgree(file, [...listed.dictionaries, ...listed.batches])
  );
}

/**
 * Returns the content of a footer, encoded as the writer does it. Returns empty bytes if its index
 * location is damaged.
 */
function writtenAgain(
  { meta, directory }: OpenedSnapshot,
  footer: Buffer,
  listed: Pick<FooterParts, "dictionaries" | "batches">,
): Uint8Array {
  const { schemaMetadata, metadata } = decodeFooter(footer);
  const location = metadata[INDEX_KEY] ?? "";
  if (!isLocation(location, directory.digests !== undefined)) return Buffer.alloc(0);
  return encodeFooter({
    columns: columnsOf(meta.format),
    schemaMetadata,
    ...listed,
    metadata: { [INDEX_KEY]: location },
  });
}

/** Members of an index location that the opener reads. */
const LOCATION_MEMBERS = new Set(["version", "offset", "length", "crc32c", "digests"]);

/**
 * Returns false if the name of a member is damaged. (The opener checks the values.) A newer program
 * may add members, so unknown names are allowed. But if `digests` is missing and there is an
 * unknown member, its name must be a damaged `digests`.
 */
function isLocation(text: string, hasDigests: boolean): boolean {
  const json = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const isKnown = Object.keys(json).every((name) => LOCATION_MEMBERS.has(name));
  return JSON.stringify(json) === text && (hasDigests || isKnown);
}

/** True if only padding precedes the footer. */
function isPadding(snapshot: OpenedSnapshot, file: CheckedFile): boolean {
  const { directory, sections, footerOffset } = snapshot;
  const parts = [directory, ...sections, ...(directory.digests ? [directory.digests] : [])];
  const end = Math.max(...parts.map(({ offset, length }) => offset + length));
  return file.read(end, footerOffset - end).every((byte) => byte === 0);
}

/** True if the messages from the start of the file on are those that the footer lists. */
function messagesAgree(file: CheckedFile, blocks: readonly MessageBlock[]): boolean {
  let offset = 8 + 8 + file.read(8, 8).readInt32LE(4);
  for (const block of blocks) {
    const head = file.read(offset, 8);
    const isMessage =
      head.readInt32LE(0) === -1 && head.readInt32LE(4) + 8 === block.metadataLength;
    if (block.offset !== offset || !isMessage) return false;
    offset += block.metadataLength + block.bodyLength;
  }
  const end = file.read(offset, 8);
  return end.readInt32LE(0) === -1 && end.readInt32LE(4) === 0;
}
