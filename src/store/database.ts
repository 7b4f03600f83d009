/**
 * The embedded state, and the only importer of better-sqlite3. What comes in: a data directory.
 * What goes out: an open SQLite database of the newest schema.
 * Invariant: write-ahead log with synchronous=FULL, so that what was acknowledged survives a
 * power cut; several processes may have it open; a database of a newer program is refused.
 */
import { join } from "node:path";
import Database from "better-sqlite3";
import { CommandError } from "../errors.ts";
import { checkDataFile, openDataDir, openDataFile } from "./datadir.ts";
import { keepBefore, newerState, tellUpgrade } from "./upgrade.ts";

/** An open database. */
export type StateDatabase = Database.Database;

/** A prepared statement with its parameters and the rows it gives. */
export type StateStatement<Parameters extends unknown[], Row = unknown> = Database.Statement<
  Parameters,
  Row
>;

/** Name of the database in the data directory. */
export const DATABASE_FILE = "state.db";

/** Marks the file as ours: "PNR1" in ASCII. */
const APPLICATION_ID = 0x504e5231;

/** How long a writer waits for another process's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * One step per schema version, first to last; the number of steps done is `user_version`.
 * A step that was released is never changed: a new one is added behind it.
 * Times are milliseconds since 1970; ids and names are text; hashes are 32 bytes.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE tenants (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL UNIQUE,
     created_at INTEGER NOT NULL,
     disabled_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     name TEXT NOT NULL,
     plan TEXT NOT NULL,
     hash BLOB NOT NULL CHECK (length(hash) = 32),
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     disabled_at INTEGER,
     last_used_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX keys_of_tenant ON keys (tenant_id);`,
  // AUTOINCREMENT: a sequence is never given twice, though exports are deleted. An idempotency key
  // outlives its export, so that the key of a deleted one is not taken for a new one.
  `CREATE TABLE exports (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     plan TEXT NOT NULL,
     spec TEXT NOT NULL,
     format TEXT NOT NULL,
     slug TEXT NOT NULL,
     snapshot TEXT NOT NULL,
     snapshot_date TEXT NOT NULL,
     snapshot_id TEXT NOT NULL,
     snapshot_path TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
     attempts INTEGER NOT NULL DEFAULT 0,
     row_count INTEGER,
     size_bytes INTEGER,
     sha256 TEXT,
     failure TEXT,
     created_at INTEGER NOT NULL,
     ended_at INTEGER,
     expires_at INTEGER,
     expired_at INTEGER,
     CHECK ((state = 'failed') = (failure IS NOT NULL)),
     CHECK (state <> 'done' OR (row_count IS NOT NULL AND size_bytes IS NOT NULL
       AND sha256 IS NOT NULL AND expires_at IS NOT NULL))
   ) STRICT;
   CREATE INDEX exports_of_tenant ON exports (tenant_id, sequence);
   CREATE INDEX exports_queued ON exports (tenant_id, sequence) WHERE state = 'queued';
   CREATE INDEX exports_live ON exports (snapshot_id) WHERE state IN ('queued', 'running');
   CREATE INDEX exports_kept ON exports (expires_at) WHERE state = 'done' AND expired_at IS NULL;
   CREATE TABLE idempotency (
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     key TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     export_id TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     PRIMARY KEY (tenant_id, key)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX idempotency_by_age ON idempotency (created_at);`,
  // Days are UTC, counted since 1970. What an export was charged stands in its row, so that it can
  // be given back; the sum of a day stands apart, for deleted exports stay paid.
  `ALTER TABLE exports ADD COLUMN key_id TEXT;
   ALTER TABLE exports ADD COLUMN charged_day INTEGER;
   ALTER TABLE exports ADD COLUMN charged_rows INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE idempotency ADD COLUMN body_hash TEXT;
   CREATE TABLE quota (
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     day INTEGER NOT NULL,
     charged_rows INTEGER NOT NULL CHECK (charged_rows >= 0),
     PRIMARY KEY (tenant_id, day)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage (
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     day INTEGER NOT NULL,
     key_id TEXT NOT NULL,
     requests INTEGER NOT NULL DEFAULT 0,
     accounts INTEGER NOT NULL DEFAULT 0,
     export_rows INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (tenant_id, day, key_id)
   ) STRICT, WITHOUT ROWID;`,
  // A password's cost stands beside its hash, so that it can grow. Of a session only a hash of its
  // token is kept; its id opens nothing. A search outlives the user who saved it.
  `ALTER TABLE tenants ADD COLUMN plan TEXT;
   CREATE TABLE users (
     id TEXT PRIMARY KEY,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     email TEXT NOT NULL UNIQUE CHECK (email = lower(email)),
     role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
     password_hash BLOB NOT NULL CHECK (length(password_hash) = 32),
     password_salt BLOB NOT NULL CHECK (length(password_salt) >= 16),
     password_cost TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     disabled_at INTEGER,
     last_seen_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX users_of_tenant ON users (tenant_id);
   CREATE TABLE sessions (
     hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
     id TEXT NOT NULL UNIQUE,
     user_id TEXT NOT NULL REFERENCES users (id),
     created_at INTEGER NOT NULL,
     seen_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX sessions_of_user ON sessions (user_id);
   CREATE TABLE saved_searches (
     id TEXT PRIMARY KEY,
     tenant_id TEXT NOT NULL REFERENCES tenants (id),
     user_id TEXT REFERENCES users (id),
     name TEXT NOT NULL,
     text TEXT,
     spec TEXT NOT NULL,
     snapshot TEXT NOT NULL,
     total INTEGER NOT NULL CHECK (total >= 0),
     created_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX saved_searches_of_tenant ON saved_searches (tenant_id, created_at);`,
  // An export of changes goes back to an older snapshot; kinds and watched fields between commas.
  `ALTER TABLE exports ADD COLUMN since TEXT;
   ALTER TABLE exports ADD COLUMN since_date TEXT;
   ALTER TABLE exports ADD COLUMN since_id TEXT;
   ALTER TABLE exports ADD COLUMN since_path TEXT;
   ALTER TABLE exports ADD COLUMN kinds TEXT;
   ALTER TABLE exports ADD COLUMN watch TEXT;
   CREATE INDEX exports_live_since ON exports (since_id)
     WHERE since_id IS NOT NULL AND state IN ('queued', 'running');`,
];

/** Newest schema version. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Version of the SQLite that is compiled in. Throws where the addon cannot be loaded. */
export function sqliteVersion(): string {
  const database = new Database(":memory:");
  try {
    return database.prepare<[], string>("SELECT sqlite_version()").pluck().get() as string;
  } finally {
    database.close();
  }
}

