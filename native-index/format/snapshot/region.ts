/**
 * The index region of an untrusted file.
 * Input: the index location from its footer. Output: the location of directory and digests, its
 * entries, and sections whose blocks have valid checksums.
 * Invariant: every number is checked against the file before use. Each kind of section occurs once
 * per argument, so two readers cannot read different ones.
 */

import { crc32c, type DirectoryLocation } from "../../napi/engine.ts";
import { ARROW_ALIGN } from "../arrow/arrow-parts.ts";
import type { CheckedFile } from "./checked-file.ts";
import { readDigests } from "./identity.ts";
import { ADMITTED, versionRefusal } from "./versions.ts";

/** Kinds of section that the writer prepares; numbers as in `format.h`. */
export const SECTION = { meta: 1, columns: 2, table: 3, blocks: 12 } as const;

/** Bytes that one checksum of the BLOCKS section covers. */
export const BLOCK_BYTES = 1 << 16;

/** Size of the directory's header, and max size of the directory (hundreds of sections). */
const DIRECTORY_HEADER_BYTES = 48;
const DIRECTORY_BYTES_MAX = 1 << 16;

/** One entry of the directory. */
export interface SnapshotSection {
  readonly kind: number;
  readonly argument: number;
  readonly offset: number;
  readonly length: number;
}

/** Parses the index location of a footer. */
export function parseLocation(file: CheckedFile, text: string | undefined): DirectoryLocation {
  if (text === undefined) {
    return file.refuse("it is an Arrow file without an index; run `peneira import` on it first");
  }
  const { version, offset, length, crc32c: crc, digests } = locationOf(file, text);
  if (typeof version !== "number" || !ADMITTED.has(version)) {
    return file.refuse(versionRefusal(version));
  }
  const isSound =
    [offset, length, crc].every((number) => Number.isSafeInteger(number) && number >= 0) &&
    offset % ARROW_ALIGN === 0 &&
    length >= DIRECTORY_HEADER_BYTES &&
    length <= DIRECTORY_BYTES_MAX &&
    offset <= file.footerOffset - length;
  if (!isSound) file.refuse("its footer is damaged (the index lies outside of the file)");
  const directory = { offset, length, crc32c: crc };
  return { ...directory, ...readDigests(file, digests, directory) };
}

/** The members of the index location; NaN for anything but a number. */
type LocationMembers = Omit<DirectoryLocation, "digests"> & Record<"version" | "digests", unknown>;

function locationOf(file: CheckedFile, text: string): LocationMembers {
  let json: Readonly<Record<string, unknown>> | null;
  try {
    json = JSON.parse(text) as typeof json;
  } catch {
    return file.refuse("its footer is damaged (the index location is not JSON)");
  }
  const numberOf = (value: unknown): number =>
    typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
  const { version, offset, length, crc32c: crc, digests } = json ?? {};
  const numbers = { offset: numberOf(offset), length: numberOf(length), crc32c: numberOf(crc) };
  return { version, ...numbers, digests };
}

/**
 * Returns the directory's entries, version, and number of rows. @throws CommandError if the
 * directory is damaged.
 */
export function readDirectory(
  file: CheckedFile,
  location: DirectoryLocation,
): { sections: SnapshotSection[]; rowCount: number; version: number } {
  const bytes = file.read(location.offset, location.length);
  if (crc32c(bytes) !== location.crc32c) file.refuse("its index directory is damaged");
  const version = bytes.readUInt32LE(8);
  const columns = ADMITTED.get(version);
  if (bytes.toString("latin1", 0, 8) !== "PNRINDEX" || columns === undefined) {
    file.refuse("its index directory is of another version; import the dump again");
  }
  if (bytes.readBigUInt64LE(24) !== columns) {
    file.refuse("it has the columns of another version of the program; import the dump again");
  }
  const count = bytes.readUInt32LE(12);
  if (location.length < DIRECTORY_HEADER_BYTES + 24 * count)
    file.refuse("its index directory is damaged");
  const seen = new Set<string>();
  const sections = Array.from({ length: count }, (_, i) => {
    const at = DIRECTORY_HEADER_BYTES + 24 * i;
    const section = {
      kind: bytes.readUInt32LE(at),
      argument: bytes.readUInt32LE(at + 4),
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      length: Number(bytes.readBigUInt64LE(at + 16)),
    };
    if (section.offset > location.offset - section.length) {
      file.refuse("its index directory is damaged (a section lies outside)");
    }
    const name = `${section.kind}.${section.argument}`;
    if (seen.has(name)) file.refuse("its index directory is damaged (a section is there twice)");
    seen.add(name);
    return section;
  });
  return { sections, rowCount: Number(bytes.readBigUInt64LE(16)), version };
}

