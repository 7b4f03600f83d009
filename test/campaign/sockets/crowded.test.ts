/**
 * Proves, by counts, on real sockets of both transports and of the metrics: a connection with
 * thousands of requests in flight is served only in its turn, and a few requests in flight are
 * answered in order. If a client does not read, the server stops working for it. Idle connections
 * are replaced. Addresses and tenants are limited to their shares. Health checks are always
 * answered.
 * Does not prove: how long others wait, nor which connections `Sockets` closes (sockets.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ExportWaits } from "../../../src/http/server/admission.ts";
import { startMetricsServer } from "../../../src/http/server/metricsserver.ts";
import type { RunningServer } from "../../../src/http/server/server.ts";
import { Telemetry } from "../../../src/http/server/telemetry.ts";
import { PIPELINED_MAX } from "../../../src/http/server/transport/sockets.ts";
import { openLog } from "../../../src/process/log.ts";
import { make } from "../../support/http/export-requests.ts";
import { type FakeServer, startFake, TEST_LIMITS, TRANSPORTS } from "../../support/http/fake.ts";
import * as attacks from "../../support/sockets/attacks.ts";

const { crowd, flood, get, numbered, sendAndRead } = attacks;

/** Limits of time that are so high that no client is closed for being slow. */
const LIMITS = {
  ...TEST_LIMITS,
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  writeTimeoutMs: 60_000,
  socketsMax: 40,
};

const ONES_OWN = "127.0.0.1";
const OTHER = "127.0.0.2";

/** Number of bytes in each flood. FLOODS lists the requests that fill them. */
const FLOOD_BYTES = 512 * 1024;
const FLOODS: readonly (readonly [name: string, path: string, lines: string, status: number])[] = [
  ["a page", "/docs/errors", "", 200],
  ["health", "/healthz", "", 200],
  ["what is not there", "/nope", "", 404],
  ["what needs a key", "/v1/status", "", 401],
  ["what has one", "/v1/status", "Authorization: Bearer KEY\r\n", 200],
];

const ASKED = get("/healthz");

const inOrder = (ids: readonly string[]) =>
  assert.equal(ids.join(), [...ids.keys()].map((n) => `n${n}`).join());
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

async function until(what: () => boolean, message: () => string): Promise<void> {
  for (let round = 0; round < 500 && !what(); round++) await sleep(10);
  assert.ok(what(), message());
}