/**
 * Opens the database of a data directory, making both where there are none, and brings it to the
 * newest schema; the state of an older one is kept beside it first (`keptFile`).
 * Throws `CommandError` when it is damaged, foreign, newer or open to others.
 */
export function openDatabase(dataDir: string): StateDatabase {
  const path = databasePath(dataDir);
  return orRefuse(path, () => {
    // Before anything is written: setting the journal would already change a newer file.
    checkOwner(peek(path), path);
    const database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = FULL");
      database.pragma("foreign_keys = ON");
      migrate(database, path);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * Opens the database of a data directory as it is, of whichever schema this program knows, and
 * changes nothing; a server may be at work on it. Throws `CommandError` as `openDatabase` does.
 */
export function openAsItIs(dataDir: string): StateDatabase {
  const path = databasePath(dataDir);
  return orRefuse(path, () => {
    checkOwner(peek(path), path);
    return new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
  });
}

/**
 * Makes a copied database one file that stands alone, and gives its schema. Throws `CommandError`
 * when it is not a sound database of ours; `found` names the place of the original in the words.
 */
export function settleCopy(path: string, found: string): number {
  return orRefuse(found, () => {
    const database = new Database(path, { fileMustExist: true });
    try {
      database.pragma("journal_mode = DELETE");
      const problems = [
        ...(database.pragma("integrity_check") as { readonly integrity_check: string }[]).map(
          ({ integrity_check }) => integrity_check,
        ),
        ...(database.pragma("foreign_key_check") as { readonly table: string }[]).map(
          ({ table }) => `a row of ${table} names one that does not exist`,
        ),
      ].filter((problem) => problem !== "ok");
      if (problems.length > 0) {
        throw new CommandError(`${found} is damaged:\n- ${problems.slice(0, 20).join("\n- ")}`);
      }
      return checkOwner(stampOf(database), found);
    } finally {
      database.close();
    }
  });
}

/**
 * Closes a database with everything in its main file, so that a copy of that file alone is whole.
 * Where another process has it open, what is still in its log stays there and is not lost.
 */
export function closeDatabase(database: StateDatabase): void {
  try {
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!isStateFailure(error)) throw error;
  } finally {
    database.close();
  }
}

/** Name of the file whose lock says that a server works on a data directory. */
export const LOCK_FILE = "serve.lock";

/**
 * Claims a data directory for one server; the returned function gives it up. Throws `CommandError`
 * when another server holds it: each would take the other's running exports for its own.
 */
export function lockDataDir(dataDir: string): () => void {
  openDataDir(dataDir);
  const unlock = tryLock(dataDir, LOCK_FILE);
  if (unlock !== null) return unlock;
  throw new CommandError(`Another server works on ${dataDir}. Stop it, or name another directory.`);
}

/**
 * Takes the lock of a file in a directory, making the file where there is none; null when another
 * process has it. The lock is the system's, so it ends with its process, however that ends.
 */
export function tryLock(directory: string, name: string): (() => void) | null {
  const lock = new Database(openDataFile(directory, name), { timeout: 0 });
  try {
    // Nothing is ever written, so there is nothing to keep a journal of on the disk.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
    return () => lock.close();
  } catch (error) {
    lock.close();
    const { code } = error as { readonly code?: string };
    if (code?.startsWith("SQLITE_BUSY")) return null;
    throw new CommandError(`Cannot lock ${join(directory, name)}: ${reason(error)}.`, 1, error);
  }
}

/**
 * True for a failure of the database that time or the operator can mend: a full or failing disk,
 * another process's long write. A broken constraint is a mistake of ours and is none of them.
 */
export function isStateFailure(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return false;
  return /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(error.code);
}

/** What a database file says of itself. */
interface Stamp {
  readonly version: number;
  readonly owner: number;
}

/** Path of the database in a data directory that nobody else can reach. */
function databasePath(dataDir: string): string {
  openDataDir(dataDir);
  // SQLite gives the log and shared-memory files the mode of the main file.
  const path = openDataFile(dataDir, DATABASE_FILE);
  for (const suffix of ["-wal", "-shm"]) checkDataFile(dataDir, `${DATABASE_FILE}${suffix}`);
  return path;
}

/** Reads the stamp without changing a byte of the database or of its log. */
function peek(path: string): Stamp {
  const database = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    return stampOf(database);
  } finally {
    database.close();
  }
}

function stampOf(database: StateDatabase): Stamp {
  const number = (pragma: string) => Number(database.pragma(pragma, { simple: true }));
  return { version: number("user_version"), owner: number("application_id") };
}

/** Refuses what is not ours or newer than this program; gives the version. */
function checkOwner({ version, owner }: Stamp, path: string): number {
  if (owner !== APPLICATION_ID && (owner !== 0 || version !== 0)) {
    throw new CommandError(`${path} is the database of another program. Name another directory.`);
  }
  if (version > SCHEMA_VERSION) throw newerState(path, version, SCHEMA_VERSION);
  return version;
}

/** Runs the missing steps in one transaction, so that two processes cannot both run them. */
function migrate(database: StateDatabase, path: string): void {
  const run = database.transaction(() => {
    const version = checkOwner(stampOf(database), path);
    if (version === SCHEMA_VERSION) return version;
    // Another connection sees the state as it is; the lock of this one keeps it so.
    if (version > 0) keepBefore(new Database(path), path, version);
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
    return version;
  });
  try {
    const from = run.immediate();
    if (from > 0 && from < SCHEMA_VERSION) tellUpgrade(path, from, SCHEMA_VERSION);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `${path} cannot be brought to schema ${SCHEMA_VERSION}: ${reason(error)}. ` +
        "It was left as it is.",
      1,
      error,
    );
  }
}

/** Runs what opens a database; whatever SQLite says becomes words that name the file. */
function orRefuse<Value>(path: string, open: () => Value): Value {
  try {
    return open();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be opened as a database: ${reason(error)}.`, 1, error);
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
