/**
 * Proves: a thread that waits for an answer goes on waiting if it is woken without one, and stops
 * at its time limit.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { waitForChange } from "../../../src/store/postgres/bridge.ts";

/** Wakes the thread that waits, without a change, then with one. */
const WAKER = `
  const { workerData: words } = require("node:worker_threads");
  let woken = 0;
  while (woken < 3) woken += Atomics.notify(words, 0);
  Atomics.store(words, 0, 1);
  Atomics.notify(words, 0);
`;

describe("a thread that waits for an answer", () => {
  it("goes on waiting if it is woken for an earlier one", async () => {
    const words = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(WAKER, { eval: true, workerData: words });
    waitForChange(words, 0, { from: 0, ms: 60_000 });
    assert.equal(Atomics.load(words, 0), 1);
    await worker.terminate();
  });

  it("stops at its time limit", () => {
    const words = new Int32Array(new SharedArrayBuffer(4));
    waitForChange(words, 0, { from: 0, ms: 20 });
    assert.equal(Atomics.load(words, 0), 0);
  });
});
