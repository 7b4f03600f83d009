/**
 * Proves: a CSV file that arrives faster than it can be parsed is parsed piece by piece as it
 * arrives, however much is queued. Each piece frees as much memory as it uses. A dropped request
 * releases everything. Does not prove: the parsed entries (test/unit/lists), and files of several
 * senders (test/contract).
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { fileBytesHeld } from "../../../../src/http/api/exports/fileblocks.ts";
import { ENTRY_FILES } from "../../../../src/http/api/lists/entryfiles.ts";

const [CSV] = ENTRY_FILES;
const LINE = "11222333000181\n";
const PIECE = Buffer.from(LINE.repeat(4_000));

it("delays others by at most one piece of a CSV file", () => {
  const file = CSV.begin(new Map(), "ten");
  const pieces = Math.floor(CSV.bytesMax / PIECE.byteLength);
  let most = 0;
  for (let piece = 0; piece < pieces; piece++) {
    const before = fileBytesHeld();
    file.add(PIECE);
    assert.ok(fileBytesHeld() >= before - PIECE.byteLength, `${before} to ${fileBytesHeld()}`);
    most = Math.max(most, fileBytesHeld());
  }
  assert.ok(most > 8 * 1024 ** 2, "there was room, and it was used");
  file.drop?.();
  assert.equal(fileBytesHeld(), 0);
});

it("reads many small pieces to the end", async () => {
  const file = CSV.begin(new Map(), "ten") as ReturnType<typeof CSV.begin> & {
    upload(): Promise<{ read: number }>;
  };
  const whole = Buffer.from(LINE.repeat(3_000));
  for (let at = 0; at < whole.byteLength; at += 7) file.add(whole.subarray(at, at + 7));
  assert.equal((await file.upload()).read, 3_000);
  assert.equal(fileBytesHeld(), 0);
});
