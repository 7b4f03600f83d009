/**
 * Proves: a backup has state, secrets, and files of finished exports as of one moment, even while
 * another thread adds and removes exports as fast as it can. Modes, manifest, and messages about
 * lost files are right. The restored state is equal row by row and byte by byte. A state of an
 * earlier schema is copied unchanged. A backup does not overwrite files and is not made from a
 * damaged state.
 * Does not prove: rejections of changed backups (backup-restore), a real server under load
 * (backup-live), kills (backup-crash), power cuts.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { COMPRESSED, extensionOf } from "../../../src/export/formats/format.ts";
import { type Compression, EXPORT_FORMATS } from "../../../src/spec/fields.ts";
import {
  type BackupReport,
  makeBackup,
  removeHeldFiles,
} from "../../../src/store/backup/backup.ts";
import { bytesOf, checkBackup, restoreBackup } from "../../../src/store/backup/restore.ts";
import { openDatabase, SCHEMA_VERSION, tryLock } from "../../../src/store/database.ts";
import { readFixture } from "../../support/formats/fixtures.ts";
import { makeState } from "../../support/formats/make.ts";
import { beforeRestore, contentAt, filesIn, leftIn } from "../../support/server/backup-look.ts";

const NOW_MS = Date.parse("2026-11-21T12:00:00Z");

let folder: string;
let dataDir: string;
let target: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-backup-"));
  dataDir = join(folder, "state");
  target = join(folder, "backups", "one");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const again = () => join(folder, "again");
const state = () => join(dataDir, "state.db");

function backup(more: { exports?: boolean; target?: string } = {}): Promise<BackupReport> {
  const parts = { dataDir, target, exports: true, madeBy: "test", ...more };
  return makeBackup({ ...parts, nowMs: () => NOW_MS });
}

describe("a backup", () => {
  it("contains everything, is private, and is restored identically", async () => {
    const umask = process.umask(0);
    try {
      makeState(dataDir);
      const before = { content: contentAt(state()), files: filesIn(dataDir) };
      const { manifest, heldMs } = await backup();
      assert.ok(heldMs >= 0);
      const names = Object.keys(filesIn(target)).sort();
      const [file = ""] = names;
      assert.match(file, /^exports\/exp_[0-9a-f]{32}\.csv$/);
      assert.deepEqual(names, [file, "manifest.json", "secrets.json", "state.db"]);
      assert.deepEqual(manifest.files.map(({ path }) => path).sort(), [
        ...[file, "secrets.json", "state.db"],
      ]);
      const { made_at, made_by, state_version, missing } = manifest;
      assert.deepEqual(
        { made_at, made_by, state_version, missing },
        {
          ...{ made_at: "2026-11-21T12:00:00.000Z", made_by: "test" },
          ...{ state_version: SCHEMA_VERSION, missing: [] },
        },
      );
      const secret = JSON.parse(readFileSync(join(target, "secrets.json"), "utf8"));
      const text = readFileSync(join(target, "manifest.json"), "utf8");
      assert.ok(!text.includes(secret.link.current) && !text.includes(secret.cursor.current));
      await restoreBackup({ source: target, dataDir: again() });
      const restored = contentAt(join(again(), "state.db"));
      assert.deepEqual(beforeRestore(restored), before.content);
      assert.equal(filesIn(again())[file], before.files[file]);
      assert.equal(filesIn(again())["secrets.json"], before.files["secrets.json"]);
      for (const place of [target, again(), join(again(), "exports"), join(target, "exports")]) {
        assert.equal(statSync(place).mode & 0o777, 0o700, place);
      }
      for (const place of [target, again()]) {
        for (const name of Object.keys(filesIn(place))) {
          assert.equal(statSync(join(place, name)).mode & 0o777, 0o600, name);
        }
      }
      assert.deepEqual(contentAt(state()), before.content);
      assert.deepEqual([leftIn(folder), leftIn(join(folder, "backups"))], [[], []]);
      const held = readdirSync(dataDir).filter((name) => name.includes("links"));
      assert.deepEqual(held, []);
    } finally {
      process.umask(umask);
    }
  });

  it("reports lost or damaged files, and leaves the rest whole", async () => {
    makeState(dataDir);
    const [name = ""] = readdirSync(join(dataDir, "exports"));
    const path = join(dataDir, "exports", name);
    appendFileSync(path, "more");
    const id = name.replace(".csv", "");
    const damaged = (await backup()).manifest;
    assert.deepEqual(damaged.missing, [{ export_id: id, reason: "damaged" }]);
    unlinkSync(path);
    const lost = (await backup({ target: `${target}-lost` })).manifest;
    assert.deepEqual(lost.missing, [{ export_id: id, reason: "lost" }]);
    await checkBackup(target);
    await checkBackup(`${target}-lost`);
  });

  for (const compression of [null, ...(Object.keys(COMPRESSED) as Compression[])]) {
    for (const format of EXPORT_FORMATS) {
      const extension = extensionOf({ format, compression });
      it(`contains and restores a file that ends in .${extension}`, async () => {
        makeState(dataDir);
        const exports = join(dataDir, "exports");
        const [name = ""] = readdirSync(exports);
        const file = `${name.split(".")[0]}.${extension}`;
        renameSync(join(exports, name), join(exports, file));
        const { manifest } = await backup();
        assert.deepEqual(manifest.missing, []);
        await checkBackup(target);
        await restoreBackup({ source: target, dataDir: again() });
        assert.ok(readdirSync(join(again(), "exports")).includes(file));
      });
    }
  }

  for (const kind of ["unclaimed", "claimed"]) {
    it(`restores the ${kind} entries of a file that a notice made`, async () => {
      makeState(dataDir);
      const [name = ""] = readdirSync(join(dataDir, "exports"));
      const id = name.replace(".csv", "");
      mkdirSync(join(dataDir, "sent"), { recursive: true, mode: 0o700 });
      const place = join("sent", `${id}.${kind}`);
      writeFileSync(join(dataDir, place), `entries, ${kind}`, { mode: 0o600 });
      // Two files with the entries of an export: one that belongs to no export, and one that is
      // incomplete. A backup must leave out both.
      const other = `exp_${"0".repeat(32)}`;
      writeFileSync(join(dataDir, "sent", `${other}.unclaimed`), "", { mode: 0o600 });
      writeFileSync(join(dataDir, "sent", `${id}.unclaimed.tmp`), "", { mode: 0o600 });
      const { manifest } = await backup();
      assert.equal(manifest.version, 3);
      await restoreBackup({ source: target, dataDir: again() });
      assert.deepEqual(readdirSync(join(again(), "sent")), [`${id}.${kind}`]);
      assert.equal(readFileSync(join(again(), place), "utf8"), `entries, ${kind}`);
      const without = await backup({ target: `${target}-without`, exports: false });
      assert.ok(without.manifest.files.some(({ path }) => path === place));
      rmSync(join(dataDir, place));
      assert.equal((await backup({ target: `${target}-none` })).manifest.version, 1);
    });
  }

  it("can exclude the files of exports", async () => {
    makeState(dataDir);
    const { manifest } = await backup({ exports: false });
    assert.deepEqual([manifest.exports, manifest.missing], [false, []]);
    assert.deepEqual(Object.keys(filesIn(target)).sort(), [
      ...["manifest.json", "secrets.json", "state.db"],
    ]);
    await restoreBackup({ source: target, dataDir: again() });
    assert.deepEqual(beforeRestore(contentAt(join(again(), "state.db"))), contentAt(state()));
  });

  for (const version of [1, 2]) {
    it(`copies a state of schema ${version} unchanged`, async () => {
      mkdirSync(dataDir, { mode: 0o700 });
      writeFileSync(state(), readFixture("state", version), { mode: 0o600 });
      const { manifest } = await backup();
      assert.equal(manifest.state_version, version);
      assert.deepEqual(contentAt(join(target, "state.db")), contentAt(state()));
      await restoreBackup({ source: target, dataDir: again() });
      openDatabase(again()).close();
      const database = new Database(state());
      assert.equal(database.pragma("user_version", { simple: true }), version);
      database.close();
    });
  }

  it("writes to an empty folder only", async () => {
    makeState(dataDir);
    mkdirSync(target, { recursive: true });
    await backup();
    await assert.rejects(backup(), /backups\/one is not empty/);
    await assert.rejects(backup({ target: join(target, "state.db") }), /is not a folder/);
    const link = join(folder, "nowhere");
    symlinkSync(join(folder, "missing"), link);
    for (const below of ["x", join("a", "b")]) {
      await assert.rejects(
        backup({ target: join(link, below) }),
        /nowhere is a link that leads to/,
      );
    }
    await assert.rejects(backup({ target: join(dataDir, "in") }), /lies in the data directory/);
    await assert.rejects(backup({ target: join(target, "state.db", "in") }), /Cannot look at/);
    await assert.rejects(
      makeBackup({
        ...{ dataDir: again(), target: `${target}-2`, exports: true, madeBy: "test" },
        nowMs: () => 0,
      }),
      /There is no state \(state.db\)/,
    );
    assert.ok(!existsSync(again()) && !existsSync(`${target}-2`));
  });

  it("runs one at a time, and clears the leftovers of a killed one", async () => {
    makeState(dataDir);
    const held = join(dataDir, "backup-links");
    mkdirSync(held, { mode: 0o700 });
    writeFileSync(join(held, "exp_left.csv"), "");
    const unlock = tryLock(dataDir, "backup.lock");
    removeHeldFiles(dataDir);
    await assert.rejects(backup(), /Another backup/);
    assert.ok(existsSync(held), "the running one keeps what it holds");
    unlock?.();
    removeHeldFiles(dataDir);
    assert.ok(!existsSync(held));
    await backup();
  });

  it("fails for a damaged state and leaves nothing", async () => {
    makeState(dataDir);
    const database = new Database(state());
    database.pragma("foreign_keys = OFF");
    database.exec("UPDATE keys SET tenant_id = 'nobody' WHERE id = '0000000000a3'");
    database.close();
    await assert.rejects(
      backup(),
      /state.db is damaged\.\n- a row of keys names one[\s\S]*peneira restore/,
    );
    const bytes = readFileSync(state());
    bytes.fill(0x5a, 8_192, 12_288);
    writeFileSync(state(), bytes);
    await assert.rejects(backup(), /state.db (is damaged|cannot be opened)/);
    assert.ok(!existsSync(target));
    assert.deepEqual(leftIn(join(folder, "backups")), []);
  });

  it("reports how to restore a state with damage anywhere, or is unaffected by it", async () => {
    makeState(dataDir);
    const good = readFileSync(state());
    let reported = 0;
    for (let at = 4_096; at < good.byteLength; at += 4_096) {
      const bytes = Buffer.from(good);
      bytes.fill(0x5a, at, at + 4_096);
      writeFileSync(state(), bytes);
      try {
        await backup({ target: join(folder, `page-${at}`) });
      } catch (error) {
        assert.match(String(error), /state\.db is damaged.*peneira restore/s, `byte ${at}`);
        reported++;
      }
    }
    assert.ok(reported > 5, `${reported} pages`);
  });

  it("reports complete progress, and so does its restore", async () => {
    makeState(dataDir);
    const reported: (readonly [done: number, total: number])[] = [];
    const onBytes = (done: number, total: number) => reported.push([done, total]);
    const parts = { dataDir, target, exports: true, madeBy: "test", nowMs: () => NOW_MS };
    const { manifest } = await makeBackup({ ...parts, onBytes });
    const bytes = bytesOf(manifest);
    assert.deepEqual(reported.at(-1), [bytes, bytes]);
    reported.length = 0;
    await restoreBackup({ source: target, dataDir: again(), onBytes });
    assert.deepEqual(reported.at(-1), [bytes, bytes]);
  });
});

/**
 * A thread that creates and removes exports in the same order as the server does. To create, it
 * writes the file, then the row. To remove, it deletes the row, then the file.
 */
