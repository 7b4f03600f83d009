/**
 * Proves, with real server processes on both transports: if a served file is repeatedly replaced
 * under load, no request fails, and every answer belongs completely to one snapshot. A sequence of
 * pages ends on the snapshot on which it began, and an export uses the snapshot on which it was
 * created. A replaced snapshot is unmapped. A server starts with an empty folder and adopts the
 * first snapshot, rejects a bad one and continues, and recovers when a good file replaces a damaged
 * one.
 * Does not prove in detail which files are adopted (contract/search/reload.test.ts), nor stopping
 * (e2e/server/drain.test.ts).
 */
import assert from "node:assert/strict";
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../../support/export/client.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";
import { tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";
import {
  type Expected,
  expectedOf,
  STEADY_SPEC,
  SteadyLoad,
} from "../../support/server/steady-load.ts";

/** Number of replacements on each transport. */
const SWAPS = tries("swaps");
/** Milliseconds that a replacement and its effects may take, even on a busy machine. */
const PATIENCE_MS = 30_000;
const SETTINGS = {
  PENEIRA_SNAPSHOTS_KEEP: "3",
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "100000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "100000",
};

const samples = new Map<string, SampleSnapshot>();
const expected: Expected[] = [];
let folder: string;

before(async () => {
  for (const [label, seed] of [["2026-09", 5] as const, ["2026-10", 6] as const]) {
    const sample = await makeSampleSnapshot(700, seed, label);
    samples.set(label, sample);
    expected.push(await expectedOf(sample));
    folder = sample.folder;
  }
});
after(() => {
  for (const sample of samples.values()) sample.dispose();
});

const snapshotOf = (label: string) => (samples.get(label) as SampleSnapshot).snapshot;

/** Puts a snapshot at a path as operators should, by renaming. */
function put(label: string, path: string): void {
  const link = `${path}.tmp`;
  linkSync(snapshotOf(label), link);
  renameSync(link, path);
}

/** Waits for a condition. */
async function until(what: string, so: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await so())) {
    assert.ok(performance.now() < endMs, `not within ${PATIENCE_MS} ms: ${what}`);
    await sleep(20);
  }
}

/** Returns the status of a search, and the label of its snapshot. */
async function searched({ base, key }: ServerProcess): Promise<string> {
  const answer = await new Client(base, key).post("/v1/accounts/search", { spec: STEADY_SPEC });
  const { snapshot, code } = (await answer.json()) as { snapshot?: string; code?: string };
  return `${answer.status} ${snapshot ?? code}`;
}

/** Returns the labels of the snapshots that a process has mapped. */
function mapped({ child }: ServerProcess): string[] {
  const lines = readFileSync(`/proc/${child.pid}/maps`, "latin1").split("\n");
  const inodes = new Set(lines.map((line) => line.trim().split(/\s+/)[4]));
  return [...samples.keys()].filter((label) => inodes.has(String(statSync(snapshotOf(label)).ino)));
}

for (const transport of TRANSPORTS) {
  describe(`snapshots of a running server over ${transport}`, () => {
    it(`are swapped ${SWAPS} times under load without a failed request`, async (test) => {
      const path = join(folder, `served-${transport}.peneira`);
      const dataDir = join(folder, `state-swap-${transport}`);
      put("2026-09", path);
      const options = { snapshot: path, dataDir, transport, settings: SETTINGS };
      const server = await startServerProcess(options);
      const load = new SteadyLoad(server.base, server.key, expected);
      const clients = [load.search(), load.search(true), load.walk(15), load.walk(60)];
      clients.push(load.count(5), load.export(30));
      for (let swap = 1; swap <= SWAPS; swap++) {
        const label = swap % 2 === 0 ? "2026-09" : "2026-10";
        put(label, path);
        // The signal is sent for only half of the replacements. For the others, the file event must
        // be sufficient.
        if (swap % 4 > 1) server.child.kill("SIGHUP");
        await until(`swap ${swap}`, async () => (await searched(server)) === `200 ${label}`);
      }
      load.over = true;
      await Promise.all(clients);
      assert.deepEqual(load.failures, []);
      assert.equal(load.refused, 0);
      await load.checkExports(samples);
      const pinned = new Set([...load.exports.values()].map(({ label }) => label));
      assert.equal(pinned.size, 2, "exports of one snapshot only");
      assert.ok((load.answered.walks ?? 0) > 2);
      test.diagnostic(`${SWAPS} swaps, answered: ${JSON.stringify(load.answered)}`);
      if (process.platform === "linux") {
        const current = SWAPS % 2 === 0 ? "2026-09" : "2026-10";
        await until("the replaced one is unmapped", () => mapped(server).join() === current);
      }
      load.close();
      await stopServerProcess(server);
    });

    it("may arrive after the start, and a bad one changes nothing", async () => {
      const place = join(folder, `place-${transport}`);
      mkdirSync(place);
      writeFileSync(join(place, "cut.peneira"), readFileSync(snapshotOf("2026-09")).subarray(9));
      symlinkSync("loop.peneira", join(place, "loop.peneira"));
      const dataDir = join(folder, `state-none-${transport}`);
      const options = { snapshot: place, dataDir, transport };
      const server = await startServerProcess(options);
      const ready = async () => (await fetch(`${server.base}/readyz`)).status;
      assert.equal(await ready(), 503);
      assert.equal(await searched(server), "503 snapshot_unavailable");
      // Adds a sparse file of terabytes, which would take hours to read, and a symbolic link to
      // itself.
      writeFileSync(join(place, "zeros.peneira"), "");
      truncateSync(join(place, "zeros.peneira"), 2 ** 42);
      symlinkSync("circle.peneira", join(place, "circle.peneira"));
      put("2026-09", join(place, "2026-09.peneira"));
      await until("the first snapshot", async () => (await ready()) === 200);
      assert.equal(await searched(server), "200 2026-09");
      const whole = readFileSync(snapshotOf("2026-10"));
      writeFileSync(join(place, "2026-10.peneira"), whole.subarray(0, whole.length / 2));
      await sleep(1_000);
      assert.equal(await searched(server), "200 2026-09");
      put("2026-10", join(place, "2026-10.peneira"));
      await until("the newer one", async () => (await searched(server)) === "200 2026-10");
      await stopServerProcess(server);
    });

    it("recover if a corrupt file is replaced, also by the same content", async () => {
      const path = join(folder, `corrupt-${transport}.peneira`);
      const dataDir = join(folder, `state-corrupt-${transport}`);
      copyFileSync(snapshotOf("2026-09"), path);
      const options = { snapshot: path, dataDir, transport };
      const server = await startServerProcess(options);
      const client = new Client(server.base, server.key);
      truncateSync(path, 70_000);
      await until("damage is told", async () => (await searched(server)).startsWith("503 "));
      assert.equal((await fetch(`${server.base}/readyz`)).status, 503);
      for (const label of ["2026-09", "2026-10"]) {
        put(label, path);
        await until(`${label} is served`, async () => (await searched(server)) === `200 ${label}`);
        const { record } = await client.exported({ spec: STEADY_SPEC, output: { format: "csv" } });
        assert.equal(record.status, "done");
      }
      await stopServerProcess(server);
    });
  });
}