for (const transport of TRANSPORTS) {
  describe(`a connection over ${transport} with many requests in flight`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, {}, LIMITS);
    });
    after(() => server.close());

    const target = () => ({ port: server.port });
    const handled = () => server.logged.filter((line) => line.includes('"msg":"request"')).length;
    const withKey = (lines: string) => lines.replace("KEY", server.keys.enterprise);

    for (const [name, path, lines, status] of FLOODS) {
      it(`is answered in order for a handful of requests: ${name}`, async () => {
        const count = 12;
        const bytes = numbered(count, path, withKey(lines));
        const { statuses, ids } = await sendAndRead(target(), bytes, { enough: count });
        assert.deepEqual(statuses, Array(count).fill(status));
        inOrder(ids);
      });

      it(`gets one turn and no more: ${name}`, async () => {
        const before = handled();
        const count = 120;
        const bytes = numbered(count, path, withKey(lines));
        const answers = await sendAndRead(target(), bytes, { enough: count, waitMs: 10_000 });
        const { statuses, ids, closed, text } = answers;
        inOrder(ids);
        if (transport === "node") {
          assert.deepEqual(statuses, Array(count).fill(status));
          return;
        }
        assert.ok(closed, "it is still open");
        assert.equal(statuses.at(-1), 503);
        assert.match(text, /"code":"overloaded".*came at once on this connection/);
        assert.ok(statuses.slice(0, -1).every((one) => one === status));
        // The bytes may arrive in two pieces, each of which the server handles in a separate turn.
        assert.ok(statuses.length >= 12 && statuses.length <= 3 * PIPELINED_MAX);
        assert.equal(handled() - before, statuses.length, "more was handled than was answered");
      });
    }

    it("stops the server's work if it does not read", async () => {
      const before = handled();
      const bytes = flood(FLOOD_BYTES, get("/docs/errors"));
      const crowds = await crowd(target(), 4, { bytes, reading: false });
      for (let others = 0; others < 20; others++) {
        const { statuses } = await sendAndRead(target(), get("/healthz"), { enough: 1 });
        assert.deepEqual(statuses, [200]);
      }
      let count = handled();
      const rests = async () => {
        const last = count;
        await sleep(300);
        count = handled();
        return count === last;
      };
      while (!(await rests())) assert.ok(count - before < 20_000, `${count - before} are answered`);
      crowds.close();
    });

    it("gets no more answers if it keeps sending a little and does not read", async () => {
      const before = handled();
      const [socket] = (await crowd(target(), 1, { reading: false })).sockets;
      assert(socket !== undefined);
      for (let sent = 0; sent < 1_800 && !socket.destroyed; sent += 12) {
        socket.write(numbered(12, "/docs/errors"));
        await sleep(1);
      }
      await sleep(100);
      assert.ok(handled() - before < 1_200, `${handled() - before} are answered`);
      const { statuses } = await sendAndRead(target(), ASKED, { enough: 1 });
      assert.deepEqual(statuses, [200]);
      socket.destroy();
    });

    it("gets no answer after one that closes the connection", async () => {
      const before = handled();
      const twice = "Authorization: Bearer a\r\n".repeat(2);
      const bytes = get("/healthz", twice) + numbered(5, "/healthz");
      const { statuses, closed } = await sendAndRead(target(), bytes);
      assert.deepEqual([statuses, closed], [[422], true]);
      assert.equal(handled() - before, 1);
    });

    it("gets one rejection of bytes that are not an HTTP/1.1 request", async () => {
      const bytes = flood(60_000, "GET /a HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
      const { statuses, closed } = await sendAndRead(target(), bytes);
      assert.deepEqual([statuses, closed], [[505], true]);
    });

    it("may send a body after its requests, and more requests after that", async () => {
      // In a head, a line like this one contains a byte that is repaired. In a body, the byte must
      // stay unchanged.
      const warnings = '"warnings":[\r\n{"a":"\x7f"}]';
      const body = `{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}},"explain":{${warnings}}}}`;
      const padded = body.padEnd(100_000);
      const post =
        "POST /v1/spec/normalize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
        `Authorization: Bearer ${server.keys.enterprise}\r\n` +
        `Content-Length: ${padded.length}\r\n\r\n${padded}`;
      // On the uws transport, a request that takes longer than a few milliseconds ends its
      // connection, so no request follows it here. See docs/limits.md.
      const behind = transport === "uws" ? "" : numbered(2, "/healthz");
      const wanted = Array(transport === "uws" ? 3 : 5).fill(200);
      const bytes = numbered(2, "/healthz") + post + behind;
      const { statuses, text } = await sendAndRead(target(), bytes, { enough: wanted.length });
      assert.deepEqual(statuses, wanted);
      assert.ok(text.includes('{"a":"\x7f"}'), text);
    });
  });

  describe(`connections over ${transport}`, () => {
    let server: FakeServer;
    let held: attacks.StreamLimit[] = [];
    before(async () => {
      const waits = new ExportWaits(1_000);
      server = await startFake(transport, { waits }, { ...LIMITS, trustedProxies: ONES_OWN });
    });
    after(() => server.close());

    const hold = async (from: string, count: number, bytes = "") => {
      const one = await crowd({ port: server.port, from }, count, { bytes });
      held.push(one);
      return one;
    };
    const release = async () => {
      for (const one of held) one.close();
      held = [];
      await until(
        // The connection over which the exports were created may still be open.
        () => server.sockets.open <= 1,
        () => `${server.sockets.open} are left`,
      );
    };
    const request = async (path: string, from = ONES_OWN) => {
      const answers = await sendAndRead({ port: server.port, from }, get(path), { enough: 1 });
      return answers;
    };
    const poll = async () => {
      const key = `Authorization: Bearer ${server.keys.enterprise}\r\n`;
      return get(`/v1/exports/${await make(server)}?wait=60`, key);
    };
    const busy = (count: number) =>
      until(
        () => server.sockets.busy === count,
        () => `${server.sockets.busy} ask`,
      );

    it("are closed for new connections if idle", async () => {
      const used = await hold(ONES_OWN, 5, get("/healthz"));
      await until(
        () => used.sockets.every(({ bytesRead }) => bytesRead > 0),
        () => "not all of them are answered",
      );
      const silent = await hold(ONES_OWN, 100);
      assert.deepEqual((await request("/v1/status")).statuses, [401]);
      await until(
        () => silent.closed() >= 65,
        () => `${silent.closed()} of the idle ones are closed`,
      );
      assert.equal(used.closed(), 0, "a used connection was closed before unused ones");
      assert.ok(server.sockets.open <= 40);
      await release();
    });

    it("leave room for health checks when all are active", async () => {
      await hold(ONES_OWN, 35, await poll());
      await busy(35);
      await hold(ONES_OWN, 30);
      const refused = await request("/v1/status");
      assert.deepEqual(refused.statuses, [503]);
      assert.match(refused.text, /"code":"overloaded"/);
      for (const path of ["/healthz", "/readyz", "/healthz"]) {
        assert.deepEqual((await request(path)).statuses, [200], path);
      }
      assert.equal(server.sockets.busy, 35, "one that asks was closed");
      await release();
    });

    it("of one address are limited to its share, idle or active", async () => {
      const silent = await hold(OTHER, 20);
      await until(
        () => silent.closed() === 15,
        () => `${silent.closed()} are closed`,
      );
      await release();
      await hold(OTHER, 5, await poll());
      await busy(5);
      const refused = await request("/v1/status", OTHER);
      assert.deepEqual(refused.statuses, [503]);
      assert.match(refused.text, /More than 5 connections of your address/);
      assert.deepEqual((await request("/healthz", OTHER)).statuses, [200]);
      assert.deepEqual((await request("/v1/status", "127.0.0.3")).statuses, [401]);
      await release();
    });

    it("are counted correctly when hundreds open and close", async () => {
      for (let round = 0; round < 5; round++) {
        await Promise.all([hold(ONES_OWN, 15, get("/healthz")), hold("127.0.0.4", 5)]);
        await release();
      }
      assert.equal(server.sockets.busy, 0);
    });
  });

  describe(`hundreds of connections over ${transport}`, () => {
    it("are answered repeatedly, and closed with the server", async () => {
      const server = await startFake(transport, {}, { ...LIMITS, socketsMax: 400 });
      const target = { port: server.port };
      const held: attacks.StreamLimit[] = [];
      // Opens at most the number of connections at the same time that the server accepts right
      // after its start.
      for (let part = 0; part < 6; part++) held.push(await crowd(target, 50, { bytes: ASKED }));
      const sockets = held.flatMap((one) => one.sockets);
      const answeredOf = (bytes: number) =>
        until(
          () => sockets.every(({ bytesRead }) => bytesRead > bytes),
          () => `${sockets.filter(({ bytesRead }) => bytesRead <= bytes).length} are not answered`,
        );
      await answeredOf(0);
      const [{ bytesRead } = { bytesRead: 0 }] = sockets;
      for (const socket of sockets) socket.write(ASKED);
      await answeredOf(bytesRead);
      await until(
        () => server.sockets.busy === 0,
        () => `${server.sockets.busy} ask`,
      );
      assert.equal(server.sockets.open, 300);
      assert.equal(sum(held.map(({ closed }) => closed())), 0);
      await server.close();
      await until(
        () => sum(held.map(({ closed }) => closed())) === 300,
        () => `${sum(held.map(({ closed }) => closed()))} are closed`,
      );
      assert.equal(server.sockets.open, 0);
    });
  });

  describe(`requests over ${transport} that wait for exports`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, { waits: new ExportWaits(3) });
    });
    after(() => server.close());

    it("are limited per tenant; further ones get a retry time", async () => {
      const id = await make(server);
      const wait = (plan: "enterprise" | "free", path = `/v1/exports/${id}?wait=60`) =>
        fetch(server.base + path, { headers: { authorization: `Bearer ${server.keys[plan]}` } });
      const waiting = [wait("enterprise"), wait("enterprise"), wait("enterprise")];
      await until(
        () => server.exporter.waiting === 3,
        () => `${server.exporter.waiting} wait`,
      );
      const refused = await wait("enterprise");
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "5"]);
      assert.match(await refused.text(), /"code":"rate_limited".*3 requests of yours wait/);
      assert.equal((await wait("enterprise", `/v1/exports/${id}`)).status, 200);
      assert.equal((await wait("free")).status, 404);
      server.exporter.finish(id, Buffer.from("x"));
      assert.deepEqual(
        (await Promise.all(waiting)).map(({ status }) => status),
        [200, 200, 200],
      );
      assert.equal((await wait("enterprise")).status, 200);
    });
  });
}

