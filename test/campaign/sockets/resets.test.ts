/**
 * Proves that clients that disconnect abruptly never end the process or lock out others. They reset
 * the connection after each byte of a request with every method, reset it repeatedly after CONNECT,
 * or hold CONNECT open, on both transports and on the metrics listener. Afterwards, the server is
 * the same process and answers others.
 * Does not prove the same for other sequences of bytes (contract/http/server/malformed.test.ts and
 * the campaign of sockets).
 */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startMetricsServer } from "../../../src/http/server/metricsserver.ts";
import type { RunningServer } from "../../../src/http/server/server.ts";
import {
  type FakeServer,
  sendRaw,
  startFake,
  TEST_LIMITS,
  TRANSPORTS,
} from "../../support/http/fake.ts";
import {
  ALL_METHODS,
  holdOpen,
  requestOf,
  resetAfterEveryByte,
} from "../../support/sockets/resets.ts";

/** Number of resets after a complete CONNECT. A former defect needed 2 to 36 of them. */
const RESETS = 300;
/** Number of clients that connect at the same moment. */
const CROWD = 300;
/** Number of sockets that are held open. */
const HELD = 400;
/** Milliseconds within which a refused tunnel must be closed on a busy machine. */
const CLOSED_MS = 20_000;

/** A listener and a request that it answers. */
interface Listener {
  readonly port: number;
  readonly question: string;
}

async function answers({ port, question }: Listener): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${question}`);
  await answer.arrayBuffer();
  return answer.status;
}

async function allClosed(sockets: readonly Socket[]): Promise<number> {
  const end = Date.now() + CLOSED_MS;
  const open = () => sockets.filter((socket) => !socket.destroyed).length;
  while (open() > 0 && Date.now() < end) await sleep(20);
  return open();
}

/** Defines the same tests for every listener. */
function holds(listener: () => Listener): void {
  for (const method of ALL_METHODS) {
    it(`survives ${method} with a reset after every byte`, async () => {
      const request = requestOf(method);
      assert.equal(await resetAfterEveryByte(listener().port, request), request.length);
      assert.equal(await answers(listener()), 200);
    });
  }

  it("survives many resets after CONNECT", async () => {
    const request = requestOf("CONNECT");
    const made = await resetAfterEveryByte(listener().port, request, { further: RESETS });
    assert.equal(made, request.length + RESETS);
    assert.equal(await answers(listener()), 200);
  });

  it("closes a CONNECT that is held open, and answers others meanwhile", async () => {
    const held = await holdOpen(listener().port, HELD, requestOf("CONNECT"));
    assert.equal(await answers(listener()), 200);
    for (const socket of held) socket.resume();
    assert.equal(await allClosed(held), 0);
  });
}

for (const transport of TRANSPORTS) {
  describe(`transport ${transport}`, () => {
    let fake: FakeServer;
    before(async () => {
      fake = await startFake(transport);
    });
    after(() => fake.close());

    // This test runs first, because a server that has run for a while accepts more connections than
    // a new one.
    it("answers every client of a crowd that arrives right after its start", async () => {
      const port = Number(new URL(fake.base).port);
      const request = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
      const crowd = Array.from({ length: CROWD }, () => sendRaw(port, request, CLOSED_MS));
      const texts = (await Promise.all(crowd)).map(({ text }) => text);
      assert.equal(texts.filter((text) => text.startsWith("HTTP/1.1 200 ")).length, CROWD);
    });
    holds(() => ({ port: Number(new URL(fake.base).port), question: "/healthz" }));
  });
}

describe("the metrics listener", () => {
  let fake: FakeServer;
  let metrics: RunningServer;
  before(async () => {
    fake = await startFake("uws");
    const address = { host: "127.0.0.1", port: 0 };
    metrics = await startMetricsServer(fake.service.telemetry, address, TEST_LIMITS);
  });
  after(async () => {
    await metrics.close(0);
    await fake.close();
  });
  holds(() => ({ port: metrics.port, question: "/metrics" }));
});
