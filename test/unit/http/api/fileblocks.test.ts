/**
 * Proves: reads of a file return its bytes in order, for reads of any size and while the file
 * arrives in pieces of any size. This holds even in memory that held other files before. A complete
 * file equals the received bytes. Bytes beyond a sender's limit are rejected, and all memory is
 * released.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FileBlocks, fileBytesHeld } from "../../../../src/http/api/exports/fileblocks.ts";
import { seededRandom } from "../../../support/native-index/fixture-rows.ts";

const BLOCK_BYTES = 65_536;
const FILES = 200;

describe("blocks of a file", () => {
  it("return the same bytes for any sizes of pieces and reads", () => {
    const random = seededRandom(20_261_127);
    const below = (most: number) => Math.floor(random() * most);
    for (let file = 0; file < FILES; file++) {
      const blocks = new FileBlocks("ana");
      const sent: Buffer[] = [];
      const read: Buffer[] = [];
      const most = [10, 70_000, 400_000][below(3)] as number;
      for (let step = 0; step < 20; step++) {
        const piece = Buffer.alloc(below(most), below(256));
        sent.push(piece);
        assert.equal(blocks.add(piece), piece.byteLength);
        const steps = below(8);
        for (let left = steps; left > 0 && blocks.waits; left--) {
          blocks.read(1 + below(most), (bytes) => read.push(Buffer.from(bytes)));
        }
      }
      read.push(blocks.whole());
      assert.ok(Buffer.concat(read).equals(Buffer.concat(sent)));
      blocks.drop();
      assert.equal(fileBytesHeld(), 0);
    }
  });

  it("use the available memory, and leave others their share", () => {
    const [mine, other] = [new FileBlocks("ana"), new FileBlocks("bia")];
    const half = 32 * 1024 * 1024;
    assert.equal(mine.add(Buffer.alloc(half + 5)), half);
    assert.equal(mine.shortage, "share");
    assert.equal(other.add(Buffer.alloc(1)), 1);
    assert.equal(fileBytesHeld(), half + BLOCK_BYTES);
    other.drop();
    mine.read(BLOCK_BYTES, () => undefined);
    assert.equal(mine.add(Buffer.alloc(BLOCK_BYTES)), BLOCK_BYTES);
    mine.drop();
    mine.drop();
    assert.equal(fileBytesHeld(), 0);
  });

  it("are released once if the file is given up during a read", () => {
    const blocks = new FileBlocks("ana");
    blocks.add(Buffer.alloc(10));
    blocks.read(10, () => blocks.drop());
    assert.deepEqual([blocks.waits, fileBytesHeld()], [false, 0]);
  });
});
