/**
 * Proves, with real server processes: an export in every format equals, byte for byte, the output
 * of `peneira export`, and has the rows of the same search. Exports with secondary activities have
 * the rows of a linear scan. A deleted export leaves no file. No tenant sees another's exports. An
 * export beyond the plan's limit is answered with 429. Links of a disabled tenant stop working.
 * Does not prove: the end of exports and of servers (e2e/export/life.test.ts,
 * campaign/kills/*.test.ts), cells of every kind (unit/export/*.test.ts).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parquetReadObjects } from "hyparquet";
import { readSheet } from "read-excel-file/node";
import { FORMATS } from "../../../src/export/formats/format.ts";
import type { ExportFormat } from "../../../src/export/record.ts";
import {
  type Account,
  Client,
  type Created,
  type Exported,
  filesOf,
  otherClient,
  SPEC,
  sha256,
  withKeyring,
  written,
} from "../../support/export/client.ts";
import { elements, readCsv, readPage } from "../../support/export/readers.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";
import { Twin } from "../../support/twin.ts";

/** Settings that allow full searches by secondary activities and limit two plans. */
const SETTINGS = {
  PENEIRA_EXPORTS_SECONDARY_CNAE_FULL: "true",
  PENEIRA_PLANS_GROWTH_CONCURRENT_EXPORTS: "1",
  PENEIRA_PLANS_GROWTH_QUEUED_EXPORTS: "2",
  PENEIRA_PLANS_STARTER_CONCURRENT_EXPORTS: "0",
  PENEIRA_PLANS_FREE_EXPORT_ROWS: "0",
};
const EXPORT_FORMATS = Object.keys(FORMATS) as ExportFormat[];

let sample: SampleSnapshot;
let twin: Twin;
let stateDirs = 0;

before(async () => {
  sample = await makeSampleSnapshot(3_000, 78);
  twin = new Twin(decodeSnapshot(sample.snapshot).rows);
});
after(() => sample.dispose());

const freshDir = () => join(sample.folder, `state-${stateDirs++}`);

function start(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  transport = "uws",
) {
  return startServerProcess({ snapshot: sample.snapshot, dataDir, settings, transport });
}

const clientOf = ({ base, key }: ServerProcess) => new Client(base, key);

type Lines = readonly (readonly (string | null)[])[];

/**
 * For each format, an independent reader. It returns the rows as arrays of strings, with null for
 * an empty cell.
 */
const READERS: Readonly<Record<ExportFormat, (bytes: Buffer) => Lines | Promise<Lines>>> = {
  csv: (bytes) => emptyIsNull(readCsv(bytes.toString("utf8")).slice(1)),
  html: (bytes) => {
    const table = elements(readPage(bytes.toString("utf8")), "table").at(-1);
    assert.ok(table !== undefined);
    const lines = elements(table, "tr").map(({ children }) => children.map(({ text }) => text));
    return emptyIsNull(lines.slice(1));
  },
  xlsx: async (bytes) => emptyIsNull((await readSheet(bytes)).slice(1) as Lines),
  parquet: async (bytes) => {
    const file = new Uint8Array(bytes).buffer;
    return linesOf((await parquetReadObjects({ file })) as Account[]);
  },
  jsonl: (bytes) => {
    const lines = bytes.toString("utf8").split("\n");
    assert.equal(lines.pop(), "");
    return linesOf(lines.map((line) => JSON.parse(line) as Account));
  },
};

function emptyIsNull(lines: Lines): Lines {
  return lines.map((cells) => cells.map((cell) => (cell === "" ? null : cell)));
}

function linesOf(accounts: readonly Account[]): Lines {
  return accounts.map((account) => Object.values(account).map((value) => value ?? null));
}

/** Compares line by line, so that a failure shows one line instead of thousands. */
function assertLines(actual: Lines, expected: Lines): void {
  for (const [at, line] of expected.entries()) assert.deepEqual(actual[at], line, `row ${at}`);
  assert.equal(actual.length, expected.length);
}

