/**
 * Proves: the real server keeps the invariants I1-I10 and I12-I14 of exports (violation.ts names
 * them) if it is killed at every named point and at random moments. An export that kills the
 * process three times fails, and all others continue. The shipped bundle has no trace of the kill
 * points. Plans repeat with their seed. The ledger rejects violations. On a full disk, only
 * operations that need space fail (tested where a small disk can be mounted).
 * Does not prove: loss of power (`npm run crash -- --power-cut N`), nor that rarer moments are
 * safe: `npm run crash -- --cycles 10000` runs longer.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FAULT_POINTS } from "../../../src/process/fault.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { tries } from "../../support/run/scale.ts";
import { printReport, runCampaign } from "./campaign.ts";
import { diskObstacle, runDiskFull } from "./diskfull.ts";
import { checkOne } from "./exclusionchecks.ts";
import { type ExclusionExport, ExclusionLedger } from "./exclusions.ts";
import { checkEntries } from "./heldchecks.ts";
import { plainGround } from "./lane.ts";
import { Ledger, type SeenRecord } from "./ledger.ts";
import { planCycle } from "./plan.ts";
import { References } from "./reference.ts";
import { readOptions } from "./run.ts";
import { buildVictim, makeKeys, type Reply, Server } from "./server.ts";
import { Violation } from "./violation.ts";

const CYCLES = tries("crash lives");
const HITS = tries("crash hits");

/** An empty spec. */
const EMPTY = { filters: {} };

/** Returns all JavaScript code of a bundle. */
function codeIn(...folder: string[]): string {
  const path = join(ROOT, ...folder);
  const names = readdirSync(path).filter((name) => /\.mjs$|^peneira$/.test(name));
  assert.ok(names.length > 5, `${path} is no bundle`);
  return names.map((name) => readFileSync(join(path, name), "utf8")).join("\n");
}

