/**
 * Proves: for any order of actions of tenants, threads, clocks, and crashes, the exports of a data
 * directory are in the states of a slow and obvious model. The model has one plain object per
 * export and a list of turns, but no files and no database. Files and pins must match the states.
 * Does not prove: crashes inside a transaction or a write (the kill points of the crash harness).
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { PlanName } from "../../../src/access/plans.ts";
import type { AppError } from "../../../src/errors.ts";
import { Installation, rendered, settle, specOf } from "../../support/export/fake-threads.ts";
import { SEED, tries } from "../../support/run/scale.ts";

const RUNS = tries("export models");
const THREADS = 2;
const DAY_MS = 86_400_000;

const TENANTS = ["a", "b", "c"] as const;
/**
 * The plan of each tenant. RUNNING and WAITING are limits of running and queued exports that are so
 * low that a run reaches them.
 */
const PLANS: Readonly<Record<string, PlanName>> = { a: "free", b: "growth", c: "scale" };
const RUNNING: Readonly<Record<string, number>> = { a: 1, b: 2, c: 4 };
const WAITING: Readonly<Record<string, number>> = { a: 2, b: 3, c: 4 };
const RETENTION_MS: Readonly<Record<string, number>> = { a: DAY_MS, b: 3 * DAY_MS, c: 3 * DAY_MS };

/** One export in the model. */
interface ModelExport {
  readonly id: string;
  readonly tenant: string;
  state: "queued" | "running" | "done" | "failed" | "deleted";
  attempts: number;
  claims: number;
  failure: string | null;
  expiresAt: number;
  expired: boolean;
}

/** The complete state of the model. */
class Model {
  readonly exports: ModelExport[] = [];
  readonly keys = new Map<string, { export: ModelExport; request: string; at: number }>();
  /** The tenant whose export started last. */
  turn = "";

  of(tenant: string, state: ModelExport["state"]): ModelExport[] {
    return this.exports.filter((one) => one.tenant === tenant && one.state === state);
  }

  running(): ModelExport[] {
    return this.exports.filter(({ state }) => state === "running");
  }

  /** Starts the exports that can be started, tenant by tenant in turn. */
  fill(): void {
    while (this.running().length < THREADS) {
      const ring = [...TENANTS.filter((id) => id > this.turn), ...TENANTS];
      const next = ring.find(
        (id) =>
          this.of(id, "queued").length > 0 &&
          this.of(id, "running").length < (RUNNING[id] as number),
      );
      if (next === undefined) return;
      const taken = this.of(next, "queued")[0] as ModelExport;
      taken.state = "running";
      taken.attempts++;
      taken.claims++;
      this.turn = next;
    }
  }
}

type Real = Installation;
type Step = fc.AsyncCommand<Model, Real>;

/**
 * Returns a step that is always possible. `act` changes the model and the real exports, which are
 * then compared.
 */
function step(name: string, act: (model: Model, real: Real) => Promise<void> | void): Step {
  return {
    check: () => true,
    run: async (model, real) => {
      await act(model, real);
      model.fill();
      await settle();
      compare(model, real);
    },
    toString: () => name,
  };
}

function create(tenant: string, key: string, request: string): Step {
  return step(`create(${tenant}, ${key}, ${request})`, (model, real) => {
    const nowMs = real.clock.nowMs();
    const known = model.keys.get(`${tenant} ${key}`);
    const first = known !== undefined && nowMs - known.at <= DAY_MS ? known : undefined;
    const room = model.of(tenant, "running").length < (RUNNING[tenant] as number) ? 1 : 0;
    const full = model.of(tenant, "queued").length >= Math.max(WAITING[tenant] as number, room);
    const createExport = () =>
      real.create(tenant, key, { plan: PLANS[tenant] as PlanName, spec: specOf(request) });
    const refused = (code: string) =>
      assert.throws(createExport, (error: AppError) => error.code === code, code);
    if (first !== undefined && (first.request !== request || first.export.state === "deleted")) {
      refused("idempotency_key_reused");
    } else if (first !== undefined) {
      const answer = createExport();
      assert.deepEqual([answer.replayed, answer.record.id], [true, first.export.id]);
    } else if (full) {
      refused("rate_limited");
    } else {
      const { record, replayed } = createExport();
      assert.equal(replayed, false);
      const none = {
        state: "queued",
        attempts: 0,
        claims: 0,
        failure: null,
        expired: false,
      } as const;
      const entry: ModelExport = {
        id: record.id,
        tenant,
        ...none,
        expiresAt: Number.POSITIVE_INFINITY,
      };
      model.exports.push(entry);
      model.keys.set(`${tenant} ${key}`, { export: entry, request, at: nowMs });
    }
  });
}

/** Ends the n-th running render. `how` determines the outcome. */
function end(n: number, how: "file" | "failed" | "threw" | "crashed"): Step {
  return step(`end(${n}, ${how})`, (model, real) => {
    const held = real.threads.held[n % Math.max(1, real.threads.held.length)];
    if (held === undefined) return;
    const entry = model.exports.find(({ id }) => held.request.path.includes(id)) as ModelExport;
    if (how === "file") {
      held.end(rendered(held.request));
      const expiresAt = real.clock.nowMs() + (RETENTION_MS[entry.tenant] as number);
      Object.assign(entry, { state: "done", expiresAt: Math.min(entry.expiresAt, expiresAt) });
    } else if (how === "failed") {
      held.end({ kind: how, failure: "disk_full", error: {} });
      Object.assign(entry, { state: "failed", failure: "disk_full" });
    } else {
      held.end({ kind: how, error: {} });
      if (entry.attempts < 3) entry.state = "queued";
      else {
        const failure = how === "threw" ? "render_failed" : "too_many_attempts";
        Object.assign(entry, { state: "failed", failure });
      }
    }
  });
}

