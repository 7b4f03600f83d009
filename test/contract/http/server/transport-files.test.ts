/**
 * Proves, on both transports, how a file is sent. Each client takes one chunk of memory, however
 * slow it is. A client that reads nothing is disconnected after the write timeout. A client that
 * reads slowly or waits for the disk stays connected. The descriptor is closed however the answer
 * ends. A read error cuts the connection. A file that is removed during the answer arrives whole. A
 * stop of the server waits for running answers. contract/http/api/files.test.ts tests the answers
 * to file requests.
 */
import assert from "node:assert/strict";
import fs, {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openTransport } from "../../../../src/http/server/server.ts";
import { CHUNK_BYTES } from "../../../../src/http/server/transport/answer-body.ts";
import type { Exchange, Transport } from "../../../../src/http/server/transport/transport.ts";
import { TEST_LIMITS, TRANSPORTS } from "../../../support/http/fake.ts";
import {
  fetchFile,
  hashOf,
  openBelow,
  openForReading,
  patternBytes,
  settledAt,
} from "../../../support/http/file-fixture.ts";

const WRITE_TIMEOUT_MS = 800;
const LIMITS = { ...TEST_LIMITS, writeTimeoutMs: WRITE_TIMEOUT_MS };
const FILE = patternBytes(16 * 1024 * 1024 + 13);
const FILE_HASH = hashOf(FILE);

const folder = mkdtempSync(join(tmpdir(), "peneira-files-"));
const path = join(folder, "file");
writeFileSync(path, FILE);
after(() => rmSync(folder, { recursive: true }));

/** Bytes read through fs.read, and failed closes, in this process. */
const counted = { read: 0, badCloses: 0 };
/** Added delay of each read, in milliseconds. */
let readMs = 0;
const { read, close } = fs;
fs.read = ((...args: unknown[]) => {
  const done = args.pop() as (error: unknown, count: number, bytes: unknown) => void;
  return Reflect.apply(read, fs, [
    ...args,
    (error: unknown, count: number, bytes: unknown) => {
      counted.read += count;
      if (readMs === 0) done(error, count, bytes);
      else setTimeout(() => done(error, count, bytes), readMs);
    },
  ]);
}) as typeof fs.read;
fs.close = ((descriptor: number, done: (error: unknown) => void) =>
  close(descriptor, (error) => {
    if (error) counted.badCloses++;
    done(error);
  })) as typeof fs.close;
syncBuiltinESMExports();

/** File in which Linux lists connections, one per line, with addresses and state. */
const TCP_TABLE = "/proc/net/tcp";
const FIN_WAIT_1 = "04";

/** Returns how many bytes the closed sockets of a port still have to send to the client. */
function leftToSystem(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync(TCP_TABLE, "utf8").trim().split("\n").slice(1);
  const columns = rows.map((row) => row.trim().split(/\s+/));
  return columns.filter(([, from, , state]) => from?.endsWith(local) && state === FIN_WAIT_1)
    .length;
}