for (const transport of ["uws", "node"]) {
  describe(`exports of a served snapshot on ${transport}`, () => {
    let server: ServerProcess;
    let client: Client;
    let accounts: Account[];
    before(async () => {
      server = await start(freshDir(), SETTINGS, transport);
      client = clientOf(server);
      accounts = await client.searched(SPEC);
      assert.ok(accounts.length > 500);
    });
    after(() => stopServerProcess(server));

    for (const format of EXPORT_FORMATS) {
      it(`as ${format} are the bytes of the command and the rows of the search`, async () => {
        const { record, bytes, spec } = await client.exported({ spec: SPEC, output: { format } });
        assert.equal(record.row_count, accounts.length);
        assert.equal(record.size_bytes, bytes.byteLength);
        assert.equal(record.sha256, sha256(bytes));
        assertLines(await READERS[format](bytes), linesOf(accounts));
        assert.equal(sha256(await written(sample, spec, `${transport}-${format}`)), record.sha256);
        const again = await client.exported({ spec: SPEC, output: { format } });
        assert.notEqual(again.record.export_id, record.export_id);
        assert.equal(again.record.sha256, record.sha256);
      });
    }

    it("stop at their limit", async () => {
      const body = { spec: SPEC, output: { format: "jsonl" }, limit: 7 };
      const { record, bytes } = await client.exported(body);
      assert.equal(record.row_count, 7);
      assertLines(await READERS.jsonl(bytes), linesOf(accounts.slice(0, 7)));
    });

    it("without any row have a header only", async () => {
      const spec = { filters: { industry: { text_hints: ["nobody is called so"] } } };
      const { record, bytes } = await client.exported({ spec, output: { format: "csv" } });
      assert.equal(record.row_count, 0);
      assert.equal(bytes.toString(), "cnpj,legal_name,uf,municipality_ibge,cnae_primary\r\n");
    });

    it("can be loaded in ranges and inspected first with HEAD", async () => {
      const { record, bytes } = await client.exported({ spec: SPEC, output: { format: "csv" } });
      const url = client.base + (await client.link(record.export_id));
      const middle = bytes.byteLength >> 1;
      const first = await fetch(url, { headers: { range: `bytes=0-${middle - 1}` } });
      const rest = await fetch(url, { headers: { range: `bytes=${middle}-` } });
      assert.deepEqual([first.status, rest.status], [206, 206]);
      const parts = [await first.arrayBuffer(), await rest.arrayBuffer()].map((one) =>
        Buffer.from(one),
      );
      assert.deepEqual(Buffer.concat(parts), bytes);
      const head = await fetch(url, { method: "HEAD" });
      assert.equal(head.headers.get("content-length"), String(bytes.byteLength));
      const disposition = /^attachment; filename="peneira-2026-10-[a-z0-9-]+\.csv"$/;
      assert.match(head.headers.get("content-disposition") ?? "", disposition);
    });

    for (const mode of ["fallback", "full"] as const) {
      it(`with ${mode} have what the linear scan finds, in its order`, async () => {
        const codes = new Map<string, number>();
        for (const row of twin.rows) {
          const code = row.cnae_primary as string;
          codes.set(code, (codes.get(code) ?? 0) + 1);
        }
        const frequent = [...codes].sort((a, b) => b[1] - a[1]).map(([code]) => code);
        for (const [at, limit] of [
          [0, 10_000],
          [1, 40],
          [5, 10_000],
        ] as const) {
          const industry = { cnae_any_of: [frequent[at]], secondary_cnae_mode: mode };
          const body = {
            spec: { filters: { industry }, sort: [{ field: "legal_name", direction: "asc" }] },
            output: { format: "jsonl", fields: ["cnpj"] },
            limit,
          };
          const { bytes, spec } = await client.exported(body);
          const expected = twin.answer(spec).slice(0, limit);
          const cnpjs = expected.map((row) => [twin.rows[row]?.cnpj as string]);
          assertLines(await READERS.jsonl(bytes), cnpjs);
          assert.ok(expected.length > (codes.get(frequent[at] as string) ?? 0) || limit === 40);
        }
      });
    }

    it("that are deleted leave no file, no record and no link", async () => {
      const { record } = await client.exported({ spec: SPEC, output: { format: "html" } });
      const link = await client.link(record.export_id);
      const name = `${record.export_id}.html`;
      assert.ok(filesOf(server.dataDir).includes(name));
      assert.equal((await client.get(`/v1/exports/${record.export_id}`, "DELETE")).status, 204);
      assert.ok(!filesOf(server.dataDir).includes(name));
      for (const suffix of ["", "?wait=60", "/download"]) {
        const answer = await client.get(`/v1/exports/${record.export_id}${suffix}`);
        assert.equal(answer.status, 404);
      }
      assert.equal((await fetch(client.base + link)).status, 404);
    });

    it("are created once for repeated and concurrent requests", async () => {
      const body = { spec: SPEC, output: { format: "csv" }, limit: 3 };
      const made = await Promise.all(Array.from({ length: 64 }, () => client.create(body, "once")));
      assert.equal(new Set(made.map((one) => one.export.export_id)).size, 1);
      const record = await client.done(made[0]?.export.export_id as string);
      const replay = await client.create(body, "once");
      const { object_key: _, ...present } = replay.export as Exported & { object_key: null };
      assert.deepEqual(present, record);
      const other = await client.post("/v1/exports", { ...body, limit: 4 }, "once");
      assert.equal(other.status, 422);
      assert.equal(((await other.json()) as Created).code, "idempotency_key_reused");
    });

    it("of one tenant do not exist for another", async () => {
      const mine = await client.create({ spec: SPEC, output: { format: "csv" } }, "shared");
      const id = mine.export.export_id;
      await client.done(id);
      const other = otherClient(server, `other-${transport}`, "scale");
      for (const [method, suffix] of [
        ["GET", ""],
        ["GET", "?wait=1"],
        ["GET", "/download"],
        ["DELETE", ""],
      ]) {
        const answer = await other.get(`/v1/exports/${id}${suffix}`, method);
        assert.equal(answer.status, 404);
        assert.equal(((await answer.json()) as Created).code, "export_not_found");
      }
      const list = async () =>
        (await (await other.get("/v1/exports")).json()) as { exports: Exported[] };
      assert.deepEqual((await list()).exports, []);
      const theirs = await other.create({ spec: SPEC, output: { format: "html" } }, "shared");
      assert.notEqual(theirs.export.export_id, id);
      const seen = (await list()).exports.map((one) => one.export_id);
      assert.deepEqual(seen, [theirs.export.export_id]);
      await client.done(id);
    });

    it("are listed newest first in pages", async () => {
      const tenant = otherClient(server, `lister-${transport}`, "scale");
      const made: string[] = [];
      for (let i = 0; i < 7; i++) {
        const created = await tenant.create({ spec: SPEC, output: { format: "csv" }, limit: 1 });
        made.unshift(created.export.export_id);
      }
      const seen: string[] = [];
      for (let path: string | undefined = "/v1/exports?limit=3"; path !== undefined; ) {
        const answer: Response = await tenant.get(path);
        const { exports } = (await answer.json()) as { readonly exports: Exported[] };
        seen.push(...exports.map((one) => one.export_id));
        path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1];
      }
      assert.deepEqual(seen, made);
    });

    it("of a disabled tenant cannot be loaded by their links either", async () => {
      const name = `stopped-${transport}`;
      const tenant = otherClient(server, name, "scale");
      const { record } = await tenant.exported({ spec: SPEC, output: { format: "csv" } });
      const link = await tenant.link(record.export_id);
      assert.equal((await fetch(client.base + link)).status, 200);
      const disable = (disabled: boolean) =>
        withKeyring(server.dataDir, (keyring) => keyring.setTenantDisabled(name, disabled));
      disable(true);
      await sleep(1_000);
      assert.equal((await fetch(client.base + link)).status, 403);
      assert.equal((await tenant.get(`/v1/exports/${record.export_id}`)).status, 403);
      disable(false);
      await sleep(1_000);
      assert.equal((await fetch(client.base + link)).status, 200);
    });

    it("beyond the limits of a plan are 429, and 422 if it has no exports", async () => {
      const bounded = otherClient(server, `bounded-${transport}`, "growth");
      const body = { spec: SPEC, output: { format: "xlsx" } };
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => bounded.post("/v1/exports", body)),
      );
      const refused = answers.filter(({ status }) => status === 429);
      assert.ok(refused.length > 0, "the queue was never full");
      for (const answer of refused) {
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
        assert.equal(((await answer.json()) as Created).code, "rate_limited");
      }
      const accepted = answers.filter(({ status }) => status === 201);
      assert.equal(accepted.length + refused.length, 40);
      assert.ok(accepted.length >= 2);
      for (const answer of accepted) {
        await bounded.done(((await answer.json()) as Created).export.export_id);
      }
      await client.exported(body);
      assert.equal((await bounded.post("/v1/exports", body)).status, 201);
      const without = otherClient(server, `without-${transport}`, "starter");
      const answer = await without.post("/v1/exports", body);
      assert.equal(answer.status, 422);
      assert.equal(((await answer.json()) as Created).code, "plan_not_allowed");
      const rowless = otherClient(server, `rowless-${transport}`, "free");
      const spec = { ...SPEC, output: { format: "csv", fields: ["cnpj"] } };
      const none = await rowless.post("/v1/exports", { spec, output: {} });
      assert.equal(((await none.json()) as Created).code, "plan_not_allowed");
      for (const path of ["/v1/accounts/count", "/v1/spec/normalize"]) {
        const answer = await rowless.post(path, { spec });
        const reported = (await answer.json()) as { readonly spec: { readonly limit: number } };
        assert.equal(reported.spec.limit, 100, `${path}: a limit that a spec can have`);
        assert.equal((await rowless.post(path, { spec: reported.spec })).status, 200);
      }
    });
  });
}
