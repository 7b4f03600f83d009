/**
 * Proves, with two threads over a real snapshot: a snapshot is opened on all threads, including a
 * thread that replaces an ended one. All threads refuse a snapshot that the server has closed, and
 * retain nothing of it. The port is closed while threads load, because a client would have to wait.
 * Does not prove: the answers from the snapshot (e2e/server/threads.test.ts).
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import PLANS from "../../../../data/plans.json" with { type: "json" };
import { searchCounter } from "../../../../src/export/queue/rendertask.ts";
import { Budget } from "../../../../src/http/server/admission.ts";
import {
  type HttpThreads,
  openHttpThreads,
} from "../../../../src/http/server/threads/http-threads.ts";
import { Ledger } from "../../../../src/process/ledger.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { loadConfig } from "../../../../src/settings/config.ts";
import { TEST_LIMITS } from "../../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

let sample: SampleSnapshot;
let threads: HttpThreads;
const workers: Worker[] = [];
/** Results of attempts to connect, each made when a thread started to load. */
const early: Promise<string>[] = [];
let port = 0;
const note = (worker: Worker) => {
  workers.push(worker);
  worker.once("online", () => early.push(connecting()));
};

before(async () => {
  sample = await makeSampleSnapshot(60, 3);
  process.on("worker", note);
  const { settings, plans } = loadConfig({ plans: PLANS });
  const ledger = Ledger.open();
  threads = await openHttpThreads({
    worker: "cli/serving/threads/http.worker.ts",
    loadingMax: 2,
    bodies: new Budget(1_000_000, 1, "bodies", ledger),
    start: {
      ...{ threads: 2, settings, plans, limits: TEST_LIMITS, ledger: ledger.id },
      ...{ searches: searchCounter(), leases: null },
    },
  });
  port = await freePort();
  await threads.listen({ host: "127.0.0.1", port }, (exchange) => exchange.send(200, [], ""));
});
after(async () => {
  await threads.close(0);
  process.off("worker", note);
  sample.dispose();
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return free;
}

/** Tries to connect. Resolves with the code of the refusal, or with "connected". */
function connecting(): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve("connected");
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });
}

describe("the port of several threads", () => {
  it("is closed while they load, and open afterwards", async () => {
    assert.ok(early.length >= 2, "both threads began to load");
    assert.deepEqual([...new Set(await Promise.all(early))], ["ECONNREFUSED"]);
    assert.equal(await connecting(), "connected");
  });
});

/** Opens the snapshot, shares it, and calls `run` with it. */
async function withSegment(run: (segment: Segment) => Promise<void>): Promise<void> {
  const segment = await openSegment(sample.snapshot);
  try {
    await run(segment);
  } finally {
    segment.close();
  }
}

describe("a snapshot on all threads", () => {
  it("is opened even if one of them has just ended", async () => {
    await withSegment(async (segment) => {
      await (workers.at(-1) as Worker).terminate();
      const started = workers.length;
      await threads.open(segment);
      threads.publish(segment);
      for (let tries = 0; workers.length === started; tries++) {
        assert(tries < 500, "the thread is replaced");
        await sleep(20);
      }
      const replaced = workers.at(-1) as Worker;
      await once(replaced, "online");
      // A thread runs its commands in sequence. So this answer shows that the commands of its start
      // are done.
      assert.equal((await threads.samples()).length, 2);
      threads.publish(null);
      threads.drop(segment);
    });
  });

  it("is refused by all if the server has closed it", async () => {
    const segment = await openSegment(sample.snapshot);
    segment.close();
    await assert.rejects(threads.open(segment), /closed/);
    await withSegment((opened) => threads.open(opened));
  });
});
