/**
 * Proves, with real server processes: a CSV or XLSX file that a client sends becomes an export of
 * the kind "enrichment". Its bytes equal those of the same enrichment in this process. A repeated
 * request returns the same export, and another request with the same idempotency key is refused.
 * The sent file stays on disk as long as the record can be read, and counts toward export_bytes. If
 * the server is killed, an accepted export is finished later with the same bytes. Only
 * accounts that were found are charged. Large requests of POST /v1/enrich, which a compute thread
 * serves, get the same answers as small ones.
 * Does not prove: the cells (contract/export/enrichment), and crashes at every point.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { enrichFile } from "../../../src/export/enrichment/enrichment.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { makeBackup } from "../../../src/store/backup/backup.ts";
import { restoreBackup } from "../../../src/store/backup/restore.ts";
import { runCommand } from "../../support/cli/commands.ts";
import { Client, sha256 } from "../../support/export/client.ts";
import { text as cellOf, workbook } from "../../support/lists/workbooks.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  killServerProcess,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const FIELDS = ["legal_name", "email"] as const;
const QUERY = `fields=${FIELDS.join(",")}&labels=pt`;

interface Created {
  readonly column: string;
  readonly sheet: string | null;
  readonly rows: number;
  readonly export: Readonly<Record<string, unknown>> & { readonly export_id: string };
}

let sample: SampleSnapshot;
let segment: Segment;
let cnpjs: readonly string[];
let stateDirs = 0;

before(async () => {
  sample = await makeSampleSnapshot(3_000, 79);
  segment = await openSegment(sample.snapshot);
  const rows = Uint32Array.from({ length: segment.accounts }, (_, row) => row);
  const text = Buffer.from(segment.native.renderJson(rows, ["cnpj"])).toString();
  cnpjs = (JSON.parse(text) as { cnpj: string }[]).map(({ cnpj }) => cnpj);
});
after(() => {
  segment.close();
  sample.dispose();
});

const freshDir = () => join(sample.folder, `state-${stateDirs++}`);

function start(dataDir: string, settings: Readonly<Record<string, string>> = {}) {
  return startServerProcess({ snapshot: sample.snapshot, dataDir, settings });
}

/** Returns a CSV file with this many rows. Every tenth is no CNPJ. */
function csvOf(rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, at) => {
    return `${at};${at % 10 === 9 ? "123.456.789-09" : cnpjs[at % cnpjs.length]};é`;
  });
  return Buffer.from(`id;CNPJ;nome\r\n${lines.join("\r\n")}\r\n`, "latin1");
}

/** Enriches a file in this process, and returns the bytes. */
async function expected(
  bytes: Uint8Array,
  format?: "csv" | "xlsx",
  sheet?: string,
): Promise<Buffer> {
  const path = join(sample.folder, "sent");
  writeFileSync(path, bytes);
  const pieces: Buffer[] = [];
  await enrichFile({
    ...{ segment, path, format },
    options: { fields: FIELDS, labels: "pt", column: undefined, sheet, fillZeros: false },
    write: (piece) => pieces.push(Buffer.from(piece)),
    onProgress: () => {},
    onFound: () => {},
    checkCancelled: () => {},
    spare: () => false,
  });
  return Buffer.concat(pieces);
}

