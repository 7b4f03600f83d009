/**
 * Opens the embedded state. Input: a data directory.
 * Output: an open SQLite database of the newest schema.
 * Invariant: write-ahead log with synchronous=FULL, so acknowledged changes survive a power cut;
 * several processes may have it open; a database of a newer program is refused.
 */
import { rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../errors.ts";
import { notWritten, storageCause, storageErrorText, storageProblem } from "../files/storage.ts";
import { checkDataFile, openDataDir, openDataFile, statOf } from "./datadir.ts";
import {
  causeOfDisk,
  damagedBlobs,
  damagedState,
  isStateDamage,
  lacksSharedMemory,
  sharedMemoryWords,
} from "./failures.ts";
import { MIGRATIONS } from "./migrations.ts";
import { rememberedAddress, shownAddress } from "./postgres/address.ts";
import { SECRETS_FILE } from "./secrets.ts";
import { connect, isStateBusy, isStateFailure, type SqliteDatabase } from "./sqlite.ts";
import { copyBeforeUpgrade, newerState, noteUpgrade, printUpgrade, syncFile } from "./upgrade.ts";

/** Name of the database in the data directory. */
export const DATABASE_FILE = "state.db";

/** Application id that identifies files of this program: "PNR1" in ASCII. */
const APPLICATION_ID = 0x504e5231;

/** How long a writer waits until another process has finished writing, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Newest schema version. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Opens the database of a data directory and upgrades it to the newest schema. Creates both if they
 * are missing. Before an upgrade, copies the older state next to it (`previousFile`). Throws
 * `CommandError` if the database is damaged, belongs to another program, is newer, or is accessible
 * to others.
 */
export function openDatabase(dataDir: string): SqliteDatabase {
  const folder = statOf(dataDir);
  const isNew = folder === undefined || (folder.isDirectory() && !hasDatabase(dataDir));
  try {
    return openOrMake(dataDir);
  } catch (error) {
    if (isNew && storageCause(error) !== null) removeUnfinished(dataDir, folder === undefined);
    throw error;
  }
}

function hasDatabase(dataDir: string): boolean {
  return statOf(join(dataDir, DATABASE_FILE)) !== undefined;
}

/**
 * Removes files that a failed creation of the state has left on a full or failing disk. Never
 * removes a non-empty file.
 */
function removeUnfinished(dataDir: string, isNewFolder: boolean): void {
  const path = join(dataDir, DATABASE_FILE);
  try {
    if (statOf(path)?.size !== 0) return;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    if (isNewFolder) rmdirSync(dataDir);
  } catch {
    // This failure is ignored, because the caller reports the disk error.
  }
}

function openOrMake(dataDir: string): SqliteDatabase {
  const path = databasePath(dataDir);
  return orRefuse(path, () => {
    // This check comes before anything is written. Setting the journal mode, for example, would
    // already change the file of a newer program.
    checkOwner(reading(path, stampOf), path);
    refuseUnstamped(dataDir, path);
    const database = connect(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = FULL");
      database.pragma("foreign_keys = ON");
      // Makes SQLite overwrite deleted content with zeros.
      database.pragma("secure_delete = ON");
      migrate(database, path);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * Opens the database of a data directory in any known schema, without changing it; a server may be
 * running. Throws `CommandError` like `openDatabase`.
 */
export function openUnmigrated(dataDir: string): SqliteDatabase {
  const path = databasePath(dataDir);
  return orReadAlone(path, 1, () =>
    orRefuse(path, () => {
      checkOwner(reading(path, stampOf), path);
      refuseUnstamped(dataDir, path);
      return connect(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    }),
  );
}

/**
 * Opens the database for commands that only read. On a full disk, this works too, but no other
 * process can then open the database until it is closed (`isAlone`). Throws `CommandError` like
 * `openDatabase`.
 */
export function openForReading(dataDir: string): SqliteDatabase {
  const path = join(dataDir, DATABASE_FILE);
  return orReadAlone(path, SCHEMA_VERSION, () => openDatabase(dataDir));
}

/** Opens the database read-only for a further thread of the running server. */
export function connectToRead(dataDir: string): SqliteDatabase {
  const options = { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS };
  return connect(join(dataDir, DATABASE_FILE), options);
}

/** True if the disk was full at the opening, so that no other connection can use the database. */
export function isAlone(database: SqliteDatabase): boolean {
  return database.pragma("locking_mode", { simple: true }) === "exclusive";
}

/**
 * Opens a database. If the disk has no room for SQLite's shared memory, opens it in exclusive
 * mode, which needs only memory of the process. (While a server is running, the shared memory
 * already exists.)
 */
function orReadAlone(path: string, versionMin: number, open: () => SqliteDatabase): SqliteDatabase {
  try {
    return open();
  } catch (error) {
    if (storageProblem(storageCause(error))?.full !== true) throw error;
    return readAlone(path, versionMin) ?? raise(error);
  }
}

/** Opens a database in exclusive mode; returns null if this fails or the schema is too old. */
function readAlone(path: string, versionMin: number): SqliteDatabase | null {
  let database: SqliteDatabase | undefined;
  try {
    database = connect(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
    database.pragma("locking_mode = EXCLUSIVE");
    if (checkOwner(stampOf(database), path) >= versionMin) {
      database.pragma("query_only = ON");
      return database;
    }
  } catch (error) {
    database?.close();
    if (isStateFailure(error)) return null;
    throw error;
  }
  database.close();
  return null;
}

function raise(error: unknown): never {
  throw error;
}

/**
 * Opens another connection to this process's database, for a thread. The commits of this connection
 * become durable only with the next commit of the first one, unless `synchronous` is FULL. Throws
 * like better-sqlite3.
 */
export function openSecondConnection(
  dataDir: string,
  synchronous: "NORMAL" | "FULL" = "NORMAL",
): SqliteDatabase {
  const options = { timeout: BUSY_TIMEOUT_MS, fileMustExist: true };
  const database = connect(join(dataDir, DATABASE_FILE), options);
  database.pragma(`synchronous = ${synchronous}`);
  database.pragma("foreign_keys = ON");
  database.pragma("secure_delete = ON");
  return database;
}

/**
 * Turns a copied database into a single file, and returns its schema version. The callback `last`
 * may write to the database. Throws `CommandError` if the file is not a valid database of this
 * program. The message names the original, `found`.
 */
export function settleCopy(
  path: string,
  found: string,
  last: (database: SqliteDatabase) => void = () => {},
): number {
  return orRefuse(found, () => {
    const database = connect(path, { fileMustExist: true });
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
      if (problems.length === 0) problems.push(...damagedBlobs(database));
      if (problems.length > 0) {
        throw damagedState(found, problems.slice(0, 20));
      }
      const version = checkOwner(stampOf(database), found);
      last(database);
      return version;
    } finally {
      database.close();
    }
  });
}

/**
 * Creates a database of the newest schema in a data directory. `fill` writes the rows, in one
 * transaction and without triggers. The resulting file is complete, checked, and durable.
 */
export function makeFilled(
  dataDir: string,
  name: string,
  fill: (database: SqliteDatabase) => void,
): void {
  const path = openDataFile(dataDir, name);
  const database = connect(path);
  try {
    database.pragma("foreign_keys = ON");
    const make = database.transaction(() => {
      applySteps(database, 0);
      withoutTriggers(database, fill);
    });
    make.immediate();
  } catch (error) {
    const disk = notWritten(path, error);
    throw disk === null ? error : new CommandError(disk, 1, error);
  } finally {
    database.close();
  }
  settleCopy(path, path);
  syncFile(path);
}

function withoutTriggers(database: SqliteDatabase, work: (database: SqliteDatabase) => void): void {
  const triggers = database
    .prepare<[], { readonly name: string; readonly sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
    )
    .all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  work(database);
  for (const { sql } of triggers) database.exec(sql);
}

/**
 * Closes a database after writing everything to its main file, so a copy of that file alone is
 * complete. If another process has it open, the rest remains in the log and is not lost.
 */
export function closeDatabase(database: SqliteDatabase): void {
  try {
    database.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!isStateFailure(error)) throw error;
  } finally {
    database.close();
  }
}

/** Name of a file whose lock shows that a server uses the data directory. */
export const LOCK_FILE = "serve.lock";

/**
 * Locks a data directory for one server, and returns a function that releases the lock. Throws
 * `CommandError` if another server holds the lock, because each server would take over the other's
 * running exports.
 */
export function lockDataDir(dataDir: string): () => void {
  openDataDir(dataDir);
  const unlock = tryLock(dataDir, LOCK_FILE);
  if (unlock !== null) return unlock;
  throw new CommandError(`Another server works on ${dataDir}. Stop it, or name another directory.`);
}

/**
 * Takes the lock of a file in a directory, creating the file if missing; returns null if another
 * process has it. It is a system lock, so it always ends with its process.
 */
export function tryLock(directory: string, name: string): (() => void) | null {
  const lock = connect(openDataFile(directory, name), { timeout: 0 });
  try {
    // The connection needs no journal on disk, because it writes nothing.
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

interface Stamp {
  readonly version: number;
  readonly owner: number;
}

/** Checks that only the owner can access the data directory; returns the database's path. */
function databasePath(dataDir: string): string {
  openDataDir(dataDir);
  refuseRemembered(dataDir);
  refuseEmptied(dataDir);
  // The log and the shared-memory file need no separate mode, because SQLite gives them the mode of
  // the main file.
  const path = openDataFile(dataDir, DATABASE_FILE);
  for (const suffix of ["-wal", "-shm"]) checkDataFile(dataDir, `${DATABASE_FILE}${suffix}`);
  return path;
}

/**
 * Throws if the directory has stored the address of a database server. Its state is there, so
 * creating a database in the directory would make a second state.
 */
function refuseRemembered(dataDir: string): void {
  const address = rememberedAddress(dataDir);
  if (address === null) return;
  throw new CommandError(
    `The state of ${dataDir} is in ${shownAddress(address)}. This command works on a state that ` +
      "is a file; use the tools of the database, such as pg_dump.",
  );
}

/**
 * Throws if a directory has secrets but no database. The database is created before the secrets, so
 * it was lost, and a new one would not know the files of earlier exports.
 */
function refuseEmptied(dataDir: string): void {
  const path = join(dataDir, DATABASE_FILE);
  const found = statOf(path);
  if ((found?.size ?? 0) === 0) refuseNew(dataDir, found === undefined ? "missing" : "empty");
}

function refuseNew(dataDir: string, what: "missing" | "empty"): void {
  if (statOf(join(dataDir, SECRETS_FILE)) === undefined) return;
  const why = `It is ${what}, although the directory is in use: ${SECRETS_FILE} is there.`;
  throw damagedState(join(dataDir, DATABASE_FILE), [why]);
}

/**
 * Refuses a database that has neither version nor application id but contains tables: it belongs to
 * another program, or has lost its content.
 */
function refuseUnstamped(dataDir: string, path: string): void {
  const tables = reading(path, (database) => {
    if (stampOf(database).version > 0) return null;
    return database.prepare<[], number>("SELECT count(*) FROM sqlite_master").pluck().get() ?? 0;
  });
  if (tables === 0) refuseNew(dataDir, "empty");
  else if (tables !== null) throw foreign(path);
}

/** Reads a database without changing any byte of it or its log. */
export function reading<Value>(path: string, read: (database: SqliteDatabase) => Value): Value {
  const database = connect(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

function stampOf(database: SqliteDatabase): Stamp {
  const number = (pragma: string) => Number(database.pragma(pragma, { simple: true }));
  return { version: number("user_version"), owner: number("application_id") };
}

/** Refuses databases of other programs and of newer versions. Returns the schema version. */
function checkOwner({ version, owner }: Stamp, path: string): number {
  if (owner !== APPLICATION_ID && (owner !== 0 || version !== 0)) {
    throw foreign(path);
  }
  if (version > SCHEMA_VERSION) throw newerState(path, version, SCHEMA_VERSION);
  return version;
}

function foreign(path: string): CommandError {
  return new CommandError(`${path} is the database of another program. Name another directory.`);
}

/** Runs missing steps in one transaction, so two processes cannot both run them. */
function migrate(database: SqliteDatabase, path: string): void {
  const run = database.transaction(() => {
    const version = checkOwner(stampOf(database), path);
    if (version === SCHEMA_VERSION) return version;
    // A second connection sees the current state, because this connection blocks other writers.
    if (version > 0) copyBeforeUpgrade(connect(path), path, version);
    applySteps(database, version);
    if (version > 0) noteUpgrade(database, version, SCHEMA_VERSION);
    return version;
  });
  try {
    const from = run.immediate();
    if (from > 0 && from < SCHEMA_VERSION) printUpgrade(path, from, SCHEMA_VERSION);
  } catch (error) {
    if (error instanceof CommandError || isStateDamage(error)) throw error;
    const disk = notWritten(path, error);
    if (disk !== null) throw new CommandError(disk, 1, error);
    throw new CommandError(
      `${path} cannot be brought to schema ${SCHEMA_VERSION}: ${reason(error)}. ` +
        "It was left as it is.",
      1,
      error,
    );
  }
}

/** Runs the migration steps after a version, and marks the file as a database of this program. */
function applySteps(database: SqliteDatabase, version: number): void {
  for (const step of MIGRATIONS.slice(version)) database.exec(step);
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${SCHEMA_VERSION}`);
}

/** Opens a database; converts SQLite errors to messages that name the file. */
function orRefuse<Value>(path: string, open: () => Value): Value {
  try {
    return open();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (isStateDamage(error)) throw damagedState(path, [reason(error)], error);
    const cause = causeOfDisk(path, error);
    const disk = storageErrorText(cause);
    if (disk !== null) {
      const needed = lacksSharedMemory(error, cause) ? ` ${sharedMemoryWords(path)}` : "";
      throw new CommandError(`${path} was not opened: ${disk}${needed}`, 1, cause);
    }
    if (isStateBusy(error)) {
      const remedy = "Wait until it is done, or name another directory.";
      throw new CommandError(`Another process is writing to ${path}. ${remedy}`, 1, error);
    }
    throw new CommandError(`${path} cannot be opened as a database: ${reason(error)}.`, 1, error);
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
