/**
 * Proves, with real servers on both transports and a real snapshot: the answer to any request
 * matches the OpenAPI document, with its request id and security headers. No answer is a 5xx other
 * than `overloaded`. Accepted requests match the documented shape. No answer has a key. Every
 * well-formed request is answered, and the server then stops gracefully. For a longer run with
 * progress reports, use `node build.mjs campaign requests --rounds 1000000 --seed 7`, and for one
 * transport only, TEST_TRANSPORT=node.
 * Does not prove: that accepted requests are answered correctly (campaign/twin/*.test.ts), nor
 * memory safety.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { PUBLIC_TABLE } from "../../../src/http/api/routes.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { withKeyring } from "../../support/export/client.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { type WireAnswer, WireConnection } from "../../support/fuzz/client.ts";
import { type FuzzRequest, type FuzzWorld, fuzzRequest } from "../../support/fuzz/requests.ts";
import { assertDocumented, fitsRequest, takesFile } from "../../support/http/documented.ts";
import { SEED, tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";

const REQUESTS = tries("requests");
const { TEST_TRANSPORT } = process.env;
const TRANSPORTS = TEST_TRANSPORT === undefined ? ["uws", "node"] : [TEST_TRANSPORT];
const CONNECTIONS = 12;
/** Milliseconds between two progress reports of a long run. */
const PROGRESS_MS = 10_000;
/** Maximum number of pipelined requests in one run, which is a sequence that is sent together. */
const RUN_MAX = 8;
/** Maximum number of ids, cursors, links, and tags that are kept of each kind. */
const RETAINED_MAX = 60;

/** Statuses with which the HTTP layer answers bytes that are no valid request. */
const BELOW = [400, 408, 431, 505];

/**
 * Statuses that must occur, which shows that the fuzzer reaches all cases. A 409 is left out,
 * because it depends on chance.
 */
const WANTED = [
  ...[200, 201, 204, 206, 303, 304],
  ...[401, 403, 404, 405, 413, 415, 416, 422, 429],
];

let sample: SampleSnapshot;
let segment: Segment;
let rows: FuzzWorld["rows"];
before(async () => {
  sample = await makeSampleSnapshot(1_000, 9);
  segment = await openSegment(sample.snapshot);
  rows = decodeSnapshot(sample.snapshot).rows;
});
after(() => {
  segment.close();
  sample.dispose();
});

/** Makes keys of two plans, and a disabled one. */
function keysOf({ dataDir, key }: ServerProcess): FuzzWorld["keys"] {
  return withKeyring(dataDir, (keyring) => {
    const small = keyring.create({ tenant: "small", plan: "free", name: "" });
    const gone = keyring.create({ tenant: "small", plan: "free", name: "gone" });
    keyring.disable(keyring.pick({ id: gone.keyId }));
    return { good: key, small: small.key, disabled: gone.key };
  });
}

/** Stores ids, cursors, links, and tags for later requests. */
function learn(world: FuzzWorld, { path, method }: FuzzRequest, answer: WireAnswer): void {
  const keep = <Value>(list: Value[], value: Value) => {
    list.push(value);
    if (list.length > RETAINED_MAX) list.shift();
  };
  const { status, headers, body } = answer;
  if (headers.etag !== undefined) keep(world.tags, headers.etag);
  if (status === 303) keep(world.links, headers.location ?? "");
  const [, kind, id] = /^\/v1\/(exports|lists)\/(.+)$/.exec(headers.location ?? "") ?? [];
  if (status === 201 && id !== undefined) keep(kind === "lists" ? world.lists : world.ids, id);
  if (status !== 200 || method !== "POST" || !path.endsWith("/search")) return;
  const cursor = /"next_cursor":"([^"]+)"/.exec(body)?.[1];
  if (cursor === undefined) return;
  keep(world.pages, { spec: (JSON.parse(body) as { readonly spec: unknown }).spec, cursor });
}

function check(request: FuzzRequest, answer: WireAnswer): void {
  const { method, path } = request;
  const { status, body } = answer;
  assert.notEqual(status, 500, body);
  if (status === 503) assert.match(body, /"code":"overloaded"/);
  const below = BELOW.includes(status) && answer.headers["x-request-id"] === undefined;
  if (request.loose) {
    // The transport may reject this request, so the right answer is unknown. A request id
    // shows that the server itself answered.
    assert.ok(below || answer.headers["x-request-id"] !== undefined, `status ${status}`);
    assert.ok(!/pnr_[0-9a-f]{4}/.test(body), "a key is in the answer");
    return;
  }
  const accept = /\r\nAccept: *([^\r]*)/i.exec(request.bytes.toString("latin1"))?.[1];
  assertDocumented({ method, path, ...answer, accept });
  if (status >= 300 || method !== "POST") return;
  const route = PUBLIC_TABLE.at(path.replace(/\?.*$/, ""))?.path ?? "";
  const fits =
    request.file === null
      ? fitsRequest(method, route, request.body)
      : takesFile(method, route, request.file);
  assert.ok(fits, "accepted, but not of the documented shape");
}

/**
 * Maximum share of runs that end early. uWebSockets.js closes a connection whose next request
 * arrives while an answer is pending, which happens if an answer takes more than 10 ms. On a busy
 * machine, any request can take that long.
 */
const CUT_PART_MAX = 0.02;

/**
 * Number of threads of the server. With several threads, any run with a forwarded request may end
 * early; see docs/limits.md.
 */
const THREADS = Number(process.env.PENEIRA_HTTP_THREADS ?? 1);