const CHURN = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { createHash } = require("node:crypto");
  const fs = require("node:fs");
  const Database = require(workerData.sqlite);
  const database = new Database(workerData.dataDir + "/state.db", { timeout: 5000 });
  database.pragma("synchronous = OFF");
  const insert = database.prepare(
    "INSERT INTO exports (id, tenant_id, plan, spec, format, slug, snapshot, snapshot_date, " +
    "snapshot_id, snapshot_path, state, row_count, size_bytes, sha256, created_at, expires_at) " +
    "VALUES (?, 'ten_1', 'free', '{}', 'csv', 's', 'l', 'd', 'i', 'p', 'done', 1, ?, ?, 1, 9e15)");
  const remove = database.prepare("DELETE FROM exports WHERE id = ?");
  const expire = database.prepare("UPDATE exports SET expired_at = 2 WHERE id = ?");
  const live = [];
  const path = (id) => workerData.dataDir + "/exports/" + id + ".csv";
  let made = 0;
  const step = () => {
    for (let i = 0; i < 20; i++) {
      const bytes = "churn " + made;
      const hash = createHash("sha256").update(bytes).digest("hex");
      const id = "exp_" + hash.slice(0, 32);
      made++;
      fs.writeFileSync(path(id), bytes, { mode: 0o600 });
      insert.run(id, bytes.length, hash);
      live.push(id);
      if (live.length > 40) {
        const old = live.splice(Math.floor(Math.random() * live.length), 1)[0];
        (made % 2 ? remove : expire).run(old);
        fs.unlinkSync(path(old));
      }
    }
    if (Atomics.load(workerData.stop, 0) === 0) setImmediate(step);
    else { database.close(); parentPort.postMessage(made); }
  };
  parentPort.postMessage(0);
  step();
