/**
 * Proves: over both transports, a turn of the event loop receives a bounded part of a body that a
 * thread sends as fast as possible. The kernel's receive buffer of a connection can be bounded. If
 * a request waits twice before its body is read, the body still arrives whole.
 * Invariant: bytes are counted, not time. A body that is read slowly arrives whole.
 */
import { strict as assert } from "node:assert";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { limitReceiveBuffer } from "../../../../native-index/napi/engine.ts";
import { openTransport } from "../../../../src/http/server/server.ts";
import { TEST_LIMITS, TRANSPORTS } from "../../../support/http/fake.ts";

const BODY_BYTES = 24_000_000;
/** Upper bound for a turn: two reads of a transport, plus bytes that may arrive between them. */
const TURN_BYTES_MAX = 1_200_000;
/** Milliseconds of work for each received chunk, more than the sender needs for the next chunk. */
const CHUNK_MS = 3;

/** A thread that sends a body of zeros and reports the answer. */
const SENDER = `
  const { parentPort, workerData: { port, bytes } } = require("node:worker_threads");
  const socket = require("node:net").connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += chunk));
  socket.on("close", () => parentPort.postMessage(text));
  socket.write("POST / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n");
  socket.write("Content-Length: " + bytes + "\\r\\n\\r\\n");
  socket.write(Buffer.alloc(bytes));
`;

/** Counts the body bytes that arrive in each turn of the event loop. */
class TimeSlices {
  readonly bytes: number[] = [];
  #open = false;

  add(chunk: Uint8Array): void {
    if (!this.#open) {
      this.#open = true;
      this.bytes.push(0);
      setImmediate(() => {
        this.#open = false;
      });
    }
    this.bytes[this.bytes.length - 1] = (this.bytes.at(-1) as number) + chunk.byteLength;
    for (const until = performance.now() + CHUNK_MS; performance.now() < until; );
  }

  get whole(): number {
    return this.bytes.reduce((sum, bytes) => sum + bytes, 0);
  }
}

for (const name of TRANSPORTS) {
  describe(`a body over ${name} that arrives faster than it is read`, () => {
    it("leaves turns of the event loop to others", async () => {
      const transport = await openTransport(name, { ...TEST_LIMITS, requestTimeoutMs: 30_000 });
      const taker = new TimeSlices();
      const port = await transport.listen({ host: "127.0.0.1", port: 0 }, (exchange) => {
        exchange.body({
          ...{ limitBytes: BODY_BYTES, sender: "a", taker },
          read: () => exchange.send(200, [], String(taker.whole)),
        });
      });
      const sender = new Worker(SENDER, { eval: true, workerData: { port, bytes: BODY_BYTES } });
      const [text] = (await once(sender, "message")) as [string];
      assert.match(text, new RegExp(`\\r\\n${BODY_BYTES}\\b`));
      const most = Math.max(...taker.bytes);
      if (process.platform === "linux") assert.ok(most <= TURN_BYTES_MAX, `${most} in one turn`);
      await sender.terminate();
      await transport.close(1_000);
    });
  });
}

for (const name of TRANSPORTS) {
  it(`keeps a body over ${name} for a request that waits twice`, async () => {
    const transport = await openTransport(name, { ...TEST_LIMITS, requestTimeoutMs: 2_000 });
    const port = await transport.listen({ host: "127.0.0.1", port: 0 }, (exchange) => {
      void (async () => {
        for (let time = 0; time < 2; time++) {
          exchange.keepBody();
          await sleep(50);
        }
        exchange.body({
          ...{ limitBytes: BODY_BYTES, sender: "a", taker: undefined },
          read: (body) => exchange.send(200, [], Buffer.from(body)),
        });
      })();
    });
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "whole" });
    assert.deepEqual([answer.status, await answer.text()], [200, "whole"]);
    await transport.close(1_000);
  });
}

describe("an upload over uws", () => {
  const limits = { ...TEST_LIMITS, requestTimeoutMs: 500 };
  const [parts, part] = [12, Buffer.alloc(16_384)];

  /** Uploads parts, one each 100 ms, and returns the answer. */
  const upload = async (isStreamed: boolean) => {
    const transport = await openTransport("uws", limits);
    const taker = { add: () => {} };
    const port = await transport.listen({ host: "127.0.0.1", port: 0 }, (exchange) => {
      const body = { limitBytes: BODY_BYTES, sender: "a", ...(isStreamed ? { taker } : {}) };
      exchange.body({ ...body, read: () => exchange.send(200, [], "all") });
    });
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.on("error", () => {});
    const length = parts * part.length;
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
    for (let sent = 0; sent < parts && text === ""; sent++) {
      await sleep(100);
      socket.write(part);
    }
    while (text === "" && !socket.destroyed) await sleep(10);
    socket.destroy();
    await transport.close(1_000);
    return text;
  };

  it("may take longer than a request if its client keeps sending", async () => {
    assert.match(await upload(true), /^HTTP\/1\.1 200 /);
  });

  it("gets no such time for a body that is read as a whole", async () => {
    assert.match(await upload(false), /^HTTP\/1\.1 408 /);
  });
});

describe("the kernel's receive buffer of a connection", {
  skip: process.platform !== "linux",
}, () => {
  it("is bounded for connections accepted after the limit is set", async () => {
    const server = createServer({ pauseOnConnect: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const sent = async () => {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      for (let idle = 0, last = 0; idle < 5; await sleep(20)) {
        if (socket.writableLength === 0) socket.write(Buffer.alloc(65_536));
        idle = socket.bytesWritten === last ? idle + 1 : 0;
        last = socket.bytesWritten;
      }
      const taken = socket.bytesWritten - socket.writableLength;
      socket.destroy();
      return taken;
    };
    const before = await sent();
    assert.equal(limitReceiveBuffer(port, 4_096), true);
    const after = await sent();
    assert.ok(after < before - 1_000_000, `${after} bytes were taken, ${before} before`);
    server.close();
  });

  it("is not limited without a listener", () => {
    assert.equal(limitReceiveBuffer(1, 4_096), false);
  });
});
