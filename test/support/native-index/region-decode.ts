/**
 * A plain reader of the index region, for tests. Input: a snapshot file and its directory's
 * location. Output: its sections, and their decoded contents.
 * Invariant: written only from the specification in native-index/format/format.h; shares no code
 * with the addon, and asserts the alignment and bounds that the format promises.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DIMENSIONS, type DimensionName } from "../../../native-index/format/columns.ts";
import { FORMAT_VERSION } from "../../../native-index/format/snapshot/versions.ts";
import type { DirectoryLocation } from "../../../native-index/napi/engine.ts";

/** The numbers of the section kinds in format.h. */
export const SECTIONS = {
  meta: 1,
  columns: 2,
  table: 3,
  postings: 4,
  chunks: 5,
  order: 6,
  nameRank: 7,
  terms: 8,
  termIndex: 9,
  termPostings: 10,
  cube: 11,
  blocks: 12,
} as const;

/** A bitmap container: the rows that have one code in one chunk of 65,536 rows. */
export interface DecodedContainer {
  readonly chunk: number;
  readonly code: number;
  readonly type: "array" | "bitset" | "run";
  readonly cardinality: number;
  readonly payload: Buffer;
  /** The lower 16 bits of its row numbers. */
  readonly lows: readonly number[];
}

/** A word, the number of rows that contain it, and the stored list of these rows. */
export interface DecodedTerm {
  readonly word: string;
  readonly df: number;
  readonly bytes: Buffer;
}

/** The region of one file. */
export class Region {
  readonly file: Buffer;
  readonly rowCount: number;
  readonly fingerprint: bigint;
  readonly blocksSum: number;
  /** Every directory entry in file order. */
  readonly entries: readonly { kind: number; argument: number; offset: number; length: number }[];

  /** SHA-256 of each block before the digests. */
  readonly digests: readonly string[];

  constructor(path: string, directory: DirectoryLocation) {
    this.file = readFileSync(path);
    const behind = directory.offset + directory.length;
    const bytes = this.file.subarray(directory.offset, behind);
    const { offset: digestsAt, length } = directory.digests ?? assert.fail("no digests");
    assert.equal(digestsAt, Math.ceil(behind / 64) * 64, "the digests follow the directory");
    assert.equal(digestsAt + length, this.file.length, "the digests end the file");
    assert.equal(length, 32 * Math.ceil(digestsAt / 65_536));
    this.digests = Array.from({ length: length / 32 }, (_, block) => {
      return this.file.toString("hex", digestsAt + 32 * block, digestsAt + 32 * (block + 1));
    });
    assert.equal(bytes.toString("latin1", 0, 8), "PNRINDEX");
    assert.equal(bytes.readUInt32LE(8), FORMAT_VERSION);
    const count = bytes.readUInt32LE(12);
    assert.equal(directory.length, 48 + 24 * count);
    this.rowCount = Number(bytes.readBigUInt64LE(16));
    this.fingerprint = bytes.readBigUInt64LE(24);
    assert.equal(Number(bytes.readBigUInt64LE(32)), Math.ceil(this.rowCount / 65_536));
    this.blocksSum = Number(bytes.readBigUInt64LE(40));
    this.entries = Array.from({ length: count }, (_, i) => {
      const at = 48 + 24 * i;
      const offset = Number(bytes.readBigUInt64LE(at + 8));
      assert.equal(offset % 64, 0, "sections are aligned");
      const [kind, argument] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
      return { kind, argument, offset, length: Number(bytes.readBigUInt64LE(at + 16)) };
    });
  }

  /** Returns the bytes of the only section of this kind and argument. */
  section(kind: keyof typeof SECTIONS, argument = 0): Buffer {
    const found = this.entries.filter((e) => e.kind === SECTIONS[kind] && e.argument === argument);
    assert.equal(found.length, 1, `section ${kind} ${argument} is there once`);
    const { offset, length } = found[0] as { offset: number; length: number };
    return this.file.subarray(offset, offset + length);
  }

