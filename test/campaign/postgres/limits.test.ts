/**
 * Rate limits of three real processes on one PostgreSQL. Proves: the buckets of the database equal
 * their reference implementation, and no limit is exceeded while members of the fleet are killed
 * and paused. Prints, for each plan, the share of requests that are refused too early at 80% load.
 */
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { loadPlans } from "../../../src/access/plans.ts";
import { LEASE } from "../../../src/process/ledger.ts";
import { stateAddress } from "../../../src/store/postgres/address.ts";
import { openRateBank } from "../../../src/store/postgres/ratebank.ts";
import { openPostgres } from "../../../src/store/postgres/schema.ts";
import { TestPostgres, withoutPostgres } from "../../support/server/postgres-server.ts";
import { RateBankTwin } from "../../support/server/rate-bank-twin.ts";
import { IdealBucket } from "../../support/server/rate-fleet.ts";
import type { MemberLoad, MemberReport } from "../../support/server/rate-member.ts";
import { seededRng } from "../../support/spec/random.ts";

const MEMBER = new URL("../../support/server/rate-member.ts", import.meta.url);
const MEMBERS = 3;
const LEASE_MS = 1_000;
const MARGIN_MS = 50;
/**
 * Highest rate of a plan, in requests per second, for which two processors can both produce the
 * load and run the fleet.
 */
const PER_SECOND_MAX = 200;
/** Tolerance in milliseconds for request times, because a busy machine may pause a process. */
const JITTER_MS = 20;

describe("rate limits on PostgreSQL", { skip: withoutPostgres }, () => {
  let server: TestPostgres;

  before(async () => {
    server = await TestPostgres.start();
  });
  after(() => server.remove());

  for (const seed of [1, 2, 3]) {
    it(`have the numbers of the twin after the same random requests (seed ${seed})`, async () => {
      const address = stateAddress(server.address(`twin_${seed}`));
      openPostgres(address).close();
      const random = seededRng(seed);
      const clock = { nowMs: 1_000, startedMs: 1 };
      const twin = new RateBankTwin(LEASE_MS + MARGIN_MS, 1);
      const ids = ["a", "b", "c"];
      const banks = await Promise.all(
        ids.map((member) =>
          openRateBank(address, { member, leaseMs: LEASE_MS, clock: () => clock }),
        ),
      );
      for (let step = 0; step < 400; step++) {
        clock.nowMs += Math.floor(400 * random() ** 3);
        if (random() < 0.01) {
          clock.startedMs = clock.nowMs;
          twin.restart(clock.nowMs);
        }
        const at = Math.floor(random() * ids.length);
        const names = ["x", "y", "z"].filter(() => random() < 0.7);
        const numbers = new Float64Array(names.length * 6);
        for (const [place, name] of names.entries()) {
          const perSecond = { x: 1, y: 20, z: 250 }[name] as number;
          const burst = { x: 10, y: 20, z: 40 }[name] as number;
          const units = () => Math.floor(burst * random() ** 3);
          const debt = random() < 0.05 ? units() : 0;
          const part = { perSecond, burst, held: units(), wanted: units(), back: units(), debt };
          for (const [key, value] of Object.entries(part)) {
            numbers[6 * place + LEASE[key as keyof typeof LEASE]] = value;
          }
        }
        const wanted = twin.lease(ids[at] as string, { names, numbers }, clock.nowMs);
        const found = await banks[at]?.lease({ names, numbers });
        for (const [place, value] of wanted.entries()) {
          assert.ok(Math.abs((found?.[place] as number) - value) < 1e-3, `step ${step}`);
        }
      }
      for (const bank of banks) bank.close();
    });
  }

  it("are never exceeded by processes that are killed and paused", async (t) => {
    const keys = [
      { name: "small", perSecond: 2, burst: 10, load: 2 },
      { name: "large", perSecond: 100, burst: 200, load: 60 },
    ];
    const members = startMembers("chaos", keys, 12_000);
    const [killed, paused] = members as [Member, Member];
    await begin(members);
    await sleep(6_000);
    paused.child.kill("SIGSTOP");
    killed.child.kill("SIGKILL");
    await sleep(2_500);
    paused.child.kill("SIGCONT");
    const reports = await Promise.all(members.slice(1).map(({ report }) => report));
    for (const { name, perSecond, burst } of keys) {
      const times = reports.flatMap(({ allowed }) => allowed[name] ?? []).sort((a, b) => a - b);
      const start = (times[0] as number) - 60_000;
      const bucket = new IdealBucket({ perSecond, burst }, (perSecond * JITTER_MS) / 1_000);
      const above = times.filter((atMs) => !bucket.spend(1, atMs - start));
      t.diagnostic(`${name}: ${times.length} allowed`);
      assert.ok(times.length > perSecond * 4, `${times.length} of ${name} allowed`);
      assert.equal(above.length, 0, `${name}: ${above.length} of ${times.length} above the limit`);
    }
  });

  it("refuse at most 5 % early at 80 % load", async (t) => {
    const plans = Object.values(loadPlans()).filter(({ limits }) => {
      return limits.requests_per_second <= PER_SECOND_MAX;
    });
    const keys = plans.map(({ name, limits: { requests_per_second, burst } }) => {
      const load = (0.8 * requests_per_second) / MEMBERS;
      return { name, perSecond: requests_per_second, burst, load };
    });
    const members = startMembers("load", keys, 15_000);
    await begin(members);
    const reports = await Promise.all(members.map(({ report }) => report));
    const shares: number[] = [];
    for (const { name, perSecond, burst } of keys) {
      const allowed = reports.reduce((sum, one) => sum + (one.allowed[name]?.length ?? 0), 0);
      const refused = reports.reduce((sum, one) => sum + (one.refused[name] ?? 0), 0);
      const share = refused / (allowed + refused);
      const percent = (100 * share).toFixed(2);
      t.diagnostic(
        `${name}: ${perSecond}/s, burst ${burst}: ` +
          `${allowed} allowed, ${refused} refused (${percent} %)`,
      );
      shares.push(share);
    }
    const waits = reports.flatMap((one) => one.waits).sort((a, b) => a - b);
    const at = (part: number) =>
      (waits[Math.floor(part * (waits.length - 1))] as number).toFixed(1);
    const waited = waits.filter((ms) => ms > 0.5).length / waits.length;
    t.diagnostic(
      `waited for a lease: ${(100 * waited).toFixed(1)} %; p50 ${at(0.5)}, p99 ${at(0.99)}, ` +
        `max ${at(1)} ms`,
    );
    assert.ok(Math.max(...shares) <= 0.05);
  });

  interface Member {
    readonly child: ChildProcess;
    readonly ready: Promise<unknown>;
    readonly report: Promise<MemberReport>;
  }

  function startMembers(schema: string, keys: MemberLoad["keys"], ms: number): Member[] {
    const address = server.address(schema);
    openPostgres(stateAddress(address)).close();
    return Array.from({ length: MEMBERS }, (_, at) => {
      const load: MemberLoad = { seed: at + 1, ms, keys };
      const child = fork(MEMBER, [address, JSON.stringify(load)], {
        execArgv: ["--import", "tsx"],
      });
      const ready = new Promise((resolve) => child.once("message", resolve));
      const report = ready.then(
        () => new Promise<MemberReport>((resolve) => child.once("message", resolve)),
      );
      return { child, ready, report };
    });
  }

  /** Begins the load once all members have leases and know of each other. */
  async function begin(members: readonly Member[]): Promise<void> {
    await Promise.all(members.map(({ ready }) => ready));
    await sleep(1_500);
    for (const { child } of members) child.send("begin");
  }
});
