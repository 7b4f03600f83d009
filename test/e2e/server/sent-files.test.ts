/**
 * Proves, with two real servers on one PostgreSQL and a strict store: if the server of an
 * enrichment is killed, another server renders it from the copy of the uploaded file on the store.
 * The killed server would have written the same bytes. If no copy was made, a client that repeats
 * its request to another server brings the file again. A copy is deleted with its export.
 * Does not prove that an enrichment without a copy finally fails (unit/export/sent-files).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../../support/export/client.ts";
import { FAKE_KEYS, FakeS3 } from "../../support/export/fake-s3.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { TestPostgres, withoutPostgres } from "../../support/server/postgres-server.ts";
import {
  killServerProcess,
  type ServerProcess,
  startServerProcess,
} from "../../support/server/process.ts";

/** Milliseconds for a lease to end and for a render on a busy machine. */
const TAKEOVER_MS = 60_000;
const FILE = "cnpj;note\n11222333000181;first\n11444777000161;second\n";

interface Enrichment {
  readonly export_id: string;
  readonly status: string;
  readonly sha256: string;
}

describe("a sent file in a fleet", { skip: withoutPostgres }, () => {
  let sample: SampleSnapshot;
  let postgres: TestPostgres;
  let store: FakeS3;
  const servers: (ServerProcess | null)[] = [];
  let key = "";

  before(async () => {
    sample = await makeSampleSnapshot(2_000, 7);
    postgres = await TestPostgres.start();
    store = await FakeS3.start();
    for (const at of [0, 1]) await begin(at);
  });
  beforeEach(() => {
    store.fault = () => undefined;
  });
  after(async () => {
    for (const server of servers) if (server !== null) await killServerProcess(server);
    await store.close();
    await postgres.remove();
    sample.dispose();
  });

  async function begin(at: number): Promise<void> {
    const settings = {
      PENEIRA_STATE_URL: postgres.address("sent"),
      PENEIRA_FILES_URL: store.address(),
      PENEIRA_FILES_ACCESS_KEY: FAKE_KEYS.accessKey,
      PENEIRA_FILES_SECRET_KEY: FAKE_KEYS.secretKey,
      PENEIRA_FILES_SERVE: "proxy",
    };
    const dataDir = join(sample.folder, `state-${at}`);
    const server = await startServerProcess({ snapshot: sample.snapshot, dataDir, settings });
    if (server.key !== "") key = server.key;
    servers[at] = server;
  }

  async function kill(at: number): Promise<void> {
    const server = servers[at] as ServerProcess;
    servers[at] = null;
    await killServerProcess(server);
  }

  function ask(at: number, path: string, more: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${key}`, ...more.headers };
    const { base } = servers[at] as ServerProcess;
    return fetch(base + path, { ...more, headers, redirect: "manual" });
  }

  function send(at: number, name: string): Promise<Response> {
    const headers = { "content-type": "text/csv", "idempotency-key": name };
    return ask(at, "/v1/enrich/files", { method: "POST", headers, body: FILE });
  }

  async function sent(at: number, name: string): Promise<string> {
    let answer = await send(at, name);
    // A server that has just lost another may refuse requests for a while (limits.md).
    for (let turn = 0; turn < 20 && answer.status === 429; turn++) {
      await sleep(500);
      answer = await send(at, name);
    }
    const text = await answer.text();
    assert.equal(answer.status, 201, text);
    return (JSON.parse(text) as { readonly export: Enrichment }).export.export_id;
  }

  async function ended(at: number, id: string): Promise<Enrichment> {
    const until = performance.now() + TAKEOVER_MS;
    for (;;) {
      const record = (await (await ask(at, `/v1/exports/${id}?wait=5`)).json()) as Enrichment;
      if (record.status === "done" || record.status === "failed") return record;
      assert.ok(performance.now() < until, `the enrichment is ${record.status}`);
    }
  }

  async function bytesOf(at: number, id: string): Promise<Buffer> {
    const link = await ask(at, `/v1/exports/${id}/download`);
    const file = await ask(at, link.headers.get("location") ?? "");
    assert.equal(file.status, 200);
    return Buffer.from(await file.arrayBuffer());
  }

  const copies = (id: string) =>
    [...store.objects.keys()].filter((one) => one.includes(id) && one.endsWith(".sent"));
  /** Makes the store so slow for finished files that no server can store one. */
  const holdsRenders = () => {
    store.fault = ({ method, key: name }) =>
      method === "PUT" && !name.endsWith(".sent") ? { slowMs: 20_000 } : undefined;
  };

  it("is copied before the answer, and removed with its export", async () => {
    const id = await sent(0, "copied");
    assert.equal(copies(id).length, 1);
    await ended(1, id);
    assert.equal((await ask(1, `/v1/exports/${id}`, { method: "DELETE" })).status, 204);
    for (let turn = 0; turn < 100 && copies(id).length > 0; turn++) await sleep(100);
    assert.deepEqual(copies(id), []);
  });

  it("is rendered by another server if its own was killed, with the same bytes", async () => {
    const expected = await bytesOf(0, (await ended(0, await sent(0, "own"))).export_id);
    holdsRenders();
    const id = await sent(0, "killed");
    await sleep(500);
    await kill(0);
    store.fault = () => undefined;
    const record = await ended(1, id);
    assert.equal(record.status, "done");
    assert.equal(record.sha256, sha256(expected));
    assert.deepEqual(await bytesOf(1, id), expected);
    await begin(0);
  });

  it("that was never copied comes with the repeated request", async () => {
    const expected = await bytesOf(0, (await ended(0, await sent(0, "first"))).export_id);
    store.fault = ({ method }) => (method === "PUT" ? { slowMs: 20_000 } : undefined);
    const began = send(0, "repeated").catch(() => null);
    await sleep(1_500);
    await kill(0);
    await began;
    store.fault = () => undefined;
    const record = await ended(1, await sent(1, "repeated"));
    assert.equal(record.status, "done");
    assert.deepEqual(await bytesOf(1, record.export_id), expected);
    await begin(0);
  });
});
