/**
 * Proves, with real server processes: an expired export is answered with 410 indefinitely, and its
 * file is removed from the disk. If the server is killed or stopped, an accepted export keeps its
 * id and is finished later, with the same bytes. A server that stops ends the requests that wait
 * for an export. Below the minimum of free space, no new export is accepted. The size of a spec
 * without its filters is bounded everywhere.
 * Does not prove crashes at every point (campaign/kills/*.test.ts).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Client,
  type Exported,
  filesOf,
  SPEC,
  sha256,
  written,
} from "../../support/export/client.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  killServerProcess,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

let sample: SampleSnapshot;
let stateDirs = 0;

before(async () => {
  sample = await makeSampleSnapshot(3_000, 79);
});
after(() => sample.dispose());

const freshDir = () => join(sample.folder, `state-${stateDirs++}`);
const clientOf = ({ base, key }: ServerProcess) => new Client(base, key);

function start(dataDir: string, settings: Readonly<Record<string, string>> = {}) {
  return startServerProcess({ snapshot: sample.snapshot, dataDir, settings });
}

describe("an expired export", () => {
  it("is 410 indefinitely, by its link too, and its file is removed from the disk", async () => {
    const dataDir = freshDir();
    const settings = { PENEIRA_EXPORTS_RETENTION: "5" };
    let server = await start(dataDir, settings);
    let client = clientOf(server);
    const { record } = await client.exported({ spec: SPEC, output: { format: "csv" } });
    const link = await client.link(record.export_id);
    const leftMs = Date.parse(record.expires_at) - Date.now();
    assert.ok(leftMs > 0 && leftMs <= 5_000, `${leftMs} ms are left`);
    assert.deepEqual(filesOf(dataDir), [`${record.export_id}.csv`]);
    await sleep(leftMs + 5);
    const statuses = async () => {
      const paths = ["", "?require=done", "?wait=60", "/download"];
      const requested = paths.map((one) => client.get(`/v1/exports/${record.export_id}${one}`));
      return (await Promise.all(requested)).map(({ status }) => status);
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

describe("a disk with less than the minimum free space", () => {
  for (const transport of TRANSPORTS) {
    it(`refuses new exports and large explains, and still searches: ${transport}`, async () => {
      const settings = {
        PENEIRA_TRANSPORT: transport,
        PENEIRA_EXPORTS_FREE_BYTES_MIN: String(2 ** 50),
      };
      const server = await start(freshDir(), settings);
      const client = clientOf(server);
      const output = { format: "csv" };
      const refused = await client.post("/v1/exports", { spec: SPEC, output });
      const { code, detail } = (await refused.json()) as Record<string, string>;
      assert.deepEqual([refused.status, code], [507, "storage_full"]);
      assert.equal(refused.statusText, "Insufficient Storage");
      assert.match(detail ?? "", /^The server has not enough room for another export. Searches/);
      assert.doesNotMatch(detail ?? "", /\d/, "how full the disk is concerns no tenant");
      assert.match(
        server.output,
        /^warning: exports.free_bytes_min \(environment \w+\) is 11258\d+, .* \d+ bytes free/m,
      );
      assert.equal(refused.headers.get("content-type"), "application/problem+json");
      assert.equal(refused.headers.get("retry-after"), "60");
      assert.equal((await client.post("/v1/accounts/search", { spec: SPEC })).status, 200);
      const metrics = await (await fetch(`${server.base}/metrics`)).text();
      assert.match(metrics, /^peneira_disk_free_bytes [1-9]\d{6,}$/m);
      const explain = { assumptions: [{ words: "x".repeat(131_073) }] };
      const spec = { ...SPEC, explain };
      for (const [path, more] of [
        ["/v1/accounts/search", {}],
        ["/v1/accounts/count", {}],
        ["/v1/spec/normalize", {}],
        ["/v1/exports", { output }],
      ] as const) {
        const large = await client.post(path, { spec, ...more });
        const { errors = [] } = (await large.json()) as { errors?: { pointer: string }[] };
        assert.equal(large.status, 422, path);
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          ["/spec/explain"],
          path,
        );
      }
      await stopServerProcess(server);
    });
  }
});

describe("exports that a server had accepted when it ended", () => {
  it("keep their ids and are finished, after SIGKILL and after SIGTERM", async () => {
    const dataDir = freshDir();
    const bodies = [
      { spec: SPEC, output: { format: "xlsx" } },
      { spec: SPEC, output: { format: "csv", compression: "zstd" } },
    ];
    const bodyOf = (at: number) => bodies[at % 2] as object;
    let server = await start(dataDir);
    const { key } = server;
    let client = clientOf(server);
    const made = async (round: string) => {
      const creations = Array.from({ length: 25 }, (_, i) =>
        client.create(bodyOf(i), `${round}-${i}`),
      );
      return (await Promise.all(creations)).map((one) => one.export.export_id);
    };
    const restart = async () => {
      server = await start(dataDir);
      client = new Client(server.base, key);
    };
    const killed = await made("killed");
    await killServerProcess(server);
    await restart();
    const stopped = await made("stopped");
    const waiting = client.get(`/v1/exports/${stopped.at(-1)}?wait=60`);
    await sleep(20);
    await stopServerProcess(server);
    assert.equal((await waiting).status, 200, "a stopping server lets nobody wait");
    await restart();
    const ids = [...killed, ...stopped];
    const records = await Promise.all(ids.map((id) => client.done(id)));
    for (const at of [6, 7]) {
      const { spec, export: replayed } = await client.create(bodyOf(at), `killed-${at}`);
      assert.equal(replayed.export_id, killed[at]);
      const expected = sha256(await written(sample, spec, `kept-${at}`));
      const hashes = records.filter((_, i) => (i % 25) % 2 === at % 2).map((one) => one.sha256);
      assert.deepEqual([...new Set(hashes)], [expected]);
    }
    const names = ids.map((id, i) => `${id}.${(i % 25) % 2 === 0 ? "xlsx" : "csv.zst"}`);
    assert.deepEqual(filesOf(dataDir).sort(), names.sort());
    await stopServerProcess(server);
  });
});