function remove(n: number): Step {
  return step(`remove(${n})`, (model, real) => {
    const there = model.exports.filter(({ state }) => state !== "deleted");
    const entry = there[n % Math.max(1, there.length)];
    if (entry === undefined) return;
    real.exports.remove(entry.tenant, entry.id);
    entry.state = "deleted";
  });
}

function pass(hours: number): Step {
  return step(`pass(${hours} h)`, (_model, real) => real.clock.advance(hours * 3_600_000));
}

/** Loses the file of a done export, which only a restart detects. */
function loseFile(n: number): Step {
  return step(`loseFile(${n})`, (model, real) => {
    const there = model.exports.filter(({ state, expired }) => state === "done" && !expired);
    const entry = there[n % Math.max(1, there.length)];
    if (entry === undefined) return;
    rmSync(real.exports.filePath(real.record(entry.tenant, entry.id)), { force: true });
  });
}

/** Ends the process, by SIGTERM or by a crash, and starts another one. */
function restart(how: "stop" | "crash"): Step {
  return step(`restart(${how})`, async (model, real) => {
    const lost = (entry: ModelExport) => !real.names("exports").includes(`${entry.id}.csv`);
    for (const entry of model.exports) {
      if (entry.state === "done" && !entry.expired && lost(entry)) {
        Object.assign(entry, { state: "queued", attempts: 0 });
      }
    }
    for (const entry of model.running()) {
      const attempts = entry.attempts - 1;
      const isPoison = how !== "stop" && entry.claims - attempts >= 8;
      if (!isPoison) Object.assign(entry, { state: "queued", attempts });
      else Object.assign(entry, { state: "failed", failure: "too_many_attempts" });
    }
    model.turn = "";
    if (how === "stop") await real.exports.close();
    else real.exports.stop();
    real.reopen();
    real.exports.start(real.segment);
    const nowMs = real.clock.nowMs();
    const remaining = model.exports.filter(
      ({ state, expiresAt }) => state === "done" && expiresAt > nowMs,
    );
    assert.deepEqual(real.names("exports"), remaining.map(({ id }) => `${id}.csv`).sort());
  });
}

function compare(model: Model, real: Real): void {
  const nowMs = real.clock.nowMs();
  for (const entry of model.exports) {
    if (entry.state === "deleted") {
      assert.equal(real.exports.find(entry.id), undefined);
      continue;
    }
    if (entry.state === "done" && entry.expiresAt <= nowMs) entry.expired = true;
    const { state, failure, expired, expiresAtMs } = real.record(entry.tenant, entry.id);
    assert.deepEqual(
      { state, failure, expired, expiresAtMs },
      {
        ...{ state: entry.state, failure: entry.failure, expired: entry.expired },
        expiresAtMs: entry.state === "done" ? entry.expiresAt : null,
      },
    );
  }
  for (const tenant of TENANTS) {
    const { records } = real.exports.list(tenant, { limit: 1_000, before: null });
    const mine = model.exports.filter((one) => one.tenant === tenant && one.state !== "deleted");
    assert.deepEqual(
      records.map(({ id }) => id),
      mine.map(({ id }) => id).reverse(),
    );
  }
  const live = model.exports.some(({ state }) => state === "queued" || state === "running");
  const id = real.segment.snapshotId;
  const pins = [...(live ? [`${id}.peneira`] : []), `served-${id}.peneira`];
  assert.deepEqual(real.names("pins"), pins);
}

/** Sets the limits of the plans to those of the model. */
function narrow(real: Real): void {
  for (const [tenant, plan] of Object.entries(PLANS)) {
    const limits = real.plans[plan].limits as Record<string, number>;
    limits.concurrent_exports = RUNNING[tenant] as number;
    limits.queued_exports = WAITING[tenant] as number;
    limits.export_retention = (RETENTION_MS[tenant] as number) / 1_000;
  }
}

const tenants = fc.constantFrom(...TENANTS);
const numbers = fc.nat({ max: 20 });
const keys = fc.constantFrom("k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8");
const COMMANDS = [
  fc.tuple(tenants, keys, fc.constantFrom("SP", "SP", "SP", "RJ")).map((one) => create(...one)),
  fc.tuple(tenants, keys, fc.constantFrom("SP", "SP", "SP", "RJ")).map((one) => create(...one)),
  fc
    .tuple(numbers, fc.constantFrom("file", "file", "failed", "threw", "crashed"))
    .map((one) => end(one[0], one[1] as "file")),
  numbers.map(remove),
  fc.constantFrom(1, 20, 24, 60).map(pass),
  numbers.map(loseFile),
  fc.constantFrom("stop", "crash", "crash").map((how) => restart(how as "stop")),
];

describe("exports", () => {
  it(`match the model's states after any commands (${RUNS} runs, seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(COMMANDS, { maxCommands: 60, size: "max" }),
        async (commands) => {
          const real = new Installation(THREADS);
          narrow(real);
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
