/**
 * Proves how fast passwords may be tried, with a manual clock. After failures, an account and an
 * address must wait. The waits grow up to a maximum and expire. Attempts from other addresses never
 * cause the owner of an account to be refused. Concurrent attempts count. Memory is limited. Does
 * not prove: the HTTP answers, nor signing in with a right password
 * (contract/access/sessions.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { networkOf, SignIns } from "../../../src/access/signins.ts";
import { AppError } from "../../../src/errors.ts";
import { manualClock } from "../../../src/process/clock.ts";

const OWNER = "owner@example.com";
const HERE = "192.0.2.1";

function start() {
  const clock = manualClock(0);
  return { clock, signIns: new SignIns(clock) };
}

/** Makes an attempt, which fails. Returns the seconds that it must wait, or 0 if it was allowed. */
function tried(signIns: SignIns, email: string, address: string): number {
  try {
    signIns.begin(email, address);
    return 0;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "rate_limited");
    const seconds = Number(error.headers["Retry-After"]);
    assert.ok(Number.isInteger(seconds) && seconds > 0);
    assert.ok(error.message.includes(`${seconds} s`));
    return seconds;
  }
}

/** Returns the number of attempts that are allowed in an hour of continuous guessing. */
function guessesInAnHour(emailOf: (at: number) => string, addressOf: (at: number) => string) {
  const { clock, signIns } = start();
  let guesses = 0;
  for (let second = 0; second < 3_600; second++) {
    for (let at = 0; at < 20; at++) {
      if (tried(signIns, emailOf(guesses), addressOf(guesses)) === 0) guesses++;
      else break;
    }
    clock.advance(1_000);
  }
  return guesses;
}

describe("sign-in delays", () => {
  it("grow with the failures on one account, up to five minutes", () => {
    const { clock, signIns } = start();
    const waits: number[] = [];
    for (let failures = 0; failures < 16; failures++) {
      let waited = 0;
      for (let left = tried(signIns, OWNER, HERE); left > 0; ) {
        waited += left;
        clock.advance(left * 1000);
        left = tried(signIns, OWNER, HERE);
      }
      waits.push(waited);
    }
    assert.deepEqual(waits.slice(0, 10), [0, 0, 0, 0, 1, 2, 4, 8, 16, 32]);
    assert.equal(Math.max(...waits), 300);
    for (const [at, wait] of waits.entries()) assert.ok(wait >= (waits[at - 1] ?? 0));
  });

  it("count down during the wait, and are not prolonged by early attempts", () => {
    const { clock, signIns } = start();
    for (let failures = 0; failures < 4; failures++) tried(signIns, OWNER, HERE);
    clock.advance(1_000);
    tried(signIns, OWNER, HERE);
    assert.equal(tried(signIns, OWNER, HERE), 2);
    clock.advance(500);
    assert.equal(tried(signIns, OWNER, HERE), 2);
    clock.advance(500);
    assert.equal(tried(signIns, OWNER, HERE), 1);
    clock.advance(1_000);
    assert.equal(tried(signIns, OWNER, HERE), 0);
  });

  it("grow with the failures of one address, for any account, and stay below a minute", () => {
    const { clock, signIns } = start();
    const first = Array.from({ length: 12 }, (_, at) => tried(signIns, `${at}@example.com`, HERE));
    assert.deepEqual(first, [...Array(11).fill(0), 1]);
    let longest = 0;
    for (let at = 0; at < 200; at++) {
      const wait = tried(signIns, `${at}@example.org`, HERE);
      longest = Math.max(longest, wait);
      clock.advance(wait * 1000);
    }
    assert.ok(longest >= 16 && longest <= 60, String(longest));
    assert.equal(tried(signIns, "someone@example.com", "192.0.2.2"), 0, "others do not wait");
  });

  it("allow few guesses per hour", () => {
    const one = guessesInAnHour(
      () => OWNER,
      () => HERE,
    );
    assert.ok(one > 5 && one <= 30, `one address, one account: ${one}`);
    const many = guessesInAnHour(
      (at) => `${at}@example.com`,
      () => HERE,
    );
    assert.ok(many > 20 && many <= 200, `one address, many accounts: ${many}`);
    const roaming = guessesInAnHour(
      () => OWNER,
      (at) => `2001:db8:0:7::${at.toString(16)}`,
    );
    assert.ok(roaming <= 30, `one network of IPv6: ${roaming}`);
  });

  it("expire with time", () => {
    const { clock, signIns } = start();
    for (let failures = 0; failures < 4; failures++) tried(signIns, OWNER, HERE);
    assert.equal(tried(signIns, OWNER, HERE), 1);
    clock.advance(4 * 600_000);
    assert.deepEqual(
      Array.from({ length: 5 }, () => tried(signIns, OWNER, HERE)),
      [0, 0, 0, 0, 1],
    );
  });

  it("end after a right password, for that account", () => {
    const { signIns } = start();
    for (let failures = 0; failures < 3; failures++) tried(signIns, OWNER, HERE);
    signIns.begin(OWNER, HERE).succeeded();
    assert.deepEqual(
      Array.from({ length: 5 }, () => tried(signIns, OWNER, HERE)),
      [0, 0, 0, 0, 1],
    );
  });

  it("do not start for attempts whose password was not checked", () => {
    const { signIns } = start();
    for (let at = 0; at < 100; at++) signIns.begin(OWNER, HERE).undone();
    assert.equal(signIns.size, 0);
    assert.equal(tried(signIns, OWNER, HERE), 0);
  });

  it("apply to concurrent attempts, before any has failed", () => {
    const { signIns } = start();
    const begun = Array.from({ length: 100 }, () => tried(signIns, OWNER, HERE));
    assert.equal(begun.filter((wait) => wait === 0).length, 4);
  });
});

