/**
 * Proves for the ledger, the memory in which threads share rate limits: its limits and amounts in
 * use equal those of a slow reference implementation on seeded random calls. Each thread has a slot
 * number, and releasing a slot releases only that thread's amounts. Uses are summed, and times of
 * last use are maxima. Lines are drained in order of time. A closed ledger throws. Ledgers and
 * tables are independent.
 * Does not prove: exact counts across threads (contract/native-index/ledger-threads).
 */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { RateLimiter, RateLimits } from "../../../src/access/limits.ts";
import { Budget } from "../../../src/http/server/admission.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { HOLD, holdNumbers, Ledger, RATE, rateNumbers, USE } from "../../../src/process/ledger.ts";
import { HoldTwin, RateTwin } from "../../support/native-index/ledger-twin.ts";
import { seededRng } from "../../support/spec/random.ts";

const ledgers: Ledger[] = [];

function opened(): Ledger {
  const ledger = Ledger.open();
  ledgers.push(ledger);
  return ledger;
}

afterEach(() => {
  for (const ledger of ledgers.splice(0)) ledger.close();
});

const POLICIES = [0.5, 1, 3, 7, 20, 1_000].flatMap((perSecond) =>
  [1, 10, 60, 333].map((burst) => ({ perSecond, burst })),
);

describe("rates of a ledger", () => {
  /**
   * Makes the same random attempts with the ledger and the reference implementation. Most pauses
   * between attempts are at most `passMs`.
   */
  function agree(seed: number, attempts: number, names: number, passMs: number) {
    const random = seededRng(seed);
    const clock = manualClock();
    const limiter = new RateLimiter(clock, opened());
    const twin = new RateTwin();
    let refused = 0;
    let mostNames = 0;
    for (let i = 0; i < attempts; i++) {
      if (random() < 0.3) clock.advance((random() < 0.01 ? 100 : 1) * passMs * random());
      const place = Math.floor(names * random());
      const name = `name ${place}`;
      // A plan may change between two requests.
      const plan = (place + (random() < 0.02 ? 5 : 0)) % POLICIES.length;
      const policy = POLICIES[plan] as (typeof POLICIES)[number];
      const cost = random() < 0.2 ? 0 : Math.ceil(400 * random() ** 4);
      const paid = random() < 0.5 ? 0 : Math.floor(1 + cost * random());
      const wanted = twin.take(name, { policy, cost, paid, now: clock.monotonicMs() });
      assert.deepEqual({ ...limiter.take(name, policy, cost, paid) }, wanted, `attempt ${i}`);
      assert.equal(limiter.size, twin.size, `attempt ${i}`);
      if (!wanted.allowed) refused++;
      mostNames = Math.max(mostNames, twin.size);
    }
    return { refused, mostNames };
  }

  it("match the twin for few names", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { refused } = agree(seed, 5_000, 3 + seed, 2_000);
      assert.ok(refused > 500 && refused < 4_500, `${refused} of 5000 refused`);
    }
  });

  it("match the twin for more names than are tracked", () => {
    const some = agree(101, 60_000, 2_000, 40).mostNames;
    assert.ok(some > 1_000, `${some} names: those at rest were forgotten as they came to rest`);
    assert.equal(agree(102, 60_000, 40_000, 1).mostNames, 10_000);
  });

  it("forget the name that recovers first if all are in use, as the twin does", () => {
    const clock = manualClock();
    const limiter = new RateLimiter(clock, opened());
    const twin = new RateTwin();
    const policy = { perSecond: 0.001, burst: 4 };
    const random = seededRng(103);
    for (let i = 0; i < 10_300; i++) {
      const attempt = { policy, cost: 1 + Math.floor(2 * random()), paid: 0, now: 0 };
      twin.take(`name ${i}`, attempt);
      limiter.take(`name ${i}`, policy, attempt.cost);
    }
    for (let i = 0; i < 10_300; i++) {
      const attempt = { policy, cost: 4, paid: 0, now: 0 };
      const wanted = twin.take(`name ${i}`, attempt);
      assert.deepEqual({ ...limiter.take(`name ${i}`, policy, 4) }, wanted, `name ${i}`);
    }
  });

  it("are separate by table and by ledger", () => {
    const [one, other] = [opened(), opened()];
    const numbers = [rateNumbers("keys"), rateNumbers("guesses")] as const;
    for (const each of numbers) each.set([0.001, 1, 1], RATE.perSecond);
    const seen = [one, one, other].map((ledger) =>
      numbers.map((each) => ledger.takeRate("a", each)),
    );
    assert.deepEqual(seen, [
      [true, true],
      [false, false],
      [true, true],
    ]);
  });

  it("refill by the ledger's own clock", async () => {
    const ledger = opened();
    const numbers = rateNumbers("keys");
    numbers.set([100, 1, 1], RATE.perSecond);
    assert.equal(ledger.takeRate("a", numbers), true);
    for (let i = 0; i < 500 && !ledger.takeRate("a", numbers); i++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.equal(ledger.takeRate("a", numbers), false);
    assert.equal(numbers[RATE.retrySeconds], 1);
  });

  it("accept names of any characters and lengths", () => {
    const ledger = opened();
    const numbers = rateNumbers("keys");
    numbers.set([0.001, 1, 1], RATE.perSecond);
    const long = [89, 90, 91, 92, 93, 94, 95, 96, 97, 500].map((length) => "é€😀a".repeat(length));
    for (const name of ["", "a\0", "a\0b", "ção", ...long, ...long.map((text) => `${text}.`)]) {
      assert.equal(ledger.takeRate(name, numbers), true, name);
      assert.equal(ledger.takeRate(name, numbers), false, name);
    }
  });
});

