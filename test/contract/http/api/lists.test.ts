/**
 * Proves, on both transports: lists are created, named, filled from JSON, CSV, XLSX, and searches,
 * emptied, paged, and deleted as documented. A CSV file is parsed while it arrives and needs no
 * memory besides its entries. XLSX files have a separate memory limit. A file that exceeds the
 * limit is refused, and its memory is released for any outcome of the request. Entries are shown
 * with the snapshot's check digits. On every route, another tenant's list is answered as if it did
 * not exist.
 * Does not prove: how a search uses lists (listed-search.test.ts).
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileBytesHeld } from "../../../../src/http/api/exports/fileblocks.ts";
import { ENGINE } from "../../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { readCnpj } from "../../../../src/spec/cnpj/cnpj.ts";
import { UFS } from "../../../../src/spec/fields.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { text as cellOf, workbook } from "../../../support/lists/workbooks.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

interface Body {
  readonly list: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly lists: readonly { readonly id: string; readonly name: string }[];
  readonly entries: readonly string[];
  readonly next_cursor: string | null;
  readonly total: number;
  readonly code: string;
  readonly detail: string;
  readonly [member: string]: unknown;
}

interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
/** Number of requests that began to use the snapshot, and of those that ended its use. */
const holds = { begun: 0, ended: 0 };
let sample: SampleSnapshot;
let segment: Segment;

before(async () => {
  sample = await makeSampleSnapshot(2_000, 7, "2026-10");
  segment = await openSegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
});

