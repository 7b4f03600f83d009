/**
 * Proves: a state of every earlier schema, written by the program of that time, is upgraded to the
 * current schema with all its rows, and an unchanged copy is kept. A newer state is rejected with a
 * message and stays unchanged. An upgrade that fails changes nothing. Several processes may upgrade
 * concurrently. The snapshot and the backup of every format version open and return their recorded
 * answers. Newer snapshots and snapshots with other columns are rejected with a message. A version
 * without a committed file fails this suite. Tests never recreate committed files.
 * Does not prove: that a commit survives a power cut (SQLite is trusted).
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { columnsFingerprint } from "../../../native-index/format/columns.ts";
import { openSnapshot } from "../../../native-index/format/snapshot/snapshot.ts";
import { verifySnapshot } from "../../../native-index/format/snapshot/verify.ts";
import { ADMITTED, FORMAT_VERSION } from "../../../native-index/format/snapshot/versions.ts";
import { crc32c } from "../../../native-index/napi/engine.ts";
import { openSegment } from "../../../src/search/segment.ts";
import {
  BACKUP_VERSION,
  manifestText,
  parseManifest,
  WITH_ENTRIES,
} from "../../../src/store/backup/backup.ts";
import { checkBackup, restoreBackup } from "../../../src/store/backup/restore.ts";
import { openDatabase, SCHEMA_VERSION } from "../../../src/store/database.ts";
import { ExportStore } from "../../../src/store/exportstore.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { SearchStore } from "../../../src/store/searchstore.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { previousFile } from "../../../src/store/upgrade.ts";
import { UserStore } from "../../../src/store/userstore.ts";
import { answersOf } from "../../support/formats/answers.ts";
import {
  FIXTURES,
  type FixtureKind,
  fixturePath,
  readFixture,
  storeFixture,
} from "../../support/formats/fixtures.ts";
import { unpackBackup } from "../../support/formats/make.ts";
import { columnsOf, contentOf, tablesOf } from "../../support/formats/state-rows.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { beforeUpgrade } from "../../support/server/backup-look.ts";

type Content = ReturnType<typeof contentOf>;

let folder: string;
let directory: string;

beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), "peneira-upgrade-"));
  directory = join(folder, "state");
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const state = () => join(directory, "state.db");
const versionsUpTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
const OLDER = versionsUpTo(SCHEMA_VERSION - 1);

/** Copies a committed state into a data directory. `change` may alter it first. */
function layState(version: number, change: (database: Database.Database) => void = () => {}): void {
  fs.mkdirSync(directory, { mode: 0o700 });
  fs.writeFileSync(state(), readFixture("state", version), { mode: 0o600 });
  const database = new Database(state());
  change(database);
  database.close();
}

/** Reads the content and schema of a database file directly with SQLite. */
function look(path: string): { content: Content; version: number; schema: string[] } {
  const database = new Database(path);
  try {
    const version = Number(database.pragma("user_version", { simple: true }));
    const schema = database
      .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name")
      .pluck()
      .all() as string[];
    assert.equal(database.pragma("integrity_check", { simple: true }), "ok");
    assert.deepEqual(database.pragma("foreign_key_check"), []);
    return { content: contentOf(database as unknown as SqliteDatabase), version, schema };
  } finally {
    database.close();
  }
}

/**
 * Returns the bytes of a database's files. The file of shared memory is left out, because SQLite
 * rebuilds it at every use.
 */
function bytesOf(): Record<string, string> {
  const names = fs.readdirSync(directory).filter((name) => !name.endsWith("-shm"));
  return Object.fromEntries(
    names.map((name) => [name, fs.readFileSync(join(directory, name)).toString("base64")]),
  );
}

function narrowed(rows: Content[string] = [], wanted: readonly string[]): Content[string] {
  return rows.map((row) => Object.fromEntries(wanted.map((name) => [name, row[name]])));
}

