/**
 * Limits the code that a request passes through: the number of TypeScript files that run for a
 * search, a repeated search, a count, an export, and /healthz. Proves that each number is at most
 * as stated here.
 * Does not prove: that the files are easy to read, nor the number of C++ files.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Road, WALKS, type WalkName, walkRoads } from "../../support/road/walks.ts";

/**
 * Maximum number of files that run for each kind of request. These numbers may only decrease. The
 * aims are 20 files for a search, 35 for an export, and 12 for /healthz (reached). `npm run road --
 * search` prints the files. Here no export overlaps another, so each pins the snapshot. An
 * overlapping export shares the pin and runs one file less.
 */
const FILES_MAX: Readonly<Record<WalkName, number>> = {
  search: 33,
  again: 23,
  count: 34,
  export: 47,
  wholeExport: 50,
  healthz: 12,
};

describe("the path of a request", () => {
  let roads: ReadonlyMap<WalkName, Road>;
  before(async () => {
    roads = await walkRoads(Object.keys(WALKS) as WalkName[]);
  });

  for (const [name, most] of Object.entries(FILES_MAX)) {
    it(`of ${name} passes through at most ${most} files`, () => {
      const { files } = roads.get(name as WalkName) ?? assert.fail("not walked");
      assert.ok(files.has("src/http/server/dispatch.ts"), "the dispatcher runs for every request");
      assert.ok(files.size <= most, `${files.size} files:\n${[...files.keys()].join("\n")}`);
    });
  }
});
