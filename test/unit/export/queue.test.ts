/**
 * Proves, with threads that the test advances by hand: tenants take turns within the limits of
 * their plans. Every outcome of a render leads to the right state, reason, and files. Attempts are
 * counted and limited.
 * Does not prove rendering (contract/export/worker.test.ts), deleting and stopping
 * (unit/export/endings.test.ts) or what survives a crash (unit/export/recovery.test.ts).
 */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import builtIn from "../../../data/plans.json" with { type: "json" };
import { loadPlans } from "../../../src/access/plans.ts";
import { AppError } from "../../../src/errors.ts";
import { nextTurn } from "../../../src/export/queue/queue.ts";
import { endOf, failureOf, type RenderOutcome } from "../../../src/export/queue/rendertask.ts";
import { StateUnreachable } from "../../../src/store/statedatabase.ts";
import { StoredBytes } from "../../../src/store/usagestore.ts";
import { Installation, idOf, isError, settle, specOf } from "../../support/export/fake-threads.ts";
import { seededRng } from "../../support/spec/random.ts";

let here: Installation;

beforeEach(() => {
  here = new Installation(2);
  here.exports.start(here.segment);
});

afterEach(() => here.dispose());

const errno = (code: string) => Object.assign(new Error("made up"), { code });

describe("a queue", () => {
  it("renders, stores the file, and reports it", async () => {
    const { record } = here.create("a", "k");
    assert.deepEqual([record.state, record.progress, record.rowCount], ["queued", 0, null]);
    assert.match(record.id, /^exp_[0-9a-f]{32}$/);
    await settle();
    assert.equal(here.stateOf(record.id), "running");
    here.first().onProgress(25, 100);
    assert.deepEqual(
      [here.record("a", record.id).progress, here.record("a", record.id).rowsWritten],
      [0.25, 25],
    );
    await here.endFirst("0123456789");
    const done = here.record("a", record.id);
    assert.deepEqual(
      [done.state, done.progress, done.rowCount, done.sizeBytes],
      ["done", 1, 1, 10],
    );
    assert.match(done.sha256 ?? "", /^84d89877f0d4041efb6bf91a16f0248f/);
    assert.equal(done.expiresAtMs, here.clock.nowMs() + 604_800_000);
    assert.deepEqual(here.names("exports"), [`${record.id}.csv`]);
    assert.equal(here.exports.filePath(done), `${here.dataDir}/exports/${record.id}.csv`);
    assert.deepEqual(here.exports.find(record.id), done);
  });

  it("shows nothing to another tenant", async () => {
    const { record } = here.create("a", "k");
    here.tenant("b");
    for (const look of [
      () => here.exports.read("b", record.id),
      () => here.exports.remove("b", record.id),
      () => here.exports.read("a", `exp_${"0".repeat(32)}`),
      () => here.exports.read("a", "' OR 1=1"),
    ]) {
      assert.throws(look, isError("export_not_found"));
    }
    await assert.rejects(here.exports.settled("b", record.id, 10), isError("export_not_found"));
    assert.deepEqual(here.exports.list("b", { limit: 10, before: null }).records, []);
  });

  it("lists newest first, page by page", () => {
    const ids = Array.from({ length: 7 }, (_, i) => here.create("a", `k${i}`).record.id).reverse();
    const seen: string[] = [];
    let before: number | null = null;
    for (let more = true; more; ) {
      const page = here.exports.list("a", { limit: 3, before });
      seen.push(...page.records.map(({ id }) => id));
      before = page.records.at(-1)?.sequence ?? null;
      more = page.more;
      assert.equal(more, seen.length < 7);
    }
    assert.deepEqual(seen, ids);
  });

  it("schedules tenants fairly, in any order of requests", async () => {
    const order: string[] = [];
    for (let i = 0; i < 6; i++) here.create("a", `k${i}`);
    for (let i = 0; i < 2; i++) here.create("b", `k${i}`);
    here.create("c", "k");
    await settle();
    while (here.threads.held.length > 0) {
      const id = idOf(here.first());
      order.push(here.exports.find(id)?.tenantId ?? "?");
      await here.endFirst();
    }
    assert.deepEqual(order.join(""), "abcabaaaa");
  });

  it("runs no more of a tenant than its plan allows, and the next tenant's instead", async () => {
    await here.dispose();
    here = new Installation(8);
    here.exports.start(here.segment);
    for (let i = 0; i < 4; i++) here.create("a", `k${i}`, { plan: "growth" });
    for (let i = 0; i < 3; i++) here.create("b", `k${i}`, { plan: "free" });
    await settle();
    const running = here.threads.held.map((held) => here.exports.find(idOf(held))?.tenantId);
    assert.deepEqual(running.sort(), ["a", "a", "b"]);
    await here.endFirst();
    assert.equal(here.threads.held.length, 3);
  });

  it("still renders accepted exports after the plan's number is set to 0", async () => {
    const { record } = here.create("a", "k");
    await settle();
    here.reopen();
    (here.plans.enterprise.limits as { concurrent_exports: number }).concurrent_exports = 0;
    here.exports.start(here.segment);
    await settle();
    assert.equal(here.stateOf(record.id), "running");
  });
});