async function send(
  { base, key }: Pick<ServerProcess, "base" | "key">,
  bytes: Uint8Array,
  { name, type = "text/csv", query = QUERY }: { name: string; type?: string; query?: string },
) {
  const answer = await fetch(`${base}/v1/enrich/files?${query}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": type, "Idempotency-Key": name },
    body: Buffer.from(bytes),
  });
  const json = (await answer.json()) as Created & Record<string, unknown>;
  return { status: answer.status, json, replayed: answer.headers.get("idempotent-replayed") };
}

async function finished(client: Client, id: string): Promise<Record<string, unknown>> {
  const answer = await client.get(`/v1/exports/${id}?wait=30&require=done`);
  const record = (await answer.json()) as Record<string, unknown>;
  assert.equal(answer.status, 200, JSON.stringify(record));
  return record;
}

async function downloaded(client: Client, id: string): Promise<Buffer> {
  const link = await client.link(id);
  return Buffer.from(await (await fetch(client.base + link)).arrayBuffer());
}

/** Media type of the enriched file. */
async function typeOf(server: ServerProcess, bytes: Uint8Array, query = "fields=uf") {
  const client = new Client(server.base, server.key);
  const type = bytes[0] === 0x50 && bytes[1] === 0x4b ? XLSX : "text/csv";
  const { status, json } = await send(server, bytes, { name: `t${Math.random()}`, type, query });
  assert.equal(status, 201, JSON.stringify(json));
  await finished(client, json.export.export_id);
  const { headers } = await fetch(client.base + (await client.link(json.export.export_id)));
  return headers.get("content-type");
}

const sentFiles = (dataDir: string) => readdirSync(join(dataDir, "sent"));

describe("a sent file", () => {
  let server: ServerProcess;
  let client: Client;
  let dataDir: string;
  before(async () => {
    dataDir = freshDir();
    server = await start(dataDir);
    client = new Client(server.base, server.key);
  });
  after(() => stopServerProcess(server));

  it("becomes an export with columns appended, CSV out of CSV", async () => {
    const bytes = csvOf(2_500);
    const { status, json } = await send(server, bytes, { name: "csv" });
    assert.equal(status, 201, JSON.stringify(json));
    assert.deepEqual([json.column, json.sheet, json.rows], ["CNPJ", null, 2_500]);
    assert.deepEqual([json.export.kind, json.export.format], ["enrichment", "csv"]);
    const { export_id: id } = json.export;
    const record = await finished(client, id);
    assert.deepEqual([record.kind, record.row_count], ["enrichment", 2_500]);
    const read = { column: "CNPJ", sheet: null };
    assert.deepEqual(json.export.enrichment, read, "outcomes are not known yet");
    const sums = { found: 2_250, head_office: 0, not_in_snapshot: 0, not_a_cnpj: 250, no_cnpj: 0 };
    const rows_by_status = { ...sums, reasons: { cpf: 250 } };
    assert.deepEqual(record.enrichment, { ...read, rows_by_status });
    const file = await downloaded(client, id);
    assert.ok(file.equals(await expected(bytes)));
    assert.equal(record.sha256, sha256(file));
    assert.ok(readFileSync(join(dataDir, "sent", id)).equals(bytes), "the sent file is kept");
    const again = await send(server, bytes, { name: "csv" });
    assert.deepEqual([again.status, again.replayed], [201, "true"]);
    assert.equal(again.json.export.export_id, id);
    const other = await send(server, bytes, { name: "csv", query: "fields=uf" });
    assert.deepEqual([other.status, other.json.code], [422, "idempotency_key_reused"]);
    const changed = await send(server, csvOf(10), { name: "csv" });
    assert.deepEqual([changed.status, changed.json.code], [422, "idempotency_key_reused"]);
    assert.deepEqual(sentFiles(dataDir), [id], "no other file is left");
    assert.equal((await client.get(`/v1/exports/${id}`, "DELETE")).status, 204);
    assert.deepEqual(sentFiles(dataDir), []);
  });

  it("becomes an export with columns appended, XLSX out of XLSX", async () => {
    const rows = [
      [cellOf("CNPJ"), cellOf("Nome")],
      ...cnpjs.slice(0, 40).map((cnpj) => [cellOf(cnpj), cellOf("x")]),
    ];
    const bytes = await workbook([{ name: "Base", rows }]);
    const { status, json } = await send(server, bytes, { name: "xlsx", type: XLSX });
    assert.deepEqual([status, json.sheet, json.rows], [201, "Base", 40]);
    assert.ok(!("other_sheets" in json || "hidden_sheets" in json || "sheet_reason" in json));
    const three = await workbook([
      ...["Base", "Outra"].map((name) => ({ name, rows })),
      { name: "Oculta", rows, state: "hidden" as const },
    ]);
    const more = await send(server, three, { name: "three", type: XLSX });
    assert.equal(more.status, 201, JSON.stringify(more.json));
    const { sheet_reason: reason, other_sheets: others, hidden_sheets: hidden } = more.json;
    const { enrichment } = more.json.export as Readonly<Record<string, unknown>>;
    assert.deepEqual(enrichment, { column: "CNPJ", sheet: "Base", sheet_reason: reason });
    assert.deepEqual([reason, others, hidden], ["first_with_cnpjs", 1, 1]);
    const query = `${QUERY}&sheet=outra`;
    const other = await send(server, three, { name: "outra", type: XLSX, query });
    const { sheet, sheet_reason: why } = other.json;
    assert.deepEqual([other.status, sheet, why], [201, "Outra", "named"]);
    await finished(client, other.json.export.export_id);
    const own = await downloaded(client, other.json.export.export_id);
    assert.ok(own.equals(await expected(three, undefined, "Outra")));
    const [sent, out] = [join(sample.folder, "three.xlsx"), join(sample.folder, "three-out.xlsx")];
    writeFileSync(sent, three);
    const run = await runCommand(["enrich", sent, "--snapshot", sample.snapshot, "--out", out]);
    assert.match(
      run.err,
      /of sheet "Base", the first with .* CNPJs; other sheets not enriched: 1, h/,
    );
    const record = await finished(client, json.export.export_id);
    assert.deepEqual([record.format, record.row_count], ["xlsx", 40]);
    const file = await downloaded(client, json.export.export_id);
    assert.ok(file.equals(await expected(bytes)));
  });

  it("becomes the other kind on request, over the API and on the command line", async () => {
    const sheet = await workbook([
      { name: "Base", rows: [[cellOf("CNPJ")], ...cnpjs.slice(0, 9).map((one) => [cellOf(one)])] },
    ]);
    for (const [bytes, type, from, to] of [
      [csvOf(50), "text/csv", "csv", "xlsx"],
      [sheet, XLSX, "xlsx", "csv"],
    ] as const) {
      const query = `${QUERY}&format=${to}&title=Clientes%20novos`;
      const { status, json } = await send(server, bytes, { name: `to-${to}`, type, query });
      assert.deepEqual([status, json.export.format], [201, to], JSON.stringify(json));
      await finished(client, json.export.export_id);
      const file = await downloaded(client, json.export.export_id);
      assert.ok(file.equals(await expected(bytes, to)));
      assert.match(await client.link(json.export.export_id), new RegExp(`\\.${to}\\?`));
      const [sent, out] = [join(sample.folder, `in.${from}`), join(sample.folder, `out.${to}`)];
      writeFileSync(sent, bytes);
      const flags = ["--fields", FIELDS.join(","), "--labels", "pt", "--force"];
      const args = ["enrich", sent, "--snapshot", sample.snapshot, "--out", out, ...flags];
      const ended = await runCommand(args);
      assert.equal(ended.code, 0, ended.err);
      assert.ok(readFileSync(out).equals(file), "the bytes of the server");
    }
    const [sent, out] = [join(sample.folder, "in.csv"), join(sample.folder, "out.pdf")];
    const other = await runCommand(["enrich", sent, "--snapshot", sample.snapshot, "--out", out]);
    assert.equal(other.code, 2);
    assert.match(other.err, /--out must end with \.csv or \.xlsx, not \.pdf/);
    const none = await runCommand([
      ...["enrich", sent, "--snapshot", sample.snapshot, "--out", `${out}.csv`, "--fields", ""],
    ]);
    assert.equal(none.code, 2);
    assert.match(none.err, /Name fields with commas .* or leave --fields out for the default ones/);
    const [book, plain] = [join(sample.folder, "in.xlsx"), join(sample.folder, "out.txt")];
    writeFileSync(book, sheet);
    const text = await runCommand(["enrich", book, "--snapshot", sample.snapshot, "--out", plain]);
    assert.equal(text.code, 0, text.err);
    assert.match(readFileSync(plain, "utf8"), /^\ufeff?"?CNPJ/);
    const long = Buffer.from(`CNPJ;x\n${cnpjs[0]};${"a".repeat(40_000)}\n`);
    const { status, json } = await send(server, long, { name: "long", query: "format=xlsx" });
    assert.deepEqual([status, json.code], [422, "invalid_request"]);
    assert.match(String(json.detail), /Row 2 has a cell with more than 32,767 characters/);
  });

  it("has the encoding and header of the file in its media type", async () => {
    const text = `${cnpjs[0]};é\r\n${cnpjs[1]};ã\r\n`;
    const csv = (charset: string, header: string) =>
      `text/csv; charset=${charset}; header=${header}`;
    const wide = Buffer.from(`\ufeffCNPJ;n\r\n${text}`, "utf16le");
    assert.equal(await typeOf(server, csvOf(5)), csv("windows-1252", "present"));
    assert.equal(await typeOf(server, Buffer.from(text)), csv("utf-8", "absent"));
    assert.equal(await typeOf(server, wide), csv("utf-16le", "present"));
    assert.equal(await typeOf(server, wide.swap16()), csv("utf-16be", "present"));
    assert.equal(await typeOf(server, csvOf(5), "format=xlsx"), XLSX);
    const book = await workbook([{ name: "S", rows: [[cellOf(cnpjs[0] as string)]] }]);
    assert.equal(await typeOf(server, book, "format=csv"), csv("utf-8", "absent"));
  });

  it("adds its found accounts to the list of exported ones", async () => {
    const only = await (await client.get("/v1/lists/exported/entries?limit=10000")).json();
    const entries = (only as { entries: string[] }).entries;
    assert.ok(entries.includes(cnpjs[0] as string));
  });

  it("is refused with a message if it cannot be parsed or the request is wrong", async () => {
    const refused = async (bytes: Uint8Array, more: object, code: string, pointer: string) => {
      const name = `wrong-${Math.random()}`;
      const { status, json } = await send(server, bytes, { name, ...more });
      const [first] = (json as unknown as { errors: { code: string; pointer: string }[] }).errors;
      assert.deepEqual([status, first?.code, first?.pointer], [422, code, pointer]);
    };
    await refused(Buffer.from("a;b\nc;d\n"), {}, "unreadable_file", "");
    await refused(Buffer.from("%PDF-1.7"), {}, "unreadable_file", "");
    await refused(csvOf(3), { query: "column=none" }, "unreadable_file", "/query/column");
    await refused(csvOf(3), { query: "sheet=Base" }, "unreadable_file", "/query/sheet");
    await refused(csvOf(3), { query: "fields=salary" }, "unknown_field", "/query/fields/0");
    await refused(csvOf(3), { query: "labels=fr" }, "unknown_value", "/query/labels");
    await refused(csvOf(3), { query: "format=pdf" }, "unknown_value", "/query/format");
    const json = await client.post("/v1/enrich/files", {});
    assert.equal(json.status, 415);
    assert.deepEqual(
      sentFiles(dataDir).filter((name) => name.endsWith(".tmp")),
      [],
    );
  });

  it("gets the same answer of POST /v1/enrich for any size of the request", async () => {
    const post = async (some: readonly string[]) => {
      const answer = await client.post("/v1/enrich", { cnpjs: some, fields: ["legal_name"] });
      assert.equal(answer.status, 200);
      return ((await answer.json()) as { results: unknown[] }).results;
    };
    const many = cnpjs.slice(0, 1_000);
    const all = await post(many);
    const parts = [];
    for (let at = 0; at < many.length; at += 100)
      parts.push(...(await post(many.slice(at, at + 100))));
    assert.deepEqual(all, parts);
  });
});

describe("the bytes and rows of sent files", () => {
  it("count: of found accounts only, and towards export_bytes", async () => {
    const settings = {
      PENEIRA_PLANS_ENTERPRISE_EXPORT_ROWS_PER_DAY: "100",
      PENEIRA_PLANS_ENTERPRISE_EXPORT_BYTES: "20000",
    };
    const server = await start(freshDir(), settings);
    const client = new Client(server.base, server.key);
    const first = await send(server, csvOf(80), { name: "a" });
    await finished(client, first.json.export.export_id);
    // In the first file, 72 of 80 rows were found, so 28 of the daily 100 are left.
    const over = await send(server, csvOf(29), { name: "b" });
    assert.deepEqual([over.status, over.json.code], [429, "quota_exceeded"]);
    assert.match(String(over.json.detail), /72 are used or reserved, and this file has 29/);
    const within = await client.post("/v1/enrich", { cnpjs: [...cnpjs.slice(0, 28), "1"] });
    assert.equal(within.status, 200);
    const none = await client.post("/v1/enrich", { cnpjs: cnpjs.slice(0, 1) });
    assert.equal(none.status, 429);
    const absent = await client.post("/v1/enrich", { cnpjs: ["11222333000181"] });
    assert.equal(absent.status, 200, "refused CNPJs cost nothing");
    const large = Buffer.concat([csvOf(1), Buffer.alloc(20_000, "0;x;y\r\n")]);
    const bytes = await send(server, large, { name: "c" });
    assert.deepEqual([bytes.status, bytes.json.code], [429, "quota_exceeded"]);
    await stopServerProcess(server);
  });
});

describe("a sent file that was accepted when the server ended", () => {
  it("is enriched with the same bytes after SIGKILL, and orphans are removed", async () => {
    const dataDir = freshDir();
    let server = await start(dataDir);
    const { key } = server;
    const bytes = csvOf(40_000);
    const sent = await Promise.all(
      Array.from({ length: 6 }, (_, at) => send(server, bytes, { name: `kill-${at}` })),
    );
    const ids = sent.map(({ json }) => json.export.export_id);
    await killServerProcess(server);
    writeFileSync(join(dataDir, "sent", `${"0".repeat(32)}.tmp`), "half a file");
    writeFileSync(join(dataDir, "sent", `exp_${"0".repeat(32)}`), "of no export");
    server = { ...(await start(dataDir)), key };
    const client = new Client(server.base, key);
    const wanted = sha256(await expected(bytes));
    for (const id of ids) assert.equal((await finished(client, id)).sha256, wanted);
    assert.deepEqual(sentFiles(dataDir).sort(), [...ids].sort());
    await stopServerProcess(server);
  });

  it("is in a backup, and is enriched with the same bytes after a restore", async () => {
    const dataDir = freshDir();
    // Exports run one at a time, so that some still wait when the server is killed.
    const first = await start(dataDir, { PENEIRA_PLANS_ENTERPRISE_CONCURRENT_EXPORTS: "1" });
    const { key } = first;
    const bytes = csvOf(150_000);
    const sent = await Promise.all(
      Array.from({ length: 5 }, (_, at) => send(first, bytes, { name: `backup-${at}` })),
    );
    const ids = sent.map(({ json }) => json.export.export_id);
    await killServerProcess(first);
    const wanted = sha256(await expected(bytes));
    for (const exports of [true, false]) {
      const target = join(sample.folder, `backup-${exports}`);
      const nowMs = () => Date.now();
      const report = await makeBackup({ dataDir, target, exports, madeBy: "test", nowMs });
      const held = report.manifest.files.filter(({ path }) => path.startsWith("sent/"));
      assert.ok(exports ? held.length > 0 : held.length === ids.length, `${held.length} are held`);
      const again = join(sample.folder, `restored-${exports}`);
      await restoreBackup({ source: target, dataDir: again });
      const server = { ...(await start(again)), key };
      const client = new Client(server.base, key);
      for (const id of ids) assert.equal((await finished(client, id)).sha256, wanted);
      await stopServerProcess(server);
    }
  });

  it("is a failure with a reason if the sent file is gone", async () => {
    const dataDir = freshDir();
    let server = await start(dataDir);
    const { key } = server;
    const { json } = await send(server, csvOf(40_000), { name: "gone" });
    const { export_id: id } = json.export;
    await finished(new Client(server.base, key), id);
    await killServerProcess(server);
    const file = join(dataDir, "exports", `${id}.csv`);
    assert.ok(existsSync(file));
    writeFileSync(file, "cut");
    writeFileSync(join(dataDir, "sent", id), "no file of CNPJs");
    server = { ...(await start(dataDir)), key };
    const client = new Client(server.base, key);
    const answer = await client.get(`/v1/exports/${id}?wait=30&require=done`);
    const { code, reason } = (await answer.json()) as Record<string, string>;
    assert.deepEqual([answer.status, code, reason], [409, "EXPORT_FAILED", "sent_file_unreadable"]);
    await stopServerProcess(server);
  });
});

describe("a sent file whose export has expired", () => {
  it("is removed from the disk", async () => {
    const dataDir = freshDir();
    const server = await start(dataDir, { PENEIRA_EXPORTS_RETENTION: "1" });
    const { json } = await send(server, csvOf(5), { name: "expires" });
    assert.deepEqual(sentFiles(dataDir), [json.export.export_id]);
    for (let round = 0; round < 80 && sentFiles(dataDir).length > 0; round++) await sleep(100);
    assert.deepEqual(sentFiles(dataDir), []);
    await stopServerProcess(server);
  });
});
