/**
 * Proves: the young generation of the main thread does not grow while objects survive, even after a
 * thread has started, which makes V8 allow it; without the call it grows.
 * Does not prove: what a server holds; bench -- scale measures that.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { transformSync } from "esbuild";
import { ROOT } from "../../support/house/checkout.ts";

const MODULE = transformSync(readFileSync(join(ROOT, "src/process/heap.ts"), "utf8"), {
  ...{ loader: "ts", format: "cjs" },
}).code;

/** Prints the megabytes of the young generation after 150,000 objects, of which some live. */
const SURVIVORS = `
  const { Worker } = require("node:worker_threads");
  const { getHeapSpaceStatistics } = require("node:v8");
  const thread = new Worker("0", { eval: true });
  thread.once("exit", () => {
    let kept = [];
    for (let at = 0; at < 150_000; at++) {
      kept.push({ at });
      if (kept.length === 60_000) kept = kept.slice(30_000);
    }
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    console.log(young.space_size / 2 ** 20);
  });`;

/** Runs a script with the module in a process of its own; returns what it prints, as a number. */
function printed(script: string): number {
  return Number(spawnSync(process.execPath, ["-e", `${MODULE};${script}`]).stdout.toString());
}

describe("the young generation of a server", () => {
  it("stays at its first size", () => {
    assert.equal(printed(`limitYoungGeneration();${SURVIVORS}`), 2);
  });

  it("would grow without the call", () => {
    assert.ok(printed(SURVIVORS) > 2);
  });
});