/** The requests of one connection. */
class Fuzzing {
  readonly #connection: WireConnection;
  readonly #draw: Draw;
  readonly #world: FuzzWorld;
  readonly #seen: Map<number, number>;
  /** Number of runs with several requests. `cut` counts those that ended early. */
  runs = 0;
  cut = 0;

  constructor(
    connection: WireConnection,
    seed: number,
    world: FuzzWorld,
    seen: Map<number, number>,
  ) {
    this.#connection = connection;
    this.#draw = new Draw(seededRng(seed));
    this.#world = world;
    this.#seen = seen;
  }

  async run(count: number): Promise<void> {
    for (let sent = 0; sent < count; ) {
      const requests = this.#next();
      await this.#request(requests);
      sent += requests.length;
    }
  }

  /** Returns some requests with immediate answers, or one with a delayed answer. */
  #next(): FuzzRequest[] {
    const requests: FuzzRequest[] = [];
    const length = 1 + this.#draw.below(RUN_MAX);
    while (requests.length < length) {
      const request = fuzzRequest(this.#draw, this.#world);
      if (request.alone) return [request];
      requests.push(request);
    }
    return requests;
  }

  async #request(requests: readonly FuzzRequest[]): Promise<void> {
    const [first] = requests as [FuzzRequest];
    const bytes = Buffer.concat(requests.map((request) => request.bytes));
    if (first.resets === true) return this.#connection.reset(bytes);
    const heads = requests.map(({ method }) => method === "HEAD");
    const { answers, ended } = await this.#connection.run(bytes, heads, first.loose);
    if (first.closes) this.#connection.close();
    this.#checkAnswers(requests, answers);
    if (requests.length > 1) this.runs++;
    if (first.loose || answers.length === requests.length) return;
    if (ended && requests.length > 1 && !this.#world.waitsInLine) {
      // Repeats the unanswered requests one by one.
      this.cut++;
      for (const request of requests.slice(answers.length)) await this.#request([request]);
      return;
    }
    const statuses = answers.map(({ status }) => status).join(" ");
    const sent = JSON.stringify(bytes.toString("latin1").slice(0, 8_000));
    assert.fail(`answered ${statuses}, then ${ended ? "closed" : "late"}: ${sent}`);
  }

  #checkAnswers(requests: readonly FuzzRequest[], answers: readonly WireAnswer[]): void {
    for (const [at, answer] of answers.entries()) {
      const request = requests[at] ?? (requests[0] as FuzzRequest);
      this.#seen.set(answer.status, (this.#seen.get(answer.status) ?? 0) + 1);
      try {
        check(request, answer);
      } catch (error) {
        const sent = JSON.stringify(request.bytes.toString("latin1").slice(0, 4_000));
        throw new Error(`${(error as Error).message}\nsent: ${sent}`);
      }
      learn(this.#world, request, answer);
    }
  }
}

for (const transport of TRANSPORTS) {
  describe(`random requests over ${transport}`, () => {
    let server: ServerProcess;
    before(async () => {
      const dataDir = join(sample.folder, `state-${transport}`);
      server = await startServerProcess({ snapshot: sample.snapshot, dataDir, transport });
    });
    after(() => stopServerProcess(server));

    it(`are answered as documented, seed ${SEED}`, async (context: TestContext) => {
      const catalog = {
        ...segment.catalog,
        // The fuzzer uses a sample, because choosing from all municipalities would take longer than
        // the requests.
        municipalities: segment.catalog.municipalities.filter((_, at) => at % 40 === 0),
      };
      const seen = new Map<number, number>();
      const nothing = { ids: [], lists: [], links: [], tags: [], pages: [] };
      const waitsInLine = transport === "node";
      const world: FuzzWorld = { catalog, rows, keys: keysOf(server), waitsInLine, ...nothing };
      const port = Number(new URL(server.base).port);
      const share = Math.ceil(REQUESTS / TRANSPORTS.length / CONNECTIONS);
      const began = performance.now();
      const connections = Array.from({ length: CONNECTIONS }, () => new WireConnection(port));
      const lanes = connections.map(
        (connection, lane) => new Fuzzing(connection, SEED + lane, world, seen),
      );
      const progress = setInterval(() => {
        const answers = [...seen.values()].reduce((sum, count) => sum + count, 0);
        const seconds = Math.round((performance.now() - began) / 1000);
        const wanted = share * CONNECTIONS;
        process.stderr.write(`${transport}: ${answers} of ${wanted} answers in ${seconds} s\n`);
      }, PROGRESS_MS);
      if (REQUESTS <= 50_000) clearInterval(progress);
      await Promise.all(lanes.map((lane) => lane.run(share))).finally(() => {
        clearInterval(progress);
        for (const connection of connections) connection.close();
      });
      const seconds = (performance.now() - began) / 1000;
      const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
      const shares = [...seen].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
      context.diagnostic(`seed ${SEED}: ${total} answers in ${seconds.toFixed(1)} s`);
      context.diagnostic(shares.join(", "));
      assert.ok(total > 0.95 * share * CONNECTIONS, "too few answers");
      const sum = (count: "runs" | "cut") => lanes.reduce((all, lane) => all + lane[count], 0);
      context.diagnostic(`${sum("cut")} of ${sum("runs")} runs ended early`);
      const most = THREADS > 1 && transport === "uws" ? 1 : CUT_PART_MAX;
      assert.ok(sum("cut") <= most * sum("runs"), "too many runs ended early");
      if (REQUESTS < 50_000) return;
      assert.deepEqual(
        WANTED.filter((status) => !seen.has(status)),
        [],
        "statuses that never came up",
      );
    });
  });
}