describe("the committed states", () => {
  const present: readonly (readonly [FixtureKind, number])[] = [
    ["state", SCHEMA_VERSION],
    ["snapshot", FORMAT_VERSION],
    ["answers", FORMAT_VERSION],
    // Later versions of backups have no committed file.
    ["backup", WITH_ENTRIES],
  ];

  it("exist for every version up to the current one, and for none beyond", () => {
    const expected = present.flatMap(([kind, last]) =>
      versionsUpTo(last).map((version) => `${kind}-v${version}`),
    );
    for (const [kind, last] of present)
      for (const one of versionsUpTo(last)) readFixture(kind, one);
    const retained = fs.readdirSync(FIXTURES).filter((name) => name.endsWith(".br"));
    assert.deepEqual(retained.map((name) => name.split(".")[0]).sort(), expected.sort());
    for (const name of retained) {
      const { size } = fs.statSync(join(FIXTURES, name));
      assert.ok(size < (name.startsWith("snapshot") ? 220_000 : 50_000), `${name}: ${size} bytes`);
    }
  });

  it("fill every table and every column of the current schema", () => {
    layState(SCHEMA_VERSION);
    const database = openDatabase(directory);
    openDatabase(join(folder, "fresh")).close();
    assert.deepEqual(
      look(state()).schema,
      look(join(folder, "fresh", "state.db")).schema,
      "a released step was changed",
    );
    const content = contentOf(database as unknown as SqliteDatabase);
    const empty = tablesOf(database).flatMap((table) =>
      columnsOf(database, table)
        .filter((column) => content[table]?.every((row) => row[column] === null))
        .map((column) => `${table}.${column}`),
    );
    database.close();
    assert.deepEqual(
      empty,
      [],
      "test/support/formats/state-rows.ts needs values for these columns",
    );
  });

  it("are never rewritten", () => {
    const path = fixturePath("state", 1);
    assert.throws(() => storeFixture(path, Buffer.from("another")), { code: "EEXIST" });
  });
});

describe("a state of an earlier schema", () => {
  for (const version of OLDER) {
    it(`(${version}) keeps all its rows in the current one, with a copy of the original`, () => {
      layState(version);
      const before = look(state());
      assert.equal(before.version, version);
      openDatabase(directory).close();
      const after = look(state());
      assert.equal(after.version, SCHEMA_VERSION);
      openDatabase(join(folder, "fresh")).close();
      assert.deepEqual(after.schema, look(join(folder, "fresh", "state.db")).schema);
      const content = beforeUpgrade(after.content, version);
      for (const [table, rows] of Object.entries(before.content)) {
        assert.ok(rows.length > 0, table);
        assert.deepEqual(narrowed(content[table], Object.keys(rows[0] as object)), rows);
      }
      const retained = join(directory, previousFile(version));
      assert.deepEqual(look(retained), before);
      assert.equal(fs.statSync(retained).mode & 0o777, 0o600);
      const { mtimeMs } = fs.statSync(retained);
      openDatabase(directory).close();
      assert.equal(fs.statSync(retained).mtimeMs, mtimeMs, "nothing is left to upgrade");
      assert.deepEqual(fs.readdirSync(directory).sort(), ["state.db", previousFile(version)]);
    });
  }

  it("serves requests in the current program", () => {
    layState(2);
    const database = openDatabase(directory);
    const store = new ExportStore(database);
    const [id] = store.inState("done").map((row) => row.id);
    assert.equal(store.remembered("ten_1", "order 1")?.exportId, id);
    const queued = store.inState("queued")[0]?.id as string;
    const token = store.claim(queued, "mem_1");
    assert.equal(token, 1);
    const file = { rowCount: 9, sizeBytes: 1, sha256: "0", endedAt: 2, expiresAt: 3 };
    assert.ok(
      store.finish({ id: queued, token, ...file }),
      "an export without a charge ends as any",
    );
    assert.equal(new KeyStore(database).list().length, 3);
    const users = new UserStore(database);
    assert.deepEqual(users.planFacts("ten_2")?.plan, null);
    assert.deepEqual([users.list(), new SearchStore(database).list("ten_1", 9)], [[], []]);
    database.close();
  });

  it("is upgraded once by several processes that start together", async () => {
    layState(1);
    const module = join(ROOT, "src/store/database.ts");
    const script = `import { openDatabase } from ${JSON.stringify(module)};
      const database = openDatabase(process.argv[1]);
      console.log(database.pragma("user_version", { simple: true }));`;
    const flags = ["--import", "tsx", "--input-type=module", "-e", script, directory];
    const runs = [1, 2, 3].map(() => promisify(execFile)(process.execPath, flags, { cwd: ROOT }));
    const results = await Promise.all(runs);
    for (const { stdout } of results) assert.equal(stdout, `${SCHEMA_VERSION}\n`);
    assert.equal(results.filter(({ stderr }) => stderr.includes("was brought from")).length, 1);
    assert.equal(look(join(directory, previousFile(1))).version, 1);
  });
});

