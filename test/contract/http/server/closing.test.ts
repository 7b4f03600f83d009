/**
 * Proves, on raw sockets against both transports: a Connection header with the member `close` ends
 * the connection after the whole answer. The member may be at any position, in any case and
 * spacing, and on any line. No other member ends the connection. If a client half-closes after its
 * requests, node:http sends all answers whole. uWebSockets.js closes the connection and may cut its
 * answer, but the client can detect that.
 * Does not prove: how a server stops (server.test.ts).
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { openTransport } from "../../../../src/http/server/server.ts";
import type { Transport } from "../../../../src/http/server/transport/transport.ts";
import { TEST_LIMITS, TRANSPORTS } from "../../../support/http/fake.ts";
import { splitAnswers } from "../../../support/sockets/wire-answers.ts";

const LARGE = Buffer.alloc(3_000_000, "a");
/** Size of an answer that exceeds all buffers between a server and a client that does not read. */
const HUGE = Buffer.alloc(64_000_000, "a");
const LATER_MS = 50;
/** Time to wait for the server to close a connection. An idle connection stays open longer. */
const PATIENCE_MS = 6_000;
/**
 * Time to wait on a connection that may stay open. By then, the server has sent its answer and
 * would have closed the connection if it was to be closed.
 */
const IDLE_MS = 2_500;

/** Values of the Connection header that close the connection, as clients may write them. */
const CLOSING = [
  "close",
  "Close",
  "TE, close",
  "close, TE",
  "TE ,\tCLOSE ",
  "TE,,close,",
  "keep-alive, close",
  "TE\r\nConnection: close",
  "TE\r\nconnection: upgrade, close",
];
/** Values of the Connection header that keep the connection open. */
const KEEPING = ["keep-alive", "closed", "TE, closer", "x-close", "TE\r\nConnection: keep-alive"];

/**
 * Paths with different answers, in this order: small, sent in a later turn of the event loop,
 * streamed, streamed later, in chunks, and without a body.
 */
const PATHS = ["/small", "/later", "/large", "/large-later", "/pieces", "/none"];

function* pieces(): Generator<Uint8Array> {
  for (let at = 0; at < 20; at++) yield Buffer.alloc(100_000, "b");
}

interface Received {
  readonly text: string;
  readonly closed: boolean;
}

/** Sends bytes. Resolves when the server closes the connection or has been silent for a while. */
function talk(
  port: number,
  bytes: string,
  { halfClose = false, patienceMs = PATIENCE_MS } = {},
): Promise<Received> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
      if (halfClose) socket.end(bytes);
      else socket.write(bytes);
    });
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text: Buffer.concat(chunks).toString("latin1"), closed });
    };
    const timer = setTimeout(() => finish(false), patienceMs);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("end", () => finish(true));
    socket.on("error", () => {});
    socket.on("close", () => finish(true));
  });
}

function get(path: string, connection?: string, method = "GET"): string {
  const line = connection === undefined ? "" : `Connection: ${connection}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\n${line}\r\n`;
}

/** Asserts that a text is exactly one complete answer. */
function assertWhole({ text }: Received, method: string, label: string): void {
  const answers = splitAnswers(
    method === "HEAD" ? text.replace(/Content-Length: \d+/i, "x: y") : text,
  );
  assert.equal(answers.length, 1, label);
}

for (const name of TRANSPORTS) {
  describe(`closing a connection over ${name}`, () => {
    let transport: Transport;
    let port: number;
    before(async () => {
      transport = await openTransport(name, TEST_LIMITS);
      port = await transport.listen({ host: "127.0.0.1", port: 0 }, (exchange) => {
        const { path } = exchange;
        if (exchange.method === "POST") {
          const read = () => exchange.send(200, [], "read");
          exchange.body({ limitBytes: 1_000, sender: "a", read });
        } else if (path === "/small") exchange.send(200, [], "small");
        else if (path === "/later") setTimeout(() => exchange.send(200, [], "later"), LATER_MS);
        else if (path === "/large") exchange.send(200, [], LARGE);
        else if (path === "/large-later") setTimeout(() => exchange.send(200, [], LARGE), LATER_MS);
        else if (path === "/huge") setTimeout(() => exchange.send(200, [], HUGE), LATER_MS);
        else if (path === "/none") exchange.send(204, [], "");
        else exchange.send(200, [], { pieces: pieces(), failed: assert.ifError, done: () => {} });
      });
    });
    after(() => transport.close(0));

    it("follows the answer if Connection contains the member close", async () => {
      const requests = CLOSING.flatMap((connection) =>
        [...PATHS.map((path) => ["GET", path] as const), ["HEAD", "/large"] as const].map(
          async ([method, path]) => {
            const received = await talk(port, get(path, connection, method));
            const label = `${method} ${path}, Connection: ${JSON.stringify(connection)}`;
            assert.ok(received.closed, `${label}: stays open`);
            assertWhole(received, method, label);
          },
        ),
      );
      await Promise.all(requests);
    });

    it("does not happen if no member is close", async () => {
      const requests = KEEPING.map(async (connection) => {
        const { text, closed } = await talk(port, get("/small", connection), {
          patienceMs: IDLE_MS,
        });
        assert.ok(!closed, connection);
        assert.doesNotMatch(text, /connection: close/i);
      });
      await Promise.all(requests);
    });

    it("follows the rejection of HTTP/1.0, for any Connection", async () => {
      for (const connection of ["keep-alive", "TE, keep-alive", "Keep-Alive , TE"]) {
        const text = get("/small", connection).replace("HTTP/1.1", "HTTP/1.0");
        const received = await talk(port, text);
        assert.match(received.text, /^HTTP\/1\.1 505 /);
        assert.ok(received.closed, connection);
      }
    });

    it("sends a half-closed client its whole answer, or shows that it is incomplete", async () => {
      for (const path of [...PATHS, "/huge"]) {
        const { text } = await talk(port, get(path), { halfClose: true });
        if (name === "uws") assertNotCutSilently(text, path);
        else assertWhole({ text, closed: true }, "GET", path);
      }
    });

    if (name !== "node") return;

    it("answers no request after one that closes, even a late one", async () => {
      for (const path of PATHS) {
        const received = await talk(port, get(path, "TE, close") + get("/small"));
        assertWhole(received, "GET", path);
        assert.ok(received.closed);
      }
    });

    it("answers all requests before the half-close, with bodies and pipelines", async () => {
      const post = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`;
      const many = Array.from({ length: 20 }, () => get("/later")).join("");
      const received = await talk(port, post + get("/large-later") + many + post + get("/small"), {
        halfClose: true,
      });
      assert.ok(received.closed);
      assert.equal(splitAnswers(received.text).length, 24);
    });

    it("answers a body that ends too early, and closes", async () => {
      const received = await talk(
        port,
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{}`,
        {
          halfClose: true,
        },
      );
      assert.match(received.text, /^HTTP\/1\.1 400 /);
      assert.ok(received.closed);
    });
  });
}

/** Asserts that an answer is empty, complete, or recognizable as cut off by its headers. */
function assertNotCutSilently(text: string, label: string): void {
  if (text === "") return;
  assert.match(
    text,
    /\r\n(content-length: \d+|transfer-encoding: chunked)\r\n|HTTP\/1\.1 204 /i,
    label,
  );
  try {
    splitAnswers(text);
  } catch (error) {
    assert.match(String(error), /an answer is cut off|no answer begins with/, label);
  }
}
