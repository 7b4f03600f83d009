/**
 * Proves, with a simulated exchange: a request is answered at most once, for any combination of
 * failures in handler, headers, problem document, sending, counting, and log. A damaged state is
 * reported as such. Partial answers are cut, complete ones are not. Nothing is thrown at the
 * transport or left as an unhandled rejection. After the answer, its snapshot is released, and the
 * log has the id.
 * Does not prove: how the transports implement `cut` (contract/http/server/streams.test.ts,
 * bodies.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { loadPlans } from "../../../../src/access/plans.ts";
import { AppError } from "../../../../src/errors.ts";
import { PUBLIC_TABLE } from "../../../../src/http/api/routes.ts";
import { Budget } from "../../../../src/http/server/admission.ts";
import { dispatcher } from "../../../../src/http/server/dispatch.ts";
import { ResponseCache } from "../../../../src/http/server/responsecache.ts";
import type { Engine, Service } from "../../../../src/http/server/service.ts";
import {
  type AnswerBody,
  isStreamed,
  pull,
} from "../../../../src/http/server/transport/answer-body.ts";
import type { Exchange, ReadHeader } from "../../../../src/http/server/transport/transport.ts";
import { systemClock } from "../../../../src/process/clock.ts";
import { engineOf, fakeParts, fakeSegment } from "../../../support/http/fake.ts";

/** The steps at which a failure can be injected, each independently of the others. */
const FAULTS = ["handler", "headers", "problem", "send", "usage", "telemetry", "log"] as const;

type Fault = (typeof FAULTS)[number];

const BODY = { spec: { filters: { geo: { uf_any_of: ["SP"] } } } };

/** An exchange's calls. */
interface Seen {
  readonly begun: number[];
  readonly sent: number[];
  cuts: number;
  readonly logged: string[];
  /** Bodies that were completely sent. */
  readonly bodies: string[];
  /** Reports of a damaged state that were made while the request was answered. */
  readonly damages: object[];
  /** Number of references to the snapshot that are not yet released. */
  holds: number;
  /** Number of the key's requests in flight. */
  inFlight: number;
}

const newSeen = (): Seen => {
  return {
    begun: [],
    sent: [],
    cuts: 0,
    logged: [],
    bodies: [],
    damages: [],
    holds: 0,
    inFlight: 0,
  };
};

/** A request, with a small answer, or a large one that is streamed. */
interface Scenario {
  readonly faults: ReadonlySet<Fault>;
  readonly large: boolean;
  /** Error that the handler throws in place of a typed error. */
  readonly thrown?: Error;
  /** Number of times that the transport delivers the body. */
  readonly bodies?: number;
}

function exchangeFor({ faults, large, bodies = 1 }: Scenario, seen: Seen): Exchange {
  const headers: Partial<Record<ReadHeader, string>> = {
    "content-type": "application/json",
    "x-request-id": "the-id",
  };
  let over = () => {};
  const send = (status: number, _headers: unknown, body: AnswerBody) => {
    seen.begun.push(status);
    // A streamed body is consumed even if sending fails.
    if (isStreamed(body)) pull(body).end();
    if (faults.has("send")) throw new Error("sending failed");
    seen.sent.push(status);
    if (typeof body === "string") seen.bodies.push(body);
    over();
  };
  return {
    ...{ method: "POST", path: "/v1/accounts/search", query: "", framing: null },
    ...{ address: "127.0.0.1", aborted: false, finished: false, send },
    header: (name) => headers[name],
    keepBody: () => {},
    whenOver: (awaiting) => {
      over = () => awaiting.over();
    },
    body: (wanted) => {
      const limit = large ? 50_000 : 10;
      for (let i = 0; i < bodies; i++) wanted.read(Buffer.from(JSON.stringify({ ...BODY, limit })));
    },
    cut: () => {
      seen.cuts++;
      over();
    },
  };
}

/** Returns an error that cannot be serialized: JSON cannot represent one of its numbers. */
function untellable(): AppError {
  return new AppError("invalid_request", "no", { members: { matches: 1n } });
}

function engineFor({ faults, thrown }: Scenario): Engine {
  const failing = (): void => {
    if (faults.has("problem")) throw untellable();
    if (faults.has("handler")) throw thrown ?? new Error("the handler failed");
  };
  const rows = Array.from({ length: 600 }, (_, i) => i);
  return engineOf({
    ...fakeParts,
    countMatches: () => rows.length,
    search: (...parameters) => {
      failing();
      return fakeParts.search(...parameters);
    },
    searchSliced: () => {
      failing();
      const slices = {
        rowCount: rows.length,
        whole: () => assert.fail("rendered at once"),
        *texts() {
          yield Buffer.from(JSON.stringify(rows));
        },
      };
      return { total: 600, more: false, lastRow: 599, plan: {} as never, slices };
    },
  });
}