describe("scheduling", () => {
  it("makes no tenant wait while another has two slots", () => {
    const rng = seededRng(7);
    for (let round = 0; round < 200; round++) {
      const left = new Map(["a", "b", "c", "d"].map((id) => [id, 1 + Math.floor(rng() * 5)]));
      const wait = new Map<string, number>();
      let last = "";
      for (;;) {
        const tenants = [...left].filter(([, n]) => n > 0).map(([tenantId]) => tenantId);
        const candidates = tenants.map((tenantId) => ({ tenantId, sequence: 1 }));
        const blocked = rng() < 0.3 ? tenants[Math.floor(rng() * tenants.length)] : undefined;
        const taken = nextTurn(candidates, last, ({ tenantId }) =>
          tenantId === blocked ? null : tenantId,
        );
        if (taken === null) {
          if (tenants.length === 0) break;
          continue;
        }
        left.set(taken, (left.get(taken) ?? 0) - 1);
        for (const other of tenants) wait.set(other, (wait.get(other) ?? 0) + 1);
        wait.set(taken, 0);
        // A tenant waits at most one turn of each other tenant. The wait is counted since its own
        // last turn, or since its plan last blocked it.
        if (blocked !== undefined) wait.set(blocked, 0);
        for (const [tenant, turns] of wait)
          assert.ok(turns <= 4, `${tenant} waited ${turns} turns`);
        last = taken;
      }
    }
  });
});

describe("bounds", () => {
  it("refuse what exceeds the plan's queue, and store nothing of it", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) {
      ids.push(here.create("a", `k${i}`, { plan: "free" }).record.id);
      await settle();
    }
    const refused = () => here.create("a", "k6", { plan: "free" });
    assert.throws(refused, (error: AppError) => {
      assert.equal(error.code, "rate_limited");
      assert.match(error.headers["Retry-After"] ?? "", /^[1-9]\d*$/);
      return true;
    });
    assert.equal(here.exports.list("a", { limit: 50, before: null }).records.length, 6);
    here.create("b", "k6", { plan: "free" });
    here.exports.remove("a", ids[5] as string);
    assert.equal(refused().replayed, false);
    assert.equal(here.create("a", "k0", { plan: "free" }).replayed, true, "a replay is no entry");
  });

  for (const none of [{ concurrent_exports: 0 }, { export_rows: 0 }]) {
    it(`refuse a plan without exports, which says ${JSON.stringify(none)}`, () => {
      const table = structuredClone(builtIn) as Record<string, object>;
      const plan = loadPlans({ ...table, free: { ...table.free, ...none } }).free;
      const wanted = { tenantId: here.tenant("a"), plan, idempotencyKey: "k", spec: specOf() };
      const request = { keyId: "k", bodyHash: "", rows: 1, segment: here.segment };
      const create = () => here.exports.create({ ...wanted, ...request });
      assert.throws(create, isError("plan_not_allowed"));
    });
  }
});

