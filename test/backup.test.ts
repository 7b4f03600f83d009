/**
 * Proves: a backup holds state, secrets and the files of done exports of one moment, also while
 * another thread adds and removes exports as fast as it can; modes, manifest, and what is said of
 * files that are lost; what is restored is equal row by row and byte by byte; every flipped, cut,
 * missing, added or replaced file of a backup is found and named, all at once; nothing is written
 * where a server works or something lies; a state of an earlier schema is copied as it is.
 * Does not prove: a real server under load (backup-live), kills (backup-crash), power cuts.
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
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { type BackupReport, makeBackup, removeHeldFiles } from "../src/store/backup.ts";
import { lockDataDir, openDatabase, SCHEMA_VERSION, tryLock } from "../src/store/database.ts";
import { type Manifest, manifestText, parseManifest } from "../src/store/manifest.ts";
import { checkBackup, restoreBackup } from "../src/store/restore.ts";
import { readFixture } from "./formats/fixtures.ts";
import { makeState } from "./formats/make.ts";
import { contentOf } from "./formats/state-rows.ts";

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

/** Every file below a folder with its bytes. */
function filesIn(path: string): Record<string, string> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(path.length + 1), readFileSync(file).toString("base64")]),
  );
}

function contentAt(path: string): ReturnType<typeof contentOf> {
  const database = new Database(path);
  try {
    return contentOf(database);
  } finally {
    database.close();
  }
}

/** What lies beside backups and data directories when nothing is left behind. */
const leftIn = (path: string) => readdirSync(path).filter((name) => name.startsWith("."));