function serviceFor(scenario: Scenario, seen: Seen): Service {
  const failing = (fault: Fault): void => {
    if (scenario.faults.has(fault)) throw new Error(`${fault} failed`);
  };
  const segment = fakeSegment();
  const identity = { keyId: "k", tenantId: "t", plan: "enterprise", name: "" };
  const parts = {
    engine: engineFor(scenario),
    keyring: { authenticate: () => identity },
    plans: loadPlans(),
    rateLimits: {
      spend: () => {},
      begin: () => {
        seen.inFlight++;
        return { over: () => seen.inFlight-- };
      },
      fields: () => {
        failing("headers");
        return {};
      },
    },
    usage: { count: () => failing("usage") },
    telemetry: {
      answered: () => failing("telemetry"),
      engine: () => {},
      stateDamaged: (details: object) => {
        seen.damages.push(details);
        failing("log");
      },
    },
    overload: { refuse: () => {} },
    cors: null,
    streams: new Budget(1),
    responses: new ResponseCache(0),
    secrets: { cursor: [Buffer.alloc(32)] },
    clock: systemClock,
    log: {
      error: (details: { readonly request_id: string }) => {
        seen.logged.push(details.request_id);
        failing("log");
      },
    },
    bodyBytesMax: 1_000,
    segment: () => segment,
    replaced: () => null,
    retain: () => {
      seen.holds++;
      return () => {
        seen.holds--;
      };
    },
  };
  return parts as unknown as Service;
}

async function run(scenario: Scenario): Promise<Seen> {
  const seen = newSeen();
  dispatcher(serviceFor(scenario, seen), PUBLIC_TABLE)(exchangeFor(scenario, seen));
  for (let turn = 0; turn < 3; turn++) await sleep(0);
  return seen;
}

/** Every subset of the faults. */
const SETS = Array.from({ length: 2 ** FAULTS.length }, (_, bits) => {
  return new Set(FAULTS.filter((_fault, at) => (bits >> at) & 1));
});

describe("dispatching a request", () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  before(() => process.on("unhandledRejection", note));
  after(() => process.off("unhandledRejection", note));

  for (const large of [false, true]) {
    it(`ends once, for any failure: ${large ? "large" : "small"} pages`, async () => {
      for (const faults of SETS) {
        const name = `${[...faults].join(", ") || "nothing"} failing`;
        const seen = await run({ faults, large });
        assert.equal(seen.begun.length, 1, `begun ${seen.begun}: ${name}`);
        assert.equal(seen.cuts, faults.has("send") ? 1 : 0, `cuts: ${name}`);
        assert.equal(seen.sent.length, faults.has("send") ? 0 : 1, name);
        const failed = ["handler", "headers", "problem"].some((one) => faults.has(one as Fault));
        assert.deepEqual(seen.begun, [failed ? 500 : 200], name);
        const harmless = faults.size === 0 || (faults.size === 1 && faults.has("log"));
        assert.deepEqual(new Set(seen.logged), new Set(harmless ? [] : ["the-id"]), name);
        assert.equal(seen.holds, 0, `holds: ${name}`);
        assert.equal(seen.inFlight, 0, `under way: ${name}`);
      }
      assert.deepEqual(unhandled, []);
    });

    it(`reports a damaged state once: ${large ? "large" : "small"}`, async () => {
      for (const code of ["SQLITE_CORRUPT", "SQLITE_CORRUPT_INDEX", "SQLITE_NOTADB"]) {
        const thrown = Object.assign(new Error("malformed"), { code });
        for (const faults of [["handler"], ["handler", "log"]] as const) {
          const seen = await run({ faults: new Set(faults), large, thrown });
          assert.deepEqual([seen.sent, seen.logged, seen.damages.length], [[500], [], 1]);
          const { code: reported, detail } = JSON.parse(seen.bodies[0] ?? "") as Record<
            string,
            string
          >;
          assert.equal(reported, "state_damaged");
          assert.match(detail ?? "", /operator.*restore a backup/);
          assert.match(JSON.stringify(seen.damages), new RegExp(`"request_id":"the-id".*${code}`));
        }
      }
      assert.deepEqual(unhandled, []);
    });

    it(`ends once if its body arrives twice: ${large ? "large" : "small"} pages`, async () => {
      const seen = await run({ faults: new Set(), large, bodies: 2 });
      assert.deepEqual([seen.begun, seen.sent, seen.cuts], [[200], [200], 0]);
      assert.deepEqual(seen.logged, ["the-id"]);
      assert.equal(seen.holds, 0);
      assert.deepEqual(unhandled, []);
    });
  }
});
