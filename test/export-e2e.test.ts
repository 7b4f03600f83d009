/**
 * Proves, with real server processes: an export in every format is, byte for byte, what
 * `peneira export` writes and holds the rows of the same search; exports with secondary activities
 * hold what the linear scan finds; a deleted or expired export leaves no file behind; an accepted
 * export keeps its id and is finished after SIGTERM and SIGKILL; tenants see nothing of each other;
 * bounds are 429; a stopped tenant's links stop.
 * Does not prove: crashes at every point (crash*.test.ts), cells of every kind (export-*.test.ts).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parquetReadObjects } from "hyparquet";
import { readSheet } from "read-excel-file/node";
import { runExport } from "../src/cli/export.ts";
import { FORMATS } from "../src/export/format.ts";
import type { ExportFormat } from "../src/export/record.ts";
import type { AccountQuerySpec } from "../src/spec/schema.ts";
import { decodeSnapshot } from "./decode.ts";
import { elements, readCsv, readPage } from "./export-readers.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "./sample-snapshot.ts";
import {
  killServerProcess,
  peneira,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "./server-process.ts";
import { Twin } from "./twin.ts";

/** An export as far as these tests look. */
interface Exported {
  readonly export_id: string;
  readonly status: string;
  readonly format: ExportFormat;
  readonly row_count: number;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly expires_at: string;
  readonly download_url: string | null;
}

interface Created {
  readonly export: Exported;
  readonly spec: AccountQuerySpec;
  readonly code?: string;
}

type Account = Readonly<Record<string, string | null>>;

/** A search that is not in the order of the rows and holds names with quotes and commas. */
const SPEC = {
  filters: { geo: { uf_any_of: ["SP", "MG", "BA"] } },
  sort: [
    { field: "legal_name", direction: "desc" },
    { field: "started_on", direction: "asc" },
  ],
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

/** A client with one key. */
class Client {
  readonly base: string;
  readonly #key: string;
  static #keys = 0;

  constructor(base: string, key: string) {
    this.base = base;
    this.#key = key;
  }

  get(path: string, method = "GET"): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#key}` };
    return fetch(this.base + path, { method, headers, redirect: "manual" });
  }

  post(path: string, body: object, idempotencyKey = `e2e-${Client.#keys++}`): Promise<Response> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    };
    return fetch(this.base + path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  async create(body: object, idempotencyKey?: string): Promise<Created> {
    const answer = await this.post("/v1/exports", body, idempotencyKey);
    const created = (await answer.json()) as Created;
    assert.equal(answer.status, 201, JSON.stringify(created));
    return created;
  }

  /** Waits for the end of an export that must be `done`. */
  async done(id: string): Promise<Exported> {
    const answer = await this.get(`/v1/exports/${id}?wait=60&require=done`);
    const record = (await answer.json()) as Exported;
    assert.equal(answer.status, 200, JSON.stringify(record));
    return record;
  }

  /** The signed link of a done export. */
  async link(id: string): Promise<string> {
    const answer = await this.get(`/v1/exports/${id}/download`);
    assert.equal(answer.status, 303);
    return answer.headers.get("location") as string;
  }

  /** Loads a file by its link, without the key. */
  async file(id: string): Promise<Buffer> {
    const answer = await fetch(this.base + (await this.link(id)));
    assert.equal(answer.status, 200);
    return Buffer.from(await answer.arrayBuffer());
  }

  /** Creates, waits and loads. */
  async exported(
    body: object,
  ): Promise<{ record: Exported; bytes: Buffer; spec: AccountQuerySpec }> {
    const created = await this.create(body);
    const record = await this.done(created.export.export_id);
    return { record, bytes: await this.file(record.export_id), spec: created.spec };
  }

  /** All accounts of a search, page after page. */
  async searched(spec: object): Promise<Account[]> {
    const accounts: Account[] = [];
    let body: object = { spec, limit: 400 };
    for (;;) {
      const answer = await this.post("/v1/accounts/search", body);
      assert.equal(answer.status, 200);
      const page = (await answer.json()) as {
        readonly accounts: Account[];
        readonly next_cursor: string | null;
        readonly spec: object;
      };
      accounts.push(...page.accounts);
      if (page.next_cursor === null) return accounts;
      body = { spec: page.spec, cursor: page.next_cursor };
    }
  }
}

const clientOf = ({ base, key }: ServerProcess) => new Client(base, key);

