/**
 * Proves, on a manual clock, when requests of a key or an address are rejected, and how responses
 * show the limits: headers, 429 with the time to wait, and the cost of a page. Also proves that an
 * overloaded server rejects requests, and how clients behind a proxy are counted. Does not prove:
 * the arithmetic of the limiter (unit/access/ratelimit.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeKey } from "../../../src/access/keyring.ts";
import { GUESS_POLICY, RateLimits } from "../../../src/access/limits.ts";
import { loadPlans } from "../../../src/access/plans.ts";
import { AppError } from "../../../src/errors.ts";
import { OverloadGuard } from "../../../src/http/server/admission.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { Proxies } from "../../../src/settings/proxies.ts";
import { type FakeServer, sendRaw, startFake, TRANSPORTS } from "../../support/http/fake.ts";

/** A plan whose largest page costs more units than its burst allows. */
const NARROW = { search_limit: 50_000, requests_per_second: 1, burst: 20 };
const SP_LEADS = { kind: "lead_query", states: ["SP"] };
const SP = { filters: { geo: { uf_any_of: ["SP"] } } };

function refused(call: () => void): AppError {
  try {
    call();
  } catch (error) {
    assert(error instanceof AppError);
    return error;
  }
  return assert.fail("nothing was refused");
}

describe("the rate limits", () => {
  const free = loadPlans().free;
  const { burst, requests_per_second: perSecond } = free.limits;

  it("allow a key its burst, then its rate, independent of other keys", () => {
    const clock = manualClock();
    const rateLimits = new RateLimits(clock);
    for (let i = 0; i < burst; i++) rateLimits.spend("a", free, 1);
    const error = refused(() => rateLimits.spend("a", free, 1));
    assert.equal(error.code, "rate_limited");
    assert.equal(error.headers["Retry-After"], "1");
    rateLimits.spend("b", free, burst);
    clock.advance(1000 / perSecond);
    rateLimits.spend("a", free, 1);
    refused(() => rateLimits.spend("a", free, 1));
    assert.match(rateLimits.fields("a", free).RateLimit ?? "", /r=0;t=\d+/);
  });

  it("count wrong keys by the network if the sender has many addresses", () => {
    const clock = manualClock();
    const rateLimits = new RateLimits(clock);
    for (let i = 0; i < GUESS_POLICY.burst; i++) rateLimits.noteGuess(`2001:db8::${i}:1`);
    refused(() => rateLimits.noteGuess("2001:db8:0:0:ffff::1"));
    rateLimits.noteGuess("2001:db8:0:1::1");
    for (let i = 0; i < GUESS_POLICY.burst; i++) rateLimits.noteGuess("::ffff:192.0.2.1");
    refused(() => rateLimits.noteGuess("192.0.2.1"));
  });

  it("limit wrong keys by address, and report the time to wait", () => {
    const clock = manualClock();
    const rateLimits = new RateLimits(clock);
    for (let i = 0; i < GUESS_POLICY.burst; i++) rateLimits.noteGuess("192.0.2.1");
    assert.equal(refused(() => rateLimits.noteGuess("192.0.2.1")).headers["Retry-After"], "2");
    rateLimits.noteGuess("192.0.2.2");
    clock.advance(1000 / GUESS_POLICY.perSecond);
    rateLimits.noteGuess("192.0.2.1");
  });
});

describe("overload", () => {
  it("rejects requests that waited longer than the limit in this turn", () => {
    const clock = manualClock();
    const overload = new OverloadGuard(clock, 500);
    try {
      clock.advance(500);
      overload.refuse("last");
      clock.advance(1);
      const error = refused(() => overload.refuse("last"));
      assert.equal(error.code, "overloaded");
      assert.equal(error.headers["Retry-After"], "1");
      overload.tick();
      overload.refuse("last");
    } finally {
      overload.close();
    }
  });
});

