/**
 * Proves: if threads cannot start, their tasks fail. If a thread answers after its task was
 * canceled or after the pool was closed, the answer is dropped and the process continues. The
 * canceled task rejects. No thread is terminated while it loads its module, even if the thread
 * replaces another one. No thread is terminated during a task that ends within a second. A thread
 * is ready only when its task functions exist.
 * Does not prove the effects of a thread that dies during a task (contract/export/worker.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { ThreadPool, YOUNG_MB } from "../../../src/process/threads.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-threads-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Work {
  readonly check: readonly [path: string, findings: readonly string[]];
}

/** Milliseconds in which an idle thread surely answers a task that fails immediately. */
const ANSWERED_MS = 200;

/** Milliseconds, more than a thread needs to load. */
const LATE_MS = 2_000;

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Returns the events ("loaded", "ended") of each thread that the action started, in order. */
async function noted(act: () => Promise<void>): Promise<readonly (readonly string[])[]> {
  const events: string[][] = [];
  const note = (thread: Worker) => {
    const seen: string[] = [];
    events.push(seen);
    thread.once("message", () => seen.push("loaded"));
    thread.once("exit", () => seen.push("ended"));
  };
  process.on("worker", note);
  await act();
  process.off("worker", note);
  return events;
}

describe("a thread pool", () => {
  it("fails every task if its threads cannot start", { timeout: 20_000 }, async () => {
    // The timer keeps the process alive, because threads that are starting do not.
    const awake = setInterval(() => {}, 1_000);
    const pool = new ThreadPool<Work>({ worker: "store/nothing.worker.ts", threads: 2 });
    await assert.rejects(pool.run("check", folder), /nothing\.worker/);
    await setTimeout(ANSWERED_MS);
    const later = [pool.run("check", folder), pool.run("check", folder)];
    for (const run of later) await assert.rejects(run, /nothing\.worker/);
    await pool.close();
    clearInterval(awake);
  });

  it("drops the answers of canceled tasks", async () => {
    const pool = new ThreadPool<Work>({ worker: "store/statecheck.worker.ts", threads: 4 });
    const missing = join(folder, "missing.db");
    const send = (signal?: AbortSignal) =>
      pool.run("check", missing, signal === undefined ? {} : { signal });
    await Promise.allSettled([send(), send(), send(), send()]);
    for (let round = 0; round < 5; round += 1) {
      const cancel = new AbortController();
      const runs = Array.from({ length: 4 }, () => send(cancel.signal));
      for (const run of runs) run.catch(() => cancel.abort());
      block(ANSWERED_MS);
      const ends = await Promise.allSettled(runs);
      assert.ok(ends.every(({ status }) => status === "rejected"));
    }
    await pool.close();
  });

  it("drops the answers that arrive while it closes", async () => {
    for (let round = 0; round < 5; round += 1) {
      const pool = new ThreadPool<Work>({ worker: "store/statecheck.worker.ts", threads: 2 });
      const runs = Array.from({ length: 8 }, () => pool.run("check", join(folder, "missing.db")));
      const ends = Promise.allSettled(runs);
      await Promise.race(runs).catch(() => undefined);
      block(ANSWERED_MS);
      await pool.close();
      assert.ok((await ends).every(({ status }) => status === "rejected"));
    }
  });

  it("terminates no thread that is still loading", async () => {
    const events = await noted(async () => {
      const pool = new ThreadPool<Work>({ worker: "store/statecheck.worker.ts", threads: 2 });
      await pool.close();
    });
    assert.deepEqual(events, [
      ["loaded", "ended"],
      ["loaded", "ended"],
    ]);
  });

  it("limits the young generation of its threads if it is set", async () => {
    const limits: (number | undefined)[] = [];
    const note = ({ resourceLimits }: Worker) =>
      limits.push(resourceLimits?.maxYoungGenerationSizeMb);
    process.on("worker", note);
    for (const options of [{ youngMb: YOUNG_MB }, {}]) {
      const pool = new ThreadPool<Work>({
        ...{ worker: "store/statecheck.worker.ts", threads: 1 },
        ...options,
      });
      await pool.close();
    }
    process.off("worker", note);
    assert.equal(limits.length, 2);
    assert.equal(limits[0], YOUNG_MB);
    assert.notEqual(limits[1], YOUNG_MB);
  });

  it("terminates no loading thread that replaces one whose task was canceled", async () => {
    const events = await noted(async () => {
      const pool = new ThreadPool<Work>({ worker: "store/statecheck.worker.ts", threads: 1 });
      await pool.run("check", join(folder, "missing.db")).catch(() => undefined);
      const cancel = new AbortController();
      const run = pool.run("check", join(folder, "missing.db"), { signal: cancel.signal });
      cancel.abort();
      await assert.rejects(run, { name: "AbortError" });
      await pool.close();
    });
    assert.deepEqual(events, [
      ["loaded", "ended"],
      ["loaded", "ended"],
    ]);
  });

  it("waits for a thread that was being terminated when it closed", async (t) => {
    const terminate = Worker.prototype.terminate;
    const late = t.mock.method(Worker.prototype, "terminate", async function (this: Worker) {
      await setTimeout(LATE_MS);
      return terminate.call(this);
    });
    const events = await noted(async () => {
      const pool = new ThreadPool<Work>({ worker: "store/statecheck.worker.ts", threads: 1 });
      await pool.run("check", join(folder, "missing.db")).catch(() => undefined);
      const cancel = new AbortController();
      const run = pool.run("check", join(folder, "missing.db"), { signal: cancel.signal });
      cancel.abort();
      await assert.rejects(run, { name: "AbortError" });
      late.mock.restore();
      await pool.close();
    });
    assert.deepEqual(events, [
      ["loaded", "ended"],
      ["loaded", "ended"],
    ]);
  });

  it("loads the function of its tasks before it is ready", () => {
    const sources = new URL("../../../src/", import.meta.url);
    const files = readdirSync(sources, { recursive: true, encoding: "utf8" });
    // Three kinds of threads belong to no pool: those that answer requests
    // (http/server/threads/http-threads.ts), that of the database (store/postgres/bridge.ts),
    // and that of the rate leases (access/fleet/fleetrates.ts).
    const workers = files.filter(
      (file) => file.endsWith(".worker.ts") && !/\/(http|leases|postgres)\.worker\.ts$/.test(file),
    );
    assert.ok(workers.length >= 6);
    for (const file of workers) {
      const text = readFileSync(new URL(file, sources), "utf8");
      const exported = [...text.matchAll(/^export (?!type|interface).*/gm)].map(String);
      assert.equal(exported.length, 1, file);
      assert.match(exported[0] ?? "", /^export const run = worker</, file);
    }
  });

  it("lets short tasks end before it closes", async () => {
    const pool = new ThreadPool<Work>({ worker: "store/statecheck.worker.ts", threads: 2 });
    const runs = Array.from({ length: 4 }, () => pool.run("check", join(folder, "missing.db")));
    const ends = Promise.allSettled(runs);
    await pool.close();
    for (const end of await ends) {
      assert.ok(end.status === "rejected");
      // The error's code shows that the task ran and failed. An error of the pool would have
      // another code. The class cannot be checked, because it is lost between threads.
      assert.equal((end.reason as { code?: unknown }).code, "SQLITE_CANTOPEN");
    }
  });
});