describe("held amounts", () => {
  const LIMITS = [
    [150, 1, Number.POSITIVE_INFINITY],
    [150, 0.5, Number.POSITIVE_INFINITY],
    [64, 0.25, Number.POSITIVE_INFINITY],
    [Number.POSITIVE_INFINITY, 1, 20],
  ] as const;

  it("match the twin for any sequence of takes, returns, and releases", () => {
    const seen = new Set<string | null>();
    for (const [at, [most, share, ownerMost]] of LIMITS.entries()) {
      const random = seededRng(200 + at);
      const first = opened();
      const threads = [0, 1, 2].map((slot) => Ledger.join(first.id, slot));
      const numbers = threads.map(holdNumbers);
      const twin = new HoldTwin(most, share, ownerMost);
      for (let i = 0; i < 20_000; i++) {
        const slot = Math.floor(3 * random());
        const ledger = threads[slot] as Ledger;
        const own = numbers[slot] as Float64Array;
        const owner = `owner ${Math.floor(5 * random())}`;
        const what = random();
        if (what < 0.55) {
          const amount = Math.floor(9 * random());
          const reserve = random() < 0.3 ? 20 : 0;
          own.set([amount, slot, ownerMost, most, share, reserve]);
          const wanted = twin.shortage(amount, owner, reserve);
          seen.add(wanted);
          assert.equal(ledger.shortageOf("bodies", owner, own), wanted);
          assert.equal(ledger.acquireHold("bodies", owner, own), wanted);
          if (wanted === null) twin.take(amount, owner, slot);
        } else if (what < 0.998) {
          const given = twin.give(Math.floor(1e6 * random()));
          if (given === undefined) continue;
          const back = numbers[given.slot] as Float64Array;
          back[HOLD.amount] = given.amount;
          threads[given.slot]?.releaseHold("bodies", given.owner, back);
        } else {
          ledger.releaseSlot(slot);
          twin.release(slot);
        }
        assert.equal(ledger.amountInUse("bodies"), twin.held());
        assert.equal(ledger.amountOfOwner("bodies", owner), twin.held(owner));
      }
    }
    assert.deepEqual(seen, new Set([null, "share", "all"]));
  });

  it("of a slot are released in every kind, and no others", () => {
    const first = opened();
    const second = Ledger.join(first.id, 7);
    for (const ledger of [first, second]) {
      const numbers = holdNumbers(ledger);
      numbers[HOLD.amount] = 3 + ledger.slot;
      for (const kind of ["inFlight", "streams", "bodies", "files"] as const) {
        for (const owner of ["a", "b"]) ledger.acquireHold(kind, owner, numbers);
      }
    }
    assert.equal(first.amountInUse("streams"), 26);
    first.releaseSlot(7);
    for (const kind of ["inFlight", "streams", "bodies", "files"] as const) {
      assert.deepEqual([first.amountInUse(kind), first.amountOfOwner(kind, "a")], [6, 3]);
    }
    first.releaseSlot(1);
    assert.equal(first.amountInUse("files"), 6);
  });

  it("are released once, by the thread that took them", () => {
    const first = opened();
    const second = Ledger.join(first.id, 1);
    const numbers = holdNumbers(first);
    first.acquireHold("streams", "a", numbers);
    const more = { message: /more was given back than taken/ };
    assert.throws(() => second.releaseHold("streams", "a", holdNumbers(second)), more);
    assert.throws(() => first.releaseHold("streams", "b", numbers), more);
    first.releaseHold("streams", "a", numbers);
    assert.throws(() => first.releaseHold("streams", "a", numbers), more);
    assert.equal(first.amountInUse("streams"), 0);
  });

  it("are correct for more owners than are cached idle", () => {
    const ledger = opened();
    const numbers = holdNumbers(ledger);
    for (let i = 0; i < 5_000; i++) ledger.acquireHold("streams", `owner ${i}`, numbers);
    for (let i = 0; i < 5_000; i += 2) ledger.releaseHold("streams", `owner ${i}`, numbers);
    assert.equal(ledger.amountInUse("streams"), 2_500);
    assert.deepEqual(
      [0, 1].map((i) => ledger.amountOfOwner("streams", `owner ${i}`)),
      [0, 1],
    );
    ledger.releaseSlot(0);
    assert.equal(ledger.amountInUse("streams"), 0);
  });
});