/** Sends a request and reads only the first bytes of its answer. */
async function pausedReader(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

for (const name of TRANSPORTS) {
  describe(`sending files over ${name}`, () => {
    let transport: Transport;
    let port: number;
    const slice = (length = FILE.length, offset = 0) => ({
      descriptor: openForReading(path),
      ...{ offset, length },
    });
    const whole = (exchange: Exchange) => exchange.send(200, [], slice());
    let handle: (exchange: Exchange) => void = whole;
    const closedAll = async () => {
      assert.equal(await settledAt(0, () => openBelow(folder)), 0, "descriptors are left open");
      assert.equal(counted.badCloses, 0, "a descriptor was closed twice");
    };
    before(async () => {
      transport = await openTransport(name, LIMITS);
      port = await transport.listen({ host: "127.0.0.1", port: 0 }, (exchange) => handle(exchange));
    });
    after(() => transport.close(0));

    it("delivers every byte, to many clients concurrently", async () => {
      handle = whole;
      const answers = await Promise.all(
        [0, 0, 0, 1].map((pauseMs) => fetchFile(port, "/", { pauseMs })),
      );
      for (const { body } of answers) assert.equal(hashOf(body), FILE_HASH);
      await closedAll();
    });

    it("sends exactly the slice, of any length around a chunk", async () => {
      const socket = connect(port, "127.0.0.1");
      for (const length of [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3_000_000]) {
        handle = (exchange) => exchange.send(206, [["X-A", "b"]], slice(length, 12_345));
        const { body, head } = await fetchFile(port, "/", { socket });
        assert.match(head, /^HTTP\/1.1 206 Partial Content\r\nX-A: b\r\n/i);
        assert.ok(body.equals(FILE.subarray(12_345, 12_345 + length)), `${length} bytes`);
      }
      socket.destroy();
      await closedAll();
    });

    it("holds one chunk for each client that does not read", async () => {
      handle = whole;
      const clients = 24;
      globalThis.gc?.();
      const before = process.memoryUsage().arrayBuffers;
      counted.read = 0;
      const sockets = await Promise.all(Array.from({ length: clients }, () => pausedReader(port)));
      // If the server read more than the clients take, all files would be in memory by now.
      await sleep(600);
      const held = process.memoryUsage().arrayBuffers - before;
      // Other bytes that were read are in the kernel's buffers, which have separate limits.
      assert.ok(counted.read < clients * 12 * 1024 * 1024, `${counted.read} bytes were read`);
      assert.ok(held < clients * 2 * CHUNK_BYTES + 8 * 1024 * 1024, `${held} bytes are held`);
      for (const socket of sockets) socket.destroy();
      await closedAll();
    });

    it("disconnects a client that reads nothing, and not before the limit", async () => {
      handle = whole;
      const socket = await pausedReader(port);
      const began = performance.now();
      const at = () => performance.now() - began;
      // Delay of this thread on a loaded machine. The server runs in this thread, so it is delayed
      // as well.
      let lateMs = 0;
      const nap = async (ms: number) => {
        const fromMs = at();
        await sleep(ms);
        lateMs += at() - fromMs - ms;
      };
      await nap(WRITE_TIMEOUT_MS * 0.7);
      assert.equal(openBelow(folder), 1, "cut off too early");
      while (openBelow(folder) > 0 && at() < 10 * WRITE_TIMEOUT_MS) await nap(20);
      // A socket is checked four times per timeout. Node's own timeout would take twice as long.
      const tookMs = at() - lateMs;
      assert.ok(tookMs < 1.85 * WRITE_TIMEOUT_MS, `cut off after ${tookMs} ms, ${lateMs} ms late`);
      // Only `node` resets the connection. The library of the other transport can only close it, so
      // the kernel continues to send the buffered bytes.
      if (name === "node" && existsSync(TCP_TABLE)) {
        assert.equal(await settledAt(0, () => leftToSystem(port)), 0, "the system still sends");
      }
      socket.destroy();
      await closedAll();
    });

    it("keeps a client that reads slowly but steadily", async () => {
      handle = whole;
      const began = performance.now();
      // The client reads 16 MiB in pieces of at most 64 KiB, 4 ms or more apart, which takes longer
      // than the write timeout.
      const { body } = await fetchFile(port, "/", { pauseMs: 4 });
      assert.equal(hashOf(body), FILE_HASH);
      assert.ok(performance.now() - began > WRITE_TIMEOUT_MS, "too fast to prove anything");
      await closedAll();
    });

    it("waits for a handler longer than for a client", async () => {
      handle = (exchange) => void setTimeout(() => whole(exchange), WRITE_TIMEOUT_MS + 600);
      assert.equal(hashOf((await fetchFile(port, "/")).body), FILE_HASH);
      await closedAll();
    });

    it("closes the file if clients leave before the start or in the middle", async () => {
      handle = (exchange) => void setTimeout(() => whole(exchange), 20);
      const leave = async (after: number) => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        if (after > 0) {
          let seen = 0;
          await new Promise<void>((resolve) => {
            socket.on("data", (chunk) => {
              seen += chunk.length;
              if (seen >= after) resolve();
            });
          });
        } else {
          await sleep(10);
        }
        socket.resetAndDestroy();
      };
      const places = Array.from({ length: 40 }, (_, at) => (at % 4) * 700_000);
      await Promise.all(places.map(leave));
      await closedAll();
    });

    it("closes the file of a queued request whose client leaves", async () => {
      handle = whole;
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3));
      await sleep(100);
      socket.destroy();
      await closedAll();
    });

    it("closes the file after HEAD, with the length in the head", async () => {
      handle = whole;
      const { head, body } = await fetchFile(port, "/", { method: "HEAD" });
      assert.match(head, new RegExp(`^content-length: ${FILE.length}$`, "im"));
      assert.equal(body.length, 0);
      await closedAll();
    });

    it("cuts the connection if the file ends early, and reports it once", async () => {
      const failures: Error[] = [];
      const shrunk = join(folder, "shrunk");
      for (const left of [0, 1_000_000]) {
        writeFileSync(shrunk, FILE.subarray(0, 2_000_000));
        const descriptor = openForReading(shrunk);
        truncateSync(shrunk, left);
        const failed = (error: Error) => void failures.push(error);
        const part = { descriptor, offset: 0, length: 2_000_000, failed };
        handle = (exchange) => exchange.send(200, [], part);
        const answer = await fetchFile(port, "/");
        assert.ok(!answer.whole, "the answer looks whole");
        assert.ok(answer.body.length <= left);
      }
      assert.equal(failures.length, 2);
    });

    it("does not count disk time against the client", async () => {
      // The client gets far fewer bytes per second than the limit requires, for twice the time
      // after which it would be disconnected. The only cause is the slow disk, so it stays
      // connected.
      const hurried = { ...LIMITS, minReadBytesPerSecond: 64 * 1024 * 1024 };
      const other = await openTransport(name, hurried);
      const send = (exchange: Exchange) => exchange.send(200, [], slice(8 * CHUNK_BYTES));
      const at = await other.listen({ host: "127.0.0.1", port: 0 }, send);
      readMs = WRITE_TIMEOUT_MS / 4;
      try {
        assert.equal((await fetchFile(at, "/")).body.length, 8 * CHUNK_BYTES);
      } finally {
        readMs = 0;
        await other.close(0);
      }
      await closedAll();
    });

    it("delivers a whole file that is removed meanwhile", async () => {
      const doomed = join(folder, "doomed");
      writeFileSync(doomed, FILE);
      const descriptor = openForReading(doomed);
      handle = (exchange) => exchange.send(200, [], { descriptor, offset: 0, length: FILE.length });
      const reading = fetchFile(port, "/", { pauseMs: 1 });
      await sleep(50);
      unlinkSync(doomed);
      assert.equal(hashOf((await reading).body), FILE_HASH);
    });
  });

  describe(`stopping over ${name} while files are sent`, () => {
    const start = async () => {
      const transport = await openTransport(name, LIMITS);
      const send = (exchange: Exchange) =>
        exchange.send(200, [], {
          ...{ descriptor: openForReading(path), offset: 0, length: FILE.length },
        });
      return { transport, port: await transport.listen({ host: "127.0.0.1", port: 0 }, send) };
    };

    it("waits until they are sent", async () => {
      const { transport, port } = await start();
      const reading = fetchFile(port, "/", { pauseMs: 1 });
      await sleep(100);
      await transport.close(10_000);
      assert.equal(hashOf((await reading).body), FILE_HASH);
      assert.equal(await settledAt(0, () => openBelow(path)), 0);
    });

    it("closes them at the deadline", async () => {
      const { transport, port } = await start();
      const socket = await pausedReader(port);
      const began = performance.now();
      await transport.close(300);
      assert.ok(performance.now() - began < 1_000);
      assert.equal(await settledAt(0, () => openBelow(path)), 0);
      assert.equal(counted.badCloses, 0);
      socket.destroy();
    });
  });
}
