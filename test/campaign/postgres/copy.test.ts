/**
 * Proves: `peneira state copy` moves a random state to PostgreSQL and back, with every row,
 * counter, and secret. With a message, it refuses a target that contains a state, a state that a
 * server is using, and other schemas. If a copy is killed at any moment, the target remains unused.
 * Does not prove that the data directory survives a power cut (campaign/kills/power).
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { lockDataDir, openDatabase, openUnmigrated } from "../../../src/store/database.ts";
import { stateAddress } from "../../../src/store/postgres/address.ts";
import { PostgresDatabase } from "../../../src/store/postgres/postgresdatabase.ts";
import { openPostgres, SHARED_TABLES, versionsOf } from "../../../src/store/postgres/schema.ts";
import { openSecrets, secretsText } from "../../../src/store/secrets.ts";
import { openServedState, openState } from "../../../src/store/state.ts";
import { bytesOf, pagesOf } from "../../../src/store/statecopy/rows.ts";
import {
  type CopyReport,
  copyToDataDir,
  copyToPostgres,
} from "../../../src/store/statecopy/statecopy.ts";
import { differences, stateTables } from "../../../src/store/statecopy/tables.ts";
import { TestPostgres, withoutPostgres } from "../../support/server/postgres-server.ts";
import { productCommand } from "../../support/server/process.ts";
import { RandomState } from "../../support/server/random-state.ts";

const ROUNDS = Number(process.env.TEST_COPY_KILLS ?? 12);

describe("a copy of a state", { skip: withoutPostgres }, () => {
  let server: TestPostgres;
  let folder: string;

  before(async () => {
    server = await TestPostgres.start();
    folder = mkdtempSync(join(tmpdir(), "peneira-copy-"));
  });
  after(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Makes a data directory with a random state and secrets. */
  function made(name: string, seed: number, tries = 60): string {
    const dataDir = join(folder, name);
    const database = openDatabase(dataDir);
    new RandomState(database, seed).fill(tries);
    database.close();
    openSecrets(dataDir);
    return dataDir;
  }

  /** Returns every row of a state in SQLite, as bytes. */
  function rowsOf(dataDir: string): Map<string, string[]> {
    const database = openUnmigrated(dataDir);
    const rows = stateTables(database).map((table) => {
      const pages = Array.from(pagesOf(database, table)).flat();
      return [table.name, pages.map((row) => bytesOf(row).toString("latin1"))] as const;
    });
    const sequences = database
      .prepare<[], { name: string; seq: bigint }>(
        "SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name",
      )
      .safeIntegers()
      .all();
    database.close();
    const counters = sequences.map(({ name, seq }) => `${name} ${seq}`);
    return new Map([...rows, ["counters", counters]]);
  }

  const copy = (way: typeof copyToPostgres, dataDir: string, url: string): CopyReport =>
    way({ dataDir, url, onCopied: () => {}, onCompared: () => {} });

  it("has the same tables on both engines", () => {
    const shared = openPostgres(stateAddress(server.address("tables")));
    const own = openDatabase(join(folder, "tables"));
    assert.deepEqual(differences(shared, stateTables(own)), []);
    // These tables exist only on PostgreSQL, where servers share them, and are dropped in the copy
    // back to SQLite. A new table of this kind must be added here.
    const ofFleets = ["fleet_month", "rates", "rate_leases"];
    assert.deepEqual(SHARED_TABLES, ["state", "access_changes", ...ofFleets]);
    shared.close();
    own.close();
  });

  for (const seed of [1, 2, 3]) {
    it(`to PostgreSQL and back has every row, counter, and secret (seed ${seed})`, () => {
      const dataDir = made(`round-${seed}`, seed);
      const [rows, secrets] = [rowsOf(dataDir), secretsText(dataDir)];
      const url = server.address(`round_${seed}`);
      const there = copy(copyToPostgres, dataDir, url);
      assert.equal(there.copied, true);
      assert.equal(openedEngine(dataDir), "postgres");
      const other = join(folder, `back-${seed}`);
      const back = copy(copyToDataDir, other, url);
      assert.deepEqual(back.tables, there.tables);
      assert.deepEqual(rowsOf(other), rows);
      assert.equal(secretsText(other), secrets);
      copy(copyToDataDir, dataDir, url);
      assert.deepEqual(rowsOf(dataDir), rows);
      assert.equal(openedEngine(dataDir), "sqlite");
      assert.ok(existsSync(join(dataDir, "state.db.copied")));
    });
  }

  function openedEngine(dataDir: string): string {
    const database = openState(dataDir);
    database.close();
    return database.engine;
  }

  it("is served, and gives out no number twice", () => {
    const dataDir = made("numbers", 4);
    const url = server.address("numbers");
    copy(copyToPostgres, dataDir, url);
    const served = openServedState(dataDir, url, "shared");
    const last = "SELECT max(sequence) FROM audit";
    const before = served.prepare<[], bigint>(last).safeIntegers().pluck().get() as bigint;
    served.prepare("INSERT INTO audit (at, actor, action, facts) VALUES (1, 'a', 'b', '{}')").run();
    const after = served.prepare<[], bigint>(last).safeIntegers().pluck().get() as bigint;
    assert.ok(after > before + 1n, "the last line of the random state was deleted");
    served.close();
  });

  it("refuses a target with a state and says what it has", () => {
    const [one, two] = [made("full-1", 5), made("full-2", 6)];
    const url = server.address("full");
    copy(copyToPostgres, one, url);
    const words = /has a state: rows by table: .*tenants [\d,]+.*Nothing was copied/;
    assert.throws(() => copy(copyToPostgres, two, url), words);
    assert.throws(() => copy(copyToDataDir, two, url), words);
    assert.equal(openedEngine(two), "sqlite");
  });

  it("that was cut after its end is finished by the next run", () => {
    const dataDir = made("cut", 7);
    const again = join(folder, "cut-again");
    cpSync(dataDir, again, { recursive: true });
    const url = server.address("cut");
    const first = copy(copyToPostgres, dataDir, url);
    const second = copy(copyToPostgres, again, url);
    assert.deepEqual(second.tables, first.tables);
    assert.equal(second.copied, false);
    assert.equal(openedEngine(again), "postgres");
  });

  it("refuses a state that a server works on, on either side", () => {
    const dataDir = made("served", 8);
    const url = server.address("served");
    const unlock = lockDataDir(dataDir);
    assert.throws(() => copy(copyToPostgres, dataDir, url), /Another server works on/);
    unlock();
    const served = openServedState(join(folder, "served-there"), url, "shared");
    assert.throws(() => copy(copyToPostgres, dataDir, url), /A server works on the state in/);
    assert.throws(() => copy(copyToDataDir, join(folder, "new"), url), /A server works on/);
    assert.equal(existsSync(join(folder, "new")), false);
    served.close();
  });

  it("refuses older and newer schemas, other programs' tables, and a NUL in a text", () => {
    const dataDir = made("schemas", 9);
    const url = server.address("schemas");
    const own = openUnmigrated(dataDir);
    const version = Number(own.pragma("user_version", { simple: true }));
    const setVersion = (number: number) => own.pragma(`user_version = ${number}`);
    setVersion(version - 1);
    assert.throws(() => copy(copyToPostgres, dataDir, url), /has schema \d+, and this version/);
    setVersion(version + 1);
    assert.throws(() => copy(copyToPostgres, dataDir, url), /newer version of Peneira/);
    setVersion(version);
    own.prepare("UPDATE saved_searches SET name = ? WHERE id = 'sea_1'").run("a\0b");
    const words = /saved_searches.name of the row with id sea_1 has a NUL/;
    assert.throws(() => copy(copyToPostgres, dataDir, url), words);
    own.prepare("UPDATE saved_searches SET name = 'a' WHERE id = 'sea_1'").run();
    own.close();
    const shared = openPostgres(stateAddress(url));
    for (const [change, words] of [
      ["+ 1", /made by a newer version/],
      ["- 1", /made by an older version/],
    ] as const) {
      shared.exec(`UPDATE state SET version = version ${change}`);
      assert.throws(() => copy(copyToPostgres, dataDir, url), words);
      assert.throws(() => copy(copyToDataDir, join(folder, "none"), url), words);
      shared.exec(`UPDATE state SET version = ${version}`);
    }
    shared.exec('CREATE SCHEMA other; CREATE TABLE other."invoices" (id int)');
    shared.close();
    const other = server.address("other");
    assert.throws(() => copy(copyToPostgres, dataDir, other), /1 tables of another.*invoices/);
    const none = server.address("nothing");
    assert.throws(() => copy(copyToDataDir, join(folder, "none"), none), /There is no state in/);
    copy(copyToPostgres, dataDir, url);
  });

  it("that is killed at any moment leaves the target unused, and is repeated", async () => {
    const dataDir = made("killed", 10, 200);
    const rows = rowsOf(dataDir);
    let killed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const schema = `killed_${round}`;
      const url = server.address(schema);
      if (await runAndKill(["state", "copy", dataDir, "postgres"], url, round)) {
        killed++;
        if (!existsSync(join(dataDir, "state.url"))) assert.deepEqual(rowsOf(dataDir), rows);
      }
      if (!existsSync(join(dataDir, "state.url")))
        copyAgain(["state", "copy", dataDir, "postgres"], url);
      else rmSync(join(dataDir, "state.db"), { force: true });
      if (await runAndKill(["state", "copy", "postgres", dataDir], url, round)) killed++;
      if (existsSync(join(dataDir, "state.url"))) {
        assert.equal(versionIn(schema), true);
        copyAgain(["state", "copy", "postgres", dataDir], url);
      }
      assert.deepEqual(rowsOf(dataDir), rows);
      for (const name of readdirSync(dataDir)) {
        if (name.startsWith("state.db.copied")) rmSync(join(dataDir, name));
      }
    }
    assert.ok(killed >= ROUNDS / 2, `${killed} copies were killed`);
  });

  function versionIn(schema: string): boolean {
    const address = stateAddress(server.address(schema));
    const database = new PostgresDatabase(address, { listens: false });
    const found = versionsOf(database, schema);
    database.close();
    return found !== null;
  }

  /** Runs a command and kills it after a while. Returns false if it ended before that. */
  async function runAndKill(args: string[], url: string, round: number): Promise<boolean> {
    const env = { ...process.env, PENEIRA_STATE_URL: url };
    const [file, all] = productCommand(args);
    const child = spawn(file, all, { env, stdio: ["ignore", "ignore", "pipe"] });
    const ended = once(child, "exit") as Promise<[number | null]>;
    // This delay makes most kills happen during the copy, which prints its first line after
    // about that time.
    const timer = sleep(150 + 125 * round).then(() => child.kill("SIGKILL"));
    const [code] = await ended;
    await timer;
    return code === null;
  }

  function copyAgain(args: string[], url: string): void {
    const [file, all] = productCommand(args);
    const env = { ...process.env, PENEIRA_STATE_URL: url };
    const { status, stderr } = spawnSync(file, all, { env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^tenants +\d+ rows {2}sha256 [0-9a-f]{64}$/m);
    assert.match(stderr, /every row is equal/);
  }

  it("prints one document, and refuses wrong places with the right command", () => {
    const dataDir = made("document", 11, 10);
    const url = server.address("document");
    const run = (...args: string[]) => {
      const [file, all] = productCommand(["state", "copy", ...args]);
      const env = { ...process.env, PENEIRA_STATE_URL: url };
      return spawnSync(file, all, { env, encoding: "utf8" });
    };
    const wrong = run(dataDir, join(folder, "second"));
    assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
    assert.match(wrong.stderr, /peneira backup and peneira restore/);
    const { status, stdout, stderr } = run(dataDir, "postgres", "--json");
    assert.equal(status, 0, stderr);
    const { to, copied, left, tables } = JSON.parse(stdout);
    assert.match(to, /^PostgreSQL at /);
    assert.deepEqual([copied, left], [true, join(dataDir, "state.db.copied")]);
    assert.ok(tables.length > 20);
    assert.match(readFileSync(join(dataDir, "state.url"), "utf8"), /^postgres:/);
  });
});