describe("limits in one ledger", () => {
  it("are one rate, one request limit, and one budget across threads", () => {
    const first = opened();
    const threads = [first, Ledger.join(first.id, 1)];
    const plan = {
      limits: { requests_per_second: 1, burst: 3, concurrent_requests: 2 },
    };
    const clock = manualClock();
    const rates = threads.map((ledger) => new RateLimits(clock, undefined, ledger));
    rates[0]?.spend("a", plan, 2);
    assert.throws(() => rates[1]?.spend("a", plan, 2), /Wait 1 s/);
    const begun = rates.map((one) => one.begin("a", plan));
    assert.throws(() => rates[0]?.begin("a", plan), /2 requests of the key are in flight/);
    assert.deepEqual(
      rates.map((one) => one.inFlight("a")),
      [2, 2],
    );
    for (const one of begun) one.over();
    assert.deepEqual(
      rates.map((one) => one.inFlight("a")),
      [0, 0],
    );
    const budgets = threads.map((ledger) => new Budget(10, 1, "bodies", ledger));
    const streams = new Budget(10, 1, "streams", first);
    assert.equal(budgets[0]?.take(6, "a"), true);
    assert.equal(budgets[1]?.takeUnless(6, "b"), "all");
    assert.equal(budgets[1]?.take(4, "b"), true);
    assert.deepEqual([budgets[0]?.used, budgets[1]?.used, streams.used], [10, 10, 0]);
  });
});

