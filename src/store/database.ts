/**
 * The embedded state, and the only importer of better-sqlite3. What comes in: a data directory.
 * What goes out: an open SQLite database of the newest schema.
 * Invariant: write-ahead log with synchronous=FULL, so that what was acknowledged survives a
 * power cut; several processes may have it open; a database of a newer program is refused.
 */
import Database from "better-sqlite3";
import { CommandError } from "../errors.ts";
import { checkDataFile, openDataDir, openDataFile } from "./datadir.ts";

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
];

/** Newest schema version. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Opens the database of a data directory, making both where there are none, and brings it to the
 * newest schema. Throws `CommandError` when it is damaged, foreign, newer or open to others.
 */
export function openDatabase(dataDir: string): StateDatabase {
  openDataDir(dataDir);
  // SQLite gives the log and shared-memory files the mode of the main file.
  const path = openDataFile(dataDir, DATABASE_FILE);
  for (const suffix of ["-wal", "-shm"]) checkDataFile(dataDir, `${DATABASE_FILE}${suffix}`);
  let database: StateDatabase | undefined;
  try {
    database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    migrate(database, path);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be opened as a database: ${reason(error)}.`, 1, error);
  }
}

/** Runs the missing steps in one transaction, so that two processes cannot both run them. */
function migrate(database: StateDatabase, path: string): void {
  const run = database.transaction(() => {
    const version = Number(database.pragma("user_version", { simple: true }));
    const owner = Number(database.pragma("application_id", { simple: true }));
    if (owner !== APPLICATION_ID && (owner !== 0 || version !== 0)) {
      throw new CommandError(`${path} is the database of another program. Name another directory.`);
    }
    if (version > SCHEMA_VERSION) {
      throw new CommandError(
        `${path} was written by a newer version (schema ${version}, this one knows ` +
          `${SCHEMA_VERSION}). Use that version, or another data directory.`,
      );
    }
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  run.immediate();
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
