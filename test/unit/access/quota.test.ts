/**
 * Proves: for any order and outcome of tenants' exports, with crashes and midnights, the daily
 * quota equals that of a simple model in memory. A waiting export uses its reserved rows, and a
 * finished export the rows that it has. A failed export, or one deleted before its end, uses none.
 * An answer with rows but without an export uses these rows. The rejection states used, requested,
 * and limit, and when the next day begins. Used rows are counted once, by key and day.
 * Does not prove the moments inside a transaction (crash harness), nor counting of matches (twin
 * tests).
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { loadPlans } from "../../../src/access/plans.ts";
import { refuseBeyondQuota } from "../../../src/access/quota.ts";
import { AppError, ERROR_CODES } from "../../../src/errors.ts";
import { TAKEOVERS_MAX } from "../../../src/export/record.ts";
import { DAY_MS, utcDay } from "../../../src/process/clock.ts";
import { QuotaStore, UsageStore } from "../../../src/store/usagestore.ts";
import {
  Installation,
  NOW_MS,
  rendered,
  settle,
  specOf,
} from "../../support/export/fake-threads.ts";
import { SEED, tries } from "../../support/run/scale.ts";

const RUNS = tries("quota models");
const QUOTA = 100;
const TENANTS = ["a", "b"] as const;

/** One export in the model. */
interface ModelExport {
  readonly id: string;
  readonly tenant: string;
  readonly day: number;
  /** False if the plan has no quota. */
  readonly charged: boolean;
  holds: number;
  attempts: number;
  /** Number of renders of the export that began and ended. Not all count as attempts. */
  claims: number;
  state: "waiting" | "done" | "failed" | "deleted";
  delivered: boolean;
}

class Model {
  readonly exports: ModelExport[] = [];
  readonly keys = new Map<string, number>();
  /** Used rows, by tenant and day. */
  readonly used = new Map<string, number>();
  /** Rows that were charged for answers without an export, by tenant and day. */
  readonly answered = new Map<string, number>();

  /** Returns the rows that a tenant has used of its quota on a day. */
  gone(tenant: string, day: number): number {
    const mine = this.exports.filter((one) => one.tenant === tenant && one.day === day);
    const answered = this.answered.get(`${tenant} ${day}`) ?? 0;
    return mine.reduce((sum, one) => sum + (one.charged ? one.holds : 0), answered);
  }
}

type Step = fc.AsyncCommand<Model, Installation>;

function step(name: string, act: (model: Model, real: Installation) => Promise<void> | void): Step {
  return {
    check: () => true,
    run: async (model, real) => {
      await act(model, real);
      await settle();
      compare(model, real);
    },
    toString: () => name,
  };
}

function compare(model: Model, real: Installation): void {
  const quota = new QuotaStore(real.database);
  const usage = new UsageStore(real.database);
  const today = utcDay(real.clock.nowMs());
  for (const tenant of TENANTS) {
    for (let day = utcDay(NOW_MS); day <= today; day++) {
      const place = `${tenant} on day ${day}`;
      assert.equal(quota.charged(tenant, day), model.gone(tenant, day), place);
      const used = model.used.get(`${tenant} ${day}`) ?? 0;
      assert.equal(usage.ofDay(tenant, day).exportRows, used, `use of ${place}`);
    }
  }
}

interface ExportInput {
  readonly tenant: string;
  readonly key: string;
  readonly rows: number;
  readonly plan: "free" | "enterprise";
}

function create({ tenant, key, rows, plan }: ExportInput): Step {
  return step(`create(${tenant}, ${key}, ${rows}, ${plan})`, (model, real) => {
    const day = utcDay(real.clock.nowMs());
    const nowMs = real.clock.nowMs();
    const known = model.keys.get(`${tenant} ${key}`);
    // The number of rows is part of the spec, so a repeated idempotency key needs the same number.
    const create = () =>
      real.create(tenant, key, { plan, rows, spec: specOf("SP", "csv", 1 + rows) });
    if (known !== undefined && known >= nowMs - DAY_MS) {
      try {
        assert.equal(create().replayed, true);
      } catch (error) {
        assert.ok(error instanceof AppError && error.code === "idempotency_key_reused");
      }
      return;
    }
    const gone = model.gone(tenant, day);
    if (plan === "free" && rows > 0 && gone + rows > QUOTA) {
      assert.throws(create, (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.code, "quota_exceeded");
        for (const number of [gone, rows, QUOTA]) assert.match(error.message, RegExp(`${number}`));
        const seconds = Math.ceil(((day + 1) * DAY_MS - real.clock.nowMs()) / 1000);
        return Number(error.headers["Retry-After"]) === seconds;
      });
      return;
    }
    const { record } = create();
    const none = { attempts: 0, claims: 0, state: "waiting", delivered: false } as const;
    const expected: ModelExport = {
      id: record.id,
      tenant,
      day,
      charged: plan === "free",
      holds: rows,
      ...none,
    };
    model.exports.push(expected);
    model.keys.set(`${tenant} ${key}`, nowMs);
  });
}

