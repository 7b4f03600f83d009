/**
 * Proves for the ledger, the memory in which threads share rate limits: several threads are granted
 * exactly as much as one thread that makes the same attempts. This holds at a fixed time and if
 * time advances in steps. Amounts in use never exceed their limits, and those of an ended thread
 * are released. Counts of uses are exact sums, no log line is lost, and lines are drained in order
 * of time.
 * Does not prove: the rules themselves (contract/native-index/ledger).
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createRequire } from "node:module";
import { afterEach, describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { HOLD, holdNumbers, Ledger, RATE, rateNumbers } from "../../../src/process/ledger.ts";
import { RateTwin } from "../../support/native-index/ledger-twin.ts";

const THREADS = 8;
const TAKES = 1_000_000;
const NAMES = ["a", "b", "c", "d", "e"];
const POLICY = { perSecond: 40, burst: 300_000 };

/** Returns the path of this thread's addon. Threads share ledgers if they load the same file. */
function addonFile(): string {
  const { cache } = createRequire(import.meta.url);
  const found = Object.keys(cache).find((file) => file.endsWith("peneira.node"));
  assert.ok(found !== undefined, "the addon is loaded");
  return found;
}

/** Start of each thread's program. `meet` waits until all threads have called it. */
const PRELUDE = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { ledger, slot, threads, barrier } = workerData;
  const addon = require(workerData.addon);
  function meet() {
    const round = Atomics.load(barrier, 1);
    if (Atomics.add(barrier, 0, 1) + 1 < threads) {
      Atomics.wait(barrier, 1, round);
      return;
    }
    Atomics.store(barrier, 0, 0);
    Atomics.add(barrier, 1, 1);
    Atomics.notify(barrier, 1);
  }
`;

/** Program of a thread that draws a unit from the limit of each name in turn, step by step. */
const TAKER = `${PRELUDE}
  const { names, numbers, steps, stepMs, takes } = workerData;
  const granted = [];
  for (let step = 0; step < steps; step++) {
    numbers[${RATE.now}] = step * stepMs;
    const got = names.map(() => 0);
    meet();
    for (let i = 0; i < takes / steps; i++) {
      const at = (i + slot) % names.length;
      if (addon.takeRate(ledger, names[at], numbers)) got[at]++;
    }
    granted.push(got);
    meet();
  }
  parentPort.postMessage(granted);
`;

/**
 * Program of a thread that acquires and releases amounts. It reports the highest total it saw, and
 * how many amounts it holds at its end.
 */
const HOLDER = `${PRELUDE}
  const { numbers, kind, owner } = workerData;
  numbers[${HOLD.slot}] = slot;
  let most = 0;
  let holds = 0;
  meet();
  for (let i = 0; i < 100000; i++) {
    if (i % 3 < 2) {
      if (addon.acquireHold(ledger, kind, owner, numbers) === 0) holds++;
    } else if (holds > 0) {
      addon.releaseHold(ledger, kind, owner, numbers);
      holds--;
    }
    most = Math.max(most, addon.amountInUse(ledger, kind));
  }
  parentPort.postMessage({ most, holds });
`;

/** Program of a thread that counts uses, and appends log lines with increasing times. */
const COUNTER = `${PRELUDE}
  const { keys, numbers, lines } = workerData;
  let atMs = 0;
  meet();
  for (let i = 0; i < 100000; i++) {
    numbers[2] = i % 10;
    addon.countUse(ledger, "tenant", keys[(i + slot) % keys.length], numbers);
    addon.recordLastUse(ledger, keys[i % keys.length], i);
    if (i % 100 > 0) continue;
    atMs += (i * 7 + slot) % 5;
    addon.appendLine(ledger, atMs, slot, atMs + " " + slot + " " + i);
  }
  parentPort.postMessage(atMs);
