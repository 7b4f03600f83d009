/**
 * Proves, on both transports: a server that stops finishes the answers in flight, including large
 * ones. It ends within its deadline even if a client does not read. A port in use and a
 * transport that cannot be loaded are reported by name, and no other port or transport is used
 * instead. Large answers arrive byte for byte, even if the client reads slowly. A client that
 * leaves costs nothing. Does not prove: speed.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CommandError } from "../../../../src/errors.ts";
import { bindPort, openTransport } from "../../../../src/http/server/server.ts";
import {
  engineOf,
  type FakeServer,
  fakeParts,
  sendRaw,
  startFake,
  TEST_LIMITS,
  TRANSPORTS,
} from "../../../support/http/fake.ts";

const run = promisify(execFile);
const LARGE_BYTES = 12_000_000;

/** A JSON array of one string, which never repeats itself, to detect lost or moved bytes. */
const large = (() => {
  const bytes = Buffer.alloc(LARGE_BYTES);
  for (let at = 0; at < bytes.length; at++) bytes[at] = 0x41 + ((at * 7 + (at >> 8)) % 26);
  bytes.write('["');
  bytes.write('"]', LARGE_BYTES - 2);
  return bytes;
})();
const largeHash = createHash("sha256").update(large).digest("hex");

const BODY = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}}}';

function searchBytes(server: FakeServer): string {
  return (
    `POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
    `Authorization: Bearer ${server.keys.free}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
  );
}

/** Returns the hash of the accounts in an answer, or "cut off" if the answer is incomplete. */
function accountsHash(answer: Buffer): string {
  const start = answer.indexOf('"accounts":') + 11;
  const end = answer.indexOf(',"next_cursor"', start);
  if (end < 0 || answer.at(-1) !== 0x7d) return "cut off";
  return createHash("sha256").update(answer.subarray(start, end)).digest("hex");
}

/** Reads an answer with pauses. Resolves once the answer is complete or cut off. */
function readSlowly(server: FakeServer, pauseMs: number, begun = () => {}): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const socket = connect(server.port, "127.0.0.1", () => socket.write(searchBytes(server)));
    const finish = () => {
      resolve(Buffer.concat(chunks));
      socket.destroy();
    };
    socket.on("data", (chunk) => {
      begun();
      chunks.push(chunk);
      length += chunk.length;
      if (length > LARGE_BYTES && chunk.at(-1) === 0x7d) finish();
      if (pauseMs === 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), pauseMs);
    });
    socket.on("close", finish);
    socket.on("error", finish);
  });
}

const largeEngine = engineOf({
  ...fakeParts,
  search: (...parameters: Parameters<(typeof fakeParts)["search"]>) => ({
    ...fakeParts.search(...parameters),
    accounts: large,
  }),
});

