/**
 * Proves: if the packets of a connection to the database are dropped while new connections work,
 * its thread waits only about a second and a half. A statement that changes nothing, and a
 * change that has not begun, are then executed over another connection. A transaction that has
 * begun fails and holds no lock. A slow statement is not mistaken for a lost one. In the meantime,
 * the other threads of the server answer health checks, and searches with keys that they know.
 * Does not prove the same on real networks (campaign/fleet/chaos cuts them).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stateAddress } from "../../../src/store/postgres/address.ts";
import { openPostgres } from "../../../src/store/postgres/schema.ts";
import { type StateDatabase, StateUnreachable } from "../../../src/store/statedatabase.ts";
import { makeSampleSnapshot } from "../../support/sample/snapshot.ts";
import { DroppingProxy } from "../../support/server/dropping-proxy.ts";
import { TestPostgres, withoutPostgres } from "../../support/server/postgres-server.ts";
import { startServerProcess, stopServerProcess } from "../../support/server/process.ts";

/** Maximum milliseconds that a thread may wait. An undetected lost connection takes 11 s. */
const LOST_MS_MAX = 3_000;
/** Answers of a server's other threads while one waits. */
const ANSWERS_MIN = 5;

const print = (text: string) => process.stdout.write(`# ${text}\n`);

describe("a lost connection to the database", { skip: withoutPostgres }, () => {
  let server: TestPostgres;
  let proxy: DroppingProxy;
  const opened: StateDatabase[] = [];

  before(async () => {
    server = await TestPostgres.start();
    proxy = await DroppingProxy.start(server.socket);
  });
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
  });
  after(async () => {
    await proxy.close();
    await server.remove();
  });

  const addressOf = (schema: string) =>
    `postgres://peneira@127.0.0.1:${proxy.port}/postgres?schema=${schema}`;

  async function open(schema: string, listens: boolean): Promise<StateDatabase> {
    const database = openPostgres(stateAddress(addressOf(schema)), { listens });
    opened.push(database);
    await sleep(500);
    database.exec("CREATE TABLE IF NOT EXISTS drops (n integer PRIMARY KEY)");
    return database;
  }

  /** Runs work that waits. Prints how long it takes, and fails if that is too long. */
  function timed(what: string, work: () => void): void {
    const beganMs = performance.now();
    work();
    const tookMs = performance.now() - beganMs;
    print(`${what}: ${Math.round(tookMs)} ms`);
    assert.ok(tookMs < LOST_MS_MAX, `${what}: ${tookMs} ms`);
  }

  const count = (database: StateDatabase) =>
    database.prepare<[], number>("SELECT count(*) FROM drops").pluck().get();
  const insert = (database: StateDatabase, n: number) =>
    database.prepare("INSERT INTO drops (n) VALUES (?)").run(n);

  for (const listens of [true, false]) {
    const kind = listens ? "that listens" : "that works";

    it(`is replaced by a thread ${kind}, for reads and changes that have not begun`, async () => {
      const database = await open(`lost_${listens}`, listens);
      const before = count(database);
      proxy.drop();
      timed("a read", () => assert.equal(count(database), before));
      proxy.drop();
      timed("a change", () => assert.equal(insert(database, 1).changes, 1));
      proxy.drop();
      const change = database.transaction(() => insert(database, 2));
      timed("a transaction", () => assert.equal(change.immediate().changes, 1));
      assert.equal(count(database), 2);
    });

    it(`fails a transaction that has begun in a thread ${kind}, and frees its lock`, async () => {
      const database = await open(`begun_${listens}`, listens);
      const other = openPostgres(stateAddress(server.address(`begun_${listens}`)), {});
      opened.push(other);
      const begun = database.transaction(() => {
        insert(database, 1);
        proxy.drop();
        insert(database, 2);
      });
      timed("a begun transaction", () => assert.throws(() => begun.immediate(), StateUnreachable));
      timed("another writer", () => insert(other, 3));
      const until = performance.now() + 5_000;
      while (database.away.ms > 0 && performance.now() < until) await sleep(20);
      assert.equal(count(database), 1);
    });
  }

  it("is not a statement that is slow, or that waits for another writer", async () => {
    const database = await open("slow", false);
    const was = proxy.opened;
    database.exec("SELECT pg_sleep(3)");
    assert.equal(database.away.ms, 0);
    assert.equal(proxy.opened, was + 1, "one more connection asks about it");
  });

  it("does not stop health checks and searches with known keys of other threads", async () => {
    const sample = await makeSampleSnapshot(1_000, 4);
    const dataDir = mkdtempSync(join(tmpdir(), "peneira-lost-"));
    const running = await startServerProcess({
      ...{ snapshot: sample.snapshot, dataDir },
      settings: { PENEIRA_STATE_URL: addressOf("served"), PENEIRA_HTTP_THREADS: "3" },
    });
    try {
      await measure(running);
    } finally {
      await stopServerProcess(running);
      sample.dispose();
      rmSync(dataDir, { recursive: true });
    }
  });

  async function measure({ base, key }: { readonly base: string; readonly key: string }) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ spec: { filters: { geo: { uf_any_of: ["SP"] } } }, limit: 1 });
    const search = () => fetch(`${base}/v1/accounts/search`, { method: "POST", headers, body });
    const health = () => fetch(`${base}/healthz`);
    const owned = () => fetch(`${base}/v1/exports`, { headers });
    // Sends requests until every thread knows the key, before the packets are dropped.
    for (let turn = 0; turn < 30; turn++) await Promise.all([search(), search(), health()]);
    proxy.drop();
    let answered = 0;
    const waiting = owned().finally(() => answered++);
    const tookMs: number[] = [];
    while (answered === 0) {
      const beganMs = performance.now();
      const answers = await Promise.all([search(), health()]);
      const statuses = answers.map(({ status }) => status);
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      assert.deepEqual(statuses, [200, 200], texts.join());
      tookMs.push(performance.now() - beganMs);
    }
    const longest = Math.round(Math.max(...tookMs));
    print(`${tookMs.length} pairs of a search and a check meanwhile, the longest ${longest} ms`);
    assert.equal((await waiting).status, 200, "what met the lost connection succeeds");
    assert.ok(tookMs.length >= ANSWERS_MIN, `${tookMs.length} pairs`);
  }
});
