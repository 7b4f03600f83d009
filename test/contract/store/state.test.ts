/**
 * Proves: all entries of a data directory have the right modes. A directory with looser modes
 * (every bit), links, or other kinds of files is rejected. The database has the right schema.
 * Newer, foreign, and damaged databases are rejected, and a damaged one with a message at every
 * access (upgrades: contract/store/upgrade.test.ts). Any number of processes that start together
 * share one set of secrets.
 * Does not prove: that a commit survives a power cut (SQLite's synchronous=FULL is trusted, and
 * checked to be on).
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { withKeyring } from "../../../src/cli/support/state.ts";
import { CommandError } from "../../../src/errors.ts";
import {
  closeDatabase,
  DATABASE_FILE,
  openDatabase,
  openUnmigrated,
  SCHEMA_VERSION,
} from "../../../src/store/database.ts";
import { openSecrets, SECRETS_FILE } from "../../../src/store/secrets.ts";
import { checkedDirectly, checkInThread } from "../../../src/store/statecheck.ts";
import { fillState } from "../../support/formats/state-rows.ts";

const run = promisify(execFile);
let parent: string;
let directory: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "peneira-store-"));
  directory = join(parent, "deep", "state");
});

afterEach(() => rmSync(parent, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;
const state = () => join(directory, DATABASE_FILE);

describe("a data directory", () => {
  it("is created with owner-only files under any umask", () => {
    const umask = process.umask(0);
    try {
      const database = openDatabase(directory);
      openSecrets(directory);
      assert.equal(modeOf(directory), 0o700);
      const names = readdirSync(directory).sort();
      assert.deepEqual(names, [SECRETS_FILE, DATABASE_FILE, "state.db-shm", "state.db-wal"]);
      for (const name of names) assert.equal(modeOf(join(directory, name)), 0o600, name);
      database.close();
    } finally {
      process.umask(umask);
    }
  });

  it("is rejected with any permission for others, with the fixing command", () => {
    openDatabase(directory).close();
    for (let bit = 0o001; bit <= 0o040; bit <<= 1) {
      chmodSync(directory, 0o700 | bit);
      assert.throws(() => openDatabase(directory), /chmod 0700 /);
      assert.throws(() => openSecrets(directory), /chmod 0700 /);
    }
    chmodSync(directory, 0o700);
    openDatabase(directory).close();
  });

  it("is tightened if empty and owned by this user, and rejected once it has content", () => {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
    openDatabase(directory).close();
    assert.equal(modeOf(directory), 0o700);
    const used = join(parent, "used");
    mkdirSync(used);
    chmodSync(used, 0o755);
    writeFileSync(join(used, "somebody's"), "");
    assert.throws(() => openDatabase(used), /has mode 0755, .*chmod 0700 /);
    assert.deepEqual([modeOf(used), readdirSync(used)], [0o755, ["somebody's"]]);
  });

  it("is rejected if empty and owned by another user", (test) => {
    if (process.getuid?.() !== 0) return test.skip("skipped: only root can give folders away");
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
    chownSync(directory, 65_534, 65_534);
    assert.throws(() => openDatabase(directory), /has mode 0755, .*chmod 0700 /);
    assert.equal(modeOf(directory), 0o755);
  });

  it("is rejected if one of its files has any permission for others", () => {
    openDatabase(directory).close();
    openSecrets(directory);
    writeFileSync(`${state()}-wal`, "", { mode: 0o600 });
    for (const name of [DATABASE_FILE, "state.db-wal", SECRETS_FILE]) {
      for (let bit = 0o001; bit <= 0o040; bit <<= 1) {
        chmodSync(join(directory, name), 0o600 | bit);
        const open = name === SECRETS_FILE ? openSecrets : openDatabase;
        assert.throws(() => open(directory), /chmod 0600 /, name);
      }
      chmodSync(join(directory, name), 0o600);
    }
    openDatabase(directory).close();
  });

  it("is rejected if it or one of its files has the wrong type", () => {
    writeFileSync(join(parent, "file"), "");
    assert.throws(() => openDatabase(join(parent, "file")), /not a directory/);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(parent, "target"), "", { mode: 0o600 });
    symlinkSync(join(parent, "target"), state());
    assert.throws(() => openDatabase(directory), /not a plain file/);
    symlinkSync(directory, join(parent, "link"));
    assert.throws(() => openDatabase(join(parent, "link")), /not a directory/);
  });
});

describe("openDatabase", () => {
  it("opens in WAL mode with full synchronization, at the newest schema", () => {
    const database = openDatabase(directory);
    assert.equal(database.pragma("journal_mode", { simple: true }), "wal");
    assert.equal(database.pragma("synchronous", { simple: true }), 2);
    assert.equal(database.pragma("foreign_keys", { simple: true }), 1);
    assert.equal(database.pragma("user_version", { simple: true }), SCHEMA_VERSION);
    database.close();
  });

  it("keeps existing data when reopened", () => {
    const first = openDatabase(directory);
    first.exec("INSERT INTO tenants (id, name, created_at) VALUES ('t', 'acme', 1)");
    first.close();
    const second = openDatabase(directory);
    assert.equal(second.prepare("SELECT name FROM tenants").pluck().get(), "acme");
    second.close();
  });

  it("rejects a newer schema", () => {
    const database = openDatabase(directory);
    database.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
    database.close();
    assert.throws(() => openDatabase(directory), /newer version/);
  });

  it("rejects a database of another program", () => {
    const database = openDatabase(directory);
    database.pragma("application_id = 7");
    database.close();
    assert.throws(() => openDatabase(directory), /another program/);
    rmSync(directory, { recursive: true });
    mkdirSync(directory, { mode: 0o700 });
    const unstamped = new Database(state());
    unstamped.exec("CREATE TABLE a (b)");
    unstamped.close();
    chmodSync(state(), 0o600);
    assert.throws(() => openDatabase(directory), /another program/);
  });

  it("rejects a damaged database and leaves it unchanged", () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const damage = Buffer.alloc(4_096, 0x41);
    writeFileSync(state(), damage, { mode: 0o600 });
    assert.throws(() => openDatabase(directory), /state\.db is damaged.*peneira restore/s);
    assert.deepEqual(readFileSync(state()), damage);
  });

  it("does not create a database next to existing secrets, whose exports it would orphan", () => {
    closeDatabase(openDatabase(directory));
    openSecrets(directory);
    const header = join(directory, "header.db");
    const fresh = new Database(header);
    fresh.pragma("journal_mode = WAL");
    fresh.close();
    const damages = [
      () => writeFileSync(state(), readFileSync(header)),
      () => writeFileSync(state(), ""),
      () => rmSync(state()),
    ];
    for (const damage of damages) {
      damage();
      const refusal = /state\.db is damaged.*is (empty|missing).*secrets\.json.*peneira restore/s;
      assert.throws(() => openDatabase(directory), refusal);
      assert.throws(() => openUnmigrated(directory), refusal);
    }
    assert.equal(existsSync(state()), false);
  });

  it("names the process that holds the lock", () => {
    openDatabase(directory).close();
    const other = new Database(state());
    other.pragma("locking_mode = EXCLUSIVE");
    other.exec("BEGIN IMMEDIATE; CREATE TABLE held (one); COMMIT");
    try {
      assert.throws(
        () => openDatabase(directory),
        /Another process is writing to .*state\.db\. Wait/,
      );
    } finally {
      other.close();
    }
  });

  it("can be opened by several processes, which see each other's changes", () => {
    const [one, two] = [openDatabase(directory), openDatabase(directory)];
    const before = two.pragma("data_version", { simple: true });
    one.exec("INSERT INTO tenants (id, name, created_at) VALUES ('t', 'acme', 1)");
    assert.notEqual(two.pragma("data_version", { simple: true }), before);
    assert.equal(two.prepare("SELECT count(*) FROM tenants").pluck().get(), 1);
    one.close();
    two.close();
  });
});

describe("a damaged state", () => {
  const PAGE = 4_096;
  /** Returns the bytes of a state's file that has rows in every table. */
  function whole(): Buffer {
    const database = openDatabase(directory);
    fillState(database);
    closeDatabase(database);
    return readFileSync(state());
  }
  const lay = (bytes: Uint8Array) => writeFileSync(state(), bytes, { mode: 0o600 });
  const listKeys = () => withKeyring({ dataDir: directory }, (keyring) => keyring.list().length);

  /**
   * Yields the file with each page damaged in turn: filled with zeros or ones, overwriting another
   * page, or cut off in the middle.
   */
  function* damages(good: Buffer): Generator<Buffer> {
    const pages = good.length / PAGE;
    for (let page = 0; page < pages; page++) {
      for (const fill of [0, 0xff]) {
        yield Buffer.from(good).fill(fill, page * PAGE, (page + 1) * PAGE);
      }
      const swapped = Buffer.from(good);
      good.copy(
        swapped,
        page * PAGE,
        ((page + 7) % pages) * PAGE,
        (((page + 7) % pages) + 1) * PAGE,
      );
      yield swapped;
      yield good.subarray(0, page * PAGE + 1_000);
    }
  }

  it("ends a command with instructions to restore, or does not affect it", () => {
    const good = whole();
    assert.equal(listKeys(), 3);
    let reported = 0;
    for (const bytes of damages(good)) {
      rmSync(`${state()}-wal`, { force: true });
      lay(bytes);
      try {
        listKeys();
      } catch (error) {
        assert.ok(error instanceof CommandError, String((error as Error).stack));
        if (/state\.db is damaged.*peneira restore/s.test(error.message)) reported++;
        else assert.match(error.message, /belongs? |database of another program|newer version/);
      }
    }
    assert.ok(reported > 20, `${reported} were told`);
  });

  it("prevents serving if the state is small, even if a command is unaffected", () => {
    const good = whole();
    const database = openDatabase(directory);
    assert.equal(checkedDirectly(database), true);
    const root = database
      .prepare("SELECT rootpage FROM sqlite_master WHERE name = 'exports_of_tenant'")
      .pluck()
      .get() as number;
    database.close();
    // Fills one page with zeros. It belongs to an index that only queries for exports use.
    const bytes = Buffer.from(good);
    bytes.fill(0, (root - 1) * PAGE, root * PAGE);
    lay(bytes);
    assert.equal(listKeys(), 3);
    const damaged = openDatabase(directory);
    assert.throws(() => checkedDirectly(damaged), /state\.db is damaged.*\n- .*peneira restore/s);
    damaged.close();
  });

  it("is checked in the background if the state is large", async () => {
    const database = openDatabase(directory);
    fillState(database);
    const spec = `{"filters":"${"x".repeat(1 << 20)}"}`;
    const fat = database.prepare("UPDATE exports SET spec = ? WHERE sequence = ?");
    for (let i = 1; i <= 6; i++) fat.run(spec.repeat(3), i);
    assert.equal(checkedDirectly(database), false);
    closeDatabase(database);
    assert.deepEqual(await checkInThread(state()), []);
    const bytes = readFileSync(state());
    lay(bytes.fill(0xff, bytes.length - 3 * PAGE));
    const found = await checkInThread(state());
    assert.ok(found.length > 0 && found.length <= 5, found.join("\n"));
  });
});