/** Charges a tenant for an answer that returns rows without an export. */
function charge({ tenant, rows, plan }: ExportInput): Step {
  return step(`charge(${tenant}, ${rows}, ${plan})`, (model, real) => {
    const day = utcDay(real.clock.nowMs());
    const place = `${tenant} ${day}`;
    const sender = { tenantId: tenant, keyId: `key of ${tenant}`, plan: real.plans[plan] };
    const create = () => real.exports.charge(sender, rows);
    if (plan === "free" && rows > 0 && model.gone(tenant, day) + rows > QUOTA) {
      assert.throws(create, { code: "quota_exceeded", message: /this request has \d+\./ });
      return;
    }
    create();
    for (const counts of plan === "free" ? [model.answered, model.used] : [model.used]) {
      counts.set(place, (counts.get(place) ?? 0) + rows);
    }
  });
}

type End = "file" | "failed" | "threw";

/** Ends the n-th render. If it made a file, the file has `rows` rows. */
function end(n: number, how: End, rows: number): Step {
  return step(`end(${n}, ${how}, ${rows})`, (model, real) => {
    const held = real.threads.held[n % Math.max(1, real.threads.held.length)];
    if (held === undefined) return;
    const expected = model.exports.find(({ id }) => held.request.path.includes(id)) as ModelExport;
    expected.attempts++;
    expected.claims++;
    if (how === "file") {
      const outcome = rendered(held.request);
      assert.ok(outcome.kind === "file");
      held.end({ ...outcome, file: { ...outcome.file, rowCount: rows } });
      const place = `${expected.tenant} ${utcDay(real.clock.nowMs())}`;
      if (!expected.delivered) model.used.set(place, (model.used.get(place) ?? 0) + rows);
      Object.assign(expected, { state: "done", delivered: true, holds: rows });
    } else if (how === "failed" || expected.attempts >= 3) {
      const failed = { kind: "failed", failure: "disk_full", error: {} } as const;
      held.end(how === "failed" ? failed : { kind: "threw", error: {} });
      Object.assign(expected, { state: "failed", holds: 0 });
    } else {
      held.end({ kind: "threw", error: {} });
    }
  });
}

function remove(n: number): Step {
  return step(`remove(${n})`, (model, real) => {
    const there = model.exports.filter(({ state }) => state !== "deleted");
    const expected = there[n % Math.max(1, there.length)];
    if (expected === undefined) return;
    real.exports.remove(expected.tenant, expected.id);
    if (!expected.delivered) expected.holds = 0;
    expected.state = "deleted";
  });
}

/** Simulates a crash. With `losing`, finished exports have lost their files. */
function restart(losing: boolean): Step {
  return step(`restart(${losing ? "losing files" : ""})`, (model, real) => {
    const running = real.threads.held.map(({ request }) => request.path);
    for (const expected of model.exports) {
      if (expected.state === "waiting" && running.some((path) => path.includes(expected.id))) {
        expected.claims++;
        const ends = expected.claims - expected.attempts;
        if (ends >= TAKEOVERS_MAX) Object.assign(expected, { state: "failed", holds: 0 });
      }
      const { expiresAtMs } = real.exports.find(expected.id) ?? { expiresAtMs: null };
      if (!losing || expected.state !== "done" || (expiresAtMs ?? 0) <= real.clock.nowMs())
        continue;
      rmSync(real.exports.filePath(real.record(expected.tenant, expected.id)));
      Object.assign(expected, { state: "waiting", attempts: 0 });
    }
    real.exports.stop();
    real.reopen();
    real.exports.start(real.segment);
  });
}

