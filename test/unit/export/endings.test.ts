/**
 * Proves, with threads that the test advances by hand: deleting an export, stopping, and waiting at
 * any moment leave no row, file, timer, or busy thread. If the end of an export cannot be
 * committed, it is committed later. Does not prove what survives a crash
 * (unit/export/recovery.test.ts, and the crash harness with a real process).
 */
import assert from "node:assert/strict";
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AppError } from "../../../src/errors.ts";
import { isSqlite } from "../../../src/store/state.ts";
import {
  Installation,
  idOf,
  isError,
  rendered,
  settle,
  specOf,
} from "../../support/export/fake-threads.ts";
import { refuseWrites } from "../../support/server/refused-writes.ts";

let here: Installation;

beforeEach(() => {
  here = new Installation(2);
  here.exports.start(here.segment);
});

afterEach(() => here.dispose());

describe("deleting", () => {
  it("removes a waiting export from the queue", async () => {
    const ids = [1, 2, 3].map((i) => here.create("a", `k${i}`).record.id);
    here.exports.remove("a", ids[0] as string);
    assert.throws(() => here.record("a", ids[0] as string), isError("export_not_found"));
    await settle();
    assert.deepEqual(here.threads.held.map(idOf), ids.slice(1));
  });

  it("cancels a running one and frees its slot", async () => {
    const ids = [1, 2, 3].map((i) => here.create("a", `k${i}`).record.id);
    await settle();
    here.exports.remove("a", ids[0] as string);
    await settle();
    assert.deepEqual(here.threads.held.map(idOf), ids.slice(1));
    assert.equal(here.exports.find(ids[0] as string), undefined);
  });

  it("frees the tenant's slot before the thread has noticed", async () => {
    await here.dispose();
    here = new Installation(2, false);
    here.exports.start(here.segment);
    const ids = [1, 2].map((i) => here.create("a", `k${i}`, { plan: "free" }).record.id);
    await settle();
    assert.deepEqual(here.threads.held.map(idOf), ids.slice(0, 1));
    here.exports.remove("a", ids[0] as string);
    await settle();
    assert.deepEqual(here.threads.held.map(idOf), ids);
  });

  it("discards a file that is finished meanwhile", async () => {
    await here.dispose();
    here = new Installation(1, false);
    here.exports.start(here.segment);
    const { record } = here.create("a", "k");
    await settle();
    here.exports.remove("a", record.id);
    assert.equal(here.first().cancelled, true);
    await here.endFirst();
    assert.deepEqual(here.names("exports"), []);
    assert.equal(here.exports.find(record.id), undefined);
  });

  it("removes the file of a done one, and keeps its key used", async () => {
    const { record } = here.create("a", "k");
    await settle();
    await here.endFirst();
    here.exports.remove("a", record.id);
    assert.deepEqual(here.names("exports"), []);
    assert.throws(() => here.create("a", "k"), isError("idempotency_key_reused"));
    assert.throws(() => here.exports.remove("a", record.id), isError("export_not_found"));
  });

  it("retries the removal of a file that failed", async () => {
    const { record } = here.create("a", "k");
    await settle();
    here.first().end({ kind: "failed", failure: "disk_full", error: {} });
    await settle();
    // A folder in place of the file makes the deletion fail, because a folder cannot be unlinked.
    const path = here.exports.filePath(record);
    mkdirSync(path);
    here.exports.remove("a", record.id);
    assert.deepEqual(here.names("exports"), [`${record.id}.csv`]);
    rmdirSync(path);
    writeFileSync(path, "still here");
    assert.match(here.logged.join(""), /was not removed yet/);
    for (let waited = 0; waited < 100 && here.names("exports").length > 0; waited++)
      await sleep(50);
    assert.deepEqual(here.names("exports"), []);
  });
});

