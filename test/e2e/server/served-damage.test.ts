/**
 * Proves, with real server processes on both transports: a served file is altered and its mtime
 * restored. Once /readyz reports that the server is not ready, all reads are answered with 503,
 * never with 500. The log reports the damage once, with the block but without the content of a row,
 * and so do the metrics. The server recovers when it receives a good file. In a folder, an older
 * good snapshot is served in the meantime. The status shows the progress of the check. Exports use
 * the intact file that they have pinned, and do not read a damaged one.
 * Does not prove how fast this happens, nor which changes are found without file events
 * (campaign/files/scrub.test.ts).
 */
import assert from "node:assert/strict";
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openSegment } from "../../../src/search/segment.ts";
import { Client } from "../../support/export/client.ts";
import { copyAged, flipBit, keepingTimes, placeOf } from "../../support/files/hostile-file.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

/** Maximum time for the effects of an alteration, also on a busy machine. */
const PATIENCE_MS = 30_000;
const SETTINGS = {
  PENEIRA_SNAPSHOTS_SCRUB_SECONDS: "1",
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "50000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "100000",
};
const SPEC = { filters: { geo: { uf_any_of: ["SP", "MG", "RJ", "BA", "RS", "PR"] } } };

let older: SampleSnapshot;
let newer: SampleSnapshot;
let whole: Buffer;
let first: { readonly cnpj: string; readonly legal_name: string };

before(async () => {
  older = await makeSampleSnapshot(300, 5, "2026-09");
  newer = await makeSampleSnapshot(300, 6, "2026-10");
  whole = readFileSync(newer.snapshot);
  const segment = await openSegment(newer.snapshot);
  const rows = segment.native.renderJson(Uint32Array.of(0), ["cnpj", "legal_name"]);
  [first] = JSON.parse(Buffer.from(rows).toString());
  segment.close();
});
after(() => {
  older.dispose();
  newer.dispose();
});

function alterName(path: string): void {
  const at = placeOf(whole, first.legal_name);
  keepingTimes(path, () => flipBit(path, at, 1));
}

/** Replaces a file by a good one, like an operator should. */
function put(path: string): void {
  copyAged(newer.snapshot, `${path}.tmp`);
  renameSync(`${path}.tmp`, path);
}

async function until(what: string, so: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await so())) {
    assert.ok(performance.now() < endMs, `not within ${PATIENCE_MS} ms: ${what}`);
    await sleep(20);
  }
}

interface Verification {
  readonly passes: number;
  readonly blocks: number;
  readonly pass_seconds: number;
  readonly last_pass_at: string | null;
}

/** A test client. */
class Asking {
  readonly #server: ServerProcess;
  constructor(server: ServerProcess) {
    this.#server = server;
  }

  async send(path: string, body?: object): Promise<{ status: number; text: string }> {
    const { base, key } = this.#server;
    const headers = {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      "Idempotency-Key": path,
    };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(base + path, { headers, ...sent });
    return { status: answer.status, text: await answer.text() };
  }

  /** A query of every kind that reads rows. */
  all(): Promise<{ status: number; text: string }[]> {
    return Promise.all([
      this.send("/v1/accounts/search", { spec: SPEC }),
      this.send("/v1/accounts/search", { spec: SPEC, facets: ["municipality", "cnae_class"] }),
      this.send("/v1/accounts/count", { spec: SPEC, facets: ["uf", "legal_nature"] }),
      this.send(`/v1/accounts/${first.cnpj}`),
      this.send("/v1/leads", { lead_query: { activities: ["padaria"], places: ["SP"] } }),
      this.send("/v1/leads/translate", { query_text: "padarias em São Paulo" }),
    ]);
  }

  async ready(): Promise<boolean> {
    return (await this.send("/readyz")).status === 200;
  }

  async verification(): Promise<Verification> {
    return JSON.parse((await this.send("/v1/status")).text).verification;
  }

  async metric(name: string): Promise<number> {
    const { text } = await this.send("/metrics");
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1]);
  }
}

