/**
 * Proves, on raw sockets against both transports: a request with ambiguous framing is answered at
 * most once, and the next request on the connection gets its own answer or none. Each row of the
 * table is followed by a second request, once in the same write and once after the first answer.
 * Bytes after a chunked body are never executed as a request.
 * Does not prove: how proxies handle such requests (test/e2e/deploy/smuggling.test.ts).
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { type FakeServer, sendRaw, startFake, TRANSPORTS } from "../../../support/http/fake.ts";
import { FRAMING_ROWS, type FramingRow } from "../../../support/sockets/framing-table.ts";
import { splitAnswers } from "../../../support/sockets/wire-answers.ts";

const SECOND = "GET /healthz HTTP/1.1\r\nHost: test\r\nX-Request-Id: second\r\n\r\n";
const EXPORT = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"output":{"format":"csv"}}';
/**
 * Time to wait for an answer. It exceeds the timeouts of the test server, but not those built in to
 * uWebSockets.js.
 */
const PATIENCE_MS = 4_000;
/** Number of rows that are tried concurrently. */
const LANES = 24;

interface Received {
  readonly text: string;
  readonly closed: boolean;
}

/** Sends bytes, and `second` after the first answer. Resolves at the second answer or close. */
function converse(port: number, bytes: Buffer, second: string | null): Promise<Received> {
  return new Promise((resolve) => {
    let text = "";
    let sent = second === null;
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes)).setNoDelay(true);
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, closed });
    };
    const timer = setTimeout(() => finish(false), PATIENCE_MS);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (/X-Request-Id: second\r\n.*"ok"/s.test(text)) finish(false);
      else if (!sent) setTimeout(() => socket.writable && socket.write(second ?? ""), 20);
      sent = true;
    });
    socket.on("error", () => {});
    socket.on("close", () => finish(true));
  });
}

/**
 * Result of a row: the status of its answer with the fate of the connection, such as "400 closed",
 * and the bytes of both connections.
 */
interface Tried {
  readonly outcome: string;
  readonly received: readonly Received[];
}

async function tried(server: FakeServer, { bytes }: FramingRow): Promise<Tried> {
  const first = Buffer.from(bytes.replaceAll("KEY", server.keys.enterprise), "latin1");
  const [after, together] = await Promise.all([
    converse(server.port, first, SECOND),
    converse(server.port, Buffer.concat([first, Buffer.from(SECOND)]), null),
  ]);
  const [answer, next] = splitAnswers(after.text);
  const end = next?.id === "second" ? "kept" : after.closed ? "closed" : "hangs";
  return { outcome: `${answer?.status ?? "none"} ${end}`, received: [after, together] };
}

async function all(server: FakeServer): Promise<Map<FramingRow, Tried>> {
  const results = new Map<FramingRow, Tried>();
  const waiting = [...FRAMING_ROWS];
  const lane = async () => {
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      results.set(row, await tried(server, row));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

for (const transport of TRANSPORTS) {
  describe(`framing over ${transport}`, () => {
    let server: FakeServer;
    let results: Map<FramingRow, Tried>;

    before(async () => {
      server = await startFake(transport);
      results = await all(server);
    });
    after(() => server.close());

    for (const row of FRAMING_ROWS) {
      it(`${row.name}: ${row[transport]}`, () => {
        const { outcome, received } = results.get(row) as Tried;
        assert.equal(outcome, row[transport], received[0]?.text);
      });
    }

    it("answers no request twice, and none with another's answer", () => {
      for (const [{ name }, { received }] of results) {
        for (const { text } of received) {
          const answers = splitAnswers(text);
          const [first, second, ...more] = answers;
          assert.deepEqual(more, [], `${name}: ${text}`);
          assert.notEqual(first?.id, "second", `${name}: ${text}`);
          if (second === undefined) continue;
          assert.equal(second.id, "second", `${name}: ${text}`);
          assert.match(second.body, /"status":"ok"/, `${name}: ${text}`);
        }
      }
    });

    it("executes what follows a chunked body with its own answer, or not at all", async () => {
      const keyed = `Host: test\r\nAuthorization: Bearer ${server.keys.enterprise}\r\n`;
      const post = `POST /v1/exports HTTP/1.1\r\n${keyed}Content-Type: application/json\r\n`;
      const size = EXPORT.length.toString(16);
      const chunks = `${post}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${EXPORT}\r\n0\r\n`;
      const sized = `${post}Content-Length: ${EXPORT.length}\r\n\r\n${EXPORT}`;
      for (const end of ["\r\n", "XX", "X-Trailer: 1\r\n\r\n"]) {
        const before = server.exporter.created.length;
        const { text } = await sendRaw(server.port, chunks + end + sized);
        const accepted = splitAnswers(text).filter(({ status }) => status === 201);
        assert.equal(server.exporter.created.length - before, accepted.length, text);
      }
    });

    it("ends without unexpected results", () => {
      const errors = server.logged.filter((line) => line.includes('"level":50'));
      assert.deepEqual(errors, []);
    });
  });
}