describe("usage of a ledger", () => {
  it("is summed by day and key, read by tenant, and drained once", () => {
    const ledger = opened();
    const numbers = new Float64Array(3);
    const count = (tenant: string, key: string, [day, accounts]: readonly [number, number]) => {
      numbers[USE.day] = day;
      numbers[USE.requests] = 1;
      numbers[USE.accounts] = accounts;
      ledger.countUse(tenant, key, numbers);
    };
    count("a", "a1", [9, 5]);
    count("b", "b1", [9, 50]);
    count("a", "a1", [9, 7]);
    count("a", "a2", [9, 0]);
    count("a", "a1", [8, 1]);
    const use = (
      tenantId: string,
      keyId: string,
      [day, requests, accounts]: readonly number[],
    ) => ({
      ...{ tenantId, keyId, day, requests, accounts },
    });
    const ofA = [use("a", "a1", [8, 1, 1]), use("a", "a1", [9, 2, 12]), use("a", "a2", [9, 1, 0])];
    assert.deepEqual(ledger.usesOf("a"), ofA);
    assert.deepEqual(ledger.usesOf("c"), []);
    assert.deepEqual(ledger.drainUses(), [ofA[0], ofA[1], use("b", "b1", [9, 1, 50]), ofA[2]]);
    assert.deepEqual(ledger.drainUses(), []);
    assert.deepEqual(ledger.usesOf("a"), []);
  });

  it("includes the latest use of each key once", () => {
    const ledger = opened();
    ledger.recordLastUse("a", 5);
    ledger.recordLastUse("b", 7);
    ledger.recordLastUse("a", 4);
    assert.deepEqual(
      ledger.drainLastUses(),
      new Map([
        ["b", 7],
        ["a", 5],
      ]),
    );
    assert.deepEqual(ledger.drainLastUses(), new Map());
  });
});

describe("lines of a ledger", () => {
  it("are drained by time, and in arrival order for equal times, up to a given time", () => {
    const random = seededRng(300);
    const ledger = opened();
    let waiting: { atMs: number; level: number; text: string }[] = [];
    for (let i = 0; i < 3_000; i++) {
      const atMs = i + Math.floor(20 * random());
      const line = { atMs, level: i % 7, text: `línea ${i} ${"x".repeat(i % 200)}` };
      ledger.appendLine(line.atMs, line.level, line.text);
      waiting.push(line);
      if (random() > 0.01) continue;
      // `sort` is stable.
      waiting.sort((one, other) => one.atMs - other.atMs);
      const { levels, texts } = ledger.drainLines(i);
      const due = waiting.filter((one) => one.atMs <= i);
      assert.deepEqual(
        [...texts],
        due.map(({ text }) => text),
      );
      assert.deepEqual(
        [...levels],
        due.map(({ level }) => level),
      );
      waiting = waiting.filter((one) => one.atMs > i);
    }
    assert.equal(ledger.drainLines(Number.POSITIVE_INFINITY).texts.length, waiting.length);
  });
});

describe("a ledger", () => {
  it("throws if it is closed or was never open, except for a repeated close", () => {
    const ledger = opened();
    const numbers = holdNumbers(ledger);
    ledger.acquireHold("streams", "a", numbers);
    ledger.close();
    ledger.close();
    const closed = { code: "LEDGER_CLOSED", message: /ledger \d+ is closed or was never opened/ };
    assert.throws(() => ledger.releaseHold("streams", "a", numbers), closed);
    assert.throws(() => ledger.takeRate("a", rateNumbers("keys")), closed);
    assert.throws(() => ledger.drainUses(), closed);
    assert.throws(() => Ledger.join(4_000_000_000, 0).amountInUse("streams"), closed);
  });

  it("rejects invalid numbers", () => {
    const ledger = opened();
    const numbers = holdNumbers(ledger);
    const wrong = { code: "INVALID_ARGUMENT" };
    numbers[HOLD.amount] = -1;
    assert.throws(() => ledger.acquireHold("streams", "a", numbers), wrong);
    numbers.set([1, -1]);
    assert.throws(() => ledger.acquireHold("streams", "a", numbers), wrong);
    assert.throws(() => ledger.acquireHold("streams", "a", new Float64Array(2)), wrong);
    assert.throws(() => ledger.countUse("a", "b", new Float64Array([Number.NaN, 1, 1])), wrong);
    const rates = rateNumbers("keys");
    rates[RATE.table] = 4;
    assert.throws(() => ledger.takeRate("a", rates), wrong);
    assert.throws(() => ledger.takeRate(5 as never, rateNumbers("keys")), wrong);
  });
});