const numbers = fc.nat({ max: 12 });
const inputs = fc.record({
  tenant: fc.constantFrom(...TENANTS),
  key: fc.constantFrom(..."abcdefghijklmnop"),
  rows: fc.constantFrom(0, 1, 20, 30, 50, 99, 100, 101),
  plan: fc.constantFrom("free", "free", "free", "enterprise"),
}) as fc.Arbitrary<ExportInput>;
const COMMANDS = [
  inputs.map(create),
  inputs.map(create),
  inputs.map(charge),
  fc
    .tuple(numbers, fc.constantFrom("file", "file", "failed", "threw"), fc.nat({ max: 40 }))
    .map(([n, how, rows]) => end(n, how as End, rows)),
  numbers.map(remove),
  fc
    .constantFrom(1, 6, 13)
    .map((hours) =>
      step(`pass(${hours} h)`, (_model, real) => real.clock.advance(hours * 3_600_000)),
    ),
  fc.boolean().map(restart),
];

/** Sets a small quota in the plans, and makes all other limits so large that they never apply. */
function widen(real: Installation): void {
  const wide = { concurrent_exports: 3, queued_exports: 1_000, export_retention: 31_536_000 };
  Object.assign(real.plans.free.limits, wide, { export_rows_per_day: QUOTA });
  Object.assign(real.plans.enterprise.limits, wide);
}

describe("the quota of export rows", () => {
  it(`matches the model after any commands (${RUNS} runs)`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(COMMANDS, { maxCommands: 50, size: "max" }),
        async (commands) => {
          const real = new Installation(3);
          widen(real);
          real.retention = 31_536_000;
          for (const tenant of TENANTS) real.tenant(tenant);
          real.exports.start(real.segment);
          try {
            await fc.asyncModelRun(() => ({ model: new Model(), real }), commands);
          } finally {
            await real.dispose();
          }
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: false },
    );
  });
});

describe("refuseBeyondQuota", () => {
  it("names the time of the next day in text and not in seconds", () => {
    const noon = Date.UTC(2026, 10, 21, 11, 18, 59, 500);
    const words = (nowMs: number) =>
      /begins at (.*?)\. /.exec(refusal(quota, 1, nowMs)?.message ?? "");
    assert.equal(words(noon)?.[1], "2026-11-22 00:00 UTC, in 12 h 42 min");
    assert.equal(
      words(Date.UTC(2026, 10, 21, 23, 59, 59, 1))?.[1],
      "2026-11-22 00:00 UTC, in 1 min",
    );
    assert.equal(words(Date.UTC(2026, 11, 31))?.[1], "2027-01-01 00:00 UTC, in 24 h 0 min");
    assert.doesNotMatch(ERROR_CODES.quota_exceeded.title, /used up/, "rows may be left");
  });

  const { free, enterprise } = loadPlans();
  const { export_rows_per_day: quota } = free.limits;
  const refusal = (used: number, wanted: number, nowMs = NOW_MS): AppError | null => {
    try {
      refuseBeyondQuota(free, { used, wanted }, nowMs);
      return null;
    } catch (error) {
      assert.ok(error instanceof AppError);
      return error;
    }
  };

  it("allows every row of the quota and not one more", () => {
    assert.equal(refusal(quota - 10, 10), null);
    assert.equal(refusal(quota - 10, 11)?.code, "quota_exceeded");
    assert.equal(refusal(quota, 0), null, "an export without rows takes nothing");
    refuseBeyondQuota(enterprise, { used: 1e9, wanted: 1e9 }, NOW_MS);
  });

  it("reports used, requested, and limit, with the remedy", () => {
    assert.match(
      refusal(quota - 10, 11)?.message ?? "",
      /5000 .* 4990 are .* has 11\. .*to 10, or/,
    );
    assert.match(refusal(quota, 1)?.message ?? "", /Nothing is left: try again then\.$/);
    assert.match(refusal(0, quota + 1)?.message ?? "", /Lower the limit to 5000\.$/);
    const sent = { used: quota - 10, wanted: 11, of: "file" } as const;
    assert.throws(() => refuseBeyondQuota(free, sent, NOW_MS), /file has 11.*Send 10 rows at/);
  });

  it("sends clients to the next midnight of UTC", () => {
    const waits = (nowMs: number) => refusal(quota, 1, nowMs)?.headers["Retry-After"];
    assert.equal(waits(Date.UTC(2026, 10, 21)), "86400");
    assert.equal(waits(Date.UTC(2026, 10, 21, 23, 59, 59, 1)), "1");
    assert.equal(waits(Date.UTC(2026, 10, 21, 23, 59, 58, 999)), "2");
  });
});