describe("outcomes", () => {
  const lastly = async (id: string, outcome: RenderOutcome) => {
    for (let attempt = 0; attempt < 5 && here.threads.held.length > 0; attempt++) {
      here.first().end(outcome);
      await settle();
    }
    const { state, failure } = here.record("a", id);
    return [state, failure, here.threads.begun];
  };
  const begin = async () => {
    const { record } = here.create("a", "k");
    await settle();
    return record.id;
  };

  it("that no retry can fix fail immediately", async () => {
    const id = await begin();
    const failed = { kind: "failed", failure: "disk_full", error: {} } as const;
    assert.deepEqual(await lastly(id, failed), ["failed", "disk_full", 1]);
  });

  it("that threw are tried three times", async () => {
    const outcome = { kind: "threw", error: {} } as const;
    assert.deepEqual(await lastly(await begin(), outcome), ["failed", "render_failed", 3]);
  });

  it("of threads that died are tried three times", async () => {
    const outcome = { kind: "crashed", error: {} } as const;
    assert.deepEqual(await lastly(await begin(), outcome), ["failed", "too_many_attempts", 3]);
  });

  it("may be good at the third attempt", async () => {
    const id = await begin();
    for (let attempt = 1; attempt < 3; attempt++) {
      here.first().end({ kind: "threw", error: {} });
      await settle();
    }
    await here.endFirst();
    assert.equal(here.stateOf(id), "done");
  });

  it("of an outage of the database count as no attempt, and wait for the next look", async () => {
    const id = await begin();
    for (let outage = 0; outage < 5; outage++) {
      here.first().end(endOf(new StateUnreachable("away")));
      await settle();
      assert.equal(here.threads.held.length, 0, "it rests");
      here.exports.tick();
      await settle();
    }
    await here.endFirst();
    assert.equal(here.stateOf(id), "done");
  });

  it("are stored if the database goes away between a render and its end", async () => {
    const id = await begin();
    const away = mock.method(StoredBytes.prototype, "of", () => {
      throw new StateUnreachable("away");
    });
    await here.endFirst();
    away.mock.restore();
    assert.equal(here.stateOf(id), "queued");
    here.exports.tick();
    await settle();
    await here.endFirst();
    assert.equal(here.stateOf(id), "done");
  });

  it("of an order that cannot even be sent count as attempts", async () => {
    const { record } = here.create("a", "k");
    here.database.prepare("UPDATE exports SET spec = '{' WHERE id = ?").run(record.id);
    await settle();
    assert.equal(here.record("a", record.id).failure, "render_failed");
    assert.equal(here.threads.begun, 0);
  });

  it("are named after the error", () => {
    const cases: readonly (readonly [unknown, string | null])[] = [
      ...["ENOSPC", "EDQUOT", "EFBIG"].map((code) => [errno(code), "disk_full"] as const),
      ...["EIO", "EROFS", "EACCES", "EPERM"].map((code) => [errno(code), "write_failed"] as const),
      [errno("SNAPSHOT_DAMAGED"), "snapshot_unavailable"],
      [new AppError("snapshot_unavailable", ""), "snapshot_unavailable"],
      [new AppError("invalid_spec", ""), "render_failed"],
      ...["EMFILE", "EAGAIN", "ENOMEM"].map((code) => [errno(code), null] as const),
      [new RangeError("bug"), null],
      ["thrown text", null],
      [undefined, null],
    ];
    for (const [error, failure] of cases) assert.equal(failureOf(error), failure, String(error));
  });

  it("are logged without the error's text", async () => {
    const id = await begin();
    await lastly(id, { kind: "failed", failure: "write_failed", error: { error_code: "EIO" } });
    const text = here.logged.join("");
    assert.match(text, new RegExp(`"export_id":"${id}".*"error_code":"EIO"`));
    assert.doesNotMatch(text, /SP|made up/);
  });
});
