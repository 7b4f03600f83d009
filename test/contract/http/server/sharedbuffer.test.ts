/**
 * Proves, over real sockets on both transports: pages written to the buffer that all requests share
 * are never mixed up. Tests many pipelined pages on one connection, and many pages that wait for a
 * paused client while other clients are answered. Does not prove: that the buffer is used
 * (unit/http/server).
 */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type FakeServer, startFake, TRANSPORTS } from "../../../support/http/fake.ts";

const STATES = ["SP", "RJ"];

/** A search of one state, as bytes. */
function searchFor(server: FakeServer, state: string, limit: number): Buffer {
  const spec = { filters: { geo: { uf_any_of: [state] } } };
  const body = JSON.stringify({ spec, limit, output: { fields: ["cnpj", "uf"] } });
  return Buffer.from(
    `POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer ${server.keys.enterprise}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Returns the JSON bodies of the answers on one socket. */
async function bodiesOn(socket: Socket, wanted: number): Promise<unknown[]> {
  let text = Buffer.alloc(0);
  const bodies: unknown[] = [];
  for await (const chunk of socket) {
    text = Buffer.concat([text, chunk as Buffer]);
    for (;;) {
      const end = text.indexOf("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(text.subarray(0, end).toString())?.[1];
      if (end < 0 || length === undefined || text.length < end + 4 + Number(length)) break;
      const from = end + 4;
      bodies.push(JSON.parse(text.subarray(from, from + Number(length)).toString()));
      text = text.subarray(from + Number(length));
    }
    if (bodies.length >= wanted) break;
  }
  return bodies;
}

/** Returns, for each answer, the states of its accounts and the number of accounts. */
function statesOf(bodies: readonly unknown[]): string[] {
  return (bodies as { readonly accounts: { readonly uf: string }[] }[]).map(({ accounts }) => {
    return `${accounts.length} ${[...new Set(accounts.map(({ uf }) => uf))].join(" ")}`;
  });
}

for (const transport of TRANSPORTS) {
  describe(`pages from the shared buffer over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    const opened = (): Promise<Socket> =>
      new Promise((resolve) => {
        const socket: Socket = connect(server.port, "127.0.0.1", () => resolve(socket));
      });

    it("are kept apart for pipelined requests", async () => {
      for (let round = 0; round < 5; round++) {
        const socket = await opened();
        const order = Array.from({ length: 8 }, (_, i) => STATES[i % 2] as string);
        socket.write(Buffer.concat(order.map((state) => searchFor(server, state, 50))));
        const answers = statesOf(await bodiesOn(socket, order.length));
        assert.deepEqual(
          answers,
          order.map((state) => `50 ${state}`),
        );
      }
    });

    it("are kept apart if a client reads late", async () => {
      const slow = await opened();
      slow.pause();
      const other = await opened();
      const others = bodiesOn(other, 60);
      for (let i = 0; i < 60; i++) {
        slow.write(searchFor(server, "SP", 200));
        other.write(searchFor(server, "RJ", 200));
        await sleep(3);
      }
      assert.deepEqual(new Set(statesOf(await others)), new Set(["200 RJ"]));
      const late = statesOf(await bodiesOn(slow, 60));
      assert.equal(late.length, 60);
      assert.deepEqual(new Set(late), new Set(["200 SP"]));
    });
  });
}
