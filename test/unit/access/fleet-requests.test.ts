/**
 * Proves: rate-limit units are leased to each server of a fleet. If a server holds no unit for a
 * request, the request waits for a lease and is answered. This holds for a large page, for a
 * body that another thread reads, and after the thread was blocked. If the bucket is empty, the
 * answer is 429 with the time to wait. While the database is unreachable, a server may spend its
 * share of the limit, and these units are subtracted afterwards.
 * Does not prove: the arithmetic of leases (unit/access/fleet-leases).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LeaseExchange, type RateBank } from "../../../src/access/fleet/exchange.ts";
import { LeaseSignals } from "../../../src/access/fleet/signals.ts";
import { GUESS_POLICY, RateLimits } from "../../../src/access/limits.ts";
import { loadPlans } from "../../../src/access/plans.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { Ledger } from "../../../src/process/ledger.ts";
import { type FakeServer, startFake, TRANSPORTS } from "../../support/http/fake.ts";
import { RateBankTwin } from "../../support/server/rate-bank-twin.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
/** A plan whose bucket hardly refills while a test runs. */
const NARROW = { search_limit: 50_000, requests_per_second: 0.01, burst: 20 };

for (const transport of TRANSPORTS) {
  describe(`rate limits of a fleet over ${transport}`, () => {
    const ledger = Ledger.open();
    const signals = new LeaseSignals();
    const twin = new RateBankTwin(1_050);
    let isAway = false;
    let delayMs = 0;
    const reports: unknown[] = [];
    const bank: RateBank = {
      lease: async (requests) => {
        if (isAway) throw new Error("away");
        if (delayMs > 0) await sleep(delayMs);
        return twin.lease("this", requests, performance.now());
      },
      members: async () => 2,
      sweep: async () => undefined,
      close: () => undefined,
    };
    const exchange = new LeaseExchange({
      ledger,
      signals,
      open: async () => {
        if (isAway) throw new Error("away");
        return bank;
      },
      report: (failure) => reports.push(failure),
    });
    let server: FakeServer;
    let ended: Promise<void>;
    before(async () => {
      const plans = loadPlans();
      const { limits } = plans.starter;
      ledger.setMembers(2);
      ended = exchange.run();
      server = await startFake(transport, {
        rateLimits: new RateLimits(systemClock, GUESS_POLICY, ledger, signals),
        plans: { ...plans, starter: { ...plans.starter, limits: { ...limits, ...NARROW } } },
      });
    });
    after(async () => {
      exchange.stop();
      await ended;
      await server.close();
      ledger.close();
    });

    const newKey = (plan: "starter" | "enterprise" = "starter") =>
      server.keyring.create({ tenant: "narrow", plan, name: "" }).key;
    const search = (key: string, limit: number, spec: object = SP) =>
      fetch(`${server.base}/v1/accounts/search`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ spec, limit }),
      });
    const remaining = (answer: Response) =>
      Number(/r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);

    it("answer a request that waited for its lease, and count it once", async () => {
      const key = newKey();
      const first = await search(key, 1);
      assert.equal(first.status, 200);
      assert.equal(remaining(first), 19);
      const status = await fetch(`${server.base}/v1/status`, {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.equal(status.status, 200);
      assert.equal(remaining(status), 18);
      assert.equal(ledger.amountOfOwner("inFlight", key.slice(4, 16)), 0);
      assert.ok(ledger.fleetCounts().waits > 0);
    });

    it("answer a large page, and a body that is read elsewhere, after a wait", async () => {
      const large = await search(newKey(), 9_000);
      assert.equal(large.status, 200);
      assert.equal(remaining(large), 10);
      const codes = Array.from({ length: 1_300 }, (_, at) => String(10_000 + at));
      const geo = { postal_code_prefix_any_of: codes };
      const listed = await search(newKey(), 1, { filters: { geo } });
      assert.equal(listed.status, 200, await listed.text());
      assert.equal(remaining(listed), 17);
    });

    it("refuse above the limit with the time to wait, and nothing early", async () => {
      const key = newKey();
      const statuses: number[] = [];
      for (let i = 0; i < 22; i++) statuses.push((await search(key, 1)).status);
      assert.deepEqual(statuses, [...Array(20).fill(200), 429, 429]);
      const refused = await search(key, 1);
      assert.ok(Number(refused.headers.get("retry-after")) > 90);
      assert.equal(ledger.fleetCounts().early, 0);
      assert.equal(signals.impatient, 0);
    });

    it("allow this member's share while the database is away, which it owes then", async () => {
      const key = newKey();
      assert.equal((await search(key, 1)).status, 200);
      isAway = true;
      const other = newKey();
      const statuses: number[] = [];
      // All three are refused: the first request already notices that the database is unreachable.
      for (let i = 0; i < 3; i++) statuses.push((await search(other, 1)).status);
      assert.deepEqual(statuses, [429, 429, 429]);
      assert.ok(ledger.fleetCounts().share > 0);
      isAway = false;
      while (ledger.fleetCounts().away === 1) await new Promise((done) => setTimeout(done, 10));
      assert.equal((await search(other, 1)).status, 200);
      assert.equal((reports.at(-2) as Error).message, "away");
      assert.equal(reports.at(-1), null);
    });

    it("answer a request whose thread was blocked while it waited", async (test) => {
      delayMs = 100;
      const { request } = signals;
      test.mock.method(
        signals,
        "request",
        () => {
          request.call(signals);
          setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300));
        },
        { times: 1 },
      );
      // The database may count as unreachable by then. Under this plan, the server's own share is
      // enough for the request.
      const answer = await search(newKey("enterprise"), 1);
      delayMs = 0;
      assert.equal(answer.status, 200, await answer.text());
      assert.equal(signals.impatient, 0);
    });
  });
}
