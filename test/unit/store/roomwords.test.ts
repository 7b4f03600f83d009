/**
 * Proves: a rejection for lack of space prints the needed, reserved, and free space so exactly that
 * the figures agree with the rejection.
 * Does not prove: that commands check space before they write (e2e/cli/disk.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { checkRoom } from "../../../src/ingest/workspace.ts";
import { NewFolder } from "../../../src/store/backup/newfolder.ts";

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-room-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe("a rejection for lack of space", () => {
  it("names need, reserve, free space, and shortage of a folder", () => {
    const made = NewFolder.begin(join(folder, "backup"), "The place");
    try {
      const { bavail, bsize } = statfsSync(folder);
      // The file fits, but not together with the reserve of 16 MiB.
      const needed = bavail * bsize - (4 << 20);
      assert.throws(
        () => made.reserve(needed),
        ({ message }: Error) => {
          const numbers = [...message.matchAll(/[\d,]{7,}/g)].map(([one]) =>
            Number(one.replaceAll(",", "")),
          );
          const [need, reserve, free, lacking] = numbers as [number, number, number, number];
          assert.deepEqual([numbers.length, need, reserve], [4, needed, 16 << 20], message);
          assert.equal(need + reserve - free, lacking, message);
          assert.match(
            message,
            /needs .* and a reserve of .* are free on its disk\. Free at least/,
          );
          return lacking > 0;
        },
      );
      made.reserve(1);
    } finally {
      made.discard();
    }
  });

  it("never shows an import's need as low as the free space", () => {
    const need = { folder, bytes: 5_000_001, what: "the snapshot" };
    assert.throws(
      () => checkRoom("x.peneira", [need], () => 5_000_000),
      /needs about 5\.1 MB there, and 5\.0 MB are free/,
    );
  });
});
