/**
 * Proves that the bytes of a built file do not depend on the number of threads, on how many rows
 * are in memory, or on the order of the input.
 * Does not prove that the bytes are right (build-region).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import {
  type FixtureRow,
  randomRows,
  rowsOfKinds,
} from "../../support/native-index/fixture-rows.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-region-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
async function build(rows: readonly FixtureRow[], threads = 2, rowsHeld?: number) {
  files++;
  const options = rowsHeld === undefined ? { threads } : { threads, rowsHeld };
  const fixture = await writeFixture(path.join(folder, `${files}.arrow`), rows, options);
  return { fixture, region: new Region(fixture.path, fixture.directory) };
}

describe("the bytes of a file", () => {
  test("do not depend on the number of threads and of rows sorted at a time", async () => {
    for (const rows of [randomRows(5, 20_000), rowsOfKinds(5, 20_000, 200)]) {
      const bytes = [];
      for (const threads of [1, 2, 3, 8]) {
        bytes.push(readFileSync((await build(rows, threads)).fixture.path));
      }
      for (const [threads, rowsHeld] of [
        [2, 1],
        [1, 900],
        [3, 19_999],
      ] as const) {
        bytes.push(readFileSync((await build(rows, threads, rowsHeld)).fixture.path));
      }
      for (const other of bytes.slice(1)) assert.ok(other.equals(bytes[0] as Buffer));
    }
  });

  test("do not depend on the order of the input rows", async () => {
    const rows = randomRows(6, 3000);
    const [one, two] = [await build(rows), await build([...rows].reverse())];
    assert.ok(one.region.file.equals(two.region.file));
  });
});
