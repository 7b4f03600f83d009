/**
 * Proves: over both transports, the console shows the exports of the public API, with additional
 * details for people. Expired exports are reported as expired, and another tenant's are not found.
 * An export can be repeated on the current snapshot. In every format, an estimate has the exact
 * number of rows and the exact size of small files. The estimated size of large files is within 35%
 * of the real one. Does not prove: how exports are queued and expire (the suites of exports), or
 * the estimate of other data.
 */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { COMPRESSED } from "../../../src/export/formats/format.ts";
import { renderBytes } from "../../../src/export/render.ts";
import { ENGINE } from "../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { EXPORT_FORMATS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import {
  type ConsoleServer,
  type Person,
  pointersIn,
  startConsole,
  type TypedAnswer,
} from "../../support/console/data.ts";
import { fakeSegment, TRANSPORTS } from "../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { exportContext } from "../../support/spec/catalog.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
const CSV = { spec: SP, output: { format: "csv" } };
/** Every format, and one format with each compression. */
const KINDS: readonly object[] = [
  ...EXPORT_FORMATS.map((format) => ({ format })),
  ...Object.keys(COMPRESSED).map((compression) => ({ format: "csv", compression })),
];
let keys = 0;
const fresh = () => ({ "Idempotency-Key": `key-${++keys}` });