for (const transport of MATRIX) {
  describe(`lists over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, {
        ...{ engine: ENGINE, segment: () => segment },
        retain: () => {
          holds.begun++;
          return () => holds.ended++;
        },
      });
    });
    after(() => server.close());

    async function send(method: string, path: string, sent?: unknown, tenant = "enterprise") {
      const text = typeof sent === "string" || sent instanceof Buffer;
      const type = sent instanceof Buffer ? XLSX : "text/csv";
      const key = server.keys[tenant as "free"];
      const answer = await fetchDocumented(server.base + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(sent === undefined ? {} : { "content-type": text ? type : "application/json" }),
        },
        ...(sent === undefined ? {} : { body: text ? sent : JSON.stringify(sent) }),
      });
      const body = answer.status === 204 ? {} : await answer.json();
      return { status: answer.status, headers: answer.headers, body } as Seen;
    }

    async function made(name: string, kind = "accounts"): Promise<string> {
      const { status, body } = await send("POST", "/v1/lists", { name, kind });
      assert.equal(status, 201, JSON.stringify(body));
      return body.list.id;
    }

    it("accept every CNPJ of the registry, with wrong check digits too", async () => {
      const rows = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
      const text = Buffer.from(segment.native.renderJson(rows, ["cnpj"])).toString();
      const cnpjs = (JSON.parse(text) as { cnpj: string }[]).map(({ cnpj }) => cnpj);
      const wrong = cnpjs.filter((cnpj) => readCnpj(cnpj)?.checked === false);
      const other = `${wrong[0]?.slice(0, 12)}${(Number(wrong[0]?.slice(12)) + 1) % 100}`;
      assert.ok(wrong.length > 0);
      const { id } = (await send("POST", "/v1/lists", { name: "all" })).body.list;
      const entries = `/v1/lists/${id}/entries`;
      const before = holds.begun;
      const { body } = await send("POST", entries, `cnpj\r\n${cnpjs.join("\r\n")}\r\n`);
      assert.deepEqual([body.added, body.refused_count, body.refused], [cnpjs.length, 0, []]);
      assert.equal(body.not_in_snapshot, 0);
      assert.deepEqual([holds.begun, holds.ended], [before + 1, before + 1]);
      await send("POST", entries, { cnpjs: ["11222333000181", "11222333"] });
      // An entry has no check digits. They come from the snapshot if it contains the account.
      const read: string[] = [];
      for (let path = `${entries}?limit=900`; path !== ""; ) {
        const page = await send("GET", path);
        read.push(...page.body.entries);
        path = /<([^>]+)>/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
      }
      assert.deepEqual(read, [...cnpjs, "11222333000181", "11222333"].sort());
      assert.equal(holds.begun, holds.ended);
      const lists = { exclude: [id] };
      const left = await send("POST", "/v1/accounts/count", {
        spec: { filters: { geo: { uf_any_of: UFS }, lists } },
      });
      assert.equal(left.body.total, 0);
      const gone = await send("POST", `${entries}/remove`, { cnpjs: [...wrong, other] });
      assert.deepEqual([gone.body.removed, gone.body.refused_count], [wrong.length, 1]);
      await send("DELETE", `/v1/lists/${id}`);
    });

    it("reject a name that sentences would read as another list's", async () => {
      const own = [await made("São João"), await made("Fornecedores"), await made("🔥")];
      const [first, second] = own;
      const refused = async (method: string, path: string, name: string, taken?: string) => {
        const { status, body } = await send(method, path, { name });
        assert.equal(status, 422, name);
        const [mistake] = body.errors as { pointer: string; code: string; detail: string }[];
        assert.deepEqual([mistake?.pointer, mistake?.code], ["/name", "duplicate"]);
        assert.match(mistake?.detail ?? "", new RegExp(`already: ${taken}\\. Choose another name`));
      };
      for (const name of ["São João", "sao joao", " SÃO   JOÃO ", "“São-João”"]) {
        await refused("POST", "/v1/lists", name, first);
        await refused("PATCH", `/v1/lists/${second}`, name, first);
      }
      await refused("POST", "/v1/lists", "🔥", own[2]);
      const recased = await send("PATCH", `/v1/lists/${first}`, { name: "SAO JOAO" });
      assert.equal(recased.body.list.name, "SAO JOAO", "its own name it may have");
      const another = await made("São João 2");
      await send("DELETE", `/v1/lists/${first}`);
      own[0] = await made("São João");
      for (const id of [...own, another]) await send("DELETE", `/v1/lists/${id}`);
    });

    it("are created, named, listed, and deleted", async () => {
      const created = await send("POST", "/v1/lists", { name: " Clientes " });
      const { id } = created.body.list;
      assert.equal(created.headers.get("location"), `/v1/lists/${id}`);
      assert.deepEqual(
        { ...created.body.list, created_at: "", changed_at: "" },
        {
          ...{ id, name: "Clientes", kind: "accounts", entries: 0, revision: 0 },
          ...{ read_only: false, created_at: "", changed_at: "" },
        },
      );
      const renamed = await send("PATCH", `/v1/lists/${id}`, { name: "Outros" });
      assert.equal(renamed.body.list.name, "Outros");
      const wrong = await send("POST", "/v1/lists", { name: "", kind: "tags", colour: 1 });
      assert.equal(wrong.status, 422);
      assert.equal((wrong.body.errors as unknown[]).length, 3);
      const more = [await made("b"), await made("c"), id];
      const first = await send("GET", "/v1/lists?limit=2");
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
      const second = await send("GET", next);
      const listed = [...first.body.lists, ...second.body.lists].map((list) => list.id);
      assert.deepEqual(new Set(listed), new Set([...more, "exported"]));
      assert.equal(listed.at(-1), "exported");
      for (const one of more) assert.equal((await send("DELETE", `/v1/lists/${one}`)).status, 204);
      const left = (await send("GET", "/v1/lists")).body.lists;
      assert.deepEqual(
        left.map((one) => one.id),
        ["exported"],
      );
      assert.equal((await send("GET", `/v1/lists/${id}`)).body.code, "list_not_found");
    });

    it("add and remove entries from JSON, and report rejected ones", async () => {
      const id = await made("json");
      const path = `/v1/lists/${id}/entries`;
      const cnpjs = ["11.222.333/0001-81", "11222333000181", "11222333", "nada"];
      const added = await send("POST", path, { cnpjs });
      assert.equal(added.status, 200, JSON.stringify(added.body));
      const { list, request_id: _, ...counts } = added.body;
      assert.deepEqual(counts, {
        ...{ read: 4, added: 2, already_there: 0, repeated: 1, not_in_snapshot: 2 },
        ...{ refused_count: 1, refused: [{ line: 4, text: "nada", reason: "not_a_number" }] },
      });
      assert.equal(list.revision, 1);
      const read = await send("GET", path);
      assert.deepEqual(read.body.entries, ["11222333", "11222333000181"]);
      const removed = await send("POST", `${path}/remove`, { cnpjs: ["11222333", "00000000"] });
      assert.deepEqual([removed.body.removed, removed.body.not_there], [1, 1]);
      const again = await send("POST", `${path}/remove`, { cnpjs: ["11222333"] });
      assert.equal(again.body.list.revision, removed.body.list.revision);
      const numbers = await send("POST", path, { cnpjs: [11222333000181, 191] });
      assert.deepEqual(numbers.body.refused, [
        { line: 2, text: "191", reason: "lost_zeros", offered: "00000000000191" },
      ]);
      for (const one of [null, true, {}, ["11222333"]]) {
        const { status, body } = await send("POST", path, { cnpjs: [one] });
        assert.equal(status, 422);
        assert.equal(body.detail, 'Must be a text, such as "11222333000181", or a number.');
      }
    });

    it("of companies reduce every CNPJ to its company", async () => {
      const id = await made("companies", "companies");
      await send("POST", `/v1/lists/${id}/entries`, { cnpjs: ["11222333000181"] });
      const read = await send("GET", `/v1/lists/${id}/entries`);
      assert.deepEqual(read.body.entries, ["11222333"]);
    });

    it("accept files larger than other bodies, and search results", async () => {
      const id = await made("csv");
      const searched = await send("POST", `/v1/lists/${id}/entries/from-search`, { spec: SP });
      assert.equal(searched.status, 200, JSON.stringify(searched.body));
      const { total } = (await send("POST", "/v1/accounts/count", { spec: SP })).body;
      assert(total > 100);
      assert.deepEqual([searched.body.added, searched.body.not_in_snapshot], [total, 0]);
      const all: string[] = [];
      for (let path = `/v1/lists/${id}/entries?limit=100`; path !== ""; ) {
        const page = await send("GET", path);
        all.push(...page.body.entries);
        path = /<([^>]+)>/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
      }
      assert.equal(all.length, total);
      const other = await made("copy");
      const lines = all.map((cnpj) => `${"x".repeat(9_000)};${cnpj}`);
      const file = `nome;cnpj\r\n${lines.join("\r\n")}\r\nx;nada`;
      assert(file.length > 1_048_576);
      const sent = await send("POST", `/v1/lists/${other}/entries`, file);
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      assert.deepEqual([sent.body.added, sent.body.refused_count], [total, 1]);
      assert.equal(server.bodies.used, 0);
      const column = await send("POST", `/v1/lists/${other}/entries?column=z`, file);
      assert.equal(column.status, 422);
      assert.match(JSON.stringify(column.body.errors), /"pointer":"\/query\/column"/);
      const infinite = await fetch(`${server.base}/v1/lists/${other}/entries`, {
        method: "POST",
        headers: {
          ...{
            Authorization: `Bearer ${server.keys.enterprise}`,
            "Content-Type": "application/json",
          },
        },
        body: '{"cnpjs": [1e400]}',
      });
      assert.equal(infinite.status, 422);
      const broad = await send("POST", `/v1/lists/${id}/entries/from-search`, { spec: {} });
      assert.equal(broad.body.code, "query_too_broad");
    });

    it("add and remove entries from XLSX files, and report sheet and cells", async () => {
      const id = await made("xlsx");
      const rows = [["cnpj"], ["11.222.333/0001-81"], ["nada"], ["11222333"]];
      const sheets = [
        { name: "Clientes", rows: rows.map((row) => row.map((one) => cellOf(one))) },
        { name: "Outra", rows: [] },
      ];
      const file = await workbook(sheets);
      const added = await send("POST", `/v1/lists/${id}/entries`, file);
      assert.equal(added.status, 200, JSON.stringify(added.body));
      const { list: _, request_id: __, ...counts } = added.body;
      assert.deepEqual(counts, {
        ...{ sheet: "Clientes", other_sheets: 1, column: "cnpj", read: 3, added: 2 },
        already_there: 0,
        ...{ repeated: 0, not_in_snapshot: 2, refused_count: 1 },
        refused: [{ line: 3, cell: "A3", text: "nada", reason: "not_a_number" }],
      });
      const removed = await send("POST", `/v1/lists/${id}/entries/remove?column=a`, file);
      assert.deepEqual([removed.body.removed, removed.body.sheet], [2, "Clientes"]);
      const corrupted = await send("POST", `/v1/lists/${id}/entries`, file.subarray(0, 900));
      assert.deepEqual([corrupted.status, corrupted.body.code], [422, "invalid_request"]);
      assert.match(JSON.stringify(corrupted.body.errors), /unreadable_xlsx/);
      const nobody = await send("POST", `/v1/lists/lst_${"0".repeat(32)}/entries`, file);
      assert.equal(nobody.status, 404);
      const asCsv = await send("POST", `/v1/lists/${id}/entries`, file.toString("latin1"));
      assert.match(asCsv.body.detail, /This is a spreadsheet, no CSV/);
      assert.equal(fileBytesHeld(), 0);
    });

    it("bound the memory of XLSX files, and release it if a client leaves", async () => {
      const id = await made("room");
      const path = `/v1/lists/${id}/entries`;
      const large = await send("POST", path, Buffer.alloc(33 * 1024 * 1024));
      assert.deepEqual([large.status, large.body.code], [413, "payload_too_large"]);
      const port = Number(new URL(server.base).port);
      const head = [
        `POST ${path} HTTP/1.1`,
        ...["Host: x", `Authorization: Bearer ${server.keys.enterprise}`],
        ...[`Content-Type: ${XLSX}`, `Content-Length: ${20 * 1024 * 1024}`, "", ""],
      ].join("\r\n");
      const leaving = connect(port, "127.0.0.1");
      leaving.on("error", () => undefined);
      leaving.write(head);
      leaving.write(Buffer.alloc(20 * 1024 * 1024 - 1));
      await until(() => fileBytesHeld() === 20 * 1024 * 1024);
      // A tenant may use half of the upload memory that is left by the others.
      const second = await send("POST", path, Buffer.alloc(13 * 1024 * 1024));
      assert.deepEqual([second.status, second.body.code], [429, "rate_limited"]);
      leaving.destroy();
      await until(() => fileBytesHeld() === 0);
      const after = await send("POST", path, Buffer.alloc(13 * 1024 * 1024));
      assert.match(after.body.detail, /no XLSX workbook/);
      assert.equal(fileBytesHeld(), 0);
    });

    it("named exported are readable by all users and cannot be changed", async () => {
      const { list } = (await send("GET", "/v1/lists/exported")).body;
      assert.deepEqual([list.id, list.entries, list.read_only], ["exported", 0, true]);
      const { entries, has_more } = (await send("GET", "/v1/lists/exported/entries")).body;
      assert.deepEqual([entries, has_more], [[], false]);
      const refused: readonly (readonly [string, string, unknown?])[] = [
        ["PATCH", "", { name: "x" }],
        ["DELETE", ""],
        ["POST", "/entries", { cnpjs: ["11222333"] }],
        ["POST", "/entries", "11222333"],
        ["POST", "/entries/remove", { cnpjs: ["11222333"] }],
        ["POST", "/entries/from-search", { spec: SP }],
      ];
      for (const [method, path, sent] of refused) {
        const { status, body } = await send(method, `/v1/lists/exported${path}`, sent);
        assert.deepEqual([status, body.code], [422, "invalid_request"], `${method} ${path}`);
        assert.match(JSON.stringify(body), /exported is kept by the server/);
      }
      const filters = { geo: { uf_any_of: ["SP"] }, lists: { exclude: ["exported"] } };
      const found = await send("POST", "/v1/accounts/count", { spec: { filters } });
      assert.equal(found.status, 200, JSON.stringify(found.body));
      const second = await send("POST", "/v1/lists", { name: " EXPORTED" });
      const [mistake] = second.body.errors as { code: string; pointer: string }[];
      assert.deepEqual([mistake?.code, mistake?.pointer], ["reserved", "/name"]);
    });

    it("of another tenant do not exist on any route", async () => {
      const id = await made("mine");
      const unknown = `lst_${"0".repeat(32)}`;
      const routes: readonly (readonly [string, string, unknown?])[] = [
        ["GET", ""],
        ["PATCH", "", { name: "x" }],
        ["DELETE", ""],
        ["GET", "/entries"],
        ["POST", "/entries", { cnpjs: ["11222333"] }],
        ["POST", "/entries", "11222333"],
        ["POST", "/entries/remove", { cnpjs: ["11222333"] }],
        ["POST", "/entries/from-search", { spec: SP }],
      ];
      for (const [method, path, sent] of routes) {
        const reported: string[] = [];
        for (const one of [id, unknown, "lst_1"]) {
          const { status, body } = await send(method, `/v1/lists/${one}${path}`, sent, "growth");
          assert.equal(status, 404, `${method} ${path}`);
          reported.push(JSON.stringify({ ...body, request_id: "" }));
        }
        assert.equal(new Set(reported).size, 1, `${method} ${path}`);
      }
      const theirs = (await send("GET", "/v1/lists", undefined, "growth")).body.lists;
      assert.deepEqual(
        theirs.map((one) => one.id),
        ["exported"],
      );
      const { list } = (await send("GET", `/v1/lists/${id}`)).body;
      assert.deepEqual([list.name, list.entries, list.revision], ["mine", 0, 0]);
    });
  });
}

/** Waits until the condition holds, for a few seconds at most. */
async function until(holds: () => boolean): Promise<void> {
  for (let left = 200; left > 0 && !holds(); left--) await sleep(10);
  assert.ok(holds(), "what was waited for did not come");
}
