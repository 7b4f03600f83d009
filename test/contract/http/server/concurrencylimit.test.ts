/**
 * Proves, on both transports on real sockets, that a key has no more requests in flight than its
 * plan allows. Long polls, bodies, and streams count. The refusal differs from that of the rate
 * limit and affects no other key. A request stops counting however it ends. Does not prove: the
 * rate (unit/access/rate-limits.test.ts).
 */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, afterEach, before, describe, it } from "node:test";
import { CONSOLE_LIMIT, ConcurrencyLimit } from "../../../../src/access/limits.ts";
import { loadPlans } from "../../../../src/access/plans.ts";
import { AppError } from "../../../../src/errors.ts";
import { PIPELINED_MAX } from "../../../../src/http/server/transport/sockets.ts";
import { startConsole } from "../../../support/console/fake.ts";
import { type Created, freshKey, post, SP } from "../../../support/http/export-requests.ts";
import {
  engineOf,
  type FakeServer,
  fakeParts,
  sendRaw,
  startFake,
  TRANSPORTS,
} from "../../../support/http/fake.ts";
import { settledAt } from "../../../support/http/file-fixture.ts";

const MOST = 3;

/** An engine with a page of 30 MB, sent in 300 chunks. Chunk number `state.bad` fails. */
const state = { bad: -1 };
const engine = engineOf({
  ...fakeParts,
  countMatches: () => 50_000,
  searchSliced: () => ({
    ...{ total: 50_000, more: true, lastRow: 49_999, plan: {} as never },
    slices: {
      rowCount: 50_000,
      whole: () => assert.fail("rendered at once"),
      *texts() {
        for (let at = 0; at < 300; at++) {
          if (at === state.bad) throw new AppError("snapshot_unavailable", "Damaged.");
          yield Buffer.alloc(100_000, " ");
        }
      },
    },
  }),
});

/** Returns plans that allow only few requests in flight per key. */
function fewAtATime() {
  const plans = loadPlans();
  const limits = { requests_per_second: 1e6, burst: 1e6, concurrent_requests: MOST };
  const { scale } = plans;
  return { ...plans, scale: { ...scale, limits: { ...scale.limits, ...limits } } };
}

describe("requests in flight", () => {
  it("are counted by key, released once, and forgotten when none are left", () => {
    const counts = new ConcurrencyLimit();
    const limited = { limits: { concurrent_requests: 2 } };
    const ends = [counts.begin("a", limited), counts.begin("a", limited)];
    assert.throws(() => counts.begin("a", limited), /2 requests of the key are in flight/);
    counts.begin("b", limited).over();
    ends[0]?.over();
    ends[0]?.over();
    assert.equal(counts.of("a"), 1);
    ends.push(counts.begin("a", limited));
    for (const end of ends) end.over();
    assert.deepEqual([counts.of("a"), counts.of("b")], [0, 0]);
  });
});

