/**
 * Proves: a thread that waits for an answer continues to wait if it is woken without one, and stops
 * at its time limit. After it has given up a request, it never takes the late answer for that of
 * the next request.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MessageChannel, Worker } from "node:worker_threads";
import { answerTo, waitForChange } from "../../../src/store/postgres/bridge.ts";

/** Source of a thread that first wakes the waiting thread without an answer, and then with one. */
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

  it("drops the answer to an earlier request", () => {
    const words = new Int32Array(new SharedArrayBuffer(12));
    const { port1, port2: port } = new MessageChannel();
    const wait = { slices: 1, sliceMs: 1 };
    assert.equal(answerTo(1, { words, port }, wait), null, "it is given up");
    for (const number of [1, 2]) port1.postMessage({ number });
    assert.equal(answerTo(2, { words, port }, wait)?.number, 2);
    port1.postMessage({ number: 2 });
    assert.equal(answerTo(3, { words, port }, wait), null);
    port1.close();
  });
});
