/**
 * Proves, on both transports, the answer of each endpoint to each combination of parameters and
 * state of the export. Another tenant's ids, deleted ids, and malformed ids get the same bytes.
 * Downloads redirect to a signed, relative link. Does not prove: that files are rendered (the
 * exporter is a model in memory here; e2e/export/formats.test.ts uses the real one). Creates,
 * waits, and lists are tested in http-export-*.test.ts.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Compile } from "typebox/compile";
import { EXPORT_FAILURES } from "../../../../src/export/record.ts";
import { SCHEMAS } from "../../../../src/http/api/schemas.ts";
import { type Created, FILE, make, send, tenantOf } from "../../../support/http/export-requests.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";

/** States of an export. Each function brings an export into the state and returns its id. */
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

type Outcome =
  | number
  | "EXPORT_NOT_READY"
  | "EXPORT_FAILED"
  | "export_expired"
  | "export_not_found";

/** Expected status or error code for each state, for the three groups of `REQUESTS`. */
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

/** Requests with the same outcome: plain reads, reads of a finished export, and downloads. */
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

/** The public schema, closed: a member that it does not list is an error. */
const RECORD = Compile(SCHEMAS.ExportRecord);

async function checkOutcome(answer: Response, outcome: Outcome): Promise<void> {
  const text = await answer.text();
  if (typeof outcome === "number") {
    assert.equal(answer.status, outcome, text);
    if (outcome === 200) assert.ok(RECORD.Check(JSON.parse(text)), text);
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

for (const transport of MATRIX) {
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
          it(`that is ${situation}, requested with "${suffix}"`, async () => {
            const id = arrange(server, await make(server));
            const path = `/v1/exports/${id}${suffix}`;
            const [answer, head] = await Promise.all([
              send(server, path),
              send(server, path, { method: "HEAD" }),
            ]);
            await checkOutcome(answer, outcomes[at] as Outcome);
            assert.deepEqual([head.status, await head.text()], [answer.status, ""]);
          });
        }
      }

      it(`that is ${situation} can be deleted once`, async () => {
        const id = arrange(server, await make(server));
        const there = outcomes[0] !== "export_not_found";
        const first = await send(server, `/v1/exports/${id}`, { method: "DELETE" });
        assert.equal(first.status, there ? 204 : 404);
        if (there) {
          assert.equal(await first.text(), "");
          assert.equal(first.headers.get("content-type"), null);
          assert.match(first.headers.get("x-request-id") ?? "", /^req_/);
        }
        for (const suffix of ["", "/download", "?wait=60"]) {
          await checkOutcome(await send(server, `/v1/exports/${id}${suffix}`), "export_not_found");
        }
        const again = await send(server, `/v1/exports/${id}`, { method: "DELETE" });
        await checkOutcome(again, "export_not_found");
      });
    }

    it("has exactly the members of its state", async () => {
      const id = await make(server, "html");
      const read = async () => (await send(server, `/v1/exports/${id}`)).json();
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

    it("reports the reason of its failure, for each reason", async () => {
      for (const code of Object.keys(EXPORT_FAILURES) as (keyof typeof EXPORT_FAILURES)[]) {
        const id = await make(server);
        server.exporter.fail(id, code);
        const record = (await (
          await send(server, `/v1/exports/${id}`)
        ).json()) as Created["export"];
        assert.deepEqual(record.error, { code, detail: EXPORT_FAILURES[code] });
        assert.deepEqual([record.row_count, record.download_url], [null, null]);
      }
      const id = await make(server);
      server.exporter.set(id, {
        ...{ state: "failed", failure: "quota_exceeded", room: { most: 9, retained: 4 } },
      });
      const answer = await send(server, `/v1/exports/${id}`);
      const { detail } = ((await answer.json()) as Created["export"]).error as { detail: string };
      assert.match(detail, /keeps up to 9 bytes; 4 are kept now\. Delete exports first/);
    });

    it("of another tenant returns the same bytes as a nonexistent one", async () => {
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
          const requested = { method, headers, plan: "scale" } as const;
          const answer = await send(server, `/v1/exports/${one}${suffix}`, requested);
          const retained = [...answer.headers].filter(([name]) => name !== "date");
          seen.add(JSON.stringify([answer.status, retained, await answer.text()]));
        }
        assert.equal(seen.size, 1, [...seen].join("\n"));
        assert.match([...seen][0] as string, /^\[404,.*export_not_found/);
      }
      assert.equal((await send(server, `/v1/exports/${id}`)).status, 200);
    });

    it("has a signed link, relative for any Host", async () => {
      const id = SITUATIONS.done(server, await make(server, "xlsx"));
      const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
      const answer = await send(server, `/v1/exports/${id}/download`, { headers });
      assert.equal(answer.status, 303);
      const shape = new RegExp(`^/files/${id}\\.xlsx\\?expires=\\d{10}&signature=[\\w-]{43}$`);
      assert.match(answer.headers.get("location") ?? "", shape);
      assert.equal(await answer.text(), "");
      assert.match(answer.headers.get("cache-control") ?? "", /no-store/);
    });
  });
}
