/**
 * Proves: counts of requests and accounts equal those of a simple model, over both transports. This
 * holds whenever counts are written to the database, across midnight, if the database is busy, and
 * after the end of the process. Counts are retained for 400 days. `peneira usage` and GET
 * /v1/status agree. The quota of export rows and the counts survive a stop and a kill of a real
 * server.
 * Does not prove: how the quota follows the states of exports (unit/access/quota.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { USAGE_DAYS, Usage } from "../../../src/access/limits.ts";
import { loadPlans } from "../../../src/access/plans.ts";
import { SCHEMAS } from "../../../src/http/api/schemas.ts";
import {
  DAY_MS,
  dayText,
  type ManualClock,
  manualClock,
  utcDay,
} from "../../../src/process/clock.ts";
import { Ledger } from "../../../src/process/ledger.ts";
import { openDatabase } from "../../../src/store/database.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { QuotaStore, UsageStore, type UsedByKey } from "../../../src/store/usagestore.ts";
import { Client, withKeyring } from "../../support/export/client.ts";
import { type FakeServer, startFake, TRANSPORTS } from "../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  killServerProcess,
  productCommand,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const START_MS = Date.UTC(2026, 10, 21, 22);
const KEYS = [
  { keyId: "a1", tenantId: "a" },
  { keyId: "a2", tenantId: "a" },
  { keyId: "b1", tenantId: "b" },
];

describe("usage counting", () => {
  let folder: string;
  let database: SqliteDatabase;
  let clock: ManualClock;
  let usage: Usage;
  const open = () => {
    usage = new Usage(new UsageStore(database), new QuotaStore(database), clock);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "peneira-usage-"));
    database = openDatabase(folder);
    for (const id of ["a", "b"]) {
      database.prepare("INSERT INTO tenants (id, name, created_at) VALUES (?, ?, 1)").run(id, id);
    }
    clock = manualClock(START_MS);
    open();
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  const stored = () =>
    new UsageStore(database).since(0).map(({ day, keyId, requests, accounts }) => {
      return [day, keyId, requests, accounts].join(" ");
    });

  it("matches a model after any requests, flushes, days, and restarts", () => {
    type Act = readonly ["count", number, number] | readonly ["pass" | "flush" | "end", number];
    const acts: fc.Arbitrary<Act> = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(fc.constant("count" as const), fc.nat(2), fc.nat(50)) },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom("pass", "flush", "end"), fc.nat(30)) },
    );
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 40 }), (all) => {
        database.exec("DELETE FROM usage");
        clock = manualClock(START_MS);
        open();
        const model = new Map<string, UsedByKey>();
        for (const [what, n, accounts] of all) {
          if (what === "pass") clock.advance(n * 3_600_000);
          if (what === "flush" || what === "end") usage.flush();
          if (what === "end") open();
          if (what !== "count") continue;
          const key = KEYS[n] as (typeof KEYS)[number];
          usage.count(key, accounts ?? 0);
          const place = `${utcDay(clock.nowMs())} ${key.keyId}`;
          const was = model.get(place) ?? { requests: 0, accounts: 0 };
          const sums = { requests: was.requests + 1, accounts: was.accounts + (accounts ?? 0) };
          model.set(place, { ...sums, ...key, day: utcDay(clock.nowMs()), exportRows: 0 });
        }
        const today = utcDay(clock.nowMs());
        for (const tenant of ["a", "b"]) {
          const mine = [...model.values()].filter(
            ({ tenantId, day }) => tenantId === tenant && day === today,
          );
          const sum = (of: "requests" | "accounts") => mine.reduce((n, one) => n + one[of], 0);
          const used = { requests: sum("requests"), accounts: sum("accounts"), exportRows: 0 };
          assert.deepEqual(usage.today(tenant), used, "before it is written");
        }
        usage.flush();
        const reported = [...model].map(
          ([place, one]) => `${place} ${one.requests} ${one.accounts}`,
        );
        assert.deepEqual(stored().sort(), reported.sort());
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  it("loses nothing on a failed database write, and writes nothing twice", () => {
    usage.count(KEYS[0] as (typeof KEYS)[number], 5);
    database.pragma("query_only = ON");
    assert.throws(() => usage.flush());
    clock.advance(DAY_MS);
    usage.count(KEYS[0] as (typeof KEYS)[number], 7);
    assert.throws(() => usage.flush());
    database.pragma("query_only = OFF");
    usage.flush();
    usage.flush();
    const day = utcDay(START_MS);
    assert.deepEqual(stored(), [`${day} a1 1 5`, `${day + 1} a1 1 7`]);
  });

  it("covers all threads with the same ledger, before and after a flush", () => {
    const ledger = Ledger.open();
    const [one, other] = [0, 1].map((slot) => {
      const stores = [new UsageStore(database), new QuotaStore(database)] as const;
      return new Usage(...stores, clock, Ledger.join(ledger.id, slot));
    }) as [Usage, Usage];
    const key = KEYS[0] as (typeof KEYS)[number];
    one.count(key, 5);
    other.count(key, 7);
    const both = { requests: 2, accounts: 12, exportRows: 0 };
    assert.deepEqual([one.today("a"), other.today("a")], [both, both]);
    assert.deepEqual(other.ofTenant("a", 1).rows, [{ ...both, ...key, day: utcDay(START_MS) }]);
    other.flush();
    one.flush();
    assert.deepEqual(stored(), [`${utcDay(START_MS)} a1 2 12`]);
    assert.deepEqual(one.today("a"), both);
    ledger.close();
  });

  it("writes all keys in one commit, and nothing without new counts", () => {
    usage.flush();
    const other = openDatabase(folder);
    const commits = () => other.pragma("data_version", { simple: true });
    const none = commits();
    usage.flush();
    assert.equal(commits(), none);
    const adds: number[] = [];
    class Counted extends UsageStore {
      override add(uses: readonly UsedByKey[]): void {
        adds.push(uses.length);
        super.add(uses);
      }
    }
    const counted = new Usage(new Counted(database), new QuotaStore(database), clock);
    for (const key of KEYS) for (let i = 0; i < 1_000; i++) counted.count(key, 1);
    counted.flush();
    assert.deepEqual(adds, [3]);
    other.close();
  });

  it(`forgets counts and quotas after ${USAGE_DAYS} days`, () => {
    const quota = new QuotaStore(database);
    usage.count(KEYS[0] as (typeof KEYS)[number], 1);
    quota.reserve("a", utcDay(START_MS), 9);
    usage.flush();
    clock.advance((USAGE_DAYS - 1) * DAY_MS);
    usage.flush();
    assert.equal(stored().length, 1);
    clock.advance(DAY_MS);
    usage.flush();
    assert.deepEqual(stored(), []);
    assert.equal(quota.charged("a", utcDay(START_MS)), 0);
  });

  it("reports the remaining quota, and null without a quota", () => {
    const { free, enterprise } = loadPlans();
    new QuotaStore(database).reserve("a", utcDay(START_MS), 4_000);
    assert.equal(usage.exportRowsLeft("a", free), 1_000);
    assert.equal(usage.exportRowsLeft("b", free), 5_000);
    assert.equal(usage.exportRowsLeft("a", enterprise), null);
    clock.advance(2 * 3_600_000);
    assert.equal(usage.exportRowsLeft("a", free), 5_000, "the next day begins at midnight UTC");
  });
});

for (const transport of TRANSPORTS) {
  describe(`usage over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    const send = (path: string, plan: "free" | "scale", more: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${server.keys[plan]}`, ...more.headers };
      return fetch(server.base + path, { ...more, headers });
    };
    const search = (limit: number, headers: Record<string, string> = {}) => {
      const body = JSON.stringify({ spec: { filters: { geo: { uf_any_of: ["SP"] } } }, limit });
      const type = { "content-type": "application/json" };
      return send("/v1/accounts/search", "free", {
        method: "POST",
        body,
        headers: { ...type, ...headers },
      });
    };
    const usageOf = async (plan: "free" | "scale") => {
      const status = (await (await send("/v1/status", plan)).json()) as { usage: unknown };
      assert.ok(Compile(SCHEMAS.Status.properties.usage).Check(status.usage));
      return status.usage;
    };

    it("counts every request with a valid key, and the accounts returned", async () => {
      const today = (requests: number, accounts: number) => ({
        today: { requests, accounts, export_rows: 0 },
        export_rows_left: 5_000,
        export_bytes_kept: 0,
        export_bytes_left: 200_000_000,
      });
      assert.deepEqual(await usageOf("free"), today(0, 0));
      const first = await search(7);
      await first.arrayBuffer();
      assert.deepEqual(await usageOf("free"), today(2, 7));
      assert.equal(
        (await search(7, { "if-none-match": first.headers.get("etag") ?? "" })).status,
        304,
      );
      assert.equal((await search(-1)).status, 422);
      assert.equal((await send("/v1/nothing", "free")).status, 404);
      assert.equal((await send("/v1/accounts/10000000000103", "free")).status, 200);
      assert.deepEqual(await usageOf("free"), today(7, 8));
      assert.equal((await fetch(`${server.base}/v1/status`)).status, 401);
      await fetch(`${server.base}/healthz`);
      assert.deepEqual(await usageOf("free"), today(8, 8));
    });

    it("is separate for each tenant", async () => {
      assert.deepEqual(await usageOf("scale"), {
        today: { requests: 0, accounts: 0, export_rows: 0 },
        export_rows_left: 25_000_000,
        export_bytes_kept: 0,
        export_bytes_left: 200_000_000_000,
      });
    });
  });
}

describe("usage and quota of a real server", () => {
  let sample: SampleSnapshot;
  before(async () => {
    sample = await makeSampleSnapshot(600, 21);
  });
  after(() => sample.dispose());

  const peneira = (...args: string[]) => {
    return spawnSync(...productCommand(args), { encoding: "utf8" });
  };

  it("survive a stop and a kill, and are shown by peneira usage", async () => {
    const dataDir = join(sample.folder, "state");
    const data = ["--data-dir", dataDir];
    const settings = { PENEIRA_PLANS_FREE_EXPORT_ROWS_PER_DAY: "10" };
    let server = await startServerProcess({ snapshot: sample.snapshot, dataDir, settings });
    const input = { tenant: "free", plan: "free", name: "crm" };
    const { key } = withKeyring(dataDir, (keyring) => keyring.create(input));
    let client = new Client(server.base, key);
    const body = (limit: number) => ({
      spec: { filters: { geo: { uf_any_of: ["SP"] } } },
      output: { format: "csv" },
      limit,
    });
    const status = async () => {
      const answer = (await (await client.get("/v1/status")).json()) as {
        usage: { today: Record<string, number>; export_rows_left: number };
      };
      return answer.usage;
    };
    await client.exported(body(6));
    const refused = await client.post("/v1/exports", body(6), "too-much");
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get("retry-after")) <= 86_400);
    const problem = (await refused.json()) as { code: string; detail: string };
    assert.equal(problem.code, "quota_exceeded");
    assert.match(problem.detail, /10 export rows a day\. 6 are .* has 6\. .*Lower the limit to 4/);
    await stopServerProcess(server);
    server = await startServerProcess({ snapshot: sample.snapshot, dataDir, settings });
    client = new Client(server.base, key);
    await client.exported(body(4));
    const { today, export_rows_left: left } = await status();
    assert.deepEqual([today.export_rows, left], [10, 0]);
    const requests = (today.requests as number) + 1;
    const shown = () => {
      const { stdout } = peneira("usage", "--json", "--tenant", "free", ...data);
      return (JSON.parse(stdout) as { usage: Record<string, unknown>[] }).usage;
    };
    for (let i = 0; i < 30 && shown()[0]?.requests !== requests; i++) await sleep(100);
    await killServerProcess(server);
    const day = dayText(utcDay(Date.now()));
    const [row] = shown();
    const { key_id, key_name, ...rest } = row ?? {};
    assert.match(String(key_id), /^[0-9a-f]{12}$/);
    assert.equal(key_name, "crm");
    assert.deepEqual(rest, { day, tenant: "free", requests, accounts: 0, export_rows: 10 });
    const { stdout, status: code } = peneira("usage", ...data);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^day .*export_rows\\n${day} +free +${key_id} `));
    assert.match(
      peneira("usage", "--tenant", "nobody", ...data).stderr,
      /There is no tenant nobody/,
    );
    assert.equal(peneira("usage", "--days", "401", ...data).status, 2);
  });
});
