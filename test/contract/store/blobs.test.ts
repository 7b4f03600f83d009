/**
 * Proves: every blob of the state has a checksum that its writer sets. One flipped bit in any blob
 * is found by the check of a starting server, by `peneira restore`, and by the store method that
 * reads the blob. A list with a damaged block can be neither read nor changed, also by another
 * thread, and stays unchanged. A table with a blob but without a checksum fails this suite.
 * Does not prove: what a client gets (contract/http/api/damaged-list.test.ts).
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ChangeThread } from "../../../src/lists/changethread.ts";
import { changeEntries } from "../../../src/lists/listchange.ts";
import { openLog } from "../../../src/process/log.ts";
import { BLOBS, BlobDamage } from "../../../src/store/checksums.ts";
import { closeDatabase, openDatabase, settleCopy } from "../../../src/store/database.ts";
import { findingsIn } from "../../../src/store/failures.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { checkedDirectly } from "../../../src/store/statecheck.ts";
import { UserStore } from "../../../src/store/userstore.ts";
import { WebhookStore } from "../../../src/store/webhookstore.ts";
import { columnsOf, fillState, tablesOf } from "../../support/formats/state-rows.ts";

let folder: string;
let database: SqliteDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-blobs-"));
  mkdirSync(join(folder, "state"), { mode: 0o700 });
  database = openDatabase(join(folder, "state"));
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** Flips one bit of a blob in the first row of a table, as a failing disk does. */
function flip(table: string, column: string, at = 3): void {
  const one = `(SELECT ${column} FROM ${table} ORDER BY 1 LIMIT 1)`;
  const blob = database.prepare<[], Buffer>(`SELECT ${one}`).pluck().get() as Buffer;
  const corrupted = Buffer.from(blob);
  const place = Math.min(at, corrupted.length - 1);
  corrupted[place] = (corrupted[place] as number) ^ 0x10;
  const { changes } = database
    .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`)
    .run(corrupted, blob);
  assert.ok(changes > 0);
}

const entriesOf = (from: number, count: number) =>
  new Uint8Array(BigUint64Array.from({ length: count }, (_, i) => BigInt(from + 2 * i)).buffer);

const ORDER = { tenantId: "ten", id: "lst_1", nowMs: 1, hurried: false, most: 1_000_000 } as const;

/** Returns the store with a list of three blocks, of which the first is damaged. */
function damagedList(): ListStore {
  database.exec("INSERT INTO tenants (id, name, created_at) VALUES ('ten', 't', 0)");
  const store = new ListStore(database);
  store.insert({ id: "lst_1", tenantId: "ten", name: "x", kind: "accounts", createdAt: 0 }, 9);
  const order = { ...ORDER, entries: entriesOf(8, 10_000), verb: "add" } as const;
  assert.deepEqual(changeEntries(store, order), { kind: "changed", entries: 10_000 });
  assert.deepEqual(findingsIn(database), [], "what a change writes is sound");
  flip("list_entries", "entries");
  return store;
}

describe("the blobs of the state", () => {
  it("are the columns with checksums, and no others", () => {
    const found = tablesOf(database).flatMap((table) => {
      const columns = database.pragma(`table_info(${table})`) as { name: string; type: string }[];
      const blobs = columns.filter(({ type }) => type === "BLOB").map(({ name }) => name);
      if (blobs.length === 0) return [];
      assert.ok(columnsOf(database, table).includes("checksum"), `${table} has no checksum`);
      return [{ table, blobs }];
    });
    const byName = (a: { table: string }, b: { table: string }) => (a.table < b.table ? -1 : 1);
    assert.deepEqual([...found].sort(byName), [...BLOBS].sort(byName));
  });

  for (const { table, blobs } of BLOBS) {
    for (const column of blobs) {
      it(`are rejected if a bit of ${table}.${column} is flipped`, () => {
        fillState(database);
        assert.deepEqual(findingsIn(database), []);
        flip(table, column);
        const words = `rows of ${table} that do not match their checksum: `;
        assert.ok(findingsIn(database)[0]?.startsWith(words), findingsIn(database)[0]);
        assert.throws(() => checkedDirectly(database), new RegExp(`is damaged.*${words}`, "s"));
        closeDatabase(database);
        const copy = join(folder, "copy.db");
        copyFileSync(join(folder, "state", "state.db"), copy);
        assert.throws(
          () => settleCopy(copy, "a copy"),
          new RegExp(`a copy is damaged.*${words}`, "s"),
        );
        database = openDatabase(join(folder, "state"));
      });
    }
  }

  it("have the checksums of the written bytes", () => {
    const [hash, salt] = [Buffer.alloc(32, 1), Buffer.alloc(16, 2)];
    const keys = new KeyStore(database);
    const tenantId = keys.tenantId("t", "ten", 0);
    const key = { id: "k", tenantId, name: "k", plan: "free", hash, createdAt: 0, expiresAt: null };
    keys.insert(key);
    const users = new UserStore(database);
    const password = { hash, salt, cost: "1" };
    users.insert({
      id: "u",
      tenantId,
      email: "u@example.com",
      role: "owner",
      password,
      createdAt: 0,
    });
    const times = { createdAt: 0, seenAt: 0, expiresAt: 9 };
    users.openSession({ hash, id: "s", userId: "u", ...times, kept: 0 }, password);
    users.setPassword("u", { hash: Buffer.alloc(32, 7), salt: Buffer.alloc(16, 8), cost: "2" });
    new ListStore(database).exported.stage([Uint8Array.of(1, 4)]);
    const webhooks = new WebhookStore(database);
    const url = "https://crm.example/hook";
    const webhook = { tenantId, url, searches: null, signature: "v1", seed: hash } as const;
    webhooks.insert({ id: "w", ...webhook, createdAt: 0 }, 1);
    assert.deepEqual(findingsIn(database), []);
    webhooks.rotate("w", { seed: Buffer.alloc(32, 9), oldSeed: hash, oldUntil: 9 }, 1);
    assert.deepEqual(webhooks.find("w")?.oldSeed, hash);
    assert.deepEqual(findingsIn(database), []);
    const written = BLOBS.filter(({ table }) => {
      return database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() !== 0;
    });
    assert.equal(written.length, BLOBS.length - 1, "all but the lists, which have a test below");
  });

  it("are checked when they are read", () => {
    fillState(database);
    const [keys, users] = [new KeyStore(database), new UserStore(database)];
    const key = database.prepare("SELECT id FROM keys ORDER BY hash LIMIT 1").pluck().get();
    flip("keys", "hash");
    assert.throws(() => keys.find(key as string), BlobDamage);
    const user = database.prepare("SELECT id FROM users ORDER BY password_salt LIMIT 1").pluck();
    const id = user.get() as string;
    assert.ok(users.password(id));
    flip("users", "password_salt");
    assert.throws(() => users.password(id), BlobDamage);
    flip("exported_entries", "entries");
    const { exported } = new ListStore(database);
    const ids = database.prepare<[], number>("SELECT id FROM exported_entries").pluck().all();
    assert.throws(() => ids.map((one) => exported.entriesOf(one)), BlobDamage);
  });
});

describe("a list with a damaged block", () => {
  it("cannot be read", () => {
    const store = damagedList();
    const { sequence, revision } = store.find("ten", "lst_1") ?? assert.fail();
    const pin = { list: sequence, revision };
    assert.throws(() => [...store.blocks(pin)], BlobDamage);
    assert.throws(() => store.blocksFrom(pin, 0n, 1), BlobDamage);
  });

  for (const verb of ["add", "remove"] as const) {
    it(`cannot be changed: ${verb}`, async () => {
      const store = damagedList();
      const before = store.find("ten", "lst_1");
      // The new entries come after those of the damaged block, so the damage is found only because
      // all blocks are read.
      const order = { ...ORDER, entries: entriesOf(20_001, 10), verb };
      const why = "a row of list_entries does not match its checksum";
      assert.deepEqual(changeEntries(store, order), { kind: "damaged", why });
      const thread = new ChangeThread(join(folder, "state"), openLog("silent"));
      assert.deepEqual(await thread.change(order), { kind: "damaged", why });
      await thread.close();
      assert.deepEqual(store.find("ten", "lst_1"), before);
    });
  }

  it("can be deleted", () => {
    const store = damagedList();
    assert.equal(store.remove("ten", "lst_1", 2), true);
    while (store.forget(3) > 0);
    assert.deepEqual(findingsIn(database), []);
  });
});
