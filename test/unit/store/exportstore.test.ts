/**
 * Proves: equal concurrent requests create one export, in one process and in several. A repeated
 * idempotency key gets the right answer in every case. Exports expire, are kept, and are removed
 * correctly if the clock jumps. A data directory has only one server.
 * Does not prove recovery (unit/export/recovery.test.ts), nor that a commit survives a power cut
 * (crash harness).
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { IDEMPOTENCY_KEY_MS } from "../../../src/export/queue/sweeper.ts";
import { DAY_MS } from "../../../src/process/clock.ts";
import { lockDataDir } from "../../../src/store/database.ts";
import {
  Installation,
  isError,
  NOW_MS,
  settle,
  specOf,
} from "../../support/export/fake-threads.ts";

const run = promisify(execFile);
let here: Installation;

beforeEach(() => {
  here = new Installation(4);
});

afterEach(() => here.dispose());

const done: Installation["done"] = (...given) => here.done(...given);
const sweeperOf: Installation["sweeper"] = (...given) => here.sweeper(...given);

describe("an idempotency key", () => {
  it("returns the same export in its current state, for any form of the request", async () => {
    here.exports.start(here.segment);
    const spec = specOf();
    const { record, replayed } = here.create("a", "k", { spec });
    assert.equal(replayed, false);
    const other = { ...structuredClone(spec), explain: { ...spec.explain, confidence: 0.5 } };
    const reversed = Object.fromEntries(Object.entries(other).reverse()) as typeof spec;
    await settle();
    await here.endFirst();
    const again = here.create("a", "k", { spec: reversed });
    assert.deepEqual([again.replayed, again.record.state], [true, "done"]);
    assert.equal(again.record.id, record.id);
    assert.deepEqual(again.spec, spec, "the spec is that of the first request");
    assert.equal(here.count("exports"), 1);
  });

  it("is rejected with another spec, output, or limit", () => {
    here.create("a", "k", { spec: specOf("SP", "csv", 100) });
    for (const spec of [specOf("RJ"), specOf("SP", "html"), specOf("SP", "csv", 99)]) {
      assert.throws(() => here.create("a", "k", { spec }), isError("idempotency_key_reused"));
    }
    assert.equal(here.count("exports"), 1);
  });

  it("returns the export for the same bytes, before normalization", () => {
    const bodyHash = "a".repeat(64);
    const { record, spec } = here.create("a", "k", { bodyHash });
    const again = (tenant: string, key: string, hash = bodyHash) =>
      here.exports.replay(here.tenant(tenant), key, hash);
    assert.deepEqual(again("a", "k"), { ...again("a", "k"), record, spec, replayed: true });
    assert.equal(again("a", "k", "b".repeat(64)), null, "other bytes may mean the same");
    assert.equal(again("a", "l"), null);
    assert.equal(again("b", "k"), null);
    assert.equal(here.create("a", "k", { bodyHash: "b".repeat(64) }).record.id, record.id);
    assert.equal(again("a", "k")?.record.id, record.id, "the first bytes stay those of the key");
    here.clock.advance(IDEMPOTENCY_KEY_MS + 1);
    assert.equal(again("a", "k"), null);
    const fresh = here.create("a", "k", { bodyHash });
    here.exports.remove("a", fresh.record.id);
    assert.throws(() => again("a", "k"), isError("idempotency_key_reused"));
  });

  it("belongs to its tenant", () => {
    const ids = ["a", "b"].map((tenant) => here.create(tenant, "k").record.id);
    assert.equal(new Set(ids).size, 2);
  });

  it("is stored for a day and then forgotten", () => {
    const { record } = here.create("a", "k");
    here.clock.advance(IDEMPOTENCY_KEY_MS);
    assert.equal(here.create("a", "k").record.id, record.id);
    here.clock.advance(1);
    const fresh = here.create("a", "k", { spec: specOf("RJ") });
    assert.equal(fresh.replayed, false);
    assert.equal(here.create("a", "k", { spec: specOf("RJ") }).record.id, fresh.record.id);
    here.create("a", "k2");
    here.clock.advance(IDEMPOTENCY_KEY_MS);
    sweeperOf().sweep();
    assert.equal(here.count("idempotency"), 2);
    here.clock.advance(1);
    sweeperOf().sweep();
    assert.equal(here.count("idempotency"), 0);
  });

  it("stays valid if the clock jumps ahead and back", () => {
    here.exports.start(here.segment);
    const { record } = here.create("a", "k");
    const { clock } = here;
    const wall = clock.nowMs.bind(clock);
    const sweeper = sweeperOf();
    for (const jumpMs of [30 * DAY_MS, -30 * DAY_MS]) {
      clock.nowMs = () => wall() + jumpMs;
      assert.equal(here.create("a", "k").record.id, record.id, "before any sweep");
      sweeper.sweep();
      assert.equal(here.exports.replay("a", "k", "")?.record.id, record.id);
      clock.nowMs = wall;
      sweeper.sweep();
      assert.equal(here.create("a", "k").record.id, record.id, `after ${jumpMs} ms and back`);
    }
    assert.equal(here.count("exports"), 1);
    assert.match(here.logged.join(""), /clock has leapt.*idempotency keys are kept/);
  });

  it("is not consumed by a rejection", () => {
    for (let i = 0; i < 5; i++) here.create("a", `k${i}`, { plan: "free" });
    assert.throws(() => here.create("a", "late", { plan: "free" }), isError("rate_limited"));
    assert.equal(here.create("a", "late", { spec: specOf("RJ") }).replayed, false);
  });

  it("creates one export for 200 equal requests, and one for each of 64 keys", () => {
    const answers = Array.from({ length: 200 }, () => here.create("a", "k"));
    assert.equal(new Set(answers.map(({ record }) => record.id)).size, 1);
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
    for (let round = 0; round < 3; round++) {
      for (let key = 0; key < 64; key++) here.create("a", `k${key}`);
    }
    assert.equal(here.count("exports"), 65);
  });

  it("creates one export for concurrent requests of several processes", async () => {
    here.tenant("a");
    const module = fileURLToPath(new URL("../../support/export/fake-threads.ts", import.meta.url));
    const script = `import { createMany } from ${JSON.stringify(module)};
      createMany(process.argv[1], process.argv[2]);`;
    const flags = ["--import", "tsx", "--input-type=module", "-e", script];
    const runs = await Promise.all(
      [1, 2, 3].map(() => run(process.execPath, [...flags, here.dataDir, here.segment.path])),
    );
    const [one, ...others] = runs.map(({ stdout }) => JSON.parse(stdout) as string[]);
    assert.equal(one?.length, 200);
    for (const other of others) assert.deepEqual(other, one);
    assert.equal(here.count("exports"), 200);
    assert.equal(here.count("idempotency"), 200);
  });
});

describe("expiry", () => {
  it("happens after the smaller of setting and plan", async () => {
    here.exports.start(here.segment);
    assert.equal((await done("k")).expiresAtMs, NOW_MS + 604_800_000);
    assert.equal((await done("l", "x", "free")).expiresAtMs, NOW_MS + 86_400_000);
    here.retention = 1;
    here.reopen();
    here.exports.start(here.segment);
    assert.equal((await done("m")).expiresAtMs, NOW_MS + 1_000);
  });

  it("is exact, removes the file, and is permanent for any later clock", async () => {
    here.retention = 10;
    here.reopen();
    here.exports.start(here.segment);
    const { id } = await done("k");
    here.clock.advance(9_999);
    assert.equal(here.record("a", id).expired, false);
    sweeperOf().sweep();
    assert.deepEqual(here.names("exports"), [`${id}.csv`]);
    here.clock.advance(1);
    assert.equal(here.record("a", id).expired, true, "before any sweep");
    sweeperOf().sweep();
    assert.deepEqual(here.names("exports"), []);
    const { state, expired, expiresAtMs } = here.record("a", id);
    assert.deepEqual([state, expired, expiresAtMs], ["done", true, NOW_MS + 10_000]);
    const earlier = { nowMs: () => NOW_MS, monotonicMs: () => 0 };
    Object.assign(here.clock, earlier);
    assert.equal(here.record("a", id).expired, true);
    assert.equal(here.create("a", "k").record.expired, true, "a replay says so as well");
  });

  it("does not affect a download in progress", async () => {
    here.exports.start(here.segment);
    const record = await done("k", "the whole file");
    const descriptor = openSync(here.exports.filePath(record), "r");
    here.clock.advance(604_800_000);
    sweeperOf().sweep();
    assert.deepEqual(here.names("exports"), []);
    assert.equal(readFileSync(descriptor, "utf8"), "the whole file");
    closeSync(descriptor);
  });

  it("handles hundreds of exports in one run", async () => {
    here.exports.start(here.segment);
    for (let i = 0; i < 250; i++) here.create("a", `k${i}`);
    await settle();
    while (here.threads.held.length > 0) {
      await here.endFirst();
    }
    here.clock.advance(604_800_000);
    sweeperOf().sweep();
    assert.equal(here.count("exports WHERE expired_at IS NOT NULL"), 250);
    assert.deepEqual(here.names("exports"), []);
  });

  it("waits if the wall clock jumps, and happens afterwards", async () => {
    here.exports.start(here.segment);
    const { id } = await done("k");
    let wall = NOW_MS;
    let monotonic = 0;
    const sweeper = sweeperOf({ nowMs: () => wall, monotonicMs: () => monotonic });
    wall += 400 * 86_400_000;
    sweeper.sweep();
    assert.deepEqual(here.names("exports"), [`${id}.csv`]);
    wall += 599_999;
    monotonic += 599_999;
    sweeper.sweep();
    assert.deepEqual(here.names("exports"), [`${id}.csv`]);
    assert.match(here.logged.join(""), /clock has leapt/);
    wall += 1;
    monotonic += 1;
    sweeper.sweep();
    assert.deepEqual(here.names("exports"), []);
  });
});

describe("a data directory", () => {
  it("belongs to one server at a time, until that ends", () => {
    const unlock = lockDataDir(here.dataDir);
    assert.throws(() => lockDataDir(here.dataDir), /Another server works on .*state/);
    unlock();
    lockDataDir(here.dataDir)();
  });

  it("is released if its server was killed", async () => {
    const module = fileURLToPath(new URL("../../../src/store/database.ts", import.meta.url));
    const script = `import { lockDataDir } from ${JSON.stringify(module)};
      lockDataDir(process.argv[1]);
      process.kill(process.pid, "SIGKILL");`;
    const flags = ["--import", "tsx", "--input-type=module", "-e", script, here.dataDir];
    await assert.rejects(run(process.execPath, flags), { signal: "SIGKILL" });
    lockDataDir(here.dataDir)();
  });
});
