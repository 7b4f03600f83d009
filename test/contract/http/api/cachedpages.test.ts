/**
 * Proves, over real sockets on both transports, with the engine and two snapshots: a server with a
 * response cache answers random searches with the bytes of a server without one. Two tenants with
 * three keys repeat the searches, interleaved and across a change of the snapshot, with cursors,
 * facets, ETags, and mistakes. The cache's memory stays within its limits. Both servers charge the
 * same units, refuse the same requests, and have the same 304 answers, usage counts, and log lines.
 * They treat a disabled key or tenant and a damaged snapshot equally. Each answer has its own
 * request id and time.
 * Does not prove: the order of eviction (unit/http/server).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { RateLimits } from "../../../../src/access/limits.ts";
import { loadPlans } from "../../../../src/access/plans.ts";
import { ResponseCache } from "../../../../src/http/server/responsecache.ts";
import type { Service } from "../../../../src/http/server/service.ts";
import { type ManualClock, manualClock } from "../../../../src/process/clock.ts";
import { ENGINE } from "../../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { FACETS } from "../../../../src/spec/facets.ts";
import { decodeSnapshot } from "../../../support/formats/decode.ts";
import { type FakeServer, fakeSegment, poison, startFake } from "../../../support/http/fake.ts";
import { MATRIX, SEED, tries } from "../../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";
import { Draw, randomSpecInput, seededRng } from "../../../support/spec/random.ts";
import type { TwinRow } from "../../../support/twin.ts";

/** Cache sizes in bytes. AMPLE suffices for all requests here, SCARCE only for some of them. */
const AMPLE = 16_777_216;
const SCARCE = 150_000;
/** Number of different queries, each of which is repeated. */
const QUESTIONS = 40;

const engine = ENGINE;

const samples: SampleSnapshot[] = [];
let rows: readonly TwinRow[];
before(async () => {
  for (const [seed, label] of [[5, "2026-09"] as const, [6, "2026-10"] as const]) {
    samples.push(await makeSampleSnapshot(700, seed, label));
  }
  rows = decodeSnapshot((samples[0] as SampleSnapshot).snapshot).rows;
});
after(() => {
  for (const sample of samples) sample.dispose();
});

const SEARCH = "/v1/accounts/search";

interface PageRequest {
  readonly path?: string;
  readonly body: string;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request. Returns all that a client sees of the answer, except date and time. */
async function send(server: FakeServer, { path = SEARCH, body, key, headers = {} }: PageRequest) {
  const answer = await fetch(server.base + path, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", authorization: `Bearer ${key}` },
      ...{ "x-request-id": "the-same", ...headers },
    },
    body,
  });
  const { date: _, ...seen } = Object.fromEntries(answer.headers);
  return { status: answer.status, seen, text: await answer.text() };
}

/** Two servers with the same keys, secrets, and fixed time. Only one of them has a cache. */
class Pair {
  readonly clock: ManualClock = manualClock(1_790_000_000_000);
  readonly memory: ResponseCache;
  readonly #servers: FakeServer[] = [];
  #replaced: Segment | null = null;

  constructor(bytesMax: number) {
    this.memory = new ResponseCache(bytesMax);
  }

  async start(transport: "uws" | "node", segment: Segment, own: () => Partial<Service>) {
    const parts = (responses: ResponseCache) => {
      const replaced: Service["replaced"] = (belongs) =>
        this.#replaced !== null && belongs(this.#replaced.snapshotId) ? this.#replaced : null;
      return { clock: this.clock, responses, replaced, ...own() };
    };
    const one = await startFake(transport, parts(this.memory));
    const { keyring, secrets } = one.service;
    const shared = { keyring, secrets };
    const other = await startFake(transport, { ...parts(new ResponseCache(0)), ...shared });
    this.#servers.push(one, other);
    this.load(segment, null);
  }

  get servers(): readonly [remembering: FakeServer, other: FakeServer] {
    return this.#servers as unknown as readonly [FakeServer, FakeServer];
  }

