/**
 * Proves, on both transports and real sockets: clients with endless bodies do not block others.
 * Clients without credentials can send at most 8 KiB, and all clients of one address share its part
 * of the memory for bodies. A tenant that fills its share is refused. In the meantime, every search
 * of another tenant is answered.
 * Does not prove how bytes are counted (contract/http/server/bodies.test.ts).
 */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { Assets } from "../../../src/console/assets.ts";
import { consoleTable } from "../../../src/console/routes.ts";
import { SessionAuth } from "../../../src/http/server/session-auth.ts";
import {
  type FakeServer,
  sendRaw,
  startFake,
  TEST_LIMITS,
  TRANSPORTS,
} from "../../support/http/fake.ts";
import { settledAt } from "../../support/http/file-fixture.ts";
import { type Flood, type FloodOptions, openFlood } from "../../support/sockets/body-floods.ts";

const MOST = 1_048_576;
const SHARE = 0.25;
const LIMITS = {
  ...{ ...TEST_LIMITS, requestTimeoutMs: 20_000 },
  ...{ bodiesBytesMax: MOST, senderShareMax: SHARE },
};
const SENDERS = 60;

const SIGN_IN =
  "POST /v1/console/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
const SEARCH = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"limit":1}';

for (const transport of TRANSPORTS) {
  describe(`floods of bodies over ${transport}`, () => {
    let server: FakeServer;
    let floods: Flood[] = [];
    before(async () => {
      server = await startFake(transport, {}, LIMITS, ({ sessions }) => {
        const sessionAuth = new SessionAuth({ sessions, insecureHttp: false });
        return consoleTable(
          sessionAuth,
          new Assets(join(tmpdir(), "peneira-no-console-here"), sessionAuth),
        );
      });
    });
    after(() => server.close());
    afterEach(async () => {
      for (const flood of floods) flood.close();
      floods = [];
      assert.equal(await settledAt(0, () => server.bodies.used), 0, "bytes are not given back");
    });

    const open = (head: string, bytes: number, more: Partial<FloodOptions> = {}) => {
      const once = { first: bytes, bytes: 0, everyMs: 1_000, most: bytes };
      const { port } = server;
      const flood = openFlood({ port, head: () => head, count: SENDERS, ...once, ...more });
      floods.push(flood);
      return flood;
    };
    const answersOf = ({ statuses }: Flood) =>
      Object.values(statuses).reduce((sum, count) => sum + count, 0);
    /** Sends searches of a given size in sequence. Returns the distinct statuses. */
    const searches = async (count: number, bytes: number) => {
      const statuses = new Set<number>();
      for (let round = 0; round < count; round++) {
        const answer = await fetch(`${server.base}/v1/accounts/search`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${server.keys.enterprise}`,
            "content-type": "application/json",
          },
          body: SEARCH.padEnd(bytes),
        });
        await answer.text();
        statuses.add(answer.status);
      }
      return [...statuses];
    };

    it("without a session are rejected beyond 8 KiB, with known and unknown length", async () => {
      const known = open(`${SIGN_IN}Content-Length: 300000\r\n\r\n`, 100);
      assert.equal(await settledAt(SENDERS, () => known.statuses["413"] ?? 0), SENDERS);
      assert.equal(server.bodies.used, 0);
      // The declared length of this chunk is larger than the number of bytes that are sent.
      const unknown = open(`${SIGN_IN}Transfer-Encoding: chunked\r\n\r\n10000\r\n`, 8_193);
      assert.equal(await settledAt(SENDERS, () => unknown.statuses["413"] ?? 0), SENDERS);
      const most = `${SIGN_IN}Content-Length: 8192\r\n\r\n${"{}".padEnd(8_192)}`;
      assert.match((await sendRaw(server.port, most)).text, /^HTTP\/1\.1 422 /);
    });

    it("without a session use their address's share while searches are answered", async () => {
      const flood = open(`${SIGN_IN}Content-Length: 8192\r\n\r\n`, 8_000);
      const fit = Math.floor((SHARE * MOST) / 8_000);
      assert.equal(await settledAt(SENDERS - fit, () => answersOf(flood)), SENDERS - fit);
      assert.deepEqual(Object.keys(flood.statuses), ["429"]);
      assert.equal(server.bodies.used, fit * 8_000);
      assert.deepEqual(await searches(40, 2_000), [200]);
      assert.deepEqual(await searches(5, 100_000), [200]);
    });

    it("of one tenant use its share while other tenants' searches are answered", async () => {
      const head = SIGN_IN.replace("/v1/console/session", "/v1/accounts/search");
      const key = `Authorization: Bearer ${server.keys.growth}\r\n`;
      const flood = open(`${head}${key}Content-Length: 300000\r\n\r\n`, 30_000);
      // Some of these bodies are refused while others are received, although space becomes free
      // later.
      for (let round = 0; round < 3; round++) {
        assert.deepEqual(await searches(20, 2_000), [200]);
        assert.deepEqual(await searches(2, 100_000), [200]);
        assert.ok(server.bodies.used <= SHARE * MOST);
      }
      await settledAt(SENDERS, () => answersOf(flood) + flood.sending());
      assert.deepEqual(Object.keys(flood.statuses), ["429"]);
      assert.ok(flood.sending() >= 1 && flood.sending() <= (SHARE * MOST) / 30_000);
    });

    it("that repeat do not block searches", async () => {
      const flood = open(`${SIGN_IN}Content-Length: 8192\r\n\r\n`, 8_000, { againMs: 50 });
      assert.deepEqual(await searches(60, 2_000), [200]);
      assert.ok(answersOf(flood) > 0);
    });
  });
}
