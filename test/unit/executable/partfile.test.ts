/**
 * Proves: if several threads of one process write the same file of the executable together, all of
 * them succeed in any order, and only the whole file is left. Does not prove: the content
 * (e2e/executable).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { buildSync } from "esbuild";

const PARTFILE = new URL("../../../src/executable/cachefolder.ts", import.meta.url);
const folder = mkdtempSync(path.join(tmpdir(), "peneira-part-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Program of a thread that writes the file repeatedly, at the same time as other threads. */
const WRITER = `
  const { workerData: { module, file, bytes, times, writers, gate } } = require("worker_threads");
  const { writePart } = require(module);
  const counter = new Int32Array(gate);
  for (let time = 1; time <= times; time++) {
    Atomics.add(counter, 0, 1);
    while (Atomics.load(counter, 0) < time * writers);
    try {
      writePart(file, bytes);
    } catch (error) {
      Atomics.add(counter, 0, times * writers);
      throw error;
    }
  }
`;

/** Resolves with the error of a thread, or with null if the thread ends without one. */
function ending(workerData: object): Promise<Error | null> {
  return new Promise((resolve) => {
    const worker = new Worker(WRITER, { eval: true, workerData });
    worker.on("error", resolve);
    worker.on("exit", () => resolve(null));
  });
}

describe("a part of the executable", () => {
  it("is written once by two concurrent threads", async () => {
    // The module is compiled, because a thread cannot load TypeScript in every version of Node.
    const module = path.join(folder, "partfile.cjs");
    const entryPoints = [fileURLToPath(PARTFILE)];
    buildSync({ entryPoints, outfile: module, bundle: true, platform: "node", format: "cjs" });
    const file = path.join(folder, "part.node");
    const bytes = Buffer.alloc(100_000, 7);
    const gate = new SharedArrayBuffer(4);
    const workerData = { module, file, bytes, gate, times: 300, writers: 2 };
    assert.deepEqual(await Promise.all([ending(workerData), ending(workerData)]), [null, null]);
    assert.deepEqual(readdirSync(folder).sort(), ["part.node", "partfile.cjs"]);
    assert.ok(readFileSync(file).equals(bytes));
  });
});
