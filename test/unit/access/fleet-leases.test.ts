/**
 * Proves in simulated time: the servers of a fleet together never spend more units than a rate
 * limit allows in any period. Meanwhile servers join, die, pause, and lose messages. Units leased
 * by a dead server become available again. At 80% load, few requests are refused although units are
 * left.
 * Does not prove: that the database computes as the reference implementation used here
 * (contract/store/rate-leases).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RatePolicy } from "../../../src/access/limits.ts";
import { RateBankTwin } from "../../support/server/rate-bank-twin.ts";
import { type Faults, FleetMember, IdealBucket } from "../../support/server/rate-fleet.ts";
import { seededRng } from "../../support/spec/random.ts";

const LEASE_MS = 1_050;
const CALM: Faults = { delayMs: 3, lost: 0, pause: 0, pauseMsMax: 0 };
const STORM: Faults = { delayMs: 40, lost: 0.05, pause: 0.002, pauseMsMax: 2_500 };
const POLICIES: readonly RatePolicy[] = [
  { perSecond: 2, burst: 10 },
  { perSecond: 0.5, burst: 1 },
  { perSecond: 20, burst: 60 },
  { perSecond: 300, burst: 40 },
];

interface Run {
  readonly seed: number;
  readonly policy: RatePolicy;
  readonly faults: Faults;
  readonly ms: number;
  /** Units that clients request, as a multiple of the rate. */
  readonly load: number;
  /** Probability per millisecond that a server of the fleet dies and another one joins. */
  readonly churn?: number;
  readonly largest?: number;
}

/** Simulates a fleet of three servers. Returns the units that its clients got. */
function simulate({ seed, policy, faults, ms, load, churn = 0, largest = 1 }: Run) {
  const random = seededRng(seed);
  const bank = new RateBankTwin(LEASE_MS);
  const ideal = new IdealBucket(policy);
  /** Limits all requests of the fleet as if one server answered them. */
  const reference = new IdealBucket(policy);
  let joined = 3;
  const members = [1, 2, 3].map((id) => new FleetMember(`m${id}`, 3));
  const counts = { allowed: 0, refused: 0, early: 0 };
  const gone: FleetMember[] = [];
  let waiting: { member: FleetMember; cost: number; untilMs: number }[] = [];
  const attempt = (member: FleetMember, cost: number, nowMs: number, untilMs: number) => {
    if (member.isPaused || gone.includes(member)) return;
    const first = cost > 1 ? member.take("key", policy, 1) : null;
    const paid = first?.allowed === true ? 1 : 0;
    const refusal = first !== null && !first.allowed;
    const decision = refusal ? first : member.take("key", policy, cost, paid);
    if (decision.allowed) {
      counts.allowed++;
      reference.spend(Math.min(cost, policy.burst), nowMs);
      assert.ok(ideal.spend(Math.min(cost, policy.burst), nowMs), `seed ${seed} at ${nowMs} ms`);
    } else if (decision.waits && nowMs < untilMs) {
      waiting.push({ member, cost, untilMs });
    } else {
      counts.refused++;
      if (decision.waits || reference.spend(cost, nowMs)) counts.early++;
    }
  };
  for (let nowMs = 0; nowMs < ms; nowMs++) {
    if (random() < churn) {
      const at = Math.floor(random() * members.length);
      gone.push(...members.splice(at, 1));
      members.push(new FleetMember(`m${++joined}`, 3));
    }
    for (const member of members) {
      if (random() < faults.pause) member.pause(random() * faults.pauseMsMax);
      member.step(nowMs, bank, faults, random);
    }
    const retried = waiting;
    waiting = [];
    for (const { member, cost, untilMs } of retried) attempt(member, cost, nowMs, untilMs);
    const mean = (1 + largest) / 2;
    for (let due = (policy.perSecond * load) / 1000 / mean; random() < due; due--) {
      const member = members[Math.floor(random() * members.length)] as FleetMember;
      attempt(member, 1 + Math.floor(random() * largest), nowMs, nowMs + 600);
    }
  }
  for (const member of [...members, ...gone]) member.close();
  return counts;
}

describe("rate limits of a fleet", () => {
  it("are never exceeded while members join, die, pause, and lose messages", () => {
    let allowed = 0;
    for (let seed = 1; seed <= 16; seed++) {
      const policy = POLICIES[seed % POLICIES.length] as RatePolicy;
      const run = { seed, policy, faults: STORM, ms: 8_000, load: 3, churn: 0.001 };
      allowed += simulate({ ...run, largest: seed % 3 === 0 ? 12 : 1 }).allowed;
    }
    assert.ok(allowed > 2_000, `${allowed} requests were allowed`);
  });

  it("refuse at most 5 % early at 80 % load", () => {
    for (const [seed, policy] of POLICIES.entries()) {
      if (policy.burst < 4) continue;
      const run = { seed, policy, faults: CALM, ms: 20_000, load: 0.8 };
      const { allowed, refused, early } = simulate(run);
      const share = early / (allowed + refused);
      assert.ok(share <= 0.05, `${early} of ${allowed + refused} for ${policy.perSecond}/s`);
    }
  });

  it("allow nearly the whole rate under overload", () => {
    const policy = { perSecond: 100, burst: 50 };
    const { allowed } = simulate({ seed: 5, policy, faults: CALM, ms: 10_000, load: 1.5 });
    assert.ok(allowed >= 0.93 * 1_050, `${allowed} of 1,050`);
  });

  it("return the units of a dead member after its lease", () => {
    const policy = { perSecond: 1, burst: 10 };
    const bank = new RateBankTwin(LEASE_MS);
    const [dead, alive] = [new FleetMember("dead", 2), new FleetMember("alive", 2)];
    const random = seededRng(1);
    dead.take("key", policy, 10);
    let gotAtMs = 0;
    for (let nowMs = 0; gotAtMs === 0 && nowMs < 15_000; nowMs++) {
      if (nowMs < 20) dead.step(nowMs, bank, CALM, random);
      alive.step(nowMs, bank, CALM, random);
      if (nowMs > 100 && alive.take("key", policy, 10).allowed) gotAtMs = nowMs;
    }
    for (const member of [dead, alive]) member.close();
    // The dead server may have spent its leased units, so the rate must restore as many first. That
    // takes this long.
    assert.ok(gotAtMs > 11_000 && gotAtMs < 11_500, `${gotAtMs} ms`);
  });
});