for (const transport of TRANSPORTS) {
  describe(`requests in flight over ${transport}`, () => {
    let server: FakeServer;
    let sockets: Socket[] = [];
    before(async () => {
      server = await startFake(transport, { plans: fewAtATime(), engine });
    });
    after(() => server.close());
    afterEach(async () => {
      for (const socket of sockets) socket.destroy();
      sockets = [];
      state.bad = -1;
      assert.equal(await settledAt(0, inFlight), 0, "some are not given back");
    });

    const inFlight = () => {
      const { keyId } = server.keyring.authenticate(`Bearer ${server.keys.scale}`);
      return server.service.rateLimits.inFlight(keyId);
    };
    const newExport = async () => {
      const wanted = { spec: SP, output: { format: "csv" } };
      const answer = await post(server, wanted, freshKey(), "scale");
      return ((await answer.json()) as Created).export.export_id;
    };
    const lines = (key = server.keys.scale) =>
      `Host: a\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n`;
    const search = (limit: number) => {
      const body = JSON.stringify({ spec: SP, limit });
      const length = `Content-Length: ${body.length}\r\n\r\n`;
      return `POST /v1/accounts/search HTTP/1.1\r\n${lines()}${length}${body}`;
    };
    const halfABody = (bytes = 99) =>
      `POST /v1/accounts/search HTTP/1.1\r\n${lines()}Content-Length: ${bytes}\r\n\r\n{`;
    /** Opens a connection and sends bytes; only the start of the answer is read. */
    const open = (bytes: string): Socket => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.once("data", () => socket.pause());
      socket.write(bytes);
      sockets.push(socket);
      return socket;
    };
    /** Returns the first bytes of an answer and discards the others. */
    const beginningOf = (bytes: string): Promise<string> => {
      const socket = open(bytes);
      return new Promise((resolve) => {
        socket.once("data", (chunk) => {
          resolve(chunk.toString("latin1"));
          socket.resume();
        });
      });
    };
    const status = (key?: string) =>
      sendRaw(server.port, `GET /v1/status HTTP/1.1\r\nConnection: close\r\n${lines(key)}\r\n`);

    it("are limited by the plan for polls, bodies, and streams, but not for others", async () => {
      const id = await newExport();
      open(`GET /v1/exports/${id}?wait=60 HTTP/1.1\r\n${lines()}\r\n`);
      open(halfABody());
      open(search(50_000));
      assert.equal(await settledAt(MOST, inFlight), MOST);
      const { text } = await status();
      assert.match(text, /^HTTP\/1\.1 429 /);
      assert.match(text, /\r\nRetry-After: 1\r\n/i);
      assert.match(text, /"code":"rate_limited","detail":"3 requests of the key are in flight/);
      assert.match((await status(server.keys.growth)).text, /^HTTP\/1\.1 200 /);
      const other = server.keyring.create({ tenant: "scale", plan: "scale", name: "" });
      assert.match((await status(other.key)).text, /"concurrent_requests":3/);
      assert.equal(inFlight(), MOST);
      server.exporter.fail(id, "render_failed");
      assert.equal(await settledAt(MOST - 1, inFlight), MOST - 1);
      assert.match((await status()).text, /^HTTP\/1\.1 200 /);
    });

    it("are released if clients leave a poll, a body, or a stream", async () => {
      const id = await newExport();
      const poll = `GET /v1/exports/${id}?wait=60 HTTP/1.1\r\n${lines()}\r\n`;
      for (const reset of [true, false]) {
        const begun = [poll, halfABody(), search(50_000)].map((bytes) => open(bytes));
        assert.equal(await settledAt(MOST, inFlight), MOST);
        for (const socket of begun) {
          if (reset) socket.resetAndDestroy();
          else socket.destroy();
        }
        assert.equal(await settledAt(0, inFlight), 0);
      }
    });

    it("are released if refused, not found, late, or cut", async () => {
      const cases: readonly (readonly [RegExp, string])[] = [
        [/^HTTP\/1\.1 404 /, `GET /v1/nothing HTTP/1.1\r\n${lines()}\r\n`],
        [/^HTTP\/1\.1 405 /, `DELETE /v1/status HTTP/1.1\r\n${lines()}\r\n`],
        [/^HTTP\/1\.1 200 /, `HEAD /v1/status HTTP/1.1\r\n${lines()}\r\n`],
        [/^HTTP\/1\.1 422 /, search(0)],
        [
          /^HTTP\/1\.1 422 /,
          `GET /v1/status HTTP/1.1\r\n${lines()}${lines()}\r\n`.replace("Host: a\r\n", ""),
        ],
        [/^HTTP\/1\.1 413 /, halfABody(99_999_999)],
        [/^HTTP\/1\.1 408 /, halfABody()],
      ];
      for (const [wanted, bytes] of cases) assert.match(await beginningOf(bytes), wanted);
      assert.equal(await settledAt(0, inFlight), 0);
      for (const bad of [0, 5, 299]) {
        state.bad = bad;
        const text = await beginningOf(search(50_000));
        assert.match(text, bad === 0 ? /^HTTP\/1\.1 503 / : /^HTTP\/1\.1 200 /);
        assert.equal(await settledAt(0, inFlight), 0);
      }
    });

    it("exclude requests answered immediately, however many a connection sends", async () => {
      const last = search(1).replace("Host: a", "Host: a\r\nConnection: close");
      // Number of pipelined requests that uWebSockets.js may answer in one call.
      const count = transport === "uws" ? PIPELINED_MAX : 40;
      const { text } = await sendRaw(server.port, search(1).repeat(count - 1) + last, 5_000);
      assert.equal(text.match(/HTTP\/1\.1 200 /g)?.length, count);
    });

    it("have a separate limit for a console user", async () => {
      const limit = { limits: { ...CONSOLE_LIMIT.limits, concurrent_requests: 2 } };
      const desk = await startConsole(transport, { limit });
      try {
        const { headers } = await desk.person("acme", "owner");
        const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const head = `HTTP/1.1\r\nHost: 127.0.0.1:${desk.port}\r\n${fields.join("")}`;
        const body = "Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{";
        const begun = [0, 1].map(() => {
          const socket = connect(desk.port, "127.0.0.1");
          socket.write(`POST /v1/console/accounts/search ${head}${body}`);
          return socket;
        });
        const last = async () => {
          const get = `GET /v1/console/status ${head}Connection: close\r\n\r\n`;
          return (await sendRaw(desk.port, get)).text;
        };
        for (let round = 0; round < 50 && !(await last()).includes(" 429 "); round++);
        assert.match(await last(), /"detail":"2 requests of the key are in flight/);
        for (const socket of begun) socket.destroy();
        for (let round = 0; round < 50 && !(await last()).includes(" 200 "); round++);
        assert.match(await last(), /^HTTP\/1\.1 200 /);
      } finally {
        await desk.close();
      }
    });
  });
}