describe("openSecrets", () => {
  it("returns different secrets of 32 bytes, the same each time", () => {
    const { cursor, link, console } = openSecrets(directory);
    assert.deepEqual([cursor.length, link.length, console.length], [1, 1, 1]);
    const all = [cursor[0], link[0], console[0]];
    for (const secret of all) assert.equal(secret.length, 32);
    assert.equal(new Set(all.map((secret) => secret.toString("hex"))).size, 3);
    assert.deepEqual(openSecrets(directory), { cursor, link, console });
  });

  it("returns the previous secret after the current one", () => {
    const path = join(directory, SECRETS_FILE);
    const { cursor } = openSecrets(directory);
    const stored = JSON.parse(readFileSync(path, "utf8"));
    stored.cursor = { current: "ab".repeat(32), previous: stored.cursor.current };
    writeFileSync(path, JSON.stringify(stored));
    assert.deepEqual(openSecrets(directory).cursor, [Buffer.alloc(32, 0xab), cursor[0]]);
  });

  it("rejects a damaged file without showing its content", () => {
    openSecrets(directory);
    for (const text of ["", "{", "[]", '{"cursor":{"current":"deadbeef"}}', "null"]) {
      writeFileSync(join(directory, SECRETS_FILE), text);
      assert.throws(
        () => openSecrets(directory),
        (error: Error) => error.message.includes(SECRETS_FILE) && !error.message.includes("deadb"),
      );
    }
  });

  it("returns the same secrets to processes that start together", async () => {
    const module = fileURLToPath(new URL("../../../src/store/secrets.ts", import.meta.url));
    const script = `import { openSecrets } from ${JSON.stringify(module)};
      console.log(openSecrets(process.argv[1]).cursor[0].toString("hex"));`;
    const flags = ["--import", "tsx", "--input-type=module", "-e", script, directory];
    const runs = await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, flags)));
    assert.equal(new Set(runs.map(({ stdout }) => stdout)).size, 1);
    assert.match(runs[0]?.stdout ?? "", /^[0-9a-f]{64}\n$/);
    assert.ok(existsSync(join(directory, SECRETS_FILE)));
    assert.deepEqual(readdirSync(directory), [SECRETS_FILE]);
  });
});