describe("a failing upgrade", () => {
  it("changes nothing if it fails halfway, and succeeds without the obstacle", () => {
    layState(1, (database) => database.exec("CREATE TABLE usage (obstacle TEXT)"));
    const before = look(state());
    assert.throws(() => openDatabase(directory), /usage already exists.*left as it is/);
    assert.deepEqual(look(state()), before);
    const database = new Database(state());
    database.exec("DROP TABLE usage");
    database.close();
    openDatabase(directory).close();
    assert.equal(look(state()).version, SCHEMA_VERSION);
  });

  it("does not begin if no copy can be stored", () => {
    layState(1);
    const before = look(state());
    fs.mkdirSync(join(directory, previousFile(1), "in the way"), { recursive: true, mode: 0o700 });
    assert.throws(() => openDatabase(directory), /no copy of it can be kept.*left as it is/);
    assert.deepEqual(look(state()), before);
    const left = fs.readdirSync(directory).filter((name) => name.endsWith(".tmp"));
    assert.deepEqual(left, []);
  });
});

describe("a state of a newer schema", () => {
  const NEWER = SCHEMA_VERSION + 1;

  for (const journal of ["DELETE", "WAL"]) {
    it(`is rejected with journal ${journal}, without changing a byte`, () => {
      layState(SCHEMA_VERSION, (database) => {
        database.pragma(`journal_mode = ${journal}`);
        database.pragma(`user_version = ${NEWER}`);
      });
      const before = bytesOf();
      const words = new RegExp(`newer version of Peneira \\(schema ${NEWER}.*another data dir`);
      assert.throws(() => openDatabase(directory), words);
      const { "state.db-wal": log = "", ...after } = bytesOf();
      assert.deepEqual(after, before);
      assert.equal(log, "");
    });
  }

  it("keeps its log if its program was killed", () => {
    layState(SCHEMA_VERSION);
    const newer = new Database(state());
    newer.pragma("journal_mode = WAL");
    newer.pragma(`user_version = ${NEWER}`);
    newer.exec("UPDATE tenants SET name = name || '!'");
    // A killed upgrade leaves such files: the main file still has this schema, and its write-ahead
    // log has a newer one.
    const left = bytesOf();
    newer.close();
    fs.rmSync(directory, { recursive: true });
    fs.mkdirSync(directory, { mode: 0o700 });
    for (const [name, text] of Object.entries(left)) {
      fs.writeFileSync(join(directory, name), Buffer.from(text, "base64"), { mode: 0o600 });
    }
    assert.ok((left["state.db-wal"] ?? "").length > 0);
    assert.throws(() => openDatabase(directory), /newer version/);
    assert.deepEqual(bytesOf(), left);
  });

  it("names the copy from before its upgrade, which can be restored", () => {
    const [old] = [OLDER.at(-1) as number];
    layState(old);
    const before = look(state());
    openDatabase(directory).close();
    // The copy is renamed as if it had been made by an upgrade from the current schema to the next.
    fs.renameSync(
      join(directory, previousFile(old)),
      join(directory, previousFile(SCHEMA_VERSION)),
    );
    const database = new Database(state());
    database.pragma(`user_version = ${NEWER}`);
    database.close();
    const words = new RegExp(`rename state\\.v${SCHEMA_VERSION}\\.backup to state\\.db; what happ`);
    assert.throws(() => openDatabase(directory), words);
    for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(`${state()}${suffix}`, { force: true });
    fs.renameSync(join(directory, previousFile(SCHEMA_VERSION)), state());
    assert.deepEqual(look(state()), before);
    openDatabase(directory).close();
  });
});