/** Alignment of sections and optional parts (`format.h`). */
const SECTION_ALIGN = 64;
/** Size of the head of an optional part (`region.h`), and offset of the part's length in it. */
const PART_HEAD_BYTES = 32;
const PART_LENGTH_AT = 24;

/** An optional part of the region, with the name in its magic. */
export interface SnapshotPart {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

/**
 * Reads the optional parts, which are between the last section and BLOCKS.
 * @throws CommandError if one of them exceeds the space for parts.
 */
export function readParts(
  file: CheckedFile,
  sections: readonly SnapshotSection[],
): readonly SnapshotPart[] {
  const aligned = (offset: number) => Math.ceil(offset / SECTION_ALIGN) * SECTION_ALIGN;
  const blocks = sectionOf(file, sections, SECTION.blocks);
  const others = sections.filter(({ kind }) => kind !== SECTION.blocks);
  const parts: SnapshotPart[] = [];
  let at = aligned(Math.max(...others.map(({ offset, length }) => offset + length)));
  while (blocks.offset - at >= PART_HEAD_BYTES) {
    const head = file.read(at, PART_HEAD_BYTES);
    const magic = head.toString("latin1", 0, 8);
    if (!magic.startsWith("PN")) break;
    const length = Number(head.readBigUInt64LE(PART_LENGTH_AT));
    if (length < PART_HEAD_BYTES || length > blocks.offset - at) {
      file.refuse("its index region is damaged (a part of it lies outside)");
    }
    parts.push({ name: magic.slice(2), offset: at, length });
    at = aligned(at + length);
  }
  return parts;
}

/** Returns the section of a kind and argument. @throws CommandError if there is none. */
export function sectionOf(
  file: CheckedFile,
  sections: readonly SnapshotSection[],
  kind: number,
  argument = 0,
): SnapshotSection {
  const found = sections.find((one) => one.kind === kind && one.argument === argument);
  return found ?? file.refuse("its index region lacks a section; import the dump again");
}

/**
 * Reads sections and checks the checksums of their blocks. Sections are normally contiguous and
 * read in one call; forged ones may be anywhere.
 * @throws CommandError if they are damaged.
 */
export function readSections(
  file: CheckedFile,
  sections: readonly SnapshotSection[],
  wanted: readonly SnapshotSection[],
): Buffer[] {
  const start = Math.min(...wanted.map(({ offset }) => offset));
  const end = Math.max(...wanted.map(({ offset, length }) => offset + length));
  const length = wanted.reduce((sum, one) => sum + one.length, 0);
  const blocks = sectionOf(file, sections, SECTION.blocks);
  if (end - start > length + BLOCK_BYTES) {
    return wanted.map((one) => readChecked(file, blocks, one));
  }
  const bytes = readChecked(file, blocks, { offset: start, length: end - start });
  return wanted.map((one) => bytes.subarray(one.offset - start, one.offset - start + one.length));
}

function readChecked(
  file: CheckedFile,
  blocks: SnapshotSection,
  { offset, length }: Pick<SnapshotSection, "offset" | "length">,
): Buffer {
  const first = Math.floor(offset / BLOCK_BYTES);
  const last = Math.ceil((offset + length) / BLOCK_BYTES);
  const sums = file.read(blocks.offset + 4 * first, 4 * (last - first));
  const start = first * BLOCK_BYTES;
  const bytes = file.read(start, Math.min(last * BLOCK_BYTES, blocks.offset) - start);
  for (let block = first; block < last; block++) {
    const at = (block - first) * BLOCK_BYTES;
    const sum = crc32c(bytes.subarray(at, at + BLOCK_BYTES));
    if (sum !== sums.readUInt32LE(4 * (block - first))) {
      file.refuse(`its metadata are damaged (block ${block})`);
    }
  }
  return bytes.subarray(offset - start, offset - start + length);
}
