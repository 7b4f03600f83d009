/**
 * The embedded state. What comes in: a data directory.
 * What goes out: an open SQLite database of the newest schema.
 * Invariant: write-ahead log with synchronous=FULL, so that what was acknowledged survives a
 * power cut; several processes may have it open; a database of a newer program is refused.
 */
import { rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../errors.ts";
import { notWritten, storageCause, storageProblem, storageWords } from "../files/storage.ts";
import { checkDataFile, lookAt, openDataDir, openDataFile } from "./datadir.ts";
import {
  causeOfDisk,
  damagedBlobs,
  damagedState,
  isStateDamage,
  lacksSharedMemory,
  sharedMemoryWords,
} from "./failures.ts";
import { MIGRATIONS } from "./migrations.ts";
import { SECRETS_FILE } from "./secrets.ts";
import { connect, isStateBusy, isStateFailure, type StateDatabase } from "./sqlite.ts";
import { keepBefore, newerState, noteUpgrade, tellUpgrade } from "./upgrade.ts";

/** Name of the database in the data directory. */
export const DATABASE_FILE = "state.db";

/** Marks the file as ours: "PNR1" in ASCII. */
const APPLICATION_ID = 0x504e5231;

/** How long a writer waits for another process's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Newest schema version. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Opens the database of a data directory, making both where there are none, and brings it to the
 * newest schema; the state of an older one is kept beside it first (`keptFile`).
 * Throws `CommandError` when it is damaged, foreign, newer or open to others.
 */
export function openDatabase(dataDir: string): StateDatabase {
  const folder = lookAt(dataDir);
  const isNew = folder === undefined || (folder.isDirectory() && !hasDatabase(dataDir));
  try {
    return openOrMake(dataDir);
  } catch (error) {
    if (isNew && storageCause(error) !== null) removeUnfinished(dataDir, folder === undefined);
    throw error;
  }
}

function hasDatabase(dataDir: string): boolean {
  return lookAt(join(dataDir, DATABASE_FILE)) !== undefined;
}

/** Removes what a full or failing disk left of a new state; a file that holds anything stays. */
function removeUnfinished(dataDir: string, isNewFolder: boolean): void {
  const path = join(dataDir, DATABASE_FILE);
  try {
    if (lookAt(path)?.size !== 0) return;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    if (isNewFolder) rmdirSync(dataDir);
  } catch {
    // The refusal of the disk is what the caller reports.
  }
}

function openOrMake(dataDir: string): StateDatabase {
  const path = databasePath(dataDir);
  return orRefuse(path, () => {
    // Before anything is written: setting the journal would already change a newer file.
    checkOwner(reading(path, stampOf), path);
    refuseUnstamped(dataDir, path);
    const database = connect(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = FULL");
      database.pragma("foreign_keys = ON");
      // What was deleted is not to be found in the file any more.
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
 * Opens the database of a data directory as it is, of whichever schema this program knows, and
 * changes nothing; a server may be at work on it. Throws `CommandError` as `openDatabase` does.
 */
export function openAsItIs(dataDir: string): StateDatabase {
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
 * Opens the database for commands that only read, also on a full disk: then no other process can
 * open it meanwhile (`isAlone`). Throws `CommandError` as `openDatabase` does.
 */
export function openForReading(dataDir: string): StateDatabase {
  const path = join(dataDir, DATABASE_FILE);
  return orReadAlone(path, SCHEMA_VERSION, () => openDatabase(dataDir));
}

/** Opens the database of a running server for another of its threads, which only reads. */
export function connectToRead(dataDir: string): StateDatabase {
  const options = { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS };
  return connect(join(dataDir, DATABASE_FILE), options);
}

/** True if no other connection can use the database, because it was opened on a full disk. */
export function isAlone(database: StateDatabase): boolean {
  return database.pragma("locking_mode", { simple: true }) === "exclusive";
}

/**
 * Opens a database; if its disk has no room for SQLite's shared memory, opens it in exclusive mode,
 * which keeps that index in the memory of the process. A running server has made the file already.
 */
function orReadAlone(path: string, versionMin: number, open: () => StateDatabase): StateDatabase {
  try {
    return open();
  } catch (error) {
    if (storageProblem(storageCause(error))?.full !== true) throw error;
    return readAlone(path, versionMin) ?? raise(error);
  }
}

/** Null if the database cannot be opened that way either, or is of an earlier schema. */
function readAlone(path: string, versionMin: number): StateDatabase | null {
  let database: StateDatabase | undefined;
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
 * Opens the database that this process has open already once more, for a thread. What it commits is
 * durable with the next commit of the first connection, not before, unless `synchronous` is FULL.
 * Throws as better-sqlite3 does.
 */
export function openBeside(
  dataDir: string,
  synchronous: "NORMAL" | "FULL" = "NORMAL",
): StateDatabase {
  const options = { timeout: BUSY_TIMEOUT_MS, fileMustExist: true };
  const database = connect(join(dataDir, DATABASE_FILE), options);
  database.pragma(`synchronous = ${synchronous}`);
  database.pragma("foreign_keys = ON");
  database.pragma("secure_delete = ON");
  return database;
}

/**
 * Makes a copied database one file that stands alone, and gives its schema. Throws `CommandError`
 * when it is not a sound database of ours; `found` names the place of the original in the words.
 * Where it is sound, `last` may still write to it.
 */
export function settleCopy(
  path: string,
  found: string,
  last: (database: StateDatabase) => void = () => {},
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
  const lock = connect(openDataFile(directory, name), { timeout: 0 });
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

/** What a database file says of itself. */
interface Stamp {
  readonly version: number;
  readonly owner: number;
}

/** Path of the database in a data directory that nobody else can reach. */
function databasePath(dataDir: string): string {
  openDataDir(dataDir);
  refuseEmptied(dataDir);
  // SQLite gives the log and shared-memory files the mode of the main file.
  const path = openDataFile(dataDir, DATABASE_FILE);
  for (const suffix of ["-wal", "-shm"]) checkDataFile(dataDir, `${DATABASE_FILE}${suffix}`);
  return path;
}

/**
 * Refuses a directory that has secrets, which are made after the database, but no database: what
 * would be made there is a new state, and the files of its exports would be nobody's.
 */
function refuseEmptied(dataDir: string): void {
  const path = join(dataDir, DATABASE_FILE);
  const found = lookAt(path);
  if ((found?.size ?? 0) === 0) refuseNew(dataDir, found === undefined ? "missing" : "empty");
}

function refuseNew(dataDir: string, what: "missing" | "empty"): void {
  if (lookAt(join(dataDir, SECRETS_FILE)) === undefined) return;
  const why = `It is ${what}, although the directory is in use: ${SECRETS_FILE} is there.`;
  throw damagedState(join(dataDir, DATABASE_FILE), [why]);
}

/** Refuses a database without a stamp that somebody uses, or that has lost what was in it. */
function refuseUnstamped(dataDir: string, path: string): void {
  const tables = reading(path, (database) => {
    if (stampOf(database).version > 0) return null;
    return database.prepare<[], number>("SELECT count(*) FROM sqlite_master").pluck().get() ?? 0;
  });
  if (tables === 0) refuseNew(dataDir, "empty");
  else if (tables !== null) throw foreign(path);
}

/** Reads a database without changing a byte of it or of its log. */
export function reading<Value>(path: string, read: (database: StateDatabase) => Value): Value {
  const database = connect(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    return read(database);
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
    throw foreign(path);
  }
  if (version > SCHEMA_VERSION) throw newerState(path, version, SCHEMA_VERSION);
  return version;
}

function foreign(path: string): CommandError {
  return new CommandError(`${path} is the database of another program. Name another directory.`);
}

/** Runs the missing steps in one transaction, so that two processes cannot both run them. */
function migrate(database: StateDatabase, path: string): void {
  const run = database.transaction(() => {
    const version = checkOwner(stampOf(database), path);
    if (version === SCHEMA_VERSION) return version;
    // Another connection sees the state as it is; the lock of this one keeps it so.
    if (version > 0) keepBefore(connect(path), path, version);
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
    if (version > 0) noteUpgrade(database, version, SCHEMA_VERSION);
    return version;
  });
  try {
    const from = run.immediate();
    if (from > 0 && from < SCHEMA_VERSION) tellUpgrade(path, from, SCHEMA_VERSION);
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

/** Runs what opens a database; whatever SQLite says becomes words that name the file. */
function orRefuse<Value>(path: string, open: () => Value): Value {
  try {
    return open();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (isStateDamage(error)) throw damagedState(path, [reason(error)], error);
    const cause = causeOfDisk(path, error);
    const disk = storageWords(cause);
    if (disk !== null) {
      const needed = lacksSharedMemory(error, cause) ? ` ${sharedMemoryWords(path)}` : "";
      throw new CommandError(`${path} was not opened: ${disk}${needed}`, 1, cause);
    }
    if (isStateBusy(error)) {
      const mend = "Wait until it is done, or name another directory.";
      throw new CommandError(`Another process is writing to ${path}. ${mend}`, 1, error);
    }
    throw new CommandError(`${path} cannot be opened as a database: ${reason(error)}.`, 1, error);
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
