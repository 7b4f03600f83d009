/**
 * Proves, on both transports alone: while a server stops, every kind of answer says that its
 * connection ends with it, once; answers that come while the port is being closed are sent after
 * that; a connection without a request is left open for a while and no longer.
 * Does not prove it under load (drain.test.ts).
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HeldAnswers } from "../src/http/drain.ts";
import { openTransport } from "../src/http/server.ts";
import type { Exchange } from "../src/http/transport.ts";
import { sendRaw, TEST_LIMITS, TRANSPORTS } from "./http-fake.ts";

/** Status and body of each kind of answer. */
const KINDS: Readonly<Record<string, readonly [number, string | Uint8Array]>> = {
  "/small": [200, "a"],
  "/large": [200, new Uint8Array(200_000)],
  "/none": [204, ""],
  "/unchanged": [304, ""],
};

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
    const ask = (port: number, method: string, path: string) =>
      sendRaw(port, `${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`, 300);

    it("says so in every kind of answer, once, and not before", async () => {
      const { transport, port } = await start();
      const closes = async () => {
        const counts: number[] = [];
        for (const path of Object.keys(KINDS)) {
          for (const method of ["GET", "HEAD"]) {
            const { text } = await ask(port, method, path);
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

describe("held answers", () => {
  it("are sent at the end, in their order, and nothing is held before and after", () => {
    const held = new HeldAnswers();
    const sent: number[] = [];
    const send = (answer: number): void => {
      if (held.keep(() => send(answer))) return;
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
