/**
 * Proves, on both transports: what each endpoint answers in each state of an export with each
 * parameter; that ids of others, deleted and malformed ones are answered by the same bytes; that
 * repeating a creation is safe; that a waiting read wakes, times out, and holds nothing once its
 * client is gone. Does not prove that files are rendered: the exporter is a model in memory here
 * (export-e2e.test.ts has the real one); lists are in http-export-list.test.ts.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../src/errors.ts";
import { EXPORT_FAILURES } from "../src/export/record.ts";
import {
  type FakeServer,
  fakeEngine,
  fakeSegment,
  sendRaw,
  startFake,
  TEST_LIMITS,
  TRANSPORTS,
} from "./http-fake.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
const FILE = Buffer.from("cnpj\r\n10000000000000\r\n");

interface Created {
  readonly export: Readonly<Record<string, unknown>> & { readonly export_id: string };
  readonly spec: object;
  readonly code?: string;
}

let keys = 0;
const freshKey = () => `test-${keys++}`;

interface Asked {
  readonly plan?: "free" | "scale" | "enterprise";
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(server: FakeServer, path: string, asked: Asked = {}): Promise<Response> {
  const { plan = "enterprise", method = "GET", headers = {} } = asked;
  const authorization = `Bearer ${server.keys[plan]}`;
  const options = { method, headers: { authorization, ...headers }, redirect: "manual" } as const;
  return fetch(server.base + path, options);
}

function post(
  server: FakeServer,
  body: object,
  key = freshKey(),
  plan: Asked["plan"] = "enterprise",
) {
  return fetch(`${server.base}/v1/exports`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      "content-type": "application/json",
      "idempotency-key": key,
      authorization: `Bearer ${server.keys[plan]}`,
    },
  });
}

/** Creates an export and gives its id. */
async function make(server: FakeServer, format = "csv"): Promise<string> {
  const answer = await post(server, { spec: SP, output: { format } });
  assert.equal(answer.status, 201);
  return ((await answer.json()) as Created).export.export_id;
}

/** Brings an export into each state that an endpoint can meet, and gives the id to ask for. */
const SITUATIONS = {
  queued: (_server: FakeServer, id: string) => id,
  running: ({ exporter }: FakeServer, id: string) => {
    exporter.run(id);
    return id;
  },
  done: ({ exporter }: FakeServer, id: string) => exporter.finish(id, FILE).id,
  failed: ({ exporter }: FakeServer, id: string) => {
    exporter.fail(id, "disk_full");
    return id;
  },
  expired: ({ exporter }: FakeServer, id: string) => exporter.finish(id, FILE, 0).id,
  deleted: ({ exporter, ...server }: FakeServer, id: string) => {
    exporter.remove(tenantOf(server as FakeServer), id);
    return id;
  },
  unknown: () => `exp_${"0".repeat(32)}`,
  malformed: () => "exp_0",
} as const;

/** The tenants of the fake server are called after their plans. */
function tenantOf({ keyring }: Pick<FakeServer, "keyring">, tenant = "enterprise"): string {
  return keyring.list().find((row) => row.tenant === tenant)?.tenantId as string;
}

type Outcome =
  | number
  | "EXPORT_NOT_READY"
  | "EXPORT_FAILED"
  | "export_expired"
  | "export_not_found";

/** Status, or code of the error, by situation and request. */
const OUTCOMES: Readonly<Record<keyof typeof SITUATIONS, readonly [Outcome, Outcome, Outcome]>> = {
  queued: [200, "EXPORT_NOT_READY", "EXPORT_NOT_READY"],
  running: [200, "EXPORT_NOT_READY", "EXPORT_NOT_READY"],
  done: [200, 200, 303],
  failed: [200, "EXPORT_FAILED", "EXPORT_FAILED"],
  expired: ["export_expired", "export_expired", "export_expired"],
  deleted: ["export_not_found", "export_not_found", "export_not_found"],
  unknown: ["export_not_found", "export_not_found", "export_not_found"],
  malformed: ["export_not_found", "export_not_found", "export_not_found"],
};

/** Requests whose outcome is that of plain reads, of required ends, and of downloads. */
const REQUESTS: readonly (readonly string[])[] = [
  ["", "?wait=0", "?wait=1"],
  ["?require=done", "?require=done&wait=0", "?wait=1&require=done", "?wait=%30&require=done"],
  ["/download"],
];

const STATUS = {
  EXPORT_NOT_READY: 409,
  EXPORT_FAILED: 409,
  export_expired: 410,
  export_not_found: 404,
} as const;