for (const transport of TRANSPORTS) {
  describe(`a server over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, { engine: largeEngine });
    });
    after(() => server.close());

    it("sends a large answer whole to fast and slow readers at the same time", async () => {
      const answers = await Promise.all([0, 0, 1, 3].map((pause) => readSlowly(server, pause)));
      for (const answer of answers) assert.equal(accountsHash(answer), largeHash);
    });

    it("continues if clients leave in the middle of an answer", async () => {
      const leave = async () => {
        const socket = connect(server.port, "127.0.0.1", () => socket.write(searchBytes(server)));
        await new Promise((resolve) => socket.once("data", resolve));
        socket.destroy();
      };
      await Promise.all(Array.from({ length: 20 }, leave));
      assert.equal(accountsHash(await readSlowly(server, 0)), largeHash);
      assert.ok(!server.logged.join("").includes('"level":50'));
    });

    it("answers 413 to a body that is too large, declared or not, and stays usable", async () => {
      const head =
        `POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
        `Authorization: Bearer ${server.keys.free}\r\n`;
      const declared = `${head}Content-Length: 3000000\r\n\r\n`;
      assert.match((await sendRaw(server.port, declared)).text, /^HTTP\/1\.1 413 /);
      const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
      const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(40)}0\r\n\r\n`;
      assert.match((await sendRaw(server.port, chunked)).text, /^HTTP\/1\.1 413 /);
      assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
    });

    it("accepts the next request of a socket after HEAD", async () => {
      const socket = connect(server.port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
      });
      for (const method of ["HEAD", "HEAD", "GET"]) {
        const before = text.length;
        socket.write(`${method} /healthz HTTP/1.1\r\nHost: a\r\n\r\n`);
        for (let waited = 0; waited < 1_000 && text.length === before; waited++) await sleep(10);
        await sleep(100);
      }
      socket.destroy();
      assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 3, text);
      const lengths = new Set(text.match(/content-length: \d+/gi));
      assert.equal(lengths.size, 1, "HEAD says another length than GET");
      assert.equal(text.match(/"status":"ok"/g)?.length, 1, "HEAD has a body");
    });

    it("rejects requests of a bound port until a handler exists", async () => {
      const opened = await openTransport(transport, TEST_LIMITS);
      const bound = await bindPort(opened, { host: "127.0.0.1", port: 0 });
      const url = `http://127.0.0.1:${bound.port}/healthz`;
      const early = await fetch(url);
      assert.equal(early.status, 503);
      assert.equal(early.headers.get("retry-after"), "1");
      const { code, detail } = (await early.json()) as Record<string, string>;
      assert.deepEqual(
        [code, detail],
        ["snapshot_unavailable", "The server is starting. Ask again soon."],
      );
      const post = await fetch(url, { method: "POST", body: "x".repeat(100_000) });
      assert.equal(post.status, 503);
      await post.text();
      const running = bound.answer((exchange) => exchange.send(200, [], "answered"));
      assert.equal(await (await fetch(url)).text(), "answered");
      await running.close(0);
    });

    it("rejects a port in use", async () => {
      const second = await openTransport(transport, TEST_LIMITS);
      await assert.rejects(
        second.listen({ host: "127.0.0.1", port: server.port }, () => {}),
        (error: unknown) => error instanceof CommandError && /Cannot listen/.test(error.message),
      );
      await second.close(0);
    });
  });

  describe(`stopping a server over ${transport}`, () => {
    it("finishes answers in flight, and announces the stop before it refuses clients", async () => {
      const server = await startFake(transport, { engine: largeEngine });
      const idle = connect(server.port, "127.0.0.1");
      await once(idle, "connect");
      let slow: Promise<Buffer> = Promise.resolve(large);
      await new Promise<void>((begun) => {
        slow = readSlowly(server, 1, begun);
      });
      server.stop();
      assert.equal((await fetch(`${server.base}/readyz`)).status, 503);
      const closing = server.close();
      await sleep(50);
      // A client may notice that the port is closed only when it sends its next request.
      const request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
      const late = await sendRaw(server.port, request, 5_000);
      assert.deepEqual([late.text, late.closed], ["", true]);
      assert.equal(accountsHash(await slow), largeHash);
      await closing;
      idle.destroy();
    });

    it("does not wait for a client that never reads", async () => {
      const server = await startFake(transport, { engine: largeEngine });
      const socket = connect(server.port, "127.0.0.1", () => socket.write(searchBytes(server)));
      socket.pause();
      await sleep(200);
      const began = performance.now();
      await server.close();
      assert.ok(performance.now() - began < 3_500, "the deadline of 2 s was not kept");
      socket.destroy();
    });
  });
}

describe("openTransport", () => {
  it("fails and names the other transport if the addon cannot be loaded", async () => {
    const server = fileURLToPath(new URL("../../../../src/http/server/server.ts", import.meta.url));
    // Simulates a machine for which there is no binary of uWebSockets.js: the package throws when
    // it is loaded.
    const hooks = `export function load(url, context, next) {
      if (url.includes("uWebSockets.js")) throw new Error("GLIBC_2.38 not found");
      return next(url, context);
    }`;
    const script = `import { register } from "node:module";
      register("data:text/javascript," + encodeURIComponent(${JSON.stringify(hooks)}));
      const { bindPort, openTransport } = await import(${JSON.stringify(server)});
      for (const name of ["uws", "node"]) {
        await openTransport(name, ${JSON.stringify(TEST_LIMITS)}).then(
          (transport) => console.log(transport.name),
          (error) => console.log(error.name, error.message),
        );
      }
      process.exit(0);`;
    const flags = ["--import", "tsx", "--input-type=module", "-e", script];
    const { stdout } = await run(process.execPath, flags);
    const [uws, node] = stdout.trim().split("\n");
    assert.match(uws ?? "", /^CommandError .*--transport node/);
    assert.equal(node, "node");
  });
});