for (const transport of TRANSPORTS) {
  describe(`/v1/console/exports over ${transport}`, () => {
    let server: ConsoleServer;
    let person: Person;
    let stranger: Person;
    before(async () => {
      server = await startConsole(transport);
      person = await server.person("scale");
      stranger = await server.person("growth");
    });
    after(() => server.close());

    const create = async (body: unknown = CSV): Promise<TypedAnswer> => {
      const made = await person.post("/exports", body, fresh());
      assert.equal(made.status, 201, made.text);
      return made;
    };

    it("are the public records with additional details for people", async () => {
      const made = await create();
      const { spec, export: record } = made.json;
      assert.deepEqual(spec.filters.geo.uf_any_of, ["SP"]);
      const path = `/v1/console/exports/${record.export_id}`;
      assert.equal(made.headers.get("location"), path);
      const { created_at: at, ...rest } = record;
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
      assert.deepEqual(rest, {
        export_id: record.export_id,
        ...{ status: "queued", format: "csv", snapshot: "2026-10", snapshot_date: "2026-10-10" },
        ...{ row_count: null, size_bytes: null, expires_at: null, download_url: null },
        ...{ expired: false, created_by: person.email, slug: "empresas", spec },
      });
      server.exporter.finish(record.export_id, Buffer.from("cnpj\r\n"));
      const read = await person.get(`/exports/${record.export_id}?wait=1`);
      assert.equal(read.json.status, "done");
      assert.equal(read.json.download_url, `${path}/download`);
      const down = await person.get(`/exports/${record.export_id}/download`);
      assert.equal(down.status, 303);
      const file = await fetch(`${server.base}${down.headers.get("location")}`);
      assert.equal(await file.text(), "cnpj\r\n");
      const listed = await person.get("/exports?limit=1");
      assert.deepEqual(listed.json.exports, [read.json]);
    });

    it("name the key that created them, and none after it is gone", async () => {
      const { key, keyId } = server.keyring.create({ tenant: "scale", plan: "scale", name: "CRM" });
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
      const answer = await fetch(`${server.base}/v1/exports`, {
        method: "POST",
        headers: { ...headers, ...fresh() },
        body: JSON.stringify(CSV),
      });
      const id = ((await answer.json()) as { export: { export_id: string } }).export.export_id;
      assert.ok(keyId.length > 0);
      assert.equal((await person.get(`/exports/${id}`)).json.created_by, "CRM");
      server.exporter.create({
        ...(server.exporter.created.at(-1) as never as object),
        ...{ keyId: "gone", idempotencyKey: "of-somebody" },
      } as never);
      assert.equal((await person.get("/exports?limit=1")).json.exports[0].created_by, null);
    });

    it("are listed without their file after they expire", async () => {
      const { export_id: id } = (await create()).json.export;
      server.exporter.finish(id, Buffer.from("x"), -1);
      const { status, json } = await person.get(`/exports/${id}`);
      assert.deepEqual([status, json.status, json.expired], [200, "done", true]);
      assert.equal(json.download_url, null);
      assert.equal((await person.get("/exports?limit=1")).json.exports[0].expired, true);
      assert.equal((await person.get(`/exports/${id}/download`)).status, 410);
    });

    it("are paged, and can be deleted", async () => {
      for (let i = 0; i < 3; i++) await create();
      const first = (await person.get("/exports?limit=2")).json;
      assert.equal(first.has_more, true);
      const next = (await person.get(`/exports?cursor=${first.next_cursor}`)).json;
      const ids = [...first.exports, ...next.exports].map(({ export_id: id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      assert.equal((await person.remove(`/exports/${ids[0]}`)).status, 204);
      assert.equal((await person.get(`/exports/${ids[0]}`)).json.code, "export_not_found");
      const wrong = await person.get("/exports?limit=0");
      assert.deepEqual(pointersIn(wrong), ["/query/limit"]);
    });

    it("of another tenant look nonexistent", async () => {
      const { export_id: id } = (await create()).json.export;
      const never = `exp_${"0".repeat(32)}`;
      const same = { "X-Request-Id": "same" };
      for (const send of [
        (one: string) => stranger.get(`/exports/${one}`, same),
        (one: string) => stranger.get(`/exports/${one}?wait=1`, same),
        (one: string) => stranger.get(`/exports/${one}/download`, same),
        (one: string) => stranger.post(`/exports/${one}/again`, {}, { ...same, ...fresh() }),
      ]) {
        const [theirs, nobodys, shape] = await Promise.all([send(id), send(never), send("x")]);
        assert.deepEqual([theirs.status, theirs.text], [404, nobodys.text]);
        assert.equal(theirs.text, shape.text);
      }
      assert.equal((await stranger.remove(`/exports/${id}`)).status, 404);
      assert.deepEqual((await stranger.get("/exports")).json.exports, []);
      assert.equal((await person.get(`/exports/${id}`)).status, 200);
    });

    it("can be repeated on the current snapshot in any state", async () => {
      const output = { format: "csv", fields: ["cnpj", "uf"], bom: true, delimiter: ";" };
      const { export_id: id } = (await create({ spec: SP, output, limit: 7 })).json.export;
      const states: [string, () => void][] = [
        ["queued", () => {}],
        ["failed", () => server.exporter.fail(id, "disk_full")],
        ["expired", () => server.exporter.finish(id, Buffer.from("x"), -1)],
      ];
      server.load(fakeSegment("2026-11", "0123456789abcdef"));
      for (const [name, happen] of states) {
        happen();
        const headers = fresh();
        const again = await person.post(`/exports/${id}/again`, {}, headers);
        assert.equal(again.status, 201, `${name}: ${again.text}`);
        assert.notEqual(again.json.export.export_id, id);
        assert.equal(again.json.export.snapshot, "2026-11");
        assert.equal(again.json.spec.limit, 7);
        assert.deepEqual(again.json.spec.output, { ...output, include_explain: false });
        const replay = await person.post(`/exports/${id}/again`, {}, headers);
        assert.equal(replay.headers.get("idempotent-replayed"), "true");
        assert.equal(replay.json.export.export_id, again.json.export.export_id);
      }
      const without = await person.post(`/exports/${id}/again`, {});
      assert.equal(without.json.code, "idempotency_key_required");
      const more = await person.post(`/exports/${id}/again`, { limit: 3 }, fresh());
      assert.deepEqual(pointersIn(more), ["/limit"]);
      server.load(fakeSegment());
    });

    it("are refused like public ones", async () => {
      assert.equal((await person.post("/exports", CSV)).json.code, "idempotency_key_required");
      const broad = { spec: {}, output: { format: "csv" } };
      assert.equal((await person.post("/exports", broad, fresh())).json.code, "query_too_broad");
      assert.equal((await person.post("/exports/estimate", broad)).json.code, "query_too_broad");
      const wrong = { spec: { limit: 0 }, output: { format: "pdf" }, more: 1 };
      for (const path of ["/exports", "/exports/estimate"]) {
        const refused = await person.post(path, wrong, fresh());
        assert.deepEqual(pointersIn(refused), ["/more", "/output/format", "/spec/limit"]);
      }
    });
  });
}

describe("POST /v1/console/exports/estimate", () => {
  let made: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    made = await makeSampleSnapshot(20_000, 64);
    segment = await openSegment(made.snapshot);
  });
  after(() => {
    segment.close();
    made.dispose();
  });

  /** Renders the export, and returns its rows and bytes. */
  async function real(body: { spec: object; output: object; limit?: number }) {
    const context = exportContext(segment.catalog);
    const { limit = 1_000_000, output } = body;
    const { spec } = normalizeSpec(body.spec, { ...context, bodyOutput: output, bodyLimit: limit });
    let bytes = 0;
    const { rowCount } = await renderBytes({ segment, spec }, (part) => {
      bytes += part.byteLength;
    });
    return { rows: rowCount, bytes };
  }

  const shapes = {
    few: ["cnpj", "uf", "cnae_primary"],
    contacts: ["cnpj", "legal_name", "trade_name", "email", "phone_1"],
    all: [...OUTPUT_FIELD_NAMES],
  };

  for (const transport of TRANSPORTS) {
    describe(`over ${transport}`, () => {
      let server: ConsoleServer;
      let person: Person;
      before(async () => {
        server = await startConsole(transport, { engine: ENGINE });
        server.load(segment);
        person = await server.person();
      });
      after(() => server.close());

      it("is exact for small files", async () => {
        for (const kind of KINDS) {
          const body = { spec: SP, output: { ...kind, fields: shapes.all }, limit: 300 };
          const { json } = await person.post("/exports/estimate", body);
          const { rows, bytes } = await real(body);
          const found = [json.rows, json.bytes, json.rows_max];
          assert.deepEqual(found, [rows, bytes, null], JSON.stringify(kind));
        }
      });

      it("is close for large files, and has the exact number of rows", async () => {
        const industry = { cnae_any_of: ["G", "I"], secondary_cnae_mode: "fallback" };
        for (const kind of KINDS) {
          for (const [name, fields] of Object.entries(shapes)) {
            const spec = { filters: { industry }, sort: [{ field: "cnpj", direction: "asc" }] };
            for (const limit of name === "contacts" ? [undefined, 3_000] : [undefined]) {
              const body = { spec, output: { ...kind, fields }, ...(limit ? { limit } : {}) };
              const { json } = await person.post("/exports/estimate", body);
              const { rows, bytes } = await real(body);
              assert.equal(json.rows, rows);
              assert.ok(rows > 2_048, `${rows} rows are no large file`);
              const ratio = json.bytes / bytes;
              assert.ok(
                ratio > 0.65 && ratio < 1.35,
                `${JSON.stringify(kind)} ${name} ${limit}: ${ratio}`,
              );
            }
          }
        }
      });

      it("is one header line without rows, and names what a format cannot hold", async () => {
        const none = {
          spec: {
            filters: {
              geo: { uf_any_of: ["SP"] },
              industry: { cnae_any_of: ["0111301"] },
              company: { started_before: "1801" },
            },
          },
          output: { format: "csv" },
        };
        const { json } = await person.post("/exports/estimate", none);
        assert.deepEqual([json.rows, json.matches], [0, 0]);
        assert.equal(json.bytes, (await real(none)).bytes);
      });
    });
  }

  it("reports too many rows for a format, and the plan's limit", async () => {
    const engine = { ...ENGINE, counts: () => ({ total: 250_000, facets: null }) };
    const server = await startConsole("node", { engine });
    server.load(segment);
    const person = await server.person();
    const html = await person.post("/exports/estimate", { spec: SP, output: { format: "html" } });
    assert.deepEqual([html.json.rows, html.json.rows_max], [250_000, 100_000]);
    const starter = await server.person("starter");
    const bound = await starter.post("/exports/estimate", CSV);
    assert.deepEqual([bound.json.rows, bound.json.matches], [50_000, 250_000]);
    await server.close();
  });
});
