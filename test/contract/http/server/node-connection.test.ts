/**
 * Proves, with Node's own parser on real sockets: bytes after a CONNECT are never parsed, even if
 * the client has already reset the connection. Heads and bodies reach the parser in order, however
 * they are cut, and each head only after the previous body was read.
 * Does not prove: how much one connection gets per turn (campaign/sockets/crowded.test.ts).
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { NodeConnection } from "../../../../src/http/server/transport/node-connection.ts";
import { Sockets } from "../../../../src/http/server/transport/sockets.ts";
import { settledAt } from "../../../support/http/file-fixture.ts";

/** The parser that Node attaches to a socket; Node's types do not declare it. */
interface Parsed {
  readonly parser?: object | null;
}

describe("a connection of node:http", () => {
  const sockets = new Sockets({ socketsMax: 1_000, socketsPerAddress: null, trustedProxies: null });
  const slices: { readonly text: string; readonly parsed: boolean }[] = [];
  let bodies: string[] = [];
  let server: Server;
  before(async () => {
    server = createServer((message, response) => {
      const length = Number(message.headers["content-length"] ?? 0);
      const chunked = message.headers["transfer-encoding"] !== undefined;
      const path = message.url ?? "";
      connections
        .get(message.socket)
        ?.begin(message, { bodyBytes: chunked ? null : length, path, closes: false });
      let body = "";
      message.on("data", (chunk: Buffer) => (body += chunk.toString()));
      message.on("end", () => {
        bodies.push(`${message.url} ${body}`);
        connections.get(message.socket)?.done();
        response.end("x");
      });
    });
    server.on("connect", (_message, socket) => {
      socket.on("error", () => {});
      socket.end("no");
    });
    server.on("connection", (socket: Socket) => watched(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  after(() => server.close());

  const connections = new WeakMap<Socket, NodeConnection>();
  /** Connects a socket, and records the bytes that Node's listener receives. */
  const watched = (socket: Socket) => {
    const [parse] = socket.listeners("data") as ((slice: Buffer) => void)[];
    assert.ok(parse !== undefined);
    socket.off("data", parse);
    socket.on("data", (slice: Buffer) => {
      const { parser } = socket as Parsed;
      slices.push({ text: slice.toString(), parsed: parser !== null && parser !== undefined });
      parse.call(socket, slice);
    });
    const slot = sockets.enter(socket.remoteAddress ?? "", () => socket.destroy());
    assert.ok(slot !== null);
    connections.set(socket, new NodeConnection(socket, slot));
    socket.once("close", () => slot.leave());
  };
  const client = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => {});
    await new Promise((resolve) => socket.once("connect", resolve));
    return socket;
  };

  for (const resets of [true, false]) {
    it(`has nothing parsed after a CONNECT${resets ? " whose client resets" : ""}`, async () => {
      slices.length = 0;
      for (let round = 0; round < 40; round++) {
        const socket = await client();
        socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        await new Promise((resolve) => socket.once("data", resolve));
        socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}");
        if (resets) socket.resetAndDestroy();
        else socket.resume();
        assert.equal(await settledAt(0, () => sockets.open), 0);
      }
      const tunnels = slices.filter(({ text }) => text.startsWith("CONNECT"));
      assert.ok(tunnels.length > 20, `${tunnels.length} came`);
      assert.deepEqual(
        slices.filter(({ parsed }) => !parsed),
        [],
      );
    });
  }

  it("delivers bodies and heads in order, however they are cut", async () => {
    const all = Array.from({ length: 30 }, (_, at) => {
      const body = "b".repeat(at * 137);
      const head = `POST /${at} HTTP/1.1\r\nHost: a\r\n`;
      if (at % 3 === 2) {
        const chunk = body === "" ? "" : `${body.length.toString(16)}\r\n${body}\r\n`;
        return { body, bytes: `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n` };
      }
      return { body, bytes: `${head}Content-Length: ${body.length}\r\n\r\n${body}` };
    });
    const bytes = Buffer.from(all.map((one) => one.bytes).join(""));
    const wanted = all.map(({ body }, at) => `/${at} ${body}`);
    for (const size of [1, 7, 333, 2_049, bytes.length]) {
      bodies = [];
      const socket = await client();
      socket.setNoDelay(true);
      socket.resume();
      for (let at = 0; at < bytes.length; at += size) {
        socket.write(bytes.subarray(at, at + size));
        if (at % (size * 500) === 0) await sleep(1);
      }
      await settledAt(all.length, () => bodies.length);
      assert.deepEqual(bodies, wanted, `in pieces of ${size}`);
      socket.destroy();
    }
  });
});
