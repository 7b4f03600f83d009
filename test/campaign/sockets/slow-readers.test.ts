/**
 * Proves, on both transports on real sockets: many slow readers do not affect other clients. A
 * tenant gets at most its share of the concurrent streams of pages and files, while another tenant
 * is answered. Readers below the minimum pace are disconnected and release their page, file, or
 * buffered answer. Faster readers are not disconnected. Does not prove: how the pace is computed
 * (unit/http/server/readspeed.test.ts), nor readers that stop
 * (contract/http/server/streams.test.ts).
 */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Budget } from "../../../src/http/server/admission.ts";
import type { TransportLimits } from "../../../src/http/server/transport/transport.ts";
import {
  engineOf,
  type FakeServer,
  fakeParts,
  startFake,
  TEST_LIMITS,
  TRANSPORTS,
} from "../../support/http/fake.ts";
import {
  addFile,
  fetchFile,
  linkOf,
  patternBytes,
  settledAt,
} from "../../support/http/file-fixture.ts";
import { openReaders, type SlowReaders } from "../../support/sockets/slow-readers.ts";

/** Limits under which a client must read 100 kB per second, averaged over a second. */
const HURRIED = { ...TEST_LIMITS, writeTimeoutMs: 1_000, minReadBytesPerSecond: 100_000 };
/** Limits under which no client is disconnected during a test. */
const PATIENT = { ...TEST_LIMITS, writeTimeoutMs: 120_000 };
const PLACES = 16;
const SHARE = 0.25;
/** Size of a page, which is more than the system buffers while the client does not read. */
const LARGE_BYTES = 20 * 1024 * 1024;
const SLICE_BYTES = 60_000;

const SPEC = { filters: { geo: { uf_any_of: ["SP"] } } };

/** An engine whose pages are large texts, streamed, or buffered for few accounts. */
const largeEngine = engineOf({
  ...fakeParts,
  countMatches: () => 50_000,
  search: () => ({
    ...{ total: 1, more: false, lastRow: 0, count: 1, plan: {} as never },
    accounts: Buffer.alloc(LARGE_BYTES, "[".padEnd(SLICE_BYTES)),
    placed: -1,
  }),
  searchSliced: () => ({
    ...{ total: 50_000, more: true, lastRow: 49_999, plan: {} as never },
    slices: {
      rowCount: 50_000,
      whole: () => assert.fail("rendered at once"),
      *texts() {
        for (let at = 0; at < LARGE_BYTES; at += SLICE_BYTES) yield Buffer.alloc(SLICE_BYTES, " ");
      },
    },
  }),
});

type PlanName = keyof FakeServer["keys"];

function pageOf(server: FakeServer, plan: PlanName, limit = 5_000): string {
  const body = JSON.stringify({ spec: SPEC, limit });
  return (
    "POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
    `Authorization: Bearer ${server.keys[plan]}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

function inFlight(server: FakeServer, plan: PlanName): number {
  const { keyId } = server.keyring.authenticate(`Bearer ${server.keys[plan]}`);
  return server.service.rateLimits.inFlight(keyId);
}

async function pageArrives(server: FakeServer, plan: PlanName): Promise<boolean> {
  const headers = {
    authorization: `Bearer ${server.keys[plan]}`,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ spec: SPEC, limit: 5_000 });
  const url = `${server.base}/v1/accounts/search`;
  const answer = await fetch(url, { method: "POST", headers, body });
  return answer.status === 200 && (await answer.text()).length > LARGE_BYTES;
}

for (const transport of TRANSPORTS) {
  describe(`slow readers over ${transport}`, () => {
    let server: FakeServer;
    let readers: SlowReaders[] = [];
    /** Path of a file that belongs to the tenant of the enterprise key. */
    let file: string;
    const start = async (limits: TransportLimits) => {
      const parts = { engine: largeEngine, streams: new Budget(PLACES, SHARE) };
      server = await startFake(transport, parts, limits);
      file = linkOf(server, addFile(server, patternBytes(LARGE_BYTES)));
    };
    afterEach(async () => {
      for (const one of readers) one.close();
      readers = [];
      assert.equal(await settledAt(0, () => server.streams.used), 0, "places are not given back");
      for (const plan of ["growth", "scale", "enterprise"] as const) {
        assert.equal(await settledAt(0, () => inFlight(server, plan)), 0, `${plan}: under way`);
      }
      await server.close();
    });

    const open = (
      request: string,
      count: number,
      pace: [bytes: number, everyMs: number | null],
    ) => {
      const [bytes, everyMs] = pace;
      const { port } = server;
      const opened = openReaders({ port, request: () => request, count, bytes, everyMs });
      readers.push(opened);
      return opened;
    };

    it("use their tenant's share while other tenants' pages and files continue", async () => {
      await start(PATIENT);
      const crowd = open(pageOf(server, "scale"), 40, [1_024, null]);
      await crowd.answered;
      assert.deepEqual([crowd.with(200), crowd.with(429)], [PLACES * SHARE, 36]);
      assert.deepEqual([server.streams.used, inFlight(server, "scale")], [4, 4]);
      for (let round = 0; round < 2; round++) {
        assert.ok(await pageArrives(server, "enterprise"));
        assert.ok((await fetchFile(server.port, file)).whole);
      }
      // The second tenant's clients get a quarter of the streams that the first tenant left free.
      const second = open(pageOf(server, "growth"), 10, [1_024, null]);
      await second.answered;
      assert.deepEqual([second.with(200), second.with(503) + second.with(429)], [3, 7]);
      assert.ok(await pageArrives(server, "enterprise"));
      assert.equal(crowd.reading() + second.reading(), 7);
    });

    it("of files use the share of the export's tenant, although they have no key", async () => {
      await start(PATIENT);
      const crowd = open(get(file), 10, [1_024, null]);
      await crowd.answered;
      assert.deepEqual([crowd.with(200), crowd.with(429)], [4, 6]);
      const refused = await fetch(server.base + file);
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get("retry-after"), "1");
      assert.equal(((await refused.json()) as { code: string }).code, "rate_limited");
      assert.ok(await pageArrives(server, "scale"));
    });

    it("are disconnected below the minimum pace, and not above it, for any content", async () => {
      await start(HURRIED);
      // The requests are for a streamed page, a file, and a buffered answer.
      const requests = [pageOf(server, "scale"), get(file), pageOf(server, "growth", 10)];
      const held = () => server.streams.used + inFlight(server, "growth");
      const steady = requests.map((request) => open(request, 1, [65_536, 50]));
      const slow = requests.map((request) => open(request, 2, [1_024, 100]));
      await Promise.all([...steady, ...slow].map(({ answered }) => answered));
      assert.equal(held(), 9);
      for (let round = 0; round < 100 && held() > 3; round++) await sleep(100);
      assert.equal(held(), 3, "slow ones are not cut off");
      assert.equal(server.sockets.slow, 6, "they are not counted");
      const taken = steady.map(({ readers: [one] }) => one?.taken ?? 0);
      await sleep(1.2 * HURRIED.writeTimeoutMs);
      assert.equal(held(), 3, "steady ones are cut off");
      assert.equal(server.sockets.slow, 6);
      for (const [at, { readers: read }] of steady.entries()) {
        assert.ok((read[0]?.taken ?? 0) > (taken[at] ?? 0) + 500_000, "too slow to prove anything");
      }
    });
  });
}
