/**
 * Proves which data is removed with the record of an old export, and when. The sum of a tenant's
 * stored bytes is correct after every change. It is bounded when a file is created, while it is
 * written, and when it is complete. With too little disk space, no new file is accepted.
 * Does not prove the same over HTTP (e2e/export/life.test.ts), nor that a render stops at its byte
 * limit (unit/export/sink.test.ts, contract/export/worker.test.ts).
 */
import assert from "node:assert/strict";
import { readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { PlanLimit } from "../../../src/access/plans.ts";
import type { AppError } from "../../../src/errors.ts";
import { ExportFolder } from "../../../src/export/files/folder.ts";
import { failureText } from "../../../src/export/record.ts";
import { ExportStore } from "../../../src/store/exportstore.ts";
import { SearchStore } from "../../../src/store/searchstore.ts";
import { isSqlite } from "../../../src/store/state.ts";
import { StoredBytes } from "../../../src/store/usagestore.ts";
import {
  FORGET_S,
  Installation,
  isError,
  settle,
  specOf,
} from "../../support/export/fake-threads.ts";
import { contentOf } from "../../support/formats/state-rows.ts";

let here: Installation;

beforeEach(() => {
  here = new Installation(4);
});

afterEach(() => here.dispose());

const done: Installation["done"] = (...given) => here.done(...given);
const sweeperOf: Installation["sweeper"] = (...given) => here.sweeper(...given);

describe("the record of a finished export", () => {
  const words = "a sentence that nobody else has said";
  const reported = () => {
    const spec = specOf();
    return { ...spec, explain: { ...spec.explain, assumptions: [{ words }] } };
  };
  const inFile = () => {
    // PostgreSQL erases its pages itself, so the test searches only its rows for the words.
    if (!isSqlite(here.database)) return JSON.stringify(contentOf(here.database)).includes(words);
    here.database.pragma("wal_checkpoint(TRUNCATE)");
    return readFileSync(join(here.dataDir, "state.db")).includes(words);
  };

  it("is deleted after the retention period with its spec, and no other", async () => {
    here.exports.start(here.segment);
    here.retention = 10;
    here.reopen();
    here.exports.start(here.segment);
    const old = here.create("a", "old", { spec: reported() }).record;
    const failed = here.create("a", "failed").record;
    await settle();
    await here.endFirst();
    here.first().end({ kind: "failed", failure: "disk_full", error: {} });
    await settle();
    here.clock.advance(10_000);
    sweeperOf().sweep();
    const queued = Array.from({ length: 9 }, (_, i) => here.create("a", `k${i}`).record.id);
    here.clock.advance(FORGET_S * 1_000 - 9_999);
    sweeperOf().sweep();
    assert.throws(() => here.record("a", failed.id), isError("export_not_found"), "it ended first");
    assert.equal(here.record("a", old.id).expired, true);
    assert.ok(inFile());
    here.clock.advance(10_000);
    sweeperOf().sweep();
    assert.throws(() => here.record("a", old.id), isError("export_not_found"));
    assert.ok(!inFile(), "what was deleted is not in the file either");
    for (const id of queued) here.record("a", id);
    assert.equal(here.count("idempotency"), 0, "its key was forgotten long before");
    assert.match(here.logged.join(""), /"exports":1,"msg":"records of old exports deleted"/);
  });

  it("is kept if the clock jumped", async () => {
    here.exports.start(here.segment);
    const { id } = await done("k");
    here.clock.advance(604_800_000);
    sweeperOf().sweep();
    const times = { wall: here.clock.nowMs(), monotonic: 0 };
    const clock = { nowMs: () => times.wall, monotonicMs: () => times.monotonic };
    const sweeper = sweeperOf(clock);
    times.wall += 2 * FORGET_S * 1_000;
    sweeper.sweep();
    assert.equal(here.record("a", id).expired, true);
    times.monotonic += 600_000;
    sweeper.sweep();
    assert.throws(() => here.record("a", id), isError("export_not_found"));
  });
});

describe("a tenant's storage", () => {
  const retained = (tenant = "a") => new StoredBytes(here.database).of(tenant);
  const limit = (limits: Partial<Record<PlanLimit, number>>) =>
    Object.assign(here.plans.enterprise.limits, limits);

  /** The sums, computed from the rows. */
  function added(tenant = "a") {
    return here.database
      .prepare(
        `SELECT coalesce(sum(size_bytes) FILTER (WHERE expired_at IS NULL), 0) AS files,
           coalesce(sum(length(CAST(spec AS BLOB))), 0)
             + (SELECT coalesce(sum(length(CAST(spec || name || coalesce(text, '') AS BLOB))), 0)
                FROM saved_searches WHERE tenant_id = ?) AS specs
         FROM exports WHERE tenant_id = ?`,
      )
      .get(tenant, tenant);
  }

  it("is summed by the database through every change", async () => {
    here.exports.start(here.segment);
    const searches = new SearchStore(here.database);
    const row = {
      tenantId: here.tenant("a"),
      userId: null as never,
      snapshot: "2026-10",
      total: 1,
    };
    const check = (what: string) => assert.deepEqual(retained(), added(), what);
    const file = await done("k", "twelve bytes");
    check("done");
    assert.equal(retained().files, 12);
    const [second] = [await done("l", "seven b")];
    searches.insert({ ...row, id: "s", name: "é", text: "ção", spec: "{}", createdAt: 1 }, 9);
    check("saved");
    searches.rename("a", "s", "another name");
    check("renamed");
    new ExportStore(here.database).requeue({ id: second.id, token: 1 }, 0);
    check("lost and queued again");
    here.exports.remove("a", second.id);
    check("removed");
    assert.equal(retained().files, 12);
    here.clock.advance(604_800_000);
    sweeperOf().sweep();
    check("expired");
    assert.equal(retained().files, 0);
    here.clock.advance(FORGET_S * 1_000 + 1);
    sweeperOf().sweep();
    check("forgotten");
    searches.remove("a", "s");
    assert.deepEqual(retained(), { files: 0, specs: 0 });
    assert.throws(() => here.record("a", file.id), isError("export_not_found"));
  });

  it("is bounded in bytes of files: no new export, and none that grows beyond it", async () => {
    here.exports.start(here.segment);
    limit({ export_bytes: 100 });
    await done("k", "x".repeat(60));
    const [one, two] = ["l", "m"].map((key) => here.create("a", key).record.id) as [string, string];
    await settle();
    assert.deepEqual(
      here.threads.held.map(({ request }) => request.bytesMax),
      [40, 40],
    );
    await here.endFirst("y".repeat(40));
    await here.endFirst("z".repeat(1));
    assert.equal(here.stateOf(one), "done");
    const { state, failure, room } = here.record("a", two);
    assert.deepEqual([state, failure], ["failed", "quota_exceeded"]);
    assert.deepEqual(room, { most: 100, retained: 100 });
    assert.equal(
      failureText("quota_exceeded", room),
      "The file became larger than what the plan's export_bytes left. The plan keeps up to 100 " +
        "bytes; 100 are kept now. Delete exports first, or export fewer rows or fields.",
    );
    assert.deepEqual(here.names("exports").length, 2, "its file is gone");
    assert.throws(
      () => here.create("a", "n"),
      (error) =>
        isError("quota_exceeded")(error) &&
        /keeps up to 100 bytes of files.*100 are kept.*Delete exports/.test(String(error)) &&
        Number((error as AppError).headers["Retry-After"]) > 0,
    );
    assert.equal(here.create("a", "k").replayed, true, "what was promised stays so");
    here.create("b", "k");
    here.exports.remove("a", one);
    here.create("a", "n");
  });

  it("reports a file that is too large by itself, and logs it as a rejection", async () => {
    here.exports.start(here.segment);
    limit({ export_bytes: 100 });
    const { id } = here.create("a", "k").record;
    await settle();
    const error = { error_stack: "AppError: The file would have" };
    here.first().end({ kind: "failed", failure: "quota_exceeded", error });
    await settle();
    assert.match(
      failureText("quota_exceeded", here.record("a", id).room),
      /up to 100 bytes; 0 are kept now\. Export fewer rows or fields\.$/,
    );
    assert.ok(here.logged.join("").includes(id));
    assert.ok(!here.logged.join("").includes("stack"), "an ordinary refusal has no stack");
  });

  it("allows a lost file to be rendered again", async () => {
    here.exports.start(here.segment);
    const { id } = await done("k", "x".repeat(60));
    here.exports.stop();
    unlinkSync(join(here.dataDir, "exports", `${id}.csv`));
    limit({ export_bytes: 10 });
    here.reopen();
    here.exports.start(here.segment);
    await settle();
    await here.endFirst("x".repeat(60));
    assert.equal(here.stateOf(id), "done");
  });

  it("is bounded in bytes of specs", () => {
    const spec = specOf();
    const size = Buffer.byteLength(JSON.stringify(spec));
    limit({ saved_bytes: 3 * size });
    for (let i = 0; i < 3; i++) here.create("a", `k${i}`, { spec });
    assert.throws(
      () => here.create("a", "k3", { spec }),
      (error) =>
        isError("quota_exceeded")(error) &&
        String(error).includes(`${3 * size} are kept, and this needs ${size}`),
    );
    limit({ saved_bytes: 0 });
    here.create("a", "k3", { spec });
  });
});

describe("a disk", () => {
  it("accepts no new exports below its reserve, replays them, and accepts them again", () => {
    here.free = 1_000;
    const { record } = here.create("a", "k");
    here.free = 999;
    assert.throws(
      () => here.create("a", "l"),
      (error) =>
        isError("storage_full")(error) &&
        !/999|1000/.test(String(error)) &&
        (error as AppError).headers["Retry-After"] === "60",
    );
    assert.match(here.logged.join(""), /"free_bytes":999,"free_bytes_min":1000/);
    assert.equal(here.create("a", "k").record.id, record.id);
    here.free = null;
    here.create("a", "m");
    here.free = 1_000;
    here.create("a", "l");
    assert.equal(here.count("exports"), 3);
  });

  it("reports its free space", () => {
    const free = new ExportFolder(here.dataDir).freeBytes();
    assert.ok(free !== null && free > 0, `${free} bytes`);
  });
});
