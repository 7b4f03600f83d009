/**
 * Proves, on both transports with a real snapshot: requests to the console's routes by a user with
 * a valid or slightly wrong session get no 5xx other than `overloaded`. Failures are problem
 * documents with their request ids. No answer and no log line has a password or token of others,
 * and the server continues.
 * Does not prove: that answers are right, nor what the public routes do (http-fuzz).
 */
import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { ENGINE } from "../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import {
  CONSOLE_CALLS,
  makeTargets,
  requestFor,
  type Targets,
} from "../../support/console/calls.ts";
import {
  type ConsoleServer,
  type Person,
  type SentRequest,
  startConsole,
} from "../../support/console/fake.ts";
import { type WireAnswer, WireConnection } from "../../support/fuzz/client.ts";
import { changed, corrupted } from "../../support/fuzz/shapes.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";

const REQUESTS = 2_000;
const SEED = 20_261_121;
/** Number of requests after which a user of another tenant continues. */
const TURN = 50;

const ROUTES = Object.keys(CONSOLE_CALLS);
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const IDS = ["x", "..", "%00", "%zz", "%2f", "a'b", "__proto__", "0".repeat(300), "%C3%A7", "{id}"];
const QUERIES = [
  "?days=1",
  "?days=400",
  "?days=-1",
  "?limit=2",
  "?cursor=x",
  "?a",
  "?%zz",
  "?wait=0",
];
const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ["cookie", "peneira_session=x"],
  ["cookie", "; ; =; peneira_session"],
  ["x-csrf-token", "\u00e7"],
  ["x-csrf-token", ""],
  ["origin", "http://["],
  ["origin", "null"],
  ["sec-fetch-site", "cross-site"],
  ["sec-fetch-site", "\u00ff"],
  ["host", "peneira.example"],
  ["host", "[::1"],
  ["accept-encoding", "br;q=9, ;;="],
  ["idempotency-key", "\u00e7"],
  ["if-none-match", "*"],
  ["content-type", "text/plain"],
  ["authorization", "Bearer x"],
];

let sample: SampleSnapshot;
let segment: Segment;
before(async () => {
  sample = await makeSampleSnapshot(1_000, 13);
  segment = await openSegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
});

/** Returns a request that is right, or wrong in a few details. */
function fuzzed(
  draw: Draw,
  targets: Targets,
  sender: Person,
): SentRequest & { readonly raw: Buffer } {
  const good = requestFor(draw.of(ROUTES), targets, sender);
  const method = draw.chance(0.85) ? good.method : draw.of(METHODS);
  const parts = good.path.split("/");
  if (draw.chance(0.1)) parts[draw.below(parts.length - 4) + 4] = draw.of(IDS);
  const path = parts.join("/") + (draw.chance(0.15) ? draw.of(QUERIES) : "");
  const near = good.body !== undefined && draw.chance(0.6) ? changed(draw, good.body) : good.body;
  const none = near === undefined && draw.chance(0.9);
  const raw = none ? Buffer.alloc(0) : draw.chance(0.2) ? corrupted(draw, near) : jsonOf(near);
  const headers = new Map(Object.entries(good.headers ?? {}));
  if (raw.length > 0) headers.set("content-type", "application/json");
  if (draw.chance(0.25)) headers.set(...draw.of(HEADERS));
  return { method, path, headers: Object.fromEntries(headers), raw };
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? "");
}

function bytesOf({
  method,
  path,
  headers = {},
  raw,
}: SentRequest & { readonly raw: Buffer }): Buffer {
  const sent = { host: "127.0.0.1", ...headers, "content-length": String(raw.length) };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), raw]);
}

function check({ status, headers, body }: WireAnswer, heads: boolean): void {
  if (status === 503) assert.match(body, /"code":"overloaded"/);
  else assert.ok(status < 500, `${status} ${body}`);
  // A request that the HTTP layer rejects before it is parsed has no request id. All others have
  // one.
  assert.ok(headers["x-request-id"] !== undefined, `${status} without an id`);
  if (status < 400 || heads) return;
  const problem = JSON.parse(body) as Record<string, unknown>;
  assert.equal(problem.status, status);
  assert.equal(problem.request_id, headers["x-request-id"]);
  assert.ok(String(problem.detail).length > 10, body);
}

for (const transport of TRANSPORTS) {
  describe(`random requests to the console over ${transport}`, () => {
    let server: ConsoleServer;
    before(async () => {
      const engine = ENGINE;
      server = await startConsole(transport, { parts: { engine } });
      server.load(segment);
    });
    after(() => server.close());

    it(`are answered in order, seed ${SEED}`, async (context: TestContext) => {
      const draw = new Draw(seededRng(SEED));
      const connection = new WireConnection(server.port);
      const other = await server.person("other", "owner");
      const seen = new Map<number, number>();
      const secrets = [other.password, other.cookie.slice(16), other.email];
      for (let sent = 0; sent < REQUESTS; sent += TURN) {
        const tenant = `tenant ${sent}`;
        let sender = await server.person(tenant, "owner");
        const targets = await makeTargets(server, sender);
        for (let turn = 0; turn < TURN; turn++) {
          const request = fuzzed(draw, targets, sender);
          const bytes = bytesOf(request);
          const heads = request.method === "HEAD";
          const { answers } = await connection.run(bytes, [heads]);
          const [answer] = answers;
          assert.ok(answer !== undefined, `no answer to ${bytes.toString("latin1")}`);
          // Many requests sign the user out or change the user's role, so another user continues
          // after them.
          if (answer.status === 401 || draw.chance(0.05)) {
            sender = await server.person(tenant, draw.chance(0.8) ? "owner" : "member");
          }
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
          try {
            check(answer, heads);
            for (const secret of secrets) assert.ok(!answer.body.includes(secret));
          } catch (error) {
            const shown = bytes.toString("latin1").slice(0, 4_000);
            throw new Error(`${(error as Error).message}\nsent: ${shown}`);
          }
        }
      }
      connection.close();
      const shares = [...seen].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
      context.diagnostic(shares.join(", "));
      const wanted = [200, 201, 204, 401, 403, 404, 405, 415, 422];
      assert.deepEqual(
        wanted.filter((status) => !seen.has(status)),
        [],
        "never came up",
      );
      const again = await server.send({
        ...{ method: "GET", path: "/v1/console/sessions", headers: other.headers },
      });
      assert.equal(again.status, 200);
      const log = server.logged.join("");
      for (const secret of [...secrets, "example.com", "peneira_session"]) {
        assert.ok(!log.includes(secret), `${secret} is in the log`);
      }
    });
  });
}
