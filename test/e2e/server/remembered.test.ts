/**
 * Proves, with real server processes: answers of repeated searches are cached up to
 * `http.response_memory_bytes`, the metrics report hits and bytes, and nothing is cached for a
 * retired snapshot. Does not prove: that the answers are the same
 * (contract/http/api/cachedpages.test.ts).
 */
import assert from "node:assert/strict";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

/** Milliseconds that a change of the snapshot may take, even on a busy machine. */
const PATIENCE_MS = 30_000;

const BODY = JSON.stringify({ spec: { filters: { geo: { uf_any_of: ["SP"] } } }, limit: 20 });

const samples: SampleSnapshot[] = [];
before(async () => {
  samples.push(await makeSampleSnapshot(700, 5, "2026-09"));
  samples.push(await makeSampleSnapshot(700, 6, "2026-10"));
});
after(() => {
  for (const sample of samples) sample.dispose();
});

async function search({ base, key }: ServerProcess): Promise<string> {
  const answer = await fetch(`${base}/v1/accounts/search`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: BODY,
  });
  assert.equal(answer.status, 200);
  return (await answer.text()).replace(/"(request_id|took_ms)":[^,}]+/g, "");
}

/** Hits, misses, and bytes, from the metrics. */
async function counted({ base }: ServerProcess): Promise<readonly number[]> {
  const text = await (await fetch(`${base}/metrics`)).text();
  return ['total{result="hit"}', 'total{result="miss"}', "bytes"].map((series) => {
    const line = text
      .split("\n")
      .find((one) => one.startsWith(`peneira_response_memory_${series}`));
    return Number(line?.split(" ")[1] ?? Number.NaN);
  });
}

describe("a server with a response cache", () => {
  it("reports hits and bytes, and evicts entries of retired snapshots", async () => {
    const [older, newer] = samples as [SampleSnapshot, SampleSnapshot];
    const folder = join(older.folder, "served");
    mkdirSync(folder);
    renameSync(older.snapshot, join(folder, "2026-09.peneira"));
    const dataDir = join(older.folder, "state");
    // The server has one thread, because each thread has a separate cache.
    const settings = { PENEIRA_HTTP_THREADS: "1" };
    const server = await startServerProcess({ snapshot: folder, dataDir, settings });
    try {
      const answers = new Set<string>();
      for (let i = 0; i < 5; i++) answers.add(await search(server));
      assert.equal(answers.size, 1);
      const [hits, misses, bytes = 0] = await counted(server);
      assert.deepEqual([hits, misses], [3, 2], "the first two were looked up");
      assert.ok(bytes > 2_000 && bytes < 10_000, `${bytes} bytes`);
      renameSync(newer.snapshot, join(folder, "2026-10.peneira"));
      const deadline = performance.now() + PATIENCE_MS;
      while ((await counted(server))[2] !== 0 && performance.now() < deadline) await sleep(20);
      assert.deepEqual(await counted(server), [3, 2, 0]);
      assert.match(await search(server), /"snapshot":"2026-10"/);
    } finally {
      await stopServerProcess(server);
    }
  });

  it("caches nothing if disabled", async () => {
    const { folder, snapshot, dispose } = await makeSampleSnapshot(700, 5, "2026-09");
    const server = await startServerProcess({
      ...{ snapshot, dataDir: join(folder, "state") },
      settings: { PENEIRA_HTTP_RESPONSE_MEMORY_BYTES: "0" },
    });
    try {
      for (let i = 0; i < 4; i++) await search(server);
      assert.deepEqual(await counted(server), [0, 0, 0]);
    } finally {
      await stopServerProcess(server);
      dispose();
    }
  });
});
