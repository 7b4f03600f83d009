/**
 * Proves, on both transports on real sockets: clients that take too long are disconnected within
 * the limit that applies to them, and release everything. These clients are slow or missing heads,
 * slow bodies, idle sockets, and half-closed connections. Slow clients within the limits are
 * answered. uWebSockets.js has its own limits for heads and idle sockets, about 10 s. Clients that
 * do not read are tested in contract/http/server/streams.test.ts and
 * contract/http/server/transport-files.test.ts.
 */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type FakeServer, startFake, TEST_LIMITS, TRANSPORTS } from "../../support/http/fake.ts";
import { settledAt } from "../../support/http/file-fixture.ts";

const LIMITS = {
  ...TEST_LIMITS,
  headersTimeoutMs: 1_000,
  requestTimeoutMs: 2_000,
  idleTimeoutMs: 1_500,
};

/** Maximum milliseconds until uWebSockets.js closes a connection. It checks every 4 s. */
const UWS_MS = 16_000;
/** Tolerance for late timers, in milliseconds, because a test cannot measure time precisely. */
const LATE_MS = 3_000;

const BODY = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"limit":1}';

for (const transport of TRANSPORTS) {
  const own = (ms: number) => (transport === "uws" ? UWS_MS : ms + LATE_MS);

  describe(`slow clients over ${transport}`, { concurrency: true }, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, {}, LIMITS);
    });
    after(async () => {
      assert.equal(await settledAt(0, () => server.bodies.used), 0, "bodies are left behind");
      await server.close();
    });

    const post = () =>
      "POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
      `Authorization: Bearer ${server.keys.free}\r\nContent-Length: ${BODY.length}\r\n\r\n`;

    /** Opens a socket that writes `bytes`, then one more byte of `slowly` every 150 ms. */
    const open = (bytes: string, slowly = ""): { socket: Socket; seen: { text: string } } => {
      const seen = { text: "" };
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        seen.text += chunk.toString();
      });
      socket.write(bytes);
      let at = 0;
      const timer = setInterval(() => {
        if (at < slowly.length && socket.writable) socket.write(slowly[at++] as string);
      }, 150);
      socket.on("close", () => clearInterval(timer));
      return { socket, seen };
    };

    /** Returns the time until the server closes a socket. */
    const closedAfter = async (socket: Socket): Promise<number> => {
      const began = performance.now();
      await new Promise((resolve) => socket.once("close", resolve));
      return performance.now() - began;
    };

    const endless = "X-A: b\r\n".repeat(1_000);

    it("are closed if they send nothing", async () => {
      const { socket } = open("");
      assert.ok((await closedAfter(socket)) < own(LIMITS.writeTimeoutMs));
    });

    it("are closed if they send their head byte by byte", async () => {
      const { socket, seen } = open("GET /healthz HTTP/1.1\r\nHost: a\r\n", endless);
      assert.ok((await closedAfter(socket)) < own(LIMITS.headersTimeoutMs + 1_000));
      assert.ok(seen.text === "" || seen.text.startsWith("HTTP/1.1 408 "), seen.text);
    });

    it("are closed if they stop in the head after an answer", async () => {
      const { socket, seen } = open("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /hea");
      assert.ok((await closedAfter(socket)) < own(LIMITS.writeTimeoutMs));
      assert.match(seen.text, /^HTTP\/1\.1 200 /);
    });

    it("get 408 in time if they send their body byte by byte, and leave nothing", async () => {
      const { socket, seen } = open(post(), BODY);
      assert.ok(BODY.length * 150 > 2 * LIMITS.requestTimeoutMs, "too fast to prove anything");
      const took = await closedAfter(socket);
      assert.ok(took > LIMITS.requestTimeoutMs - 1_500, `closed after ${took} ms`);
      assert.ok(took < LIMITS.requestTimeoutMs + 1_000 + LATE_MS, `closed after ${took} ms`);
      assert.match(seen.text, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    });

    it("get 408 in time if they stop in their body", async () => {
      const { socket, seen } = open(post() + BODY.slice(0, 9));
      assert.ok((await closedAfter(socket)) < LIMITS.requestTimeoutMs + 1_000 + LATE_MS);
      assert.match(seen.text, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    });

    it("are answered if they are slow but within the limits", async () => {
      const { socket, seen } = open(post() + BODY.slice(0, -5), BODY.slice(-5));
      await settledAt(1, () => Number(seen.text.endsWith("}")));
      assert.match(seen.text, /^HTTP\/1\.1 200 /);
      socket.destroy();
    });

    it("are closed if they send no further request", async () => {
      const { socket, seen } = open("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
      assert.ok((await closedAfter(socket)) < own(LIMITS.idleTimeoutMs + 1_000));
      assert.match(seen.text, /^HTTP\/1\.1 200 /);
    });

    it("are closed immediately if they half-close before a complete request", async () => {
      for (const bytes of ["", "GET /hea", post() + BODY.slice(0, 9)]) {
        const { socket } = open(bytes);
        await sleep(50);
        socket.end();
        assert.ok((await closedAfter(socket)) < LATE_MS, bytes);
      }
    });

    it("leave nothing if they vanish in the middle of their body", async () => {
      const { socket } = open(post() + BODY.slice(0, 9));
      await sleep(100);
      socket.resetAndDestroy();
      assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
    });
  });
}
