/**
 * Proves: a state on PostgreSQL has the same rows as a state on SQLite after the same calls, in the
 * same order. Several processes can write to it, a server that disappears for a while is tolerated,
 * and only one server may use a state.
 */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Keyring } from "../../../src/access/keyring.ts";
import { AppError, CommandError } from "../../../src/errors.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openDatabase, openUnmigrated } from "../../../src/store/database.ts";
import { ExportStore } from "../../../src/store/exportstore.ts";
import { storageRefusal } from "../../../src/store/failures.ts";
import { FleetMonth } from "../../../src/store/fleet/fleetmonth.ts";
import { LEASE_MS, MemberStore } from "../../../src/store/fleet/members.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { stateAddress } from "../../../src/store/postgres/address.ts";
import { openPostgres } from "../../../src/store/postgres/schema.ts";
import { openServedState, openState } from "../../../src/store/state.ts";
import { type StateDatabase, StateUnreachable } from "../../../src/store/statedatabase.ts";
import { QuotaStore } from "../../../src/store/usagestore.ts";
import { UserStore } from "../../../src/store/userstore.ts";
import { TestPostgres, withoutPostgres } from "../../support/server/postgres-server.ts";
import { StoreScript, TABLES } from "../../support/server/store-script.ts";

const CREATOR = new URL("../../support/server/export-writer.ts", import.meta.url);
const WRITER = new URL("../../support/server/quota-writer.ts", import.meta.url);