async function checkOutcome(answer: Response, outcome: Outcome): Promise<void> {
  const text = await answer.text();
  if (typeof outcome === "number") {
    assert.equal(answer.status, outcome, text);
    return;
  }
  assert.equal(answer.status, STATUS[outcome], text);
  const body = JSON.parse(text) as Record<string, unknown>;
  assert.equal(body.code, outcome);
  assert.equal(answer.headers.get("location"), null);
  const notReady = outcome === "EXPORT_NOT_READY";
  assert.equal(answer.headers.get("retry-after"), notReady ? "2" : null);
  if (outcome !== "EXPORT_FAILED") return;
  assert.equal(body.reason, "disk_full");
  assert.equal(body.detail, EXPORT_FAILURES.disk_full);
}

for (const transport of TRANSPORTS) {
  describe(`an export over ${transport}`, { concurrency: 16 }, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    for (const [situation, arrange] of Object.entries(SITUATIONS)) {
      const outcomes = OUTCOMES[situation as keyof typeof SITUATIONS];
      for (const [at, suffixes] of REQUESTS.entries()) {
        for (const suffix of suffixes) {
          it(`that is ${situation}, asked for with "${suffix}"`, async () => {
            const id = arrange(server, await make(server));
            const path = `/v1/exports/${id}${suffix}`;
            const [answer, head] = await Promise.all([
              ask(server, path),
              ask(server, path, { method: "HEAD" }),
            ]);
            await checkOutcome(answer, outcomes[at] as Outcome);
            assert.deepEqual([head.status, await head.text()], [answer.status, ""]);
          });
        }
      }

      it(`that is ${situation} can be deleted, once`, async () => {
        const id = arrange(server, await make(server));
        const there = outcomes[0] !== "export_not_found";
        const first = await ask(server, `/v1/exports/${id}`, { method: "DELETE" });
        assert.equal(first.status, there ? 204 : 404);
        if (there) {
          assert.equal(await first.text(), "");
          assert.equal(first.headers.get("content-type"), null);
          assert.match(first.headers.get("x-request-id") ?? "", /^req_/);
        }
        for (const suffix of ["", "/download", "?wait=60"]) {
          await checkOutcome(await ask(server, `/v1/exports/${id}${suffix}`), "export_not_found");
        }
        const again = await ask(server, `/v1/exports/${id}`, { method: "DELETE" });
        await checkOutcome(again, "export_not_found");
      });
    }

    it("has exactly the members of its state", async () => {
      const id = await make(server, "html");
      const read = async () => (await ask(server, `/v1/exports/${id}`)).json();
      const record = {
        export_id: id,
        status: "queued",
        format: "html",
        snapshot: "2026-10",
        snapshot_date: "2026-10-10",
        row_count: null,
        size_bytes: null,
        expires_at: null,
        download_url: null,
      };
      assert.deepEqual(await read(), record);
      server.exporter.run(id);
      const running = { ...record, status: "running", progress: 0.5, rows_written: 125 };
      assert.deepEqual(await read(), running);
      const { sha256, expiresAtMs } = server.exporter.finish(id, FILE);
      assert.deepEqual(await read(), {
        ...record,
        status: "done",
        row_count: 250,
        size_bytes: FILE.byteLength,
        expires_at: new Date(expiresAtMs as number).toISOString(),
        download_url: `/v1/exports/${id}/download`,
        sha256,
      });
    });

    it("that failed says why, for each reason", async () => {
      for (const code of Object.keys(EXPORT_FAILURES) as (keyof typeof EXPORT_FAILURES)[]) {
        const id = await make(server);
        server.exporter.fail(id, code);
        const record = (await (await ask(server, `/v1/exports/${id}`)).json()) as Created["export"];
        assert.deepEqual(record.error, { code, detail: EXPORT_FAILURES[code] });
        assert.deepEqual([record.row_count, record.download_url], [null, null]);
      }
    });

    it("of another tenant is answered by the same bytes as one that never was", async () => {
      const id = await make(server);
      const done = SITUATIONS.done(server, await make(server));
      const ids = [id, done, SITUATIONS.unknown(), "exp_0", "x".repeat(300), "%E2%82%AC"];
      for (const [method, suffix] of [
        ["GET", ""],
        ["GET", "?wait=1&require=done"],
        ["GET", "/download"],
        ["DELETE", ""],
      ] as const) {
        const seen = new Set<string>();
        for (const one of ids) {
          const headers = { "x-request-id": "same" };
          const asked = { method, headers, plan: "scale" } as const;
          const answer = await ask(server, `/v1/exports/${one}${suffix}`, asked);
          const kept = [...answer.headers].filter(([name]) => name !== "date");
          seen.add(JSON.stringify([answer.status, kept, await answer.text()]));
        }
        assert.equal(seen.size, 1, [...seen].join("\n"));
        assert.match([...seen][0] as string, /^\[404,.*export_not_found/);
      }
      assert.equal((await ask(server, `/v1/exports/${id}`)).status, 200);
    });

    it("leads to a signed link, relative whatever the Host", async () => {
      const id = SITUATIONS.done(server, await make(server, "xlsx"));
      const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
      const answer = await ask(server, `/v1/exports/${id}/download`, { headers });
      assert.equal(answer.status, 303);
      const shape = new RegExp(`^/files/${id}\\.xlsx\\?expires=\\d{10}&signature=[\\w-]{43}$`);
      assert.match(answer.headers.get("location") ?? "", shape);
      assert.equal(await answer.text(), "");
      assert.match(answer.headers.get("cache-control") ?? "", /no-store/);
    });
  });

  describe(`creating exports over ${transport}`, () => {
    let server: FakeServer;
    const body = { spec: SP, output: { format: "csv" }, limit: 9 };
    before(async () => {
      server = await startFake(transport, { secondaryCnaeFull: true });
    });
    after(() => server.close());

    it("gives the exporter the tenant, the plan, the key, the spec and the snapshot", async () => {
      const segment = fakeSegment("2026-11");
      server.load(segment);
      const key = freshKey();
      const answer = await post(server, body, key, "scale");
      const { spec } = (await answer.json()) as Created;
      const wanted = server.exporter.created.at(-1);
      assert.equal(wanted?.segment, segment);
      assert.equal(wanted?.idempotencyKey, key);
      assert.equal(wanted?.tenantId, tenantOf(server, "scale"));
      assert.equal(wanted?.plan.name, "scale");
      assert.deepEqual(wanted?.spec, spec);
      server.load(fakeSegment());
    });

    it("again gives the original in its present state", async () => {
      const key = freshKey();
      const first = await post(server, body, key);
      assert.equal(first.headers.get("idempotent-replayed"), null);
      const { export: record, spec } = (await first.json()) as Created;
      const location = `/v1/exports/${record.export_id}`;
      assert.equal(first.headers.get("location"), location);
      server.exporter.finish(record.export_id, FILE);
      const spelled = { limit: 9, output: { format: "csv" }, spec: { ...SP, limit: 3 } };
      for (const repeated of [body, spelled, { ...body, spec }]) {
        const again = await post(server, repeated, key);
        assert.equal(again.status, 201);
        assert.equal(again.headers.get("idempotent-replayed"), "true");
        assert.equal(again.headers.get("location"), location);
        const replay = (await again.json()) as Created;
        assert.deepEqual(replay.spec, spec);
        assert.equal(replay.export.export_id, record.export_id);
        assert.equal(replay.export.status, "done");
        assert.equal(replay.export.object_key, null);
        assert.equal(replay.export.download_url, `${location}/download`);
      }
    });

    it("again on a newer snapshot still states the one it is pinned to", async () => {
      const key = freshKey();
      const { export: record } = (await (await post(server, body, key)).json()) as Created;
      server.load(fakeSegment("2026-12", "0123456789abcdef"));
      const replay = await (await post(server, body, key)).json();
      server.load(fakeSegment());
      const { snapshot, snapshot_date: date, export: again } = replay as Record<string, unknown>;
      assert.deepEqual([snapshot, date], ["2026-10", "2026-10-10"]);
      assert.deepEqual(again, record);
    });

    it("with the key of another request is refused", async () => {
      const key = freshKey();
      await post(server, body, key);
      for (const other of [
        { ...body, limit: 8 },
        { ...body, output: { format: "html" } },
        { ...body, output: { format: "csv", fields: ["cnpj"] } },
        { ...body, spec: { filters: { geo: { uf_any_of: ["RJ"] } } } },
      ]) {
        const answer = await post(server, other, key);
        assert.equal(answer.status, 422);
        assert.equal(((await answer.json()) as Created).code, "idempotency_key_reused");
      }
      assert.equal((await post(server, body, key)).status, 201);
    });

    it("again after its deletion is refused, so that nobody gets it back by accident", async () => {
      const key = freshKey();
      const { export: record } = (await (await post(server, body, key)).json()) as Created;
      await ask(server, `/v1/exports/${record.export_id}`, { method: "DELETE" });
      const answer = await post(server, body, key);
      assert.equal(answer.status, 422);
      assert.equal(((await answer.json()) as Created).code, "idempotency_key_reused");
    });

    it("with one key by two tenants gives two exports", async () => {
      const key = freshKey();
      const mine = (await (await post(server, body, key)).json()) as Created;
      const theirs = (await (await post(server, body, key, "scale")).json()) as Created;
      assert.notEqual(mine.export.export_id, theirs.export.export_id);
    });

    it("64 times at once gives one export", async () => {
      const key = freshKey();
      const answers = await Promise.all(Array.from({ length: 64 }, () => post(server, body, key)));
      assert.ok(answers.every(({ status }) => status === 201));
      const bodies = (await Promise.all(answers.map((one) => one.json()))) as Created[];
      assert.equal(new Set(bodies.map((one) => one.export.export_id)).size, 1);
      const originals = answers.filter(({ headers }) => !headers.has("idempotent-replayed"));
      assert.equal(originals.length, 1);
    });

    it("with full needs the plan as well as the switch", async () => {
      const industry = { cnae_any_of: ["4721-1/02"], secondary_cnae_mode: "full" };
      const full = { spec: { filters: { industry } }, output: { format: "csv" } };
      assert.equal((await post(server, full)).status, 201);
      assert.equal((await post(server, full, freshKey(), "scale")).status, 201);
      const refused = await post(server, full, freshKey(), "free");
      assert.equal(refused.status, 422);
      const { code } = (await refused.json()) as Created;
      assert.equal(code, "secondary_cnae_mode_not_allowed");
    });

    it("passes on what the exporter refuses, with its headers", async () => {
      const headers = { "Retry-After": "7" };
      server.exporter.failure = new AppError("rate_limited", "Wait for an export.", { headers });
      const answer = await post(server, body);
      server.exporter.failure = null;
      assert.deepEqual([answer.status, answer.headers.get("retry-after")], [429, "7"]);
    });

    it("needs a snapshot", async () => {
      server.load(null);
      const answer = await post(server, body);
      server.load(fakeSegment());
      assert.equal(answer.status, 503);
    });
  });

  describe(`formats with bounds over ${transport}`, () => {
    let server: FakeServer;
    let matches = 0;
    let counted = 0;
    before(async () => {
      const countMatches = () => {
        counted++;
        return matches;
      };
      server = await startFake(transport, { engine: { ...fakeEngine, countMatches } });
    });
    after(() => server.close());

    for (const [format, most] of [
      ["html", 100_000],
      ["xlsx", 1_048_575],
    ] as const) {
      it(`refuse one row too many as ${format}, and count only where it matters`, async () => {
        const create = (limit?: number) =>
          post(server, { spec: SP, output: { format }, ...(limit === undefined ? {} : { limit }) });
        matches = most + 1;
        counted = 0;
        const refused = await create();
        assert.equal(refused.status, 422);
        assert.equal(counted, 1);
        const text = await refused.text();
        assert.match(text, /"code":"invalid_spec".*"pointer":"\/output\/format"/);
        assert.ok(text.includes(String(most)) && /[Tt]ake csv/.test(text), text);
        assert.equal((await create(most + 1)).status, 422);
        assert.equal((await create(most)).status, 201);
        assert.equal(counted, 2, "a limit that the format can hold needs no count");
        matches = most;
        assert.equal((await create()).status, 201);
      });
    }

    it("are csv, jsonl and parquet not, which are never counted", async () => {
      matches = 90_000_000;
      counted = 0;
      for (const format of ["csv", "jsonl", "parquet"]) {
        assert.equal((await post(server, { spec: SP, output: { format } })).status, 201);
      }
      assert.equal(counted, 0);
    });
  });

  describe(`waiting for an export over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    const waiters = async (count: number) => {
      for (let round = 0; round < 200 && server.exporter.waiting !== count; round++) await sleep(5);
      assert.equal(server.exporter.waiting, count);
    };

    const wakes: readonly (readonly [string, number, (id: string) => unknown])[] = [
      ["done", 200, (id) => server.exporter.finish(id, FILE)],
      ["failed", 409, (id) => server.exporter.fail(id, "render_failed")],
      ["deleted", 404, (id) => server.exporter.remove(tenantOf(server), id)],
      ["expired at once", 410, (id) => server.exporter.finish(id, FILE, 0)],
    ];
    for (const [what, status, change] of wakes) {
      it(`wakes when it is ${what}`, async () => {
        const id = await make(server);
        const beganMs = performance.now();
        const answers = Array.from({ length: 20 }, () =>
          ask(server, `/v1/exports/${id}?wait=60&require=done`),
        );
        await waiters(20);
        server.exporter.run(id);
        await waiters(20);
        change(id);
        for (const answer of await Promise.all(answers)) assert.equal(answer.status, status);
        assert.ok(performance.now() - beganMs < 5_000);
        assert.equal(server.exporter.waiting, 0);
      });
    }

    it("ends when its time is over, with the state of that moment", async () => {
      const id = await make(server);
      const beganMs = performance.now();
      const plain = ask(server, `/v1/exports/${id}?wait=1`);
      const required = ask(server, `/v1/exports/${id}?wait=1&require=done`);
      await sleep(200);
      server.exporter.run(id);
      const record = (await (await plain).json()) as Created["export"];
      assert.equal(record.status, "running");
      await checkOutcome(await required, "EXPORT_NOT_READY");
      const tookMs = performance.now() - beganMs;
      assert.ok(tookMs >= 990 && tookMs < 4_000, `took ${tookMs} ms`);
    });

    it("does not wait for what is finished", async () => {
      for (const arrange of [SITUATIONS.done, SITUATIONS.failed]) {
        const id = arrange(server, await make(server));
        const beganMs = performance.now();
        assert.equal((await ask(server, `/v1/exports/${id}?wait=60`)).status, 200);
        assert.ok(performance.now() - beganMs < 1_000);
      }
    });

    it("holds nothing for clients that are gone", async () => {
      const id = await make(server);
      const gone = new AbortController();
      const authorization = `Bearer ${server.keys.enterprise}`;
      const options = { headers: { authorization }, signal: gone.signal };
      const asked = Array.from({ length: 50 }, () =>
        fetch(`${server.base}/v1/exports/${id}?wait=60`, options).catch(() => "aborted"),
      );
      await waiters(50);
      gone.abort();
      assert.deepEqual(new Set(await Promise.all(asked)), new Set(["aborted"]));
      await sleep(50);
      server.exporter.finish(id, FILE);
      await waiters(0);
      assert.equal((await ask(server, `/v1/exports/${id}?wait=60`)).status, 200);
      assert.ok(!server.logged.join("").includes('"level":50'), "an error was logged");
    });

    it("lets other requests through meanwhile", async () => {
      const id = await make(server);
      const waiting = ask(server, `/v1/exports/${id}?wait=60`);
      await waiters(1);
      for (let i = 0; i < 20; i++) assert.equal((await ask(server, "/v1/status")).status, 200);
      server.exporter.finish(id, FILE);
      assert.equal((await waiting).status, 200);
    });

    it("never lets a later request of its socket be answered first", async () => {
      const id = await make(server);
      const key = `Authorization: Bearer ${server.keys.enterprise}`;
      const line = (path: string, request: string) =>
        `GET ${path} HTTP/1.1\r\nHost: test\r\n${key}\r\nX-Request-Id: ${request}\r\n\r\n`;
      const bytes = line(`/v1/exports/${id}?wait=60`, "n1") + line("/v1/status", "n2");
      const answered = sendRaw(server.port, bytes, 1_000);
      await waiters(1);
      await sleep(100);
      server.exporter.finish(id, FILE);
      const { text, closed } = await answered;
      const seen = [...text.matchAll(/HTTP\/1\.1 (\d+) .*?X-Request-Id: (n\d)/gs)];
      // uWebSockets.js closes a socket that does not wait for its answer; clients then try again.
      assert.equal(closed, transport === "uws");
      assert.deepEqual(
        seen.map(([, status, request]) => `${request} ${status}`),
        closed ? [] : ["n1 200", "n2 200"],
      );
      await waiters(0);
    });
  });
}

describe("a wait", () => {
  it("may be longer than the time for which a client may leave an answer lying", async () => {
    const seconds = TEST_LIMITS.writeTimeoutMs / 1000 + 1;
    const servers = await Promise.all(TRANSPORTS.map((transport) => startFake(transport)));
    const waits = servers.map(async (server) => {
      const id = await make(server);
      return (await ask(server, `/v1/exports/${id}?wait=${seconds}`)).status;
    });
    assert.deepEqual(await Promise.all(waits), [200, 200]);
    await Promise.all(servers.map((server) => server.close()));
  });

  it("ends with the server, and is answered", async () => {
    for (const transport of TRANSPORTS) {
      const server = await startFake(transport);
      const answer = ask(server, `/v1/exports/${await make(server)}?wait=60`);
      while (server.exporter.waiting === 0) await sleep(5);
      const beganMs = performance.now();
      await server.close();
      assert.equal((await answer).status, 200);
      assert.ok(performance.now() - beganMs < 1_500, "it waited for its deadline");
    }
  });
});
