/**
 * Proves that the rate limiter allows exactly what a slow reference implementation allows, for any
 * times and costs. The remaining units and the time to wait are correct, names are independent, and
 * the memory is limited. Does not prove: that routes use it (the HTTP suites do).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RateLimiter, type RatePolicy, rateFields } from "../../../src/access/limits.ts";
import { manualClock } from "../../../src/process/clock.ts";

/** Reference implementation: a token bucket that is refilled step by step. */
class Bucket {
  #tokens: number;
  readonly #policy: RatePolicy;

  constructor(policy: RatePolicy) {
    this.#policy = policy;
    this.#tokens = policy.burst;
  }

  pass(ms: number): void {
    const { burst, perSecond } = this.#policy;
    this.#tokens = Math.min(burst, this.#tokens + (ms / 1000) * perSecond);
  }

  take(cost: number): boolean {
    const paid = Math.min(cost, this.#policy.burst);
    if (this.#tokens + 1e-6 < paid) return false;
    this.#tokens -= paid;
    return true;
  }

  get tokens(): number {
    return this.#tokens;
  }
}

const steps = fc.array(
  fc.record({ afterMs: fc.integer({ min: 0, max: 4_000 }), cost: fc.integer({ min: 1, max: 12 }) }),
  { minLength: 1, maxLength: 80 },
);
const policies = fc.record({
  perSecond: fc.constantFrom(0.5, 1, 2, 3, 10, 1_000),
  burst: fc.integer({ min: 1, max: 20 }),
});

describe("the rate limiter", () => {
  it("allows what a token bucket allows, and reports the exact remainder", () => {
    const property = fc.property(policies, steps, (policy, list) => {
      const clock = manualClock();
      const limiter = new RateLimiter(clock);
      const bucket = new Bucket(policy);
      for (const { afterMs, cost } of list) {
        clock.advance(afterMs);
        bucket.pass(afterMs);
        const decision = limiter.take("key", policy, cost);
        assert.equal(decision.allowed, bucket.take(cost));
        assert.equal(decision.remaining, Math.floor(bucket.tokens + 1e-6));
      }
    });
    fc.assert(property, { numRuns: 500, seed: 31 });
  });

  it("allows a rejected attempt after the reported time, and not a second earlier", () => {
    const property = fc.property(policies, fc.integer({ min: 1, max: 12 }), (policy, cost) => {
      const clock = manualClock();
      const limiter = new RateLimiter(clock);
      while (limiter.take("key", policy, cost).allowed);
      const { retrySeconds } = limiter.take("key", policy, cost);
      assert.ok(retrySeconds >= 1);
      if (retrySeconds > 1) {
        clock.advance((retrySeconds - 1) * 1000 - 1);
        assert.equal(limiter.take("key", policy, cost).allowed, false);
        clock.advance(1001);
      } else {
        clock.advance(1000);
      }
      assert.equal(limiter.take("key", policy, cost).allowed, true);
    });
    fc.assert(property, { numRuns: 300, seed: 32 });
  });

  it("charges a cost in two parts as in one, and refunds a rejected one", () => {
    const property = fc.property(policies, steps, (policy, list) => {
      const clock = manualClock();
      const limiter = new RateLimiter(clock);
      const bucket = new Bucket(policy);
      for (const { afterMs, cost } of list) {
        clock.advance(afterMs);
        bucket.pass(afterMs);
        const known = limiter.take("key", policy, 1);
        const whole = known.allowed ? limiter.take("key", policy, cost, 1) : known;
        assert.equal(whole.allowed, bucket.take(cost));
        assert.equal(whole.remaining, Math.floor(bucket.tokens + 1e-6));
      }
    });
    fc.assert(property, { numRuns: 500, seed: 33 });
  });

  it("does not charge one name for another", () => {
    const limiter = new RateLimiter(manualClock());
    const policy = { perSecond: 1, burst: 2 };
    assert.deepEqual(
      [1, 2, 3].map(() => limiter.take("a", policy).allowed),
      [true, true, false],
    );
    assert.equal(limiter.take("b", policy).allowed, true);
    assert.equal(limiter.look("b", policy).remaining, 1);
    assert.equal(limiter.look("b", policy).remaining, 1);
  });

  it("tracks a bounded number of names, and evicts idle ones first", () => {
    const clock = manualClock();
    const limiter = new RateLimiter(clock);
    const policy = { perSecond: 1, burst: 2 };
    limiter.take("busy", { perSecond: 0.001, burst: 1 });
    for (let i = 0; i < 30_000; i++) {
      limiter.take(`name ${i}`, policy);
      if (i % 1_000 === 0) clock.advance(1_000);
    }
    assert.ok(limiter.size <= 10_000);
    assert.equal(limiter.take("busy", { perSecond: 0.001, burst: 1 }).allowed, false);
  });

  it("refunds no more than the burst of what was charged", () => {
    const limiter = new RateLimiter(manualClock());
    const policy = { perSecond: 1, burst: 10 };
    assert.equal(limiter.take("key", policy, 17).remaining, 0);
    // The cost of 17 was charged as 10, the burst. A refund must not exceed what was charged.
    limiter.take("other", policy, 5);
    assert.equal(limiter.take("key", policy, 30, 17).remaining, 0);
    assert.equal(limiter.look("other", policy).remaining, 5);
  });

  it("writes the two header fields", () => {
    const limiter = new RateLimiter(manualClock());
    const policy = { perSecond: 2, burst: 10 };
    assert.deepEqual(rateFields(policy, limiter.take("key", policy, 3)), {
      "RateLimit-Policy": '"requests";q=10;w=5',
      RateLimit: '"requests";r=7;t=2',
    });
  });
});