  /** A section of u32. */
  words(kind: keyof typeof SECTIONS, argument = 0): number[] {
    const bytes = this.section(kind, argument);
    return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(4 * i));
  }

  /** Returns the containers of all chunks for each dimension. */
  containers(): Map<DimensionName, DecodedContainer[]> {
    const chunks = this.section("chunks");
    const offsets = Array.from({ length: chunks.length / 8 }, (_, i) =>
      Number(chunks.readBigUInt64LE(8 * i)),
    );
    assert.equal(offsets.length, Math.ceil(this.rowCount / 65_536) + 1);
    const result = new Map<DimensionName, DecodedContainer[]>(DIMENSIONS.map((d) => [d, []]));
    for (let chunk = 0; chunk + 1 < offsets.length; chunk++) {
      const block = this.file.subarray(offsets[chunk], offsets[chunk + 1]);
      assert.equal((offsets[chunk] as number) % 64, 0, "chunk blocks are aligned");
      for (const [dimension, containers] of result) {
        containers.push(...decodeDimension(block, chunk, DIMENSIONS.indexOf(dimension)));
      }
    }
    return result;
  }

  /** Returns every word of the names in stored order. */
  terms(): DecodedTerm[] {
    const table = decodeTable(this.section("terms"));
    const index = this.section("termIndex");
    assert.equal(index.length, 16 * table.length);
    return table.map((word, i) => {
      const offset = Number(index.readBigUInt64LE(16 * i));
      const length = index.readUInt32LE(16 * i + 8);
      const bytes = this.file.subarray(offset, offset + length);
      return { word, df: index.readUInt32LE(16 * i + 12), bytes };
    });
  }
}

/** Decodes the strings of a table section. */
export function decodeTable(bytes: Buffer): string[] {
  const count = bytes.readUInt32LE(0);
  const first = 4 + 4 * (count + 1);
  const offset = (i: number) => first + bytes.readUInt32LE(4 + 4 * i);
  assert.equal(offset(count), bytes.length);
  return Array.from({ length: count }, (_, i) => bytes.toString("utf8", offset(i), offset(i + 1)));
}

function decodeDimension(block: Buffer, chunk: number, dimension: number): DecodedContainer[] {
  assert.equal(block.readUInt32LE(0), chunk);
  assert.equal(block.readUInt32LE(4), DIMENSIONS.length);
  const byteLength = block.readUInt32LE(8);
  assert.ok(byteLength <= block.length && block.length - byteLength < 64);
  const entriesAt = block.readUInt32LE(16 + 8 * dimension);
  const count = block.readUInt32LE(16 + 8 * dimension + 4);
  let previous = -1;
  return Array.from({ length: count }, (_, i) => {
    const at = entriesAt + 12 * i;
    const code = block.readUInt32LE(at);
    assert.ok(code > previous, "codes ascend");
    previous = code;
    const payload = block.subarray(block.readUInt32LE(at + 4), byteLength);
    const cardinality = block.readUInt16LE(at + 8) + 1;
    const container = decodeContainer(payload, block.readUInt16LE(at + 10), cardinality);
    const alignment = container.type === "bitset" ? 8 : 2;
    assert.equal(block.readUInt32LE(at + 4) % alignment, 0, "payloads are aligned");
    assert.equal(container.lows.length, cardinality);
    return { chunk, code, cardinality, ...container };
  });
}

function decodeContainer(payload: Buffer, type: number, cardinality: number) {
  const lows: number[] = [];
  if (type === 1) {
    for (let i = 0; i < cardinality; i++) lows.push(payload.readUInt16LE(2 * i));
    return { type: "array", payload: payload.subarray(0, 2 * cardinality), lows } as const;
  }
  if (type === 2) {
    for (let i = 0; i < 65_536; i++) {
      if (((payload[i >> 3] as number) >> (i & 7)) & 1) lows.push(i);
    }
    return { type: "bitset", payload: payload.subarray(0, 8192), lows } as const;
  }
  assert.equal(type, 3);
  const runs = payload.readUInt16LE(0);
  for (let run = 0; run < runs; run++) {
    const start = payload.readUInt16LE(2 + 4 * run);
    const last = start + payload.readUInt16LE(4 + 4 * run);
    for (let low = start; low <= last; low++) lows.push(low);
  }
  return { type: "run", payload: payload.subarray(0, 2 + 4 * runs), lows } as const;
}
