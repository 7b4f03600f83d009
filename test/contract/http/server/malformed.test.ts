/**
 * Proves, with bytes on raw sockets against both transports: improper HTTP/1.1 is rejected with a
 * 4xx (or 505), and the socket is closed. It is never answered with 500, left waiting, or
 * understood as another request. Unusual but proper requests are answered. Pipelined requests are
 * answered in order. The server continues afterwards.
 * Does not prove: that uWebSockets.js and Node parse alike in every case. The table states where a
 * status may differ.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { type FakeServer, sendRaw, startFake, TRANSPORTS } from "../../../support/http/fake.ts";

const HOST = "Host: test\r\n";
const POST = "POST /v1/accounts/search HTTP/1.1\r\nContent-Type: application/json\r\n";
const headers = (count: number) => Array.from({ length: count }, (_, n) => `X${n}: 1\r\n`).join("");

/** Bytes to be rejected; KEY stands for a valid key. */
const REFUSED: readonly (readonly [name: string, bytes: string, statuses: readonly number[]])[] = [
  ["no request line", "\x16\x03\x01\x02\x00\r\n\r\n", [400, 505]],
  ["words that are no request", "hello there\r\n\r\n", [400, 505]],
  ["HTTP/1.0", `GET /healthz HTTP/1.0\r\n${HOST}\r\n`, [505]],
  ["HTTP/2.0", `GET /healthz HTTP/2.0\r\n${HOST}\r\n`, [400, 505]],
  ["an unknown minor version", `GET /healthz HTTP/1.2\r\n${HOST}\r\n`, [400, 505]],
  ["no Host", "GET /healthz HTTP/1.1\r\n\r\n", [400]],
  ["two Hosts", `GET /healthz HTTP/1.1\r\n${HOST}Host: b\r\n\r\n`, [400, 422]],
  ["CONNECT", `CONNECT a:80 HTTP/1.1\r\n${HOST}\r\n`, [400, 505]],
  ["bare line feeds", "GET /healthz HTTP/1.1\nHost: a\n\n", [400, 505]],
  ["a folded header", `GET /healthz HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`, [400]],
  ["a blank before the colon", `GET /healthz HTTP/1.1\r\n${HOST}X-A : b\r\n\r\n`, [400]],
  ["NUL in a header", `GET /healthz HTTP/1.1\r\n${HOST}X-A: a\0b\r\n\r\n`, [400]],
  ["two lengths", `${POST}${HOST}Content-Length: 3\r\nContent-Length: 5\r\n\r\n{} {}`, [400, 422]],
  [
    "two equal lengths",
    `${POST}${HOST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    [400, 422],
  ],
  ["a list of lengths", `${POST}${HOST}Content-Length: 2, 2\r\n\r\n{}`, [400, 422]],
  ["a negative length", `${POST}${HOST}Content-Length: -2\r\n\r\n{}`, [400, 422]],
  ["a signed length", `${POST}${HOST}Content-Length: +2\r\n\r\n{}`, [400, 422]],
  [
    "an endless length",
    `${POST}${HOST}Content-Length: 99999999999999999999999\r\n\r\n{}`,
    [400, 422],
  ],
  [
    "length and chunks",
    `${POST}${HOST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    [400],
  ],
  [
    "another coding",
    `${POST}${HOST}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    [400, 422],
  ],
  [
    "two codings",
    `${POST}${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    [400, 422],
  ],
  [
    "two coding headers",
    `${POST}${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
    [400, 422],
  ],
  [
    "a wrong chunk size",
    `${POST}${HOST}Authorization: Bearer KEY\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    [400],
  ],
  ["an endless header", `GET /healthz HTTP/1.1\r\n${HOST}X-A: ${"a".repeat(9_000)}\r\n\r\n`, [431]],
  ["an endless address", `GET /${"a".repeat(9_000)} HTTP/1.1\r\n${HOST}\r\n`, [431]],
  ["too many headers", `GET /healthz HTTP/1.1\r\n${HOST}${headers(120)}\r\n`, [431]],
  [
    "two Authorization headers",
    `GET /v1/status HTTP/1.1\r\n${HOST}${"Authorization: Bearer KEY\r\n".repeat(2)}\r\n`,
    [400, 422],
  ],
  [
    "two content types",
    `${POST}${HOST}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    [400, 422],
  ],
];

const EXPORT = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"output":{"format":"csv"}}';

/** Unusual requests that are proper. */
const ANSWERED: readonly (readonly [name: string, bytes: string, status: number])[] = [
  ["98 headers", `GET /healthz HTTP/1.1\r\n${HOST}${headers(97)}\r\n`, 200],
  ["header names in any case", "GET /healthz HTTP/1.1\r\nhOsT: a\r\n\r\n", 200],
  ["bytes over 127 in a header", `GET /healthz HTTP/1.1\r\n${HOST}X-A: \xe3\xff\r\n\r\n`, 200],
  ["DEL in a header", `GET /healthz HTTP/1.1\r\n${HOST}X-A: a\x7fb\r\n\r\n`, 200],
  [
    "DEL in an Idempotency-Key",
    `POST /v1/exports HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n` +
      "Authorization: Bearer KEY\r\nIdempotency-Key: a\x7fb\r\n" +
      `Content-Length: ${EXPORT.length}\r\n\r\n${EXPORT}`,
    422,
  ],
  ["a body nobody reads", `GET /healthz HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`, 200],
  [
    "an upgrade to something else",
    `GET /healthz HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    200,
  ],
  [
    "a body in chunks",
    `${POST}${HOST}Authorization: Bearer KEY\r\nTransfer-Encoding: chunked\r\n\r\n` +
      '8\r\n{"spec":\r\n3\r\n{}}\r\n0\r\n\r\n',
    422,
  ],
];

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);

for (const transport of TRANSPORTS) {
  describe(`raw bytes over ${transport}`, () => {
    let server: FakeServer;
    const send = (bytes: string, waitMs?: number) => {
      return sendRaw(server.port, bytes.replaceAll("KEY", server.keys.free), waitMs);
    };
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    for (const [name, bytes, statuses] of REFUSED) {
      it(`with ${name} are rejected`, async () => {
        const { text, closed } = await send(bytes);
        assert.ok(statuses.includes(statusOf(text)), text);
        assert.ok(closed, "the socket stays open");
        assert.equal(text.match(/HTTP\/1\.1 [0-9]{3} /g)?.length, 1, "more than one answer");
      });
    }

    for (const [name, bytes, status] of ANSWERED) {
      it(`with ${name} are answered`, async () => {
        const { text } = await send(bytes);
        assert.equal(statusOf(text), status, text);
      });
    }

    it("are answered in order if pipelined", async () => {
      const body = JSON.stringify({ spec: { filters: { geo: { uf_any_of: ["SP"] } } }, limit: 1 });
      const id = (n: number) => `X-Request-Id: n${n}\r\n`;
      const search = `${POST}${HOST}Authorization: Bearer KEY\r\n`;
      const bytes = [
        `GET /healthz HTTP/1.1\r\n${HOST}${id(1)}\r\n`,
        `${search}${id(2)}Content-Length: ${body.length}\r\n\r\n${body}`,
        `GET /nope HTTP/1.1\r\n${HOST}${id(3)}\r\n`,
        `${search}${id(4)}Content-Length: ${body.length}\r\n\r\n${body}`,
        `GET /readyz HTTP/1.1\r\n${HOST}${id(5)}\r\n`,
      ];
      const { text } = await send(bytes.join(""));
      const answers = [...text.matchAll(/HTTP\/1\.1 (\d+) .*?X-Request-Id: (n\d)/gs)];
      const seen = answers.map(([, status, request]) => `${request} ${status}`);
      assert.deepEqual(seen, ["n1 200", "n2 200", "n3 404", "n4 200", "n5 200"]);
    });

    it("are answered alike whether sent one by one or all together", async () => {
      const body = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"limit":1}';
      const head = `${POST}${HOST}Authorization: Bearer ${server.keys.free}\r\n`;
      const bytes = `${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
      const socket = connect(server.port, "127.0.0.1").setNoDelay(true);
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString();
      });
      for (const byte of bytes) {
        socket.write(byte);
        if (Math.random() < 0.2) await sleep(0);
      }
      for (let waited = 0; waited < 100 && !text.endsWith("}"); waited++) await sleep(10);
      socket.destroy();
      assert.equal(statusOf(text), 200);
      assert.match(text, /"total":250,"took_ms":[0-9.]+}$/);
    });

    it("are disconnected if they never finish their headers or body", async () => {
      const post = `${POST}${HOST}Authorization: Bearer KEY\r\nContent-Length: 100\r\n\r\n{`;
      const head = `GET /healthz HTTP/1.1\r\n${HOST}X-A: `;
      // uWebSockets.js waits for the line feed after any CR.
      const unfinished = ["", "GET /hea", head, `${head}a\rb\r\n\r\n`, post];
      const answers = await Promise.all(unfinished.map((bytes) => send(bytes, 15_000)));
      for (const { text, closed } of answers) {
        assert.ok(closed, "still open after 15 s");
        assert.ok(text === "" || [400, 408].includes(statusOf(text)), text);
      }
    });

    it("never get a 5xx other than 505 if truncated or random", async () => {
      const whole = `${POST}${HOST}Authorization: Bearer KEY\r\nContent-Length: 2\r\n\r\n{}`;
      const noise = fc.oneof(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc
          .tuple(fc.nat(whole.length), fc.nat(whole.length), fc.string({ maxLength: 4 }))
          .map(([from, to, part]) => whole.slice(0, from) + part + whole.slice(to)),
      );
      const send50 = async (bytes: string) => {
        const { text } = await send(bytes, 25);
        const status = statusOf(text);
        assert.ok(text === "" || status < 500 || status === 505, text);
      };
      await fc.assert(fc.asyncProperty(noise, send50), { seed: 20_261_121, numRuns: 150 });
    });

    it("leave the server unchanged", async () => {
      assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
      assert.ok(!server.logged.join("").includes('"level":50'), "an error was logged");
    });
  });
}