describe("a backup", () => {
  it("holds everything, for nobody else, and is restored to the same", async () => {
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
      assert.deepEqual(contentAt(join(again(), "state.db")), before.content);
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

  it("says which files are lost or damaged, and leaves the rest whole", async () => {
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

  it("may leave the files of exports out", async () => {
    makeState(dataDir);
    const { manifest } = await backup({ exports: false });
    assert.deepEqual([manifest.exports, manifest.missing], [false, []]);
    assert.deepEqual(Object.keys(filesIn(target)).sort(), [
      ...["manifest.json", "secrets.json", "state.db"],
    ]);
    await restoreBackup({ source: target, dataDir: again() });
    assert.deepEqual(contentAt(join(again(), "state.db")), contentAt(state()));
  });

  for (const version of [1, 2]) {
    it(`of a state of schema ${version} copies it as it is`, async () => {
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

  it("goes into an empty folder, and nowhere else", async () => {
    makeState(dataDir);
    mkdirSync(target, { recursive: true });
    await backup();
    await assert.rejects(backup(), /backups\/one is not empty/);
    await assert.rejects(backup({ target: join(target, "state.db") }), /is not a folder/);
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

  it("is one at a time, and clears what a killed one held", async () => {
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

  it("of a damaged state is refused and leaves nothing", async () => {
    makeState(dataDir);
    const database = new Database(state());
    database.pragma("foreign_keys = OFF");
    database.exec("UPDATE keys SET tenant_id = 'nobody' WHERE id = '0000000000a3'");
    database.close();
    await assert.rejects(backup(), /state.db is damaged:\n- a row of keys names one/);
    const bytes = readFileSync(state());
    bytes.fill(0x5a, 8_192, 12_288);
    writeFileSync(state(), bytes);
    await assert.rejects(backup(), /state.db (is damaged|cannot be opened)/);
    assert.ok(!existsSync(target));
    assert.deepEqual(leftIn(join(folder, "backups")), []);
  });
});

/** A thread that makes and removes exports, each as the server does: file, then row; row, file. */
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

describe("a backup under way", () => {
  it("holds the files of its moment, whatever is made and removed meanwhile", async () => {
    makeState(dataDir);
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const sqlite = new URL("../node_modules/better-sqlite3/lib/index.js", import.meta.url).pathname;
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

describe("a backup that was changed", () => {
  const refused = async (words: RegExp | readonly RegExp[]) => {
    const wanted = Array.isArray(words) ? words : [words];
    const error = await checkBackup(target).then(
      () => assert.fail("it was taken for whole"),
      (reason: Error) => reason,
    );
    for (const one of wanted) assert.match(error.message, one);
    await assert.rejects(restoreBackup({ source: target, dataDir: again() }));
    assert.ok(!existsSync(again()));
    assert.deepEqual(leftIn(folder), []);
  };

  beforeEach(async () => {
    makeState(dataDir);
    await backup();
  });

  it("in one bit of any file is refused by its name", async () => {
    const { files } = await checkBackup(target);
    for (const { path, bytes } of files) {
      for (const at of [0, bytes >> 1, bytes - 1]) {
        const place = join(target, path);
        const whole = readFileSync(place);
        const flipped = Buffer.from(whole);
        flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
        writeFileSync(place, flipped);
        await assert.rejects(checkBackup(target), new RegExp(`- ${path} has another content`));
        writeFileSync(place, whole);
      }
    }
    await checkBackup(target);
  });

  it("in any byte of its manifest is refused", async () => {
    const path = join(target, "manifest.json");
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at++) {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] as number) ^ 1;
      assert.throws(() => parseManifest(flipped.toString("latin1"), path), /manifest.json/);
    }
    for (const length of [0, 1, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, length));
      await refused(/manifest.json is damaged/);
    }
    unlinkSync(path);
    await refused(/is not a backup/);
  });

  it("in many ways is told all of them at once", async () => {
    const [file = ""] = readdirSync(join(target, "exports"));
    truncateSync(join(target, "exports", file), 3);
    unlinkSync(join(target, "secrets.json"));
    writeFileSync(join(target, "state.db-wal"), "");
    writeFileSync(join(target, "exports", "exp_more.csv"), "");
    mkdirSync(join(target, "exports", "folder"));
    symlinkSync("/etc/hostname", join(target, "link"));
    await refused([
      /exports\/exp_[0-9a-f]{32}\.csv has 3 bytes and should have \d+/,
      /secrets.json is missing/,
      /state.db-wal does not belong to it/,
      /exports\/exp_more.csv does not belong to it/,
      /exports\/folder is not a plain file/,
      /link is not a plain file/,
    ]);
  });

  it("so that its manifest agrees may still not lead out of it", async () => {
    const path = join(target, "manifest.json");
    const manifest = parseManifest(readFileSync(path, "utf8"), path);
    const state = manifest.files[0] as Manifest["files"][number];
    for (const wrong of ["../state.db", "/etc/passwd", "exports/../state.db", "exports/a.csv"]) {
      const files = [...manifest.files, { ...state, path: wrong }];
      writeFileSync(path, manifestText({ ...manifest, files }));
      await refused(/which no backup holds/);
    }
    writeFileSync(path, manifestText({ ...manifest, files: manifest.files.slice(1) }));
    await refused([/state.db does not belong to it/, /state.db is not in its manifest/]);
    writeFileSync(path, manifestText({ ...manifest, state_version: SCHEMA_VERSION - 1 }));
    await checkBackup(target);
    await assert.rejects(
      restoreBackup({ source: target, dataDir: again() }),
      /has schema \d+ and its manifest says/,
    );
    assert.ok(!existsSync(again()));
  });
});

describe("a restore", () => {
  beforeEach(async () => {
    makeState(dataDir);
    await backup();
  });

  it("goes where nothing is", async () => {
    const restore = (place: string) => restoreBackup({ source: target, dataDir: place });
    const unlock = lockDataDir(dataDir);
    await assert.rejects(restore(dataDir), /A server works on .*state/);
    unlock();
    const before = filesIn(dataDir);
    await assert.rejects(restore(dataDir), /state is not empty/);
    assert.deepEqual(filesIn(dataDir), before);
    await assert.rejects(restore(state()), /is not a folder|not a directory|Cannot look/);
    mkdirSync(again());
    await restore(again());
    await restore(join(folder, "new", "deep"));
    assert.deepEqual(contentAt(join(folder, "new", "deep", "state.db")), contentAt(state()));
    await assert.rejects(
      restoreBackup({ source: join(folder, "none"), dataDir: join(folder, "x") }),
      /There is no backup/,
    );
    await assert.rejects(
      restoreBackup({ source: dataDir, dataDir: join(folder, "x") }),
      /is not a backup: there is no manifest.json/,
    );
    assert.deepEqual(leftIn(folder), []);
  });

  it("that is interrupted leaves nothing, and neither does a backup", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    controller.abort(new Error("enough"));
    await assert.rejects(restoreBackup({ source: target, dataDir: again(), signal }), /enough/);
    const parts = { dataDir, target: again(), exports: true, madeBy: "test", signal };
    await assert.rejects(makeBackup({ ...parts, nowMs: () => 0 }), /enough/);
    assert.ok(!existsSync(again()));
    assert.deepEqual(leftIn(folder), []);
  });
});
