/**
 * Proves: a ZIP package has the same bytes as one that the library yazl writes for the same parts.
 * Parts packed in several pieces unpack to their content. Another library reads sizes and positions
 * beyond 32 bits correctly. Does not prove the content of a workbook (unit/export/xlsx).
 */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { constants, deflateRawSync } from "node:zlib";
import yauzl from "yauzl";
import { ZipFile } from "yazl";
import { crc32 } from "../../../src/dump/crc32.ts";
import { type PackedChunk, ZipPackage } from "../../../src/export/formats/xlsx/zippackage.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";

const LEVEL = 3;
const ENTRY = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** Compresses bytes into one piece of a part, as the writer of a sheet does. */
function pieceOf(bytes: Buffer, isLast: boolean): PackedChunk {
  const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  const packed = deflateRawSync(bytes, { level: LEVEL, finishFlush });
  return { packed, bytes: bytes.length, crc: crc32(bytes) };
}

/** Returns the bytes of a package with one stored part and one part packed in pieces. */
function packageOf(stored: Buffer, pieces: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  const zip = new ZipPackage((bytes) => parts.push(Buffer.from(bytes)));
  zip.part("[Content_Types].xml", stored);
  zip.begin("xl/ação.xml");
  for (const [i, piece] of pieces.entries()) zip.piece(pieceOf(piece, i === pieces.length - 1));
  zip.endPart();
  zip.end();
  return Buffer.concat(parts);
}

/** Returns the bytes of the same package, written by yazl. */
function byLibrary(stored: Buffer, packed: Buffer): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(stored, "[Content_Types].xml", { ...ENTRY, compressionLevel: 0 });
  const stream = Readable.from([packed]);
  zip.addReadStream(stream, "xl/ação.xml", { ...ENTRY, compressionLevel: LEVEL });
  zip.end();
  return buffer(zip.outputStream);
}

/** Returns the names of a package's entries, and the bytes of the last entry. */
async function read(bytes: Buffer): Promise<{ names: string[]; last: Buffer }> {
  const zip = await promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)(bytes, {
    lazyEntries: true,
    autoClose: false,
  });
  const names: string[] = [];
  let last: Buffer = Buffer.alloc(0);
  return new Promise((settle, fail) => {
    zip.on("error", fail);
    zip.on("end", () => settle({ names, last }));
    zip.on("entry", (entry: yauzl.Entry) => {
      names.push(entry.fileName);
      zip.openReadStream(entry, async (error, stream) => {
        if (error) return fail(error);
        last = await buffer(stream);
        zip.readEntry();
      });
    });
    zip.readEntry();
  });
}

describe("a package", () => {
  const random = seededRandom(3);
  const text = (length: number) =>
    Buffer.from(Array.from({ length }, () => "<c r=A0123>"[Math.floor(random() * 11)]).join(""));

  it("has the bytes that the library writes", async () => {
    for (const length of [0, 1, 700, 60_000, 400_000]) {
      const stored = text(length >> 3);
      const packed = text(length);
      assert.ok(packageOf(stored, [packed]).equals(await byLibrary(stored, packed)), `${length}`);
    }
  });

  it("unpacks to the content of its pieces", async () => {
    const pieces = [text(100_000), text(1), text(0), text(70_000), text(33)];
    const { names, last } = await read(packageOf(text(10), pieces));
    assert.deepEqual(names, ["[Content_Types].xml", "xl/ação.xml"]);
    assert.ok(last.equals(Buffer.concat(pieces)));
  });

  it("states sizes and positions beyond 32 bits", async () => {
    const large = 6_000_000_000;
    const tail: Buffer[] = [];
    let length = 0;
    let tailAt = 0;
    const zip = new ZipPackage((bytes) => {
      length += bytes.length;
      if (bytes.length === large) tailAt = length;
      else if (tailAt > 0) tail.push(Buffer.from(bytes));
    });
    zip.begin("large");
    // Simulates a piece of this size. The package reads only the piece's length.
    zip.piece({ packed: { length: large } as unknown as Uint8Array, bytes: 2 * large, crc: 7 });
    zip.endPart();
    zip.part("behind", Buffer.from("text"));
    zip.end();
    const bytes = Buffer.concat(tail);
    class Tail extends yauzl.RandomAccessReader {
      override _readStreamForRange(start: number, end: number) {
        // The content of the large part is never read, so zeros replace it.
        const zeros = Buffer.alloc(Math.max(0, Math.min(end, tailAt) - start));
        const rest = bytes.subarray(Math.max(0, start - tailAt), Math.max(0, end - tailAt));
        return Readable.from([Buffer.concat([zeros, rest])]);
      }
    }
    const entries = await new Promise<yauzl.Entry[]>((settle, fail) => {
      const found: yauzl.Entry[] = [];
      yauzl.fromRandomAccessReader(new Tail(), length, { lazyEntries: false }, (error, opened) => {
        if (error) return fail(error);
        opened.on("entry", (entry: yauzl.Entry) => found.push(entry));
        opened.on("error", fail);
        opened.on("end", () => settle(found));
      });
    });
    assert.deepEqual(
      entries.map(({ uncompressedSize, compressedSize }) => [uncompressedSize, compressedSize]),
      [
        [2 * large, large],
        [4, 4],
      ],
    );
    assert.equal(entries[1]?.relativeOffsetOfLocalHeader, tailAt + 24);
  });

  it("accepts no piece of a part that was not begun", () => {
    const zip = new ZipPackage(() => {});
    assert.throws(() => zip.piece(pieceOf(Buffer.from("x"), true)), RangeError);
  });
});