describe("a committed snapshot", () => {
  const place = () => join(folder, "kept.peneira");

  /**
   * Writes the committed snapshot with `change` applied to its index directory, and `json` applied
   * to the directory's entry in the footer.
   */
  async function altered(change: (directory: Buffer) => void, json = (text: string) => text) {
    const bytes = readFixture("snapshot", FORMAT_VERSION);
    fs.writeFileSync(place(), bytes);
    const { offset, length, crc32c: crc } = (await openSnapshot(place())).directory;
    change(bytes.subarray(offset, offset + length));
    // The entry continues with the digests, so its last brace is cut off.
    const text = (sum: number) => {
      const location = { version: FORMAT_VERSION, offset: `${offset}`, length: `${length}` };
      return JSON.stringify({ ...location, crc32c: sum }).slice(0, -1);
    };
    const at = bytes.lastIndexOf(text(crc));
    const next = json(text(crc32c(bytes.subarray(offset, offset + length))));
    assert.ok(at > 0 && next.length === text(crc).length, "the change keeps the length");
    bytes.write(next, at);
    fs.writeFileSync(place(), bytes);
  }

  for (const version of [...ADMITTED.keys()]) {
    it(`of format ${version} is complete and returns its recorded answers`, async () => {
      fs.writeFileSync(place(), readFixture("snapshot", version));
      const { damaged, footerAgrees } = await verifySnapshot(await openSnapshot(place()), () => {});
      assert.deepEqual([damaged, footerAgrees], [[], true]);
      const segment = await openSegment(place());
      try {
        const wanted = JSON.parse(readFixture("answers", version).toString());
        assert.ok(wanted.searches.length > 30 && wanted.all.length === 200);
        assert.deepEqual(JSON.parse(JSON.stringify(answersOf(segment))), wanted);
      } finally {
        segment.close();
      }
    });
  }

  it("has the columns of its version: other columns are another version", () => {
    assert.equal(
      ADMITTED.get(FORMAT_VERSION),
      columnsFingerprint(),
      "the columns were changed: raise FORMAT_VERSION (versions.ts, format.h) and add a row",
    );
    assert.deepEqual([...ADMITTED.keys()].at(-1), FORMAT_VERSION);
    // The three versions are the only ones that can be opened. None is in a release yet, so a
    // version may be dropped.
    assert.ok(ADMITTED.size <= 3, "three versions are opened, and no more");
  });

  it("is rejected with a message if newer, and with another message if older", async () => {
    const next = FORMAT_VERSION + 1;
    const replace = (to: number) => (text: string) =>
      text.replace(`"version":${FORMAT_VERSION}`, `"version":${to}`);
    await altered(() => {}, replace(next));
    const newer = new RegExp(`index format ${next}, which is of a newer version.*use that version`);
    await assert.rejects(openSnapshot(place()), newer);
    await altered(() => {}, replace(0));
    await assert.rejects(openSnapshot(place()), /index format 0.*import the dump again/);
  });

  it("is rejected with a message if its columns differ", async () => {
    const crc = async (value: number) => {
      await altered((bytes) => bytes.writeUInt32LE(value, 24));
    };
    let value = 1;
    // The change must keep the length of the footer, so the new checksum needs as many digits as
    // the old one.
    while (
      !(await crc(value).then(
        () => true,
        () => false,
      ))
    )
      value++;
    await assert.rejects(openSnapshot(place()), /columns of another version.*import the dump/);
  });
});

describe("a committed backup", () => {
  const backup = () => join(folder, "backup");

  for (const version of versionsUpTo(WITH_ENTRIES)) {
    it(`of format ${version} is restored, and its state upgraded`, async () => {
      unpackBackup(readFixture("backup", version), backup());
      const manifest = await restoreBackup({ source: backup(), dataDir: directory });
      assert.equal(look(state()).version, manifest.state_version);
      const before = look(state()).content;
      const database = openDatabase(directory);
      assert.equal(database.pragma("user_version", { simple: true }), SCHEMA_VERSION);
      assert.equal(
        contentOf(database as unknown as SqliteDatabase).keys?.length,
        before.keys?.length,
      );
      const [row] = new ExportStore(database).inState("done");
      database.close();
      const file = fs.readFileSync(join(directory, "exports", `${row?.id}.csv`));
      assert.equal(file.length, row?.sizeBytes);
      assert.ok(fs.existsSync(join(directory, "secrets.json")));
    });
  }

  it("is rejected with a message if newer, or if its state is newer", async () => {
    unpackBackup(readFixture("backup", WITH_ENTRIES), backup());
    const path = join(backup(), "manifest.json");
    const manifest = parseManifest(fs.readFileSync(path, "utf8"), path);
    const state_version = SCHEMA_VERSION + 1;
    fs.writeFileSync(path, manifestText({ ...manifest, state_version }));
    await assert.rejects(checkBackup(backup()), /newer version.*state schema.*Restore it with/);
    fs.writeFileSync(path, manifestText({ ...manifest, version: BACKUP_VERSION + 1 }));
    await assert.rejects(
      restoreBackup({ source: backup(), dataDir: directory }),
      /newer version of Peneira \(backup format/,
    );
    assert.ok(!fs.existsSync(directory));
  });
});