`;

describe("a backup in progress", () => {
  it("contains the files of its moment, despite concurrent creations and removals", async () => {
    makeState(dataDir);
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const sqlite = new URL("../../../node_modules/better-sqlite3/lib/index.js", import.meta.url)
      .pathname;
    const worker = new Worker(CHURN, { eval: true, workerData: { dataDir, stop, sqlite } });
    const next = () => new Promise<number>((resolve) => worker.once("message", resolve));
    await next();
    const moments = new Set<string>();
    for (let round = 0; round < 10; round++) {
      const place = join(folder, `round-${round}`);
      const { manifest } = await backup({ target: place });
      assert.deepEqual(manifest.missing, [], `round ${round}`);
      const rows = (contentAt(join(place, "state.db")).exports ?? []).filter(
        (row) => row.state === "done" && row.expired_at === null,
      );
      const files = readdirSync(join(place, "exports")).sort();
      assert.deepEqual(files, rows.map(({ id }) => `${id}.csv`).sort());
      for (const { id, sha256 } of rows) {
        const bytes = readFileSync(join(place, "exports", `${id}.csv`));
        assert.equal(createHash("sha256").update(bytes).digest("hex"), sha256);
      }
      moments.add(files.join());
    }
    const ended = next();
    Atomics.store(stop, 0, 1);
    const made = await ended;
    await worker.terminate();
    assert.ok(moments.size > 7 && made > 100, `${moments.size} moments, ${made} exports`);
  });
});