describe("a state on PostgreSQL", { skip: withoutPostgres }, () => {
  let server: TestPostgres;
  let folder: string;
  const opened: StateDatabase[] = [];

  before(async () => {
    server = await TestPostgres.start();
  });
  after(() => server.remove());

  /** Opens the schema that a test uses. */
  function open(schema: string): StateDatabase {
    const database = openPostgres(stateAddress(server.address(schema)), { listens: true });
    opened.push(database);
    return database;
  }

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "peneira-state-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
  });

  for (const seed of [1, 2, 3]) {
    it(`has the rows of SQLite after the same random calls (seed ${seed})`, () => {
      const own = openDatabase(join(folder, `twin-${seed}`));
      opened.push(own);
      const shared = open(`twin_${seed}`);
      const [left, right] = [own, shared].map((database) => new StoreScript(database, seed));
      for (let step = 0; step < 400; step++) {
        assert.deepEqual(right?.step(), left?.step(), `step ${step}`);
      }
      for (const table of TABLES) {
        const rows = (database: StateDatabase) =>
          database
            .prepare(`SELECT * FROM ${table}`)
            .all()
            .map((row) => JSON.stringify(row))
            .sort();
        assert.deepEqual(rows(shared), rows(own), table);
      }
    });
  }

  it("is opened again without a change, and refused by an older program", () => {
    open("versions").close();
    const database = open("versions");
    database.exec("UPDATE state SET version = version + 1");
    assert.throws(
      () => open("versions"),
      (error: Error) => {
        return (
          error instanceof CommandError &&
          /made by a newer version.*Use the newer/.test(error.message)
        );
      },
    );
  });

  it("makes its schema once when several processes start together", async () => {
    const results = await Promise.all([1, 2, 3].map(() => write("together", 0)));
    assert.deepEqual(results, [0, 0, 0]);
    assert.equal(new QuotaStore(open("together")).charged("ten", 1), 0);
  });

  it("loses no write of processes that read, decide, and write", async () => {
    open("writers").close();
    const results = await Promise.all([1, 2, 3].map(() => write("writers", 60)));
    assert.deepEqual(results, [0, 0, 0]);
    assert.equal(new QuotaStore(open("writers")).charged("ten", 1), 180);
  });

  it("creates one export for a key, and no more than allowed, in three processes", async () => {
    const database = open("exports");
    new KeyStore(database).tenantId("acme", "ten", 1);
    const results = await Promise.all([1, 2, 3].map(() => runs(CREATOR, "exports", ["40", "25"])));
    assert.deepEqual(results, [0, 0, 0]);
    const store = new ExportStore(database);
    assert.equal(store.queuedOf("ten"), 25);
    assert.equal(store.quota.charged("ten", 1), 25);
    const keys = Array.from({ length: 40 }, (_, n) => store.remembered("ten", `k${n}`));
    assert.equal(new Set(keys.map((row) => row?.exportId)).size, 26, "25, and none for the rest");
  });

  /** Runs a process that adds to a quota `times` times. Each addition is a separate transaction. */
  function write(schema: string, times: number): Promise<number | null> {
    return runs(WRITER, schema, [String(times)]);
  }

  function runs(
    script: URL,
    schema: string,
    parameters: readonly string[],
  ): Promise<number | null> {
    const child = fork(script, [server.address(schema), ...parameters], {
      execArgv: ["--import", "tsx"],
    });
    return new Promise((resolve) => child.once("exit", resolve));
  }

  it("undoes a transaction that throws, and a part of one", () => {
    const database = open("undo");
    const keys = new KeyStore(database);
    const add = (name: string) => keys.tenantId(name, name, 1);
    const fail = () => assert.throws(() => keys.atomically(() => failing("inner")), /inner/);
    const failing = (name: string) => {
      add(name);
      throw new Error(name);
    };
    assert.throws(() => keys.atomically(() => failing("whole")), /whole/);
    keys.atomically(() => {
      add("kept");
      fail();
    });
    assert.deepEqual(
      keys.tenants().map(({ name }) => name),
      ["kept"],
    );
  });

  it("has one moment for a reader while others write", () => {
    const database = open("moment");
    const keys = new KeyStore(database);
    const reader = database.atOneMoment();
    const seen = () => new KeyStore(reader).tenants().length;
    assert.equal(seen(), 0);
    keys.tenantId("late", "late", 1);
    assert.equal(seen(), 0);
    reader.close();
    assert.equal(keys.tenants().length, 1);
  });

  it("refuses a disabled key in another process within a second", async () => {
    const [here, there] = [open("disabled"), open("disabled")].map((database) => {
      return new Keyring(new KeyStore(database), systemClock);
    }) as [Keyring, Keyring];
    const { key } = here.create({ tenant: "acme", plan: "free", name: "crm" });
    there.authenticate(`Bearer ${key}`);
    here.disable(here.list()[0] as ReturnType<Keyring["list"]>[number]);
    await untilRefused(there, key);
  });

  it("refuses a disabled key within a second if the notice is lost", async () => {
    const [one, two] = [open("unheard"), open("unheard")];
    const [here, there] = [one, two].map((database) => {
      return new Keyring(new KeyStore(database), systemClock);
    }) as [Keyring, Keyring];
    const { key } = here.create({ tenant: "acme", plan: "free", name: "crm" });
    one.exec(
      `CREATE OR REPLACE FUNCTION access_changed() RETURNS trigger LANGUAGE plpgsql AS $body$
       BEGIN UPDATE access_changes SET number = number + 1; RETURN NULL; END $body$`,
    );
    there.authenticate(`Bearer ${key}`);
    here.disable(here.list()[0] as ReturnType<Keyring["list"]>[number]);
    await untilRefused(there, key);
  });

  it("goes on with keys in use while the server is away, until the time of grace", async () => {
    const database = open("away");
    const store = new KeyStore(database);
    const keyring = new Keyring(store, systemClock, "command", { graceMs: 3_000 });
    const { key } = keyring.create({ tenant: "acme", plan: "free", name: "crm" });
    const other = keyring.create({ tenant: "acme", plan: "free", name: "other" });
    keyring.authenticate(`Bearer ${key}`);
    await server.crash();
    await untilAway(database);
    const began = performance.now();
    keyring.authenticate(`Bearer ${key}`);
    assert.throws(() => keyring.authenticate(`Bearer ${other.key}`), StateUnreachable);
    assert.ok(performance.now() - began < 500, "requests wait for a server that is away");
    await sleep(4_500);
    assert.throws(() => keyring.authenticate(`Bearer ${key}`), StateUnreachable);
    await server.begin();
    await untilBack(database);
    keyring.authenticate(`Bearer ${other.key}`);
  });

  /**
   * Waits until the key is refused, in short sleeps, for at most a second. A busy machine prolongs
   * the sleeps as much as the other thread's checks.
   */
  async function untilRefused(keyring: Keyring, key: string): Promise<void> {
    const isRefused = () => {
      try {
        keyring.authenticate(`Bearer ${key}`);
        return false;
      } catch (error) {
        assert.ok(isCode("authentication_disabled")(error));
        return true;
      }
    };
    for (let slept = 0; slept < 1_000; slept += 5) {
      if (isRefused()) return;
      await sleep(5);
    }
    assert.ok(isRefused(), "the key is still valid");
  }

  async function untilAway(database: StateDatabase): Promise<void> {
    while (database.away.ms === 0) await sleep(20);
  }

  async function untilBack(database: StateDatabase): Promise<void> {
    while (database.away.ms > 0) await sleep(20);
    await sleep(100);
  }

  it("is served by one server, whose secrets another data directory gets", () => {
    const address = server.address("served");
    const [one, two] = [join(folder, "one"), join(folder, "two")];
    const first = openServedState(one, address, "alone");
    assert.throws(
      () => openServedState(two, address, "alone"),
      /Another server works on the state.* Set files\.url/,
    );
    assert.throws(
      () => openServedState(two, address, "shared"),
      /That one keeps the files .* Set files\.url on it too/,
    );
    first.close();
    const shared = openServedState(two, address, "shared");
    openServedState(one, address, "shared").close();
    shared.close();
    openServedState(two, address, "alone").close();
    const secretsOf = (dataDir: string) => readFileSync(join(dataDir, "secrets.json"), "utf8");
    assert.equal(secretsOf(two), secretsOf(one));
    const byDataDir = openState(two);
    opened.push(byDataDir);
    assert.equal(byDataDir.engine, "postgres");
  });

  it("is not left, or taken, by a data directory without a word", () => {
    const address = server.address("words");
    const taken = join(folder, "taken");
    openServedState(taken, address, "alone").close();
    assert.throws(() => openServedState(taken, null, "alone"), /state\.url is not set/);
    const own = join(folder, "own");
    openDatabase(own).close();
    assert.throws(() => openServedState(own, address, "alone"), /has a state of its own/);
  });

  it("gets no second state from a command that works on a file", () => {
    const dataDir = join(folder, "backed-up");
    openServedState(dataDir, server.address("backed_up"), "alone").close();
    assert.throws(() => openUnmigrated(dataDir), /is in PostgreSQL .*pg_dump/s);
    assert.throws(() => openDatabase(dataDir), /is in PostgreSQL .*pg_dump/s);
    assert.equal(existsSync(join(dataDir, "state.db")), false);
  });

  it("refuses a text that it cannot store as a mistake of the request", () => {
    const users = new UserStore(open("texts"));
    const refused = (error: unknown) => storageRefusal(error)?.code === "invalid_request";
    assert.throws(() => users.named("ana\0@example.com"), refused);
    assert.equal(users.named("ana@example.com"), undefined);
  });

  it("says how to reach a server that is not there, without the password", () => {
    const unreached = stateAddress("postgres://ana:secret@127.0.0.1:1/crm");
    assert.throws(
      () => openPostgres(unreached),
      (error: Error) => {
        return (
          /127\.0\.0\.1:1\/crm .*cannot be reached/.test(error.message) &&
          !error.message.includes("secret")
        );
      },
    );
  });

  it("changes the snapshot of a fleet once all live members have it", () => {
    const database = open("months");
    const fleet = new FleetMonth(database);
    const store = new MemberStore(database, LEASE_MS);
    const [first, second] = ["mem_a", "mem_b"];
    const facts = { version: "1", files: "s3", snapshot: null, snapshotId: null };
    for (const id of [first, second]) store.join({ id, place: id, name: id, ...facts }, null);
    const october = { snapshotId: "a1", label: "2026-10" };
    const november = { snapshotId: "b2", label: "2026-11" };
    assert.equal(fleet.agree(), null);
    fleet.offer(first, october);
    // A server of the fleet without a snapshot serves nothing, so the first server does not wait
    // for it.
    assert.deepEqual(fleet.agree(), october);
    fleet.offer(second, october);
    fleet.offer(first, november);
    assert.deepEqual(fleet.agree(), october);
    assert.deepEqual(fleet.without("b2"), [second]);
    fleet.offer(second, november);
    assert.deepEqual(fleet.agree(), november);
    assert.deepEqual(fleet.recent(60_000), ["a1", "b2"]);
    assert.deepEqual(fleet.recent(0), ["b2"]);
    fleet.offer(first, october);
    assert.deepEqual(fleet.agree(), november);
    const lapse = "UPDATE members SET lease_until = now_ms() - 1 WHERE id = ?";
    database.prepare(lapse).run(second);
    assert.deepEqual(fleet.agree(), october);
    assert.deepEqual(fleet.recent(60_000), ["b2", "a1"]);
  });
});

function isCode(code: string) {
  return (error: unknown) => error instanceof AppError && error.code === code;
}