/** A key of another tenant, made while the server runs. */
function otherClient({ base, dataDir }: ServerProcess, tenant: string, plan: string): Client {
  const wish = ["--tenant", tenant, "--plan", plan, "--name", "e2e", "--json"];
  const made = peneira("key", "create", "--data-dir", dataDir, ...wish);
  return new Client(base, (JSON.parse(made) as { readonly key: string }).key);
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const filesOf = (dataDir: string) => readdirSync(join(dataDir, "exports"));

/** What `peneira export` writes for the spec that an export was created with. */
async function written(spec: AccountQuerySpec, name: string): Promise<Buffer> {
  const input = join(sample.folder, `${name}.json`);
  const out = join(sample.folder, `${name}.out`);
  writeFileSync(input, JSON.stringify(spec));
  await runExport({ snapshot: sample.snapshot, spec: input, out });
  return readFileSync(out);
}

/** The rows of a file as independent readers see them: objects of texts, null where empty. */
const READERS: Readonly<Record<ExportFormat, (bytes: Buffer) => Account[] | Promise<Account[]>>> = {
  csv: (bytes) => objectsOf(readCsv(bytes.toString("utf8"))),
  html: (bytes) => {
    const lines = elements(readPage(bytes.toString("utf8")), "table").at(-1);
    assert.ok(lines !== undefined);
    const cells = elements(lines, "tr").map(({ children }) => children.map(({ text }) => text));
    return objectsOf(cells);
  },
  xlsx: async (bytes) => objectsOf((await readSheet(bytes)) as (string | null)[][]),
  parquet: async (bytes) => {
    const file = new Uint8Array(bytes).buffer;
    return (await parquetReadObjects({ file })) as Account[];
  },
  jsonl: (bytes) => {
    const lines = bytes.toString("utf8").split("\n");
    assert.equal(lines.pop(), "");
    return lines.map((line) => JSON.parse(line) as Account);
  },
};

function objectsOf([names = [], ...lines]: readonly (readonly (string | null)[])[]): Account[] {
  return lines.map((cells) =>
    Object.fromEntries(
      names.map((name, at) => [name, cells[at] === "" ? null : (cells[at] ?? null)]),
    ),
  );
}

for (const transport of ["uws", "node"]) {
  describe(`exports of a served snapshot on ${transport}`, () => {
    let server: ServerProcess;
    let client: Client;
    let accounts: Account[];
    before(async () => {
      server = await start(freshDir(), { PENEIRA_EXPORTS_SECONDARY_CNAE_FULL: "true" }, transport);
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
        assert.deepEqual(await READERS[format](bytes), accounts);
        assert.deepEqual(bytes, await written(spec, `${transport}-${format}`));
        const again = await client.exported({ spec: SPEC, output: { format } });
        assert.notEqual(again.record.export_id, record.export_id);
        assert.deepEqual(again.bytes, bytes);
      });
    }

    it("stop at their limit", async () => {
      const wish = { spec: SPEC, output: { format: "jsonl" }, limit: 7 };
      const { record, bytes } = await client.exported(wish);
      assert.equal(record.row_count, 7);
      assert.deepEqual(await READERS.jsonl(bytes), accounts.slice(0, 7));
    });

    it("without any row have a header and no more", async () => {
      const spec = { filters: { geo: { uf_any_of: ["EX"] }, contact: { require_phone: true } } };
      const { record, bytes } = await client.exported({ spec, output: { format: "csv" } });
      assert.equal(record.row_count, 0);
      assert.equal(bytes.toString(), "cnpj,legal_name,uf,municipality_ibge,cnae_primary\r\n");
    });

    it("can be loaded in parts and looked at first", async () => {
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
      it(`with ${mode} hold what the linear scan finds, in its order`, async () => {
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
          const cnpjs = (await READERS.jsonl(bytes)).map(({ cnpj }) => cnpj);
          assert.deepEqual(
            cnpjs,
            expected.map((row) => twin.rows[row]?.cnpj),
          );
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

    it("are created once, however often and at once the same request comes", async () => {
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
      const other = otherClient(server, `other-${transport}`, "growth");
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

    it("of a stopped tenant cannot be loaded by their links either", async () => {
      const name = `stopped-${transport}`;
      const tenant = otherClient(server, name, "scale");
      const { record } = await tenant.exported({ spec: SPEC, output: { format: "csv" } });
      const link = await tenant.link(record.export_id);
      assert.equal((await fetch(client.base + link)).status, 200);
      peneira("tenant", "disable", name, "--data-dir", server.dataDir);
      await sleep(1_000);
      assert.equal((await fetch(client.base + link)).status, 403);
      assert.equal((await tenant.get(`/v1/exports/${record.export_id}`)).status, 403);
      peneira("tenant", "enable", name, "--data-dir", server.dataDir);
      await sleep(1_000);
      assert.equal((await fetch(client.base + link)).status, 200);
    });
  });
}

describe("an export whose time is over", () => {
  it("is 410 for ever, by its link too, and its file is gone from the disk", async () => {
    const dataDir = freshDir();
    const settings = { PENEIRA_EXPORTS_RETENTION: "2" };
    let server = await start(dataDir, settings);
    let client = clientOf(server);
    const { record } = await client.exported({ spec: SPEC, output: { format: "csv" } });
    const link = await client.link(record.export_id);
    const leftMs = Date.parse(record.expires_at) - Date.now();
    assert.ok(leftMs > 0 && leftMs <= 2_000, `${leftMs} ms are left`);
    assert.deepEqual(filesOf(dataDir), [`${record.export_id}.csv`]);
    await sleep(leftMs + 5);
    const statuses = async () => {
      const paths = ["", "?require=done", "?wait=60", "/download"];
      const asked = paths.map((one) => client.get(`/v1/exports/${record.export_id}${one}`));
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    assert.deepEqual(await statuses(), [410, 410, 410, 410]);
    assert.ok([403, 410].includes((await fetch(client.base + link)).status));
    for (let round = 0; round < 50 && filesOf(dataDir).length > 0; round++) await sleep(100);
    assert.deepEqual(filesOf(dataDir), []);
    const { exports } = (await (await client.get("/v1/exports")).json()) as { exports: Exported[] };
    assert.deepEqual([exports[0]?.status, exports[0]?.download_url], ["done", null]);
    await stopServerProcess(server);
    const { key } = server;
    server = { ...(await start(dataDir)), key };
    client = clientOf(server);
    assert.deepEqual(await statuses(), [410, 410, 410, 410]);
    assert.deepEqual(filesOf(dataDir), []);
    await stopServerProcess(server);
  });
});

describe("exports that a server had accepted when it ended", () => {
  for (const [how, end] of [
    ["SIGTERM", stopServerProcess],
    ["SIGKILL", killServerProcess],
  ] as const) {
    it(`keep their ids and are finished after ${how}`, async () => {
      const dataDir = freshDir();
      const first = await start(dataDir);
      const body = { spec: SPEC, output: { format: "xlsx" } };
      const client = clientOf(first);
      const made = await Promise.all(
        Array.from({ length: 40 }, (_, i) => client.create(body, `kept-${i}`)),
      );
      await end(first);
      const before = made.map((one) => one.export.export_id);
      const second = await start(dataDir);
      const later = new Client(second.base, first.key);
      const records = await Promise.all(before.map((id) => later.done(id)));
      assert.equal(new Set(records.map((record) => record.sha256)).size, 1);
      const spec = made[0]?.spec as AccountQuerySpec;
      assert.equal(records[0]?.sha256, sha256(await written(spec, `kept-${how}`)));
      const replayed = await later.create(body, "kept-7");
      assert.equal(replayed.export.export_id, before[7]);
      assert.deepEqual(filesOf(dataDir).sort(), before.map((id) => `${id}.xlsx`).sort());
      await stopServerProcess(second);
    });
  }
});

describe("the bounds of a plan", () => {
  it("are 429 with Retry-After where its queue is full, and 422 where it has no exports", async () => {
    const server = await start(freshDir(), {
      PENEIRA_PLANS_GROWTH_CONCURRENT_EXPORTS: "1",
      PENEIRA_PLANS_GROWTH_QUEUED_EXPORTS: "2",
      PENEIRA_PLANS_STARTER_CONCURRENT_EXPORTS: "0",
    });
    const bounded = otherClient(server, "bounded", "growth");
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
    await clientOf(server).exported(body);
    assert.equal((await bounded.post("/v1/exports", body)).status, 201);
    const without = otherClient(server, "without", "starter");
    const answer = await without.post("/v1/exports", body);
    assert.equal(answer.status, 422);
    assert.equal(((await answer.json()) as Created).code, "plan_not_allowed");
    await stopServerProcess(server);
  });
});