for (const transport of TRANSPORTS) {
  describe(`limits over ${transport}`, () => {
    const clock = manualClock(Date.now());
    const overload = new OverloadGuard(clock, 1_000);
    let server: FakeServer;
    const plans = loadPlans();
    const { limits } = plans.starter;
    before(async () => {
      server = await startFake(transport, {
        clock,
        rateLimits: new RateLimits(clock),
        plans: { ...plans, starter: { ...plans.starter, limits: { ...limits, ...NARROW } } },
        overload,
      });
    });
    after(() => server.close());
    const pass = (ms: number) => {
      clock.advance(ms);
      // The test moves the clock. Without this call, the server would consider the jump a stall of
      // its event loop.
      overload.tick();
    };
    const search = (key: string, limit: number, path = "accounts/search") =>
      fetch(`${server.base}/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ spec: path === "leads" ? SP_LEADS : SP, limit }),
      });
    const remaining = (answer: Response) =>
      Number(/r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);

    it("are in every answer to a known sender, errors included, and in no other", async () => {
      const good = await search(server.keys.growth, 1);
      assert.match(good.headers.get("ratelimit-policy") ?? "", /^"requests";q=\d+;w=\d+$/);
      const bad = await search(server.keys.growth, 0);
      assert.equal(bad.status, 422);
      assert.equal(remaining(bad), remaining(good) - 1);
      assert.equal((await search("pnr_x", 1)).headers.get("ratelimit"), null);
      assert.equal((await fetch(`${server.base}/healthz`)).headers.get("ratelimit"), null);
    });

    it("charge a large page by its cost", async () => {
      const before = remaining(await search(server.keys.enterprise, 1));
      const after = remaining(await search(server.keys.enterprise, 10_000));
      assert.equal(before - after, 11);
    });

    it("allow a page that costs more than the burst for the whole burst", async () => {
      const { key } = server.keyring.create({ tenant: "narrow", plan: "starter", name: "" });
      for (const path of ["accounts/search", "leads"]) {
        for (const limit of [19_000, 20_000, 50_000]) {
          pass(60_000);
          const page = await search(key, limit, path);
          assert.equal(page.status, 200, `${path}, limit ${limit}`);
          assert.equal(remaining(page), 0);
        }
      }
    });

    it("report the true time to wait for a large page, on every attempt", async () => {
      const { key } = server.keyring.create({ tenant: "narrow", plan: "starter", name: "" });
      for (const path of ["accounts/search", "leads"]) {
        pass(60_000);
        assert.equal((await search(key, 50_000, path)).status, 200);
        pass(5_000);
        // One unit per second is restored. If a refused request were charged, the success below
        // would come later.
        for (let left = NARROW.burst - 5; left > 0; left--) {
          const refusal = await search(key, 50_000, path);
          assert.equal(refusal.status, 429);
          assert.equal(refusal.headers.get("retry-after"), String(left));
          assert.equal(remaining(refusal), NARROW.burst - left);
          pass(1_000);
        }
        assert.equal((await search(key, 50_000, path)).status, 200);
      }
    });

    it("answer 429 with the time to wait, and allow requests after it", async () => {
      let answer = await search(server.keys.free, 1);
      for (let i = 0; answer.status === 200 && i < 1_000; i++) {
        answer = await search(server.keys.free, 1);
      }
      assert.equal(answer.status, 429);
      const { code } = (await answer.json()) as { code: string };
      assert.equal(code, "rate_limited");
      const wait = Number(answer.headers.get("retry-after"));
      assert.ok(wait >= 1);
      pass(wait * 1_000);
      assert.equal((await search(server.keys.free, 1)).status, 200);
    });

    it("stop guessing of keys from an address, and never a right key from there", async () => {
      const statuses: number[] = [];
      for (let i = 0; i < GUESS_POLICY.burst + 3; i++) {
        statuses.push((await search(makeKey().key, 1)).status);
      }
      assert.deepEqual([...new Set(statuses)], [403, 429]);
      pass(1_000);
      assert.equal((await search(server.keys.scale, 1)).status, 200);
    });
  });
}

for (const transport of TRANSPORTS) {
  describe(`wrong keys that come through a proxy over ${transport}`, () => {
    it("are counted by the client that a trusted proxy names, else by the proxy", async () => {
      for (const proxies of [Proxies.read("127.0.0.1"), null]) {
        const rateLimits = new RateLimits(manualClock());
        const server = await startFake(transport, { rateLimits, proxies });
        try {
          const statuses: number[] = [];
          for (let i = 0; i < GUESS_POLICY.burst + 1; i++) {
            statuses.push(await guess(server, ["203.0.113.9", "198.51.100.7"]));
          }
          assert.deepEqual([...new Set(statuses)], [403, 429]);
          const next = await guess(server, ["203.0.113.9, 198.51.100.8"]);
          assert.equal(next, proxies === null ? 429 : 403);
        } finally {
          await server.close();
        }
      }
    });
  });
}

/** Sends a wrong key with X-Forwarded-For lines. Returns the status of the answer. */
async function guess({ port }: FakeServer, lines: readonly string[]): Promise<number> {
  const forwarded = lines.map((line) => `X-Forwarded-For: ${line}\r\n`).join("");
  const head = `GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${forwarded}`;
  const { key } = makeKey();
  const { text } = await sendRaw(port, `${head}Authorization: Bearer ${key}\r\n\r\n`);
  return Number(text.split(" ")[1]);
}
