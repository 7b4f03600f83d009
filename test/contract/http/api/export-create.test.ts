/**
 * Proves, on both transports: a request to create an export reaches the exporter with its tenant,
 * plan, key, spec, and snapshot. The request can safely be repeated at any time. An Idempotency-Key
 * belongs to one request of one tenant. If a format limits its rows, an export with one row more is
 * rejected. Rows of other formats are never counted. Does not prove: surviving a crash (the
 * exporter is a model in memory here). test/support/http/export-table.ts tests single members.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Compile } from "typebox/compile";
import { AppError } from "../../../../src/errors.ts";
import { SCHEMAS } from "../../../../src/http/api/schemas.ts";
import {
  type Created,
  FILE,
  freshKey,
  post,
  SP,
  send,
  tenantOf,
} from "../../../support/http/export-requests.ts";
import {
  engineOf,
  type FakeServer,
  fakeParts,
  fakeSegment,
  startFake,
} from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";

for (const transport of MATRIX) {
  describe(`creating exports over ${transport}`, () => {
    let server: FakeServer;
    const body = { spec: SP, output: { format: "csv" }, limit: 9 };
    before(async () => {
      server = await startFake(transport, { secondaryCnaeFull: true });
    });
    after(() => server.close());

    it("passes the tenant, plan, key, spec, and snapshot to the exporter", async () => {
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

    it("returns the original export in its current state for a repeated key", async () => {
      const key = freshKey();
      const first = await post(server, body, key);
      assert.equal(first.headers.get("idempotent-replayed"), null);
      const { export: record, spec } = (await first.json()) as Created;
      assert.ok(Compile(SCHEMAS.ExportRecord).Check(record));
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

    it("returns the original's snapshot for a repeated key on a newer snapshot", async () => {
      const key = freshKey();
      const { export: record } = (await (await post(server, body, key)).json()) as Created;
      server.load(fakeSegment("2026-12", "0123456789abcdef"));
      const replay = await (await post(server, body, key)).json();
      server.load(fakeSegment());
      const { snapshot, snapshot_date: date, export: again } = replay as Record<string, unknown>;
      assert.deepEqual([snapshot, date], ["2026-10", "2026-10-10"]);
      assert.deepEqual(again, record);
    });

    it("needs neither the old catalog nor a snapshot for identical bytes", async () => {
      const key = freshKey();
      const bakeries = { industry: { cnae_any_of: ["4721-1/02"] } };
      const wanted = { ...body, spec: { filters: bakeries } };
      const reordered = { limit: body.limit, output: body.output, spec: wanted.spec };
      const { export: record } = (await (await post(server, wanted, key)).json()) as Created;
      const newer = fakeSegment("2026-12", "0123456789abcdef");
      const without = { ...newer.catalog, cnaeCodes: ["5611201"] };
      for (const segment of [{ ...newer, catalog: without }, null]) {
        server.load(segment);
        const again = await post(server, wanted, key);
        assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [201, "true"]);
        assert.deepEqual(((await again.json()) as Created).export, record);
        const respelled = await post(server, reordered, key);
        assert.equal(respelled.status, segment === null ? 503 : 422);
      }
      server.load(fakeSegment());
      assert.equal((await post(server, reordered, key)).status, 201);
    });

    it("rejects the key of another request", async () => {
      const key = freshKey();
      await post(server, body, key);
      for (const other of [
        { ...body, limit: 8 },
        { ...body, output: { format: "html" } },
        { ...body, output: { format: "csv", fields: ["cnpj"] } },
        { ...body, output: { ...body.output, compression: "gzip" } },
        { ...body, spec: { filters: { geo: { uf_any_of: ["RJ"] } } } },
      ]) {
        const answer = await post(server, other, key);
        assert.equal(answer.status, 422);
        assert.equal(((await answer.json()) as Created).code, "idempotency_key_reused");
      }
      assert.equal((await post(server, body, key)).status, 201);
    });

    it("rejects a repeated key after the export's deletion", async () => {
      const key = freshKey();
      const { export: record } = (await (await post(server, body, key)).json()) as Created;
      await send(server, `/v1/exports/${record.export_id}`, { method: "DELETE" });
      const answer = await post(server, body, key);
      assert.equal(answer.status, 422);
      assert.equal(((await answer.json()) as Created).code, "idempotency_key_reused");
    });

    it("creates two exports for one key of two tenants", async () => {
      const key = freshKey();
      const mine = (await (await post(server, body, key)).json()) as Created;
      const theirs = (await (await post(server, body, key, "scale")).json()) as Created;
      assert.notEqual(mine.export.export_id, theirs.export.export_id);
    });

    it("creates one export for 64 concurrent requests", async () => {
      const key = freshKey();
      const answers = await Promise.all(Array.from({ length: 64 }, () => post(server, body, key)));
      assert.ok(answers.every(({ status }) => status === 201));
      const bodies = (await Promise.all(answers.map((one) => one.json()))) as Created[];
      assert.equal(new Set(bodies.map((one) => one.export.export_id)).size, 1);
      const originals = answers.filter(({ headers }) => !headers.has("idempotent-replayed"));
      assert.equal(originals.length, 1);
    });

    it("requires both the plan and the switch for full", async () => {
      const industry = { cnae_any_of: ["4721-1/02"], secondary_cnae_mode: "full" };
      const full = { spec: { filters: { industry } }, output: { format: "csv" } };
      assert.equal((await post(server, full)).status, 201);
      assert.equal((await post(server, full, freshKey(), "scale")).status, 201);
      const refused = await post(server, full, freshKey(), "free");
      assert.equal(refused.status, 422);
      const { code } = (await refused.json()) as Created;
      assert.equal(code, "secondary_cnae_mode_not_allowed");
    });

    it("passes on the exporter's refusals, with their headers", async () => {
      const headers = { "Retry-After": "7" };
      server.exporter.failure = new AppError("rate_limited", "Wait for an export.", { headers });
      const answer = await post(server, body);
      server.exporter.failure = null;
      assert.deepEqual([answer.status, answer.headers.get("retry-after")], [429, "7"]);
    });

    it("requires a snapshot", async () => {
      server.load(null);
      const answer = await post(server, body);
      server.load(fakeSegment());
      assert.equal(answer.status, 503);
    });
  });

  describe(`formats with row limits over ${transport}`, () => {
    let server: FakeServer;
    let matches = 0;
    let counted = 0;
    before(async () => {
      const countMatches = () => {
        counted++;
        return matches;
      };
      server = await startFake(transport, { engine: engineOf({ ...fakeParts, countMatches }) });
    });
    after(() => server.close());

    for (const [format, most] of [
      ["html", 100_000],
      ["xlsx", 1_048_575],
    ] as const) {
      it(`reject one row too many as ${format}, and count only if needed`, async () => {
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

    it("exclude csv, jsonl, and parquet, which are counted only without a limit", async () => {
      matches = 90_000_000;
      counted = 0;
      for (const format of ["csv", "jsonl", "parquet"]) {
        const limited = { spec: SP, output: { format }, limit: 9 };
        assert.equal((await post(server, limited)).status, 201);
        assert.equal((await post(server, { ...limited, spec: { ...SP, limit: 8 } })).status, 201);
        assert.equal(counted, 0);
      }
      assert.equal((await post(server, { spec: SP, output: { format: "csv" } })).status, 201);
      assert.equal(counted, 1);
    });

    it("warn that the plan's cap omits rows if no limit is given", async () => {
      const reported = async (body: object) => {
        const answer = await post(server, body, freshKey(), "free");
        assert.equal(answer.status, 201);
        const { spec } = (await answer.json()) as { spec: { explain: { warnings: string[] } } };
        return spec.explain.warnings.join("\n");
      };
      const csv = { spec: SP, output: { format: "csv", fields: ["cnpj"] } };
      matches = 1_001;
      const cut =
        "The file has the first 1000 of 1001 matches: no limit was sent, and 1000 rows are the " +
        "plan's cap.";
      assert.equal(await reported(csv), cut);
      assert.equal(await reported({ ...csv, limit: 1_000 }), "");
      assert.equal(await reported({ ...csv, spec: { ...SP, limit: 1_000 } }), "");
      assert.match(
        await reported({ ...csv, limit: 1_001 }),
        /^limit was lowered from 1001 to 1000/,
      );
      const explain = { warnings: Array.from({ length: 1_000 }, () => "x") };
      const full = { ...csv, spec: { ...SP, explain } };
      const refused = await post(server, full, freshKey(), "free");
      assert.equal(refused.status, 422);
      assert.match(await refused.text(), /"pointer":"\/spec\/explain\/warnings"/);
      matches = 1_000;
      assert.equal(await reported(csv), "");
    });
  });
}
