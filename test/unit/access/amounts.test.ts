/**
 * Proves that a noun after a number is singular or plural as the number requires, in messages where
 * the number is often 1.
 * Does not prove: the same for every sentence.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConcurrencyLimit, RateLimits } from "../../../src/access/limits.ts";
import { loadPlans } from "../../../src/access/plans.ts";
import { refuseBeyondBytes, refuseBeyondQuota } from "../../../src/access/quota.ts";
import { ExportWaits } from "../../../src/http/server/admission.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { wordFor } from "../../../src/text/amounts.ts";

const FREE = loadPlans().free;

/** Returns the free plan with other limits. */
function plan(limits: Partial<(typeof FREE)["limits"]>) {
  return { ...FREE, limits: { ...FREE.limits, ...limits } };
}

describe("the unit after a number", () => {
  it("is singular for 1 only", () => {
    assert.deepEqual(
      [0, 1, 2, 0.5].map((count) => wordFor(count, "key")),
      ["keys", "key", "keys", "keys"],
    );
    assert.equal(wordFor(2, "company", "companies"), "companies");
  });

  it("agrees in the rejections of a key", async () => {
    const rateLimits = new RateLimits(manualClock());
    const slow = plan({ requests_per_second: 1, burst: 1 });
    rateLimits.spend("a", slow, 1);
    assert.throws(() => rateLimits.spend("a", slow, 1), /may send 1 request a second/);
    const fast = plan({ requests_per_second: 2, burst: 2 });
    rateLimits.spend("b", fast, 2);
    assert.throws(() => rateLimits.spend("b", fast, 2), /may send 2 requests a second/);
    const inFlight = new ConcurrencyLimit();
    const most = (concurrent_requests: number) => ({ limits: { concurrent_requests } });
    inFlight.begin("a", most(1));
    assert.throws(
      () => inFlight.begin("a", most(1)),
      /^AppError: 1 request of the key is in flight/,
    );
    const waits = new ExportWaits(1);
    const first = waits.run("a", () => new Promise<void>((resolve) => setImmediate(resolve)));
    const second = Promise.resolve().then(() => waits.run("a", async () => {}));
    await assert.rejects(second, /1 request of yours waits for exports/);
    await first;
  });

  it("agrees in the rejections of a quota", () => {
    const one = plan({ export_rows_per_day: 1, saved_bytes: 1 });
    assert.throws(
      () => refuseBeyondQuota(one, { used: 1, wanted: 1 }, 0),
      /allows 1 export row a day\. 1 is used/,
    );
    assert.throws(
      () => refuseBeyondBytes(one, "saved_bytes", { retained: 1, wanted: 1 }),
      /up to 1 byte of specs.* 1 is kept/,
    );
  });
});