for (const transport of TRANSPORTS) {
  describe(`a server over ${transport} whose file is altered`, () => {
    it("answers nothing from it, reports it once, and recovers", async () => {
      const path = join(newer.folder, `altered-${transport}.peneira`);
      const logPath = join(newer.folder, `${transport}.log`);
      const log = openSync(logPath, "w");
      put(path);
      const dataDir = join(newer.folder, `state-${transport}`);
      const options = { snapshot: path, dataDir, transport, settings: SETTINGS, log };
      const server = await startServerProcess(options);
      const asking = new Asking(server);
      const good = (await asking.all()).map(({ status }) => status);
      assert.ok(good.filter((status) => status === 200).length >= 5, good.join());
      const client = new Client(server.base, server.key);
      const exported = async () =>
        (await client.exported({ spec: SPEC, output: { format: "csv" } })).record.status;
      assert.equal(await exported(), "done");
      alterName(path);
      await until("not ready any more", async () => !(await asking.ready()));
      for (const { status, text } of await asking.all()) assert.equal(status, 503, text);
      const made = await asking.send("/v1/exports", { spec: SPEC, output: { format: "csv" } });
      assert.equal(made.status, 503, made.text);
      assert.equal(await asking.verification(), null);
      assert.match((await asking.send("/v1/status")).text, /"status":"snapshot_damaged"/);
      assert.equal(await asking.metric("peneira_snapshots_damaged_total"), 1);
      put(path);
      await until("ready again", () => asking.ready());
      // The thread that has the corrupt file open works again too.
      assert.equal(await exported(), "done");
      for (const [i, { status }] of (await asking.all()).entries()) assert.equal(status, good[i]);
      await until("a whole pass", async () => (await asking.verification()).passes > 0);
      const { blocks, pass_seconds: seconds, last_pass_at: at } = await asking.verification();
      assert.deepEqual([seconds, blocks > 10, at !== null], [1, true, true]);
      assert.ok((await asking.metric("peneira_scrub_blocks_total")) >= blocks);
      truncateSync(path, 5_000);
      await until("not ready any more", async () => !(await asking.ready()));
      assert.equal(await asking.metric("peneira_snapshots_damaged_total"), 2);
      await stopServerProcess(server);
      closeSync(log);
      const lines = readFileSync(logPath, "utf8").split("\n");
      const output = lines.filter((line) => line.includes("snapshot damaged"));
      assert.equal(output.length, 1);
      const { file, block } = JSON.parse(output[0] as string);
      assert.deepEqual(
        [file, block],
        [path, Math.floor(placeOf(whole, first.legal_name) / 65_536)],
      );
      assert.ok(!lines.some((line) => line.includes(first.legal_name.slice(1, 9))));
    });

    it("serves an older snapshot meanwhile, and starts no checks for exports", async () => {
      const place = join(newer.folder, `place-${transport}`);
      mkdirSync(place);
      linkSync(older.snapshot, join(place, "2026-09.peneira"));
      const path = join(place, "2026-10.peneira");
      put(path);
      const logPath = join(newer.folder, `${transport}-folder.log`);
      const log = openSync(logPath, "w");
      const dataDir = join(newer.folder, `state-folder-${transport}`);
      const settings = { ...SETTINGS, PENEIRA_SNAPSHOTS_SCRUB_SECONDS: "0" };
      const options = { snapshot: place, dataDir, transport, settings, log };
      const server = await startServerProcess(options);
      let asking = new Asking(server);
      const client = new Client(server.base, server.key);
      for (let i = 0; i < 3; i++) {
        const { record } = await client.exported({ spec: SPEC, output: { format: "csv" } });
        assert.equal(record.status, "done");
      }
      assert.equal(await asking.metric("peneira_scrub_blocks_total"), 0);
      alterName(path);
      const label = async () =>
        JSON.parse((await asking.send("/v1/accounts/search", { spec: SPEC })).text).snapshot;
      await until("the older one is served", async () => (await label()) === "2026-09");
      const { text: status } = await asking.send("/v1/status");
      assert.match(status, /"status":"ok".*"snapshot":"2026-09"/);
      // A server that is started now serves the older snapshot too. If the damaged file were the
      // only one, the start would be rejected.
      await stopServerProcess(server);
      const again = await startServerProcess(options);
      asking = new Asking({ ...again, key: server.key });
      assert.equal(await label(), "2026-09");
      const alone = startServerProcess({ ...options, snapshot: path, dataDir: `${dataDir}-alone` });
      await assert.rejects(alone, /2026-10\.peneira: The file is damaged \(block \d+.*import\.\n/s);
      put(path);
      await until("the newer one is", async () => (await label()) === "2026-10");
      await stopServerProcess(again);
      closeSync(log);
      const text = readFileSync(logPath, "utf8");
      assert.equal(text.match(/was touched/g)?.length, 1);
    });
  });
}
