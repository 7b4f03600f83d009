/**
 * Proves, on invented times, when a client counts as late because it reads more slowly than the
 * minimum pace. A client that meets the pace is never late, regardless of the size of its steps. A
 * client that reads nothing is late after the write timeout, and a slow client some time later.
 * Time without pending bytes, between rare checks, or while the next chunk is rendered does not
 * count. The system reports the pending bytes of a socket.
 * Does not prove what the transports report about a client (campaign/sockets/slow-readers.test.ts).
 */
import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { unsentBytes } from "../../../../native-index/napi/engine.ts";
import type { PulledBody } from "../../../../src/http/server/transport/answer-body.ts";
import { ReadCredit } from "../../../../src/http/server/transport/readspeed.ts";
import {
  type ChunkedResponse,
  UwsChunks,
} from "../../../../src/http/server/transport/uws-chunks.ts";
import { settledAt } from "../../../support/http/file-fixture.ts";

const LIMITS = { writeTimeoutMs: 30_000, minReadBytesPerSecond: 16_384 };

/**
 * Checks the pace at the interval that a transport uses while bytes are pending. Returns the first
 * time at which the client is late, or null if it is never late.
 */
function lateAfter(takenAt: (nowMs: number) => number, untilMs: number): number | null {
  const pace = new ReadCredit(LIMITS);
  pace.offered(0);
  for (let nowMs = pace.checkMs; nowMs <= untilMs; nowMs += pace.checkMs) {
    pace.took(takenAt(nowMs), nowMs);
    if (pace.late(nowMs)) return nowMs;
  }
  return null;
}

describe("the minimum pace", () => {
  it("is met by a steady reader, in steps of up to half of the averaging window", () => {
    const step = fc.integer({ min: 1, max: 240_000 });
    fc.assert(
      fc.property(step, fc.integer({ min: 16_400, max: 1e7 }), (bytes, perSecond) => {
        let given = 0;
        const takenAt = (nowMs: number) => {
          const steps = Math.floor(((nowMs / 1_000) * perSecond) / bytes);
          const taken = steps * bytes - given;
          given = steps * bytes;
          return taken;
        };
        assert.equal(lateAfter(takenAt, 600_000), null);
      }),
    );
  });

  it("is missed by a reader that stops for the write timeout, also after a good start", () => {
    assert.equal(
      lateAfter(() => 0, 120_000),
      30_000,
    );
    assert.equal(
      lateAfter((nowMs) => (nowMs <= 60_000 ? 1e8 : 0), 240_000),
      90_000,
    );
  });

  it("is missed by slower readers, the slower the sooner", () => {
    const least = LIMITS.minReadBytesPerSecond;
    const late = [0.9, 0.5, 0.1].map((part) => lateAfter(() => 2 * least * part, 1_000_000) ?? 0);
    assert.deepEqual(late, [300_000, 60_000, 34_000]);
  });

  it("does not count time without pending bytes", () => {
    const pace = new ReadCredit(LIMITS);
    for (let nowMs = 0; nowMs < 600_000; nowMs += 1_000) {
      pace.offered(nowMs);
      pace.took(1, nowMs + 20);
      pace.drained(nowMs + 20);
      assert.equal(pace.late(nowMs + 20), false);
      assert.equal(pace.late(nowMs + 999), false);
    }
  });

  it("counts no more than the time between two checks if the server was busy", () => {
    const pace = new ReadCredit(LIMITS);
    pace.offered(0);
    for (let look = 1; look < 15; look++) assert.equal(pace.late(look * 60_000), false);
    assert.equal(pace.late(15 * 60_000), true);
  });
});

describe("the system", () => {
  it("reports how many bytes of a socket are pending, and nothing for other files", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
    const socket = await accepted;
    try {
      const { fd } = (socket as unknown as { readonly _handle: { readonly fd: number } })._handle;
      assert.equal(unsentBytes(fd), 0);
      socket.write(Buffer.alloc(16 * 1024 * 1024));
      await sleep(50);
      if (process.platform === "linux") assert.ok(unsentBytes(fd) > 0);
      client.resume();
      assert.equal(await settledAt(0, () => socket.writableLength + unsentBytes(fd)), 0);
      assert.deepEqual([unsentBytes(-1), unsentBytes(1_000_000)], [0, 0]);
    } finally {
      client.destroy();
      socket.destroy();
      server.close();
    }
  });
});

/**
 * Returns a client whose bytes all stay in the library's buffer, and a source that delivers a chunk
 * when the test calls it.
 */
function chunksOf() {
  let closed = false;
  let done: ((chunk: Uint8Array | null) => void) | null = null;
  const response: ChunkedResponse = {
    write: () => false,
    end: () => {},
    onWritable: () => {},
    cork: (write) => write(),
    close: () => {
      closed = true;
      chunks.end();
    },
  };
  const source: PulledBody = {
    ...{ length: null, left: Number.POSITIVE_INFINITY, end: () => {} },
    next: (forwarded) => {
      done = forwarded;
    },
  };
  let slow = 0;
  const tooSlow = () => slow++;
  const sending = { writeTimeoutMs: 100, minReadBytesPerSecond: 1_000, settled: () => {}, tooSlow };
  const chunks = new UwsChunks(response, source, sending);
  const bring = () => {
    const forwarded = done;
    done = null;
    forwarded?.(Buffer.alloc(100_000));
  };
  return {
    bring,
    begin: () => chunks.begin(() => {}),
    closed: () => closed,
    slow: () => slow,
    end: () => chunks.end(),
  };
}

describe("a body of chunks", () => {
  it("does not count the time to render its next chunk, but all other time", async () => {
    const chunks = chunksOf();
    after(() => chunks.end());
    chunks.begin();
    // The library buffers this chunk while the next is still rendered.
    chunks.bring();
    await sleep(400);
    assert.equal(chunks.closed(), false);
    chunks.bring();
    for (let round = 0; round < 100 && !chunks.closed(); round++) await sleep(10);
    assert.deepEqual([chunks.closed(), chunks.slow()], [true, 1]);
  });
});
