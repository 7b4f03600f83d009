/**
 * Proves: zlib inflates the output of the sample generator's compressor to the original bytes, for
 * any input. Compressed pieces can be concatenated. Huffman codes stay within their maximum length
 * and use the whole code space. The checksums of the parts combine to that of the whole.
 * Does not prove: how small or fast the output is.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inflateRawSync } from "node:zlib";
import { crc32ByTable, crc32Joined } from "../../../src/dump/crc32.ts";
import { Random } from "../../../src/dump/sample/random.ts";
import { Deflater, prefixCode, STREAM_END } from "../../../src/dump/sample/zip/deflate.ts";
import { packChunk } from "../../../src/dump/sample/zip/zip.ts";

const SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 31, 257, 258, 259, 262, 266, 1000, 70_000];
const random = new Random(1);

/** Kinds of input: few or many byte values, runs, and repetitions farther apart than the window. */
const KINDS: Readonly<Record<string, (at: number) => number>> = {
  zeros: () => 0,
  runs: (at) => (at >> 6) & 255,
  few: (at) => 65 + random.place(1, at).below(3),
  all: (at) => random.place(2, at).below(256),
  far: (at) => random.place(3, at % 33_000).below(64),
  near: (at) => random.place(4, at % 32_768).below(64),
};

describe("packing rows", () => {
  for (const [kind, byteAt] of Object.entries(KINDS)) {
    it(`round-trips: ${kind}`, () => {
      for (const size of SIZES) {
        const bytes = Uint8Array.from({ length: size }, (_, at) => byteAt(at));
        const { packed, crc, bytes: length } = packChunk(bytes);
        const unpacked = inflateRawSync(Buffer.concat([packed, STREAM_END]));
        assert.ok(unpacked.equals(bytes), `${size} bytes`);
        assert.deepEqual([length, crc], [size, crc32ByTable(bytes)]);
      }
    });
  }

  it("does not depend on earlier input, and pieces concatenate", () => {
    const texts = ["a;b;c;a;b;c;a;b;c", "", '"RUA";"RUA";"RUA"'].map((text) => Buffer.from(text));
    const deflater = new Deflater(100);
    const pieces = texts.map((text) => deflater.pack(text, text.length).slice());
    pieces.forEach((piece, i) => {
      assert.deepEqual(piece, packChunk(texts[i] as Buffer).packed);
    });
    const unpacked = inflateRawSync(Buffer.concat([...pieces, STREAM_END]));
    assert.ok(unpacked.equals(Buffer.concat(texts)));
  });

  it("combines checksums", () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, at) => random.place(5, at).below(256));
    for (const cut of [0, 1, 17, 4096, 4999, 5000]) {
      const [first, second] = [bytes.subarray(0, cut), bytes.subarray(cut)];
      const joined = crc32Joined(crc32ByTable(first), crc32ByTable(second), second.length);
      assert.equal(joined, crc32ByTable(bytes), `${cut}`);
    }
    assert.equal(crc32Joined(0, 0x12345678, 5), 0x12345678);
  });
});

describe("prefix codes", () => {
  const room = (lengths: Uint8Array) =>
    lengths.reduce((sum, length) => sum + (length === 0 ? 0 : 2 ** -length), 0);

  it("use the whole code space within their length limit", () => {
    const counts: readonly number[][] = [
      [0, 0, 0],
      [5, 0, 0, 0],
      [1, 1],
      [1, 2, 3, 4, 5],
      // Each count is about the sum of the counts before it, which leads to the longest codes.
      Array.from({ length: 30 }, (_, i) => 2 ** i),
      Array.from({ length: 286 }, (_, i) => (i % 7 === 0 ? 0 : i * i + 1)),
      Array.from({ length: 286 }, (_, i) => (i < 40 ? 2 ** (i % 31) : 1)),
    ];
    for (const list of counts) {
      for (const limit of [11, 15]) {
        const { lengths, bits } = prefixCode(Uint32Array.from(list), limit);
        assert.ok(Math.max(...lengths) <= limit);
        assert.equal(room(lengths), 1, JSON.stringify(list));
        const codes = [...lengths.keys()].filter((symbol) => lengths[symbol] !== 0);
        const texts = codes.map((symbol) => `${lengths[symbol]}/${bits[symbol]}`);
        assert.equal(new Set(texts).size, texts.length);
        for (const symbol of list.keys())
          if ((list[symbol] as number) > 0) assert.ok(lengths[symbol]);
      }
    }
  });

  it("are never longer for more frequent symbols, with Huffman's total length", () => {
    const counts = [45, 13, 12, 16, 9, 5];
    const { lengths } = prefixCode(Uint32Array.from(counts), 15);
    assert.equal(
      counts.reduce((sum, count, symbol) => sum + count * (lengths[symbol] as number), 0),
      224,
    );
  });
});
