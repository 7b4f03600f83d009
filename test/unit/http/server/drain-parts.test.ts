/**
 * Proves for each transport without the rest of a server: while the server stops, every kind of
 * answer announces, once, that its connection ends. Answers that are ready while the port is being
 * closed are still sent. A connection without a request stays open for a limited time.
 * Connections that wait in the queue of a port when it is closed are all accepted, and (Linux) a
 * port that was shut accepts none. Does not prove: the same under load (e2e/server/drain.test.ts).
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { queuedConnections, refuseNewConnections } from "../../../../native-index/napi/engine.ts";
import { openTransport } from "../../../../src/http/server/server.ts";
import { queueEmptied } from "../../../../src/http/server/transport/drain.ts";
import type { Exchange } from "../../../../src/http/server/transport/transport.ts";
import { DelayedAnswers } from "../../../../src/http/server/transport/transport.ts";
import { sendRaw, TEST_LIMITS, TRANSPORTS } from "../../../support/http/fake.ts";

/** Status and body of the answer for each path. The paths cover every kind of answer. */
const KINDS: Readonly<Record<string, readonly [number, string | Uint8Array]>> = {
  "/small": [200, "a"],
  "/large": [200, new Uint8Array(200_000)],
  "/none": [204, ""],
  "/unchanged": [304, ""],
};

const CROWD_SIZE = 40;

/** Source of a thread that opens many clients with one request each, and reports outcomes. */
const CROWD = `
  const { parentPort, workerData: { port, count, made } } = require("node:worker_threads");
  const { connect } = require("node:net");
  const seen = { answered: 0, failed: 0 };
  for (let i = 0; i < count; i++) {
    let text = "";
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /small HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n");
    socket.on("connect", () => Atomics.add(made, 0, 1));
    socket.on("data", (chunk) => (text += chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      if (text.startsWith("HTTP/1.1 200 ")) seen.answered++;
      else seen.failed++;
      if (seen.answered + seen.failed === count) parentPort.postMessage(seen);
    });
  }
`;

/** Tries to connect and returns the outcome, which is a timeout after `waitMs`. */
function tried(port: number, waitMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const finish = (how: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(how);
    };
    const timer = setTimeout(() => finish("nothing"), waitMs);
    socket.on("connect", () => finish("connected"));
    socket.on("error", (error: NodeJS.ErrnoException) => finish(error.code ?? ""));
  });
}

for (const name of TRANSPORTS) {
  describe(`stopping over ${name}`, () => {
    const start = async () => {
      const transport = await openTransport(name, TEST_LIMITS);
      const answer = (exchange: Exchange) => {
        const [status, body] = KINDS[exchange.path] ?? [200, ""];
        exchange.send(status, [], body);
      };
      return { transport, port: await transport.listen({ host: "127.0.0.1", port: 0 }, answer) };
    };
    const send = (port: number, method: string, path: string) =>
      sendRaw(port, `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);

    it("sends Connection: close in every kind of answer, once, and not before", async () => {
      const { transport, port } = await start();
      const closes = async () => {
        const counts: number[] = [];
        for (const path of Object.keys(KINDS)) {
          for (const method of ["GET", "HEAD"]) {
            const { text } = await send(port, method, path);
            assert.match(text, /^HTTP\/1\.1 [23]/, `${method} ${path}`);
            counts.push(text.match(/\r\nconnection: close\r\n/gi)?.length ?? 0);
          }
        }
        return counts;
      };
      assert.deepEqual(new Set(await closes()), new Set([0]));
      transport.leave();
      assert.deepEqual(new Set(await closes()), new Set([1]));
      await transport.close(1_000);
    });

    it("answers clients queued at its port when it is closed", async () => {
      const { transport, port } = await start();
      const made = new Int32Array(new SharedArrayBuffer(4));
      const workerData = { port, count: CROWD_SIZE, made };
      const clients = new Worker(CROWD, { eval: true, workerData });
      const ended = new Promise((resolve) => clients.once("message", resolve));
      await new Promise((resolve) => clients.once("online", resolve));
      // This thread blocks until all clients have sent their requests, so every client waits.
      const untilMs = performance.now() + 30_000;
      for (let last = 0; last < CROWD_SIZE && performance.now() < untilMs; ) {
        Atomics.wait(made, 0, last, 100);
        last = Atomics.load(made, 0);
      }
      assert.equal(Atomics.load(made, 0), CROWD_SIZE);
      await transport.close(5_000);
      assert.deepEqual(await ended, { answered: CROWD_SIZE, failed: 0 });
      await clients.terminate();
    });

    it("leaves a silent connection open for a while, not until the deadline", async () => {
      const { transport, port } = await start();
      const socket = connect(port, "127.0.0.1");
      let closed = false;
      socket.on("close", () => {
        closed = true;
      });
      socket.resume();
      await sleep(100);
      const began = performance.now();
      const closing = transport.close(60_000);
      await sleep(200);
      assert.equal(closed, false);
      await closing;
      assert.ok(performance.now() - began < 30_000);
      await sleep(100);
      assert.equal(closed, true);
    });
  });
}

describe("a port", () => {
  it("accepts no connections after shut, and serves open ones", async (context) => {
    if (process.platform !== "linux") return context.skip("only Linux can shut a port");
    const server = createServer((socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const open = connect(port, "127.0.0.1");
    await new Promise((resolve) => open.once("connect", resolve));
    assert.equal(await tried(port, 500), "connected");
    assert.equal(refuseNewConnections(port), true);
    assert.equal(await tried(port, 200), "nothing");
    const late = tried(port, 5_000);
    await sleep(100);
    assert.equal(queuedConnections(port), 0);
    open.write("echo");
    const [echoed] = await once(open, "data");
    assert.equal(String(echoed), "echo");
    server.close();
    assert.equal(await late, "ECONNREFUSED");
    open.destroy();
  });

  it("cannot be shut without a listener", () => {
    assert.equal(refuseNewConnections(1), false);
    assert.equal(queuedConnections(1), 0);
  });

  it("is closed when its queue is empty, not before, but in time", async () => {
    let nowMs = 0;
    const sleep = async (ms: number) => {
      nowMs += ms;
    };
    const time = { nowMs: () => nowMs, sleep };
    let left = 12;
    await queueEmptied(() => left && --left, time);
    assert.equal(left, 0);
    const beganMs = nowMs;
    await queueEmptied(() => 1, time);
    assert.ok(nowMs - beganMs < 3_000);
  });
});

describe("held answers", () => {
  it("cut the one that cannot be sent and send the others", () => {
    const held = new DelayedAnswers();
    const seen: string[] = [];
    held.begin();
    for (const name of ["a", "b", "c"]) {
      const send = () => {
        if (name === "b") throw new Error("cannot be sent");
        seen.push(name);
      };
      assert.ok(held.keep({ send, cut: () => seen.push(`cut ${name}`) }));
    }
    held.end();
    assert.deepEqual(seen, ["a", "cut b", "c"]);
  });

  it("are sent at the end, in order, and nothing is held before and after", () => {
    const held = new DelayedAnswers();
    const sent: number[] = [];
    const send = (answer: number): void => {
      if (held.keep({ send: () => send(answer), cut: assert.fail })) return;
      sent.push(answer);
    };
    send(1);
    held.begin();
    send(2);
    send(3);
    assert.deepEqual(sent, [1]);
    held.end();
    assert.deepEqual(sent, [1, 2, 3]);
    send(4);
    held.end();
    assert.deepEqual(sent, [1, 2, 3, 4]);
  });
});