describe("stopping", () => {
  it("requeues running exports, without counting the attempt, and ends the threads", async () => {
    const ids = [1, 2, 3].map((i) => here.create("a", `k${i}`).record.id);
    await settle();
    await here.exports.close();
    assert.equal(here.threads.closed, true);
    assert.equal(here.threads.begun, 2);
    const rows = here.database.prepare("SELECT state, attempts FROM exports").all();
    assert.deepEqual(
      rows,
      ids.map(() => ({ state: "queued", attempts: 0 })),
    );
  });

  it("waits for a render that is about to finish, and keeps its file", async () => {
    await here.dispose();
    here = new Installation(1, false);
    here.exports.start(here.segment);
    const { record } = here.create("a", "k");
    await settle();
    const closing = here.exports.close();
    await settle();
    assert.equal(here.threads.closed, false);
    here.first().end(rendered(here.first().request));
    await closing;
    assert.equal(here.stateOf(record.id), "done");
  });

  it("ends all waits", async () => {
    const { record } = here.create("a", "k");
    const waiting = here.exports.settled("a", record.id, 60_000);
    here.exports.stop();
    assert.equal((await waiting).state, "queued");
    assert.equal((await here.exports.settled("a", record.id, 60_000)).id, record.id);
  });
});

describe("waiting", () => {
  it("ends with the export", async () => {
    const { record } = here.create("a", "k");
    const began = performance.now();
    const waits = [1, 2, 3].map(() => here.exports.settled("a", record.id, 60_000));
    await settle();
    here.first().end(rendered(here.first().request));
    assert.deepEqual(
      (await Promise.all(waits)).map(({ state }) => state),
      ["done", "done", "done"],
    );
    assert.ok(performance.now() - began < 20_000, "long before the time is over");
    assert.equal((await here.exports.settled("a", record.id, 60_000)).state, "done");
  });

  it("ends at its timeout, with the current state", async () => {
    const { record } = here.create("a", "k");
    assert.equal((await here.exports.settled("a", record.id, 0)).state, "queued");
    await settle();
    assert.equal((await here.exports.settled("a", record.id, 20)).state, "running");
  });

  it("ends as not found if the export is deleted", async () => {
    const { record } = here.create("a", "k");
    const waiting = here.exports.settled("a", record.id, 60_000);
    here.exports.remove("a", record.id);
    await assert.rejects(waiting, isError("export_not_found"));
  });

  it("leaves no timer", async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const { record } = here.create("a", "k");
    const waits = Array.from({ length: 50 }, () => here.exports.settled("a", record.id, 60_000));
    assert.equal(timers(), before + 50);
    await settle();
    here.first().end(rendered(here.first().request));
    await Promise.all(waits);
    assert.equal(timers(), before);
  });
});

describe("a database that cannot be written", () => {
  it("answers that storage is full or failing, and commits the end of a render later", async () => {
    const { record } = here.create("a", "k");
    await settle();
    // Limits the database to its current pages. SQLite then fails as on a full disk.
    const pages = isSqlite(here.database)
      ? here.database.pragma("page_count", { simple: true })
      : 0;
    const limitPages = (max: unknown) => here.database.pragma(`max_page_count = ${max}`);
    if (pages !== 0) limitPages(pages);
    const big = specOf("SP", "csv", 7);
    big.explain.warnings.push("x".repeat(100_000));
    const refused = () => here.create("a", "k2", { spec: big });
    if (pages !== 0) {
      assert.throws(refused, (error: AppError) => {
        assert.equal(error.code, "storage_full");
        assert.ok(error.headers["Retry-After"]);
        return true;
      });
    }
    const allow = refuseWrites(here.database);
    assert.throws(() => here.exports.remove("a", record.id), isError("storage_unavailable"));
    await here.endFirst();
    assert.equal(here.stateOf(record.id), "running");
    allow();
    if (pages !== 0) limitPages(1_073_741_823);
    assert.equal((await here.exports.settled("a", record.id, 3_000)).state, "done");
    assert.equal(refused().replayed, false, "the refusal kept nothing of the key");
  });
});