describe("attackers", () => {
  it("never lock out an owner at another address, and only prolong the second wait", () => {
    const { clock, signIns } = start();
    for (let at = 0; at < 9_000; at++) {
      assert.equal(tried(signIns, OWNER, `198.51.${at >> 8}.${at & 255}`), 0);
      if (at % 100 === 0) clock.advance(100);
    }
    assert.equal(tried(signIns, OWNER, HERE), 0, "the first attempt");
    const wait = tried(signIns, OWNER, HERE);
    assert.ok(wait >= 60 && wait <= 300, String(wait));
    clock.advance(wait * 1000);
    signIns.begin(OWNER, HERE).succeeded();
    signIns.begin(OWNER, HERE).succeeded();
    assert.equal(tried(signIns, "other@example.com", HERE), 0);
    assert.equal(tried(signIns, "other@example.com", HERE), 0, "another account is as ever");
  });
});

describe("the table of failures", () => {
  it("is bounded, and keeps the names with the most failures", () => {
    const { signIns } = start();
    for (let failures = 0; failures < 4; failures++) tried(signIns, OWNER, HERE);
    for (let at = 0; at < 40_000; at++) {
      tried(signIns, `${at}@example.com`, `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
    }
    assert.ok(signIns.size <= 30_000, String(signIns.size));
    assert.equal(tried(signIns, OWNER, HERE), 1);
  });

  it("uses one name for all texts too long for an e-mail", () => {
    const { signIns } = start();
    for (let at = 0; at < 4; at++) tried(signIns, `${at}${"x".repeat(100_000)}`, HERE);
    assert.equal(tried(signIns, "y".repeat(300), HERE), 1);
  });
});

describe("the network of an address", () => {
  it("is the address itself, or the IPv6 half that its owner cannot choose", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["192.0.2.7", "192.0.2.7"],
      ["::ffff:192.0.2.7", "192.0.2.7"],
      ["0000:0000:0000:0000:0000:ffff:c000:0207", "192.0.2.7"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
      ["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
      ["2001:db8::1", "2001:db8:0:0::/64"],
      ["::1", "0:0:0:0::/64"],
      ["fe80::1%eth0", "fe80:0:0:0::/64"],
      ["", ""],
      ["unknown", "unknown"],
    ];
    for (const [address, network] of cases) assert.equal(networkOf(address), network, address);
  });
});
