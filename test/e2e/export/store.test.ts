/**
 * Proves, with real server processes and a strict store: a finished file exists only on the store.
 * Its link leads to the store or through the server, for the complete file and for ranges. The
 * object of a deleted or expired export is removed. A server that is killed during an upload leaves
 * no object, and finishes the export after its restart. While the store is unreachable, downloads
 * receive a 503 with Retry-After, searches continue, and /readyz reports the problem. No output
 * contains the store's keys.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client, filesOf, SPEC, sha256 } from "../../support/export/client.ts";
import { FAKE_KEYS, FakeS3 } from "../../support/export/fake-s3.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  killServerProcess,
  productCommand,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const run = promisify(execFile);

let sample: SampleSnapshot;
let fake: FakeS3;
let stateDirs = 0;

before(async () => {
  sample = await makeSampleSnapshot(3_000, 79);
  fake = await FakeS3.start();
});
beforeEach(() => {
  fake.objects.clear();
  fake.fault = () => undefined;
});
after(async () => {
  await fake.close();
  sample.dispose();
});

const freshDir = () => join(sample.folder, `state-${stateDirs++}`);
const clientOf = ({ base, key }: ServerProcess) => new Client(base, key);
const CSV = { spec: SPEC, output: { format: "csv" } };

function settingsOf(serve: string): Record<string, string> {
  return {
    PENEIRA_FILES_URL: fake.address(),
    PENEIRA_FILES_ACCESS_KEY: FAKE_KEYS.accessKey,
    PENEIRA_FILES_SECRET_KEY: FAKE_KEYS.secretKey,
    PENEIRA_FILES_SERVE: serve,
  };
}

function start(dataDir: string, serve = "redirect", more: Readonly<Record<string, string>> = {}) {
  const settings = { ...settingsOf(serve), ...more };
  return startServerProcess({ snapshot: sample.snapshot, dataDir, settings });
}

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let times = 0; times < 150; times++) {
    if (await holds()) return;
    await sleep(100);
  }
  assert.fail("it did not happen within 15 s");
}

describe("a finished file on a store", () => {
  for (const serve of ["redirect", "proxy"]) {
    it(`is read by its link, in part too, and removed with its export: ${serve}`, async () => {
      const dataDir = freshDir();
      const server = await start(dataDir, serve);
      const client = clientOf(server);
      const { export: made } = await client.create(CSV);
      const record = await client.done(made.export_id);
      await eventually(() => filesOf(dataDir).length === 0);
      assert.equal(fake.objects.size, 1);
      const link = client.base + (await client.link(record.export_id));
      const first = await fetch(link, { redirect: "manual" });
      await first.arrayBuffer();
      if (serve === "redirect") {
        assert.equal(first.status, 307);
        assert.equal(first.headers.get("cache-control"), "private, no-store");
        const target = new URL(first.headers.get("location") ?? "");
        assert.equal(target.origin, fake.endpoint);
        const seconds = Number(target.searchParams.get("X-Amz-Expires"));
        assert.ok(seconds >= 1 && seconds <= 300, `${seconds}`);
      } else {
        assert.equal(first.status, 200);
        assert.equal(first.headers.get("content-length"), String(record.size_bytes));
        assert.equal(first.headers.get("etag"), `"${record.sha256}"`);
      }
      const whole = await fetch(link);
      assert.match(whole.headers.get("content-disposition") ?? "", /^attachment; filename="penei/);
      assert.equal(whole.headers.get("content-type"), "text/csv; charset=utf-8; header=present");
      const bytes = Buffer.from(await whole.arrayBuffer());
      assert.equal(sha256(bytes), record.sha256);
      const part = await fetch(link, { headers: { range: "bytes=100-299" } });
      assert.equal(part.status, 206);
      const range = `bytes 100-299/${record.size_bytes}`;
      assert.equal(part.headers.get("content-range"), range);
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(100, 300));
      const head = await fetch(link, { method: "HEAD" });
      assert.deepEqual(
        [head.status, head.headers.get("content-length")],
        [200, String(record.size_bytes)],
      );
      const beyond = await fetch(link, { headers: { range: `bytes=${record.size_bytes}-` } });
      assert.equal(beyond.status, 416);
      const unchanged = { "if-none-match": `"${record.sha256}"` };
      assert.equal((await fetch(link, { headers: unchanged })).status, 304);
      const forged = link.replace(/.$/, (last) => (last === "A" ? "E" : "A"));
      assert.equal((await fetch(forged, { redirect: "manual" })).status, 403);
      const ready = await (await fetch(`${client.base}/readyz`)).json();
      assert.equal((ready as { status: string }).status, "ready");
      const deleted = await client.get(`/v1/exports/${record.export_id}`, "DELETE");
      assert.equal(deleted.status, 204);
      await eventually(() => fake.objects.size === 0);
      assert.equal((await fetch(link, { redirect: "manual" })).status, 404);
      await stopServerProcess(server);
    });
  }

  it("is rendered again, with the same bytes, if its object is gone", async () => {
    const dataDir = freshDir();
    const server = await start(dataDir, "proxy");
    const client = clientOf(server);
    const { export: made } = await client.create(CSV);
    const record = await client.done(made.export_id);
    await eventually(() => filesOf(dataDir).length === 0);
    const link = client.base + (await client.link(record.export_id));
    fake.objects.clear();
    const refused = await fetch(link);
    assert.equal(refused.status, 409);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal(((await refused.json()) as { code: string }).code, "EXPORT_NOT_READY");
    const again = await client.done(made.export_id);
    assert.equal(again.sha256, record.sha256);
    await eventually(() => filesOf(dataDir).length === 0);
    const bytes = Buffer.from(await (await fetch(link)).arrayBuffer());
    assert.equal(sha256(bytes), record.sha256);
    await stopServerProcess(server);
  });

  it("is 410 after its time, and its object is removed", async () => {
    const server = await start(freshDir(), "redirect", { PENEIRA_EXPORTS_RETENTION: "3" });
    const client = clientOf(server);
    const { export: made } = await client.create(CSV);
    await client.done(made.export_id);
    assert.equal(fake.objects.size, 1);
    await eventually(async () => {
      return (await client.get(`/v1/exports/${made.export_id}`)).status === 410;
    });
    await eventually(() => fake.objects.size === 0);
    await stopServerProcess(server);
  });

  it("is whole or not there if the server is killed during its upload", async () => {
    const dataDir = freshDir();
    let server = await start(dataDir);
    const { key } = server;
    fake.fault = ({ method }) => (method === "PUT" ? { slowMs: 2_000 } : undefined);
    const seen = fake.seen.length;
    const { export: made } = await clientOf(server).create(CSV);
    await eventually(() => fake.seen.slice(seen).some(({ method }) => method === "PUT"));
    await killServerProcess(server);
    await sleep(2_500);
    const left = [...fake.objects.values()];
    for (const one of left) assert.equal(sha256(one.bytes), one.metadata.sha256);
    fake.fault = () => undefined;
    server = { ...(await start(dataDir)), key };
    const record = await clientOf(server).done(made.export_id);
    await eventually(() => filesOf(dataDir).length === 0);
    const [object] = fake.objects.values();
    assert.equal(fake.objects.size, 1);
    assert.equal(sha256(object?.bytes as Buffer), record.sha256);
    fake.objects.clear();
    await stopServerProcess(server);
  });

  it("is 503 while the store is away, and the export waits for it", async () => {
    const server = await start(freshDir(), "proxy");
    const client = clientOf(server);
    const { export: made } = await client.create(CSV);
    const { export_id: id } = await client.done(made.export_id);
    const link = client.base + (await client.link(id));
    fake.fault = () => ({ cut: "before" });
    const answer = await fetch(link);
    const problem = (await answer.json()) as { code: string; detail: string };
    assert.deepEqual([answer.status, problem.code], [503, "files_unavailable"]);
    assert.ok(Number(answer.headers.get("retry-after")) > 0);
    assert.equal((await client.post("/v1/accounts/search", { spec: SPEC })).status, 200);
    const ready = await fetch(`${client.base}/readyz`);
    assert.equal(ready.status, 200);
    assert.equal(((await ready.json()) as { status: string }).status, "degraded");
    const metrics = await (await fetch(`${client.base}/metrics`)).text();
    assert.match(metrics, /^peneira_files_up 0$/m);
    assert.match(metrics, /^peneira_files_requests_total\{operation="head",outcome="failed"\} \d/m);
    const { export: waiting } = await client.create(CSV);
    await sleep(1_500);
    const running = await (await client.get(`/v1/exports/${waiting.export_id}`)).json();
    assert.equal((running as { status: string }).status, "running");
    fake.fault = () => undefined;
    await client.done(waiting.export_id);
    assert.equal((await fetch(link)).status, 200);
    fake.objects.clear();
    await stopServerProcess(server);
  });

  it("fails in words if the store stays away", async () => {
    const server = await start(freshDir(), "proxy", { PENEIRA_FILES_RETRY_SECONDS: "1" });
    const client = clientOf(server);
    fake.fault = () => ({ status: 503, code: "SlowDown" });
    const { export: made } = await client.create(CSV);
    await eventually(async () => {
      const answer = await client.get(`/v1/exports/${made.export_id}`);
      const record = (await answer.json()) as { status: string; error?: { code: string } };
      return record.status === "failed" && record.error?.code === "files_unavailable";
    });
    fake.fault = () => undefined;
    await stopServerProcess(server);
  });
});

describe("a snapshot on a store", () => {
  it("is fetched, resumed after a cut, verified, and served; and fetched once", async () => {
    const bytes = readFileSync(sample.snapshot);
    fake.plant("months/2026-09.peneira", Buffer.from("an older one"));
    fake.plant("months/2026-10.peneira", bytes);
    let cuts = 0;
    fake.fault = ({ method, query }) => {
      return method === "GET" && !query.has("list-type") && cuts++ < 2
        ? { cut: "after" }
        : undefined;
    };
    const dataDir = freshDir();
    const wanted = { snapshot: fake.address("months"), dataDir, settings: settingsOf("proxy") };
    let server = await startServerProcess(wanted);
    const { key } = server;
    assert.equal(cuts, 3);
    assert.match(server.output, /cut after \d+ of \d+ bytes; resuming/);
    const found = await clientOf(server).post("/v1/accounts/search", { spec: SPEC });
    assert.equal(found.status, 200);
    assert.deepEqual(readFileSync(join(dataDir, "snapshots", "2026-10.peneira")), bytes);
    await stopServerProcess(server);
    fake.fault = () => ({ cut: "before" });
    server = { ...(await startServerProcess(wanted)), key };
    assert.match(server.output, /Serving what was fetched before/);
    assert.equal(cuts, 3);
    await stopServerProcess(server);
  });

  it("is fetched by an update: resumed, verified, and only if it is new", async () => {
    const bytes = readFileSync(sample.snapshot);
    const folder = freshDir();
    const update = async (...more: string[]) => {
      const address = ["--dir", folder, "--json", "--snapshot", fake.address("months")];
      const [file, all] = productCommand(["update", ...address, ...more]);
      const env = { ...process.env, ...settingsOf("proxy") };
      return run(file, all, { env }).then(
        ({ stdout, stderr }) => ({ code: 0, stderr, report: JSON.parse(stdout) }),
        (error) => ({ code: error.code as number, stderr: error.stderr as string, report: null }),
      );
    };
    assert.match((await update()).stderr, /There is no snapshot named YYYY-MM.peneira/);
    assert.match((await update("--keep-dump")).stderr, /--keep-dump does nothing with --snapshot/);
    fake.plant("months/2026-10.peneira", bytes);
    let cuts = 0;
    fake.fault = ({ method, query }) =>
      method === "GET" && !query.has("list-type") && cuts++ < 2 ? { cut: "after" } : undefined;
    const first = await update();
    assert.match(first.stderr, /cut after \d+ of \d+ bytes; resuming/);
    const { updated, month, snapshot, published } = first.report;
    assert.deepEqual([updated, month, published], [true, "2026-10", "2026-10"]);
    assert.deepEqual(readFileSync(snapshot), bytes);
    assert.deepEqual((await update()).report.updated, false);
    assert.equal(cuts, 3);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
    fake.plant("months/2026-11.peneira", bytes);
    assert.match((await update()).stderr, /is damaged/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => !name.startsWith(".")),
      ["2026-10.peneira"],
    );
  });

  it("that is damaged is refused, and leaves no file", async () => {
    const bytes = readFileSync(sample.snapshot);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
    fake.plant("months/2026-10.peneira", bytes);
    const dataDir = freshDir();
    const wanted = { snapshot: fake.address("months"), dataDir, settings: settingsOf("proxy") };
    await assert.rejects(startServerProcess(wanted), /is damaged/);
    assert.deepEqual(readdirSync(join(dataDir, "snapshots")), []);
  });
});

describe("the settings of a store", () => {
  const show = (args: string[], environment: Record<string, string>) => {
    const [file, all] = productCommand(args);
    return execFileSync(file, all, { env: { ...process.env, ...environment } }).toString();
  };

  it("never show a key", () => {
    const text = show(["config"], settingsOf("proxy"));
    assert.match(text, /files\.url +"s3:\/\/peneira-test/);
    assert.match(text, /files\.secret_key +"\*{8}"/);
    assert.ok(!text.includes(FAKE_KEYS.secretKey) && !text.includes(FAKE_KEYS.accessKey));
  });

  it("are refused in words without a key, or with an address that holds one", async () => {
    const { PENEIRA_FILES_URL } = settingsOf("proxy") as { PENEIRA_FILES_URL: string };
    const settings = { PENEIRA_FILES_URL };
    const wanted = { snapshot: sample.snapshot, dataDir: freshDir() };
    await assert.rejects(
      startServerProcess({ ...wanted, settings }),
      /A store of files needs both keys\. Set PENEIRA_FILES_ACCESS_KEY/,
    );
    for (const url of ["s3://key:secret@bucket", "s3://bucket?endpoint=ftp://x", "https://x/y"]) {
      const wrong = { ...settingsOf("proxy"), PENEIRA_FILES_URL: url };
      await assert.rejects(
        startServerProcess({ ...wanted, settings: wrong }),
        /PENEIRA_FILES_URL: files\.url must be an address such as s3:\/\/BUCKET/,
      );
    }
  });
});
