/**
 * Proves, with three real servers on one PostgreSQL and a strict object store: when all servers
 * have a newer snapshot, all of them serve it within seconds. Meanwhile no server refuses a cursor
 * of another. A server that starts late accepts earlier cursors. A key that is disabled on one
 * server is refused on all. A server without the snapshot of the others is not ready.
 * Does not prove: kills and pauses during exports (campaign/kills/fleet).
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, SPEC } from "../../support/export/client.ts";
import { FAKE_KEYS, FakeS3 } from "../../support/export/fake-s3.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { TestPostgres, withoutPostgres } from "../../support/server/postgres-server.ts";
import {
  killServerProcess,
  productCommand,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const MEMBERS = [0, 1, 2];
const WITHIN_MS = 20_000;

interface Page {
  readonly snapshot: string;
  readonly next_cursor: string | null;
  readonly code?: string;
}

describe("servers with one state", { skip: withoutPostgres }, () => {
  let months: SampleSnapshot[];
  let postgres: TestPostgres;
  let store: FakeS3;
  const servers: ServerProcess[] = [];

  before(async () => {
    months = [
      await makeSampleSnapshot(2_000, 7, "2026-09"),
      await makeSampleSnapshot(2_000, 7, "2026-10"),
    ];
    postgres = await TestPostgres.start();
    store = await FakeS3.start();
    for (const member of MEMBERS) {
      mkdirSync(folderOf(member));
      give(member, 0);
      servers.push(await start(member));
    }
  });
  after(async () => {
    for (const server of servers) await killServerProcess(server);
    await store.close();
    await postgres.remove();
    for (const month of months) month.dispose();
  });

  const place = () => (months[0] as SampleSnapshot).folder;
  const folderOf = (member: number) => join(place(), `snapshots-${member}`);
  const dataDirOf = (member: number) => join(place(), `state-${member}`);

  function give(member: number, month: number): void {
    const { snapshot } = months[month] as SampleSnapshot;
    copyFileSync(snapshot, join(folderOf(member), `month-${month}.peneira`));
  }

  function start(member: number): Promise<ServerProcess> {
    const settings = {
      PENEIRA_STATE_URL: postgres.address("fleet"),
      PENEIRA_FILES_URL: store.address(),
      PENEIRA_FILES_ACCESS_KEY: FAKE_KEYS.accessKey,
      PENEIRA_FILES_SECRET_KEY: FAKE_KEYS.secretKey,
      PENEIRA_HTTP_THREADS: member === 1 ? "2" : "1",
    };
    return startServerProcess({ snapshot: folderOf(member), dataDir: dataDirOf(member), settings });
  }

  const client = (member: number, key = (servers[0] as ServerProcess).key) =>
    new Client((servers[member] as ServerProcess).base, key);

  async function page(member: number, cursor: string | null = null): Promise<Page> {
    const body = { spec: SPEC, ...(cursor === null ? { limit: 5 } : { cursor }) };
    const answer = await client(member).post("/v1/accounts/search", body);
    return (await answer.json()) as Page;
  }

  const labels = () => Promise.all(MEMBERS.map(async (one) => (await page(one)).snapshot));

  async function eventually(holds: () => Promise<boolean>, what: string): Promise<void> {
    const endMs = performance.now() + WITHIN_MS;
    while (performance.now() < endMs) {
      if (await holds()) return;
      await sleep(50);
    }
    assert.fail(`not within ${WITHIN_MS} ms: ${what}`);
  }

  it("render and serve each other's exports", async () => {
    const made = await client(0).create({ spec: SPEC, output: { format: "csv" } });
    const record = await client(2).done(made.export.export_id);
    const link = await client(1).link(record.export_id);
    const file = await fetch((servers[1] as ServerProcess).base + link);
    assert.equal((await file.arrayBuffer()).byteLength, record.size_bytes);
  });

  it("change to a newer snapshot together, and refuse no cursor of each other", async () => {
    let requested = 0;
    let isOver = false;
    const refused: unknown[] = [];
    const walk = async (seed: number) => {
      let cursor: string | null = null;
      for (let turn = seed; !isOver; turn++) {
        const found: Page = await page(turn % MEMBERS.length, cursor);
        requested++;
        if (found.code !== undefined) refused.push(found);
        cursor = found.next_cursor ?? null;
      }
    };
    const walks = MEMBERS.map(walk);
    give(0, 1);
    give(1, 1);
    await sleep(3_000);
    assert.deepEqual(await labels(), ["2026-09", "2026-09", "2026-09"], "the third lacks it");
    give(2, 1);
    await eventually(
      async () => (await labels()).every((label) => label === "2026-10"),
      "all serve the newer month",
    );
    await sleep(500);
    isOver = true;
    await Promise.all(walks);
    assert.deepEqual(refused, []);
    assert.ok(requested > 50, `${requested} requests`);
  });

  it("accept the cursors of before after a restart", async () => {
    const before = (await page(0)).next_cursor;
    await stopServerProcess(servers[2] as ServerProcess);
    servers[2] = await start(2);
    const found = await page(2, before);
    assert.deepEqual([found.code, found.snapshot], [undefined, "2026-10"]);
  });

  it("are not ready without the snapshot of the others", async () => {
    await stopServerProcess(servers[2] as ServerProcess);
    execFileSync("rm", [join(folderOf(2), "month-1.peneira")]);
    servers[2] = await start(2);
    const ready = await client(2).get("/readyz");
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /snapshot_unavailable/);
    give(2, 1);
    await eventually(async () => (await client(2).get("/readyz")).status === 200, "it is ready");
  });

  it("refuse a key that was disabled at one of them", async () => {
    const run = (...parts: string[]) =>
      execFileSync(...productCommand([...parts, "--data-dir", dataDirOf(1)])).toString();
    const key = /pnr_[0-9a-f_]+/.exec(run("key", "create", "--plan", "growth", "--name", "n"))?.[0];
    assert.ok(key !== undefined);
    const status = async (member: number) =>
      (await client(member, key).post("/v1/accounts/search", { spec: SPEC, limit: 1 })).status;
    assert.deepEqual(await Promise.all(MEMBERS.map(status)), [200, 200, 200]);
    run("key", "disable", key.split("_")[1] as string);
    await eventually(
      async () =>
        (await Promise.all(MEMBERS.map(status))).every((one) => one === 401 || one === 403),
      "all refuse it",
    );
  });
});