  load(segment: Segment, replaced: Segment | null): void {
    this.#replaced = replaced;
    this.memory.serve(segment);
    for (const server of this.#servers) server.load(segment);
  }

  /** Sends a request to both servers and asserts that the answers are the same. */
  async send(request: PageRequest) {
    const [one, other] = await Promise.all(this.servers.map((server) => send(server, request)));
    assert.deepEqual(one, other, request.body);
    return one as Awaited<ReturnType<typeof send>>;
  }

  async close(): Promise<void> {
    for (const server of [...this.#servers].reverse()) await server.close();
  }
}

/** Returns a new key, of a new tenant or an existing one. */
function keyOf({ servers: [{ keyring }] }: Pair, tenant: string, plan = "enterprise"): string {
  return keyring.create({ tenant, plan, name: "" }).key;
}

/** Returns bodies of searches. Some contain a mistake. */
function bodiesOf(draw: Draw, segment: Segment): Record<string, unknown>[] {
  return Array.from({ length: QUESTIONS }, () => ({
    spec: randomSpecInput(draw, segment.catalog, rows),
    ...draw.some([
      ["limit", 0.5, () => draw.of([3, 50, 500, -1])],
      ["facets", 0.15, () => [draw.of(FACETS)]],
      ["unknown", 0.03, () => true],
    ]),
  }));
}

for (const transport of MATRIX) {
  for (const bytesMax of [AMPLE, SCARCE]) {
    describe(`searches with a response cache of ${bytesMax} bytes over ${transport}`, () => {
      const pair = new Pair(bytesMax);
      const segments: Segment[] = [];
      before(async () => {
        for (const { snapshot } of samples) segments.push(await openSegment(snapshot));
        const own = () => ({ engine, rateLimits: new RateLimits(pair.clock) });
        await pair.start(transport, segments[0] as Segment, own);
      });
      after(async () => {
        await pair.close();
        for (const segment of segments) segment.close();
      });

      it("return the same answers as a server without a cache", async () => {
        const draw = new Draw(seededRng(SEED));
        const [older, newer] = segments as [Segment, Segment];
        const keys = [keyOf(pair, "one"), keyOf(pair, "two"), keyOf(pair, "one", "free")];
        const bodies = bodiesOf(draw, older);
        /** For each body, the cursor and ETag of its latest answer. */
        const given = new Map<object, { cursor: string | null; tag: string }>();
        const steps = 2 * tries("served specs");
        for (let step = 0; step < steps; step++) {
          if (step === Math.floor(steps / 2)) pair.load(newer, older);
          // Some bodies are sent far more often than others.
          const body = bodies[Math.min(draw.below(QUESTIONS), draw.below(QUESTIONS))] as object;
          const { cursor = null, tag = "" } = given.get(body) ?? {};
          const further = cursor !== null && draw.chance(0.3);
          const { limit: _, ...rest } = body as { limit?: number };
          const sent = further ? { ...rest, cursor } : body;
          const headers = draw.chance(0.1) ? { "if-none-match": tag } : {};
          const text = JSON.stringify(sent);
          const answer = await pair.send({ body: text, key: draw.of(keys), headers });
          assert.ok(pair.memory.bytes <= bytesMax);
          if (answer.status !== 200) continue;
          const page = JSON.parse(answer.text) as { next_cursor: string | null };
          given.set(body, { cursor: page.next_cursor, tag: answer.seen.etag as string });
        }
        const { hits, misses } = pair.memory;
        assert.ok(hits > steps / 10 && misses > steps / 10, `${hits} remembered, ${misses} not`);
        const [one, other] = pair.servers;
        for (const { tenantId } of one.keyring.list()) {
          const used = [one, other].map(({ service }) => service.usage.today(tenantId));
          assert.deepEqual(used[0], used[1]);
        }
        const lines = [one, other].map(({ logged }) => logged.map(withoutTime));
        assert.deepEqual(lines[0], lines[1]);
      });

      it("return the same answers for leads, by query and by sentence", async () => {
        const key = keyOf(pair, "leads");
        const [, newer] = segments as [Segment, Segment];
        pair.load(newer, null);
        const bodies = [
          ...["SP", "MG", "BA", "RS"].map((uf) => {
            return { spec: { kind: "lead_query", states: [uf] }, limit: 5 };
          }),
          { query_text: "padarias em São Paulo com e-mail" },
          { query_text: "restaurantes ativos abertos desde 2010 em Minas Gerais", limit: 3 },
          { query_text: "nothing of this is known" },
          { spec: { kind: "lead_query" } },
        ];
        const { hits } = pair.memory;
        const statuses = new Set<number>();
        for (let time = 0; time < 4; time++) {
          for (const body of bodies) {
            const request = { path: "/v1/leads", body: JSON.stringify(body), key };
            statuses.add((await pair.send(request)).status);
          }
        }
        assert.deepEqual([...statuses].sort(), [200, 422]);
        if (bytesMax === AMPLE) assert.equal(pair.memory.hits - hits, 2 * (bodies.length - 2));
        // The cache must not answer a route with the page of another route for the same body.
        for (const path of [SEARCH, "/v1/leads", SEARCH]) {
          await pair.send({ path, body: JSON.stringify(bodies[0]), key });
        }
      });
    });
  }

  describe(`a cached search over ${transport}`, () => {
    const pair = new Pair(AMPLE);
    /** Returns rate limits for one server, with the product's plans. */
    const own = () => ({ plans: loadPlans(), rateLimits: new RateLimits(pair.clock) });
    const body = JSON.stringify({ spec: { filters: { geo: { uf_any_of: ["SP"] } } }, limit: 50 });
    const segment = fakeSegment();
    before(() => pair.start(transport, segment, own));
    after(() => pair.close());

    /** Repeats a request until its answer is cached, and asserts that it is cached. */
    async function remembered(key: string, text = body): Promise<void> {
      for (let i = 0; i < 2; i++) await pair.send({ body: text, key });
      const { hits } = pair.memory;
      await pair.send({ body: text, key });
      assert.equal(pair.memory.hits, hits + 1);
    }

    it("has its own request id and time", async () => {
      const key = keyOf(pair, "own");
      await remembered(key);
      const [server] = pair.servers;
      const [first, second] = [await sendAs("first"), await sendAs("second")];
      assert.equal(second.replace('"second"', '"first"'), first);
      assert.match(second, /^\{"request_id":"second",.*"took_ms":0\}$/);

      async function sendAs(id: string): Promise<string> {
        return (await send(server, { body, key, headers: { "x-request-id": id } })).text;
      }
    });

    it("is counted as a search, for the scheduling of exports", async (test) => {
      const key = keyOf(pair, "counted");
      await remembered(key);
      const [server] = pair.servers;
      const counted = test.mock.method(server.service.telemetry, "remembered");
      await send(server, { body, key });
      assert.equal(counted.mock.callCount(), 1);
    });

    it("is not shared with another tenant or another plan", async () => {
      await remembered(keyOf(pair, "mine"));
      const { hits } = pair.memory;
      await pair.send({ body, key: keyOf(pair, "yours") });
      await pair.send({ body, key: keyOf(pair, "mine", "free") });
      assert.equal(pair.memory.hits, hits);
      await pair.send({ body, key: keyOf(pair, "mine") });
      assert.equal(pair.memory.hits, hits + 1, "another key of the tenant and plan");
    });

    it("reveals nothing about another tenant's requests", async () => {
      const text = body.replace("SP", "RO");
      const [queries, watches] = [keyOf(pair, "asks"), keyOf(pair, "watches")];
      for (let i = 0; i < 2; i++) await pair.send({ body: text, key: queries });
      const { hits } = pair.memory;
      for (let i = 0; i < 2; i++) await pair.send({ body: text, key: watches });
      assert.equal(pair.memory.hits, hits, "as if nobody else had asked");
      await pair.send({ body: text, key: watches });
      assert.equal(pair.memory.hits, hits + 1);
      await pair.send({ body: text, key: queries });
      assert.equal(pair.memory.hits, hits + 2, "and who asked first still finds it");
    });

    it("costs the same as an uncached one, and is rejected without budget", async () => {
      const key = keyOf(pair, "spender", "free");
      const several = JSON.stringify({ ...JSON.parse(body), facets: ["uf", "cnae_division"] });
      const { hits } = pair.memory;
      const statuses: number[] = [];
      for (let i = 0; i <= loadPlans().free.limits.burst; i++) {
        statuses.push((await pair.send({ body: several, key })).status);
      }
      assert.equal(statuses.at(-1), 429);
      assert.ok(pair.memory.hits > hits);
    });

    it("returns 304 for a matching tag", async () => {
      const key = keyOf(pair, "caching");
      await remembered(key);
      const { seen } = await pair.send({ body, key });
      const headers = { "if-none-match": seen.etag as string };
      const { status, text } = await pair.send({ body, key, headers });
      assert.deepEqual([status, text], [304, ""]);
    });

    it("is refused to a disabled key or tenant", async () => {
      const [{ keyring }] = pair.servers;
      const key = keyOf(pair, "stopped");
      await remembered(key);
      const row = keyring.pick({ id: key });
      keyring.disable(row);
      assert.equal((await pair.send({ body, key })).status, 403);
      keyring.enable(row);
      assert.equal((await pair.send({ body, key })).status, 200);
      keyring.setTenantDisabled("stopped", true);
      assert.equal((await pair.send({ body, key })).status, 403);
    });

    it("is refused for a damaged snapshot, and evicted with it", async () => {
      const key = keyOf(pair, "damaged");
      await remembered(key);
      poison(segment);
      assert.equal((await pair.send({ body, key })).status, 503);
      pair.load(fakeSegment("2026-11", "beefbeefbeefbeef"), null);
      assert.equal(pair.memory.bytes, 0);
      const { text } = await pair.send({ body, key });
      assert.match(text, /"snapshot":"2026-11"/);
    });
  });
}

/** Returns a log line without its time. */
function withoutTime(line: string): string {
  return line.replace(/"time":"[^"]*"/, "");
}