describe("a body after the maximum number of requests in flight over node", () => {
  let server: FakeServer;
  before(async () => {
    const limits = { ...TEST_LIMITS, headersTimeoutMs: 300, requestTimeoutMs: 600 };
    server = await startFake("node", {}, limits);
  });
  after(() => server.close());

  it("is read before those are answered, so that it does not time out", async () => {
    const id = await make(server);
    const key = `Authorization: Bearer ${server.keys.enterprise}\r\n`;
    const body = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"limit":1}';
    const search =
      `POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\n${key}` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const polls = get(`/v1/exports/${id}?wait=60`, key).repeat(PIPELINED_MAX - 1);
    const answers = sendAndRead({ port: server.port }, polls + search + ASKED, { enough: 17 });
    await sleep(1_500);
    server.exporter.finish(id, Buffer.from("x"));
    assert.deepEqual((await answers).statuses, Array(17).fill(200));
  });
});

describe("the metrics on a separate address", () => {
  const telemetry = new Telemetry(openLog("silent"));
  let texts = 0;
  let server: RunningServer;
  before(async () => {
    const counted = { gathered: () => `${texts++}`.padEnd(8_000) };
    server = await startMetricsServer(counted, { host: ONES_OWN, port: 0 }, LIMITS);
  });
  after(async () => {
    await server.close(100);
    telemetry.close();
  });

  it("are answered in order to a client that sends many requests", async () => {
    const count = 200;
    const address = { port: server.port };
    const { statuses, text } = await sendAndRead(address, numbered(count, "/metrics"), {
      enough: count,
    });
    assert.deepEqual(statuses, Array(count).fill(200));
    const bodies = [...text.matchAll(/\r\n\r\n(\d+) /g)].map(([, body]) => Number(body));
    assert.deepEqual(
      bodies,
      bodies.map((_, n) => n),
    );
  });

  it("are not rendered for clients that do not read, and reach the others", async () => {
    const before = texts;
    const bytes = flood(FLOOD_BYTES, get("/metrics"));
    const held = await crowd({ port: server.port }, 4, { bytes, reading: false });
    for (let others = 0; others < 20; others++) {
      const { statuses } = await sendAndRead({ port: server.port }, get("/metrics"), { enough: 1 });
      assert.deepEqual(statuses, [200]);
    }
    await sleep(500);
    const whole = sum([4 * Math.floor(bytes.length / get("/metrics").length)]);
    assert.ok(texts - before < whole / 10, `${texts - before} of ${whole} were made`);
    held.close();
  });

  it("close idle connections to accept new ones", async () => {
    const held = await crowd({ port: server.port }, 100);
    const { statuses } = await sendAndRead({ port: server.port }, get("/metrics"), { enough: 1 });
    assert.deepEqual(statuses, [200]);
    await until(
      () => held.closed() >= 60,
      () => `${held.closed()} are closed`,
    );
    held.close();
  });
});