`;

const ledgers: Ledger[] = [];

function opened(): Ledger {
  const ledger = Ledger.open();
  ledgers.push(ledger);
  return ledger;
}

afterEach(() => {
  for (const ledger of ledgers.splice(0)) ledger.close();
});

/** Runs a program in several threads. Returns their results. */
async function inThreads<Message>(
  program: string,
  ledger: Ledger,
  data: object,
): Promise<Message[]> {
  const barrier = new Int32Array(new SharedArrayBuffer(8));
  const { id } = ledger;
  const addon = addonFile();
  const workers = Array.from({ length: THREADS }, (_, slot) => {
    const workerData = { ...data, addon, ledger: id, slot, threads: THREADS, barrier };
    return new Worker(program, { eval: true, workerData });
  });
  try {
    return await Promise.all(
      workers.map(async (worker) => {
        const ended = once(worker, "exit");
        const [result] = (await once(worker, "message")) as [Message];
        await ended;
        return result;
      }),
    );
  } finally {
    // If one thread fails, the others still wait at the barrier. They are terminated, so that the
    // failure is reported.
    for (const worker of workers) await worker.terminate();
  }
}

describe("rates used by several threads concurrently", () => {
  for (const [steps, stepMs] of [
    [1, 0],
    [50, 700],
  ] as const) {
    it(`equal those of one thread in ${steps} steps of ${stepMs} ms`, async () => {
      const ledger = opened();
      const numbers = rateNumbers("keys");
      numbers.set([POLICY.perSecond, POLICY.burst, 1, 0], RATE.perSecond);
      const data = { names: NAMES, numbers, steps, stepMs, takes: TAKES };
      const granted = await inThreads<number[][]>(TAKER, ledger, data);
      const twin = new RateTwin();
      let refusals = 0;
      for (let step = 0; step < steps; step++) {
        for (const [at, name] of NAMES.entries()) {
          let wanted = 0;
          // All attempts of a step have the same time and cost, so their order does not matter.
          for (let i = 0; i < (THREADS * TAKES) / steps / NAMES.length; i++) {
            const attempt = { policy: POLICY, cost: 1, paid: 0, now: step * stepMs };
            if (twin.take(name, attempt).allowed) wanted++;
            else refusals++;
          }
          const got = granted.reduce((sum, one) => sum + (one[step]?.[at] as number), 0);
          assert.equal(got, wanted, `${name} in step ${step}`);
        }
      }
      assert.ok(refusals > 0, "some were refused");
    });
  }
});

describe("amounts used by several threads concurrently", () => {
  it("never exceed the limit, and are released when a thread ends", async () => {
    const ledger = opened();
    const numbers = holdNumbers(ledger);
    numbers[HOLD.amount] = 3;
    numbers[HOLD.most] = 100;
    const data = { numbers, kind: 1, owner: "a" };
    const result = await inThreads<{ most: number; holds: number }>(HOLDER, ledger, data);
    assert.equal(Math.max(...result.map(({ most }) => most)), 99);
    let left = result.reduce((sum, { holds }) => sum + 3 * holds, 0);
    for (const [slot, { holds }] of result.entries()) {
      assert.equal(ledger.amountInUse("streams"), left);
      ledger.releaseSlot(slot);
      left -= 3 * holds;
    }
    assert.deepEqual([ledger.amountInUse("streams"), ledger.amountOfOwner("streams", "a")], [0, 0]);
  });
});

describe("usage and log lines of threads", () => {
  it("are exact sums, and are returned by time", async () => {
    const ledger = opened();
    const numbers = new Float64Array([20_000, 1, 0]);
    const ends = await inThreads<number>(COUNTER, ledger, { numbers, keys: NAMES });
    const uses = ledger.drainUses();
    assert.deepEqual(
      uses.map(({ keyId, requests }) => `${keyId} ${requests}`).sort(),
      NAMES.map((name) => `${name} ${(THREADS * 100_000) / NAMES.length}`),
    );
    const accounts = uses.reduce((sum, one) => sum + one.accounts, 0);
    assert.equal(accounts, THREADS * 10_000 * 45);
    const times = NAMES.map((name, at) => [name, 99_995 + at] as const);
    assert.deepEqual(ledger.drainLastUses(), new Map(times));
    const { texts, levels } = ledger.drainLines(Math.max(...ends));
    assert.equal(new Set(texts).size, THREADS * 1_000);
    const shown = texts.map((text) => text.split(" ").map(Number));
    assert.deepEqual(
      [...levels],
      shown.map(([, slot]) => slot),
    );
    for (let i = 1; i < shown.length; i++) {
      assert.ok((shown[i]?.[0] as number) >= (shown[i - 1]?.[0] as number), `line ${i}`);
    }
    for (let slot = 0; slot < THREADS; slot++) {
      const own = shown.filter((one) => one[1] === slot).map((one) => one[2] as number);
      assert.deepEqual(
        own,
        own.slice().sort((one, other) => one - other),
        "in its own order",
      );
    }
  });
});
