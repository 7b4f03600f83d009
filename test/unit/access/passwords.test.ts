/**
 * Proves the hashes of passwords: one real hash has its full cost and verifies, and the work is the
 * same for existing and unknown users (counted, not timed). At most two are computed concurrently,
 * and the rest wait or are rejected. Tests the rule for new passwords, and generated passwords.
 * Does not prove: that scrypt is scrypt (Node's is trusted).
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import {
  type Cost,
  type Derive,
  generatedPassword,
  PASSWORD_COST,
  Passwords,
  passwordProblems,
  samePassword,
} from "../../../src/access/passwords.ts";
import { AppError } from "../../../src/errors.ts";

const SMALL: Cost = { n: 2, r: 1, p: 1 };
const RIGHT = "correct horse battery";

/** A hash function that counts its calls and costs nothing. */
function counted() {
  const costs: Cost[] = [];
  const derive: Derive = async (password, salt, cost) => {
    costs.push(cost);
    return createHmac("sha256", salt).update(password).digest();
  };
  return { costs, derive };
}

describe("password hashes", () => {
  it("use 64 MB, record it, and are verified by another process", async () => {
    const stored = await new Passwords().hash(RIGHT);
    assert.equal(stored.cost, "scrypt:65536:8:1");
    assert.deepEqual([stored.hash.length, stored.salt.length], [32, 16]);
    assert.equal(128 * PASSWORD_COST.n * PASSWORD_COST.r, 64 * 1024 * 1024);
    assert.equal(await new Passwords().verify(RIGHT, stored), "right");
    assert.equal(await new Passwords().verify(`${RIGHT}y`, stored), "wrong");
  });

  it("differ for the same password", async () => {
    const passwords = new Passwords(SMALL);
    const [one, other] = await Promise.all([passwords.hash(RIGHT), passwords.hash(RIGHT)]);
    assert.notDeepEqual(one.hash, other.hash);
    assert.notDeepEqual(one.salt, other.salt);
  });

  it("report when they need a rehash, and still verify", async () => {
    const stored = await new Passwords(SMALL).hash(RIGHT);
    const later = new Passwords({ n: 4, r: 1, p: 1 });
    assert.equal(await later.verify(RIGHT, stored), "outdated");
    assert.equal(await later.verify("something else", stored), "wrong");
  });

  it("are equal for the same characters in another Unicode form", async () => {
    const passwords = new Passwords(SMALL);
    const stored = await passwords.hash("coração ﬁno de mãe");
    assert.equal(await passwords.verify("coração fino de mãe".normalize("NFD"), stored), "right");
    assert.equal(await passwords.verify("Coração fino de mãe", stored), "wrong");
    assert.ok(samePassword("ﬁ", "fi") && !samePassword("fi", "Fi"));
  });

  it("are computed once per check, at the same cost, for any user", async () => {
    const { costs, derive } = counted();
    const passwords = new Passwords(PASSWORD_COST, derive);
    const stored = await passwords.hash(RIGHT);
    for (const [password, user] of [
      [RIGHT, stored],
      ["wrong", stored],
      ["", stored],
      ["x".repeat(257), stored],
      ["x".repeat(1_000_000), stored],
      [RIGHT, undefined],
      ["", undefined],
      ["x".repeat(1_000_000), undefined],
    ] as const) {
      costs.length = 0;
      const verdict = await passwords.verify(password, user);
      assert.equal(verdict, user !== undefined && password === RIGHT ? "right" : "wrong");
      assert.deepEqual(costs, [PASSWORD_COST], `${password.slice(0, 30)} ${user === undefined}`);
    }
  });

  it("never verify as the empty password that replaces an oversized one", async () => {
    const passwords = new Passwords(SMALL);
    const empty = await passwords.hash("");
    assert.equal(await passwords.verify("x".repeat(300), empty), "wrong");
  });
});

describe("the queue of hashes", () => {
  /** A hash function whose calls end when a test says so. */
  function held(atOnce: number) {
    const ends: ((fail?: boolean) => void)[] = [];
    const derive: Derive = () =>
      new Promise((resolve, reject) => {
        ends.push((fail) => (fail ? reject(new Error("failed")) : resolve(Buffer.alloc(32))));
      });
    return { ends, passwords: new Passwords(SMALL, derive, atOnce) };
  }

  it("runs some concurrently, queues sixteen, and rejects the next with a retry time", async () => {
    for (const atOnce of [1, 2]) await keepsToItsBounds(atOnce);
  });

  async function keepsToItsBounds(atOnce: number): Promise<void> {
    const { ends, passwords } = held(atOnce);
    const count = atOnce + 16;
    const all = Array.from({ length: count }, () => passwords.hash(RIGHT));
    await turn();
    assert.equal(ends.length, atOnce);
    await assert.rejects(passwords.verify(RIGHT, undefined), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "rate_limited");
      assert.match(error.headers["Retry-After"] ?? "", /^[1-9]\d*$/);
      return true;
    });
    for (let done = 0; done < count; done++) {
      ends[done]?.();
      await turn();
      const begun = Math.min(count, done + atOnce + 1);
      assert.equal(ends.length, begun, "the next begins, and no other");
    }
    await Promise.all(all);
  }

  it("continues after failed hashes", async () => {
    const { ends, passwords } = held(2);
    const all = Array.from({ length: 6 }, () => passwords.hash(RIGHT));
    const settled = Promise.allSettled(all);
    for (let done = 0; done < 6; done++) {
      await turn();
      ends[done]?.(done % 2 === 0);
    }
    const states = (await settled).map(({ status }) => status);
    assert.deepEqual(states, [
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
      ...states.slice(4),
    ]);
    const next = passwords.hash(RIGHT);
    await turn();
    ends.at(-1)?.();
    await next;
  });
});

describe("the rule for new passwords", () => {
  const EMAIL = "somebody@example.com";

  it("accepts any long enough password", () => {
    for (const good of [
      "twelve chars",
      "aaaaaaaaaaab",
      "🐴🔋🐴🔋🐴🔋🐴🔋🐴🔋🐴🔌",
      "x y".repeat(85),
      " leading and trailing ",
      generatedPassword(),
    ]) {
      assert.deepEqual(passwordProblems(good, EMAIL), [], good);
    }
  });

  it("rejects the rest with the reason", () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["", /0 characters/],
      ["eleven char", /11 characters/],
      ["🐴🔋🐴🔋🐴🔋🐴🔋🐴🔋🐴", /11 characters/],
      ["x y".repeat(86), /258 characters/],
      ["z".repeat(100_000), /more than 256/],
      [EMAIL, /e-mail/],
      ["Somebody@EXAMPLE.com", /e-mail/],
      ["qwertyuiop12", /common password/],
      ["SenhaSenha12", /common password/],
      ["１２３４５６７８９０１２", /common password/],
      ["mmmmmmmmmmmmmmm", /common password/],
    ];
    for (const [password, why] of cases) {
      assert.match(passwordProblems(password, EMAIL).join(" "), why, password.slice(0, 40));
    }
  });
});

describe("generated passwords", () => {
  it("are distinct, readable, and use every allowed character", () => {
    const all = Array.from({ length: 5_000 }, generatedPassword);
    assert.equal(new Set(all).size, all.length);
    const used = new Set(all.join("").replaceAll("-", ""));
    assert.equal(used.size, 32);
    for (const one of all)
      assert.match(one, /^(?:[0-9a-hj-km-np-tv-z]{4}-){3}[0-9a-hj-km-np-tv-z]{4}$/);
  });
});
