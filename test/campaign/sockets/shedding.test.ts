/**
 * Proves which work an overloaded server refuses, by counting answers in one turn of the event
 * loop that is full of requests. It first refuses large pages, facets, translations, and documents.
 * It refuses small searches and sign-ins only when their own work has used up the time reserved for
 * them. It never refuses checks of health and readiness, or anything in the next turn. Only the
 * work of the engine advances the clock, so counts are exact.
 * Does not prove the definition of a turn (unit/access/rate-limits.test.ts).
 */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Assets } from "../../../src/console/assets.ts";
import { consoleTable } from "../../../src/console/routes.ts";
import { OverloadGuard } from "../../../src/http/server/admission.ts";
import { dispatcher } from "../../../src/http/server/dispatch.ts";
import { SessionAuth } from "../../../src/http/server/session-auth.ts";
import { isStreamed, pull } from "../../../src/http/server/transport/answer-body.ts";
import type { Exchange, ReadHeader } from "../../../src/http/server/transport/transport.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { engineOf, type FakeServer, fakeParts, startFake } from "../../support/http/fake.ts";

const LIMIT_MS = 1_000;
/** Milliseconds that the clock advances for each call of the engine. */
const CALL_MS = 10;
const ROUNDS = 120;

const SPEC = { filters: { geo: { uf_any_of: ["SP"] } } };

/** One request and its body. */
interface Kind {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const SEARCH = { method: "POST", path: "/v1/accounts/search" };
const KINDS = {
  health: { method: "GET", path: "/healthz" },
  ready: { method: "GET", path: "/readyz" },
  metrics: { method: "GET", path: "/metrics" },
  small: { ...SEARCH, body: { spec: SPEC, limit: 50 } },
  count: { method: "POST", path: "/v1/accounts/count", body: { spec: SPEC } },
  signIn: {
    ...{ method: "POST", path: "/v1/console/session" },
    body: { email: "nobody@example.com", password: "a wrong password" },
  },
  large: { ...SEARCH, body: { spec: SPEC, limit: 5_000 } },
  facets: { ...SEARCH, body: { spec: SPEC, limit: 1, facets: ["uf"] } },
  translation: { method: "POST", path: "/v1/leads/translate", body: { text: "padarias em SP" } },
  document: { method: "GET", path: "/docs/errors" },
} as const satisfies Record<string, Kind>;

type KindName = keyof typeof KINDS;

const NEVER: readonly KindName[] = ["health", "ready", "metrics"];
const LAST: readonly KindName[] = ["small", "count", "signIn"];
const FIRST: readonly KindName[] = ["large", "facets", "translation", "document"];

describe("an overloaded server", () => {
  const clock = manualClock();
  const overload = new OverloadGuard(clock, LIMIT_MS);
  let server: FakeServer;
  let handle: (exchange: Exchange) => void;
  before(async () => {
    const spent = <Value>(value: Value): Value => {
      clock.advance(CALL_MS);
      return value;
    };
    const engine = engineOf({
      ...fakeParts,
      search: (...parameters) => spent(fakeParts.search(...parameters)),
      countMatches: (...parameters) => spent(fakeParts.countMatches(...parameters)),
      facets: (...parameters) => spent(fakeParts.facets(...parameters)),
    });
    server = await startFake("node", { engine, overload });
    const sessionAuth = new SessionAuth({ sessions: server.service.sessions, insecureHttp: false });
    const pages = new Assets(join(tmpdir(), "peneira-no-console-here"), sessionAuth);
    handle = dispatcher(server.service, consoleTable(sessionAuth, pages));
  });
  after(() => server.close());

  /** Sends a request of one kind, and passes its status to `answered`, immediately or later. */
  const send = (kind: Kind, answered: (status: number) => void): void => {
    const headers: Partial<Record<ReadHeader, string>> = {
      authorization: `Bearer ${server.keys.enterprise}`,
      "content-type": "application/json",
      host: "localhost",
    };
    handle({
      ...{ method: kind.method, path: kind.path, query: "", framing: null },
      ...{ address: "127.0.0.1", aborted: false, finished: false, cut: () => assert.fail("cut") },
      header: (name) => headers[name],
      keepBody: () => {},
      whenOver: (awaiting) => awaiting.over(),
      body: (wanted) => wanted.read(Buffer.from(JSON.stringify(kind.body))),
      send: (status, _headers, body) => {
        if (isStreamed(body)) pull(body).end();
        answered(status);
      },
    });
  };

  /** Runs one turn with this many requests of each kind, alternating. Returns the statuses. */
  const turn = async (rounds: number): Promise<Record<KindName, number[]>> => {
    const names = Object.keys(KINDS) as KindName[];
    const statuses = Object.fromEntries(names.map((name) => [name, []])) as never;
    const seen: Record<KindName, number[]> = statuses;
    overload.tick();
    for (let round = 0; round < rounds; round++) {
      for (const name of names) send(KINDS[name], (status) => (seen[name][round] = status));
    }
    for (let look = 0; look < 300 && names.some((name) => !full(seen[name])); look++) {
      await sleep(10);
    }
    for (const name of names) assert.ok(full(seen[name]), `${name} got no answer`);
    return seen;

    function full(list: readonly number[]): boolean {
      return Object.keys(list).length === rounds;
    }
  };

  it("answers all kinds of requests under light load", async () => {
    const seen = await turn(1);
    const shed = Object.entries(seen).filter(([, [status]]) => status === 503);
    assert.deepEqual(shed, []);
  });

  it("sheds deferrable requests first, interactive ones last, and monitoring never", async () => {
    const seen = await turn(ROUNDS);
    const answered = (name: KindName) => seen[name].indexOf(503);
    for (const name of NEVER) assert.equal(answered(name), -1, name);
    for (const name of [...FIRST, ...LAST]) {
      // Before the first refusal, all requests are answered, and after it, all are refused.
      assert.ok(
        seen[name].slice(answered(name)).every((status) => status === 503),
        name,
      );
    }
    // In each round, four requests call the engine. Once the kinds that can be deferred are
    // refused, only two do. Large pages are computed in another turn.
    const early = Math.ceil(LIMIT_MS / 2 / (4 * CALL_MS));
    const late = early + Math.ceil(LIMIT_MS / 2 / (2 * CALL_MS));
    for (const name of FIRST) assert.ok(Math.abs(answered(name) - early) <= 1, name);
    for (const name of LAST) assert.ok(Math.abs(answered(name) - late) <= 1, name);
  });

  it("answers all kinds again in the next turn of the event loop", async () => {
    const seen = await turn(2);
    for (const [name, statuses] of Object.entries(seen)) {
      assert.ok(!statuses.includes(503), name);
    }
  });
});