describe("the kill points", () => {
  it("are all in the bundle of these tests and leave no trace in the shipped one", () => {
    buildVictim();
    const build = [join(ROOT, "build.mjs"), "bundle"];
    execFileSync(process.execPath, build, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    const [shipped, faulty] = [codeIn("dist", "bundle"), codeIn(".cache", "crash")];
    for (const point of FAULT_POINTS) {
      assert.ok(faulty.includes(`faultPoint("${point}")`), `${point} is not placed`);
      assert.ok(!shipped.includes(point), `${point} is in dist`);
    }
    assert.ok(faulty.includes("process.env.FAULT"));
    assert.doesNotMatch(shipped, /process\.env\.FAULT|faultPoint|SIGKILL/);
  });
});

describe("a plan", () => {
  it("depends only on its seed, lane, and cycle", () => {
    for (const cycle of [0, 1, 2, 57]) {
      const plan = planCycle({ seed: 5, lane: 1, cycle });
      assert.deepEqual(planCycle({ seed: 5, lane: 1, cycle }), plan);
      assert.notDeepEqual(planCycle({ seed: 6, lane: 1, cycle }).clients, plan.clients);
      assert.notDeepEqual(planCycle({ seed: 5, lane: 0, cycle }).clients, plan.clients);
    }
  });

  it("reaches every kill point in turn", () => {
    const ends = Array.from({ length: 2 * FAULT_POINTS.length }, (_, cycle) =>
      planCycle({ seed: 1, lane: 0, cycle }),
    ).map(({ end }) => (end.how === "point" ? end.point : end.how));
    assert.deepEqual(
      ends.filter((_, cycle) => cycle % 2 === 1),
      FAULT_POINTS,
    );
    assert.ok(ends.filter((end) => end === "kill").length > FAULT_POINTS.length / 2);
  });

  it("is selected on the command line, which is parsed or rejected", () => {
    assert.deepEqual(readOptions(["--cycles", "7", "--seed", "9"], 0), {
      ...{ seed: 9, cycles: 7, hits: 3, lanes: 2 },
      ...{ powerCuts: 0, diskFull: false },
    });
    assert.deepEqual(readOptions(["--power-cut", "5"], 77), {
      ...{ seed: 77, cycles: 0, hits: 0, lanes: 2 },
      ...{ powerCuts: 5, diskFull: false },
    });
    assert.throws(() => readOptions(["--cycles", "many"]), /--cycles must be a whole number/);
    assert.throws(() => readOptions(["--cycle", "7"]));
  });
});

describe("the ledger", () => {
  const record: SeenRecord = {
    ...{ export_id: "exp_a", status: "done", format: "csv", snapshot: "2026-10", row_count: 1 },
    ...{ size_bytes: 9, sha256: "ab", expires_at: "2026-11-30T00:00:00.000Z" },
  };
  const at = (sentAt: number) => ({ sentAt, receivedAt: sentAt + 1 });
  const reply = (id: string): Reply => ({
    ...{ status: 201, headers: new Headers(), ...at(1) },
    body: Buffer.from(JSON.stringify({ spec: EMPTY, export: { ...record, export_id: id } })),
  });
  const made = () => {
    const ledger = new Ledger();
    const entry = ledger.sent(0, "key", 0);
    ledger.acknowledged(entry, reply("exp_a"));
    return { ledger, entry };
  };
  const refuses = (invariant: string, wrong: (all: ReturnType<typeof made>) => void) => {
    assert.throws(
      () => wrong(made()),
      (error) => error instanceof Violation && error.invariant === invariant,
    );
  };

  it("rejects answers that contradict earlier ones", () => {
    refuses("I2", ({ ledger, entry }) => ledger.acknowledged(entry, reply("exp_b")));
    refuses("I2", ({ ledger }) => ledger.acknowledged(ledger.sent(0, "b", 0), reply("exp_a")));
    refuses("I1", ({ ledger, entry }) => ledger.missing(entry, at(9)));
    refuses("I6", ({ ledger, entry }) => ledger.expired(entry, at(9)));
    const queued = { ...record, status: "queued" } as const;
    refuses("I6", ({ ledger, entry }) => ledger.observed(entry, queued, at(9)));
    const other = { ...record, sha256: "cd" };
    refuses("I6", ({ ledger, entry }) => ledger.observed(entry, other, at(9)));
    const elsewhere = { ...record, snapshot: "2026-11" };
    refuses("I8", ({ ledger, entry }) => ledger.observed(entry, elsewhere, at(9)));
    refuses("I6", ({ ledger, entry }) => {
      ledger.removed(entry, 5);
      ledger.observed(entry, record, at(9));
    });
  });

  it("allows a running export to be queued again only after the stop signal", () => {
    const running = { ...record, status: "running" } as const;
    const queued = { ...record, status: "queued" } as const;
    const begun = (stopSentAt: number | null) => {
      const ledger = new Ledger();
      const entry = ledger.sent(0, "key", 0);
      const body = Buffer.from(JSON.stringify({ spec: EMPTY, export: running }));
      ledger.acknowledged(entry, { ...reply("exp_a"), body });
      ledger.stopSentAt = stopSentAt;
      return { ledger, entry };
    };
    for (const stopSentAt of [null, 11]) {
      refuses("I6", () => {
        const { ledger, entry } = begun(stopSentAt);
        ledger.observed(entry, queued, at(9));
      });
    }
    const { ledger, entry } = begun(8);
    ledger.observed(entry, queued, at(9));
    refuses("I6", (all) => {
      all.ledger.stopSentAt = 8;
      all.ledger.observed(all.entry, queued, at(9));
    });
  });

  it("rejects lists of exported accounts with missing or unknown accounts", () => {
    const bounds = {
      must: new Set(["000000020001"]),
      may: new Set(["000000020001", "000000030001"]),
    };
    const check = (...entries: string[]) => checkEntries("a", entries, bounds);
    check("00000002000189");
    check("00000002000189", "00000003000123");
    const refused = [["00000003000123"], [], ["00000002000189", "00000004000167"]];
    refused.push(["00000003000123", "00000002000189"], ["00000002000189", "00000002000189"]);
    for (const entries of refused) refuses("I13", () => check(...entries));
  });

  it("keeps the first completion time of an export, and ignores one without a snapshot", () => {
    const held = new Ledger().held;
    const spec = { filters: {}, scoring: {}, limit: 1 } as AccountQuerySpec;
    held.note({ tenant: 0, snapshot: null, spec, sentAt: 1 }, 2);
    assert.deepEqual(held.of(0), []);
    const known = { tenant: 0, snapshot: "2026-10", spec, sentAt: 3 };
    for (const doneAt of [null, 5, 6, null]) held.note(known, doneAt);
    held.note({ ...known, tenant: 1 }, null);
    assert.deepEqual(held.of(0), [{ ...known, doneAt: 5 }]);
    assert.deepEqual(held.of(1), [{ ...known, tenant: 1, doneAt: null }]);
  });

  it("rejects exports that contain previously exported accounts or lack new ones", () => {
    const rows = ["1", "2", "3", "4"].map((digit) => digit.padStart(12, "0"));
    const [a, b, c, d] = rows as [string, string, string, string];
    const moments = new Map([
      [a, { sentAt: 1, doneAt: 2 }],
      [b, { sentAt: 12, doneAt: 13 }],
      [c, { sentAt: 26, doneAt: 27 }],
    ]);
    const check = (limit: number, unseen: number, ...accounts: string[]) => {
      const lists = { exclude: ["exported"] };
      const spec = { filters: { lists }, limit } as unknown as AccountQuerySpec;
      const ledger = new ExclusionLedger();
      ledger.note({ id: "x", tenant: 0, snapshot: "2026-10", spec, sentAt: 10 }, 20, false);
      const excluding = ledger.find("x") as ExclusionExport;
      ledger.read(
        excluding,
        Buffer.from(`cnpj\r\n${accounts.map((one) => `${one}00\r\n`).join("")}`),
      );
      checkOne(excluding, { rows, moments, unseen });
    };
    // The other export was requested at about the same time, so the file may contain its accounts
    // or not.
    for (const between of [[], [b]]) check(9, 0, ...between, c, d);
    for (const limit of [1, 2]) check(limit, 0, ...[c, d].slice(0, limit));
    check(9, 1, b, d);
    refuses("I14", () => check(9, 0, a, b, c, d));
    refuses("I14", () => check(9, 0, b, d));
    refuses("I14", () => check(9, 0, c));
    refuses("I14", () => check(1, 0, d));
    refuses("I4", () => check(9, 0, c, b, d));
    refuses("I4", () => check(9, 0, "9".padStart(12, "0")));
    refuses("I4", () => check(1, 0, c, d));
    refuses("I5", () => check(9, 0, `${c}\r\n`));
  });

  it("does not hold an answer against a request that was sent before it arrived", () => {
    const { ledger, entry } = made();
    ledger.observed(entry, { ...record, status: "running" }, at(0));
    ledger.removed(entry, 5);
    ledger.observed(entry, record, at(4));
    ledger.missing(entry, at(9));
  });
});

describe("a full disk", () => {
  it("fails only the operations that need disk space", async (test) => {
    const obstacle = diskObstacle();
    if (obstacle !== null) return test.skip(obstacle);
    test.diagnostic(await runDiskFull(1));
  });
});

describe("the server", () => {
  it(`keeps every invariant over ${CYCLES} kills and ${HITS} hits of each point`, async (test) => {
    const report = await runCampaign({ seed: 1, cycles: CYCLES, hitsMin: HITS });
    test.diagnostic(printReport(report));
    for (const point of FAULT_POINTS) assert.ok((report.deaths[point] ?? 0) >= HITS, point);
    assert.ok(report.done > CYCLES && report.expired > 0 && report.downloads > CYCLES / 4);
    assert.ok(report.exclusions > CYCLES, `${report.exclusions} that leave out what was exported`);
    assert.ok(report.replayed > 0 && report.removed > 0 && report.refused > 0);
    assert.equal(report.failed, 0);
  });

  it("fails an export that crashes it eight times, and continues", async () => {
    buildVictim();
    const references = await References.make(1_000, 3);
    const ground = plainGround();
    const dataDir = join(ground.folder, "state");
    const keys = makeKeys(dataDir);
    const where = { snapshot: references.snapshots[0] as string, dataDir, keys };
    const body = { spec: { filters: { geo: { uf_any_of: ["SP"] } } }, output: { format: "csv" } };
    const options = { method: "POST", tenant: 0, body, headers: { "idempotency-key": "poison" } };
    try {
      const first = await Server.start({ ...where, fault: "render.begin:1" });
      assert.ok(first instanceof Server);
      await first.request("/v1/exports", options).catch(() => undefined);
      assert.equal((await first.death).signal, "SIGKILL");
      for (let again = 0; again < 7; again++) {
        const next = await Server.start({ ...where, fault: "render.begin:1" });
        const death = next instanceof Server ? await next.death : next;
        assert.equal(death.signal, "SIGKILL");
      }
      const server = await Server.start(where);
      assert.ok(server instanceof Server);
      const replay = await server.request("/v1/exports", options);
      assert.equal(replay.headers.get("idempotent-replayed"), "true");
      const { export: record } = JSON.parse(replay.body.toString());
      assert.equal(record.status, "failed");
      assert.equal(record.error.code, "too_many_attempts");
      const other = { ...options, headers: { "idempotency-key": "wholesome" } };
      const { export: made } = JSON.parse(
        (await server.request("/v1/exports", other)).body.toString(),
      );
      const read = await server.request(`/v1/exports/${made.export_id}?wait=20`, { tenant: 0 });
      assert.equal(JSON.parse(read.body.toString()).status, "done");
      assert.equal((await server.end("SIGTERM")).code, 0);
    } finally {
      ground.dispose();
      references.dispose();
    }
  });
});
