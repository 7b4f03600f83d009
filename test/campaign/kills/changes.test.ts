/**
 * Proves, with the real program as a process: after a kill during the build of a change list and
 * the rendering of an export of changes, a restart rebuilds the list and leaves no partial list.
 * The export finishes under its id, with the bytes that a render in this process produces. `GET
 * /v1/changes` returns the same totals before and after; the status lists the months. A newer month
 * in the folder gets its list before any query. A stop during the build ends with code 0.
 * Does not prove: every moment of a crash (campaign/kills/crash.test.ts has the points of exports).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChangeKind } from "../../../src/changes/kinds.ts";
import { buildChangeList, openChangeList } from "../../../src/changes/list.ts";
import { renderBytes } from "../../../src/export/render.ts";
import { openSegment } from "../../../src/search/segment.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import type { ChangesAnswer } from "../../support/changes/server.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  killServerProcess,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const ACCOUNTS = 60_000;
const LABELS = ["2026-08", "2026-09", "2026-10"];

describe("changes of a real server", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-changes-crash-"));
  const [served, dataDir] = [join(folder, "served"), join(folder, "state")];
  const lists = join(dataDir, "changes");
  const samples: SampleSnapshot[] = [];
  let server: ServerProcess;
  let key = "";

  const place = (label: string) => join(served, `${label}.peneira`);
  const start = async () => {
    server = await startServerProcess({ snapshot: served, dataDir });
    key ||= server.key;
  };
  const request = (path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(server.base + path, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const names = () => (existsSync(lists) ? readdirSync(lists) : []);
  /** Waits until a condition is true. It polls continuously, because the process is fast. */
  const until = async (so: () => boolean | Promise<boolean>) => {
    for (const end = Date.now() + 30_000; !(await so()); await sleep(1)) {
      assert.ok(Date.now() < end, "it never came to that");
    }
  };
  const question = { since: "2026-08", spec: {}, limit: 1 };
  const totals = async () => {
    const response = await request("/v1/changes", question);
    assert.equal(response.status, 200, await response.clone().text());
    return ((await response.json()) as ChangesAnswer).totals;
  };

  before(async () => {
    mkdirSync(served);
    for (const [i, label] of LABELS.entries()) {
      const sample = await makeSampleSnapshot(ACCOUNTS - 500 * i, 3, label);
      samples.push(sample);
      if (i < 2) cpSync(sample.snapshot, place(label));
    }
  });
  after(async () => {
    for (const sample of samples) sample.dispose();
    rmSync(folder, { recursive: true });
  });

  it("rebuild a list that a kill truncated, with the same answers", async () => {
    await start();
    const status = (await (await request("/v1/status")).json()) as { changes_since: string[] };
    assert.deepEqual(status.changes_since, ["2026-08"]);
    void request("/v1/changes", question).catch(() => {});
    await until(() => names().length > 0);
    const seen = names();
    await killServerProcess(server);
    await start();
    const half = names().filter((name) => name.endsWith(".tmp"));
    assert.deepEqual(half, [], `left of ${seen}`);
    const before = await totals();
    assert.ok(before.entered + before.left + before.changed > 100);
    await killServerProcess(server);
    await start();
    assert.equal(names().length, 1);
    assert.deepEqual(await totals(), before);
  });

  it("finish a killed export with the bytes that rendering produces", async () => {
    const body = { since: "2026-08", spec: {}, output: { format: "xlsx" } };
    const created = await request("/v1/exports", body, { "idempotency-key": "crash" });
    assert.equal(created.status, 201, await created.clone().text());
    const { export: record, spec } = (await created.json()) as {
      export: { export_id: string; kinds: ChangeKind[]; watch: string[] };
      spec: AccountQuerySpec;
    };
    const path = `/v1/exports/${record.export_id}`;
    const state = async () => ((await (await request(path)).json()) as { status: string }).status;
    await until(async () => (await state()) !== "queued");
    await killServerProcess(server);
    // Removes the list and the older month. The export still has a link to the month's file.
    for (const name of names()) rmSync(join(lists, name));
    renameSync(place("2026-08"), join(folder, "away"));
    await start();
    const done = (await (await request(`${path}?wait=30`)).json()) as Record<string, unknown>;
    assert.equal(done.status, "done");
    const older = await openSegment(join(folder, "away"));
    const newer = await openSegment(place("2026-09"));
    const own = join(folder, "own.changes");
    await buildChangeList(older, newer, own);
    const list = openChangeList(own, older, newer);
    const hash = createHash("sha256");
    const { kinds, watch } = record;
    const changes = { list, kinds, watch: watch as never };
    const { rowCount } = await renderBytes({ segment: newer, spec, changes }, (part) => {
      hash.update(part);
    });
    assert.deepEqual([done.sha256, done.row_count], [hash.digest("hex"), rowCount]);
    list.close();
    older.close();
    newer.close();
    renameSync(join(folder, "away"), place("2026-08"));
  });

  it("precompute the change list when a newer month arrives, and stop midway", async () => {
    for (const name of names()) rmSync(join(lists, name));
    cpSync((samples[2] as SampleSnapshot).snapshot, join(served, "new.tmp"));
    renameSync(join(served, "new.tmp"), place("2026-10"));
    await until(() => names().length > 0);
    await stopServerProcess(server);
    await start();
    await until(async () => {
      const status = (await (await request("/v1/status")).json()) as { changes_since: string[] };
      return status.changes_since.length === 2;
    });
    assert.ok((await totals()).entered >= 0);
    await stopServerProcess(server);
  });
});
